import { randomUUID } from 'node:crypto';
import { defaultTaskTimeoutSeconds } from '../../../contract/limits.ts';
import { mediaTypes } from '../../../contract/names.ts';
import { capabilitiesOf, type MetadataRecord } from '../../metadata/record.ts';
import { Refusal } from '../../problem.ts';
import type { Answer, Service, SpaceCall } from '../../service.ts';
import type { Content, Reading, Writing } from '../../store/store.ts';
import type { TaskPayload } from '../task-links.ts';
import { mimeTypeOf } from './mime-types.ts';
import { addresseeOf, namedIn, textOf, triggerBody } from './addressee.ts';

/** Where data-exchange jobs are. Source: ledger trigger-task-binding, job-route */
export const jobsPath = '/api/space/{spaceId}/dx';

/** A data-exchange job as it is read. */
export interface Job {
  readonly id: string;
  readonly spaceId: string;
  readonly recordId: string;
  readonly inputPath: string;
  /** `Scheduled` until the task is acknowledged. */
  readonly state: 'Scheduled' | 'Running' | 'Completed' | 'Failed';
  readonly scheduledBy: string;
}

/** Kind of document under which jobs stand in the store, by id. */
const documentKind = 'job';

/** POST of a job, whose task is called from the queue. */
export async function scheduleTask(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { behaviours } = service;
  behaviours.requireMediaType(service, call, [mediaTypes.json]);
  const body = triggerBody(behaviours.jsonBodyOf(service, call));
  const payload = behaviours.taskPayload(body);
  const { registrationId, recordId, record } = await addresseeOf(service, writing, 'ExternalTask', namedIn(body));
  behaviours.assertManages(record, payload.inputPath);
  const id = randomUUID();
  const errand = {
    id,
    kind: 'task',
    registrationId,
    recordId,
    payload,
    envelopeId: behaviours.taskEnvelopeId(call, id),
  } as const;
  const queued = await behaviours.enqueue(service, writing, behaviours.deliveryOf(service, call, errand));
  const job: Job = {
    id,
    spaceId: call.space.id,
    recordId,
    inputPath: payload.inputPath,
    state: queued ? 'Scheduled' : 'Failed',
    scheduledBy: call.user.name,
  };
  await keepJob(writing, job);
  return { status: 201, headers: { Location: `/api/space/${encodeURIComponent(call.space.id)}/dx/${id}` }, body: job };
}

/** That of the job. Source: extensions, Call envelope, row id */
export function taskEnvelopeId(_call: SpaceCall, jobId: string): string {
  return jobId;
}

/** Source: extensions, Payloads by extension type, row ExternalTask. @throws {Refusal} 422 */
export function taskPayload(body: Content): TaskPayload {
  const { taskSettings = {}, timeout = defaultTaskTimeoutSeconds } = body;
  if (typeof timeout !== 'number' || timeout <= 0)
    throw new Refusal(422, 'Expected timeout to be a number of seconds above 0.', { pointer: '/timeout' });
  if (typeof taskSettings !== 'object' || taskSettings === null)
    throw new Refusal(422, 'Expected taskSettings to be an object.', { pointer: '/taskSettings' });
  return { timeout, jobSettings: { ...jobSettings }, taskSettings, inputPath: textOf(body, 'inputPath') };
}

const jobSettings = { timeZone: 'UTC', language: 'en', culture: 'en-GB', effectivityMode: 'Current' } as const;

/** Lets a file pass to the task when it is of a type that the record lists, or it lists none. @throws {Refusal} 422 */
export function assertManages(record: MetadataRecord, path: string): void {
  const managed = capabilitiesOf(record, 'MimeType');
  const type = mimeTypeOf(path);
  if (managed.length === 0 || managed.includes(type)) return;
  throw new Refusal(422, `${record.id} takes files of type ${managed.join(', ')}; ${path} is ${type}.`, {
    pointer: '/inputPath',
  });
}

export async function readJob(service: Service, call: SpaceCall, reading: Reading): Promise<Answer> {
  const { jobId = '' } = call.params;
  const job = await jobWith(reading, jobId);
  if (job?.spaceId === call.space.id) return service.behaviours.conditional(service, call, { status: 200, body: job });
  throw new Refusal(404, `There is no job ${jobId} in the space ${call.space.id}.`, { pointer: 'jobId' });
}

/** Decoder of what `keepJob` wrote. */
async function jobWith(reading: Reading, id: string): Promise<Job | undefined> {
  const text = await reading.document(documentKind, id);
  return text === undefined ? undefined : (JSON.parse(text) as Job);
}

async function keepJob(writing: Writing, job: Job): Promise<void> {
  await writing.putDocument(documentKind, job.id, JSON.stringify(job));
}

/** Notes on the job that its task was acknowledged, or that it never will be. Source: ledger task-delivery-failure */
export async function noteTaskEnd(writing: Writing, id: string, state: 'Running' | 'Failed'): Promise<void> {
  const job = await jobWith(writing, id);
  if (job?.state === 'Scheduled') await keepJob(writing, { ...job, state });
}
