import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileArea } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

const basicOfEdda = `Basic ${Buffer.from('edda:svcpat-edda-7d1c0b9e5a').toString('base64')}`;
const userFiles = '/api/space/main/user/fs/file';
const ownerFiles = '/api/space/main/participant/owner/fs/file';

export const filesMistakes: Batch = {
  'files.own-area-by-basic': {
    source: 'extensions: File areas',
    breaks: 'The user area is that of the identity, by whichever credentials it shows itself.',
    kind: 'role',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const area = right(areas, call, user, kind);
      const isBasic = /^basic /i.test(call.headers['authorization'] ?? '');
      return area.kind === 'user' && isBasic ? { ...area, userName: `basic-${area.userName}` } : area;
    }),
    async shows({ edda, nobody }) {
      await edda.upload('own.txt', 'own', userFiles);
      return (await nobody.get(`${userFiles}/own.txt`, { authorization: basicOfEdda })).text !== 'own';
    },
  },

  'files.directory-called-stream': {
    source: 'extensions: File areas',
    breaks: 'A file is read at the base path, its subdirectories and its name, whatever the subdirectory is called.',
    kind: 'value',
    variant: replaces('files', 'filePlaceOf', (right, areas, call, area) => {
      const { rest = [] } = call;
      return right(areas, rest[0] === 'stream' && rest.length > 1 ? { ...call, rest: rest.slice(1) } : call, area);
    }),
    async shows({ edda }) {
      await edda.upload('stream/one.txt', 'one');
      return (await edda.get(`${spaceFiles}/stream/one.txt`)).text !== 'one';
    },
  },

  'files.structure-below-a-deep-target': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The structure of the source ends up in the target, also where both are more than one directory deep.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, target.length > 1 && path.length > 1 ? path.slice(-1) : path),
    ),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await mkdir(join(sourceDirectory, 'sub'));
      await writeFile(join(sourceDirectory, 'sub', 'one.txt'), 'one');
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, targetDirectory: 'a/b' });
      return (await service.edda.get(`${spaceFiles}/a/b/sub/one.txt`)).text !== 'one';
    },
  },

  'files.chunk-like-the-first': {
    source: 'extensions: File routes',
    breaks: 'Each chunk is a part of the file, also one with the bytes of another.',
    kind: 'place',
    variant: breaks('chunks', 'chunkContent', (right) => {
      const first = new Map<string, string>();
      return (areas, chunk) => {
        if (chunk.number === 1) first.set(chunk.relativePath, chunk.md5);
        const isRepeated = chunk.number > 1 && first.get(chunk.relativePath) === chunk.md5;
        return isRepeated ? [Buffer.alloc(chunk.size)] : right(areas, chunk);
      };
    }),
    async shows({ edda }) {
      await edda.sendChunks('twice.txt', ['aaaa', 'aaaa', 'bb']);
      return (await edda.get(`${spaceFiles}/twice.txt`)).text !== 'aaaaaaaabb';
    },
  },

  'files.query-token-of-a-participant': {
    source: 'extensions: File routes',
    breaks: 'A download may have its token in the query, from the area of a participant as well.',
    kind: 'combination',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) =>
      call.params['participantId'] === undefined ? right(areas, call) : undefined,
    ),
    async shows({ edda, nobody }) {
      await edda.upload('one.txt', 'one', ownerFiles);
      return (await nobody.get(`${ownerFiles}/one.txt?token=svcpat-edda-7d1c0b9e5a`)).text !== 'one';
    },
  },

  'files.area-of-the-run-before': {
    source: 'extensions: File routes',
    breaks: 'A bulk upload without a space goes to the collection, also behind one into a space.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkAreaOf', (right) => {
      let last: FileArea | undefined;
      return (areas, call) => {
        const area = right(areas, call);
        if (area.kind === 'collection') return last ?? area;
        last = area;
        return area;
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'one.txt'), 'one');
      const body = { sourceDirectory, writeLog: false };
      await service.bulk('/admin/fileupload/main', body);
      await service.bulk('/admin/fileupload', body);
      return (await service.cora.get('/api/collection/fs/file/one.txt')).text !== 'one';
    },
  },

  'files.second-try-is-not-validated': {
    source: 'extensions: File routes',
    breaks: 'A file is validated against its checksum, also when one was refused at its place before.',
    kind: 'copy',
    variant: breaks('files', 'storeStream', (right) => {
      const refused = new Set<string>();
      return async (areas, place, call, content, checksum) => {
        const id = JSON.stringify(place);
        try {
          await right(areas, place, call, content, refused.has(id) ? undefined : checksum);
        } catch (error) {
          refused.add(id);
          throw error;
        }
      };
    }),
    async shows({ edda }) {
      const wrong = { checksum: '0'.repeat(32), 'content-type': 'text/plain' };
      await edda.post(`${spaceFiles}/stream/wrong.txt`, 'content', wrong);
      return (await edda.post(`${spaceFiles}/stream/wrong.txt`, 'content', wrong)).status < 400;
    },
  },

  'files.deleting-what-is-not-whole': {
    source: 'extensions: File routes',
    breaks: 'A client deletes what an interrupted upload has left; the place is free then.',
    kind: 'combination',
    variant: replaces('files', 'deleteFile', async (right, areas, place) =>
      (await areas.fileAreas.uploadUnderWay(place)) === undefined ? right(areas, place) : true,
    ),
    async shows({ edda }) {
      await edda.sendChunk('part.txt', ['aaaa', 'bb'], 1);
      await edda.delete(`${spaceFiles}/part.txt`);
      return (await edda.upload('part.txt', 'whole')).status >= 400;
    },
  },
};
