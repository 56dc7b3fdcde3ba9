import type { Changes, Reply, RequestSpec } from '../exchange.ts';
import type { Call } from './call.ts';
import type { Extension } from './extension.ts';
import { ownCall } from './own-call.ts';
import type { Triggered, Triggers } from './triggers.ts';
import type { FileArea, Files, MakesFiles } from '../files/files.ts';
import { valueAt } from '../json.ts';
import type { BoundProfile } from '../profile.ts';
import type { Secrets } from '../redact/redact.ts';
import { absoluteUrl, decodeSegment, withChanges } from '../service/requests.ts';
import type { Target } from '../service/target.ts';
import { PreconditionFailed } from '../violation.ts';
import { readTime, sleep } from '../time/real-time.ts';
import { withoutSlash } from '../../contract/address.ts';
import { followed } from '../every-answer/final-answer.ts';

/** Source: extensions, External task links */
export type LinkId =
  | 'inputDir'
  | 'inputFile'
  | 'taskStatus'
  | 'taskProgress'
  | 'uploadFileStream'
  | 'uploadFile'
  | 'content'
  | 'downloadFile';

/** An entry of `payload.links`. */
export interface TaskLink {
  readonly id: string;
  readonly method: string;
  /** As it came. */
  readonly url: string;
  /** JSON Pointer in the body of the call. */
  readonly place: string;
  /** Absolute; what is relative stands from baseAddress of the envelope on. Placeholders are still in it. */
  readonly address: string;
  /** Token of the envelope that it came in. */
  readonly token: string;
  /** Identifiers that may stand in it; braces or a colon of one are no placeholder. */
  readonly identifiers?: readonly string[];
}

/** What the address of a link is made from. */
type LinkTemplate = Pick<TaskLink, 'address' | 'identifiers'>;

/** How services word the state of a job that is reported as failed, unless the profile says it: as failed, or as the status that its task reported. */
const endedBadly: readonly string[] = ['Failed', 'Canceled', 'Cancelled'];

/** How the token of the envelope travels. `as-told`: the link as it is; `none`: without what the link holds of it. */
type TokenPlace = 'bearer' | 'query' | 'as-told' | 'none';

/** What a link leaves open. Source: ledger task-link-templates */
export interface LinkFill {
  /** Path of a file, or its name: goes where the link has a placeholder, else behind its path. */
  readonly path?: string;
  /** Goes where the link has a placeholder, else to where the documented route has it. */
  readonly status?: string;
  /** `bearer` unless given. */
  readonly token?: TokenPlace;
}

export interface TaskInput {
  readonly area: FileArea;
  /** Below the area, without a slash in front. */
  readonly path: string;
  /** Undefined where the profile fixes the file, which the suite did not make. */
  readonly bytes: Uint8Array | undefined;
}

/** A task that was scheduled and called. */
export interface GivenTask {
  readonly extension: Extension;
  readonly call: Call;
  readonly triggered: Triggered;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly jobId: string;
  /** accessToken of the envelope. */
  readonly token: string;
  /** Undefined where the profile has no space area. */
  readonly input: TaskInput | undefined;
  /** Entries of `payload.links` that have a text each for id, method and url, in their order. */
  readonly links: readonly TaskLink[];
  /** The one of that id. @throws {PreconditionFailed} there is none */
  link(id: LinkId): TaskLink;
}

export interface TaskOptions {
  /** Bytes of the input file; 300 of its own unless given. */
  readonly input?: Uint8Array;
  /** `input.csv` unless given. */
  readonly inputName?: string;
  /** The input lies in the root of the area; a file that the profile fixes lies where it does. */
  readonly inRoot?: boolean;
  readonly like?: Pick<GivenTask, 'input'>;
  readonly taskSettings?: Readonly<Record<string, unknown>>;
  /** In seconds; that of the service unless given. */
  readonly timeout?: number;
  /** Changes of the request that schedules the job. */
  readonly changes?: Changes;
  /** Longest wait for the call, in ms of the clock; 10000 unless given. */
  readonly withinMs?: number;
}

/** Source: extensions, External task status */
export type FinalStatus = 'Completed' | 'Canceled' | 'Failed';

/** What an external task may call back, sent with the token of its envelope unless changed. */
export interface Tasks {
  /** The request of a link; method and address come from the link. */
  follow(link: TaskLink, fill?: LinkFill, changes?: Changes): Promise<Reply>;
  /** Names of what a link leaves open, in their order. */
  placeholdersOf(link: TaskLink): readonly string[];
  /** Whether the path of a file goes into a link: not where it asks for an identifier, of which nothing is said. Source: ledger task-link-templates */
  takesPath(link: TaskLink): boolean;
  /** Id of the job as the links for reports name it; undefined where they show none. */
  jobIdIn(task: GivenTask): string | undefined;
  /** The address of a link, filled in. */
  addressOf(link: TaskLink, fill?: LinkFill): string;
  /** PUT on the documented status route; without a body and Content-Type unless one is given. */
  status(task: GivenTask, status: FinalStatus | (string & {}), body?: unknown, changes?: Changes): Promise<Reply>;
  /** PUT on the documented progress route. */
  progress(task: GivenTask, body: unknown, changes?: Changes): Promise<Reply>;
  /** Path of the documented callback routes, from the base URL on: `/api/space/{spaceId}/dx/{jobOid}`. */
  route(jobId: string, space?: string): string;
  /** Needs `job-read`. */
  job(task: GivenTask, changes?: Changes): Promise<Reply>;
  /** Needs `job-read`: reads the job until it is so; the last answer, whether it is so or not. @param withinMs real time; 10000 unless given */
  jobUntil(task: GivenTask, isSo: (job: Reply) => boolean, options?: { readonly withinMs?: number }): Promise<Reply>;
  isFailed(job: Reply): boolean;
  isCompleted(job: Reply): boolean;
  /** State of the job as the service words it; undefined where the profile's pointer finds no text. */
  stateOf(job: Reply): string | undefined;
  /** Whether the text stands where the profile says that progress shows, or anywhere in the job where it says nothing. */
  shows(job: Reply, text: string): boolean;
}

export interface MakesTasks {
  /** Schedules a job with the ExternalTask record of the extension and waits for its call; one at a time on an extension. @throws {PreconditionFailed} no call comes */
  task(extension: Extension, options?: TaskOptions): Promise<GivenTask>;
  /** The same task as a later attempt of its call tells it. */
  taskAgain(task: Pick<GivenTask, 'extension' | 'triggered' | 'input'>, call: Call): GivenTask;
}

/** `{name}` or `{{name}}`, in plain or percent-encoded spelling; `:name` as a whole segment or value. */
const placeholder = /(?:\{|%7B){1,2}([\w.-]+)(?:\}|%7D){1,2}|(?<=[/=]):([a-z]\w*)(?=[/?#&]|$)/gi;

/** An expression of RFC 6570 with an operator, a list or a modifier. */
const expression =
  /(?:\{|%7B)(?!\{|%7B)(\+|\/|\?|&|%2B|%2F|%3F|%26|)([\w.-]+(?:\*|:\d+)?(?:(?:,|%2C)[\w.-]+(?:\*|:\d+)?)*)(?:\}|%7D)/gi;

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
    return service.send(withChanges({ ...request, ...(body !== undefined && { body }) }, changes));
  };
  const tasks: Tasks = {
    follow: (link, fill = {}, changes) => {
      const request: RequestSpec = {
        method: link.method,
        url: addressOf(link, fill),
        as: null,
        link: link.id,
        headers: isOfAnother(changes) ? {} : headersOf(link, fill.token),
        unbooked: true,
      };
      return followed(service, withChanges(request, changes));
    },
    placeholdersOf,
    takesPath: (link) => !placeholdersOf(link).some((name) => /(?:id|key|hash)$/i.test(name)),
    jobIdIn: ({ links }) => jobIdIn(links),
    addressOf,
    status: (task, status, body, changes) =>
      put(`${tasks.route(task.jobId)}/status/${encodeURIComponent(status.toWellFormed())}`, task.token, body, changes),
    progress: (task, body, changes) => put(`${tasks.route(task.jobId)}/progress`, task.token, body, changes),
    route: (jobId, of = space) => `/api/space/${encodeURIComponent(of)}/dx/${encodeURIComponent(jobId)}`,
    job: (task, changes) => triggers.job({ ...task.triggered, id: task.jobId }, changes),
    jobUntil: async (task, isSo, { withinMs = jobWaitMs } = {}) => {
      const until = readTime() + withinMs;
      for (;;) {
        // one that was begun before the time was over says nothing about its end, however late it was answered
        const begunAt = readTime();
        const job = await tasks.job(task);
        if (isSo(job) || begunAt >= until) return job;
        await sleep(betweenReadsMs);
      }
    },
    isFailed: (job) => isOneOf(tasks.stateOf(job), bound.states?.failed ?? endedBadly),
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
function placeholdersOf(link: LinkTemplate): readonly string[] {
  return [...withPlainPlaceholders(withHiddenIdentifiers(link)).matchAll(placeholder)].map(
    ([, inBraces, behindColon]) => inBraces ?? behindColon ?? '',
  );
}

/** Signs of a placeholder, and what stands for them, one of private use each, while an identifier that has them must not be taken for one. */
const placeholderSigns = ['{', '}', ':', '%7B', '%7D', '%7b', '%7d'];

const firstHiddenSign = 0xe000;

/** The address, in which an identifier such as a GUID in braces looks like no placeholder. */
function withHiddenIdentifiers({ address, identifiers = [] }: LinkTemplate): string {
  const isIdentifier = (text: string): boolean => identifiers.some((one) => one.includes(decodeSegment(text)));
  const hidden = (text: string): string =>
    text.replaceAll(/[{}:]|%7[bd]/gi, (sign) => String.fromCharCode(firstHiddenSign + placeholderSigns.indexOf(sign)));
  return address.replaceAll(placeholder, (text) => (isIdentifier(text) ? hidden(text) : text));
}

function withShownIdentifiers(address: string): string {
  return address.replaceAll(
    /[\ue000-\ue006]/g,
    (sign) => placeholderSigns[sign.charCodeAt(0) - firstHiddenSign] ?? sign,
  );
}

/** The template with each expression of RFC 6570 as the text and the names that it stands for. */
function withPlainPlaceholders(address: string): string {
  return address.replaceAll(expression, (_whole, operator: string, list: string) => {
    const names = list.split(/,|%2C/i).map((name) => name.replace(/(?:\*|:\d+)$/, ''));
    const sign = decodeURIComponent(operator);
    if (sign === '?' || sign === '&') return sign + names.map((name) => `${name}={${name}}`).join('&');
    const slash = sign === '/' ? sign : '';
    return slash + names.map((name) => `{${name}}`).join(slash || ',');
  });
}

/** The address of a link with everything put in. Source: extensions, External task links; ledger task-link-templates */
export function addressOf(link: LinkTemplate & Pick<TaskLink, 'token'>, fill: LinkFill = {}): string {
  const template = withPlainPlaceholders(withHiddenIdentifiers(link));
  const [path = '', ...rest] = withStatus(template, fill.status).split('?');
  const query = rest.join('?');
  const filled = fill.path === undefined ? path : withPath(path, query, fill.path);
  const pairs = query === '' ? [] : query.split('&').map((pair) => withValue(pair, fill.path));
  const told = withToken(pairs, link.token, fill.token ?? 'bearer');
  return withShownIdentifiers([filled, ...joined(told)].join('?'));
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
  if (count === 0) return hasPlaceholder(query) ? template : `${withoutSlash(template)}/${segments.join('/')}`;
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

export interface GivenTaskParts {
  readonly profile: BoundProfile;
  readonly triggers: Triggers;
  readonly files: Files;
  readonly makes: MakesFiles;
  readonly secrets: Secrets;
}

const callWaitMs = 10_000;

/** Words that make tasks. */
export function openGivenTasks(parts: GivenTaskParts): MakesTasks {
  return {
    task: async (extension, options = {}) => {
      const { taskSettings, timeout, changes, withinMs = callWaitMs } = options;
      const input = options.like?.input ?? (await makeInput(parts, options));
      const before = extension.calls({ kind: 'task' });
      const inputPath = `/${input?.path ?? parts.makes.filePath({ name: options.inputName ?? usualName })}`;
      const values = { inputPath, ...(taskSettings && { taskSettings }), ...(timeout !== undefined && { timeout }) };
      const triggered = await parts.triggers.task(extension, values, changes);
      const marks = triggered.id === undefined ? [] : [triggered.id];
      const own = { kind: 'task', template: parts.profile.all.triggers?.task, marks, before } as const;
      const call = await ownCall(extension, own, { withinMs });
      if (call === undefined)
        throw new PreconditionFailed(`a call of the task within ${withinMs / 1000} s`, triggered.reply, [
          'calls.extension.post-to-endpoint',
        ]);
      return taskFrom(parts, { extension, triggered, call, input });
    },
    taskAgain: ({ extension, triggered, input }, call) => taskFrom(parts, { extension, triggered, call, input }),
  };
}

const usualName = 'input.csv';

/** The file that the profile fixes, else one that is uploaded to the space area, where there is one. Source: extensions, External task links */
export async function makeInput(
  { profile, files, makes }: Pick<GivenTaskParts, 'profile' | 'files' | 'makes'>,
  { input, inputName = usualName, inRoot = false }: TaskOptions = {},
): Promise<TaskInput | undefined> {
  const { tasks, files: bound } = profile.all;
  if (bound?.areas.space === undefined) return undefined;
  const area = files.area('space');
  if (tasks?.inputPath !== undefined) return { area, path: tasks.inputPath.replace(/^\/+/, ''), bytes: undefined };
  return makes.file({ area, path: makes.filePath({ name: inputName, root: inRoot }), ...(input && { bytes: input }) });
}

function taskFrom(
  { profile, secrets }: GivenTaskParts,
  made: Pick<GivenTask, 'extension' | 'triggered' | 'call' | 'input'>,
): GivenTask {
  const { envelope, payload } = made.call;
  const token = present(envelope.accessToken, 'an accessToken in the envelope of the task');
  secrets.add('TASK_TOKEN', token);
  const identifiers = [made.triggered.id, envelope.id, profile.all.space].filter((id) => id !== undefined);
  const links = linksOf(payload['links'], { token, identifiers }, (url) =>
    absoluteUrl({ baseUrl: envelope.baseAddress ?? profile.all.baseUrl }, url),
  );
  return {
    ...made,
    input: made.input && { ...made.input, path: pathTold(links, made.input) },
    payload,
    token,
    links,
    jobId: present(
      made.triggered.id ?? jobIdIn(links) ?? envelope.id,
      'the id of the job, in the answer to the trigger, in a link or in the envelope',
    ),
    link: (id) => {
      const link = links.find((one) => one.id === id);
      if (link === undefined)
        throw new PreconditionFailed(`a link ${id} in the payload of the task`, undefined, [
          'tasks.links.ids-and-methods',
        ]);
      return link;
    },
  };
}

/** Where the link to the input leads in its area: a service may give each job a copy of its own. */
function pathTold(links: readonly TaskLink[], { area, path }: TaskInput): string {
  const link = links.find(({ id }) => id === 'inputFile') ?? { address: '' };
  const [, told = ''] = withPlainPlaceholders(withHiddenIdentifiers(link)).split(`${area.path}/`, 2);
  const segments = withShownIdentifiers(told).split(/[?#]/)[0]?.split('/') ?? [];
  return told === '' || told.search(placeholder) !== -1 ? path : segments.map(decodeSegment).join('/');
}

function linksOf(
  links: unknown,
  known: Pick<TaskLink, 'token' | 'identifiers'>,
  absolute: (url: string) => string,
): readonly TaskLink[] {
  if (!Array.isArray(links)) return [];
  return links.flatMap((link: unknown, index) => {
    const [id, method, url] = ['id', 'method', 'url'].map((name): unknown => Reflect.get(Object(link), name));
    if (typeof id !== 'string' || typeof method !== 'string' || typeof url !== 'string') return [];
    return [{ id, method, url, place: `/payload/links/${index}`, address: absolute(url), ...known }];
  });
}

function present(value: string | undefined, what: string): string {
  if (value === undefined)
    throw new PreconditionFailed(what, undefined, ['calls.envelope.all-fields', 'tasks.payload.fields']);
  return value;
}

/** The segment behind dx in a link for reports. Source: extensions, Callbacks from an external task */
function jobIdIn(links: readonly TaskLink[]): string | undefined {
  const { address = '' } = links.find(({ id }) => id === 'taskStatus' || id === 'taskProgress') ?? {};
  const [, id] = /\/dx\/([^/?#]+)/.exec(address) ?? [];
  if (id === undefined || !URL.canParse(address)) return undefined;
  return decodeSegment(id);
}
