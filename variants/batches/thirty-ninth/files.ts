import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';

export const filesMistakes: Batch = {
  'bulk.deletes-as-the-last-time': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Files stay in the source unless their own run says otherwise, whatever an earlier run of it said.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      const latest = new Map<string, boolean>();
      return (areas, body) => {
        const settings = right(areas, body);
        const isGiven = typeof body === 'object' && body !== null && 'deleteFilesAfterUpload' in body;
        const kept = isGiven ? undefined : latest.get(settings.sourceDirectory);
        const deleteFilesAfterUpload = kept ?? settings.deleteFilesAfterUpload;
        latest.set(settings.sourceDirectory, deleteFilesAfterUpload);
        return { ...settings, deleteFilesAfterUpload };
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const run = { sourceDirectory, writeLog: false };
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      await service.bulk('/admin/fileupload/main', { ...run, deleteFilesAfterUpload: true });
      await writeFile(join(sourceDirectory, 'b.txt'), 'b');
      await service.bulk('/admin/fileupload/main', run);
      return !(await isThere(join(sourceDirectory, 'b.txt')));
    },
  },

  'chunks.one-of-the-nominal-size': {
    source: 'extensions: File routes, resumableChunkSize',
    breaks: 'A file that is as long as the nominal chunk comes in one chunk.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      if (chunk.totalSize === chunk.chunkSize && chunk.totalSize > 0)
        throw new Refusal(400, 'Expected a last chunk below the nominal size.');
      right(areas, chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('x.txt', ['aaaa'], 1)).status === 400;
    },
  },
};
