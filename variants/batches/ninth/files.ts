import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { spaceFiles } from '../service.ts';

export const files: Batch = {
  'files.delete-takes-plus-for-a-blank': {
    source: 'extensions: File routes, row 4',
    breaks: 'The file that a DELETE names is the one that a GET of the same path reads.',
    kind: 'value',
    variant: replaces('files', 'filePlaceOf', (right, areas, call, area) =>
      right(
        areas,
        call.method === 'DELETE'
          ? { ...call, rest: call.rest?.map((name) => name.replaceAll('+', '%20')) ?? [] }
          : call,
        area,
      ),
    ),
    async shows({ edda }) {
      await edda.upload('a+b.txt', 'a');
      await edda.delete(`${spaceFiles}/a+b.txt`);
      return (await edda.get(`${spaceFiles}/a+b.txt`)).status === 200;
    },
  },
  'files.no-log-where-sources-are-deleted': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The log is written also where the uploaded files are deleted from the source.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'writesLog',
      (right, areas, request) => right(areas, request) && !request.deleteFilesAfterUpload,
    ),
    async shows({ directory, bulk }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'a.txt'), 'a');
      const body = { sourceDirectory, writeLog: true, deleteFilesAfterUpload: true };
      await bulk('/admin/fileupload/main', body);
      return !(await readdir(sourceDirectory)).some((name) => name.startsWith('FileUpload_'));
    },
  },
  'files.structure-is-lost-below-a-target': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The structure of the source ends up below the target directory as it does at the root.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, target.length === 0 ? path : path.slice(-1)),
    ),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'deep'));
      await writeFile(join(sourceDirectory, 'deep', 'a.txt'), 'a');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, targetDirectory: 'target' });
      return (await edda.get(`${spaceFiles}/target/deep/a.txt`)).status !== 200;
    },
  },
};
