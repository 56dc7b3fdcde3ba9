import { type CaseContext, race, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import { contentOf, expectNothingAt, expectStored, holdsBytes, readFileBack } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import { Violation } from '../../judge/violation.ts';
import {
  type Upload,
  beginUpload,
  chunksOf,
  expectUploaded,
  fileInChunks,
  fileOfOneChunk,
  sampleChunkSize,
  sendChunk,
  fileOf,
} from './checks/upload-in-chunks.ts';

/** How long an unfinished upload is watched, in ms; shorter where time stands still, since then nothing tidies up. */
const watchMs = { real: 3000, controlled: 1000 } as const;

type Contradiction = NonNullable<Parameters<typeof sendChunk>[3]>;

/** How long bytes that may never come are waited for, in ms. */
const shortWaitMs = 500;

const parallelRounds = 5;

const chunksAtOnce = 6;

export const partialUploadRules = rules('files', {
  'files.chunk.out-of-order': {
    level: 'observe',
    source: 'extensions: File routes, row 2 (silent on order)',
    statement: 'Chunks that arrive in another order than 1..n have no documented result.',
    fault: 'Not applicable as a failure; recorded variant: bytes appended in order of arrival.',
    needs: ['file-area-any'],
    test: scenario(async (context) => {
      for (const order of [
        [2, 1, 3],
        [3, 2, 1],
      ]) {
        const upload = fileInChunks(context, 3);
        const replies = await sendInOrder(context, upload, order);
        const read = await observeRead(context, upload, `after the order ${order.join(', ')}`, replies);
        if (
          context.profile.all.files?.chunkOrder !== 'any' ||
          (replies.every(wasAccepted) && holdsBytes(read, upload.bytes))
        )
          continue;
        const expected = `chunks in the order ${order.join(', ')} to make the file, as files.chunkOrder of the profile says`;
        throw new Violation(expected, `statuses ${statusesOf(replies)} and ${read.bytes.byteLength} bytes`, read, {
          bound: true,
        });
      }
    }),
  },
  'files.chunk.repeated-chunk': {
    level: 'observe',
    source: 'extensions: File routes, row 2 (silent on repeats)',
    statement:
      'Sending a chunk a second time before completion, or any chunk after completion, has no documented result.',
    fault: 'Not applicable as a failure; recorded variant: repeated chunk is appended twice.',
    needs: ['file-area-any'],
    test: scenario(async (context) => {
      const upload = fileInChunks(context, 2);
      const replies = await sendInOrder(context, upload, [1, 1, 2]);
      await observeRead(context, upload, 'after chunks 1, 1, 2', replies);
      if (replies.slice(0, 2).every(wasAccepted) && !replies.every(wasAccepted))
        context.notes.remark(
          'chunk 2 of 2 was refused, which had not come, after chunk 1 was accepted twice',
          replies[2],
        );
      const late = await sendInOrder(context, upload, [2]);
      await observeRead(context, upload, 'after chunk 2 came once more', late);
    }),
  },
  'files.chunk.parallel-chunks': {
    level: 'observe',
    source: 'extensions: File routes, row 2 (silent on parallel calls)',
    statement: 'Whether the chunks of one file may be sent at the same time is not said.',
    fault: 'Not applicable as a failure; recorded variant: lost chunk without an error.',
    needs: ['file-area-any'],
    test: race(
      async (context) => {
        const seen = { accepted: 0, whole: 0, late: 0 };
        for (let round = 0; round < parallelRounds; round += 1) {
          const upload = fileInChunks(context, chunksAtOnce);
          const replies = await Promise.all(numbersOf(upload).map((number) => sendChunk(context, upload, number)));
          const isAccepted = replies.every(wasAccepted);
          const isWhole = holdsBytes(await readFileBack(context, upload, 0), upload.bytes);
          const isWholeLater = isWhole || holdsBytes(await readFileBack(context, upload, shortWaitMs), upload.bytes);
          if (isAccepted) seen.accepted += 1;
          if (isAccepted && isWholeLater) seen.whole += 1;
          if (isWholeLater && !isWhole) seen.late += 1;
          if (isAccepted && !isWholeLater)
            context.notes.remark(
              `${chunksAtOnce} chunks sent at the same time were all accepted, and do not make the file`,
            );
        }
        const of = `of ${parallelRounds} uploads with ${chunksAtOnce} chunks at the same time`;
        context.notes.observe(`all chunks accepted, ${of}`, seen.accepted);
        context.notes.observe(`accepted and whole, ${of}`, seen.whole);
        context.notes.observe(`whole only some time after the last answer, ${of}`, seen.late);
      },
      { rounds: 1 },
    ),
  },
  'files.chunk.existing-file': {
    level: 'observe',
    source: 'extensions: File routes, row 2 (existing file mentioned for the stream row only)',
    statement: 'What a chunk upload onto an existing file does (refuse, replace, append) is not said.',
    fault: 'Not applicable as a failure; recorded variant: B appended to A.',
    needs: ['file-area-any'],
    test: scenario(async (context) => {
      const { given, notes } = context;
      const old = await given.file();
      const upload = fileInChunks(context, 2, old);
      const replies = await sendInOrder(context, upload, [1, 2]);
      const read = await readFileBack(context, upload, replies.every(wasAccepted) ? shortWaitMs : 0);
      notes.observe('statuses of two chunks onto an existing file', statusesOf(replies));
      notes.observe('what the file holds then', nameOf(read, old.bytes, upload.bytes), read);
      replies.forEach((reply) => notes.remarkServerError(reply));
    }),
  },
  'files.chunk.partial-deletable': {
    source: 'extensions: File routes, paragraph after the chunk table (interrupted upload)',
    statement:
      'When an interrupted chunk upload leaves a readable partial file, DELETE of its path removes it, and a file of fewer chunks than had come is uploaded there as if nothing had been.',
    fault: 'Files with an unfinished upload cannot be deleted.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks', 'files.download.bearer'],
    test: scenario(async (context) => {
      const { files, expect, notes } = context;
      const upload = fileInChunks(context, 4);
      await beginUpload(context, upload, 3);
      const partial = await files.download(upload.area, upload.path);
      const removed = await files.remove(upload.area, upload.path);
      notes.observe('status of a GET of the partial file', partial.status, partial);
      notes.observe('status of its DELETE', removed.status, removed);
      if (isSuccess(partial.status)) expect(removed).toSucceed();
      await expectNothingAt(context, upload.area, upload.path);
      // what can be deleted is gone with all that was sent of it
      if (!isSuccess(removed.status)) return;
      await expectUploaded(context, fileInChunks(context, 2, upload));
    }),
  },
  'files.chunk.partial-visibility': {
    level: 'observe',
    source: 'extensions: File routes, paragraph after the chunk table',
    statement:
      'Whether and with which bytes an unfinished chunk upload is visible to GET and to the listing is recorded.',
    fault: 'Not applicable as a failure; recorded variant: pre-allocated file of full length.',
    needs: ['file-area-any'],
    test: scenario(async (context) => {
      const { clock, notes } = context;
      const upload = fileInChunks(context, 3);
      await beginUpload(context, upload, 1);
      await observePartial(context, upload, 'after 1 of 3 chunks');
      await beginUpload(context, upload, 2, 2);
      const before = await observePartial(context, upload, 'after 2 of 3 chunks');
      await clock.until(new Promise<never>(() => undefined), watchMs[clock.controlled ? 'controlled' : 'real']);
      const after = await context.files.download(upload.area, upload.path);
      notes.observe(
        'the partial file changes by itself',
        after.status !== before.status || Buffer.compare(after.bytes, before.bytes) !== 0,
        after,
      );
    }),
  },
  'files.chunk.restart-after-interruption': {
    source: 'extensions: File routes, paragraph after the chunk table (client cleans up)',
    statement:
      'After an interrupted upload and the clean-up DELETE (whatever it answered), the complete upload to the same path, chunked, in chunks of another size as well, or by stream, succeeds with the right bytes.',
    fault: 'State of the first attempt survives the DELETE and is merged into the second upload.',
    needs: ['file-area-any'],
    after: ['files.chunk.partial-deletable', 'files.download.bearer'],
    test: scenario(async (context) => {
      const { files, expect } = context;
      const first = await interruptUpload(context);
      await expectUploaded(context, fileOf(context, Math.floor(2.25 * first.chunkSize), { path: first.path }));
      const second = await interruptUpload(context);
      const bytes = context.given.bytes(500);
      expect(await files.upload(second.area, second.path, bytes)).toSucceed();
      await expectStored(context, { ...second, bytes });
      const { path, chunkSize } = await interruptUpload(context);
      await expectUploaded(context, fileOf(context, Math.floor(2.25 * chunkSize), { path, chunkSize: chunkSize + 1 }));
    }),
  },
  'files.chunk.inconsistent-parts': {
    level: 'observe',
    source: 'extensions: File routes, chunk table (silent on contradictions)',
    statement:
      "Contradicting or missing form parts (three different names in the part's filename, resumableFilename and the relative path, chunk number 0 or above the total, total chunks not matching the size, current size not matching the part, missing text part, missing `file` part, non-numeric values) have no documented result.",
    fault: 'Not applicable as a failure; recorded variant: declared sizes are ignored.',
    needs: ['file-area-any'],
    test: scenario(async (context) => {
      const { service, files, given, notes } = context;
      for (const [what, other] of Object.entries(contradictions(given.unique))) {
        const upload = fileOfOneChunk(context);
        const reply = await sendChunk(context, upload, 1, other);
        notes.observe(`status of a chunk with ${what}`, reply.status, reply);
        notes.observe(`where a chunk with ${what} can be read`, await foundAt(context, upload, other));
        notes.remarkServerError(reply);
      }
      const { area, path, bytes, chunkSize } = fileOfOneChunk(context);
      const reply = await service.send(
        withoutFile(files.chunkRequest(area, { path, file: bytes, chunkSize, number: 1 })),
      );
      notes.observe('status of a form without the part file', reply.status, reply);
      notes.remarkServerError(reply);
    }),
  },
});

/** Sends chunks in that order, whatever the answers. */
async function sendInOrder(context: CaseContext, upload: Upload, order: readonly number[]): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  for (const number of order) replies.push(await sendChunk(context, upload, number));
  return replies;
}

async function observeRead(
  context: CaseContext,
  upload: Upload,
  when: string,
  replies: readonly Reply[],
): Promise<Reply> {
  const { notes } = context;
  const isAccepted = replies.every(wasAccepted);
  const read = await readFileBack(context, upload, isAccepted ? shortWaitMs : 0);
  const isRight = holdsBytes(read, upload.bytes);
  notes.observe(`statuses ${when}`, statusesOf(replies));
  notes.observe(`the file is right ${when}`, isRight, read);
  if (isAccepted && !isRight) notes.remark(`every chunk was accepted and the file is wrong ${when}`, read);
  replies.forEach((reply) => notes.remarkServerError(reply));
  return read;
}

function wasAccepted({ status }: Reply): boolean {
  return isSuccess(status);
}

function statusesOf(replies: readonly Reply[]): string {
  return replies.map(({ status }) => status).join(', ');
}

function numbersOf(upload: Upload): readonly number[] {
  return Array.from({ length: chunksOf(upload) }, (_chunk, index) => index + 1);
}

function nameOf(read: Reply, old: Uint8Array, sentBytes: Uint8Array): string {
  if (!isSuccess(read.status)) return `nothing (status ${read.status})`;
  if (holdsBytes(read, old)) return 'the old bytes';
  return holdsBytes(read, sentBytes) ? 'the new bytes' : `${contentOf(read.bytes).length} other bytes`;
}

async function observePartial({ files, notes }: CaseContext, { area, path }: Upload, when: string): Promise<Reply> {
  const slash = path.lastIndexOf('/');
  const [directory, name] = [path.slice(0, slash), path.slice(slash + 1)];
  const reply = await files.download(area, path);
  const listing = await files.directory(area, directory);
  notes.observe(`status of a GET ${when}`, reply.status, reply);
  if (isSuccess(reply.status)) notes.observe(`bytes that a GET shows ${when}`, reply.bytes.byteLength, reply);
  notes.observe(
    `the listing names the file ${when}`,
    isSuccess(listing.status) ? listing.text.includes(name) : `status ${listing.status}`,
    listing,
  );
  return reply;
}

/** One chunk of three was sent, then the path was deleted, with whatever answer. */
async function interruptUpload(context: CaseContext): Promise<Upload> {
  const upload = fileInChunks(context, 3);
  await beginUpload(context, upload, 1);
  await context.files.remove(upload.area, upload.path);
  return upload;
}

function contradictions(unique: (prefix?: string) => string): Readonly<Record<string, Contradiction>> {
  const part = (name: string, text: string | null): Contradiction => ({ parts: { [name]: text } });
  return {
    'three different names': { fileName: unique('part'), parts: { resumableFilename: unique('other') } },
    'number 0': part('resumableChunkNumber', '0'),
    'number 2 of 1': part('resumableChunkNumber', '2'),
    'a total of chunks that does not match the size': part('resumableTotalChunks', '3'),
    'a current size that does not match the part': part('resumableCurrentChunkSize', '7'),
    'a total size that does not match': part('resumableTotalSize', String(3 * sampleChunkSize)),
    'no relative path': part('resumableRelativePath', null),
    'no chunk number': part('resumableChunkNumber', null),
    'no total size': part('resumableTotalSize', null),
    'no type': part('resumableType', null),
    'a chunk number that is no number': part('resumableChunkNumber', 'one'),
    'a chunk size that is no number': part('resumableChunkSize', 'large'),
  };
}

/** Names under which something can be read. */
async function foundAt({ files }: CaseContext, upload: Upload, { fileName, parts }: Contradiction): Promise<string> {
  const slash = upload.path.lastIndexOf('/') + 1;
  const [directory, name] = [upload.path.slice(0, slash), upload.path.slice(slash)];
  const names = {
    'the relative path': name,
    resumableFilename: parts?.['resumableFilename'],
    'the name of the part': fileName,
  };
  const found: string[] = [];
  for (const [origin, candidate] of Object.entries(names)) {
    if (typeof candidate !== 'string') continue;
    if (isSuccess((await files.download(upload.area, directory + candidate)).status)) found.push(origin);
    if (isSuccess((await files.download(upload.area, candidate)).status)) found.push(`${origin}, at the root`);
  }
  return found.join('; ') || 'nowhere';
}

/** The same form with its text parts only. */
function withoutFile(request: RequestSpec): RequestSpec {
  const text = request.body instanceof Uint8Array ? Buffer.from(request.body).toString('latin1') : '';
  const boundary = text.slice(0, text.indexOf('\r\n'));
  const parts = text.split(boundary).filter((part) => !part.includes('name="file"'));
  return { ...request, body: Buffer.from(parts.join(boundary), 'latin1') };
}
