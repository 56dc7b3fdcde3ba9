import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Variant, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

const bulkOfMain = '/admin/fileupload/main';

export const filesMistakes: Batch = {
  'files.delete-uncovers-the-replaced': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file leaves none there, also where it had replaced another one.',
    kind: 'combination',
    variant: keepsReplaced(),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'new');
      await edda.upload('a.txt', 'old');
      await bulk(bulkOfMain, { sourceDirectory, writeLog: false, replaceFiles: true });
      await edda.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },

  'chunks.last-byte-alone': {
    source: 'extensions: File routes, chunk table',
    breaks: 'The file has the bytes that were sent, also where the last chunk is a single one.',
    kind: 'value',
    variant: replaces('chunks', 'chunkContent', (right, areas, chunk) =>
      chunk.number > 1 && chunk.size === 1 && chunk.number === chunk.totalChunks ? [] : right(areas, chunk),
    ),
    async shows({ edda }) {
      await edda.sendChunks('odd.txt', ['abcd', 'e']);
      return (await edda.get(`${spaceFiles}/odd.txt`)).text !== 'abcde';
    },
  },
};

/** Keeps what a bulk upload replaces, and shows it again when the newer one goes. */
function keepsReplaced(): Variant {
  return (classes) => {
    const kept = new Map<string, Buffer>();
    return together(
      replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
        const place = { area: run.area, segments: [...run.target, ...entry.path] };
        const stream = await areas.fileStore.read(place).catch(() => undefined);
        const before = stream && (await buffer(stream));
        const result = await right(areas, run, entry);
        if (before !== undefined && result.status === 'replaced') kept.set(JSON.stringify(place), before);
        return result;
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const key = JSON.stringify(place);
        const removed = await right(areas, place);
        const before = kept.get(key);
        if (before === undefined) return removed;
        kept.delete(key);
        await areas.fileStore.write(place, onePiece(before));
        return removed;
      }),
    )(classes);
  };
}

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
