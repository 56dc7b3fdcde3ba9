import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, scheduleTask } from '../proofs.ts';
import { at } from '../service.ts';

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
