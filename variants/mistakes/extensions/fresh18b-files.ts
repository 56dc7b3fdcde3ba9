import { Readable } from 'node:stream';
import type { Areas } from '../../../reference-server/areas.ts';
import { uploadComplete } from '../../../reference-server/areas/file-areas.ts';
import type { FilePlace } from '../../../reference-server/ports/file-store.ts';
import { replaces, together } from '../../breaks.ts';
import { awaitCalls, task } from '../hosts.ts';
import type { Mistakes } from '../mistake.ts';
import { bulkUpload, scheduleInput, userFiles } from '../proofs.ts';
import { administrationKey, md5, type Service, signatureOver, spaceFiles } from '../service.ts';
import { forgive, inOnePiece, isRefusal, keyOf, perServer, wholeOf } from '../variant-parts.ts';

const contentsIn = perServer(() => new Map<string, Buffer>());
const sumsIn = perServer(() => new Map<string, { readonly sum: string; readonly place: FilePlace }>());
const sharedIn = perServer(() => new Map<string, Buffer>());
const meetingsIn = perServer(() => new Map<string, FilePlace>());
const partsIn = perServer(() => new Map<string, Map<number, Buffer>>());
const goodTokensIn = perServer(() => new Map<string, Awaited<ReturnType<Areas['fileAreas']['authenticateFile']>>>());
const goodSignaturesIn = perServer(() => new Set<string>());

export const fresh18bFilesMistakes: Mistakes = {
  'fresh18b.cached-content-of-same-length': {
    source: 'extensions: File routes',
    breaks: 'A download brings the content that the file has now, also where one of the same length was there before.',
    variant: replaces('files', 'downloadFile', async (right, areas, call) => {
      const answer = await right(areas, call);
      if (answer.status !== 200 || answer.stream === undefined) return answer;
      const key = `${keyOf(areas.files.filePlaceOf(call, call.admitted))} ${answer.stream.size}`;
      return { ...answer, stream: await keptStream(contentsIn(areas), key, answer.stream) };
    }),
    async shows({ edda }) {
      await edda.upload('a.txt', 'one');
      await edda.get(`${spaceFiles}/a.txt`);
      await edda.delete(`${spaceFiles}/a.txt`);
      await edda.upload('a.txt', 'two');
      return (await edda.get(`${spaceFiles}/a.txt`)).text === 'one';
    },
  },
  'fresh18b.equal-contents-go-together': {
    source: 'extensions: File routes',
    breaks: 'A deletion removes the file that it names and no other one of the same content.',
    variant: together(
      replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
        await right(areas, place, call, content, checksum);
        if (checksum !== undefined) sumsIn(areas).set(keyOf(place), { sum: checksum, place });
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        const isDeleted = await right(areas, place);
        const sums = sumsIn(areas);
        const own = sums.get(keyOf(place));
        sums.delete(keyOf(place));
        for (const other of sums.values())
          if (isDeleted && other.sum === own?.sum) await areas.fileStore.remove(other.place);
        return isDeleted;
      }),
    ),
    async shows({ edda }) {
      await edda.upload('a.txt', 'same');
      await edda.upload('b.txt', 'same');
      await edda.delete(`${spaceFiles}/a.txt`);
      return (await edda.get(`${spaceFiles}/b.txt`)).status === 404;
    },
  },
  'fresh18b.loser-of-two-uploads-cleans-up': {
    source: 'extensions: File routes',
    breaks: 'Of two uploads of one name at once the one that fails leaves the file of the other as it is.',
    variant: replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
      try {
        await right(areas, place, call, content, checksum);
      } catch (error) {
        if (isRefusal(error, 409)) await areas.files.deleteFile(place).catch(forgive);
        throw error;
      }
    }),
    async shows({ edda }) {
      const slowly = (text: string, waitMs: number) =>
        edda.send('POST', `${spaceFiles}/stream/a.txt`, {
          headers: { checksum: md5(text), 'content-type': 'text/plain' },
          body: new ReadableStream({
            start(controller) {
              controller.enqueue(Buffer.from(text));
              setTimeout(() => controller.close(), waitMs);
            },
          }),
        });
      const answers = await Promise.all([slowly('one', 150), slowly('two', 400)]);
      const { status } = await edda.get(`${spaceFiles}/a.txt`);
      return answers.some((answer) => answer.status === 201) && status === 404;
    },
  },
  'fresh18b.kept-downloads-know-no-user': {
    source: 'extensions: File areas',
    breaks: 'In the area of a user a download brings his own file, whoever has read one of the same path last.',
    variant: together(
      replaces('files', 'downloadFile', async (right, areas, call) => {
        const answer = await right(areas, call);
        const place = areas.files.filePlaceOf(call, call.admitted);
        if (answer.status !== 200 || answer.stream === undefined || place.area.kind !== 'user') return answer;
        const stream = await keptStream(sharedIn(areas), pathOf(place), answer.stream);
        return { ...answer, stream };
      }),
      replaces('files', 'storeStream', async (right, areas, place, call, content, checksum) => {
        await right(areas, place, call, content, checksum);
        sharedIn(areas).delete(pathOf(place));
      }),
      replaces('files', 'deleteFile', async (right, areas, place) => {
        sharedIn(areas).delete(pathOf(place));
        return right(areas, place);
      }),
    ),
    async shows({ edda, emil }) {
      await edda.upload('a.txt', 'of edda', userFiles);
      await emil.upload('a.txt', 'of emil', userFiles);
      await emil.get(`${userFiles}/a.txt`);
      return (await edda.get(`${userFiles}/a.txt`)).text === 'of emil';
    },
  },
  'fresh18b.chunks-of-two-areas-meet': {
    source: 'extensions: File routes',
    breaks: 'Chunks go into the file of their own area, also while one of the same path is on its way into another.',
    variant: together(
      replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
        const meetings = meetingsIn(areas);
        const key = JSON.stringify([place.segments, chunk.totalSize]);
        const first = meetings.get(key) ?? place;
        meetings.set(key, first);
        const progress = await right(areas, first, chunk);
        if (uploadComplete(progress)) meetings.delete(key);
        return progress;
      }),
      replaces('files', 'deleteFile', (right, areas, place) => {
        for (const [key, { segments }] of meetingsIn(areas))
          if (JSON.stringify(segments) === JSON.stringify(place.segments)) meetingsIn(areas).delete(key);
        return right(areas, place);
      }),
    ),
    async shows({ edda }) {
      const [own, other] = [
        ['aaa', 'bbb'],
        ['ccc', 'ddd'],
      ] as const;
      await edda.sendChunk('x/a.txt', own, 1);
      await edda.sendChunk('x/a.txt', other, 1, { base: userFiles });
      await edda.sendChunk('x/a.txt', own, 2);
      await edda.sendChunk('x/a.txt', other, 2, { base: userFiles });
      return (await edda.get(`${userFiles}/x/a.txt`)).text !== 'cccddd';
    },
  },
  'fresh18b.parts-of-a-deleted-upload-come-back': {
    source: 'extensions: File routes',
    breaks: 'Once a partial file is deleted, nothing of it is in the file that is uploaded in its place.',
    variant: replaces('chunks', 'storeChunk', async (right, areas, place, chunk) => {
      const parts = partsIn(areas).get(keyOf(place)) ?? new Map<number, Buffer>();
      const progress = await right(areas, place, chunk);
      partsIn(areas).set(keyOf(place), parts.set(chunk.number, Buffer.concat(chunk.pieces)));
      if (!uploadComplete(progress)) return progress;
      partsIn(areas).delete(keyOf(place));
      if (Math.max(...parts.keys()) > chunk.totalChunks)
        await rewrite(areas, place, Buffer.concat([...parts].toSorted(([a], [b]) => a - b).map(([, part]) => part)));
      return progress;
    }),
    async shows({ edda }) {
      await edda.sendChunk('a.txt', ['aaa', 'bbb', 'ccc'], 1);
      await edda.sendChunk('a.txt', ['aaa', 'bbb', 'ccc'], 2);
      await edda.delete(`${spaceFiles}/a.txt`);
      await edda.sendChunk('a.txt', ['ddd'], 1);
      return (await edda.get(`${spaceFiles}/a.txt`)).text === 'dddbbb';
    },
  },
  'fresh18b.query-token-lives-on': {
    source: 'extensions: Authentication 4',
    breaks: 'The token of a call opens a download as long as it is valid, also where it has opened one before.',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const token = call.headers['authorization'] === undefined ? call.query.get('token') : null;
      if (token === null) return right(areas, call);
      const user = goodTokensIn(areas).get(token) ?? (await right(areas, call));
      goodTokensIn(areas).set(token, user);
      return user;
    }),
    async shows(service) {
      const host = await service.host([task]);
      await service.edda.upload('in.csv', 'a');
      await scheduleInput(service, 'in.csv');
      await service.pass(1);
      const [call] = await awaitCalls(host);
      const path = `${spaceFiles}/in.csv?token=${call?.envelope?.accessToken}`;
      await service.nobody.get(path);
      await service.pass(3700);
      return (await service.nobody.get(path)).status === 200;
    },
  },
  'fresh18b.replacement-keeps-the-tail': {
    source: 'extensions: Bulk upload request body',
    breaks: 'A file that is replaced has the new content and nothing behind it.',
    variant: replaces('bulkUpload', 'uploadSourceFile', async (right, areas, run, entry) => {
      const place = { area: run.area, segments: [...run.target, ...entry.path] };
      const former = await bytesAt(areas, place);
      const result = await right(areas, run, entry);
      const next = await bytesAt(areas, place);
      if (result.status === 'replaced' && former && next && former.length > next.length)
        await rewrite(areas, place, Buffer.concat([next, former.subarray(next.length)]));
      return result;
    }),
    async shows(service) {
      await service.edda.upload('a.txt', 'long content');
      await bulkUpload(service, { 'a.txt': 'short' }, { replaceFiles: true });
      return (await service.edda.get(`${spaceFiles}/a.txt`)).text !== 'short';
    },
  },
  'fresh18b.target-merges-with-its-namesake': {
    source: 'extensions: Bulk upload request body',
    breaks: 'The whole structure ends up below the target directory, also a directory that has the name of the target.',
    variant: replaces('bulkUpload', 'bulkPlaceOf', (right, areas, area, target, path) =>
      right(areas, area, target, path.length > 1 && target.at(-1) === path[0] ? path.slice(1) : path),
    ),
    async shows(service) {
      await bulkUpload(service, { 'docs/a.txt': 'a' }, { targetDirectory: 'docs' });
      return (await service.edda.get(`${spaceFiles}/docs/a.txt`)).status === 200;
    },
  },
  'fresh18b.signature-once-right': {
    source: 'extensions: Authentication 2',
    breaks: 'A signature opens the route whose path is signed, also where it has opened that one before.',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const given = call.headers['authorization'] ?? '';
      if (goodSignaturesIn(areas).has(given)) return;
      await right(areas, call);
      goodSignaturesIn(areas).add(given);
    }),
    async shows(service: Service) {
      const source = await bulkUpload(service, { 'a.txt': 'a' });
      const answer = await service.nobody.post(
        '/admin/fileupload',
        { sourceDirectory: source, writeLog: false },
        { authorization: `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}` },
      );
      return answer.status === 200;
    },
  },
};

function pathOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area.kind === 'user' ? area.spaceId : area.kind, segments]);
}

async function keptStream(
  kept: Map<string, Buffer>,
  key: string,
  { content, size }: { readonly content: Readable; readonly size: number },
) {
  const bytes = await wholeOf(content as AsyncIterable<Uint8Array>);
  const shown = kept.get(key) ?? bytes;
  kept.set(key, shown);
  return { content: Readable.from(inOnePiece(shown)), size: shown.length || size };
}

async function bytesAt({ fileStore }: Areas, place: FilePlace): Promise<Buffer | undefined> {
  const file = await fileStore.open(place);
  return file && wholeOf(file.stream() as AsyncIterable<Uint8Array>);
}

async function rewrite(areas: Areas, place: FilePlace, content: Buffer): Promise<void> {
  await areas.fileStore.write(place, inOnePiece(content), {
    replace: true,
    accept: ({ stamp, md5: sum }) => areas.fileAreas.keepFileRecord(place, stamp, { type: 'text/plain', md5: sum }),
  });
}
