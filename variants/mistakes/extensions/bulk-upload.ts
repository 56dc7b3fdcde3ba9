import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isContent } from '../../../reference-server/areas/content.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { bulkPath, bulkUpload, collectionFiles, isThere, logsIn, participantFiles, sourceOf } from '../proofs.ts';
import { listAt, many, spaceFiles } from '../service.ts';
import { changes, during, keyOf } from '../variant-parts.ts';

/** Files that a run looks at. */
const mostOfARun = 100;

export const bulkUploadMistakes: Mistakes = {
  'bulk-log-missing-when-a-file-fails': {
    source: 'extensions: Bulk upload request body, writeLog',
    breaks: 'The log is written when the upload finishes, also where a file could not be uploaded.',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if (report.statistics.failed === 0) await right(areas, source, report);
    }),
    async shows(service) {
      await service.edda.upload('blocked/inner.txt', 'x');
      const source = await bulkUpload(service, { blocked: 'x', 'free.txt': 'y' }, { writeLog: true });
      return (await logsIn(source)).length === 0;
    },
  },
  'bulk.source-below-the-root': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files go from the source where that is asked for, also those in its subdirectories.',
    variant: replaces(
      'bulkUpload',
      'isDeletedAfter',
      (right, areas, request, file) => right(areas, request, file) && !file.path.includes('/'),
    ),
    async shows(service) {
      const source = await bulkUpload(service, { 'folder/a.txt': 'a' }, { deleteFilesAfterUpload: true });
      return isThere(join(source, 'folder/a.txt'));
    },
  },
  'files.bulk-replaces-in-the-root-only': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Existing files are replaced in subdirectories as well.',
    variant: replaces('bulkUpload', 'uploadSourceFile', (right, areas, run, entry) => {
      const request = entry.path.length > 1 ? { ...run.request, replaceFiles: false } : run.request;
      return right(areas, { ...run, request }, entry);
    }),
    async shows(service) {
      await service.edda.upload('sub/a.txt', 'old');
      await bulkUpload(service, { 'sub/a.txt': 'new' }, { replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/sub/a.txt`)).text !== 'new';
    },
  },
  'files.bulk-target-has-one-name': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The target directory is the whole relative path.',
    variant: replaces('bulkUpload', 'bulkTargetOf', (right, areas, request) => right(areas, request).slice(0, 1)),
    async shows(service) {
      await bulkUpload(service, { 'a.txt': 'a' }, { targetDirectory: 'x/y' });
      return (await service.edda.get(`${spaceFiles}/x/y/a.txt`)).status !== 200;
    },
  },
  'bulk.structure-ends-at-three-levels': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The whole structure of the source ends up in the target, however deep it is.',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, path.length > 4 ? [...path.slice(0, 3), ...path.slice(-1)] : path),
    ),
    async shows(service) {
      await bulkUpload(service, { 'a/b/c/d/e.txt': 'e' });
      return (await service.edda.get(`${spaceFiles}/a/b/c/d/e.txt`)).status === 404;
    },
  },
  'bulk.settings-of-the-run-before': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Files are not replaced unless the run itself says so, whatever the run before said.',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let former = {};
      return (areas, body) => {
        const settings = right(areas, { ...former, ...Object(body) });
        former = { replaceFiles: settings.replaceFiles };
        return settings;
      };
    }),
    async shows(service) {
      await bulkUpload(service, { 'a.txt': 'one' }, { replaceFiles: true });
      await bulkUpload(service, { 'a.txt': 'two' });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'two';
    },
  },
  'bulk.log-of-the-first-run-stands': {
    source: 'extensions: Bulk upload request body',
    breaks: 'A second run over a directory leaves a log of its own settings and files.',
    variant: (() => {
      const texts = new Map<string, string>();
      const sources: string[] = [];
      return together(
        replaces('bulkUpload', 'writeBulkLog', (right, areas, source, report) => {
          sources.push(source);
          return right(areas, source, report);
        }),
        replaces('bulkUpload', 'bulkLogText', (right, areas, report) => {
          const source = sources.at(-1) ?? '';
          const text = texts.get(source) ?? right(areas, report);
          texts.set(source, text);
          return text;
        }),
      );
    })(),
    async shows(service) {
      const sourceDirectory = await bulkUpload(service, { 'a.txt': 'a' }, { writeLog: true });
      await writeFile(join(sourceDirectory, 'second.txt'), 'b');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: true, targetDirectory: '/second' });
      const logs = await logsIn(sourceDirectory);
      const texts = await Promise.all(logs.map((name) => readFile(join(sourceDirectory, name), 'utf8')));
      return logs.length === 2 && !texts.some((text) => text.includes('second.txt'));
    },
  },
  'bulk.same-length-is-same': {
    source: 'extensions: Bulk upload request body',
    breaks: 'With replaceFiles every file that exists is replaced, also by one of its length.',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const { size } = await stat(join(run.source, ...entry.path));
      const former = await areas.fileStore.describe(areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path));
      if (run.request.replaceFiles && former?.kind === 'file' && former.size === size)
        return { path: entry.path.join('/'), status: 'skipped' };
      return right(areas, run, entry);
    }),
    async shows(service) {
      await service.edda.upload('same.txt', 'old');
      await bulkUpload(service, { 'same.txt': 'new' }, { replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/same.txt`)).text !== 'new';
    },
  },
  'bulk.one-log-in-a-directory': {
    source: 'extensions: Bulk upload request body',
    breaks: 'A log that is asked for is written when the upload ends, also where that of an earlier upload is.',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if ((await logsIn(source)).length === 0) await right(areas, source, report);
    }),
    async shows(service) {
      const sourceDirectory = await bulkUpload(service, {}, { writeLog: true });
      await service.bulk(bulkPath, { sourceDirectory, writeLog: true });
      return (await logsIn(sourceDirectory)).length !== 2;
    },
  },
  'bulk.source-is-a-pattern': {
    source: 'extensions: Bulk upload request body, sourceDirectory',
    breaks: 'The source directory is the one that is named, be there what a pattern of names would have in its name.',
    variant: changes('bulkUpload', 'bulkSettingsFrom', (settings) => ({
      ...settings,
      sourceDirectory: settings.sourceDirectory.replaceAll(/\[([^\]])[^\]]*\]/g, '$1'),
    })),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, { 'note.txt': 'text' }, 'run[1]');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/note.txt`)).status !== 200;
    },
  },
  'bulk.hidden-directories-left-out': {
    source: 'extensions: Bulk upload request body, sourceDirectory',
    breaks: 'All files below the source are uploaded, also those in a directory whose name begins with a dot.',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const isHidden = entry.path.slice(0, -1).some((name) => name.startsWith('.'));
      return isHidden ? { path: entry.path.join('/'), status: 'skipped' } : right(areas, run, entry);
    }),
    async shows(service) {
      await bulkUpload(service, { '.settings/view.txt': 'content' });
      return (await service.edda.get(`${spaceFiles}/.settings/view.txt`)).status !== 200;
    },
  },
  'bulk.names-with-a-dot-left-out': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'The files of the directory are uploaded, also those whose names begin with a dot.',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) =>
      entry.path.some((name) => name.startsWith('.'))
        ? { path: entry.path.join('/'), status: 'skipped' }
        : right(areas, run, entry),
    ),
    async shows(service) {
      await bulkUpload(service, { '.settings': 'text' });
      return (await service.edda.get(`${spaceFiles}/.settings`)).status !== 200;
    },
  },
  'bulk.no-log-where-nothing-came': {
    source: 'extensions: Bulk upload request body, row writeLog',
    breaks: 'A log is written when the upload finishes, also one in which every file was there already.',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if (report.statistics.uploaded + report.statistics.replaced > 0) await right(areas, source, report);
    }),
    async shows(service) {
      await service.edda.upload('same.txt', 'text');
      return (await logsIn(await bulkUpload(service, { 'same.txt': 'text' }, { writeLog: true }))).length === 0;
    },
  },
  'bulk.first-hundred': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'All files of the source directory are uploaded, also behind the hundredth.',
    variant: breaks('bulkUpload', 'uploadSourceFile', (right) => {
      const counts = new WeakMap<object, number>();
      return async (areas, run, entry) => {
        const count = (counts.get(run) ?? 0) + 1;
        counts.set(run, count);
        if (count > mostOfARun) return { path: entry.path.join('/'), status: 'uploaded', size: 0 };
        return right(areas, run, entry);
      };
    }),
    async shows(service) {
      const names = many(101, (number) => `f${String(number).padStart(3, '0')}.txt`);
      await bulkUpload(service, Object.fromEntries(names.map((name) => [name, 'content'])));
      return (await service.edda.get(`${spaceFiles}/f101.txt`)).status !== 200;
    },
  },
  'bulk.no-log-of-nothing': {
    source: 'extensions: Bulk upload request body, writeLog',
    breaks: 'The log is written when the upload has finished, one of no file too.',
    variant: replaces('bulkUpload', 'writeBulkLog', async (right, areas, source, report) => {
      if (report.files.length > 0) await right(areas, source, report);
    }),
    async shows(service) {
      return (await logsIn(await bulkUpload(service, {}, { writeLog: true }))).length === 0;
    },
  },
  'bulk.deletes-as-the-run-before': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Uploaded files stay in the source unless it is said, also when the run before had them deleted.',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let deleteFilesAfterUpload = false;
      return (areas, body) => {
        const settings = right(areas, isContent(body) ? { deleteFilesAfterUpload, ...body } : body);
        ({ deleteFilesAfterUpload } = settings);
        return settings;
      };
    }),
    async shows(service) {
      await bulkUpload(service, { 'one.txt': '1' }, { deleteFilesAfterUpload: true });
      return (await readdir(await bulkUpload(service, { 'other.txt': '2' }))).length === 0;
    },
  },
  'files.no-log-where-sources-are-deleted': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The log is written also where the uploaded files are deleted from the source.',
    variant: replaces(
      'bulkUpload',
      'writesLog',
      (right, areas, request) => right(areas, request) && !request.deleteFilesAfterUpload,
    ),
    async shows(service) {
      const settings = { writeLog: true, deleteFilesAfterUpload: true };
      return (await logsIn(await bulkUpload(service, { 'a.txt': 'a' }, settings))).length === 0;
    },
  },
  'files.structure-is-lost-below-a-target': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The structure of the source ends up below the target directory as it does at the root.',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, target.length === 0 ? path : path.slice(-1)),
    ),
    async shows(service) {
      await bulkUpload(service, { 'deep/a.txt': 'a' }, { targetDirectory: 'target' });
      return (await service.edda.get(`${spaceFiles}/target/deep/a.txt`)).status !== 200;
    },
  },
  'bulk.what-came-in-chunks-is-not-replaced': {
    source: 'extensions: Bulk upload request body',
    breaks: 'An upload that is to replace files replaces each that exists, however it came.',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = areas.bulkUpload.bulkPlaceOf(run.area, run.target, entry.path);
      const info = await areas.fileStore.describe(place);
      const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
      const isChunked = record !== undefined && record.md5 === undefined;
      return right(areas, isChunked ? { ...run, request: { ...run.request, replaceFiles: false } } : run, entry);
    }),
    async shows(service) {
      await service.edda.sendChunks('a.txt', ['aaaa', 'bb']);
      await bulkUpload(service, { 'a.txt': 'new' }, { replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text !== 'new';
    },
  },
  'bulk.files-below-a-directory-are-replaced': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Without replaceFiles no file that is there gives way, in subdirectories neither.',
    variant: replaces('bulkUpload', 'uploadSourceFile', (right, areas, run, entry) => {
      const request = { ...run.request, replaceFiles: run.request.replaceFiles || entry.path.length > 1 };
      return right(areas, { ...run, request }, entry);
    }),
    async shows(service) {
      await service.edda.upload('sub/a.txt', 'old');
      await bulkUpload(service, { 'sub/a.txt': 'new' });
      return (await service.edda.get(`${spaceFiles}/sub/a.txt`)).text === 'new';
    },
  },
  'bulk.files-without-bytes': {
    source: 'extensions: Bulk upload request body, row sourceDirectory',
    breaks: 'Every file of the source directory is taken, an empty one too.',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const found = await stat(join(run.source, ...entry.path)).catch(() => undefined);
      if (found?.size !== 0) return right(areas, run, entry);
      return { path: entry.path.join('/'), status: 'skipped', error: 'it is empty' };
    }),
    async shows(service) {
      await bulkUpload(service, { 'empty.txt': '' });
      return (await service.edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },
  'bulk.below-a-target-that-is-there': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The structure ends up in the target directory, also in one that an upload before has made.',
    variant: breaks('bulkUpload', 'bulkTargetOf', (right) => {
      const made = new Set<string>();
      return (areas, request) => {
        const names = right(areas, request);
        const isThere = made.has(names.join('/'));
        made.add(names.join('/'));
        return isThere && names.length > 0 ? [...names, basename(request.sourceDirectory)] : names;
      };
    }),
    async shows(service) {
      for (const name of ['first.txt', 'second.txt'])
        await bulkUpload(service, { [name]: name }, { targetDirectory: 'target' });
      return (await service.edda.get(`${spaceFiles}/target/second.txt`)).status !== 200;
    },
  },
  'bulk.taken-in-the-collection': {
    source: 'extensions: File routes, POST /admin/fileupload/{spaceId}',
    breaks: 'A bulk upload to a space asks what stands in that space, and not what does in the collection.',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = { area: { kind: 'collection' }, segments: [...run.target, ...entry.path] } as const;
      const isTaken = run.area.kind === 'space' && (await areas.fileStore.describe(place)) !== undefined;
      if (!isTaken || run.request.replaceFiles) return right(areas, run, entry);
      return { path: entry.path.join('/'), status: 'skipped', error: 'a file is there already' };
    }),
    async shows(service) {
      await service.cora.upload('both.txt', 'of the collection', collectionFiles);
      await bulkUpload(service, { 'both.txt': 'of the space' });
      return (await service.edda.get(`${spaceFiles}/both.txt`)).status !== 200;
    },
  },
  'bulk.tag-of-what-was-replaced': {
    source: 'extensions: File routes, POST /admin/fileupload/{spaceId}',
    breaks: 'A file that a bulk upload has replaced is other data, so that its ETag is another one.',
    survives:
      'Whether files have tags, and what these tell, is not said (ledger download-metadata-headers): it is remarked on.',
    variant: during('bulkUpload', 'runBulkUpload', (bulk) =>
      breaks('fileAreas', 'keepFileRecord', (right) => {
        const sums = new Map<string, string>();
        return (areas, place, stamp, record) => {
          const key = keyOf(place);
          const known = bulk.isOn() ? sums.get(key) : undefined;
          if (record.md5 !== undefined && known === undefined) sums.set(key, record.md5);
          return right(areas, place, stamp, known === undefined ? record : { ...record, md5: known });
        };
      }),
    ),
    async shows(service) {
      await service.edda.upload('a.txt', 'old');
      const etag = (await service.edda.get(`${spaceFiles}/a.txt`)).headers.get('etag') ?? '';
      await bulkUpload(service, { 'a.txt': 'new' }, { replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`, { 'If-None-Match': etag })).status === 304;
    },
  },
  'bulk.uploaded-once-for-the-collection': {
    source: 'extensions: File routes, row 5',
    breaks: 'A run uploads to the collection area what is not there, also where an earlier run had uploaded it.',
    variant: breaks('bulkUpload', 'uploadSourceFile', (right) => {
      const done = new Set<string>();
      return async (areas, run, entry) => {
        const path = entry.path.join('/');
        const key = [...run.target, path].join('/');
        if (run.area.kind !== 'collection' || run.request.replaceFiles) return right(areas, run, entry);
        if (done.has(key)) return { path, status: 'skipped', error: 'a file is there already' };
        done.add(key);
        return right(areas, run, entry);
      };
    }),
    async shows(service) {
      const upload = () => bulkUpload(service, { 'again.txt': 'content' }, {}, '/admin/fileupload');
      await upload();
      await service.cora.delete(`${collectionFiles}/again.txt`);
      await upload();
      return (await service.cora.get(`${collectionFiles}/again.txt`)).status !== 200;
    },
  },
  'bulk.area-of-the-source': {
    source: 'extensions: File routes, row 7',
    breaks: 'A run for a participant uploads to its area, also from where a run for the space has taken files.',
    variant: breaks('bulkUpload', 'runBulkUpload', (right) => {
      const areasOfSources = new Map<string, Parameters<typeof right>[1]['area']>();
      return (areas, run) => {
        const former = areasOfSources.get(run.source);
        if (run.area.kind === 'participant' && former?.kind === 'space') return right(areas, { ...run, area: former });
        areasOfSources.set(run.source, run.area);
        return right(areas, run);
      };
    }),
    async shows(service) {
      const sourceDirectory = await bulkUpload(service, { 'sub/both.txt': 'content' });
      await service.bulk(`${bulkPath}/owner`, { sourceDirectory, writeLog: false });
      return (await service.edda.get('/api/space/main/participant/owner/fs/file/sub/both.txt')).status !== 200;
    },
  },
  'bulk.root-of-a-participant': {
    source: 'extensions: File routes, row 7',
    breaks:
      'A bulk upload at participant level goes to the area of the participant, files in the root of the source too.',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) => {
      const isAtRoot = area.kind === 'participant' && target.length + path.length === 1;
      return right(areas, isAtRoot ? { kind: 'space', spaceId: area.spaceId } : area, target, path);
    }),
    async shows(service) {
      await bulkUpload(service, { 'a.txt': 'one' }, {}, `${bulkPath}/supplier`);
      return (await service.emil.get('/api/space/main/participant/supplier/fs/file/a.txt')).status !== 200;
    },
  },
  'bulk.participants-of-any-space': {
    source: 'extensions: File routes, row 7',
    breaks: 'The participant of a bulk upload is one of the space that the path names.',
    variant: replaces('bulkUpload', 'bulkAreaOf', (right, areas, call) => {
      const { participantId = '' } = call.params;
      const home = [...areas.configuration.spaces.values()].find(({ participants }) => participants.has(participantId));
      return home === undefined ? right(areas, call) : { kind: 'participant', spaceId: home.id, participantId };
    }),
    async shows(service) {
      await bulkUpload(service, { 'a.txt': 'one' }, {}, `${bulkPath.replace(/[^/]+$/, 'depot')}/owner`);
      return (await service.edda.get(`${participantFiles}/a.txt`)).status === 200;
    },
  },
  'bulk-log.details-of-twenty-files': {
    source: 'extensions: Bulk upload request body, row writeLog',
    breaks: 'The log has the details of each file, beyond the twentieth as well.',
    variant: replaces('bulkUpload', 'bulkLogText', (right, areas, report) =>
      right(areas, { ...report, files: report.files.slice(0, 20) }),
    ),
    async shows(service) {
      const names = many(25, (n) => `f${n}.txt`);
      const files = Object.fromEntries(names.map((name) => [name, 'a']));
      const source = await bulkUpload(service, files, { writeLog: true });
      const [log = ''] = await logsIn(source);
      const text = await readFile(join(source, log), 'utf8');
      return !names.every((name) => text.includes(`"${name}"`));
    },
  },
  'bulk.log-names-each-once': {
    source: 'extensions: Bulk upload request body, row writeLog',
    breaks: 'The log has the details of each file, also of two of one name in different directories.',
    variant: replaces('bulkUpload', 'bulkLogText', (right, areas, report) => {
      const byName = new Map(report.files.map((file) => [file.path.split('/').at(-1), file]));
      return right(areas, { ...report, files: [...byName.values()] });
    }),
    async shows(service) {
      const source = await sourceOf(service, { 'x/readme.txt': 'x', 'y/readme.txt': 'y' });
      await service.bulk(bulkPath, { sourceDirectory: source, writeLog: true });
      const [log = ''] = await logsIn(source);
      return listAt(JSON.parse(await readFile(join(source, log), 'utf8')), '/files').length === 1;
    },
  },
};
