import type { Call } from '../extension/call.ts';
import type { Extension, Triggered, Triggers } from '../extension/extension.ts';
import type { Files, MakesFiles } from '../files/files.ts';
import type { BoundProfile } from '../profile.ts';
import type { Secrets } from '../redact.ts';
import { absoluteUrl } from '../requests/absolute-url.ts';
import { PreconditionFailed } from '../violation.ts';
import { jobIdIn } from './job-id.ts';
import type { GivenTask, MakesTasks, TaskInput, TaskLink, TaskOptions } from './tasks.ts';

export interface GivenTaskParts {
  readonly profile: BoundProfile;
  readonly triggers: Triggers;
  readonly files: Files;
  readonly makes: MakesFiles;
  readonly secrets: Secrets;
}

const callWaitMs = 10_000;
/** How long after some call of a task the one that names the job is waited for, in ms. */
const graceMs = 500;

/** Words that make tasks. */
export function openGivenTasks(parts: GivenTaskParts): MakesTasks {
  return {
    task: async (extension, options = {}) => {
      const { taskSettings, timeout, changes, withinMs = callWaitMs } = options;
      const input = await inputOf(parts, options);
      const before = extension.calls({ kind: 'task' });
      const inputPath = `/${input?.path ?? parts.makes.filePath({ name: options.inputName ?? usualName })}`;
      const values = { inputPath, ...(taskSettings && { taskSettings }), ...(timeout !== undefined && { timeout }) };
      const triggered = await parts.triggers.task(extension, values, changes);
      const call = await callOf(extension, triggered, before, withinMs);
      return taskFrom(parts, { extension, triggered, call, input });
    },
  };
}

const usualName = 'input.csv';

/** The file that the profile fixes, else one that is uploaded to the space area, where there is one. Source: extensions, External task links */
async function inputOf(
  { profile, files, makes }: GivenTaskParts,
  { input, inputName = usualName }: TaskOptions,
): Promise<TaskInput | undefined> {
  const { tasks, files: bound } = profile.all;
  if (bound?.areas.space === undefined) return undefined;
  const area = files.area('space');
  if (tasks?.inputPath !== undefined) return { area, path: tasks.inputPath.replace(/^\/+/, ''), bytes: undefined };
  return makes.file({ area, path: makes.filePath({ name: inputName }), ...(input && { bytes: input }) });
}

/** The call that shows the id of the job, else the first one that was not there before. */
async function callOf(
  extension: Extension,
  triggered: Triggered,
  before: readonly Call[],
  withinMs: number,
): Promise<Call> {
  const first = await extension.arrived({ kind: 'task', where: (call) => !before.includes(call) }, { withinMs });
  if (first !== undefined)
    return (await extension.arrived({ kind: 'task', about: triggered }, { withinMs: graceMs })) ?? first;
  throw new PreconditionFailed(`a call of the task within ${withinMs / 1000} s`, triggered.reply, [
    'calls.extension.post-to-endpoint',
  ]);
}

function taskFrom(
  { profile, secrets }: GivenTaskParts,
  made: Pick<GivenTask, 'extension' | 'triggered' | 'call' | 'input'>,
): GivenTask {
  const { envelope, payload } = made.call;
  const token = present(envelope.accessToken, 'an accessToken in the envelope of the task');
  secrets.add('TASK_TOKEN', token);
  const links = linksOf(payload['links'], token, (url) =>
    absoluteUrl({ baseUrl: envelope.baseAddress ?? profile.all.baseUrl }, url),
  );
  return {
    ...made,
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

function linksOf(links: unknown, token: string, absolute: (url: string) => string): readonly TaskLink[] {
  if (!Array.isArray(links)) return [];
  return links.flatMap((link: unknown) => {
    const [id, method, url] = ['id', 'method', 'url'].map((name): unknown => Reflect.get(Object(link), name));
    if (typeof id !== 'string' || typeof method !== 'string' || typeof url !== 'string') return [];
    return [{ id, method, url, address: absolute(url), token }];
  });
}

function present(value: string | undefined, what: string): string {
  if (value === undefined)
    throw new PreconditionFailed(what, undefined, ['calls.envelope.all-fields', 'tasks.payload.fields']);
  return value;
}
