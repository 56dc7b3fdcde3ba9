import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, scheduleTask } from '../proofs.ts';
import { at, listAt } from '../service.ts';

const task = () => [{ id: 'task', extensionType: 'ExternalTask' }];

/** The URL of a link in the payload of a task. */
function linkIn(json: unknown, id: string): unknown {
  const links = listAt(json, '/payload/links');
  return at(
    links.find((link) => at(link, '/id') === id),
    '/url',
  );
}

export const tasksMistakes: Batch = {
  'tasks.download-in-a-retry': {
    source: 'extensions: External task links',
    breaks: 'A task is told where to download files, also by the second call.',
    kind: 'moment',
    variant: replaces('requests', 'requestFor', (right, areas, delivery, callee, attempt) => {
      const fewer = within(areas, {
        requests: {
          taskLinks: (...args) => areas.requests.taskLinks(...args).filter(({ id }) => id !== 'downloadFile'),
        },
      });
      return right(attempt > 1 ? fewer : areas, delivery, callee, attempt);
    }),
    async shows(service) {
      const host = await service.host(task, [{ steps: [{ status: 503 }] }]);
      await scheduleTask(service);
      await service.pass(3);
      const [, second] = callsOf(host, 'task');
      return second !== undefined && linkIn(second.json, 'downloadFile') === undefined;
    },
  },

  'tasks.status-of-the-job-before': {
    source: 'extensions: External task links',
    breaks: 'The status link is that of the job, also where another one had the same input.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const urls = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) =>
        right(areas, spaceId, jobId, inputPath, token).map((link) => {
          if (link.id !== 'taskStatus') return link;
          const url = urls.get(inputPath) ?? link.url;
          urls.set(inputPath, url);
          return { ...link, url };
        });
    }),
    async shows(service) {
      const host = await service.host(task);
      await scheduleTask(service);
      await scheduleTask(service);
      const [first, second] = callsOf(host, 'task').map(({ json }) => linkIn(json, 'taskStatus'));
      return second !== undefined && first === second;
    },
  },

  'tasks.acknowledgement-without-a-body': {
    source: 'extensions: Calls to extensions, row ExternalTask',
    breaks: 'A task that is acknowledged works on, whether or not the acknowledgement says anything.',
    kind: 'value',
    variant: replaces('policies', 'isDelivered', (right, areas, kind, outcome) => {
      const isSilent = kind === 'task' && outcome.kind === 'answered' && outcome.body === '';
      return !isSilent && right(areas, kind, outcome);
    }),
    async shows(service) {
      await service.host(task);
      const job = await scheduleTask(service);
      return at((await service.edda.get(job)).json, '/state') === 'Failed';
    },
  },

  'tasks.longer-than-by-default': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task has the time that its configuration gives it, also where that is more than by default.',
    kind: 'value',
    variant: replaces('jobs', 'taskDeadline', (right, areas, job) =>
      right(areas, { ...job, timeout: Math.min(job.timeout, 600) }),
    ),
    async shows(service) {
      await service.host(task);
      const job = await scheduleTask(service, { timeout: 1200 });
      await service.pass(700);
      return at((await service.edda.get(job)).json, '/state') === 'Failed';
    },
  },

  'tasks.log-of-a-cancelled-one': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'A report may name its log, also that of a task which was cancelled.',
    kind: 'place',
    variant: replaces('jobs', 'reportStatus', (right, areas, call, writing) =>
      right(areas, call.params['status'] === 'Canceled' ? { ...call, json: undefined } : call, writing),
    ),
    async shows(service) {
      await service.host(task);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/status/Canceled`, undefined, { logFilePath: 'folder/task.log' });
      return at((await service.edda.get(job)).json, '/logFilePath') === undefined;
    },
  },
};
