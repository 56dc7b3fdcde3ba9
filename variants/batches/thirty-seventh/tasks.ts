import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { reached, scheduleTask } from '../proofs.ts';
import { at, type Client, type Service } from '../service.ts';

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
};
