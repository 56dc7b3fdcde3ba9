import { jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, reached, scheduleTask } from '../proofs.ts';
import { at, listAt } from '../service.ts';

const task = { id: 'task', extensionType: 'ExternalTask' } as const;

export const tasksMistakes: Batch = {
  'tasks.status-in-the-first-space': {
    source: 'extensions: External task links, taskStatus',
    breaks: 'The link of the status leads to the job, also for a job of another space than the first one was of.',
    kind: 'place',
    variant: breaks('requests', 'taskLinks', (right) => {
      let first: string | undefined;
      return (areas, spaceId, jobId, inputPath, token) => {
        first ??= spaceId;
        const links = right(areas, spaceId, jobId, inputPath, token);
        const elsewhere = right(areas, first, jobId, inputPath, token);
        return links.map((link, index) => (link.id === 'taskStatus' ? (elsewhere[index] ?? link) : link));
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      await service.edda.post('/api/space/depot/dx', { recordId: 'task', inputPath: 'a.csv' });
      await service.pass(1);
      const link = linkOf(callsOf(host, 'task')[1]?.json, 'taskStatus');
      return !link.includes('/space/depot/');
    },
  },

  'tasks.token-of-the-first-input': {
    source: 'extensions: External task links, inputFile',
    breaks: 'The link of the input opens it by the token in it, also for a job long after the first.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      let first: string | undefined;
      return (areas, spaceId, jobId, inputPath, token) => right(areas, spaceId, jobId, inputPath, (first ??= token));
    }),
    survives:
      'External task links, row inputFile: whose token the link has is not said, and until that one has ended nothing differs; a run whose first tokens live for a year does not come to their end.',
    async shows(service) {
      const host = await service.host(() => [task]);
      await service.edda.upload('folder/input.csv', 'a;b');
      await scheduleTask(service);
      await service.pass(3700);
      await scheduleTask(service);
      const link = new URL(linkOf(callsOf(host, 'task').at(-1)?.json, 'inputFile'));
      return (await service.nobody.get(link.pathname + link.search)).status !== 200;
    },
  },

  'jobs.canceled-and-then-acknowledged': {
    source: 'extensions: External task status, Canceled',
    breaks: 'A job whose task was canceled is failed, also when the call of the task is acknowledged after that.',
    kind: 'moment',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      const job = await jobWith(writing, id);
      if (job?.taskStatus !== 'Canceled') return right(areas, writing, id);
      await keepJob(writing, { ...job, state: 'Running' });
    }),
    async shows(service) {
      const host = await service.host(() => [task], [{ steps: [{ status: 200, delayMs: 700 }], afterwards: 'last' }]);
      const job = await service.edda.post('/api/space/main/dx', { recordId: 'task', inputPath: 'a.csv' });
      const path = job.headers.get('location') ?? '';
      await reached(host, 1);
      await service.edda.send('PUT', `${path}/status/Canceled`);
      await new Promise((resolve) => setTimeout(resolve, 1200));
      return at((await service.edda.get(path)).json, '/state') === 'Running';
    },
  },
};

function linkOf(call: unknown, id: string): string {
  const link = listAt(call, '/payload/links').find((each) => at(each, '/id') === id);
  return String(at(link, '/url'));
}
