import { setTimeout as sleep } from 'node:timers/promises';
import type { Changes, Reply, RequestSpec } from '../exchange.ts';
import type { Triggers } from '../extension/extension.ts';
import { valueAt } from '../json-pointer.ts';
import type { BoundProfile } from '../profile.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import { changed } from '../requests/prepare.ts';
import type { Target } from '../target.ts';
import { jobIdIn } from './job-id.ts';
import type { LinkFill, TaskLink, Tasks, TokenPlace } from './tasks.ts';

/** `{name}` or `{{name}}`, in plain or percent-encoded spelling; `:name` as a whole segment or value. */
const placeholder = /(?:\{|%7B){1,2}([\w.-]+)(?:\}|%7D){1,2}|(?<=[/=]):([a-z]\w*)(?=[/?#&]|$)/gi;

const statusRoute = /\/status(?:\/[^/?#]*)?\/?(?=$|[?#])/;

export interface TasksParts {
  readonly service: Target;
  readonly profile: BoundProfile;
  readonly triggers: Triggers;
}

const jobWaitMs = 10_000;
const betweenReadsMs = 100;

/** The callbacks of an external task. Source: extensions, Callbacks from an external task */
export function openTasks({ service, profile, triggers }: TasksParts): Tasks {
  const { space, tasks: bound = {} } = profile.all;
  const put = (path: string, token: string, body: unknown, changes?: Changes): Promise<Reply> => {
    const request = {
      method: 'PUT',
      url: absoluteUrl(profile.all, path),
      as: null,
      headers: isOfAnother(changes) ? {} : bearer(token),
      unbooked: true as const,
    };
    return service.send(changed({ ...request, ...(body !== undefined && { body }) }, changes));
  };
  const tasks: Tasks = {
    follow: (link, fill = {}, changes) => {
      const request: RequestSpec = {
        method: link.method,
        url: addressOf(link, fill),
        as: null,
        headers: isOfAnother(changes) ? {} : headersOf(link, fill.token),
        unbooked: true,
      };
      return service.send(changed(request, changes));
    },
    placeholdersOf,
    jobIdIn: ({ links }) => jobIdIn(links),
    addressOf,
    status: (task, status, body, changes) =>
      put(`${tasks.route(task.jobId)}/status/${encodeURIComponent(status.toWellFormed())}`, task.token, body, changes),
    progress: (task, body, changes) => put(`${tasks.route(task.jobId)}/progress`, task.token, body, changes),
    route: (jobId, of = space) => `/api/space/${encodeURIComponent(of)}/dx/${encodeURIComponent(jobId)}`,
    job: (task, changes) => triggers.job({ ...task.triggered, id: task.jobId }, changes),
    jobUntil: async (task, isSo, { withinMs = jobWaitMs } = {}) => {
      const until = performance.now() + withinMs;
      for (;;) {
        const job = await tasks.job(task);
        if (isSo(job) || performance.now() >= until) return job;
        await sleep(betweenReadsMs);
      }
    },
    isFailed: (job) => isOneOf(tasks.stateOf(job), bound.states?.failed ?? ['Failed']),
    isCompleted: (job) => isOneOf(tasks.stateOf(job), bound.states?.completed ?? ['Completed']),
    stateOf: (job) => {
      const state: unknown = valueAt(job.json, bound.state ?? '/state');
      return typeof state === 'string' || typeof state === 'number' ? String(state) : undefined;
    },
    shows: (job, text) =>
      textsIn(bound.message === undefined ? job.json : valueAt(job.json, bound.message)).some((found) =>
        found.includes(text),
      ),
  };
  return tasks;
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` };
}

function headersOf({ token }: TaskLink, place: TokenPlace = 'bearer'): Readonly<Record<string, string>> {
  return place === 'bearer' ? bearer(token) : {};
}

/** Whether the changes name another sender, or nobody, whose request does not have the token of the envelope. */
function isOfAnother(changes: Changes | undefined): boolean {
  return changes?.as !== undefined;
}

function isOneOf(state: string | undefined, states: readonly string[]): boolean {
  return state !== undefined && states.includes(state);
}

/** Every text in a value, however deep. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((member: unknown) => textsIn(member))
    : [];
}

/** Names of what a link leaves open, in their order. */
function placeholdersOf({ address }: Pick<TaskLink, 'address'>): readonly string[] {
  return [...address.matchAll(placeholder)].map(([, inBraces, behindColon]) => inBraces ?? behindColon ?? '');
}

/** The address of a link with everything put in. Source: extensions, External task links; ledger task-link-templates */
export function addressOf({ address, token }: Pick<TaskLink, 'address' | 'token'>, fill: LinkFill = {}): string {
  const [path = '', ...rest] = withStatus(address, fill.status).split('?');
  const query = rest.join('?');
  const filled = fill.path === undefined ? path : withPath(path, query, fill.path);
  const pairs = query === '' ? [] : query.split('&').map((pair) => withValue(pair, fill.path));
  return [filled, ...joined(withToken(pairs, token, fill.token ?? 'bearer'))].join('?');
}

function withStatus(address: string, status: string | undefined): string {
  if (status === undefined) return address;
  const segment = encodeURIComponent(status.toWellFormed());
  if (address.search(placeholder) !== -1) return address.replaceAll(placeholder, () => segment);
  return statusRoute.test(address) ? address.replace(statusRoute, () => `/status/${segment}`) : address;
}

/** Several placeholders share the path: the last one is the name of the file. */
function withPath(template: string, query: string, path: string): string {
  const segments = path.split('/').map((segment) => encodeURIComponent(segment.toWellFormed()));
  const count = [...template.matchAll(placeholder)].length;
  if (count === 0) return hasPlaceholder(query) ? template : `${template.replace(/\/$/, '')}/${segments.join('/')}`;
  let index = 0;
  return template
    .replaceAll(placeholder, () => {
      index += 1;
      if (count === 1) return segments.join('/');
      return index === count
        ? (segments.at(-1) ?? '')
        : segments.slice(index - 1, index === count - 1 ? -1 : index).join('/');
    })
    .replaceAll(/(?<!:)\/{2,}/g, '/');
}

function hasPlaceholder(query: string): boolean {
  return query.split('&').some((pair) => !isToken(pair) && pair.search(placeholder) !== -1);
}

function withValue(pair: string, path: string | undefined): string {
  if (path === undefined || isToken(pair)) return pair;
  return pair.replaceAll(placeholder, () => encodeURIComponent(path.toWellFormed()));
}

function withToken(pairs: readonly string[], token: string, place: NonNullable<LinkFill['token']>): readonly string[] {
  if (place === 'as-told') return pairs;
  const others = pairs.filter((pair) => !isToken(pair));
  if (place === 'none') return others;
  if (place === 'bearer') return pairs.filter((pair) => !isToken(pair) || !isOpen(pair));
  const name = pairs.find(isToken)?.split('=')[0] ?? 'token';
  return [...others, `${name}=${encodeURIComponent(token)}`];
}

/** A parameter for the token: named so, or with a placeholder named so. */
function isToken(pair: string): boolean {
  return /^(access_?)?token=/i.test(pair) || /=(?:\{|%7B){1,2}(access_?)?token/i.test(pair);
}

/** Whether the value is left to the one who follows the link. */
function isOpen(pair: string): boolean {
  return pair.endsWith('=') || pair.search(placeholder) !== -1;
}

function joined(pairs: readonly string[]): readonly string[] {
  return pairs.length === 0 ? [] : [pairs.join('&')];
}
