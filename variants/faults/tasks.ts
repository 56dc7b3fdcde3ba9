import { randomUUID } from 'node:crypto';
import { defaultRequestTimeoutSeconds, defaultTaskTimeoutSeconds } from '../../contract/limits.ts';
import { type TaskStatus, jobWith, keepJob, taskStatuses } from '../../reference-server/areas/jobs.ts';
import type { TaskLink } from '../../reference-server/areas/requests.ts';
import type { SpaceCall } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, type Variants, together, replaces } from '../breaks.ts';
import { isJson } from './answers.ts';
import { withEnvelope, withPayload } from './calls.ts';

const callbackFaults = {
  'tasks.callback.missing-credential-401': replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const [user] = areas.configuration.users.values();
    const isOpen = route.path.endsWith('/progress') && call.headers['authorization'] === undefined;
    if (!isOpen || route.access !== 'participant' || route.effect === 'outside' || user === undefined)
      return right(areas, route, call);
    const space = areas.auth.spaceOf(call);
    return areas.store.change((writing) => areas.dispatcher.carryOutWrite(route, { ...call, space, user }, writing));
  }),

  'tasks.callback.unknown-job-fails': unlessUnknown(),

  'tasks.callback.foreign-space-fails': replaces(
    'jobs',
    'locateJob',
    async (right, areas, call, reading) => (await jobWith(reading, jobIdOf(call))) ?? right(areas, call, reading),
  ),

  'tasks.callback.foreign-user': replaces('auth', 'authorize', (right, areas, user, access, call) => {
    const isReport = access === 'participant' && call.params['jobId'] !== undefined;
    if (!isReport) right(areas, user, access, call);
  }),

  'tasks.progress.message-shown': replaces('jobs', 'jobAfterProgress', (_right, _areas, job) => job),

  'tasks.history.matches-model': keptByInput(),
} satisfies Variants;

const linkFaults = {
  'tasks.links.ids-and-methods': withLink('uploadFileStream', () => ({ method: 'PUT' })),
  'tasks.links.status-and-progress-routes': namingThePreviousJob(),
  'tasks.links.input-file-usable': withLink('inputFile', ({ url }, urls) => ({
    url: `${urls('inputDir')}?${url.split('?')[1]}`,
  })),
  'tasks.links.input-file-while-running': together(
    replaces('requests', 'taskLinks', (right, areas, ...given) => {
      const query = `?until=${areas.clock.now() + 60_000}&`;
      return right(areas, ...given).map((link) =>
        link.id === 'inputFile' ? { ...link, url: link.url.replace('?', query) } : link,
      );
    }),
    replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) =>
      Number(call.query.get('until') ?? Infinity) < areas.clock.now() ? undefined : right(areas, call),
    ),
  ),
  'tasks.links.input-dir-usable': withLink('inputDir', ({ url }) => ({ url: url.replace(/(?<=\/fs\/dir).*/, '') })),
  'tasks.links.upload-stream-usable': withLink('uploadFileStream', ({ url }) => ({
    url: url.replace(/(?<=\/fs\/file\/stream).*/, ''),
  })),
  'tasks.links.upload-chunk-usable': withLink('uploadFile', (_link, urls) => ({ url: urls('uploadFileStream') })),

  'tasks.links.templates-usable': together(
    withLink('downloadFile', ({ url }) => ({ url: url.replace('?', '?link=downloadFile&') })),
    replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) =>
      call.query.has('link') ? undefined : right(areas, call),
    ),
  ),
} satisfies Variants;

const payloadFaults = {
  'tasks.payload.fields': withPayload('task', (payload) => {
    const { jobSettings } = payload;
    if (!isJson(jobSettings)) return payload;
    const { effectivityMode: _, ...rest } = jobSettings;
    return { ...payload, jobSettings: rest };
  }),

  'tasks.payload.envelope-id-is-job': withEnvelope((envelope, { kind }) =>
    kind === 'task' ? { ...envelope, id: randomUUID() } : envelope,
  ),

  'tasks.payload.timeout-default': replaces('triggers', 'taskPayload', (right, areas, body) =>
    right(areas, { timeout: defaultRequestTimeoutSeconds, ...body }),
  ),

  'tasks.payload.timeout-configured': withPayload('task', (payload) => ({
    ...payload,
    timeout: defaultTaskTimeoutSeconds,
  })),
} satisfies Variants;

const statusFaults = {
  'tasks.status.completed': replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) =>
    status === 'Completed' ? { ...job, ...files } : right(areas, job, status, files),
  ),

  'tasks.status.canceled-job-failed': completedBy('Canceled'),
  'tasks.status.failed-job-outcome': completedBy('Failed'),

  'tasks.status.body-optional': replaces('jobs', 'reportedFilesOf', (right, areas, call) => {
    if (call.json === undefined) throw new Refusal(400, 'Expected a body.');
    return right(areas, call);
  }),

  'tasks.status.file-paths-used': replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
    const { logFilePath: _, ...others } = files;
    return right(areas, job, status, status === 'Failed' ? others : files);
  }),

  'tasks.status.invalid-refused': replaces('jobs', 'reportStatus', async (right, areas, call, writing) => {
    const isKnown = taskStatuses.some((status) => status === call.params['status']);
    return isKnown ? right(areas, call, writing) : { status: 204 };
  }),
} satisfies Variants;

const tenfold = 10;

const timeoutFaults = {
  'tasks.timeout.configured-fails-job': replaces('jobs', 'taskDeadline', (right, areas, job) =>
    job.timeout === defaultTaskTimeoutSeconds ? right(areas, job) : undefined,
  ),

  'tasks.timeout.default-fails-job': replaces('jobs', 'taskDeadline', (right, areas, job) => {
    const isDefault = job.timeout === defaultTaskTimeoutSeconds;
    return right(areas, isDefault ? { ...job, timeout: tenfold * job.timeout } : job);
  }),
} satisfies Variants;

export const tasksFaults = {
  ...payloadFaults,
  ...linkFaults,
  ...statusFaults,
  ...callbackFaults,
  ...timeoutFaults,
} satisfies Variants;

/** Reports on jobs that do not exist are taken and forgotten. */
function unlessUnknown(): Variant {
  return replaces('dispatcher', 'carryOutWrite', async (right, areas, route, call, writing) => {
    const isLost = route.path.includes('{jobId}') && (await jobWith(writing, jobIdOf(call))) === undefined;
    return isLost ? { status: 204 } : right(areas, route, call, writing);
  });
}

function jobIdOf({ params }: SpaceCall): string {
  return params['jobId'] ?? '';
}

/** What a task says shows on every job with the same input. */
function keptByInput(): Variant {
  return replaces('jobs', 'reportProgress', async (right, areas, call, writing) => {
    const answer = await right(areas, call, writing);
    const { id, spaceId, inputPath } = call.place;
    for (const other of await writing.documents('job')) {
      const job = await jobWith(writing, other.id);
      const isAlike = job?.spaceId === spaceId && job.inputPath === inputPath && job.id !== id;
      if (isAlike) await keepJob(writing, { ...job, progress: call.json });
    }
    return answer;
  });
}

/** One link of every task is another one. @param other gets the link and what finds the url of another */
function withLink(id: string, other: (link: TaskLink, urls: (id: string) => string) => Partial<TaskLink>): Variant {
  return replaces('requests', 'taskLinks', (right, ...given) => {
    const links = right(...given);
    const urls = (of: string): string => links.find((link) => link.id === of)?.url ?? '';
    return links.map((link) => (link.id === id ? { ...link, ...other(link, urls) } : link));
  });
}

/** The links for reports are those of the job whose task the same record was called for before. */
function namingThePreviousJob(): Variant {
  const jobs = new Map<string, string>();
  return withEnvelope((envelope, { kind, recordId = '', envelopeId }) => {
    const { payload } = envelope;
    if (kind !== 'task' || !isJson(payload)) return envelope;
    const previous = jobs.get(recordId) ?? envelopeId;
    jobs.set(recordId, envelopeId);
    const links: unknown = JSON.parse(
      JSON.stringify(payload['links']).replaceAll(`/dx/${envelopeId}/`, `/dx/${previous}/`),
    );
    return { ...envelope, payload: { ...payload, links } };
  });
}

/** Reports of that status are taken for Completed. */
function completedBy(wrong: TaskStatus): Variant {
  return replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) =>
    right(areas, job, status === wrong ? 'Completed' : status, files),
  );
}
