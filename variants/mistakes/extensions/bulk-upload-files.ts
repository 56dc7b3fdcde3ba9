import { access, mkdir, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Areas } from '../../../reference-server/areas.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { mimeTypeOf } from '../../../reference-server/areas/triggers.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { bulkPath, isThere, sourceOf } from '../proofs.ts';
import { many, type Service, spaceFiles } from '../service.ts';
import { once, wholeOf } from '../variant-parts.ts';

export const bulkUploadFilesMistakes: Mistakes = {
  'bulk.nothing-is-deleted-beside-a-log': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'The files that were uploaded are deleted from the source, also where a log is written there.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => !request.writeLog && right(areas, request, file),
    ),
    async shows(service) {
      const sourceDirectory = await directoryOf(service, 'note', 1);
      const body = { sourceDirectory, writeLog: true, deleteFilesAfterUpload: true };
      await service.bulk('/admin/fileupload/main', body);
      return isThere(join(sourceDirectory, 'note1.txt'));
    },
  },
  'bulk.what-is-there-alike-is-deleted': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Files that were uploaded are deleted from the source, and not those that were there before.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const result = await right(areas, run, entry);
      if (result.status !== 'skipped' || !run.request.deleteFilesAfterUpload) return result;
      const path = join(run.source, ...entry.path);
      const there = await areas.fileStore.read({ area: run.area, segments: [...run.target, ...entry.path] });
      if (there !== undefined && (await buffer(there)).equals(await readFile(path))) await unlink(path);
      return result;
    }),
    async shows({ edda, bulk, directory }) {
      const sourceDirectory = await directory();
      await writeFile(join(sourceDirectory, 'alike.txt'), 'alike');
      await edda.upload('alike.txt', 'alike');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return !(await isThere(join(sourceDirectory, 'alike.txt')));
    },
  },
  'bulk.replaced-ones-stay-in-the-source': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'The uploaded files go from the source, also those that have replaced others.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && file.status === 'uploaded',
    ),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const file = join(sourceDirectory, 'a.txt');
      await writeFile(file, 'new');
      await service.edda.upload('a.txt', 'old');
      const body = { sourceDirectory, writeLog: false, replaceFiles: true, deleteFilesAfterUpload: true };
      await service.bulk('/admin/fileupload/main', body);
      const isReplaced = (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'new';
      return isReplaced && (await isThere(file));
    },
  },
  'bulk.shorter-files-keep-the-tail': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A file that is replaced has the content of the new one, and no end of the old one.',
    kind: 'value',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = { area: run.area, segments: [...run.target, ...entry.path] };
      const former = await bytesAt(areas, place);
      const result = await right(areas, run, entry);
      const latter = await bytesAt(areas, place);
      if (result.status !== 'replaced' || former === undefined || latter === undefined) return result;
      const whole = Buffer.concat([latter, former.subarray(latter.length)]);
      const type = mimeTypeOf(entry.path.at(-1) ?? '');
      await areas.fileStore.write(place, once(whole), {
        replace: true,
        accept: (written) => areas.fileAreas.keepFileRecord(place, written.stamp, { type, md5: written.md5 }),
      });
      return result;
    }),
    async shows(service) {
      const source = await service.directory();
      await service.edda.upload('tail.txt', 'the former text');
      await writeFile(join(source, 'tail.txt'), 'new');
      const body = { sourceDirectory: source, writeLog: false, replaceFiles: true };
      await service.bulk('/admin/fileupload/main', body);
      return (await service.edda.get(`${spaceFiles}/tail.txt`)).text !== 'new';
    },
  },
  'bulk.target-of-the-run-before': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'Without targetDirectory the structure ends up in the root, whatever the run before said.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let latest: string | undefined;
      return (areas, body) => {
        const settings = right(areas, body);
        const isStated = typeof body === 'object' && body !== null && 'targetDirectory' in body;
        if (isStated) latest = settings.targetDirectory;
        return isStated ? settings : { ...settings, targetDirectory: latest ?? settings.targetDirectory };
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'note.txt'), 'text');
      const run = (fields: object) =>
        service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false, ...fields });
      await run({ targetDirectory: 'first' });
      await run({});
      return (await service.edda.get(`${spaceFiles}/note.txt`)).status !== 200;
    },
  },
  'bulk.empty-ones-stay': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'The uploaded files are deleted from the source, empty ones too.',
    kind: 'value',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && Boolean(file.size),
    ),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, { 'a.txt': '' });
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return isThere(join(sourceDirectory, 'a.txt'));
    },
  },
  'bulk.deletes-what-it-did-not-take': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Of the source those files are deleted that were uploaded, and none that was left out.',
    museum: true,
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (_right, _areas, { deleteFilesAfterUpload }) => deleteFilesAfterUpload,
    ),
    async shows({ edda, directory, bulk }) {
      await edda.upload('a.txt', 'former');
      const sourceDirectory = await directory();
      const file = join(sourceDirectory, 'a.txt');
      await writeFile(file, 'new');
      await bulk(bulkPath, { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return access(file).then(
        () => false,
        () => true,
      );
    },
  },
  'bulk.keeps-one-directory-only': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'The structure of the source ends up in the area, directories in directories too.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, path.length > 2 ? [...path.slice(0, 1), ...path.slice(-1)] : path),
    ),
    async shows({ directory, bulk, edda }) {
      const sourceDirectory = await directory();
      await mkdir(join(sourceDirectory, 'one', 'two'), { recursive: true });
      await writeFile(join(sourceDirectory, 'one', 'two', 'deep.txt'), 'deep');
      await bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await edda.get(`${spaceFiles}/one/two/deep.txt`)).status !== 200;
    },
  },
  'bulk.former-logs-go-too': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'What goes from the source are files that were uploaded, not the log of an earlier run.',
    kind: 'combination',
    variant: replaces('bulkUpload', 'runBulkUpload', async (right, areas, run) => {
      const names = await readdir(run.source);
      const report = await right(areas, run);
      if (run.request.deleteFilesAfterUpload)
        for (const name of names.filter((each) => /^FileUpload_.*\.log$/.test(each))) await rm(join(run.source, name));
      return report;
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'one.txt'), '1');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: true, targetDirectory: 'first' });
      const log = (await readdir(sourceDirectory)).find((name) => name.startsWith('FileUpload_')) ?? '';
      await service.bulk(bulkPath, {
        sourceDirectory,
        writeLog: false,
        targetDirectory: 'second',
        deleteFilesAfterUpload: true,
      });
      const { status } = await service.edda.get(`${spaceFiles}/second/${log}`);
      return status !== 200 && !(await isThere(join(sourceDirectory, log)));
    },
  },
  'bulk.replaces-as-last-time': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A run that does not say so replaces no file, also where the last one from that directory did.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      const replacing = new Set<string>();
      return (areas, body) => {
        const settings = right(areas, body);
        if (settings.replaceFiles) replacing.add(settings.sourceDirectory);
        const isSilent = isContent(body) && body['replaceFiles'] === undefined;
        return isSilent ? { ...settings, replaceFiles: replacing.has(settings.sourceDirectory) } : settings;
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const file = join(sourceDirectory, 'a.txt');
      await writeFile(file, 'former');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false, replaceFiles: true });
      await writeFile(file, 'later one');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'later one';
    },
  },
  'bulk.replaces-at-the-root-alone': {
    source: 'extensions: Bulk upload request body, replaceFiles',
    breaks: 'Files that exist are replaced where that is asked for, below a target directory too.',
    kind: 'combination',
    variant: replaces(
      'bulkUpload',
      'mayReplace',
      (right, areas, request) => right(areas, request) && request.targetDirectory === '/',
    ),
    async shows({ bulk, edda, directory }) {
      const sourceDirectory = await directory();
      await edda.upload('deep/a.txt', 'before');
      await writeFile(join(sourceDirectory, 'a.txt'), 'after');
      await bulk('/admin/fileupload/main', {
        sourceDirectory,
        writeLog: false,
        targetDirectory: 'deep',
        replaceFiles: true,
      });
      return (await edda.get(`${spaceFiles}/deep/a.txt`)).text === 'before';
    },
  },
};

/** A directory of the host with as many files, each called by a name and its number. */
async function directoryOf(service: Service, name: string, count: number): Promise<string> {
  const directory = await service.directory();
  for (const number of many(count, (each) => each)) await writeFile(join(directory, `${name}${number}.txt`), 'text');
  return directory;
}

/** What is in a file; undefined where there is none. */
async function bytesAt(areas: Areas, place: FilePlace): Promise<Buffer | undefined> {
  const content = await areas.fileStore.read(place).catch(() => undefined);
  return content && wholeOf(content);
}
