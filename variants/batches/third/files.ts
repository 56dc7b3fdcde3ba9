import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'files.name-stays-taken': {
    source: 'extensions: File routes',
    breaks: 'An upload fails where the file exists, and not where one was deleted.',
    kind: 'moment',
    variant: breaks('files', 'storeStream', (right) => {
      const taken = new Set<string>();
      return async (areas, place, call, content, checksum) => {
        const path = JSON.stringify(place);
        if (taken.has(path)) throw areas.fileAreas.placeTaken(place);
        await right(areas, place, call, content, checksum);
        taken.add(path);
      };
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'first');
      await edda.delete(`${spaceFiles}/a.txt`);
      await edda.upload('a.txt', 'second');
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== 'second';
    },
  },

  'files.removed-by-anybody': {
    source: 'extensions: File routes',
    breaks: 'All file routes need authentication, DELETE among them.',
    kind: 'role',
    variant: replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
      const isOpen = call.method === 'DELETE' && call.headers['authorization'] === undefined && kind === 'space';
      return isOpen ? areas.fileAreas.spaceArea(call) : right(areas, call, kind);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      await nobody.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status !== 200;
    },
  },
};
