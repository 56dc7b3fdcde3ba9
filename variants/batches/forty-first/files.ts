import { breaks, replaces, type Variant, together } from '../../breaks.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import type { Batch } from '../mistake.ts';
import { md5, spaceFiles } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

export const fileMistakes: Batch = {
  'bulk.what-it-brought-stays': {
    source: 'extensions: File routes, row 4',
    breaks: 'A file that is deleted is gone, also one that bulk upload brought.',
    kind: 'combination',
    variant: bulkStays(),
    async shows(service) {
      const source = await service.directory();
      await writeFile(join(source, 'brought.txt'), 'text');
      await service.bulk('/admin/fileupload/main', { sourceDirectory: source, writeLog: false });
      await service.edda.delete(`${spaceFiles}/brought.txt`);
      return (await service.edda.get(`${spaceFiles}/brought.txt`)).status === 200;
    },
  },

  'files.directory-called-stream': {
    source: 'extensions: File areas, row Space',
    breaks: 'A file is read at the path that it was given, be the name of its directory stream.',
    kind: 'value',
    variant: replaces('files', 'filePlaceOf', (right, areas, call, area) => {
      const place = right(areas, call, area);
      const [first, ...rest] = place.segments;
      return first === 'stream' && rest.length > 0 ? { area, segments: rest } : place;
    }),
    async shows({ edda }) {
      await edda.upload('stream/river.txt', 'water');
      return (await edda.get(`${spaceFiles}/stream/river.txt`)).text !== 'water';
    },
  },

  'files.own-area-without-a-name': {
    source: 'extensions: File areas, row User',
    breaks: 'The area of a user is that of who is authenticated, by Basic authentication as well.',
    kind: 'combination',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const isBasic = /^basic /i.test(call.headers['authorization'] ?? '');
      return right(areas, call, isBasic && kind === 'user' ? { ...user, name: 'basic' } : user, kind);
    }),
    async shows({ edda }) {
      const basic = `Basic ${Buffer.from('edda:svcpat-edda-7d1c0b9e5a').toString('base64')}`;
      const headers = { authorization: basic, checksum: md5('mine'), 'content-type': 'text/plain' };
      await edda.post(`${userFiles}/stream/mine.txt`, 'mine', headers);
      return (await edda.get(`${userFiles}/mine.txt`)).status === 404;
    },
  },

  'chunks.go-where-the-last-upload-began': {
    source: 'extensions: File routes, row 2; chunk table, resumableRelativePath',
    breaks: 'A chunk goes into the file that it names, also while another file of the area is on its way.',
    kind: 'combination',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const begun = new Map<string, FilePlace>();
      return (areas, chunk, area) => {
        const place = right(areas, chunk, area);
        const key = `${JSON.stringify(area)} ${chunk.totalSize}`;
        if (chunk.number > 1) return begun.get(key) ?? place;
        begun.set(key, place);
        return place;
      };
    }),
    async shows({ edda }) {
      for (const number of [1, 2]) {
        await edda.sendChunk('one.txt', ['aaaa', 'bb'], number);
        await edda.sendChunk('other.txt', ['cccc', 'dd'], number);
      }
      return (await edda.get(`${spaceFiles}/one.txt`)).text !== 'aaaabb';
    },
  },

  'chunks.equal-to-the-one-before': {
    source: 'extensions: File routes, row 2; text on chunk upload',
    breaks: 'Each chunk is written, a second one with the bytes of the one before it as well.',
    kind: 'place',
    variant: breaks('chunks', 'chunkContent', (right) => {
      const last = new Map<string, { readonly md5: string; readonly number: number }>();
      return (areas, chunk) => {
        const former = last.get(chunk.relativePath);
        last.set(chunk.relativePath, chunk);
        const isResent = former?.md5 === chunk.md5 && former.number !== chunk.number;
        return isResent ? [Buffer.alloc(chunk.size)] : right(areas, chunk);
      };
    }),
    async shows({ edda }) {
      await edda.sendChunks('equal.txt', ['same', 'same']);
      return (await edda.get(`${spaceFiles}/equal.txt`)).text !== 'samesame';
    },
  },

  'chunks.path-of-eight-names': {
    source: 'extensions: File routes, chunk table, resumableRelativePath',
    breaks: 'The target path has as many subdirectories as it says, be they more than seven.',
    kind: 'value',
    variant: replaces('fileAreas', 'relativePathOf', (right, areas, path) => right(areas, path).slice(0, 8)),
    async shows({ edda }) {
      const path = 'a/b/c/d/e/f/g/h/deep.txt';
      await edda.sendChunks(path, ['deep']);
      return (await edda.get(`${spaceFiles}/${path}`)).text !== 'deep';
    },
  },
};

function bulkStays(): Variant {
  return (classes) => {
    const brought = new Set<string>();
    return together(
      replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) => {
        const place = right(areas, area, target, path);
        brought.add(JSON.stringify(place));
        return place;
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const { area, segments } = place;
        return brought.has(JSON.stringify({ area, segments })) || right(areas, place);
      }),
    )(classes);
  };
}
