import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Areas } from '../../../reference-server/areas.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { basic, bulkUpload, userFiles } from '../proofs.ts';
import { type Client, type Received, spaceFiles, tokens } from '../service.ts';
import { changes, inOnePiece, wholeOf } from '../variant-parts.ts';

const mebibyte = 1_048_576;

/** Longest file of which a copy is kept, in bytes. */
const longestCopy = 65_536;

/** A block that is packed at once. */
const packedBytes = 512;

export const downloadAndDeleteMistakes: Mistakes = {
  'files.the-root-keeps-what-is-deleted': {
    source: 'extensions: File routes',
    breaks: 'A file is deleted by a DELETE, also one in the root of an area.',
    variant: replaces('files', 'deleteFile', (right, areas, place) =>
      place.area.kind === 'user' && place.segments.length === 1 ? Promise.resolve(true) : right(areas, place),
    ),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a', userFiles);
      await edda.delete(`${userFiles}/a.txt`);
      return (await edda.get(`${userFiles}/a.txt`)).status === 200;
    },
  },
  'files.equal-content-may-come-again': {
    source: 'extensions: File routes',
    breaks: 'An upload fails where the file exists, also when it has this very content.',
    variant: replaces('files', 'uploadStream', async (right, areas, call) => {
      const place = areas.files.streamPlaceOf(call, call.admitted);
      const info = await areas.fileStore.describe(place);
      const record = info?.kind === 'file' ? await areas.fileAreas.fileRecordOf(place, info.stamp) : undefined;
      const isSame = record?.md5 !== undefined && record.md5 === call.headers['checksum'];
      return isSame ? areas.fileAreas.createdFile(place) : right(areas, call);
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a');
      return (await edda.upload('a.txt', 'a')).status < 300;
    },
  },
  'files.directories-go-four-deep': {
    source: 'extensions: File routes',
    breaks: 'Directories are made as needed, however deep.',
    variant: changes('files', 'streamPlaceOf', (place) => {
      const { segments } = place;
      return segments.length <= 5 ? place : { ...place, segments: [...segments.slice(0, 4), ...segments.slice(-1)] };
    }),
    async shows({ edda }) {
      await edda.upload('a/b/c/d/e/f.txt', 'a');
      return (await edda.get(`${spaceFiles}/a/b/c/d/e/f.txt`)).status !== 200;
    },
  },
  'files.held-though-gone': {
    source: 'extensions: File routes, row GET',
    breaks: 'A download fails where the file does not exist, also for those who hold an earlier copy.',
    variant: breaks('files', 'downloadFile', (right) => {
      const tags = new Map<string, string>();
      return async (areas, call) => {
        const [path = ''] = call.url.split('?', 1);
        try {
          const answer = await right(areas, call);
          tags.set(path, answer.headers?.['ETag'] ?? '');
          return answer;
        } catch (error) {
          const condition = call.headers['if-none-match'];
          const isHeld = condition !== undefined && condition === tags.get(path);
          if (!(error instanceof Refusal) || error.status !== 404 || !isHeld) throw error;
          return { status: 304, headers: { ETag: condition } };
        }
      };
    }),
    async shows({ edda }) {
      await edda.upload('a/gone.txt', 'text');
      const path = `${spaceFiles}/a/gone.txt`;
      const tag = (await edda.get(path)).headers.get('etag') ?? '';
      await edda.delete(path);
      return (await edda.get(path, { 'If-None-Match': tag })).status === 304;
    },
  },
  'files.name-stays-taken': {
    source: 'extensions: File routes',
    breaks: 'An upload fails where the file exists, and not where one was deleted.',
    variant: breaks('files', 'storeStream', (right) => {
      const taken = new Set<string>();
      return async (areas, place, call, content, checksum) => {
        const path = JSON.stringify(place);
        if (taken.has(path)) throw areas.fileAreas.placeTaken(place);
        await right(areas, place, call, content, checksum);
        taken.add(path);
      };
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'first');
      await edda.delete(`${spaceFiles}/a.txt`);
      await edda.upload('a.txt', 'second');
      return (await edda.get(`${spaceFiles}/a.txt`)).text !== 'second';
    },
  },
  'files.removed-by-anybody': {
    source: 'extensions: File routes',
    breaks: 'All file routes need authentication, DELETE among them.',
    variant: replaces('fileAreas', 'openArea', async (right, areas, call, kind) => {
      const isOpen = call.method === 'DELETE' && call.headers['authorization'] === undefined && kind === 'space';
      return isOpen ? areas.fileAreas.spaceArea(call) : right(areas, call, kind);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      await nobody.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/a.txt`)).status !== 200;
    },
  },
  'files.none-to-delete-in-the-root-of-a-user': {
    source: 'extensions: File routes',
    breaks: 'A file in the root of an area is addressed by its name alone, to delete it as well.',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      if (place.area.kind === 'user' && place.segments.length === 1) return false;
      return right(areas, place);
    }),
    async shows({ edda }) {
      const base = '/api/space/main/user/fs/file';
      await edda.upload('a.txt', 'text', base);
      return (await edda.delete(`${base}/a.txt`)).status >= 400;
    },
  },
  'files.chunk-like-the-first': {
    source: 'extensions: File routes',
    breaks: 'Each chunk is a part of the file, also one with the bytes of another.',
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
  'files.first-mebibyte': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download is the whole file, also of one that is longer than a mebibyte.',
    variant: changes('files', 'downloadFile', async ({ stream, ...answer }, _areas, call) => {
      if (stream === undefined) return answer;
      if (answer.status !== 200 || call.withoutContent || stream.size <= mebibyte) return { ...answer, stream };
      return { ...answer, raw: (await buffer(stream.content)).subarray(0, mebibyte) };
    }),
    async shows({ edda }) {
      const content = 'a'.repeat(1_200_000);
      await edda.upload('large.txt', content);
      return (await edda.get(`${spaceFiles}/large.txt`)).text.length !== content.length;
    },
  },
  'files.texts-read-as-utf-8': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download is the content of the file byte for byte, also of a text in another encoding.',
    variant: changes('files', 'downloadFile', async ({ stream, ...answer }) => {
      if (stream === undefined) return answer;
      const isText = answer.headers?.['Content-Type']?.startsWith('text/') ?? false;
      if (!isText || answer.status !== 200) return { ...answer, stream };
      return { ...answer, raw: (await wholeOf(stream.content)).toString('utf8') };
    }),
    async shows({ edda }) {
      await edda.upload('c/latin.txt', Uint8Array.of(0x63, 0x61, 0x66, 0xe9));
      return (await edda.get(`${spaceFiles}/c/latin.txt`)).headers.get('content-length') !== '4';
    },
  },
  'files.copy-of-the-same-length': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download is the file that is there now, also when an earlier one of its length was there.',
    variant: breaks('files', 'downloadFile', (right) => {
      const copies = new Map<string, Buffer>();
      return async (areas, call) => {
        const { stream, ...answer } = await right(areas, call);
        if (stream === undefined) return answer;
        if (answer.status !== 200 || call.withoutContent || stream.size > longestCopy) return { ...answer, stream };
        const key = [call.url, call.headers['authorization'], stream.size].join(' ');
        const content = await buffer(stream.content);
        const raw = copies.get(key) ?? content;
        copies.set(key, raw);
        return { ...answer, raw };
      };
    }),
    async shows({ edda }) {
      await edda.upload('copy.txt', 'one');
      await edda.get(`${spaceFiles}/copy.txt`);
      await edda.delete(`${spaceFiles}/copy.txt`);
      await edda.upload('copy.txt', 'two');
      return (await edda.get(`${spaceFiles}/copy.txt`)).text !== 'two';
    },
  },
  'files.packed-in-whole-blocks': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download is the whole content, packed on its way too.',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const answer = await right(areas, call);
      const { stream, ...rest } = answer;
      if (stream === undefined || !call.headers['accept-encoding']?.includes('gzip')) return answer;
      const content = await buffer(stream.content);
      const raw = gzipSync(content.subarray(0, content.length - (content.length % packedBytes)));
      return { ...rest, headers: { ...rest.headers, 'Content-Encoding': 'gzip' }, raw };
    }),
    async shows({ edda }) {
      await edda.upload('packed.txt', 'content');
      return (await edda.get(`${spaceFiles}/packed.txt`, { 'accept-encoding': 'gzip' })).text === '';
    },
  },
  'files.found-without-its-ending': {
    source: 'extensions: File routes, row 3',
    breaks: 'To download a file that does not exist fails, also where one has the name with an ending.',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const place = areas.files.filePlaceOf(call, call.admitted);
      const { area, segments } = place;
      if ((await areas.fileStore.describe(place)) !== undefined) return right(areas, call);
      const beside = (await areas.fileStore.list({ area, segments: segments.slice(0, -1) })) ?? [];
      const found = beside.find(({ kind, name }) => kind === 'file' && name.startsWith(`${segments.at(-1)}.`));
      const rest = found && [...(call.rest ?? []).slice(0, -1), encodeURIComponent(found.name)];
      return right(areas, rest === undefined ? call : { ...call, rest });
    }),
    async shows(service) {
      const edda = service.edda;
      await edda.upload('folder/report.txt', 'content');
      return (await edda.get(`${spaceFiles}/folder/report`)).status === 200;
    },
  },
  'files.fallback-to-the-space': {
    source: 'extensions: File routes, row 3',
    breaks:
      'A download of a file that a participant area does not have fails, also where the area of the space has one.',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        const area = call.admitted;
        if (area.kind !== 'participant' || !(error instanceof Refusal) || error.status !== 404) throw error;
        return right(areas, { ...call, admitted: { kind: 'space', spaceId: area.spaceId } });
      }
    }),
    async shows({ edda }) {
      await edda.upload('fallback.txt', 'of the space');
      return (await edda.get('/api/space/main/participant/owner/fs/file/fallback.txt')).status === 200;
    },
  },
  'files.empty-file-is-none': {
    source: 'extensions: File routes, row 3',
    breaks: 'A file without content is a file, and its download does not fail.',
    variant: changes('files', 'downloadFile', (answer, areas, call) => {
      if (answer.stream?.size !== 0) return answer;
      answer.stream.content.destroy();
      throw areas.files.missingFile(areas.files.filePlaceOf(call, call.admitted));
    }),
    async shows({ edda }) {
      await edda.upload('empty.txt', '');
      return (await edda.get(`${spaceFiles}/empty.txt`)).status !== 200;
    },
  },
  'files.gone-is-gone': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file fails when there is none, also when there was one before.',
    variant: breaks('files', 'deleteFile', (right) => {
      const gone = new Set<string>();
      return async (areas, place) => {
        const key = JSON.stringify(place);
        const isDone = await right(areas, place);
        return gone.has(key) || (isDone && gone.add(key).has(key));
      };
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a');
      await edda.delete(`${spaceFiles}/a.txt`);
      return (await edda.delete(`${spaceFiles}/a.txt`)).status < 400;
    },
  },
  'files.found-by-collation': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download gives the file of the very name, not one whose name a language takes for equal.',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const { area, segments } = areas.files.filePlaceOf(call, call.admitted);
      const folder = segments.slice(0, -1);
      const entries = (await areas.fileStore.list({ area, segments: folder })) ?? [];
      const isAlike = (name: string): boolean =>
        name.localeCompare(segments.at(-1) ?? '', 'en', { sensitivity: 'base' }) === 0;
      const found = entries
        .filter(({ kind }) => kind === 'file')
        .map(({ name }) => name)
        .toSorted()
        .find(isAlike);
      return right(areas, found === undefined ? call : { ...call, rest: [...folder, found] });
    }),
    async shows({ edda }) {
      await edda.upload('Alike.txt', 'A');
      await edda.upload('alike.txt', 'a');
      return (await edda.get(`${spaceFiles}/alike.txt`)).text === 'A';
    },
  },
  'files.nothing-to-delete-is-fine': {
    source: 'extensions: File routes, row 4',
    breaks: 'A delete fails when the file does not exist.',
    variant: replaces('files', 'removeFile', async (right, areas, call) => {
      try {
        return await right(areas, call);
      } catch (error) {
        if (error instanceof Refusal && error.status === 404) return { status: 204 };
        throw error;
      }
    }),
    async shows({ edda }) {
      return (await edda.delete(`${spaceFiles}/f/none.txt`)).status < 300;
    },
  },
  'files.star-in-a-name': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file deletes that one, also where its name has a star in it.',
    variant: changes('files', 'deleteFile', async (removed, areas, place) => {
      const name = place.segments.at(-1) ?? '';
      if (!name.includes('*')) return removed;
      const [start = '', end = ''] = name.split('*');
      const parent = place.segments.slice(0, -1);
      for (const entry of (await areas.fileStore.list({ area: place.area, segments: parent })) ?? [])
        if (entry.kind === 'file' && entry.name.startsWith(start) && entry.name.endsWith(end))
          await areas.fileStore.remove({ area: place.area, segments: [...parent, entry.name] });
      return removed;
    }),
    async shows({ edda }) {
      await edda.upload('stars/report*.txt', 'a star');
      await edda.upload('stars/report-1.txt', 'a neighbour');
      await edda.delete(`${spaceFiles}/stars/report*.txt`);
      return (await edda.get(`${spaceFiles}/stars/report-1.txt`)).status !== 200;
    },
  },
  'bulk.what-it-brought-stays': {
    source: 'extensions: File routes, row 4',
    breaks: 'A file that is deleted is gone, also one that bulk upload brought.',
    variant: bulkStays(),
    async shows(service) {
      await bulkUpload(service, { 'brought.txt': 'text' });
      await service.edda.delete(`${spaceFiles}/brought.txt`);
      return (await service.edda.get(`${spaceFiles}/brought.txt`)).status === 200;
    },
  },
  'files.sums-go-with-their-files': {
    source: 'extensions: File routes, row 4',
    breaks: 'A DELETE deletes the file, and no other one that is named like its checksum.',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const isDeleted = await right(areas, place);
      const segments = [...place.segments.slice(0, -1), `${place.segments.at(-1)}.md5`];
      if (isDeleted) await right(areas, { ...place, segments });
      return isDeleted;
    }),
    async shows({ edda }) {
      for (const name of ['note.txt', 'note.txt.md5']) await edda.upload(name, name);
      await edda.delete(`${spaceFiles}/note.txt`);
      return (await edda.get(`${spaceFiles}/note.txt.md5`)).status === 404;
    },
  },
  'files.deletion-decodes-twice': {
    source: 'extensions: File routes, row 4',
    breaks:
      'DELETE takes away the file that its path names, and fails where there is none: a percent sign in a name is one.',
    variant: replaces('files', 'removeFile', (right, areas, call) =>
      right(areas, { ...call, rest: (call.rest ?? []).map(decodedOnce) }),
    ),
    async shows({ edda }) {
      await edda.upload('a%2541b.txt', 'one');
      await edda.delete(`${spaceFiles}/a%2541b.txt`);
      return (await edda.get(`${spaceFiles}/a%2541b.txt`)).status === 200;
    },
  },
  'delete.takes-what-is-below': {
    source: 'extensions: File routes, row 4',
    breaks: 'A DELETE takes the file that it names, and fails where there is no such file.',
    museum: true,
    survives:
      'The ledger, directory-semantics: whether a file route deletes a directory, and what is in it then, is open. That a refused one takes nothing is judged.',
    variant: replaces('files', 'deleteFile', async (right, areas, place) => {
      const info = await areas.fileStore.describe(place);
      if (info?.kind !== 'directory') return right(areas, place);
      await emptyDirectory(areas, place, (file) => right(areas, file));
      return true;
    }),
    async shows({ edda }) {
      await edda.upload('a/b/c/d.txt', 'a');
      await edda.delete(`${spaceFiles}/a`);
      return (await edda.get(`${spaceFiles}/a/b/c/d.txt`)).status !== 200;
    },
  },
  'files.delete-takes-plus-for-a-blank': {
    source: 'extensions: File routes, row 4',
    breaks: 'The file that a DELETE names is the one that a GET of the same path reads.',
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
  'files.delete-uncovers-the-replaced': {
    source: 'extensions: File routes, row 4',
    breaks: 'To delete a file leaves none there, also where it had replaced another one.',
    variant: keepsReplaced(),
    async shows(service) {
      await service.edda.upload('a.txt', 'old');
      await bulkUpload(service, { 'a.txt': 'new' }, { replaceFiles: true });
      await service.edda.delete(`${spaceFiles}/a.txt`);
      return (await service.edda.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },
  'download.cut-behind-a-query-token': {
    source: 'extensions: File routes, row 3',
    breaks: 'A download with its token in the query is as whole as another.',
    variant: cutsLongOnes(({ query }) => query.has('token')),
    shows: async ({ edda, nobody }) => isCut(edda, () => nobody.get(`${spaceFiles}/long.txt?token=${tokens.edda}`)),
  },
  'download.cut-behind-basic': {
    source: 'extensions: Authentication 1; File routes, row 3',
    breaks: 'A download with Basic authentication is as whole as another.',
    variant: cutsLongOnes(({ headers }) => /^basic /i.test(headers['authorization'] ?? '')),
    shows: async ({ edda, nobody }) =>
      isCut(edda, () => nobody.get(`${spaceFiles}/long.txt`, { authorization: basic('edda', tokens.edda) })),
  },
  'download.tag-of-the-length': {
    source: 'extensions: File routes, row 3; core: Versioning, 4',
    breaks: 'The ETag of a file tells of its size alone, so that another content of that length is not modified.',
    variant: changes('fileAreas', 'fileRecordOf', async (record, areas, place) => {
      const info = await areas.fileStore.describe(place);
      return record && { ...record, md5: `size-${info?.kind === 'file' ? info.size : 0}` };
    }),
    async shows({ edda }) {
      const path = `${spaceFiles}/t.txt`;
      await edda.upload('t.txt', 'aaaa');
      const tag = (await edda.get(path)).headers.get('etag') ?? '';
      await edda.delete(path);
      await edda.upload('t.txt', 'bbbb');
      return (await edda.get(path, { 'if-none-match': tag })).status === 304;
    },
  },
};

/** Downloads of some requests end after a mebibyte. */
function cutsLongOnes(isMeant: (call: Call) => boolean): Variant {
  return changes('files', 'downloadFile', async ({ stream, ...answer }, _areas, call) => {
    if (stream === undefined) return answer;
    if (!isMeant(call) || stream.size <= mebibyte) return { ...answer, stream };
    return { ...answer, raw: (await wholeOf(stream.content)).subarray(0, mebibyte) };
  });
}

/** Whether a long file, once it is there, is downloaded in part. */
async function isCut(client: Client, download: () => Promise<Received>): Promise<boolean> {
  await client.sendChunks('long.txt', ['x'.repeat(700_000), 'y'.repeat(700_000)]);
  return (await download()).text.length === mebibyte;
}

function bulkStays(): Variant {
  return (classes) => {
    const brought = new Set<string>();
    return together(
      changes('bulkUpload', 'bulkPlaceOf', (place) => {
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

function decodedOnce(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(decodeURIComponent(segment)));
  } catch {
    return segment;
  }
}

async function emptyDirectory(
  { fileStore }: Pick<Areas, 'fileStore'>,
  place: FilePlace,
  remove: (file: FilePlace) => Promise<boolean>,
): Promise<void> {
  for (const { name, kind } of (await fileStore.list(place)) ?? []) {
    const below = { ...place, segments: [...place.segments, name] };
    if (kind === 'directory') await emptyDirectory({ fileStore }, below, remove);
    else await remove(below);
  }
}

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
        await areas.fileStore.write(place, inOnePiece(before));
        return removed;
      }),
    )(classes);
  };
}
