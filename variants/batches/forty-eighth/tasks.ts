import { isContent } from '../../../reference-server/areas/content.ts';
import { jobWith, keepJob } from '../../../reference-server/areas/jobs.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, callsOf, reached, scheduleTask } from '../proofs.ts';
import { at } from '../service.ts';

const task = { id: 'task', extensionType: 'ExternalTask' };

/** Tasks of data-exchange jobs. */
export const tasksMistakes: Batch = {
  'tasks.progress-ends-the-time-limit': {
    source: 'extensions: Payloads by extension type, row ExternalTask, timeout',
    breaks: 'The job fails a task whose time is over, also one that has reported progress.',
    kind: 'combination',
    survives: 'What progress does to the time of a task is open (task-timeout-clock): recorded.',
    variant: replaces('jobs', 'reportProgress', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      await areas.jobs.dropDeadline(writing, call.place.id);
      return answer;
    }),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service, { timeout: 10 });
      await service.edda.put(`${job}/progress`, undefined, { message: 'half' });
      await service.pass(5, 4);
      return at((await service.edda.get(job)).json, '/state') === 'Running';
    },
  },

  'tasks.acknowledged-after-the-end': {
    source: 'extensions: External task status, row Completed',
    breaks: 'A job whose task has reported its end is over, also where its acknowledgement comes after the report.',
    kind: 'moment',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      const job = await jobWith(writing, id);
      if (job?.state === 'Completed') return keepJob(writing, { ...job, state: 'Running' });
      return right(areas, writing, id);
    }),
    async shows(service) {
      const host = await service.host(() => [task], always({ status: 200, delayMs: 400 }));
      const body = { recordId: 'task', inputPath: 'folder/input.csv' };
      const job = (await service.edda.post('/api/space/main/dx', body)).headers.get('location') ?? '';
      const passed = service.pass(1);
      await reached(host, 1);
      await service.edda.put(`${job}/status/Completed`, undefined, {});
      await passed;
      await host.await(({ ending }) => ending === 'answered', 2, AbortSignal.timeout(2000));
      await service.pass(1, 2);
      return at((await service.edda.get(job)).json, '/state') === 'Running';
    },
  },

  'tasks.time-of-the-request': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task has 600 seconds where nothing else is configured for it, whatever time its record gives a request.',
    kind: 'combination',
    variant: replaces('requests', 'extensionRequest', (right, areas, delivery, callee) => {
      const { kind, payload } = delivery;
      const timeout = callee.record.requestTimeout;
      if (kind !== 'task' || timeout === undefined || !isContent(payload) || payload['timeout'] !== 600)
        return right(areas, delivery, callee);
      return right(areas, { ...delivery, payload: { ...payload, timeout } }, callee);
    }),
    async shows(service) {
      const host = await service.host(() => [{ ...task, requestTimeout: 30 }]);
      await scheduleTask(service);
      return at(callsOf(host, 'task')[0]?.envelope?.payload, '/timeout') !== 600;
    },
  },
};
