import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { spaceFiles } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

export const filesMistakes: Batch = {
  'files.first-query-token-stays': {
    source: 'extensions: File areas, row User',
    breaks: 'A token in the query speaks for its own user, whoever downloaded before.',
    kind: 'copy',
    variant: breaks('fileAreas', 'queryCredentialsOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call) => {
        const credentials = right(areas, call);
        if (credentials?.scheme !== 'bearer') return credentials;
        const key = credentials.token.slice(0, 36);
        if (!known.has(key)) known.set(key, credentials);
        return known.get(key);
      };
    }),
    async shows(service) {
      const texts: string[] = [];
      for (const user of ['edda', 'emil'] as const) {
        await service[user].upload('own.txt', user, userFiles);
        const token = await tokenOf(service, user);
        texts.push((await service.nobody.get(`${userFiles}/own.txt?token=${token}`)).text);
      }
      return texts[1] !== 'emil';
    },
  },
  'chunks.directory-that-holds-the-name': {
    source: 'extensions: File routes, row resumableRelativePath',
    breaks: 'The path leads to the file, also where a directory has the name of the file in its own.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPlaceOf', (right, areas, chunk, area) => {
      const directory = chunk.relativePath.replace(chunk.fileName, '');
      return right(areas, { ...chunk, relativePath: `${directory.replace(/\/$/, '')}/${chunk.fileName}` }, area);
    }),
    async shows({ edda }) {
      await edda.sendChunks('old-data/data', ['one,', 'two']);
      return (await edda.get(`${spaceFiles}/old-data/data`)).text !== 'one,two';
    },
  },
};
