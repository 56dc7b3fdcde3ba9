import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withoutSlash } from '../../contract/address.ts';
import type { Profile } from '../../contract/profile.ts';
import { messageOf } from '../../contract/thrown.ts';
import type { Entry } from '../extension/entry.ts';
import type { Journal } from '../extension/journal.ts';
import { Listener } from '../extension/listener.ts';
import type { MetadataRecord } from '../extension/metadata.ts';
import type { ScriptFunction } from '../extension/script.ts';
import { signatureOf } from '../extension/signature.ts';
import { Site } from '../extension/site.ts';
import type { Send } from './drive.ts';
import { ExtensionWork } from './extension-work.ts';
import { fill, fillPath } from './fill.ts';
import type { Ground, Trigger } from './ground.ts';
import { payload } from './journeys/extension-life.ts';
import { deleteStep, jsonHeaders, uploadStep } from './journeys/steps.ts';
import type { Complain } from './judging/violations.ts';
import { PreparationFailed } from './preparation.ts';
import { eventContentOf, isAnsweredWell, lastSegment, objectIn, valueAt } from './results.ts';
import type { GeneratedBody, HttpStep, Result } from './step.ts';

/** The extension that events of the traffic are delivered to, tasks called and keys brought. */
export interface TrafficExtension extends AsyncDisposable {
  /** Of its registration. */
  readonly address: string;
  /** What keeps the service from calling it, in sentences for the report, as far as that shows. */
  problemsOfCalls(): readonly string[];
  /** Deletes what was made for it, and ends it. @returns what stays and why, in sentences for the report */
  leave(): Promise<readonly string[]>;
  readonly ground: Pick<Ground, 'trigger' | 'task' | 'keys'>;
  /** Why there is none of these that the profile names. */
  readonly problems: { readonly event?: string; readonly task?: string };
  /** Calls back with the marker of each event that arrives, and when it did. Returns what ends it. */
  watch(arrived: (marker: string, entry: Entry) => void): () => void;
  /** Works on tasks and looks at keys from now on. */
  work(complain: Complain, signal: AbortSignal): ExtensionWork;
}

/** An executions limit that traffic does not reach. */
const executionsPerMinute = 1_000_000;
const downStatuses = [501, 503, 500];
/** How long metadata may be waited for that are got late or never, and what a service takes to put them to use, in ms. */
const [longestUntilGotMs, putToUseMs] = [5000, 250];
const common = { version: '1.0.0', category: 'traffic', rateLimitNumberOfExecutions: executionsPerMinute } as const;
const eventRecord: MetadataRecord = {
  ...common,
  id: 'traffic-event',
  name: 'Event of the traffic simulator',
  endpoint: 'event',
  extensionType: 'ExternalEvent',
};
const taskRecord: MetadataRecord = {
  ...common,
  id: 'traffic-task',
  name: 'Task of the traffic simulator',
  endpoint: 'task',
  extensionType: 'ExternalTask',
};
const callbackPath = '/keys';
/** What journeys ask for, what else they might, and what they must not get. */
const [permission, furtherPermission, unconfigured] = ['TaskUploadAPI', 'LicenseCommunicationAPI', 'SnapshotAPI'];

/** Registers an extension of the simulator's own. Undefined where the profile does not say how, so that nothing is triggered. @throws {PreparationFailed} */
export async function openTrafficExtension(profile: Profile, send: Send): Promise<TrafficExtension | undefined> {
  const { listener: place, triggers, space, identities, apiKeys } = profile;
  const isOfUse = triggers?.event !== undefined || triggers?.task !== undefined || apiKeys !== undefined;
  if (place === undefined || identities.administrator === undefined || !isOfUse) return undefined;
  const apiKey = randomBytes(64).toString('base64');
  const listener = new Listener({ ...addressOf(place.bind), tls: place.tls });
  await listener.listen().catch((error: unknown) => {
    throw new PreparationFailed(
      `The extension of the traffic cannot listen on ${place.bind} (${messageOf(error)}): correct listener.bind in the profile, or end what listens there.`,
    );
  });
  const hostUri = place.publicUrl.replaceAll('{port}', String(listener.port));
  const keyRecord: MetadataRecord = {
    ...eventRecord,
    // found by its id alone, so that nobody else may have it
    id: `traffic-keys-${randomBytes(8).toString('hex')}`,
    name: 'Keys of the traffic simulator',
    endpoint: 'keys-event',
    permissions: { tokenCallback: `${hostUri}${callbackPath}`, permissions: [permission, furtherPermission] },
  };
  listener.mount(new Site('', { apiKey, records: [eventRecord, taskRecord, keyRecord], script: answersOf() }));
  try {
    const registrationId = await register(profile, send, { hostUri, apiKey, tokenLifeTime: 60 });
    await untilPutToUse(listener.journal);
    const input = await placeInput(profile, send);
    const values = { spaceId: space, registrationId };
    const problems = { ...problemsOfTriggers(profile), ...(input.isMissing && { task: noInput }) };
    const trigger =
      problems.event === undefined && triggerFrom(triggers?.event, { ...values, recordId: eventRecord.id, payload });
    const task =
      problems.task === undefined &&
      triggerFrom(triggers?.task, { ...values, recordId: taskRecord.id, taskSettings: {}, ...input.values });
    const keys = keysFrom(profile, apiKey, keyRecord);
    const leave = async (): Promise<readonly string[]> => {
      const stays = [...(await unregister(profile, send, registrationId)), ...(await input.remove())];
      await listener.close();
      return stays;
    };
    return {
      ground: { ...(trigger && { trigger }), ...(task && { task }), ...(keys && { keys }) },
      problems,
      watch: (arrived) => listener.journal.watch((entry) => tell(entry, arrived)),
      work: (complain, signal) => {
        const readJob = jobReadOf(profile);
        const work = new ExtensionWork({ send, space, permission, ...(readJob && { readJob }) }, complain, signal);
        listener.journal.watch((entry) => hand(entry, work));
        return work;
      },
      address: addressOfRegistration(profile, registrationId),
      problemsOfCalls: () =>
        listener.journal.entries().length > 0
          ? []
          : [
              `The service never called the extension of this traffic at ${hostUri}, not for its metadata either: let it reach listener.publicUrl of the profile, or correct that.`,
            ],
      leave,
      [Symbol.asyncDispose]: async () => void (await leave()),
    };
  } catch (error) {
    await listener.close();
    throw error;
  }
}

/** Every third event is refused when it first comes, as by an extension that is down for a moment: the service has to try again. Source: extensions, Errors 4 */
function answersOf(): ScriptFunction {
  const known = new Set<string>();
  return (entry) => {
    if (isKeyPost(entry)) return { status: 200 };
    const marker = markerOf(entry);
    if (marker === undefined || known.has(marker)) return undefined;
    known.add(marker);
    return known.size % 3 === 0 ? { status: downStatuses[(known.size / 3) % downStatuses.length] ?? 503 } : undefined;
  };
}

/** Once its metadata are got, which may be after the registration was answered, a service may take a moment until it knows them. */
async function untilPutToUse(journal: Journal): Promise<void> {
  const isGot = (entry: Entry): boolean => entry.kind === 'metadata' && entry.endedAt !== undefined;
  const [got] = await journal.await(isGot, 1, AbortSignal.timeout(longestUntilGotMs));
  if (got !== undefined) await sleep(putToUseMs);
}

/** Without its marker nobody can tell an event that arrives from another one. */
function problemsOfTriggers({ triggers = {} }: Profile): { readonly event?: string; readonly task?: string } {
  const several = (['event', 'task'] as const).filter((name) => Array.isArray(triggers[name]));
  if (several.length > 0)
    return Object.fromEntries(
      several.map((name) => [name, `triggers.${name} is several requests, and traffic sends one`]),
    );
  const isMarked = triggers.event === undefined || JSON.stringify(triggers.event).includes(payload);
  return isMarked
    ? {}
    : { event: `the body of triggers.event sends no ${payload}, by which an event is known where it arrives` };
}

const noInput =
  'the body of triggers.task asks for {{inputPath}}, and the profile names neither tasks.inputPath nor files.areas.space';

/** A request that the profile binds, as traffic plays it: one step with what it sends. */
function triggerFrom(
  template: NonNullable<Profile['triggers']>['event'],
  values: Readonly<Record<string, unknown>>,
): Trigger | undefined {
  if (template === undefined || Array.isArray(template) || !isMethod(template.method)) return undefined;
  const { method, path, as = 'editor', headers = {}, body = {} } = template;
  const texts = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  const filled = Object.entries(headers).map(([name, value]) => [name, fillPath(value, texts)]);
  return { method, path: fillPath(path, texts), as, headers: Object.fromEntries(filled), body: fill(body, values) };
}

const inputContent: GeneratedBody = { kind: 'generated', seed: 1, length: 300 };

interface Input {
  readonly values: { readonly inputPath?: string };
  /** Whether a file is asked for that nobody can place. */
  readonly isMissing: boolean;
  readonly remove: () => Promise<readonly string[]>;
}

/** A file that tasks are given, where their trigger asks for one and the profile names none. */
async function placeInput({ files, space, tasks, triggers }: Profile, send: Send): Promise<Input> {
  const nothing = { values: {}, isMissing: false, remove: async () => [] };
  if (tasks?.inputPath !== undefined) return { ...nothing, values: { inputPath: tasks.inputPath } };
  if (!JSON.stringify(triggers?.task ?? {}).includes('{{inputPath}}')) return nothing;
  const as = files?.areas.space?.as;
  if (as === undefined) return { ...nothing, isMissing: true };
  const area = { path: `/api/space/${encodeURIComponent(space)}/fs/file`, as, minChunkSize: 1 };
  const inputPath = `traffic/input-${randomBytes(8).toString('hex')}.csv`;
  await send(uploadStep(area, inputPath, inputContent));
  const what = `The file ${area.path}/${inputPath}, which tasks were given,`;
  return { values: { inputPath }, isMissing: false, remove: () => removed(send, deleteStep(area, inputPath), what) };
}

/** Whose credential the route takes is left to the profile; the token of an envelope is none that journeys have. */
function keysFrom({ apiKeys }: Profile, apiKey: string, { id, permissions }: MetadataRecord): Ground['keys'] {
  const { acquireAs } = apiKeys ?? {};
  if (acquireAs === undefined || acquireAs === 'envelope-token' || permissions === undefined) return undefined;
  const path = `/api/collection/externalExtension/acquireAccessToken/${id}`;
  const as = acquireAs === 'signature' ? { bearer: signatureOf(apiKey, path) } : acquireAs;
  return { path, as, tokenCallback: permissions.tokenCallback, permission, unconfigured };
}

/** By the id in the envelope, which is that of the job; where the profile takes another one from the trigger, nothing is read. */
function jobReadOf({ routes, space, triggers }: Profile): ((job: string) => HttpStep) | undefined {
  const [template, task] = [routes?.job, triggers?.task];
  if (template === undefined || Array.isArray(template) || template.method !== 'GET') return undefined;
  if (task === undefined || Array.isArray(task) || task.idPath !== undefined) return undefined;
  const { path, as = 'editor' } = template;
  return (jobId) => ({
    kind: 'http',
    op: 'read job',
    method: 'GET',
    path: fillPath(path, { spaceId: space, jobId }),
    as,
  });
}

/** An entry is told twice: when it arrives and when it ends. */
function hand(entry: Entry, work: ExtensionWork): void {
  if (entry.endedAt === undefined) return;
  if (isKeyPost(entry)) work.takeKeys(entry);
  else if (entry.kind === 'task' && entry.ending === 'answered') work.takeTask(entry);
}

function isKeyPost({ method, path }: Entry): boolean {
  return method === 'POST' && path.startsWith(callbackPath);
}

function isMethod(method: string): method is 'POST' | 'PUT' {
  return method === 'POST' || method === 'PUT';
}

function addressOf(bind: string): { readonly host: string; readonly port: number } {
  const colon = bind.lastIndexOf(':');
  return { host: bind.slice(0, colon).replaceAll(/[[\]]/g, ''), port: Number(bind.slice(colon + 1)) };
}

async function register({ routes }: Profile, send: Send, body: object): Promise<string> {
  const { result } = await send({
    kind: 'http',
    op: 'register',
    method: 'POST',
    path: '/api/admin/svcExtension',
    as: 'administrator',
    headers: jsonHeaders,
    body: JSON.stringify(body),
  });
  const found = registrationIdIn(result, routes?.registrationIdPath);
  if (result.status < 300 && found !== undefined) return found;
  throw new PreparationFailed(
    `The extension of the traffic could not be registered: expected 2xx and an id, found ${result.status} ${result.body.slice(0, 300)}. Take extension-life, task-runner and key-holder out of the mix, or mend listener, routes.registrationIdPath and identities.administrator in the profile.`,
  );
}

/** An address in the place of an id ends with it. */
function registrationIdIn(result: Result, path: string | undefined): string | undefined {
  const inLocation = lastSegment(result.headers['location']);
  if (path === 'Location' || (path === undefined && inLocation !== undefined)) return inLocation;
  const told = valueAt(objectIn(result), path ?? '/id');
  if (typeof told === 'number') return String(told);
  if (typeof told !== 'string') return undefined;
  return told.includes('/') ? lastSegment(told) : told;
}

async function unregister(profile: Profile, send: Send, registrationId: string): Promise<readonly string[]> {
  const template = profile.routes?.registrationDelete;
  const what = `The registration of the extension of this traffic at ${addressOfRegistration(profile, registrationId)}`;
  if (template === undefined) return [`${what} stays: the profile has no routes.registrationDelete.`];
  const path = fillPath(template.path, { kind: 'svcExtension', registrationId });
  return removed(
    send,
    { kind: 'http', op: 'unregister', method: 'DELETE', path, as: template.as ?? 'administrator' },
    what,
  );
}

function addressOfRegistration({ baseUrl }: Profile, registrationId: string): string {
  return `${withoutSlash(baseUrl)}/api/admin/svcExtension/${encodeURIComponent(registrationId)}`;
}

/** @returns why it stays, where it does, as a sentence */
async function removed(send: Send, step: HttpStep, what: string): Promise<readonly string[]> {
  const { result, error } = await send(step);
  if (error !== undefined) return [`${what} stays: its deletion got no answer (${error}).`];
  return isAnsweredWell(result.status) || result.status === 404
    ? []
    : [`${what} stays: its deletion was answered by ${result.status}.`];
}

function tell(entry: Entry, arrived: (marker: string, entry: Entry) => void): void {
  const marker = entry.endedAt === undefined ? markerOf(entry) : undefined;
  if (marker !== undefined) arrived(marker, entry);
}

function markerOf({ kind, envelope }: Entry): string | undefined {
  const marker = kind === 'event' ? eventContentOf(envelope)?.['marker'] : undefined;
  return typeof marker === 'string' ? marker : undefined;
}
