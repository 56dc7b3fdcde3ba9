import { metadataPath } from '../../contract/names.ts';
import { createHash, createHmac } from 'node:crypto';
import vectorsFile from '../../fixtures/vectors/signature.json' with { type: 'json' };
import type { BulkChanges, BulkLevel } from '../../judge/files/bulk.ts';
import {
  anyLevel,
  type BulkSource,
  declaredLevels,
  expectNotUploaded,
  makeSource,
  namesBelow,
  sendInTurn,
  waitQuietly,
} from '../../judge/files/bulk-uploads.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import type { Call, CalledType } from '../../judge/extension/call.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import { unlessRefused } from '../../judge/violation.ts';
import {
  callWaitMs,
  expectCall,
  triggerEvent,
  triggerCall,
  triggeredTypes,
} from '../../judge/extension/trigger-calls.ts';
import { rules } from '../../judge/rule.ts';
import { foreignKey, signatureOver, spoiltSignatures } from '../../judge/service/signature.ts';
import { aside, partHere } from '../../judge/case/part.ts';
import { calledAnew, extensionBody, mayListenAlone } from './checks/extension-hosts.ts';

/** Keys of these lengths in bytes are tried; what HMAC does changes at 128. */
const keyLengths = [1, 32, 48, 64, 65, 128, 129, 200];

const fewestKeys = 20;

const mostKeys = 60;

const keyBytes = 64;

/** Past the third retry of an event, in ms. */
const retriesMs = 16_000;

interface Signed {
  readonly level: BulkLevel;
  readonly signature: string;
}

export const signingRules = rules('signing', {
  'signing.bulk.signature-accepted': {
    source: 'extensions: Authentication, rule 2',
    statement:
      'A bulk call is accepted when its bearer is the URL-safe, unpadded Base64 of HMAC-SHA512 over the UTF-8 request path, keyed with the bytes of the Base64 administration key; this holds on each of the three levels with its own path, however often.',
    fault: 'Only the collection-level path verifies.',
    needs: ['admin-api-key', 'host-directory', 'file-area-any'],
    test: scenario(async (context) => {
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
      for (const level of [...levels, ...levels, ...levels])
        expect(await sendBulk(context, await sourceOfOne(context, level))).toSucceed();
      notes.observe('levels that were called', levels.join(', '));
    }),
  },
  'signing.bulk.wrong-path-refused': {
    source: 'extensions: Authentication, rule 2 (over the request path)',
    statement:
      'A signature made over another path than the one requested is refused, also when that path is another bulk level, another space id, or the same path with a suffix.',
    fault: 'The signature is verified over a constant path.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space', 'file-area-participant'],
    after: ['signing.bulk.signature-accepted'],
    test: scenario(async (context) => {
      const { bulk, expect } = context;
      const levels = ['collection', 'space', 'participant'] as const;
      const sources: BulkSource[] = [];
      for (const level of declaredLevels(context)) {
        const path = bulk.path(level);
        const others = levels.filter((other) => other !== level).map((other) => bulk.path(other));
        for (const signed of [...others, `${path}x`, `${path}/`, path.replace(/[^/]+$/, 'other'), '/', metadataPath]) {
          const from = await sourceOfOne(context, level);
          expect(await sendBulk(context, from, { signed })).notToSucceed();
          sources.push(from);
        }
        await assumeRightAccepted(context, level);
      }
      await waitQuietly(context);
      for (const from of sources) await expectNotUploaded(context, from);
    }),
  },
  'signing.bulk.wrong-key-refused': {
    source: 'extensions: Authentication, rule 2',
    statement: 'A signature made with another key is refused.',
    fault: 'Any bearer of 86 URL-safe characters is accepted.',
    needs: ['admin-api-key', 'host-directory'],
    after: ['signing.bulk.signature-accepted'],
    test: scenario(async (context) => {
      const { expect, notes } = context;
      const level = anyLevel(context);
      const right = Buffer.from(administrationKey(context), 'base64');
      const flipped = Buffer.from(right);
      flipped.writeUInt8(flipped.readUInt8(0) ^ 1, 0);
      await assumeRightAccepted(context, level);
      for (const [what, key] of Object.entries({
        'another key': foreignKey,
        'one bit of the key flipped': flipped,
        'an empty key': Buffer.alloc(0),
      })) {
        const reply = await sendBulk(context, await sourceOfOne(context, level), { key: key.toString('base64') });
        expect(reply).notToSucceed();
        notes.observe(`status under ${what}`, reply.status, reply);
      }
      await assumeRightAccepted(context, level);
    }),
  },
  'signing.bulk.key-bytes-decoded': {
    source: 'extensions: Authentication, rule 2 (key is Base64-decoded first)',
    statement:
      'The HMAC key is the decoded byte string; a signature made with the Base64 text itself as the key is refused.',
    fault: 'Key text is used undecoded (a signature over the text is accepted as well).',
    needs: ['admin-api-key', 'host-directory'],
    after: ['signing.bulk.signature-accepted'],
    test: scenario(async (context) => {
      const { given, bulk, expect } = context;
      const level = anyLevel(context);
      const [path, key] = [bulk.path(level), administrationKey(context)];
      const text = Buffer.from(key, 'utf8').toString('base64');
      given.assume(
        bulk.signatureOf(text, path) !== bulk.signatureOf(key, path),
        'signatures that tell the key from its text',
      );
      expect(await sendBulk(context, await sourceOfOne(context, level), { key: text })).notToSucceed();
      await assumeRightAccepted(context, level);
    }),
  },
  'signing.bulk.algorithm-sha512': {
    source: 'extensions: Authentication, rule 2 (HMAC SHA512)',
    statement: 'Signatures made with HMAC-SHA256 or with plain SHA-512 of key and path are refused.',
    fault: 'Verification compares with HMAC-SHA256 as a fallback.',
    needs: ['admin-api-key', 'host-directory'],
    after: ['signing.bulk.signature-accepted'],
    test: scenario(async (context) => {
      const { bulk, expect } = context;
      const level = anyLevel(context);
      const [path, key] = [bulk.path(level), Buffer.from(administrationKey(context), 'base64')];
      const wrong = [
        createHmac('sha256', key).update(path).digest('base64url'),
        createHash('sha512').update(key).update(path).digest('base64url'),
        createHash('sha512').update(path).update(key).digest('base64url'),
      ];
      for (const signature of wrong)
        expect(await sendBulk(context, await sourceOfOne(context, level), { signature })).notToSucceed();
      await assumeRightAccepted(context, level);
    }),
  },
  'signing.bulk.truncated-refused': {
    source: 'extensions: Authentication, rule 2 (the whole value)',
    statement:
      'What is nearly the right signature is refused: a proper prefix of it, down to the empty string, its letters in the other case, another beginning, middle or end, more behind it.',
    fault: 'Comparison runs over the length of the value that was sent.',
    needs: ['admin-api-key', 'host-directory'],
    after: ['signing.bulk.signature-accepted'],
    test: scenario(async (context) => {
      const { bulk, expect } = context;
      const level = anyLevel(context);
      const right = bulk.signatureOf(administrationKey(context), bulk.path(level));
      for (const signature of ['', ...spoiltSignatures.map(([, change]) => change(right))])
        expect(await sendBulk(context, await sourceOfOne(context, level), { signature })).notToSucceed();
      await assumeRightAccepted(context, level);
    }),
  },
  'signing.bulk.url-safe-alphabet': {
    source: 'extensions: Authentication, rule 2 (`+` to `-`, `/` to `_`)',
    statement: 'Signatures whose Base64 holds plus and slash characters are accepted in the URL-safe form.',
    fault: 'Expected signature is left in the standard alphabet.',
    needs: ['admin-api-key', 'host-directory', 'file-area-space'],
    after: ['signing.bulk.signature-accepted'],
    test: scenario(async (context) => {
      const { given, bulk, expect, notes } = context;
      const signed = withMoreLevels(declaredLevels(context)).map((level) => ({
        level,
        signature: bulk.signatureOf(administrationKey(context), bulk.path(level)),
      }));
      // what the signatures hold is decided by a secret, which nobody has when the run is played
      const count = await aside('telling signatures', async () => tellingSignatures(signed, ['-', '_'])?.length ?? 0);
      const telling = signed.slice(0, count);
      if (count === 0)
        return given.inconclusive(
          'No signature of a level holds both characters that are replaced: use another bulk.adminApiKey.',
        );
      for (const { level, signature } of telling) {
        expect(await sendBulk(context, await sourceOfOne(context, level), { signature })).toSucceed();
        for (const [form, text] of Object.entries({
          'in the standard alphabet': inStandardAlphabet(signature),
          'with padding': `${signature}==`,
        })) {
          const { status } = await sendBulk(context, await sourceOfOne(context, level), { signature: text });
          notes.observe(`a signature ${form} is accepted at ${level} level`, isSuccess(status));
        }
      }
    }),
  },
  'signing.extension-call.metadata-signed': {
    source: 'extensions: Authentication, rule 3; Metadata exchange',
    statement:
      'The metadata GET carries `Authorization: Bearer` with the signature over `/svc/extension` keyed with the registered apiKey.',
    fault: 'Metadata GET is sent without Authorization.',
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      const vector = given.present(
        vectorsFile.vectors.find(({ path }) => path === metadataPath),
        'a vector of the metadata path',
      );
      given.assume(
        signatureOver(vector.key, vector.path) === vector.signature,
        'a signer that agrees with the vectors',
      );
      for (const apiKey of [vector.key, partHere().key(64).toString('base64')]) {
        const extension = await given.extension({ apiKey, ownListener: mayListenAlone(context) });
        const request = given.present(extension.metadata()[0], 'the metadata request');
        expect(
          request.header('Authorization').length,
          'number of Authorization headers of the metadata request',
        ).toEqual(1);
        expectSigned(context, request, 'the metadata request');
        expect(request.bearer, 'the signature').toSatisfy('86 characters of the URL-safe alphabet', (text) =>
          /^[A-Za-z0-9_-]{86}$/.test(text ?? ''),
        );
      }
    }),
  },
  'signing.extension-call.every-type-signed': {
    source: 'extensions: Authentication, rule 3; Calls to extensions',
    statement:
      'Each POST to a registered extension carries the signature over the route path of that call, its last slash included, not over `/svc/extension`.',
    fault: 'Calls reuse the signature of the metadata path.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['signing.extension-call.metadata-signed'],
    test: scenario(async (context) => {
      const { given, notes, profile } = context;
      const types = triggeredTypes(context);
      const thing =
        types.includes('ExternalValidation') && profile.all.softTypes !== undefined ? await given.object() : undefined;
      const tried = thing === undefined ? types.filter((type) => type !== 'ExternalValidation') : types;
      const extension = await given.extension({ types: tried, ...(thing && { concerns: [thing] }) });
      for (const type of tried)
        expectSigned(
          context,
          requireCall(context, await triggerCall(context, extension, type, thing), type),
          `the call of type ${type}`,
        );
      notes.observe('types that were exercised', tried.join(', '));
      const ending = await given.extension({ record: { endpoint: `${given.unique('Ending')}/` } });
      const call = await unlessRefused(() => triggerEvent(context, ending));
      if (call === undefined) notes.observe('the call at an endpoint that ends in a slash', 'does not come');
      else expectSigned(context, call, 'the call at an endpoint that ends in a slash');
    }),
  },
  'signing.extension-call.query-excluded': {
    source: 'extensions: Authentication, rule 3 (route path) with Calls to extensions, last sentence',
    statement:
      'The signed string is the path alone: the appended token query of validation, task and email calls is not part of it.',
    fault: 'Signature is computed over path and query.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['signing.extension-call.every-type-signed'],
    test: scenario(async (context) => {
      const { given, notes } = context;
      const thing = await given.object();
      const types = triggeredTypes(context).filter((type) =>
        ['ExternalValidation', 'ExternalTask', 'Email'].includes(type),
      );
      const extension = await given.extension({ types, concerns: [thing] });
      const withQuery: Call[] = [];
      for (const type of types) {
        const call = requireCall(context, await triggerCall(context, extension, type, thing), type);
        if (call.query.length > 0) withQuery.push(call);
      }
      given.assume(withQuery.length > 0, 'a call with a query');
      for (const call of withQuery) {
        given.assume(
          signatureOver(extension.apiKey, call.target) !==
            signatureOver(extension.apiKey, call.target.split('?')[0] ?? ''),
          'signatures that tell path and query apart',
        );
        expectSigned(context, call, `the ${call.kind} call, over its path without the query`);
      }
      notes.observe('calls with a query', withQuery.map(({ kind }) => kind).join(', '));
    }),
  },
  'signing.extension-call.encoding': {
    source: 'extensions: Authentication, rules 2 and 3',
    statement: 'Under every apiKey of 1 to 200 bytes that a registration takes the signature is unpadded and URL-safe.',
    fault: 'Slash is not replaced by underscore under keys of more than 64 bytes.',
    needs: ['collection-admin', 'extension-listener'],
    after: ['signing.extension-call.metadata-signed'],
    test: scenario(async (context) => {
      const { given, notes } = context;
      const seen: string[] = [];
      let lengths: readonly number[] = keyLengths;
      for (
        let index = 0;
        index < fewestKeys ||
        (index < mostKeys && !['-', '_'].every((character) => seen.some((text) => text.includes(character))));
        index += 1
      ) {
        const length = lengths[index % lengths.length] ?? keyBytes;
        const request = await metadataRequestUnder(context, keyOf(given.unique('key'), length));
        if (request !== undefined) {
          seen.push(expectSigned(context, request, `the metadata request under a key of ${length} bytes`));
          continue;
        }
        // how long a key may be is not said. Source: ledger signature-key-format
        notes.observe(`a key of ${length} bytes`, 'refused');
        lengths = lengths.filter((other) => other !== length);
      }
      given.assume(seen.length >= fewestKeys / 2, 'registrations with keys of some length');
    }),
  },
  'signing.extension-call.own-key-per-extension': {
    source: "extensions: Authentication, rule 3 (the extension's apiKey); Registered extension, row apiKey",
    statement:
      'With several registered extensions each call, of whatever type, is signed with the key of the extension that is called, which may be that of another one as well, and differ from that of another one at its host.',
    fault: 'The key registered last is used for every call.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['signing.extension-call.every-type-signed'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      const [first, second] = [await given.extension(), await given.extension()];
      for (const [called, other] of [
        [first, second],
        [second, first],
        [first, second],
      ] as const) {
        const call = requireCall(context, await triggerEvent(context, called), 'ExternalEvent');
        expectSigned(context, call, 'the call of an extension, with its own key');
        expect(call.bearer, 'the signature').notToEqual(signatureOver(other.apiKey, call.target));
      }
      await expectKeyShared(context, first);
      await expectKeyOfRegistration(context);
      const hosts = [await hostOfEachType(context), await hostOfEachType(context)];
      for (const type of typesToSign(context)) {
        for (const host of hosts) {
          const call = await unlessRefused(() => callOfType(context, host, type));
          if (call === undefined) notes.observe(`a call of type ${type}`, 'does not come');
          else expectSigned(context, call, `the call of type ${type}, with the key of its extension`);
        }
      }
    }),
  },
  'signing.extension-call.key-after-update': {
    source: 'extensions: Authentication, rule 3; Registered extension, row apiKey',
    statement:
      'After an update that changes apiKey, the metadata GET of that update and the following calls, of whatever type, also those of an event that had failed before, are signed with the new key.',
    fault: 'The key is cached from the first registration.',
    needs: ['collection-admin', 'extension-listener', 'registration-update', 'trigger-event'],
    after: ['signing.extension-call.every-type-signed'],
    test: scenario(async (context) => {
      const { given, registrations, notes } = context;
      const extension = await hostOfEachType(context, ['ExternalEvent']);
      requireCall(context, await triggerEvent(context, extension), 'ExternalEvent');
      for (const apiKey of partHere()
        .keysAlike(64)
        .map((key) => key.toString('base64'))) {
        const before = extension.metadata().length;
        given.succeeded(
          await registrations.update(given.present(extension.registration, 'a registration'), { apiKey }),
          'the key is updated',
        );
        const request = (await extension.ended(before + 1, { kind: 'metadata' }, { withinMs: callWaitMs }))[before];
        expectSignedWith(
          context,
          given.present(request, 'the metadata request of the update', ['metadata.fetch.on-update']),
          apiKey,
        );
        const event = await triggerEvent(context, extension);
        expectCall(context, event, 'the call of an event after the update');
        expectSignedWith(context, given.present(event, 'the call of an event'), apiKey);
        for (const type of typesToSign(context)) {
          const call = await unlessRefused(() => callOfType(context, extension, type));
          if (call === undefined) notes.observe(`a call of type ${type} after the update`, 'does not come');
          else expectSignedWith(context, call, apiKey);
        }
      }
      await expectRetrySignedAnew(context);
    }),
  },
  'signing.extension-call.host-base-path': {
    level: 'observe',
    source: 'extensions: Authentication, rule 3 (route path) against Registered extension, row hostUri',
    statement:
      'When hostUri itself has a path (`/base`), it is not said whether the signed path is `/base/svc/extension` or `/svc/extension`.',
    fault: 'Not applicable as a failure; recorded variant: signature over the full path.',
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async (context) => {
      const { given, notes } = context;
      const extension = await given.extension();
      const request = given.present(extension.metadata()[0], 'the metadata request');
      const [path] = request.target.split('?');
      given.assume(path !== metadataPath, 'a hostUri with a path');
      if (request.signedOver.length === 0) notes.observe('signed over', 'something else');
      else
        notes.bound(
          'signatureIncludesBasePath',
          'whether the path of hostUri is signed',
          request.signedOver.includes('path'),
        );
    }),
  },
});

/** An extension that has the key of another one, where a service takes such, is called as well as that one. */
async function expectKeyShared(context: CaseContext, first: Extension): Promise<void> {
  const { given, notes } = context;
  const second = await unlessRefused(() => given.extension({ apiKey: first.apiKey }));
  notes.observe('a second extension with the key of another one', second === undefined ? 'is refused' : 'is taken');
  if (second === undefined) return;
  for (const called of [first, second]) {
    const call = await unlessRefused(() => triggerEvent(context, called));
    expectCall(context, call, 'the call of an extension whose key is that of another one');
    if (call !== undefined) expectSigned(context, call, 'that call');
  }
}

/** An event fails, the key is changed, and it fails again: what comes after that is no request that was made ready before. */
async function expectRetrySignedAnew(context: CaseContext): Promise<void> {
  const { given, triggers, registrations, clock, notes } = context;
  const failures = Array.from({ length: 3 }, () => ({ status: 503 }));
  const extension = await given.extension({ script: [{ when: { kind: 'event' }, steps: failures }] });
  const about = await triggers.event(extension);
  await extension.ended(1, { about }, { withinMs: callWaitMs });
  const [apiKey] = partHere()
    .keysAlike(keyBytes)
    .map((key) => key.toString('base64'));
  const registration = given.present(extension.registration, 'a registration');
  given.succeeded(await registrations.update(registration, { apiKey }), 'the key is updated');
  const updatedAt = clock.now();
  const attempts = await extension.ended(4, { about }, { withinMs: retriesMs, oneByOne: true });
  const later = attempts.filter((_call, index) => (attempts[index - 1]?.endedAt ?? -Infinity) > updatedAt);
  notes.observe('an event that failed before an update is tried again behind it', later.length > 0);
  for (const call of later) expectSignedWith(context, call, given.present(apiKey, 'a key'));
}

/** Types of calls but events that can be set off for one extension. */
function typesToSign(context: CaseContext): readonly CalledType[] {
  const { softTypes } = context.profile.all;
  return triggeredTypes(context).filter(
    (type) => type !== 'ExternalEvent' && (type !== 'ExternalValidation' || softTypes?.primary !== undefined),
  );
}

function hostOfEachType(context: CaseContext, more: readonly CalledType[] = []): Promise<Extension> {
  const types = [...more, ...typesToSign(context)];
  return context.given.extension({ types: types.length === 0 ? ['ExternalEvent'] : types });
}

/** The next call of that type; validations are about an object of their own. */
async function callOfType(context: CaseContext, extension: Extension, type: CalledType): Promise<Call | undefined> {
  if (type !== 'ExternalAction') {
    const thing = type === 'ExternalValidation' ? await context.given.object() : undefined;
    if (thing !== undefined) extension.concern(thing);
    return triggerCall(context, extension, type, thing);
  }
  const { length } = extension.calls({ kind: 'action' });
  await triggerCall(context, extension, type);
  return (await extension.ended(length + 1, { kind: 'action' }))[length];
}

function sendBulk(context: CaseContext, { level, directory }: BulkSource, changes: BulkChanges = {}): Promise<Reply> {
  const body = { sourceDirectory: directory.path, writeLog: false };
  return sendInTurn(context, () => context.bulk.upload(level, body, changes));
}

/** A source of one file for that level. */
function sourceOfOne(context: CaseContext, level: BulkLevel): Promise<BulkSource> {
  return makeSource(context, namesBelow(context, 'signed.bin'), level);
}

/** The right signature opens the level, so that a refusal of another one means something. */
async function assumeRightAccepted(context: CaseContext, level: BulkLevel): Promise<void> {
  context.given.succeeded(
    await sendBulk(context, await sourceOfOne(context, level)),
    'the right signature to be accepted',
    ['signing.bulk.signature-accepted'],
  );
}

function administrationKey({ given, profile }: CaseContext): string {
  return given.present(profile.all.bulk?.adminApiKey, 'bulk.adminApiKey in the profile');
}

/** The levels, and those whose area nobody has to declare for a signature to be tried. */
function withMoreLevels(levels: readonly BulkLevel[]): readonly BulkLevel[] {
  return [...new Set([...levels, 'space' as const, 'collection' as const])];
}

/** The first signatures that hold each of the characters between them; undefined when all together do not. */
function tellingSignatures(signed: readonly Signed[], characters: readonly string[]): readonly Signed[] | undefined {
  const held = (some: readonly Signed[]): boolean =>
    characters.every((character) => some.some(({ signature }) => signature.includes(character)));
  return signed.map((_one, index) => signed.slice(0, index + 1)).find(held);
}

function inStandardAlphabet(signature: string): string {
  return signature.replaceAll('-', '+').replaceAll('_', '/');
}

/** Asserts that a request is signed over its path, with that of hostUri or without it; returns the signature. */
function expectSigned({ expect }: CaseContext, call: Call, what: string): string {
  const { bearer, method, target } = call;
  const [path] = target.split('?');
  const isSigned = call.signedOver.includes('path') || call.signedOver.includes('below-base');
  const signedOver = isSigned ? call.signedOver : (call.mistaken ?? 'something else');
  expect({ bearer: bearer ?? 'none', signedOver }, `Authorization of ${what} (${method} ${path})`).toSatisfy(
    'the signature over its path',
    () => isSigned,
  );
  return bearer ?? '';
}

/** The call that the case looks at: that it comes at all is the business of other rules. */
function requireCall({ given }: CaseContext, call: Call | undefined, type: CalledType): Call {
  return given.present(call, `a call of type ${type}`, [
    'metadata.records.several-types-usable',
    'metadata.records.optional-fields-omitted',
  ]);
}

/** The metadata request to a host that is registered with the key; undefined where the key is refused. */
async function metadataRequestUnder(context: CaseContext, apiKey: string): Promise<Call | undefined> {
  const { given, registrations } = context;
  const host = await given.extension({ apiKey, unregistered: true });
  const reply = await registrations.post('svcExtension', extensionBody(host));
  if (reply.status >= 400) return undefined;
  const request = await host.arrived({ kind: 'metadata' }, { withinMs: callWaitMs });
  expectCall(context, request, 'the metadata request under a key that was taken');
  return request;
}

/** Bytes that follow from a text. */
function keyOf(text: string, length: number): string {
  const digest = (part: number): Buffer => createHash('sha512').update(`${text} ${part}`).digest();
  const digests = Array.from({ length: Math.ceil(length / digest(0).length) }, (_, part) => digest(part));
  return Buffer.concat(digests).subarray(0, length).toString('base64');
}

/** Where a host may be registered once more, with a key of its own: whatever it tells of itself only then is called with that key. */
async function expectKeyOfRegistration(context: CaseContext): Promise<void> {
  const former = await context.given.extension();
  const { length } = former.metadata();
  const apiKey = partHere().key(64).toString('base64');
  const anew = await calledAnew(context, former, { apiKey });
  for (const request of former.metadata().slice(length)) expectSignedWith(context, request, apiKey);
  if (anew !== undefined) expectSignedWith(context, anew.call, apiKey);
}

/** Asserts that the key of after an update signs, whether or not the path of hostUri is signed too. */
function expectSignedWith({ expect }: CaseContext, { bearer, target, path, kind }: Call, apiKey: string): void {
  const right = [target.split('?')[0] ?? '', path].map((text) => signatureOver(apiKey, text));
  expect(bearer, `the signature of the ${kind} request, with the key that is registered by then`).toBeOneOf(right);
}
