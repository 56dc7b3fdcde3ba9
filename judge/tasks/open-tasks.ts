import { setTimeout as sleep } from 'node:timers/promises';
import { valueAt } from '../json-pointer.ts';
import type { Changes, Reply, RequestSpec } from '../exchange.ts';
import type { Triggers } from '../extension/extension.ts';
import type { BoundProfile } from '../profile.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import { changed } from '../requests/prepare.ts';
import type { Target } from '../target.ts';
import { jobIdIn } from './job-id.ts';
import { addressOf, placeholdersOf } from './link-address.ts';
import type { TaskLink, Tasks, TokenPlace } from './tasks.ts';

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
