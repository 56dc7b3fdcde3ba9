import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, changeExtension, scheduleTask } from '../proofs.ts';
import { at, listAt, type Service } from '../service.ts';

/** Schedules a task. @returns the link of its call that has the id */
async function linkOf(service: Service, id: string, fields: object = {}): Promise<string> {
  const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
  await scheduleTask(service, fields);
  const links = listAt(callsTo(host)[0]?.envelope?.payload, '/links');
  return String(
    at(
      links.find((link) => at(link, '/id') === id),
      '/url',
    ),
  );
}

/** Tasks, what they are told, and what they report. */
export const tasksMistakes: Batch = {
  'tasks.types-by-the-version-of-the-record': {
    source: 'extensions: Extension metadata record, text on the capability use, second sentence',
    breaks: 'The task manages the types that its record lists now, also where the version of the record stayed.',
    kind: 'copy',
    variant: breaks('triggers', 'assertManages', (right) => {
      const known = new Map<string, Parameters<typeof right>[1]>();
      return (areas, record, path) => {
        const key = `${record.id} ${record.version}`;
        const first = known.get(key) ?? record;
        known.set(key, first);
        right(areas, first, path);
      };
    }),
    async shows(service) {
      const task = {
        id: 'task',
        version: '1.0.0',
        name: 'task',
        endpoint: '/task',
        extensionType: 'ExternalTask',
        category: 'proof',
      } as const;
      const withType = (type: string) => ({
        ...task,
        capabilities: [{ capabilityType: 'MimeType' as const, capabilities: [type] }],
      });
      const host = await service.host(() => [withType('application/pdf')]);
      await scheduleTask(service);
      host.setRecords([withType('text/csv')]);
      await changeExtension(service, { hostUri: host.url });
      await scheduleTask(service);
      return callsTo(host).length === 0;
    },
  },

  'tasks.a-directory-that-looks-encoded': {
    source: 'extensions: External task links, inputDir',
    breaks: 'The link leads to the directory of the input, be there what looks like percent-encoding in its name.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const path = inputPath.replaceAll(/%[2-7][0-9a-f]/gi, decodeURIComponent);
      const directory = right(areas, spaceId, jobId, path, token).find(({ id }) => id === 'inputDir');
      return right(areas, spaceId, jobId, inputPath, token).map((link) =>
        link.id === 'inputDir' ? (directory ?? link) : link,
      );
    }),
    async shows(service) {
      const url = await linkOf(service, 'inputDir', { inputPath: 'a%20b/input.csv' });
      return !url.endsWith('/a%2520b');
    },
  },

  'tasks.braces-of-the-template-are-encoded': {
    source: 'extensions: External task links, content',
    breaks: 'The link for content is a template that the task fills in.',
    kind: 'value',
    survives: 'In which form a template leaves its places open is not said (task-link-templates).',
    variant: replaces('requests', 'taskLinks', (right, areas, ...args) =>
      right(areas, ...args).map((link) => (link.id === 'content' ? { ...link, url: new URL(link.url).href } : link)),
    ),
    shows: async (service) => !(await linkOf(service, 'content')).includes('{'),
  },

  'tasks.log-path-of-255-letters': {
    source: 'extensions: External task status, row Failed',
    breaks: 'The log path that a failed task gives is kept, a long one too.',
    kind: 'value',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, call) => {
      const { logFilePath, ...files } = right(areas, call);
      return logFilePath === undefined ? files : { ...files, logFilePath: logFilePath.slice(0, 255) };
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      const logFilePath = `${'directory/'.repeat(28)}task.log`;
      await service.edda.put(`${job}/status/Failed`, undefined, { logFilePath });
      return at((await service.edda.get(job)).json, '/logFilePath') !== logFilePath;
    },
  },

  'tasks.progress-of-digits-is-a-number': {
    source: 'extensions: Callbacks from an external task, progress',
    breaks: 'The message is shown on the job as the text that it is, one of digits too.',
    kind: 'value',
    variant: replaces('jobs', 'jobAfterProgress', (right, areas, job, progress) =>
      right(areas, job, /^\d+$/.test(progress) ? String(Number(progress)) : progress),
    ),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/progress`, undefined, { message: '007' });
      return !(await service.edda.get(job)).text.includes('007');
    },
  },

  'tasks.one-timer-for-all': {
    source: 'extensions: Limits, task timeout',
    breaks: 'A task that runs out of time fails, also where another one began after it.',
    kind: 'combination',
    variant: replaces('jobs', 'noteTaskStart', async (right, areas, writing, id) => {
      await right(areas, writing, id);
      for (const deadline of await writing.documents('taskDeadline'))
        if (deadline.id !== id) await writing.deleteDocument('taskDeadline', deadline.id);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const first = await scheduleTask(service);
      await scheduleTask(service);
      await service.pass(700, 2);
      return at((await service.edda.get(first)).json, '/state') === 'Running';
    },
  },
};
