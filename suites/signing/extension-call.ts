import { createHash, randomBytes } from 'node:crypto';
import vectorsFile from '../../fixtures/vectors/signature.json' with { type: 'json' };
import { signatureOf } from '../../simulator/extension/signature.ts';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Call } from '../../judge/extension/call.ts';
import { callWaitMs, eventAt, setOff, triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import { askedFor, expectSigned, mayListenAlone, needsCall } from './words.ts';

const metadataPath = '/svc/extension';
/** Keys of these lengths in bytes are tried; what HMAC does changes at 128. */
const keyLengths = [1, 32, 64, 65, 128];
const keys = 20;
const mostKeys = 60;

export const extensionCallCases = {
  'signing.extension-call.metadata-signed': scenario(async (context) => {
    const { given, expect } = context;
    const vector = given.present(
      vectorsFile.vectors.find(({ path }) => path === metadataPath),
      'a vector of the metadata path',
    );
    given.assume(signatureOf(vector.key, vector.path) === vector.signature, 'a signer that agrees with the vectors');
    for (const apiKey of [vector.key, randomBytes(64).toString('base64')]) {
      const extension = await given.extension({ apiKey, ownListener: mayListenAlone(context) });
      const request = given.present(extension.metadata()[0], 'the metadata request');
      expect(request.header('Authorization').length, 'number of Authorization headers of the metadata request').toEqual(
        1,
      );
      expectSigned(context, request, 'the metadata request');
      expect(request.bearer, 'the signature').toSatisfy('86 characters of the URL-safe alphabet', (text) =>
        /^[A-Za-z0-9_-]{86}$/.test(text ?? ''),
      );
    }
  }),

  'signing.extension-call.every-type-signed': scenario(async (context) => {
    const { given, notes, profile } = context;
    const types = triggeredTypes(context);
    const thing =
      types.includes('ExternalValidation') && profile.all.softTypes !== undefined ? await given.object() : undefined;
    const tried = thing === undefined ? types.filter((type) => type !== 'ExternalValidation') : types;
    const extension = await given.extension({ types: tried, ...(thing && { concerns: [thing] }) });
    for (const type of tried)
      expectSigned(
        context,
        needsCall(context, await setOff(context, extension, type, thing), type),
        `the call of type ${type}`,
      );
    notes.observe('types that were exercised', tried.join(', '));
  }),

  'signing.extension-call.query-excluded': scenario(async (context) => {
    const { given, notes } = context;
    const thing = await given.object();
    const types = triggeredTypes(context).filter((type) =>
      ['ExternalValidation', 'ExternalTask', 'Email'].includes(type),
    );
    const extension = await given.extension({ types, concerns: [thing] });
    const withQuery: Call[] = [];
    for (const type of types) {
      const call = needsCall(context, await setOff(context, extension, type, thing), type);
      if (call.query.length > 0) withQuery.push(call);
    }
    given.assume(withQuery.length > 0, 'a call with a query');
    for (const call of withQuery) {
      given.assume(
        signatureOf(extension.apiKey, call.target) !== signatureOf(extension.apiKey, call.target.split('?')[0] ?? ''),
        'signatures that tell path and query apart',
      );
      expectSigned(context, call, `the ${call.kind} call, over its path without the query`);
    }
    notes.observe('calls with a query', withQuery.map(({ kind }) => kind).join(', '));
  }),

  'signing.extension-call.encoding': scenario(async (context) => {
    const { given, notes } = context;
    const seen: string[] = [];
    for (
      let index = 0;
      index < keys ||
      (index < mostKeys && !['-', '_'].every((character) => seen.some((text) => text.includes(character))));
      index += 1
    ) {
      const length = keyLengths[index % keyLengths.length] ?? 64;
      const request = await askedFor(context, keyOf(given.unique('key'), length));
      if (request === undefined) notes.observe(`a key of ${length} bytes`, 'refused');
      else seen.push(expectSigned(context, request, `the metadata request under a key of ${length} bytes`));
    }
    given.assume(seen.length >= keys / 2, 'registrations with keys of most lengths');
  }),

  'signing.extension-call.own-key-per-extension': scenario(async (context) => {
    const { given, expect } = context;
    const [first, second] = [await given.extension(), await given.extension()];
    for (const [called, other] of [
      [first, second],
      [second, first],
      [first, second],
    ] as const) {
      const call = needsCall(context, await eventAt(context, called), 'ExternalEvent');
      expectSigned(context, call, 'the call of an extension, with its own key');
      expect(call.bearer, 'the signature').notToEqual(signatureOf(other.apiKey, call.target));
    }
  }),

  'signing.extension-call.key-after-update': scenario(async (context) => {
    const { given, registrations } = context;
    const extension = await given.extension();
    for (const apiKey of [randomBytes(64), randomBytes(64)].map((bytes) => bytes.toString('base64'))) {
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
      expectSignedWith(context, needsCall(context, await eventAt(context, extension), 'ExternalEvent'), apiKey);
    }
  }),

  'signing.extension-call.host-base-path': scenario(async (context) => {
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
} satisfies SomeCasesOf<'signing'>;

/** Bytes that follow from a text. */
function keyOf(text: string, length: number): string {
  const digest = (part: number): Buffer => createHash('sha512').update(`${text} ${part}`).digest();
  return Buffer.concat([digest(0), digest(1)])
    .subarray(0, length)
    .toString('base64');
}

/** Asserts that the key of after an update signs, whether or not the path of hostUri is signed too. */
function expectSignedWith({ expect }: CaseContext, { bearer, target, path, kind }: Call, apiKey: string): void {
  const right = [target.split('?')[0] ?? '', path].map((text) => signatureOf(apiKey, text));
  expect(bearer, `the signature of the ${kind} request after the update`).toBeOneOf(right);
}
