import { secondSpaceOfEditor } from '../../judge/service/soft-types.ts';
import { array, constantFrom, nat, record } from 'fast-check';
import { type CaseContext, property, race, scenario } from '../../judge/case.ts';
import {
  assumeNothingAt,
  expectNothingAt,
  expectStored,
  holdsBytes,
  readFileBack,
} from '../../judge/files/stored-files.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { rules } from '../../judge/rule.ts';
import { PreconditionFailed, Violation } from '../../judge/violation.ts';
import { expectNamesOfPartsFree } from './checks/names-of-parts.ts';
import {
  areaAs,
  expectStoredAndReadBack,
  inEvery,
  isStoredUnlessRefused,
  mebibyte,
  userAreaBeside,
  whereServed,
} from './checks/every-area.ts';
import {
  type Upload,
  beginUpload,
  chunksOf,
  expectSent,
  expectUploaded,
  fileInChunks,
  fileOfOneChunk,
  sampleChunkSize,
  sendChunk,
  smallChunkSize,
  smallestChunkSize,
  fileOf,
} from './checks/upload-in-chunks.ts';
import { isSuccess } from '../../judge/exchange.ts';

/** MIME types that files have: plain ones, one of a vendor, one with a suffix, a long one, and one that is no letters alone. */
const fileTypes: readonly string[] = [
  'text/csv',
  'application/vnd.oasis.opendocument.text',
  'image/svg+xml',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'video/3gpp2',
];

const chunkCounts = [3, 9, 10, 11, 12] as const;

/** More than an integer of 64 bits has bits, than two digits count, and than a byte does. */
const beyondDigits = 257;
/** In bytes: so many chunks of more are no burden to impose. */
const lightChunk = 65_536;

/** Of UTF-8, which some take away from the front of a text. */
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** What stands around the content of a part in a form, and is of the content here. */
const beforeContent = Buffer.from('\r\n\r\n');
const behindContent = Buffer.from('\r\n--\r\n');

/** One of two chunks that looks as if nothing were in it. */
const blankChunks = [
  { number: 2, byte: 0x00 },
  { number: 1, byte: 0x00 },
  { number: 2, byte: 0x0a },
] as const;

/** A file as far as it was sent. */
interface Sending {
  readonly upload: Upload;
  /** Chunks so far, from the first one on. */
  readonly sent: number;
}

const mostHistorySteps = 14;

/** Two files take turns as it comes; one that is given up is deleted and begins anew with other bytes. In the end both are whole. */
const histories = property(
  array(record({ step: constantFrom('send', 'send', 'send', 'give up'), file: nat({ max: 1 }) }), {
    maxLength: mostHistorySteps,
  }),
  async (context, steps) => {
    const sendings = namesakes(context, 2).map((upload): Sending => ({ upload, sent: 0 }));
    for (const { step, file } of steps) {
      const sending = sendings[file];
      if (sending === undefined) continue;
      sendings[file] = step === 'send' ? await sendNext(context, sending) : await beginAnew(context, sending);
    }
    for (const sending of sendings) await finish(context, sending);
    for (const { upload } of sendings) await expectStored(context, upload);
  },
  { share: 0.3 },
);

export const chunkUploadRules = rules('files', {
  'files.chunk.single-chunk': {
    source: 'extensions: File routes, row 2 and chunk table',
    statement:
      'A file sent as one chunk (number 1 of 1) with the part `file`, all eight text parts and the per-chunk checksum is stored under its relative path, byte by byte, also where it begins with a byte order mark.',
    fault: 'Chunk numbers are taken as zero-based, so chunk 1 of 1 never completes.',
    needs: ['file-area-any'],
    after: ['files.download.bearer'],
    test: scenario(async (context) => {
      const upload = fileOfOneChunk(context);
      await assumeNothingAt(context, upload.area, upload.path);
      await expectUploaded(context, upload);
      const marked = fileOfOneChunk(context);
      marked.bytes.set(byteOrderMark);
      await expectUploaded(context, marked);
    }),
  },
  'files.chunk.two-chunks': {
    source: 'extensions: File routes, row 2 and chunk table',
    statement:
      'Two chunks sent in order, numbered 1 and 2, yield the concatenated file, also where they begin and end as the parts of a form do, be they of a text or not, one of them is nothing but zeros or line ends, or both are alike.',
    fault: 'The second chunk replaces the first.',
    needs: ['file-area-any'],
    after: ['files.chunk.single-chunk', 'files.download.bearer'],
    test: scenario(async (context) => {
      const chunkSize = smallChunkSize(context);
      for (const type of ['application/octet-stream', 'text/plain']) {
        const lines = fileOf(context, chunkSize + Math.floor(chunkSize / 2), { chunkSize });
        for (const number of [1, 2]) {
          const chunk = chunkOf(lines, number);
          chunk.set(beforeContent);
          chunk.set(behindContent, chunk.length - behindContent.length);
        }
        await expectUploaded(context, lines, { parts: { resumableType: type } });
      }
      for (const { number, byte } of blankChunks) {
        const upload = fileOf(context, chunkSize + Math.floor(chunkSize / 2), { chunkSize });
        chunkOf(upload, number).fill(byte);
        await expectUploaded(context, upload);
      }
      const alike = fileOf(context, 2 * chunkSize, { chunkSize });
      alike.bytes.copyWithin(chunkSize, 0, chunkSize);
      await expectUploaded(context, alike);
    }),
  },
  'files.chunk.many-chunks': {
    source: 'extensions: File routes, chunk table rows resumableChunkNumber and resumableTotalChunks',
    statement:
      'Chunks 1..n sent in order produce the file, with n on either side of ten: numbers of two and of three digits are no special case, nor is a chunk beyond the sixty-fourth or the 256th, and no MIME type of a file is.',
    fault: 'Chunks are assembled sorted by name as text.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks', 'files.download.bearer'],
    test: property(
      record({
        count: constantFrom<number>(...chunkCounts),
        more: nat({ max: 600 }),
        tail: nat({ max: 600 }),
        type: constantFrom(...fileTypes),
      }),
      async (context, { count: wanted, more, tail, type }) => {
        const smallest = smallestChunkSize(context);
        const count = smallest > lightChunk ? Math.min(wanted, 12) : wanted;
        const chunkSize = smallest + more;
        const length = (count - 1) * chunkSize + 1 + Math.min(tail, chunkSize - 1);
        await expectUploaded(context, fileOf(context, length, { chunkSize }), { parts: { resumableType: type } });
      },
      {
        always: [...chunkCounts, beyondDigits].map((count, index) => ({
          count,
          more: 0,
          tail: 0,
          type: typeAt(index),
        })),
        share: 0.2,
      },
    ),
  },
  'files.chunk.last-chunk-smaller': {
    source:
      'extensions: File routes, chunk table rows resumableChunkSize, resumableCurrentChunkSize and resumableTotalChunks',
    statement:
      'The last chunk may be shorter than the nominal size, down to one byte; its own size part differs from the nominal one.',
    fault: 'The last chunk is padded to the nominal size.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks', 'files.download.bearer'],
    test: scenario(async (context) => {
      const chunkSize = smallChunkSize(context);
      for (const length of [2 * chunkSize + 1, 2 * chunkSize - 1])
        await expectUploaded(context, fileOf(context, length, { chunkSize }));
    }),
  },
  'files.chunk.exact-multiple': {
    source: 'extensions: File routes, chunk table row resumableTotalChunks (size divided by chunk size, rounded up)',
    statement:
      'A size that is an exact multiple of the chunk size needs exactly size/chunk calls; the file is complete after the last of them without an empty extra chunk.',
    fault: 'Completion is expected at floor(size/chunk) + 1 chunks.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks', 'files.download.bearer'],
    test: scenario(async (context) => {
      const chunkSize = smallChunkSize(context);
      for (const count of [1, 2, 3]) await expectUploaded(context, fileOf(context, count * chunkSize, { chunkSize }));
    }),
  },
  'files.chunk.sample-chunk-size': {
    source: 'extensions: Limits, chunk size in the sample; chunk table row resumableChunkSize',
    statement: "The sample's chunk size of 4194304 bytes works, including one full chunk in a single request.",
    fault: 'Multipart limit of 4 MiB counts the form overhead and refuses a full chunk.',
    needs: ['file-area-any'],
    after: ['files.download.bearer'],
    test: scenario(async (context) => {
      await expectUploaded(context, fileOf(context, 9 * mebibyte, { chunkSize: sampleChunkSize }));
    }),
  },
  'files.chunk.other-chunk-size': {
    level: 'should',
    source: 'extensions: Limits, chunk size in the sample (sample only); chunk table row resumableChunkSize',
    statement:
      'The nominal size is what resumableChunkSize says; sizes other than 4 MiB are usable, no round ones as well.',
    fault: 'Chunk offsets are computed with a constant 4194304.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks', 'files.download.bearer'],
    test: scenario(async (context) => {
      const smallest = smallestChunkSize(context);
      const sizes = [mebibyte + 1, 300_000].map((size) => (size < smallest ? smallest + size : size));
      const length = Math.floor(2.5 * Math.max(mebibyte, smallest));
      for (const chunkSize of sizes) await expectUploaded(context, fileOf(context, length, { chunkSize }));
    }),
  },
  'files.chunk.every-area': {
    source: 'extensions: File routes, row 2; File areas',
    statement:
      'The chunk POST exists on the base path of each area and stores into that area only, also where files of one path go to several areas at once: to those of two users, participants or spaces as well; one goes on whose namesake is deleted in another area.',
    fault: 'Chunk uploads always land in the space area.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks', 'files.download.bearer'],
    test: scenario(async (context) => {
      const { files, given, notes } = context;
      const path = given.filePath();
      const uploads = files.areas.map((area) => fileInChunks(context, 2, { area, path }));
      await alternate(context, uploads);
      for (const area of files.areas) await expectUndisturbed(context, area);
      for (const pair of twinAreas(context)) {
        const twin = given.filePath();
        await whereServed(context, pair, () =>
          alternate(
            context,
            pair.map((area) => fileInChunks(context, 2, { area, path: twin })),
          ),
        );
      }
      notes.observe('areas', files.areas.map(({ name }) => name).join(', '));
    }),
  },
  'files.chunk.relative-path-subdirectories': {
    source: 'extensions: File routes, chunk table row resumableRelativePath',
    statement:
      'resumableRelativePath decides the target including subdirectories, which need not exist before, neither all nor some of them, and may have the name of a file that was deleted, in each area.',
    fault: 'Only resumableFilename is used, the subdirectories are dropped.',
    needs: ['file-area-any'],
    after: ['files.chunk.single-chunk'],
    test: scenario(async (context) => {
      const { given, files } = context;
      await inEvery(context, files.areas, async (area) => {
        const name = `${given.unique('name')}.bin`;
        const deep = 'x/x/y/z/a/b/c/d/e/f';
        // how deep a path may be is not said
        const file = { area, path: `${given.unique('root')}/${deep}/${name}`, bytes: given.bytes(20) };
        const directory = (await isStoredUnlessRefused(context, file)) ? deep : 'x/x/y';
        const root = given.unique('root');
        const path = `${root}/${directory}/${name}`;
        await expectUploaded(context, fileOfOneChunk(context, { area, path }));
        await expectNothingAt(context, area, name);
        await expectUploaded(context, fileOfOneChunk(context, { area, path: `${root}/middle/low/${name}` }));
        // whether deletions work is the business of other rules
        if (isSuccess((await files.remove(area, path)).status))
          await expectUploaded(context, fileOfOneChunk(context, { area, path: `${path}/below.bin` }));
      });
    }),
  },
  'files.chunk.relative-path-root': {
    source: 'extensions: File routes, chunk table row resumableRelativePath and sentence on the area root',
    statement: 'A relative path that is only the file name stores into the area root.',
    fault: 'A relative path without a directory is refused.',
    needs: ['file-area-any'],
    after: ['files.chunk.single-chunk', 'files.download.bearer'],
    test: scenario(async (context) => {
      const { given, notes } = context;
      await expectUploaded(context, fileOfOneChunk(context, { path: given.filePath({ root: true }) }));
      const upload = fileOfOneChunk(context, { path: given.filePath({ root: true }) });
      const reply = await sendChunk(context, upload, 1, { parts: { resumableRelativePath: `/${upload.path}` } });
      notes.observe('status of a chunk whose relative path starts with a slash', reply.status, reply);
      notes.observe(
        'the leading slash makes no difference',
        holdsBytes(await readFileBack(context, upload, 500), upload.bytes),
      );
      notes.remarkServerError(reply);
    }),
  },
  'files.chunk.checksum-per-chunk': {
    source: 'extensions: File routes, paragraph after the chunk table',
    statement:
      "The `checksum` header of a chunk call is the MD5 of that chunk's bytes, not of the whole file and not of the multipart body.",
    fault: 'Chunk checksum is compared with the digest of the whole file at the last chunk.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks', 'files.download.bearer'],
    test: scenario(async (context) => {
      const { given, files } = context;
      const upload = fileInChunks(context, 3);
      const digests = [upload.bytes, ...[1, 2, 3].map((number) => chunkOf(upload, number))].map((bytes) =>
        files.checksumOf(bytes),
      );
      given.assume(new Set(digests).size === 4, 'digests of file and chunks that differ');
      await expectUploaded(context, upload);
    }),
  },
  'files.chunk.checksum-wrong-refused': {
    level: 'should',
    source:
      'extensions: File routes, paragraph after the chunk table (validation is spelled out for stream uploads only)',
    statement:
      'A chunk whose checksum does not match its bytes is refused, and refused again: a single one, one in the middle, the last one; where what was begun is deleted the path takes a stream upload.',
    fault: 'Checksum is not compared on chunk calls.',
    needs: ['file-area-any'],
    after: ['files.chunk.checksum-per-chunk', 'files.download.bearer'],
    test: scenario(async (context) => {
      const { given, files, expect } = context;
      const single = fileOfOneChunk(context);
      for (const checksum of [otherDigest(files.checksumOf(single.bytes)), files.checksumOf(Buffer.alloc(0))])
        expect(await sendChunk(context, single, 1, { changes: { checksum } })).notToSucceed();
      const whole = fileOfOneChunk(context);
      await expectUploaded(context, whole);
      await expectCheckedAnew(context, whole);
      for (const number of [2, 3]) {
        // a chunk that is refused may end its upload
        const three = fileInChunks(context, 3);
        await beginUpload(context, three, number - 1);
        const checksum = otherDigest(files.checksumOf(chunkOf(three, number)));
        for (const changes of [{ checksum }, { checksum }])
          expect(await sendChunk(context, three, number, { changes })).notToSucceed();
      }
      const two = fileInChunks(context, 2);
      expect(await sendChunk(context, two, 1, { changes: { checksum: files.checksumOf(two.bytes) } })).notToSucceed();
      // what is left of it, if anything is, a client deletes
      await files.remove(two.area, two.path);
      await expectStoredAndReadBack(context, { ...two, bytes: given.bytes(100) });
      await expectUploaded(context, fileInChunks(context, 2));
    }),
  },
  'files.chunk.checksum-wrong-recoverable': {
    level: 'should',
    source: 'extensions: File routes, paragraph after the chunk table (consequence)',
    statement:
      'After a chunk was refused for its checksum the same chunk sent again with the right digest lets the upload finish with the right bytes, or the upload has ended, says so, and begins anew once it is deleted.',
    fault: 'Bytes of a refused chunk stay appended to the partial file.',
    needs: ['file-area-any'],
    after: ['files.chunk.checksum-wrong-refused', 'files.download.bearer'],
    test: scenario(async (context) => {
      const { given, files, notes } = context;
      const upload = fileInChunks(context, 3);
      await beginUpload(context, upload, 1);
      const right = chunkOf(upload, 2);
      const refused = await sendChunk(context, upload, 2, {
        bytes: given.bytes(right.byteLength),
        changes: { checksum: files.checksumOf(right) },
      });
      if (isSuccess(refused.status))
        throw new PreconditionFailed('a chunk with a wrong checksum to be refused', refused, [
          'files.chunk.checksum-wrong-refused',
        ]);
      const again = await sendChunk(context, upload, 2);
      const hasEnded = again.status >= 400 && again.status < 500;
      notes.observe('a chunk with a wrong checksum ends the upload', hasEnded, again);
      if (hasEnded) {
        await files.remove(upload.area, upload.path);
        return expectUploaded(context, fileInChunks(context, 2, upload));
      }
      context.expect(again).toSucceed();
      await expectSent(context, upload, 3);
      await expectStored(context, upload);
    }),
  },
  'files.chunk.checksum-missing': {
    level: 'observe',
    source: 'extensions: File routes, paragraph after the chunk table (mandatory stated for the stream row only)',
    statement: 'Whether a chunk call without `checksum` is refused is not said.',
    fault: 'Not applicable as a failure; recorded variant: accepted without validation.',
    needs: ['file-area-any'],
    test: scenario(async (context) => {
      const { notes, profile } = context;
      const upload = fileOfOneChunk(context);
      const reply = await sendChunk(context, upload, 1, { changes: { checksum: null } });
      notes.observe('status of a chunk without checksum', reply.status, reply);
      notes.observe('a file appeared', isSuccess((await readFileBack(context, upload, 500)).status));
      notes.remarkServerError(reply);
      const demanded = profile.all.files?.chunkChecksumRequired;
      if (demanded === undefined || demanded !== isSuccess(reply.status)) return;
      const expected = `a chunk without checksum to be ${demanded ? 'refused' : 'accepted'}, as files.chunkChecksumRequired of the profile says`;
      throw new Violation(expected, `status ${reply.status}`, reply, { bound: true });
    }),
  },
  'files.chunk.interleaved-files': {
    source: 'extensions: File routes, row 2 and chunk table (each call names its file)',
    statement:
      'Chunk uploads of different files that run at the same time do not mix, also when their names, but not their directories, are equal; nor does a file that comes, in chunks or whole, take one beside it whose name a server could have for a part of it, or stand in its way.',
    fault: 'Partial uploads are keyed by resumableFilename only.',
    needs: ['file-area-any'],
    after: ['files.chunk.two-chunks', 'files.download.bearer'],
    test: race(
      async (context, generation) => {
        await alternate(context, namesakes(context, 2));
        await expectNamesOfPartsFree(context);
        await Promise.all(namesakes(context, 4).map((upload) => expectUploaded(context, upload)));
        await histories.run(context, generation);
      },
      { rounds: 1 },
    ),
  },
  'files.chunk.part-order': {
    level: 'should',
    source: 'extensions: File routes, row 2 (form parts, no order stated)',
    statement:
      'The order of the parts in the form is not significant: `file` first, last or in the middle gives the same result, and so does a form whose boundary is quoted and whose texts have a type, or whose names are not quoted.',
    fault: 'Text parts after the `file` part are not read.',
    needs: ['file-area-any'],
    after: ['files.chunk.single-chunk', 'files.download.bearer'],
    test: scenario(async (context) => {
      const middle = ['resumableTotalSize', 'resumableChunkNumber', 'resumableRelativePath', 'file'];
      for (const order of [['file'], [], middle]) await expectUploaded(context, fileOfOneChunk(context), { order });
      for (const isOtherwise of [true, 'bare'] as const)
        await expectUploaded(context, fileOfOneChunk(context), { isOtherwise });
    }),
  },
});

/** The digest of a file that was deleted is not that of other bytes at its path. */
async function expectCheckedAnew(context: CaseContext, former: Upload): Promise<void> {
  const { given, files, expect } = context;
  if (!isSuccess((await files.remove(former.area, former.path)).status)) return;
  const checksum = files.checksumOf(former.bytes);
  const bytes = given.bytes(former.bytes.byteLength);
  expect(await sendChunk(context, former, 1, { bytes, changes: { checksum } })).notToSucceed();
}

function typeAt(index: number): string {
  return fileTypes[index % fileTypes.length] ?? 'text/plain';
}

function chunkOf({ bytes, chunkSize }: Upload, number: number): Uint8Array {
  return bytes.subarray((number - 1) * chunkSize, number * chunkSize);
}

/** The digest with another last digit. */
function otherDigest(checksum: string): string {
  return checksum.slice(0, -1) + (checksum.endsWith('0') ? '1' : '0');
}

/** Areas that differ in one thing alone, as far as the profile has them. */
function twinAreas({ files, profile }: CaseContext): readonly (readonly FileArea[])[] {
  const { identities, secondSpace, files: bound } = profile.all;
  const has = (wanted: FileArea['name']): boolean => files.areas.some(({ name }) => name === wanted);
  return [
    ...(has('user') && identities.editor !== undefined && identities.secondEditor !== undefined
      ? [[files.userArea('editor'), files.userArea('secondEditor')]]
      : []),
    ...(has('user') && has('space') && secondSpaceOfEditor(profile.all) !== undefined
      ? [[areaAs(files.area('space'), files.secondSpace.as), files.secondSpace].map(userAreaBeside)]
      : []),
    ...(has('space') && secondSpace !== undefined ? [[files.area('space'), files.secondSpace]] : []),
    ...(has('participant') && bound?.secondParticipant !== undefined
      ? [[files.area('participant'), files.secondParticipant]]
      : []),
  ];
}

/** The files take turns, chunk by chunk. */
async function alternate(context: CaseContext, uploads: readonly Upload[]): Promise<void> {
  const most = Math.max(0, ...uploads.map(chunksOf));
  for (let number = 1; number <= most; number += 1)
    for (const upload of uploads) if (number <= chunksOf(upload)) await expectSent(context, upload, number);
  for (const upload of uploads) await expectStored(context, upload);
}

/** What is deleted in the area disturbs no upload under way of the same path in another one. */
async function expectUndisturbed(context: CaseContext, area: FileArea): Promise<void> {
  const { files, given } = context;
  const { path } = await given.file({ area });
  const others = files.areas
    .filter((other) => other !== area)
    .map((other) => fileInChunks(context, 2, { area: other, path }));
  for (const upload of others) await expectSent(context, upload, 1);
  // whether deletions work is the business of other rules
  await files.remove(area, path);
  for (const upload of others) await expectSent(context, upload, 2);
  for (const upload of others) await expectStored(context, upload);
}

/** Files of one name and one length in directories of their own. */
function namesakes(context: CaseContext, count: number): readonly Upload[] {
  const name = `${context.given.unique('namesake')}.bin`;
  return Array.from({ length: count }, () => fileInChunks(context, 3, { path: context.given.filePath({ name }) }));
}

/** The next chunk is sent, unless all were. */
async function sendNext(context: CaseContext, { upload, sent }: Sending): Promise<Sending> {
  if (sent === chunksOf(upload)) return { upload, sent };
  await expectSent(context, upload, sent + 1);
  return { upload, sent: sent + 1 };
}

async function beginAnew(context: CaseContext, { upload, sent }: Sending): Promise<Sending> {
  const { area, path } = upload;
  // a file may be put together behind the answer to its last chunk
  if (sent === chunksOf(upload)) await expectStored(context, upload);
  await context.files.remove(area, path);
  return { upload: fileInChunks(context, sent === 1 ? 2 : 3, { area, path }), sent: 0 };
}

async function finish(context: CaseContext, sending: Sending): Promise<void> {
  for (let state = sending; state.sent < chunksOf(state.upload);) state = await sendNext(context, state);
}
