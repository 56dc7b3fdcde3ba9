import { randomUUID } from 'node:crypto';
import { defaultTaskTimeoutSeconds } from '../../../contract/limits.ts';
import { mediaTypes } from '../../../contract/names.ts';
import { capabilitiesOf, type MetadataRecord } from '../../metadata/record.ts';
import { Refusal } from '../../problem.ts';
import type { Answer, Service, SpaceCall } from '../../service.ts';
import type { Content, Writing } from '../../store/store.ts';
import { keepJob, type Job } from '../../tasks/job.ts';
import type { TaskPayload } from '../task-links.ts';
import { mimeTypeOf } from './mime-types.ts';
import { addresseeOf, namedIn, textOf, triggerBody } from './addressee.ts';

/** A time limit that is longer is a slip of the pen. */
const longestTaskTimeoutSeconds = 1_000_000_000;

/** POST of a job, whose task is called from the queue. Its input may be missing: it may still come. Source: ledger trigger-task-binding */
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
    timeout: payload.timeout,
    state: queued ? 'Scheduled' : 'Failed',
    scheduledBy: call.user.name,
    ...(!queued && { message: 'Its extension is switched off.' }),
  };
  await keepJob(writing, job);
  return {
    status: 201,
    headers: { Location: `/api/space/${encodeURIComponent(call.space.id)}/dx/${id}` },
    body: behaviours.jobOut(job),
  };
}

/** That of the job. Source: extensions, Call envelope, row id */
export function taskEnvelopeId(_call: SpaceCall, jobId: string): string {
  return jobId;
}

/** Source: extensions, Payloads by extension type, row ExternalTask. @throws {Refusal} 422 */
export function taskPayload(body: Content): TaskPayload {
  const { taskSettings = {}, timeout = defaultTaskTimeoutSeconds } = body;
  if (typeof timeout !== 'number' || timeout <= 0 || timeout > longestTaskTimeoutSeconds)
    throw new Refusal(
      422,
      `Expected timeout to be a number of seconds above 0, at most ${longestTaskTimeoutSeconds}.`,
      {
        pointer: '/timeout',
      },
    );
  if (typeof taskSettings !== 'object' || taskSettings === null)
    throw new Refusal(422, 'Expected taskSettings to be an object.', { pointer: '/taskSettings' });
  return { timeout, jobSettings: { ...jobSettings }, taskSettings, inputPath: inputPathOf(body) };
}

/** A path that leads to a file below the root of the space area. @throws {Refusal} 422 */
function inputPathOf(body: Content): string {
  const path = textOf(body, 'inputPath');
  const segments = path.split('/').filter(Boolean);
  if (segments.length > 0 && !segments.some((segment) => segment === '.' || segment === '..')) return path;
  throw new Refusal(422, 'Expected inputPath to be the path of a file, without dot segments.', {
    pointer: '/inputPath',
  });
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
