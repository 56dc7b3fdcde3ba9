import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';

const participantFiles = '/api/space/main/participant/owner/fs/file';

export const filesMistakes: Batch = {
  'bulk.personal-token-of-an-administrator': {
    source: 'extensions: Authentication 2',
    breaks:
      'Bulk upload needs the administration key; the personal access token of a Collection Administrator is none.',
    kind: 'role',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      if (credentials?.scheme !== 'basic') return right(areas, call);
      const user = await areas.auth.userOfCredentials(credentials);
      if (user?.collectionAdministrator !== true) return right(areas, call);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const authorization = basic('cora', 'svcpat-cora-6f8b0d2e4a');
      const body = { sourceDirectory, writeLog: false };
      return (await service.nobody.post('/admin/fileupload/main', body, { authorization })).status < 300;
    },
  },

  'chunks.padded-for-participants': {
    source: 'extensions: File routes',
    breaks: 'A file in chunks is as long as its total size, in the area of a participant as well.',
    kind: 'place',
    variant: replaces('chunks', 'storeChunk', (right, areas, place, chunk) => {
      const missing = chunk.chunkSize - chunk.size;
      if (place.area.kind !== 'participant' || chunk.number === 1 || missing <= 0) return right(areas, place, chunk);
      return right(areas, place, { ...chunk, pieces: [...chunk.pieces, Buffer.alloc(missing)] });
    }),
    async shows({ edda }) {
      await edda.sendChunks('padded.txt', ['aaaa', 'bb'], participantFiles);
      return (await edda.get(`${participantFiles}/padded.txt`)).text !== 'aaaabb';
    },
  },
};

function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}
