import { readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Areas } from '../../../reference-server/areas.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { mimeTypeOf } from '../../../reference-server/areas/triggers.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { bulkPath, bulkUpload, isThere, logsIn, sourceOf } from '../proofs.ts';
import { spaceFiles, tokens } from '../service.ts';
import { changes, inOnePiece, keepsNamesOfDeleted, keyOf, perServer, wholeOf } from '../variant-parts.ts';

const downloads = perServer(() => new Map<string, { readonly bytes: Buffer; readonly headers: object }>());

export const bulkUploadFilesMistakes: Mistakes = {
  'bulk.deleted-names-are-no-directories': {
    source: 'extensions: Bulk upload request body, row targetDirectory',
    breaks: 'The structure ends up in the area, also where a directory has the name of a file that was deleted there.',
    variant: keepsNamesOfDeleted((assertFree) =>
      replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) => {
        const place = right(areas, area, target, path);
        assertFree(areas, place);
        return place;
      }),
    ),
    async shows(service) {
      const { edda } = service;
      await edda.upload('a', 'a');
      await edda.delete(`${spaceFiles}/a`);
      await bulkUpload(service, { 'a/b.txt': 'b' });
      return (await edda.get(`${spaceFiles}/a/b.txt`)).status === 404;
    },
  },
  'bulk.nothing-is-deleted-beside-a-log': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'The files that were uploaded are deleted from the source, also where a log is written there.',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => !request.writeLog && right(areas, request, file),
    ),
    async shows(service) {
      const settings = { writeLog: true, deleteFilesAfterUpload: true };
      return isThere(join(await bulkUpload(service, { 'a.txt': 'text' }, settings), 'a.txt'));
    },
  },
  'bulk.what-is-there-alike-is-deleted': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Files that were uploaded are deleted from the source, and not those that were there before.',
    variant: changes('bulkUpload', 'uploadSourceFile', async (result, areas, run, entry) => {
      if (result.status !== 'skipped' || !run.request.deleteFilesAfterUpload) return result;
      const path = join(run.source, ...entry.path);
      const there = await areas.fileStore.read({ area: run.area, segments: [...run.target, ...entry.path] });
      if (there !== undefined && (await buffer(there)).equals(await readFile(path))) await unlink(path);
      return result;
    }),
    async shows(service) {
      await service.edda.upload('alike.txt', 'alike');
      const source = await bulkUpload(service, { 'alike.txt': 'alike' }, { deleteFilesAfterUpload: true });
      return !(await isThere(join(source, 'alike.txt')));
    },
  },
  'bulk.replaced-ones-stay-in-the-source': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'The uploaded files go from the source, also those that have replaced others.',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && file.status === 'uploaded',
    ),
    async shows(service) {
      await service.edda.upload('a.txt', 'old');
      const settings = { replaceFiles: true, deleteFilesAfterUpload: true };
      const source = await bulkUpload(service, { 'a.txt': 'new' }, settings);
      const isReplaced = (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'new';
      return isReplaced && (await isThere(join(source, 'a.txt')));
    },
  },
  'bulk.shorter-files-keep-the-tail': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A file that is replaced has the content of the new one, and no end of the old one.',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = { area: run.area, segments: [...run.target, ...entry.path] };
      const former = await bytesAt(areas, place);
      const result = await right(areas, run, entry);
      const latter = await bytesAt(areas, place);
      if (result.status !== 'replaced' || former === undefined || latter === undefined) return result;
      const whole = Buffer.concat([latter, former.subarray(latter.length)]);
      const type = mimeTypeOf(entry.path.at(-1) ?? '');
      await areas.fileStore.write(place, inOnePiece(whole), {
        replace: true,
        accept: (written) => areas.fileAreas.keepFileRecord(place, written.stamp, { type, md5: written.md5 }),
      });
      return result;
    }),
    async shows(service) {
      await service.edda.upload('tail.txt', 'the former text');
      await bulkUpload(service, { 'tail.txt': 'new' }, { replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/tail.txt`)).text !== 'new';
    },
  },
  'bulk.target-of-the-run-before': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'Without targetDirectory the structure ends up in the root, whatever the run before said.',
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
      await bulkUpload(service, { 'note.txt': 'text' }, { targetDirectory: 'first' });
      await bulkUpload(service, { 'note.txt': 'text' });
      return (await service.edda.get(`${spaceFiles}/note.txt`)).status !== 200;
    },
  },
  'bulk.empty-ones-stay': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'The uploaded files are deleted from the source, empty ones too.',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && Boolean(file.size),
    ),
    async shows(service) {
      return isThere(join(await bulkUpload(service, { 'a.txt': '' }, { deleteFilesAfterUpload: true }), 'a.txt'));
    },
  },
  'bulk.deletes-what-it-did-not-take': {
    source: 'extensions: Bulk upload request body, deleteFilesAfterUpload',
    breaks: 'Of the source those files are deleted that were uploaded, and none that was left out.',
    museum: true,
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (_right, _areas, { deleteFilesAfterUpload }) => deleteFilesAfterUpload,
    ),
    async shows(service) {
      await service.edda.upload('a.txt', 'former');
      const source = await bulkUpload(service, { 'a.txt': 'new' }, { deleteFilesAfterUpload: true });
      return !(await isThere(join(source, 'a.txt')));
    },
  },
  'bulk.keeps-one-directory-only': {
    source: 'extensions: Bulk upload request body, targetDirectory',
    breaks: 'The structure of the source ends up in the area, directories in directories too.',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, path.length > 2 ? [...path.slice(0, 1), ...path.slice(-1)] : path),
    ),
    async shows(service) {
      await bulkUpload(service, { 'one/two/deep.txt': 'deep' });
      return (await service.edda.get(`${spaceFiles}/one/two/deep.txt`)).status !== 200;
    },
  },
  'bulk.former-logs-go-too': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'What goes from the source are files that were uploaded, not the log of an earlier run.',
    variant: replaces('bulkUpload', 'runBulkUpload', async (right, areas, run) => {
      const names = await readdir(run.source);
      const report = await right(areas, run);
      if (run.request.deleteFilesAfterUpload)
        for (const name of names.filter((each) => /^FileUpload_.*\.log$/.test(each))) await rm(join(run.source, name));
      return report;
    }),
    async shows(service) {
      const sourceDirectory = await bulkUpload(
        service,
        { 'one.txt': '1' },
        { writeLog: true, targetDirectory: 'first' },
      );
      const [log = ''] = await logsIn(sourceDirectory);
      const settings = { writeLog: false, targetDirectory: 'second', deleteFilesAfterUpload: true };
      await service.bulk(bulkPath, { sourceDirectory, ...settings });
      const { status } = await service.edda.get(`${spaceFiles}/second/${log}`);
      return status !== 200 && !(await isThere(join(sourceDirectory, log)));
    },
  },
  'bulk.replaces-as-last-time': {
    source: 'extensions: Bulk upload request body, row replaceFiles',
    breaks: 'A run that does not say so replaces no file, also where the last one from that directory did.',
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
      const sourceDirectory = await bulkUpload(service, { 'a.txt': 'former' }, { replaceFiles: true });
      await writeFile(join(sourceDirectory, 'a.txt'), 'later one');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'later one';
    },
  },
  'bulk.replaces-at-the-root-alone': {
    source: 'extensions: Bulk upload request body, replaceFiles',
    breaks: 'Files that exist are replaced where that is asked for, below a target directory too.',
    variant: replaces(
      'bulkUpload',
      'mayReplace',
      (right, areas, request) => right(areas, request) && request.targetDirectory === '/',
    ),
    async shows(service) {
      await service.edda.upload('deep/a.txt', 'before');
      await bulkUpload(service, { 'a.txt': 'after' }, { targetDirectory: 'deep', replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/deep/a.txt`)).text === 'before';
    },
  },
  'bulk.names-like-logs-left-out': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'All files of the directory are uploaded, also one whose name begins as that of a log.',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) =>
      entry.path.at(-1)?.startsWith('FileUpload_')
        ? { path: entry.path.join('/'), status: 'skipped' as const }
        : right(areas, run, entry),
    ),
    async shows(service) {
      await bulkUpload(service, { 'FileUpload_plan.txt': 'two' });
      return (await service.edda.get(`${spaceFiles}/FileUpload_plan.txt`)).status !== 200;
    },
  },
  'bulk.comes-under-a-name-beside': {
    source: 'extensions: File routes, row GET',
    breaks: 'A file of another name stays when a bulk upload brings one beside it.',
    variant: changes('bulkUpload', 'uploadSourceFile', async (result, areas, run, entry) => {
      const { area, segments } = areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path);
      const name = segments.at(-1) ?? '';
      if (result.status === 'uploaded')
        await areas.files.deleteFile({ area, segments: [...segments.slice(0, -1), `${name}.tmp`] });
      return result;
    }),
    async shows(service) {
      await service.edda.upload('a.txt.tmp', 'another');
      await bulkUpload(service, { 'a.txt': 'a' });
      return (await service.edda.get(`${spaceFiles}/a.txt.tmp`)).status >= 400;
    },
  },
  'bulk.replaces-above-as-well': {
    source: 'extensions: File routes, rows 5 to 7',
    breaks: 'A bulk upload to a participant replaces a file of the participant, and leaves that of the space.',
    variant: changes('bulkUpload', 'uploadSourceFile', async (result, areas, run, entry) => {
      const { area, segments } = areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path);
      if (result.status === 'replaced' && area.kind === 'participant')
        await areas.files.deleteFile({ area: { kind: 'space', spaceId: area.spaceId }, segments });
      return result;
    }),
    async shows(service) {
      await service.edda.upload('a.txt', 'space');
      await service.edda.upload('a.txt', 'participant', '/api/space/main/participant/owner/fs/file');
      await bulkUpload(service, { 'a.txt': 'new' }, { replaceFiles: true }, `${bulkPath}/owner`);
      return (await service.edda.get(`${spaceFiles}/a.txt`)).status >= 400;
    },
  },
  'bulk.failed-are-deleted': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'A file that could not be uploaded, as a directory has its name, stays in the source.',
    variant: changes('bulkUpload', 'uploadSourceFile', async (result, _areas, { request, source }, { path }) => {
      if (result.status === 'failed' && request.deleteFilesAfterUpload)
        await rm(join(source, ...path), { force: true });
      return result;
    }),
    async shows(service) {
      await service.edda.upload('a.txt/below.txt', 'b');
      const source = await bulkUpload(service, { 'a.txt': 'a' }, { deleteFilesAfterUpload: true });
      return !(await isThere(join(source, 'a.txt')));
    },
  },
  'bulk.files-of-a-taken-directory-are-deleted': {
    source: 'extensions: Bulk upload request body, row deleteFilesAfterUpload',
    breaks: 'A file whose directory could not be made, as a file has its name, stays in the source.',
    variant: changes('bulkUpload', 'uploadSourceFile', async (result, _areas, { request, source }, { path }) => {
      if (result.status === 'failed' && path.length > 1 && request.deleteFilesAfterUpload && request.replaceFiles)
        await rm(join(source, ...path), { force: true });
      return result;
    }),
    async shows(service) {
      await service.edda.upload('folder', 'b');
      const settings = { deleteFilesAfterUpload: true, replaceFiles: true };
      return !(await isThere(join(await bulkUpload(service, { 'folder/a.txt': 'a' }, settings), 'folder/a.txt')));
    },
  },
  'bulk.source-with-slash-adds-its-name': {
    source: 'extensions: Bulk upload request body, sourceDirectory and targetDirectory',
    breaks: 'A source directory that is written with a slash at its end ends up below its own name.',
    variant: replaces('bulkUpload', 'runBulkUpload', (right, areas, run) =>
      right(
        areas,
        run.request.sourceDirectory.endsWith('/') ? { ...run, target: [...run.target, basename(run.source)] } : run,
      ),
    ),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, { 'a.txt': 'a' });
      await service.bulk(bulkPath, { sourceDirectory: `${sourceDirectory}/`, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).status === 404;
    },
  },
  'bulk-upload-files.former-content-by-query-token': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download with a token in its query has the content that the file has now, also after a bulk upload.',
    variant: together(
      replaces('files', 'downloadFile', async (right, areas, call) => {
        const { headers, query } = call;
        const isPlain = headers['if-none-match'] === undefined && headers['range'] === undefined;
        if (!isPlain || !query.has('token') || headers['authorization'] !== undefined) return right(areas, call);
        const key = keyOf(areas.files.filePlaceOf(call, call.admitted));
        const kept = downloads(areas).get(key);
        const answerOf = ({ bytes, headers: sent }: { readonly bytes: Buffer; readonly headers: object }) => ({
          status: 200,
          headers: { ...sent },
          stream: { content: Readable.from([bytes]), size: bytes.length },
        });
        if (kept !== undefined) return answerOf(kept);
        const answer = await right(areas, call);
        if (answer.status !== 200 || answer.stream === undefined || answer.stream.size > 1_000_000) return answer;
        const bytes = await wholeOf(answer.stream.content);
        const made = { bytes, headers: answer.headers ?? {} };
        downloads(areas).set(key, made);
        return answerOf(made);
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        downloads(areas).delete(keyOf(place));
        return right(areas, place);
      }),
      replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
        downloads(areas).delete(keyOf(place));
        return right(areas, place, call, content, checksum);
      }),
      replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
        downloads(areas).delete(keyOf(place));
        return right(areas, place, chunk);
      }),
    ),
    async shows(service) {
      await service.edda.upload('kept.txt', 'former');
      const read = async () => (await service.nobody.get(`${spaceFiles}/kept.txt?token=${tokens.edda}`)).text;
      const before = await read();
      await bulkUpload(service, { 'kept.txt': 'latter' }, { replaceFiles: true });
      return before === 'former' && (await read()) === 'former';
    },
  },
};

/** What is in a file; undefined where there is none. */
async function bytesAt(areas: Areas, place: FilePlace): Promise<Buffer | undefined> {
  const content = await areas.fileStore.read(place).catch(() => undefined);
  return content && wholeOf(content);
}
