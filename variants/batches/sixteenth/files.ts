import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

export const filesMistakes: Batch = {
  'files.delete-by-nobody': {
    source: 'core: Authentication 6',
    breaks: 'A missing token gives 401, on whichever route and method.',
    kind: 'place',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      if (call.method === 'DELETE' && call.headers['authorization'] === undefined)
        throw new Refusal(403, 'Nobody may delete files.');
      return right(areas, call);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('there.txt', 'there');
      return (await nobody.delete(`${spaceFiles}/there.txt`)).status !== 401;
    },
  },

  'bulk.signature-of-the-space': {
    source: 'extensions: Authentication 2',
    breaks: 'What is signed is the whole path of the request, the participant included.',
    kind: 'place',
    variant: replaces('signing', 'expectedSignature', (right, areas, apiKey, path) =>
      right(areas, apiKey, path.startsWith('/admin/') ? path.split('/').slice(0, 4).join('/') : path),
    ),
    async shows({ directory, bulk }) {
      const body = { sourceDirectory: await directory(), writeLog: false };
      return (await bulk('/admin/fileupload/main/owner', body)).status >= 400;
    },
  },
};
