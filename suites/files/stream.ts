import { Buffer } from 'node:buffer';
import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { expectNothingAt, holds, isSuccess } from '../../judge/files/stored-file.ts';
import { everyArea, expectBytes, readsBack, stored, storesAndReadsBack, uploadWorks } from './words.ts';

const mebibyte = 1_048_576;
const emptyMd5 = 'd41d8cd98f00b204e9800998ecf8427e';

export const streamCases = {
  'files.stream.root-without-subdirectory': everyArea(async (context, area) => {
    const { given } = context;
    const path = given.filePath({ root: true });
    await storesAndReadsBack(context, area, path, given.bytes(200));
    await expectNothingAt(context, area, `${given.unique('other')}/${path}`);
  }),

  'files.stream.nested-directories-created': everyArea(async (context, area) => {
    const { given } = context;
    const top = given.unique('top');
    const deep = `${given.unique('deep')}/middle/low`;
    for (const path of [`${top}/first.bin`, `${deep}/first.bin`, `${deep}/second.bin`])
      await storesAndReadsBack(context, area, path, given.bytes(200));
  }),

  'files.stream.existing-file-refused': everyArea(async (context, area) => {
    const { given, files, expect } = context;
    const { path } = await given.file({ area });
    const other = given.bytes(150);
    await stored(context, area, given.filePath(), other);
    expect(await files.upload(area, path, other)).notToSucceed();
  }),

  'files.stream.existing-file-unchanged': everyArea(async (context, area) => {
    const { given, files } = context;
    const { path, bytes } = await given.file({ area, bytes: given.bytes(4000) });
    await files.upload(area, path, given.bytes(90));
    await readsBack(context, area, path, bytes);
  }),

  'files.stream.existing-identical-refused': everyArea(async (context, area) => {
    const { given, files, expect } = context;
    const { path, bytes } = await given.file({ area });
    expect(await files.upload(area, path, bytes)).notToSucceed();
    await readsBack(context, area, path, bytes);
  }),

  'files.stream.reupload-after-delete': everyArea(async (context, area) => {
    const { given, files } = context;
    const { path } = await given.file({ area, bytes: given.bytes(500), contentType: 'text/plain' });
    given.succeeded(await files.download(area, path), 'the first file reads back', uploadWorks);
    given.succeeded(await files.remove(area, path), 'its deletion', ['files.delete.removes-file']);
    await storesAndReadsBack(context, area, path, given.bytes(120), { contentType: 'application/pdf' });
  }),

  'files.stream.empty-file': everyArea(async (context, area) => {
    const { given, files, expect, notes } = context;
    const path = given.filePath();
    const nothing = new Uint8Array();
    expect(await files.upload(area, path, nothing, { checksum: emptyMd5 })).toSucceed();
    const reply = await files.download(area, path);
    expectBytes(context, reply, nothing);
    notes.observe(`download of an empty file of the ${area.name} area`, reply.status, reply);
    expect(
      await files.upload(area, given.filePath(), nothing, { checksum: files.checksumOf(given.bytes(1)) }),
    ).notToSucceed();
  }),

  'files.stream.one-byte-file': everyArea(async (context, area) => {
    for (const byte of [0x00, 0x0a, 0xff])
      await storesAndReadsBack(context, area, context.given.filePath(), Uint8Array.of(byte));
  }),

  'files.stream.guidance-size': everyArea(async (context, area) => {
    const { given } = context;
    for (const size of [65_535, 65_536, 100_000, 102_400])
      await storesAndReadsBack(context, area, given.filePath(), given.bytes(size));
  }),

  'files.stream.above-guidance': scenario(async ({ given, files, notes }) => {
    const area = files.any;
    for (const megabytes of [1.1, 5]) {
      const path = given.filePath();
      const bytes = given.bytes(Math.round(megabytes * mebibyte));
      const reply = await files.upload(area, path, bytes);
      notes.observe(`upload of ${megabytes} MiB`, reply.status, reply);
      notes.remarkServerError(reply);
      if (!isSuccess(reply.status)) continue;
      const isWhole = holds(await files.download(area, path), bytes);
      notes.observe(`${megabytes} MiB come back as sent`, isWhole);
      if (!isWhole) notes.remark(`A stream upload of ${megabytes} MiB was accepted and did not come back as sent.`);
    }
  }),

  'files.stream.body-not-interpreted': everyArea(async (context, area) => {
    for (const [contentType, text] of looksLikeMore)
      await storesAndReadsBack(context, area, context.given.filePath(), Buffer.from(text), { contentType });
  }),
} satisfies SomeCasesOf<'files'>;

/** Contents that a middleware could take for something to parse. */
const looksLikeMore: readonly (readonly [contentType: string, text: string])[] = [
  ['application/json', '{"broken": [1, 2'],
  ['application/json', '{\r\n  "b": 1.50,\r\n  "a": "\\u00e9"\r\n}\r\n'],
  ['application/x-www-form-urlencoded', 'a=b&c'],
  [
    'multipart/form-data; boundary=edge',
    '--edge\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nx\r\n--edge--\r\n',
  ],
  ['application/xml', '<?xml version="1.0"?>\n<a  b = "c" ></a>'],
  ['text/plain; charset=utf-8', '\ufeffwith a mark\r\nand two lines\n'],
];
