import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { bytesOfContent, fileContent, md5Vectors, zeroDigests } from '../../fixtures/files.ts';
import { type CaseContext, property, race, scenario } from '../../judge/case.ts';
import { unlessCut } from '../../judge/client/failure.ts';
import { areSimultaneous, assertRaced } from '../../judge/service/races.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { inChunks } from '../../judge/service/requests.ts';
import { expectNothingAt, holdsBytes } from '../../judge/files/stored-files.ts';
import { rules } from '../../judge/rule.ts';
import {
  everyArea,
  expectBytes,
  expectLongStoredWhole,
  expectNotHeldBack,
  expectReadsBack,
  expectRoundTrip,
  expectStoredAndReadBack,
  expectTaken,
  inEvery,
  isStoredUnlessRefused,
  mebibyte,
  storeFile,
  uploadWorks,
  whereServed,
} from './checks/every-area.ts';
import { expectInOneChunk } from './checks/upload-in-chunks.ts';
import { isSuccess } from '../../judge/exchange.ts';

const racingUploads = 8;

const raceRounds = 10;

const filesOfNewDirectory = 12;

const emptyMd5 = 'd41d8cd98f00b204e9800998ecf8427e';

/** Contents that a middleware could take for something to parse, to unpack or to spell anew. */
const looksLikeMore: readonly (readonly [contentType: string, content: string | Uint8Array])[] = [
  ['application/json', '{"broken": [1, 2'],
  ['application/json', '{\r\n  "b": 1.50,\r\n  "a": "\\u00e9"\r\n}\r\n'],
  ['application/atom+xml; type=entry', '<?xml version="1.0"?>\n<a  b = "c" ></a>'],
  ['application/vnd.api+json', '{"broken": [1, 2'],
  ['text/plain; charset=utf-8', '\ufeffwith a mark\r\nand two lines\n'],
  ['text/plain', Buffer.from('Gr\u00fc\u00dfe; caf\u00e9\r\n', 'latin1')],
  ['text/csv; charset=iso-8859-1', Buffer.from('\u00fc;\u00e9\r\n', 'latin1')],
  ['application/gzip', gzipSync('{"packed": true}\n')],
];

/** Types of forms, which no file has: whether a stream upload may say that it is one is not said, and a framework may read it as such. */
const forms: readonly (readonly [contentType: string, content: string])[] = [
  ['application/x-www-form-urlencoded', 'a=b&c'],
  [
    'multipart/form-data; boundary=edge',
    '--edge\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nx\r\n--edge--\r\n',
  ],
];

/** The guided size of a stream upload. Source: extensions, Limits, file size guidance */
const longestBytes = 100_000;

/** What comes with a wrong checksum: read at once, in pieces, or more than a service may want to keep in memory; of other types, and at other places. */
const checked = [
  { length: 1, place: 'root', contentType: 'text/plain' },
  { length: 300, place: 'deep', contentType: 'application/json' },
  { length: 400, place: 'directory', contentType: 'application/octet-stream' },
  { length: 65_537, place: 'directory', contentType: 'image/png' },
  { length: Math.round(1.2 * mebibyte), place: 'directory', contentType: 'application/pdf' },
] as const;

/** An empty file is the business of another rule. */
const vectors = [...zeroDigests, ...md5Vectors].filter(({ text }) => text !== '');

export const streamUploadRules = rules('files', {
  'files.stream.root-without-subdirectory': {
    source: 'extensions: File routes, row 1 and the sentence after the table',
    statement:
      'A file in the area root is uploaded with `stream/{fileName}`, read and deleted with `/{fileName}`; no empty subdirectory segment is needed.',
    fault: 'Stream route requires at least one subdirectory segment.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect, notes } = context;
      const path = given.filePath({ root: true });
      await expectStoredAndReadBack(context, { area, path, bytes: given.bytes(200) });
      await expectNothingAt(context, area, `${given.unique('other')}/${path}`);
      const elsewhere = await files.remove(area, (await given.file({ area })).path);
      notes.observe(`${area.name}: status of a DELETE in a directory`, elsewhere.status, elsewhere);
      if (!isSuccess(elsewhere.status)) return;
      expect(await files.remove(area, path)).toSucceed();
      await expectNothingAt(context, area, path);
    }),
  },
  'files.stream.nested-directories-created': {
    source: 'extensions: File routes, row 1, response column',
    statement:
      'A stream upload to a path whose directories do not exist creates them, whether all or some of them are missing, those that are called like a part of a route or 0 too; no preparatory call is needed.',
    fault: 'Upload fails when more than one directory is missing.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given } = context;
      const top = given.unique('top');
      const deep = `${given.unique('deep')}/middle/low`;
      const steps = 'abcdefghi'.split('').join('/');
      const partly = `${top}/middle/low`;
      for (const path of [`${top}/first.bin`, `${partly}/first.bin`, `${deep}/first.bin`, `${deep}/second.bin`])
        await expectStoredAndReadBack(context, { area, path, bytes: given.bytes(200) });
      // how deep a path may be is not said
      await isStoredUnlessRefused(context, { area, path: `${deep}/${steps}/first.bin`, bytes: given.bytes(200) });
      for (const word of ['stream', 'file', 'dir', '0'])
        for (const path of [`${word}/${given.unique()}.bin`, `${given.unique()}/${word}/${word}`])
          await expectRoundTrip(context, area, path, given.bytes(150));
    }),
  },
  'files.stream.checksum-correct-accepted': {
    source: 'extensions: File routes, stream upload paragraph',
    statement:
      'A stream upload whose `checksum` header is the MD5 of the body in lower-case hexadecimal without separators is accepted.',
    fault: 'Digest that begins with four zeros is compared after a conversion that drops them.',
    needs: ['file-area-any'],
    test: property(
      fileContent(longestBytes).map((content) => ({ name: JSON.stringify(content), bytes: bytesOfContent(content) })),
      (context, { bytes }) => {
        const { given, files, expect } = context;
        return inEvery(context, files.areas, async (area) => {
          expect(await files.upload(area, given.filePath(), bytes, { checksum: files.checksumOf(bytes) })).toSucceed();
        });
      },
      {
        always: vectors.map(({ text }) => ({ name: JSON.stringify(text), bytes: Buffer.from(text) })),
        share: 0.25,
        tell: ({ name }) => name,
      },
    ),
  },
  'files.stream.checksum-wrong-refused': {
    source: 'extensions: File routes, stream upload paragraph (validation)',
    statement:
      'A stream upload whose `checksum` is a well-formed MD5 of other content is refused (no 2xx), be that none at all, for files of no byte, one byte and up to more than 1 MiB, in the root and in folders, whatever its type and coding, also where one was refused before it, or a file of that content was deleted there.',
    fault: 'Well-formed checksum of a body is read and never compared.',
    needs: ['file-area-any'],
    after: ['files.stream.checksum-correct-accepted'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const other = files.checksumOf(given.bytes(10));
      for (const { length, place, contentType } of checkedIn(context, area)) {
        const changes = { checksum: other, contentType };
        const reply = await unlessCut(() => files.upload(area, pathAt(context, place), given.bytes(length), changes));
        if (reply !== undefined) expect(reply).notToSucceed();
      }
      const chunked = { checksum: other, ...inChunks };
      const reply = await unlessCut(() => files.upload(area, given.filePath(), given.bytes(500), chunked));
      if (reply !== undefined) expect(reply).notToSucceed();
      const bytes = given.bytes(400);
      const right = files.checksumOf(bytes);
      const wrong = [0, 16, 31].map((place) => flippedAt(right, place));
      await expectRefused(context, area, bytes, [
        ...wrong,
        files.checksumOf(bytes.subarray(0, -1)),
        files.checksumOf(Buffer.alloc(0)),
      ]);
      expect(await files.upload(area, given.filePath(), new Uint8Array(), { checksum: other })).notToSucceed();
      const again = given.filePath();
      await storeFile(context, area, again, bytes);
      given.succeeded(await files.remove(area, again), 'a deletion', ['files.delete.removes-file']);
      expect(await files.upload(area, again, given.bytes(400), { checksum: right })).notToSucceed();
    }),
  },
  'files.stream.checksum-malformed-refused': {
    source: 'extensions: File routes, stream upload paragraph',
    statement:
      'A `checksum` that cannot be the MD5 hex of the body (empty, 31 or 33 digits, non-hex letters, the SHA-1 or SHA-256 hex of the body) is refused.',
    fault: 'Validation is skipped when the header is not 32 characters long.',
    needs: ['file-area-any'],
    after: ['files.stream.checksum-correct-accepted'],
    test: everyArea(async (context, area) => {
      const bytes = context.given.bytes(400);
      const right = context.files.checksumOf(bytes);
      const other = ['sha1', 'sha256'].map((algorithm) => createHash(algorithm).update(bytes).digest('hex'));
      await expectRefused(context, area, bytes, [
        '',
        right.slice(0, 31),
        `${right}0`,
        `xyz${right.slice(3)}`,
        ...other,
      ]);
    }),
  },
  'files.stream.checksum-missing-refused': {
    source: 'extensions: File routes, row 1 (`checksum` mandatory)',
    statement:
      'A stream upload without a `checksum` header is refused (no 2xx), also of what was uploaded with one right before.',
    fault: 'Missing checksum header skips validation.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const bytes = given.bytes(400);
      const reply = await files.upload(area, given.filePath(), bytes, { checksum: null });
      given.assume(
        !reply.exchange.request.headers.some(([name]) => name.toLowerCase() === 'checksum'),
        'a request without checksum',
      );
      expect(reply).notToSucceed();
      const ofNothing = await files.upload(area, given.filePath(), new Uint8Array(), { checksum: null });
      expect(ofNothing).notToSucceed();
      await storeFile(context, area, given.filePath(), bytes);
      await expectNoChecksumRemembered(context, area);
    }),
  },
  'files.stream.refused-leaves-no-file': {
    level: 'should',
    source: 'extensions: File routes, row 1 and stream upload paragraph (consequence)',
    statement:
      'An upload refused because of a wrong or missing checksum leaves nothing readable at the target path, which the next upload may take, in chunks as well; nor does one whose checksum is refused for its notation.',
    fault: 'Body is written to its final path before the checksum is compared and is not removed.',
    needs: ['file-area-any'],
    after: ['files.stream.checksum-wrong-refused'],
    test: everyArea(async (context, area) => {
      const { given, files } = context;
      const other = files.checksumOf(given.bytes(10));
      const refused = checkedIn(context, area).map((one) => ({ ...one, checksum: other }));
      for (const { checksum, length, place, contentType } of [{ ...checked[2], checksum: null }, ...refused]) {
        const path = pathAt(context, place);
        const changes = { checksum, contentType };
        const reply = await unlessCut(() => files.upload(area, path, given.bytes(length), changes));
        const isTaken = reply !== undefined && isSuccess(reply.status);
        given.present(isTaken ? undefined : path, 'an upload that is refused', [
          'files.stream.checksum-wrong-refused',
          'files.stream.checksum-missing-refused',
        ]);
        await expectNothingAt(context, area, path);
        if (checksum === null) await expectInOneChunk(context, area, path);
        else await expectStoredAndReadBack(context, { area, path, bytes: given.bytes(400) });
      }
      await expectRefusedNotationsLeaveNothing(context, area);
    }),
  },
  'files.stream.checksum-notation': {
    level: 'observe',
    source:
      'extensions: File routes, stream upload paragraph (lower-case hex without separators; other forms unmentioned)',
    statement:
      'Whether the right digest in upper case, mixed case, with dashes or colons, as Base64, or with white space around it is accepted is not said.',
    fault: 'Not applicable as a failure; recorded variant: comparison that ignores case and separators.',
    needs: ['file-area-any'],
    test: scenario(async ({ given, files, notes }) => {
      const bytes = given.bytes(400);
      const right = files.checksumOf(bytes);
      given.assume(/[a-f]/.test(right), 'a digest that holds letters');
      for (const [what, checksum] of Object.entries(notationsOf(right))) {
        const reply = await files.upload(files.any, given.filePath(), bytes, { checksum });
        notes.observe(`the right checksum ${what}`, reply.status, reply);
        notes.remarkServerError(reply);
      }
    }),
  },
  'files.stream.existing-file-refused': {
    source: 'extensions: File routes, row 1 (fails when the file exists)',
    statement:
      'A stream upload to a path that already holds a file is refused (no 2xx), even with a correct checksum of different content, of whatever type and whoever sends it.',
    fault: 'Second upload of another length overwrites and answers 2xx.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { path } = await context.given.file({ area });
      const other = context.given.bytes(150);
      await storeFile(context, area, context.given.filePath(), other);
      await expectTaken(context, area, path, other);
    }),
  },
  'files.stream.existing-file-unchanged': {
    source: 'extensions: File routes, row 1 (fails when the file exists)',
    statement: 'A refused upload onto an existing file leaves the first content byte for byte in place.',
    fault: 'A file is truncated before the existence check answers when much less comes.',
    needs: ['file-area-any'],
    after: ['files.stream.existing-file-refused'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const { path, bytes } = await given.file({ area, bytes: given.bytes(4000) });
      await files.upload(area, path, given.bytes(90));
      await expectReadsBack(context, area, path, bytes);
      const [empty, nothing] = [given.filePath(), new Uint8Array()];
      const stored = await files.upload(area, empty, nothing);
      // whether an empty file is taken is a rule of its own
      if (!isSuccess(stored.status)) return;
      expect(await files.upload(area, empty, given.bytes(90))).notToSucceed();
      expectBytes(context, await files.download(area, empty), nothing);
    }),
  },
  'files.stream.existing-identical-refused': {
    source: 'extensions: File routes, row 1 (fails when the file exists)',
    statement:
      'The refusal of an existing path does not depend on content: repeating the identical upload is refused too.',
    fault: 'Upload of identical content is answered as a successful no-op.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const { path, bytes } = await given.file({ area });
      expect(await files.upload(area, path, bytes)).notToSucceed();
      await expectReadsBack(context, area, path, bytes);
    }),
  },
  'files.stream.reupload-after-delete': {
    source: 'extensions: File routes, rows 1 and 4',
    statement:
      'Once a file is deleted its path counts as free: the next stream upload to it succeeds and reads back the new bytes, of another length or of the same, also for a client that names the ETag of what was there; in the end its name may be that of a directory.',
    fault: 'Names of deleted text files stay reserved and refuse a new upload.',
    needs: ['file-area-any'],
    after: ['files.delete.removes-file'],
    test: everyArea(async (context, area) => {
      const { given, files, expect } = context;
      const { path } = await given.file({ area, bytes: given.bytes(500), contentType: 'text/plain' });
      given.succeeded(await files.download(area, path), 'the first file reads back', uploadWorks);
      given.succeeded(await files.remove(area, path), 'its deletion', ['files.delete.removes-file']);
      for (const length of [120, 120]) {
        const bytes = given.bytes(length);
        await expectStoredAndReadBack(context, { area, path, bytes }, { contentType: 'application/pdf' });
        const { etag } = (await files.download(area, path)).headers;
        expect(await files.remove(area, path)).toSucceed();
        if (etag === undefined) continue;
        const other = given.bytes(length);
        await expectStoredAndReadBack(context, { area, path, bytes: other }, { contentType: 'application/pdf' });
        await expectNotHeldBack(context, { area, path, bytes: other }, etag);
        expect(await files.remove(area, path)).toSucceed();
      }
      await expectStoredAndReadBack(context, { area, path: `${path}/below.bin`, bytes: given.bytes(120) });
    }),
  },
  'files.stream.empty-file': {
    level: 'should',
    source: 'extensions: File routes, row 1 (no lower size bound given)',
    statement:
      'A zero-byte stream upload with the MD5 of empty input is stored, reads back as zero bytes and can be deleted; with the MD5 of anything else it is refused.',
    fault: 'An empty body is answered with 400.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given, files, expect, notes } = context;
      const path = given.filePath();
      const nothing = new Uint8Array();
      expect(await files.upload(area, path, nothing, { checksum: emptyMd5 })).toSucceed();
      const reply = await files.download(area, path);
      expectBytes(context, reply, nothing);
      expect(await files.remove(area, path)).toSucceed();
      await expectNothingAt(context, area, path);
      notes.observe(`download of an empty file of the ${area.name} area`, reply.status, reply);
      const wrong = { checksum: files.checksumOf(given.bytes(1)) };
      expect(await files.upload(area, given.filePath(), nothing, wrong)).notToSucceed();
    }),
  },
  'files.stream.one-byte-file': {
    source: 'extensions: File routes, row 1',
    statement: 'A one-byte file, including the single byte 00 or FF, is stored and returned unchanged.',
    fault: 'A body of one blank is trimmed as text before it is stored.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      for (const byte of [0x00, 0x0a, 0xff])
        await expectStoredAndReadBack(context, { area, path: context.given.filePath(), bytes: Uint8Array.of(byte) });
    }),
  },
  'files.stream.guidance-size': {
    source: 'extensions: Limits, file size guidance; File routes, stream upload paragraph',
    statement:
      'The stream route takes files up to the guided size of about 100 kB, be they full of zeros, or like another one but for their last byte. A longer one that it takes is stored whole.',
    fault: 'Body limit of one byte less than 100 KiB on the stream route.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      const { given } = context;
      for (const size of [65_535, 65_536, 100_000, 102_400]) {
        const bytes = given.bytes(size);
        // whole blocks of zeros in the middle and at the end
        if (size % 4096 === 0) bytes.fill(0, 16_384, 32_768).fill(0, size - 8192);
        await expectStoredAndReadBack(context, { area, path: given.filePath(), bytes });
        if (size < 100_000) continue;
        const almost = Uint8Array.from(bytes, (byte, index) => (index === size - 1 ? byte ^ 1 : byte));
        await expectStoredAndReadBack(context, { area, path: given.filePath(), bytes: almost });
      }
      await expectLongStoredWhole(context, area);
    }),
  },
  'files.stream.above-guidance': {
    level: 'observe',
    source: 'extensions: File routes, stream upload paragraph (degradation above about 1 MB)',
    statement:
      'The figure for stream uploads is guidance and no hard limit is given; what happens at 1.1 MB and at 5 MB is recorded.',
    fault: 'Not applicable as a failure; recorded variant: 413 above 1 MB.',
    needs: ['file-area-any'],
    test: scenario(async ({ given, files, notes, profile }) => {
      const area = files.any;
      const longest = profile.all.files?.maxStreamSize;
      for (const megabytes of [1.1, 5]) {
        const path = given.filePath();
        const bytes = given.bytes(Math.round(megabytes * mebibyte));
        const reply = await unlessCut(() => files.upload(area, path, bytes));
        const isTaken = reply !== undefined && isSuccess(reply.status);
        notes.observe(`upload of ${megabytes} MiB`, reply?.status ?? 'ends the connection', reply);
        notes.bound(
          { key: 'files.maxStreamSize', value: longest === undefined ? undefined : bytes.length <= longest },
          `${megabytes} MiB are taken`,
          isTaken,
          reply,
        );
        if (reply !== undefined) notes.remarkServerError(reply);
        if (!isTaken) continue;
        const isWhole = holdsBytes(await files.download(area, path), bytes);
        notes.observe(`${megabytes} MiB come back as sent`, isWhole);
        if (!isWhole) notes.remark(`A stream upload of ${megabytes} MiB was accepted and did not come back as sent.`);
      }
    }),
  },
  'files.stream.body-not-interpreted': {
    source: 'extensions: File routes, row 1 (raw content, Content-Type of the file)',
    statement:
      'The body is stored raw whatever the Content-Type of the file: JSON (also malformed JSON), XML and packed content and text of any character set is neither parsed nor rewritten; one in the chunked coding or with the type of a form is stored whole where it is taken.',
    fault: 'A JSON middleware parses and re-serialises bodies on the stream route.',
    needs: ['file-area-any'],
    test: everyArea(async (context, area) => {
      for (const [contentType, content] of looksLikeMore)
        await expectStoredAndReadBack(
          context,
          { area, path: context.given.filePath(), bytes: Buffer.from(content) },
          { contentType },
        );
      for (const form of forms) await expectFormWhole(context, area, form);
      await expectChunkedWhole(context, area);
    }),
  },
  'files.stream.concurrent-same-name': {
    level: 'should',
    source: 'extensions: File routes, row 1 (fails when the file exists, under a race)',
    statement:
      'Of several simultaneous stream uploads to one new path exactly one succeeds, and the stored bytes are those of the one that succeeded.',
    fault: 'Uploads that lost the race for a path are answered 2xx.',
    needs: ['file-area-any'],
    after: ['files.stream.existing-file-refused'],
    test: race(
      async (context) => {
        const { files } = context;
        let overlapping = 0;
        for (let round = 0; round < raceRounds; round += 1) {
          const area = files.areas[round % files.areas.length] ?? files.any;
          await whereServed(context, [area], async () => {
            if (await expectOneWinner(context, area)) overlapping += 1;
          });
        }
        assertRaced(context, overlapping, raceRounds);
      },
      { rounds: 1 },
    ),
  },
  'files.stream.concurrent-new-directory': {
    source: 'extensions: File routes, row 1 (directories are created)',
    statement: 'Simultaneous uploads of different files into the same not yet existing directory all succeed.',
    fault: 'Directory creation fails when another request created it a moment earlier.',
    needs: ['file-area-any'],
    after: ['files.stream.nested-directories-created'],
    test: race((context) => inEvery(context, context.files.areas, (area) => expectAllStored(context, area)), {
      rounds: 1,
    }),
  },
  'files.stream.cut-body': {
    level: 'observe',
    source: 'extensions: File routes (silent on broken connections)',
    statement: "What remains when the client's connection breaks in the middle of a stream upload is not said.",
    fault: 'Not applicable as a failure; recorded variant: half of the file is served.',
    needs: ['file-area-any'],
    test: scenario(async ({ given, files, service, notes }) => {
      const [area, path, bytes] = [files.any, given.filePath(), given.bytes(60_000)];
      const request = files.uploadRequest(area, path, bytes);
      given.bookFile(area, path);
      await service.abandon(request, {
        body: bytes.subarray(0, 30_000),
        headers: { 'Content-Length': String(bytes.byteLength) },
      });
      const partial = await files.download(area, path);
      notes.observe('GET after the connection broke in the middle of the body', partial.status, partial);
      if (isSuccess(partial.status))
        notes.remark(
          `${partial.bytes.byteLength} of ${bytes.byteLength} bytes are served after the connection broke.`,
          partial,
        );
      const retry = await files.upload(area, path, bytes);
      notes.observe('the whole upload after that', retry.status, retry);
      if (partial.status === 404 && retry.status >= 400)
        notes.remark('Nothing is left of an upload whose connection broke, and yet the whole one is refused.', retry);
    }),
  },
});

/** A body whose length is not told beforehand may be refused. Source: RFC 9110 section 15.5.12 */
async function expectChunkedWhole(context: CaseContext, area: FileArea): Promise<void> {
  const { given, files, notes } = context;
  const [path, bytes] = [given.filePath(), given.bytes(70_000)];
  const reply = await unlessCut(() => files.upload(area, path, bytes, inChunks));
  notes.observe('a stream upload in the chunked coding', reply?.status ?? 'ends the connection', reply);
  if (reply !== undefined && isSuccess(reply.status)) await expectReadsBack(context, area, path, bytes);
}

async function expectFormWhole(
  context: CaseContext,
  area: FileArea,
  [contentType, content]: (typeof forms)[number],
): Promise<void> {
  const { given, files, notes } = context;
  const [path, bytes] = [given.filePath(), Buffer.from(content)];
  const reply = await unlessCut(() => files.upload(area, path, bytes, { contentType }));
  notes.observe(`a stream upload of ${contentType}`, reply?.status ?? 'ends the connection', reply);
  if (reply !== undefined && isSuccess(reply.status)) await expectReadsBack(context, area, path, bytes);
}

/** The longest is enough once. */
function checkedIn({ files }: CaseContext, { name }: FileArea): readonly (typeof checked)[number][] {
  return name === files.any.name ? checked : checked.slice(0, -1);
}

function pathAt({ given }: CaseContext, place: (typeof checked)[number]['place']): string {
  return place === 'deep'
    ? `${given.unique('top')}/middle/${given.filePath()}`
    : given.filePath({ root: place === 'root' });
}

function flippedAt(digest: string, place: number): string {
  const other = digest[place] === '0' ? '1' : '0';
  return digest.slice(0, place) + other + digest.slice(place + 1);
}

/** What one upload says of its bytes says nothing of another one. Both are on their way together, so that no upload of another case comes between all of them. */
async function expectNoChecksumRemembered({ given, files, expect }: CaseContext, area: FileArea): Promise<void> {
  // the same in all areas, which take their uploads at once
  const bytes = new Uint8Array(400).fill(7);
  const sent = Array.from({ length: 8 }, (_upload, index) => (index % 2 === 0 ? {} : { checksum: null }));
  const replies = await Promise.all(sent.map((changes) => files.upload(area, given.filePath(), bytes, changes)));
  for (const [index, reply] of replies.entries())
    if (index % 2 === 0) expect(reply).toSucceed();
    else expect(reply).notToSucceed();
}

/** The bytes are refused with each of the checksums, and accepted with the right one. */
async function expectRefused(
  context: CaseContext,
  area: FileArea,
  bytes: Uint8Array,
  checksums: readonly string[],
): Promise<void> {
  const { given, files, expect } = context;
  const path = given.filePath();
  for (const checksum of checksums) expect(await files.upload(area, path, bytes, { checksum })).notToSucceed();
  await storeFile(context, area, given.filePath(), bytes);
}

function notationsOf(digest: string): Readonly<Record<string, string>> {
  const pairs = digest.match(/../g) ?? [];
  return {
    'in upper case': digest.toUpperCase(),
    'in mixed case': pairs.map((pair, index) => (index % 2 === 0 ? pair.toUpperCase() : pair)).join(''),
    'with dashes': pairs.join('-'),
    'with colons': pairs.join(':'),
    'in Base64': Buffer.from(digest, 'hex').toString('base64'),
    'between blanks': ` ${digest} `,
  };
}

/** Which notations of the right checksum are taken is not said. Source: ledger checksum-notation */
async function expectRefusedNotationsLeaveNothing(context: CaseContext, area: FileArea): Promise<void> {
  const { given, files } = context;
  const bytes = given.bytes(400);
  const right = files.checksumOf(bytes);
  for (const checksum of [right.toUpperCase(), right.slice(1)]) {
    const path = given.filePath();
    const reply = await unlessCut(() => files.upload(area, path, bytes, { checksum }));
    if (reply !== undefined && reply.status >= 400 && reply.status < 500) await expectNothingAt(context, area, path);
  }
}

/** One round: of several uploads to a new path one is accepted, and its bytes are stored. Tells whether the requests overlapped. */
async function expectOneWinner(context: CaseContext, area: FileArea): Promise<boolean> {
  const { given, files, expect } = context;
  const path = given.filePath();
  const bodies = Array.from({ length: racingUploads }, (_, index) => given.bytes(1500 + index));
  const replies = await Promise.all(bodies.map((bytes) => files.upload(area, path, bytes)));
  const winners = replies.filter(({ status }) => isSuccess(status));
  expect(winners.length, `uploads of ${racingUploads} to one new path that succeed`, winners[1] ?? replies[0]).toEqual(
    1,
  );
  const winner = replies.findIndex(({ status }) => isSuccess(status));
  const bytes = bodies[winner];
  if (bytes !== undefined) expectBytes(context, await files.download(area, path), bytes);
  return areSimultaneous(replies);
}

async function expectAllStored(context: CaseContext, area: FileArea): Promise<void> {
  const { given, files, expect } = context;
  const directory = `${given.unique('new')}/one/two`;
  const all = Array.from({ length: filesOfNewDirectory }, (_, index) => ({
    path: `${directory}/${index}.bin`,
    bytes: given.bytes(300 + index),
  }));
  const replies = await Promise.all(all.map(({ path, bytes }) => files.upload(area, path, bytes)));
  for (const reply of replies) expect(reply).toSucceed();
  await Promise.all(all.map(({ path, bytes }) => expectReadsBack(context, area, path, bytes)));
}
