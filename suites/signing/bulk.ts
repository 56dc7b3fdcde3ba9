import { createHash, createHmac } from 'node:crypto';
import vectorsFile from '../../fixtures/vectors/signature.json' with { type: 'json' };
import {
  anyLevel,
  declaredLevels,
  expectNotUploaded,
  namesBelow,
  source,
  waitQuietly,
  type Source,
} from '../../judge/bulk/upload-tree.ts';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { BulkChanges, BulkLevel } from '../../judge/bulk/bulk.ts';
import type { Reply } from '../../judge/exchange.ts';
import { isSuccess } from '../../judge/files/stored-file.ts';

const metadataPath = '/svc/extension';
const keyBytes = 64;

export const bulkSignatureCases = {
  'signing.bulk.signature-accepted': scenario(async (context) => {
    const { given, bulk, expect, notes } = context;
    const vector = given.present(
      vectorsFile.vectors.find(({ path }) => path === metadataPath),
      'a vector of the metadata path',
    );
    given.assume(
      bulk.signatureOf(vector.key, vector.path) === vector.signature,
      'a signer that agrees with the vectors',
    );
    const levels = declaredLevels(context);
    if (levels.length === 0)
      given.inconclusive(
        'No file area of the profile is one that a bulk upload can go to: declare collection, space or participant in files.areas.',
      );
    for (const level of levels) expect(await call(context, await one(context, level))).toSucceed();
    notes.observe('levels that were called', levels.join(', '));
  }),

  'signing.bulk.wrong-path-refused': scenario(async (context) => {
    const { bulk, expect } = context;
    const levels = ['collection', 'space', 'participant'] as const;
    const sources: Source[] = [];
    for (const level of declaredLevels(context)) {
      const path = bulk.path(level);
      const others = levels.filter((other) => other !== level).map((other) => bulk.path(other));
      for (const signed of [...others, `${path}x`, `${path}/`, path.replace(/[^/]+$/, 'other'), '/', metadataPath]) {
        const from = await one(context, level);
        expect(await call(context, from, { signed })).notToSucceed();
        sources.push(from);
      }
      await assumeRightAccepted(context, level);
    }
    await waitQuietly(context);
    for (const from of sources) await expectNotUploaded(context, from);
  }),

  'signing.bulk.wrong-key-refused': scenario(async (context) => {
    const { given, expect, notes } = context;
    const level = anyLevel(context);
    const right = Buffer.from(keyOf(context), 'base64');
    const flipped = Buffer.from(right);
    flipped.writeUInt8(flipped.readUInt8(0) ^ 1, 0);
    await assumeRightAccepted(context, level);
    for (const [what, key] of Object.entries({
      'another key': Buffer.from(given.bytes(keyBytes)),
      'one bit of the key flipped': flipped,
      'an empty key': Buffer.alloc(0),
    })) {
      const reply = await call(context, await one(context, level), { key: key.toString('base64') });
      expect(reply).notToSucceed();
      notes.observe(`status under ${what}`, reply.status, reply);
    }
    await assumeRightAccepted(context, level);
  }),

  'signing.bulk.key-bytes-decoded': scenario(async (context) => {
    const { given, bulk, expect } = context;
    const level = anyLevel(context);
    const [path, key] = [bulk.path(level), keyOf(context)];
    const text = Buffer.from(key, 'utf8').toString('base64');
    given.assume(
      bulk.signatureOf(text, path) !== bulk.signatureOf(key, path),
      'signatures that tell the key from its text',
    );
    expect(await call(context, await one(context, level), { key: text })).notToSucceed();
    await assumeRightAccepted(context, level);
  }),

  'signing.bulk.algorithm-sha512': scenario(async (context) => {
    const { bulk, expect } = context;
    const level = anyLevel(context);
    const [path, key] = [bulk.path(level), Buffer.from(keyOf(context), 'base64')];
    const wrong = [
      createHmac('sha256', key).update(path).digest('base64url'),
      createHash('sha512').update(key).update(path).digest('base64url'),
      createHash('sha512').update(path).update(key).digest('base64url'),
    ];
    for (const signature of wrong) expect(await call(context, await one(context, level), { signature })).notToSucceed();
    await assumeRightAccepted(context, level);
  }),

  'signing.bulk.truncated-refused': scenario(async (context) => {
    const { bulk, expect } = context;
    const level = anyLevel(context);
    const right = bulk.signatureOf(keyOf(context), bulk.path(level));
    for (const length of [0, 1, 43, right.length - 1])
      expect(await call(context, await one(context, level), { signature: right.slice(0, length) })).notToSucceed();
    await assumeRightAccepted(context, level);
  }),

  'signing.bulk.url-safe-alphabet': scenario(async (context) => {
    const { given, bulk, expect, notes } = context;
    const signed = withFurther(declaredLevels(context)).map((level) => ({
      level,
      signature: bulk.signatureOf(keyOf(context), bulk.path(level)),
    }));
    const telling = enough(signed, ['-', '_']);
    if (telling === undefined)
      return given.inconclusive(
        'No signature of a level holds both characters that are replaced: use another bulk.adminApiKey.',
      );
    for (const { level, signature } of telling) {
      expect(await call(context, await one(context, level), { signature })).toSucceed();
      for (const [form, text] of Object.entries({
        'in the standard alphabet': standard(signature),
        'with padding': `${signature}==`,
      })) {
        const { status } = await call(context, await one(context, level), { signature: text });
        notes.observe(`a signature ${form} is accepted at ${level} level`, isSuccess(status));
      }
    }
  }),
} satisfies SomeCasesOf<'signing'>;

/** The levels, and those whose area nobody has to declare for a signature to be tried. */
function withFurther(levels: readonly BulkLevel[]): readonly BulkLevel[] {
  return [...new Set([...levels, 'space' as const, 'collection' as const])];
}

interface Signed {
  readonly level: BulkLevel;
  readonly signature: string;
}

/** The first signatures that hold each of the characters between them; undefined when all together do not. */
function enough(signed: readonly Signed[], characters: readonly string[]): readonly Signed[] | undefined {
  const held = (some: readonly Signed[]): boolean =>
    characters.every((character) => some.some(({ signature }) => signature.includes(character)));
  return signed.map((_one, index) => signed.slice(0, index + 1)).find(held);
}

/** A source of one file for that level. */
function one(context: CaseContext, level: BulkLevel): Promise<Source> {
  return source(context, namesBelow(context, 'signed.bin'), level);
}

function call({ bulk }: CaseContext, { level, directory }: Source, changes: BulkChanges = {}): Promise<Reply> {
  return bulk.upload(level, { sourceDirectory: directory.path, writeLog: false }, changes);
}

/** The right signature opens the level, so that a refusal of another one means something. */
async function assumeRightAccepted(context: CaseContext, level: BulkLevel): Promise<void> {
  context.given.succeeded(await call(context, await one(context, level)), 'the right signature to be accepted', [
    'signing.bulk.signature-accepted',
  ]);
}

function keyOf({ given, profile }: CaseContext): string {
  return given.present(profile.all.bulk?.adminApiKey, 'bulk.adminApiKey in the profile');
}

function standard(signature: string): string {
  return signature.replaceAll('-', '+').replaceAll('_', '/');
}
