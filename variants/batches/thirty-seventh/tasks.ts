import { keepJob } from '../../../reference-server/areas/jobs.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, reached, scheduleTask } from '../proofs.ts';
import { at, listAt, type Client, type Service } from '../service.ts';

const task = { id: 'task', extensionType: 'ExternalTask' } as const;

/** Job of a task that this user schedules, whose call has gone out. */
async function scheduledBy(service: Service, user: Client): Promise<string> {
  const host = await service.host(() => [task]);
  const job = await user.post('/api/space/main/dx', { recordId: 'task', inputPath: 'folder/input.csv' });
  await service.pass(1);
  await reached(host, 1);
  await service.pass(1);
  return job.headers.get('location') ?? '';
}

export const tasksMistakes: Batch = {
  'tasks.directory-with-a-space': {
    source: 'extensions: External task links',
    breaks: 'The link inputDir leads to the directory of the input, also where its name has a space.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.id === 'inputDir' ? { ...link, url: link.url.replaceAll('%20', '%2520') } : link,
      ),
    ),
    async shows(service) {
      const host = await service.host(() => [task]);
      await service.edda.upload('my%20folder/input.csv', 'a,b');
      await scheduleTask(service, { inputPath: 'my folder/input.csv' });
      const [entry] = await reached(host, 1);
      const link = listAt(entry?.json, '/payload/links').find((found) => at(found, '/id') === 'inputDir');
      return (await service.edda.get(String(at(link, '/url')))).status !== 200;
    },
  },

  'tasks.progress-for-administrators': {
    source: 'extensions: External task links',
    breaks: 'What a task reports of its progress is shown on the job, whoever has scheduled it.',
    kind: 'role',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) => {
      const space = areas.configuration.spaces.get(job.spaceId);
      const roles = [...(space?.participants.values() ?? [])].map((holders) => holders.get(job.scheduledBy));
      return roles.includes('administrator') ? job : right(areas, job, progress);
    }),
    async shows(service) {
      const job = await scheduledBy(service, service.alma);
      await service.alma.put(`${job}/progress`, undefined, { message: 'half' });
      return at((await service.alma.get(job)).json, '/progress') !== 'half';
    },
  },

  'tasks.log-without-an-output': {
    source: 'extensions: External task status',
    breaks: 'A task that is completed may name its log, also without an output.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) =>
      right(areas, job, status, status === 'Completed' && files.outputFilePath === undefined ? {} : files),
    ),
    async shows(service) {
      const job = await scheduledBy(service, service.edda);
      await service.edda.put(`${job}/status/Completed`, undefined, { logFilePath: 'folder/log.txt' });
      return at((await service.edda.get(job)).json, '/logFilePath') !== 'folder/log.txt';
    },
  },

  'tasks.log-by-the-token-of-the-call': {
    source: 'extensions: External task status',
    breaks:
      'The path of a log lies in the unmanaged files of the job, also when it is reported with the token of the call.',
    kind: 'role',
    survives:
      'How a job tells of its files is not said (job-route): the path stands in what it shows, as it stands in an address.',
    variant: replaces('jobs', 'reportStatus', (right, areas, call, writing) => {
      const [, payload = ''] = (call.headers['authorization'] ?? '').split('.');
      const isOfTheCall = Buffer.from(payload, 'base64url').toString().includes('"impersonation"');
      const path = call.json?.['logFilePath'];
      if (!isOfTheCall || typeof path !== 'string' || call.params['status'] !== 'Failed')
        return right(areas, call, writing);
      return right(areas, { ...call, json: { ...call.json, logFilePath: `${call.user.name}/${path}` } }, writing);
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      const job = await scheduleTask(service);
      const [entry] = await reached(host, 1);
      const authorization = `Bearer ${entry?.envelope?.accessToken}`;
      await service.pass(1);
      const body = { logFilePath: 'folder/log.txt' };
      await service.nobody.send('PUT', `${job}/status/Failed`, { headers: { authorization }, body });
      return at((await service.edda.get(job)).json, '/logFilePath') !== 'folder/log.txt';
    },
  },

  'tasks.timeout-of-the-job-before': {
    source: 'extensions: Limits',
    breaks: 'A task has 600 seconds unless its job says otherwise, also behind a job that did.',
    kind: 'copy',
    variant: breaks('triggers', 'taskPayload', (right) => {
      let last: number | undefined;
      return (areas, body) => {
        const payload = right(
          areas,
          body['timeout'] === undefined && last !== undefined ? { ...body, timeout: last } : body,
        );
        last = payload.timeout;
        return payload;
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service, { timeout: 50 });
      await reached(host, 1);
      await scheduleTask(service);
      const [, second] = await reached(host, 2);
      return at(second?.json, '/payload/timeout') !== 600;
    },
  },

  'tasks.progress-of-the-other-job': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'A text of progress is shown on the job that it was reported for, and on no other of the same task.',
    kind: 'copy',
    variant: replaces('jobs', 'reportProgress', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      for (const { text } of await writing.documents('job')) {
        const job = JSON.parse(text) as typeof call.place;
        if (job.recordId === call.place.recordId && job.state === 'Running')
          await keepJob(writing, { ...job, progress: call.json });
      }
      return answer;
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      const one = await scheduleTask(service);
      const other = await scheduleTask(service);
      await reached(host, 2);
      await service.pass(1);
      await service.edda.put(`${one}/progress`, undefined, { message: 'half' });
      return callsOf(host, 'task').length === 2 && at((await service.edda.get(other)).json, '/progress') === 'half';
    },
  },
};
