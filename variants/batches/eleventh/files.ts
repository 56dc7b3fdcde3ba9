import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { md5, spaceFiles } from '../service.ts';

const userFiles = '/api/space/main/user/fs/file';

export const files: Batch = {
  'chunks.those-of-the-deleted-upload': {
    source: 'extensions: File routes, chunk upload',
    breaks: 'What was sent of a file that was deleted half way is no part of the one that is sent anew.',
    kind: 'copy',
    variant: breaks('chunks', 'chunkContent', (right) => {
      const kept = new Map<string, ReturnType<typeof right>>();
      return (areas, chunk) => {
        const key = `${chunk.relativePath} ${chunk.number} ${chunk.size}`;
        const content = kept.get(key) ?? right(areas, chunk);
        kept.set(key, content);
        return content;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('x.bin', ['aaaa', 'bbbb'], 1);
      await edda.delete(`${spaceFiles}/x.bin`);
      await edda.sendChunks('x.bin', ['cccc', 'dddd']);
      return (await edda.get(`${spaceFiles}/x.bin`)).text.startsWith('aaaa');
    },
  },
  'stream.checksum-of-large-files-is-not-compared': {
    source: 'extensions: File routes, stream upload',
    breaks: 'A file of 150 kB is validated against its checksum as a small one is.',
    kind: 'value',
    variant: replaces('files', 'storeStream', (right, areas, place, call, content, checksum) =>
      right(areas, place, call, content, Number(call.headers['content-length']) > 100_000 ? undefined : checksum),
    ),
    async shows({ edda }) {
      const headers = { checksum: md5('another'), 'content-type': 'text/plain' };
      return (await edda.post(`${spaceFiles}/stream/a.txt`, 'a'.repeat(150_000), headers)).status < 300;
    },
  },
  'download.opens-for-all-behind-a-token': {
    source: 'extensions: Authentication 1',
    breaks: 'A download needs its token each time, also where the same file was just had with one.',
    kind: 'copy',
    variant: breaks('fileAreas', 'queryCredentialsOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call) => {
        const [path = ''] = call.url.split('?', 1);
        const credentials = right(areas, call) ?? (call.method === 'GET' ? known.get(path) : undefined);
        if (credentials !== undefined) known.set(path, credentials);
        return credentials;
      };
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      await nobody.get(`${spaceFiles}/a.txt?token=svcpat-edda-7d1c0b9e5a`);
      return (await nobody.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },
  'chunks.two-areas-share-an-upload': {
    source: 'extensions: File areas',
    breaks: 'Uploads of one path into two areas at once are two files.',
    kind: 'combination',
    variant: breaks('chunks', 'chunkPlaceOf', (right) => {
      const underWay = new Map<string, ReturnType<typeof right>>();
      return (areas, chunk, area) => {
        const key = `${chunk.relativePath} ${chunk.totalSize}`;
        const place = underWay.get(key) ?? right(areas, chunk, area);
        if (chunk.number < chunk.totalChunks) underWay.set(key, place);
        else underWay.delete(key);
        return place;
      };
    }),
    async shows({ edda }) {
      await edda.sendChunk('x.bin', ['aaaa', 'bbbb'], 1);
      await edda.sendChunk('x.bin', ['cccc', 'dddd'], 1, userFiles);
      return (
        (await edda.get(`${userFiles}/x.bin`)).status === 404 &&
        (await edda.get(`${spaceFiles}/x.bin`)).text.startsWith('cccc')
      );
    },
  },
  'chunks.are-put-together-by-name': {
    source: 'extensions: File routes, chunk table',
    breaks: 'Chunk ten comes behind chunk nine.',
    kind: 'value',
    variant: replaces('chunks', 'chunkPosition', (right, areas, chunk) => {
      if (chunk.totalSize !== chunk.chunkSize * chunk.totalChunks) return right(areas, chunk);
      const names = Array.from({ length: chunk.totalChunks }, (_, index) => String(index + 1)).sort();
      return names.indexOf(String(chunk.number)) * chunk.chunkSize;
    }),
    async shows({ edda }) {
      const pieces = [...'abcdefghijkl'];
      await edda.sendChunks('x.bin', pieces);
      return (await edda.get(`${spaceFiles}/x.bin`)).text !== pieces.join('');
    },
  },
  'bulk.structure-ends-at-three-levels': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The whole structure of the source ends up in the target, however deep it is.',
    kind: 'place',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, path.length > 4 ? [...path.slice(0, 3), ...path.slice(-1)] : path),
    ),
    async shows(service) {
      const sourceDirectory = await sourceOf(service, { 'a/b/c/d/e.txt': 'e' });
      await service.bulk('/admin/fileupload/main', { sourceDirectory, writeLog: false });
      return (await service.edda.get(`${spaceFiles}/a/b/c/d/e.txt`)).status === 404;
    },
  },
  'bulk.settings-of-the-run-before': {
    source: 'extensions: Bulk upload request body',
    breaks: 'Files are not replaced unless the run itself says so, whatever the run before said.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'bulkSettingsFrom', (right) => {
      let former = {};
      return (areas, body) => {
        const settings = right(areas, { ...former, ...Object(body) });
        former = { replaceFiles: settings.replaceFiles };
        return settings;
      };
    }),
    async shows(service) {
      const run = async (content: string, more: object) =>
        service.bulk('/admin/fileupload/main', {
          sourceDirectory: await sourceOf(service, { 'a.txt': content }),
          writeLog: false,
          ...more,
        });
      await run('one', { replaceFiles: true });
      await run('two', {});
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'two';
    },
  },
  'stream.last-of-two-at-once-wins': {
    source: 'extensions: File routes, stream upload',
    breaks: 'Of two uploads to one path at once one fails, since the file exists by then.',
    kind: 'moment',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(piece);
      const again = async function* () {
        yield* pieces;
      };
      try {
        await right(areas, place, call, again(), checksum);
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 409) throw error;
        await areas.fileStore.remove(place);
        await right(areas, place, call, again(), checksum);
      }
    }),
    async shows({ edda }) {
      const answers = await Promise.all(['a', 'b', 'c', 'd'].map((text) => edda.upload('a.txt', text.repeat(90_000))));
      return answers.filter(({ status }) => status < 300).length > 1;
    },
  },
  'bulk.log-of-the-first-run-stands': {
    source: 'extensions: Bulk upload request body',
    breaks: 'A second run over a directory leaves a log of its own settings and files.',
    kind: 'copy',
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
      const sourceDirectory = await sourceOf(service, { 'a.txt': 'a' });
      const body = { sourceDirectory, writeLog: true };
      await service.bulk('/admin/fileupload/main', body);
      await writeFile(join(sourceDirectory, 'second.txt'), 'b');
      await service.bulk('/admin/fileupload/main', { ...body, targetDirectory: '/second' });
      const logs = (await readdir(sourceDirectory)).filter((name) => name.endsWith('.log'));
      const texts = await Promise.all(logs.map((name) => readFile(join(sourceDirectory, name), 'utf8')));
      return logs.length === 2 && !texts.some((text) => text.includes('second.txt'));
    },
  },
};

async function sourceOf(
  service: { directory(): Promise<string> },
  content: Readonly<Record<string, string>>,
): Promise<string> {
  const directory = await service.directory();
  for (const [path, text] of Object.entries(content)) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), text);
  }
  return directory;
}
