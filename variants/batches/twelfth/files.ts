import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Service, spaceFiles } from '../service.ts';

/** A directory of the host with these files, by their paths. */
async function sourceOf(service: Service, files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await service.directory();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return directory;
}

const bulk = '/admin/fileupload/main';

export const files: Batch = {
  'files.empty-file-is-none': {
    source: 'extensions: File routes, row 3',
    breaks: 'A file without content is a file, and its download does not fail.',
    kind: 'value',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const answer = await right(areas, call);
      if (answer.stream?.size !== 0) return answer;
      answer.stream.content.destroy();
      throw areas.files.missingFile(areas.files.filePlaceOf(call, call.admitted));
    }),
    async shows({ edda }) {
      await edda.upload('empty.txt', '');
      return (await edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },
  'bulk.files-below-a-directory-are-replaced': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Without replaceFiles no file that is there gives way, in subdirectories neither.',
    kind: 'place',
    variant: replaces('bulkUpload', 'uploadSourceFile', (right, areas, run, entry) => {
      const request = { ...run.request, replaceFiles: run.request.replaceFiles || entry.path.length > 1 };
      return right(areas, { ...run, request }, entry);
    }),
    async shows(service) {
      const { edda } = service;
      await edda.upload('sub/a.txt', 'old');
      const sourceDirectory = await sourceOf(service, { 'sub/a.txt': 'new' });
      await service.bulk(bulk, { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/sub/a.txt`)).text === 'new';
    },
  },
};
