import { breaks } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, scheduleTask } from '../proofs.ts';
import { at } from '../service.ts';

export const tasksMistakes: Batch = {
  'tasks.links-by-their-input': {
    source: 'extensions: External task links',
    breaks: 'The link taskStatus leads to the job of the call, also when an earlier one had the same input.',
    kind: 'copy',
    variant: breaks('requests', 'taskLinks', (right) => {
      const kept = new Map<string, string>();
      return (areas, spaceId, jobId, inputPath, token) => {
        const links = right(areas, spaceId, jobId, inputPath, token);
        const status = links.find(({ id }) => id === 'taskStatus');
        const url = kept.get(inputPath) ?? status?.url ?? '';
        kept.set(inputPath, url);
        return links.map((link) => (link.id === 'taskStatus' ? { ...link, url } : link));
      };
    }),
    async shows(service) {
      const host = await service.host(() => [task]);
      await scheduleTask(service);
      await scheduleTask(service);
      const [first, second] = callsOf(host, 'task').map(({ json }) => at(json, '/payload/links/2/url'));
      return first !== undefined && first === second;
    },
  },
};

const task = { id: 'task', extensionType: 'ExternalTask' } as const;
