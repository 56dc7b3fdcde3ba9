import { jobWith } from '../../../reference-server/areas/jobs.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, scheduleTask } from '../proofs.ts';
import { at, listAt, type Service } from '../service.ts';

export const tasksMistakes: Batch = {
  'tasks.progress-through-another-space': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'A job is reported on through its own space, and is not found in another one.',
    kind: 'place',
    variant: replaces('jobs', 'locateJob', async (right, areas, call, reading) => {
      const found = call.url.endsWith('/progress') ? await jobWith(reading, call.params['jobId'] ?? '') : undefined;
      return found ?? right(areas, call, reading);
    }),
    async shows(service) {
      const job = await scheduledOn(service);
      const path = `${job.replace('/main/', '/depot/')}/progress`;
      return (await service.edda.put(path, undefined, { message: 'm' })).status < 300;
    },
  },

  'tasks.link-to-a-number-sign': {
    source: 'extensions: External task links, row inputFile',
    breaks: 'The link leads to the input file, also where its name has a number sign.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) =>
        link.id === 'inputFile' ? { ...link, url: link.url.replaceAll('%23', '#') } : link,
      ),
    ),
    async shows(service) {
      await service.edda.upload('folder/a%231.csv', 'x');
      const host = await service.host(() => [taskRecord]);
      await scheduleTask(service, { inputPath: 'folder/a#1.csv' });
      const [entry] = callsOf(host, 'task');
      const link = listAt(entry?.envelope?.payload, '/links').find((each) => at(each, '/id') === 'inputFile');
      return (await fetch(String(at(link, '/url')))).status !== 200;
    },
  },

  'tasks.log-of-a-canceled-one': {
    source: 'extensions: States and transitions, row Canceled',
    breaks: 'A task that was canceled may give the path of its log.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) =>
      right(areas, job, status, status === 'Canceled' ? {} : files),
    ),
    async shows(service) {
      const job = await scheduledOn(service);
      await service.edda.put(`${job}/status/Canceled`, undefined, { logFilePath: 'folder/log.txt' });
      return at((await service.edda.get(job)).json, '/logFilePath') === undefined;
    },
  },

  'tasks.progress-once-a-second': {
    source: 'extensions: Callbacks from an external task',
    breaks: 'The message of the last report is shown on the job, however soon after the former it came.',
    kind: 'moment',
    variant: breaks('jobs', 'jobAfterProgress', (right) => {
      const reported = new Map<string, number>();
      return (areas, job, progress) => {
        const now = areas.clock.now();
        if (now - (reported.get(job.id) ?? -Infinity) < 1000) return job;
        reported.set(job.id, now);
        return right(areas, job, progress);
      };
    }),
    async shows(service) {
      const job = await scheduledOn(service);
      for (const message of ['first', 'second']) await service.edda.put(`${job}/progress`, undefined, { message });
      return at((await service.edda.get(job)).json, '/progress') === 'first';
    },
  },
};

const taskRecord = { id: 'task', extensionType: 'ExternalTask' };

async function scheduledOn(service: Service): Promise<string> {
  await service.host(() => [taskRecord]);
  return scheduleTask(service);
}
