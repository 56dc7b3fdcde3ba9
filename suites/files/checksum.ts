import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { bytesOfContent, fileContent, md5Vectors, zeroDigests } from '../../fixtures/files.ts';
import { property, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { FileArea } from '../../judge/files/files.ts';
import { expectNothingAt, isSuccess } from '../../judge/files/stored-file.ts';
import { everyArea, inEvery, stored, storesAndReadsBack } from './words.ts';

const longest = 100_000;
/** An empty file is the business of another rule. */
const vectors = [...zeroDigests, ...md5Vectors].filter(({ text }) => text !== '');

export const checksumCases = {
  'files.stream.checksum-correct-accepted': property(
    fileContent(longest).map((content) => ({ name: JSON.stringify(content), bytes: bytesOfContent(content) })),
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

  'files.stream.checksum-wrong-refused': everyArea(async (context, area) => {
    const bytes = context.given.bytes(400);
    const right = context.files.checksumOf(bytes);
    const wrong = [0, 16, 31].map((place) => flippedAt(right, place));
    await areRefused(context, area, bytes, [...wrong, context.files.checksumOf(bytes.subarray(0, -1))]);
  }),

  'files.stream.checksum-malformed-refused': everyArea(async (context, area) => {
    const bytes = context.given.bytes(400);
    const right = context.files.checksumOf(bytes);
    const other = ['sha1', 'sha256'].map((algorithm) => createHash(algorithm).update(bytes).digest('hex'));
    await areRefused(context, area, bytes, ['', right.slice(0, 31), `${right}0`, `xyz${right.slice(3)}`, ...other]);
  }),

  'files.stream.checksum-missing-refused': everyArea(async (context, area) => {
    const { given, files, expect } = context;
    const bytes = given.bytes(400);
    const reply = await files.upload(area, given.filePath(), bytes, { checksum: null });
    given.assume(
      !reply.exchange.request.headers.some(([name]) => name.toLowerCase() === 'checksum'),
      'a request without checksum',
    );
    expect(reply).notToSucceed();
    await stored(context, area, given.filePath(), bytes);
  }),

  'files.stream.refused-leaves-no-file': everyArea(async (context, area) => {
    const { given, files } = context;
    for (const checksum of [null, files.checksumOf(given.bytes(10))]) {
      const path = given.filePath();
      const bytes = given.bytes(400);
      const reply = await files.upload(area, path, bytes, { checksum });
      given.present(isSuccess(reply.status) ? undefined : reply, 'an upload that is refused', [
        'files.stream.checksum-wrong-refused',
        'files.stream.checksum-missing-refused',
      ]);
      await expectNothingAt(context, area, path);
      await storesAndReadsBack(context, area, path, bytes);
    }
  }),

  'files.stream.checksum-notation': scenario(async ({ given, files, notes }) => {
    const bytes = given.bytes(400);
    const right = files.checksumOf(bytes);
    given.assume(/[a-f]/.test(right), 'a digest that holds letters');
    for (const [what, checksum] of Object.entries(notationsOf(right))) {
      const reply = await files.upload(files.any, given.filePath(), bytes, { checksum });
      notes.observe(`the right checksum ${what}`, reply.status, reply);
      notes.remarkServerError(reply);
    }
  }),
} satisfies SomeCasesOf<'files'>;

/** The bytes are refused with each of the checksums, and accepted with the right one. */
async function areRefused(
  context: CaseContext,
  area: FileArea,
  bytes: Uint8Array,
  checksums: readonly string[],
): Promise<void> {
  const { given, files, expect } = context;
  for (const checksum of checksums)
    expect(await files.upload(area, given.filePath(), bytes, { checksum })).notToSucceed();
  await stored(context, area, given.filePath(), bytes);
}

function flippedAt(digest: string, place: number): string {
  const other = digest[place] === '0' ? '1' : '0';
  return digest.slice(0, place) + other + digest.slice(place + 1);
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
