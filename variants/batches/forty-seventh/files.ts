import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { type Variant, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { isThere } from '../proofs.ts';
import { md5, spaceFiles, type Service } from '../service.ts';

/** Content that streams are said to be for. */
const smallBytes = 100_000;
const sampleChunkBytes = 4 * 1024 * 1024;
const bulkPath = '/admin/fileupload/main';

/** A directory of the host with one file in it. */
async function sourceWith(service: Service, name: string, content: string): Promise<string> {
  const source = await service.directory();
  await writeFile(join(source, name), content);
  return source;
}

/** Where a path below the area of the space leads that looks like one of a participant. */
function inParticipant({ area, segments }: FilePlace): FilePlace {
  const [first, participantId, ...rest] = segments;
  if (area.kind !== 'space' || first !== 'participant' || participantId === undefined || rest.length === 0)
    return { area, segments };
  return { area: { kind: 'participant', spaceId: area.spaceId, participantId }, segments: rest };
}

/** A node that keeps what it sent of small files, until a DELETE reaches it. */
function keepsDownloads(): Variant {
  return (classes) => {
    const kept = new Map<string, Answer>();
    return together(
      replaces('files', 'downloadFile', async (right, areas, call) => {
        const key = JSON.stringify(areas.files.filePlaceOf(call, call.admitted));
        const known = kept.get(key);
        if (known !== undefined && call.headers['if-none-match'] === undefined) return known;
        const answer = await right(areas, call);
        const { stream, ...rest } = answer;
        const isKept = stream !== undefined && stream.size < smallBytes && answer.headers?.['ETag'] !== undefined;
        if (!isKept || answer.status !== 200) return answer;
        kept.set(key, { ...rest, raw: await buffer(stream.content) });
        return kept.get(key) ?? answer;
      }),
      replaces('files', 'deleteFile', (right, areas, place) => {
        kept.delete(JSON.stringify(place));
        return right(areas, place);
      }),
    )(classes);
  };
}

/** Files, bulk uploads and chunks. */
export const filesMistakes: Batch = {
  'files.kept-by-the-node': {
    source: 'core: What the service does',
    breaks: 'Behind the gateway there is one service: a download has the content that a bulk upload has put there.',
    kind: 'copy',
    variant: keepsDownloads(),
    async shows(service) {
      await service.edda.upload('a.txt', 'old');
      await service.edda.get(`${spaceFiles}/a.txt`);
      const sourceDirectory = await sourceWith(service, 'a.txt', 'newer');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false, replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text === 'old';
    },
  },

  'files.participant-below-the-space': {
    source: 'extensions: File areas, row Participant',
    breaks: 'The area of a participant is one of its own, and no directory in that of the space.',
    kind: 'value',
    variant: together(
      replaces('files', 'streamPlaceOf', (right, areas, call, area) => inParticipant(right(areas, call, area))),
      replaces('files', 'filePlaceOf', (right, areas, call, area) => inParticipant(right(areas, call, area))),
    ),
    async shows({ edda }) {
      await edda.upload('a.txt', 'a', '/api/space/main/participant/owner/fs/file');
      return (await edda.get(`${spaceFiles}/participant/owner/a.txt`)).status === 200;
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
      const sourceDirectory = await sourceWith(service, 'a.txt', '');
      await service.bulk(bulkPath, { sourceDirectory, writeLog: false, deleteFilesAfterUpload: true });
      return isThere(join(sourceDirectory, 'a.txt'));
    },
  },

  'stream.large-into-a-new-directory': {
    source: 'extensions: File routes, text on the stream upload',
    breaks: 'Directories are created as needed, for a file that is larger than those a stream is meant for too.',
    kind: 'combination',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      const { area, segments } = place;
      const isLarge = Number(call.headers['content-length']) > smallBytes;
      if (isLarge && (await areas.fileStore.list({ area, segments: segments.slice(0, -1) })) === undefined)
        throw new Refusal(500, 'ENOENT');
      return right(areas, place, call, content, checksum);
    }),
    async shows({ edda }) {
      return (await edda.upload('new/a.txt', 'a'.repeat(smallBytes + 1))).status === 500;
    },
  },

  'chunk.boundary-in-quotes': {
    source: 'extensions: File routes, row 2',
    breaks: 'A chunk comes as multipart/form-data, in whatever form its type has the boundary.',
    kind: 'value',
    variant: replaces('chunks', 'formPartsOf', (right, areas, call) => {
      if (call.headers['content-type']?.includes('boundary="')) throw new Refusal(400, 'The boundary is not found.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      const form = new FormData();
      const sizes = ['TotalSize', 'ChunkNumber', 'ChunkSize', 'CurrentChunkSize', 'TotalChunks'];
      for (const name of sizes) form.set(`resumable${name}`, '1');
      form.set('resumableType', 'text/plain');
      for (const name of ['Filename', 'RelativePath']) form.set(`resumable${name}`, 'a.txt');
      form.set('file', new Blob(['a']), 'a.txt');
      const request = new Response(form);
      const type = (request.headers.get('content-type') ?? '').replace(/boundary=(.*)$/, 'boundary="$1"');
      const headers = { checksum: md5('a'), 'content-type': type };
      return (await edda.post(spaceFiles, await request.bytes(), headers)).status >= 400;
    },
  },

  'chunk.ends-with-a-line': {
    source: 'extensions: File routes, chunk table, resumableCurrentChunkSize',
    breaks: 'The chunk has the size that it has, with the end of a line as its last bytes too.',
    kind: 'value',
    variant: replaces('chunks', 'assertChunk', (right, areas, chunk, currentSize) => {
      const ends = Buffer.concat(chunk.pieces.slice(-2)).subarray(-2).toString() === '\r\n';
      right(areas, ends ? { ...chunk, size: chunk.size - 2 } : chunk, currentSize);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('a.txt', ['a\r\n'], 1)).status >= 400;
    },
  },

  'chunk.of-four-mebibytes': {
    source: 'extensions: Limits, file size guidance',
    breaks: 'A chunk of the size in the sample is taken, with the form around it.',
    kind: 'value',
    variant: replaces('chunks', 'uploadChunk', (right, areas, call) => {
      if (Number(call.headers['content-length']) > sampleChunkBytes) throw new Refusal(413, 'The body is too large.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      return (await edda.sendChunk('a.bin', ['a'.repeat(sampleChunkBytes)], 1)).status === 413;
    },
  },
};
