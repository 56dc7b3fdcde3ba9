import { replaces } from '../../breaks.ts';
import { posix } from 'node:path';
import type { Batch } from '../mistake.ts';
import { callsOf, reached, scheduleTask } from '../proofs.ts';
import { at, listAt } from '../service.ts';

/** A task for which anybody may have a file. */
const task = { id: 'task', extensionType: 'ExternalTask' } as const;

/** Tasks and their jobs. */
export const tasksMistakes: Batch = {
  'tasks.reported-paths-decoded': {
    source: 'extensions: States and transitions, row Completed',
    breaks: 'The path that a task reports is that of its output, percent signs included.',
    kind: 'value',
    variant: replaces('jobs', 'reportedFilesOf', (right, areas, found) =>
      Object.fromEntries(
        Object.entries(right(areas, found)).map(([name, path]: [string, unknown]) => [name, decoded(String(path))]),
      ),
    ),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service);
      const outputFilePath = 'results/100%25.csv';
      await service.edda.put(`${job}/status/Completed`, undefined, { outputFilePath });
      return at((await service.edda.get(job)).json, '/outputFilePath') !== outputFilePath;
    },
  },

  'tasks.log-beside-an-output-alone': {
    source: 'extensions: States and transitions, row Failed',
    breaks: 'A task that failed may give the path of its log, though it has no output.',
    kind: 'combination',
    variant: replaces('jobs', 'jobAfterReport', (right, areas, job, status, files) => {
      const { logFilePath: _log, ...rest } = files;
      return right(areas, job, status, status === 'Failed' && files.outputFilePath === undefined ? rest : files);
    }),
    async shows(service) {
      await service.host(() => [task]);
      const job = await scheduleTask(service);
      await service.edda.put(`${job}/status/Failed`, undefined, { logFilePath: 'logs/failed.log' });
      return at((await service.edda.get(job)).json, '/logFilePath') === undefined;
    },
  },

  'tasks.input-link-as-a-whole': {
    source: 'extensions: External task links, row inputFile',
    breaks: 'The link leads to the input, also where its name has a character that means something in a URL.',
    kind: 'value',
    variant: replaces('requests', 'taskLinks', (right, areas, spaceId, jobId, inputPath, token) => {
      const links = right(areas, spaceId, jobId, inputPath, token);
      const files = links.find(({ id }) => id === 'uploadFile')?.url ?? '';
      const url = `${files}/${encodeURI(posix.normalize(inputPath))}?token=${token}`;
      return links.map((link) => (link.id === 'inputFile' ? { ...link, url } : link));
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await service.edda.upload('folder/no%231.csv', 'a;b');
      await scheduleTask(service, { inputPath: 'folder/no#1.csv' });
      const [call] = await reached(host, 1);
      const link = listAt(call?.envelope?.payload, '/links').find((each) => at(each, '/id') === 'inputFile');
      const url = new URL(String(at(link, '/url')));
      return (await service.nobody.get(url.pathname + url.search)).text !== 'a;b';
    },
  },

  'tasks.any-capability-is-a-type': {
    source: 'extensions: Extension metadata record, text on capability use, third sentence',
    breaks: 'Capabilities of other sorts may be there, and say nothing of the files that a task manages.',
    kind: 'combination',
    variant: replaces('triggers', 'assertManages', (right, areas, record, path) => {
      const all = record.capabilities?.map((item) => ({ ...item, capabilityType: 'MimeType' }));
      right(areas, all === undefined ? record : { ...record, capabilities: all }, path);
    }),
    async shows(service) {
      const host = await service.host(() => [
        { ...task, capabilities: [{ capabilityType: 'Region', capabilities: ['north'] }] },
      ]);
      await scheduleTask(service);
      return callsOf(host, 'task').length === 0;
    },
  },
};

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
