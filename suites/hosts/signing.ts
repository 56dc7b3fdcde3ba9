import { createHash, createHmac } from 'node:crypto';
import { metadataPath } from '../../contract/names.ts';
import { isObject } from '../../judge/json.ts';
import { unlessCut } from '../../judge/client/failure.ts';
import type { Reply } from '../../judge/exchange.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { Arrival } from '../../judge/host/arrival.ts';
import type { HostCall, HostChanges } from '../../judge/host/host.ts';
import type { Installation } from '../../judge/host/installation.ts';
import { type HostRecord, withQueryToken } from '../../judge/host/records.ts';
import { rules } from '../../judge/rule.ts';
import { halfOf, signatureOver, spoiltSignatures } from '../../judge/service/signature.ts';
import { aside, partHere } from '../../judge/case/part.ts';
import { letWork } from './callbacks.ts';
import { endMsOf } from './task-work.ts';

/** How long what a signed event sets off is waited for, in ms. */
const eventMs = 5000;

/** What stands in the place of a signature: some comparisons end with an exception for texts of another length, or of other signs. */
const noSignatures = [
  ['without signature', null],
  ['with a short text as its signature', 'short'],
  ['with umlauts as its signature', '\u00fc'.repeat(86)],
] as const;

/** Addresses that are others than the right one, though some servers take them for that, and do not ask at them what they ask at that. */
const waysAround = [
  ['a slash behind its path', (path: string) => `${path}/`],
  [
    'capital letters in its path',
    (path: string) => path.replaceAll(/(?<!%.?)[a-z]/g, (letter) => letter.toUpperCase()),
  ],
  ['two slashes before its path', (path: string) => `/${path}`],
  ['its last letter encoded', (path: string) => path.replace(/[a-z](?=[^a-z]*$)/i, encodeLetter)],
  ['a parameter behind its path', (path: string) => `${path};v=1`],
  ['a query behind its path', (path: string) => `${path}?v=1`],
] as const;

/** Methods that are others than the right one, likewise. */
const otherMethods = { metadata: ['POST', 'PUT', 'OPTIONS'], event: ['PUT', 'PATCH'] } as const;

/** What is made of the path or of the key, but not by HMAC SHA512 of both. */
const otherwiseMade = [
  ['a hash of its path, without the key', (path: string) => createHash('sha512').update(path).digest('base64url')],
  ['a hash of its key and its path', (path: string, key: Buffer) => hashOf(key, Buffer.from(path))],
  ['a hash of its path and its key', (path: string, key: Buffer) => hashOf(Buffer.from(path), key)],
  ['a signature over nothing', (_path: string, key: Buffer) => createHmac('sha512', key).digest('base64url')],
  ...['MD5', 'SHA1', 'SHA256', 'SHA384'].map(
    (algorithm) =>
      [
        `a signature by ${algorithm}`,
        (path: string, key: Buffer) => createHmac(algorithm, key).update(path).digest('base64url'),
      ] as const,
  ),
  ['the key itself in the place of a signature', (_path: string, key: Buffer) => key.toString('base64')],
] as const;

/** What a signature is made over by mistake, of a request that holds its path: a host that tries several texts takes these as well. */
const textsBeside = [
  ['its address', ({ url }: Signed) => url],
  ['its method and its path', ({ method, path }: Signed) => `${method} ${path}`],
  ['its method and its path without a blank', ({ method, path }: Signed) => method + path],
  ['its path without the slash before it', ({ path }: Signed) => path.slice(1)],
  ['its path with a slash behind it', ({ path }: Signed) => `${path}/`],
  ['its path in small letters', ({ path }: Signed) => path.toLowerCase()],
] as const;

/** A request, by what a signature over it may be made of. */
interface Signed {
  readonly method: string;
  readonly url: string;
  readonly path: string;
}

/** A text that is shorter may stand anywhere by chance. */
const shortestSecret = 16;

/** Bytes of bodies that are more than some servers read before they look who sends them. */
const longBodiesBytes = [128 * 1024, 1_100_000];

export const hostSigningRules = rules('signing', {
  'signing.extension-host.right-signature-accepted': {
    source: 'extensions: Authentication, rule 3; Metadata exchange',
    statement:
      'An extension host answers a metadata GET with the right signature with 2xx, and likewise a signed POST to each of its endpoints (not 401 or 403).',
    fault: 'Host verifies a padded signature and so refuses the documented one.',
    needs: ['extension-host'],
    test: hostScenario(async (context) => {
      const { host, records, stage, expect } = context;
      expect(await host.metadata()).toSucceed();
      expect(await host.metadata({ fresh: true })).toSucceed();
      const installation = await stage.installation();
      for (const record of records.all) await expectCallAdmitted(context, installation.call(record));
    }),
  },
  'signing.extension-host.missing-signature-refused': {
    source: 'extensions: Authentication, rule 3 (the extension validates)',
    statement:
      'A metadata GET and a POST to any endpoint without Authorization, or with a scheme alone in it, are refused: no 2xx, neither metadata nor the right signature nor the apiKey in the answer, and no work for an unsigned task or event, one that came signed before among them, also by an address that is another by its slashes, its letters, a parameter or a query, or by another method, and so is a POST with a long body, or with one in the chunked coding. One that comes signed afterwards is worked on. The end of the connection is a refusal as well.',
    fault: 'POST endpoints are not behind the signature check.',
    needs: ['extension-host'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { host, stage, expect, notes, binding } = context;
      const statuses = new Statuses();
      await assumeWell(context);
      const installation = await stage.installation();
      const unsigned = await expectEachRefused(context, installation, statuses, {
        what: 'without signature',
        changesFor: () => ({ signature: null }),
        isTold: (reply, url) => tells(reply, host.signatureFor(url)) || tells(reply, binding.apiKey),
      });
      await expectEachRefused(context, installation, statuses, {
        what: 'with a scheme and nothing behind it',
        changesFor: () => ({ signature: '' }),
      });
      for (const blanks of longBodiesBytes)
        await expectEachRefused(context, installation, statuses, {
          what: `without signature, with ${blanks} blanks behind its body`,
          changesFor: () => ({ signature: null }),
          blanks,
        });
      await expectEachRefused(context, installation, statuses, {
        what: 'without signature, in the chunked coding',
        changesFor: () => ({ signature: null, isChunked: true }),
      });
      for (const call of unsigned.filter(({ record }) => record.type === 'ExternalTask')) {
        // what the unsigned call set off would come before what a signed one sets off
        const signed = installation.call(call.record);
        await host.call(signed);
        // one that does one thing after another has to come to it
        const status = await installation.arrivedInTurn({ of: signed, kind: 'status' }, endMsOf(context));
        expect(installation.arrivals({ of: call }).length, 'requests of the host for an unsigned task call').toEqual(0);
        if (status === undefined)
          notes.remark('no status came of a signed task, so that what an unsigned one sets off was not waited for');
      }
      const events = unsigned.filter(({ record }) => record.type === 'ExternalEvent');
      await expectNoWork(context, installation, [...events, ...(await tryWaysAround(context, installation))]);
      await expectWorkedOnOnceSigned(context, installation, events);
      await expectKeyKept(context, installation);
      await assumeWell(context);
      statuses.tell(notes);
    }),
  },
  'signing.extension-host.wrong-key-refused': {
    source: 'extensions: Authentication, rule 3',
    statement:
      'A well-formed signature made with another key, an empty one, the text of the key and its first half among them, is refused on the metadata route and on every endpoint, and so are a hash without a key, a signature over nothing and one by another hash, the key itself, a part of the right one, or the right one with other letters or more behind it, a password, or the token of a call, whatever the letters of the scheme.',
    fault: 'Any bearer value is accepted.',
    needs: ['extension-host'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { host, stage, binding, notes } = context;
      const statuses = new Statuses();
      const installation = await stage.installation();
      await assumeWell(context);
      for (const [what, key] of [
        ['a random key', partHere().key(64).toString('base64')],
        ['a key with one bit flipped', flipBit(binding.apiKey)],
        ['an empty key', ''],
        ['the text of the key', Buffer.from(binding.apiKey).toString('base64')],
        ['half of the key', halfOf(binding.apiKey)],
      ] as const)
        await expectEachRefused(context, installation, statuses, {
          what: `signed with ${what}`,
          changesFor: ({ url }) => ({ signature: host.signatureFor(url, key) }),
        });
      for (const [what, change] of spoiltSignatures)
        await expectEachRefused(context, installation, statuses, {
          what: `with ${what}`,
          changesFor: ({ url }) => ({ signature: change(host.signatureFor(url)) }),
        });
      await expectEachRefused(context, installation, statuses, {
        what: 'with a password in the place of a signature',
        changesFor: () => ({ scheme: 'Basic', signature: Buffer.from('admin:admin').toString('base64') }),
      });
      for (const [what, make] of otherwiseMade)
        await expectEachRefused(context, installation, statuses, {
          what: `with ${what}`,
          changesFor: ({ url }) => ({ signature: make(new URL(url).pathname, Buffer.from(binding.apiKey, 'base64')) }),
        });
      const wrongKey = partHere().key(64).toString('base64');
      for (const scheme of ['bearer', 'BEARER'])
        await expectEachRefused(context, installation, statuses, {
          what: `signed with a random key, behind the scheme ${scheme}`,
          changesFor: ({ url }) => ({ scheme, signature: host.signatureFor(url, wrongKey) }),
        });
      await expectEachRefused(context, installation, statuses, {
        what: 'with the token of the call in the place of a signature',
        changesFor: ({ token }) => ({ signature: token }),
      });
      await assumeWell(context);
      statuses.tell(notes);
    }),
  },
  'signing.extension-host.wrong-path-refused': {
    source: 'extensions: Authentication, rule 3 (over the route path of the call)',
    statement:
      'A signature over another path, in particular the metadata signature replayed on an endpoint or that of an endpoint on the metadata route, or over the same path in other letters or only a part of it, is refused, and so is one over more than the path, as its address or its method and it.',
    fault: 'Verification always uses the metadata path.',
    needs: ['extension-host', 'extension-call'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { host, records, stage, given, notes, binding } = context;
      const statuses = new Statuses();
      await assumeWell(context);
      const installation = await stage.installation();
      const metadataUrl = host.hostUri + metadataPath;
      // a host may serve everything at the path of the metadata
      const elsewhere = `${host.hostUri}/${given.unique('elsewhere')}`;
      const signedOtherwise = (url: string, others: readonly string[]): readonly string[] => {
        // addresses that differ in their query alone have one signature
        const found = others.filter((other) => host.signatureFor(other) !== host.signatureFor(url));
        return found.length === 0 ? [elsewhere] : found;
      };
      const expectPathCounts = async (other: string, what: string, send: SendChanged): Promise<void> => {
        const refusal = await refusalOf((more) => send({ signature: host.signatureFor(other), ...more }));
        statuses.add(expectRefused(context, refusal, `${what} with the signature of ${new URL(other).pathname}`));
      };
      const expectNothingBeside = async (
        { method, url }: Pick<Signed, 'method' | 'url'>,
        what: string,
        send: SendChanged,
      ): Promise<void> => {
        for (const [beside, make] of textsBeside) {
          const signature = signatureOver(binding.apiKey, make({ method, url, path: new URL(url).pathname }));
          if (signature === host.signatureFor(url)) continue;
          const refusal = await refusalOf((more) => send({ signature, ...more }));
          statuses.add(expectRefused(context, refusal, `${what} with a signature over ${beside}`));
        }
      };
      await Promise.all(
        records.all.flatMap((record, index) =>
          signedOtherwise(record.url, [
            metadataUrl,
            otherUrl(context, index),
            inOtherLetters(record.url),
            ...above(record.url),
          ]).map((other) => {
            const call = installation.call(record);
            return expectPathCounts(other, callOf(record), (changes) => host.call(call, changes));
          }),
        ),
      );
      const urls = records.all.map(({ url }) => url);
      for (const other of [...signedOtherwise(metadataUrl, urls).slice(0, 1), ...above(metadataUrl)])
        await expectPathCounts(other, 'a metadata request', (changes) => host.metadata(changes));
      await expectNothingBeside({ method: 'GET', url: metadataUrl }, 'a metadata request', (changes) =>
        host.metadata(changes),
      );
      await Promise.all(
        records.all.map(async (record) => {
          const call = installation.call(record);
          await expectNothingBeside({ method: 'POST', url: record.url }, callOf(record), (changes) =>
            host.call(call, changes),
          );
        }),
      );
      await assumeWell(context);
      statuses.tell(notes);
    }),
  },
  'signing.extension-host.refusal-is-final': {
    level: 'should',
    source: 'extensions: Errors, rule 1 (transient statuses are tried again); Authentication, rule 3',
    statement:
      'What is not signed, or by what is no signature, is refused for good: neither with 408 nor with a 5xx, by which a service would send it again; that the connection ends in the place of an answer is recorded.',
    fault: 'Unsigned calls are answered 503.',
    needs: ['extension-host'],
    after: ['signing.extension-host.missing-signature-refused'],
    test: hostScenario(async (context) => {
      const { host, records, stage, expect, notes } = context;
      const installation = await stage.installation();
      const expectFinal = async (what: string, send: SendChanged): Promise<void> => {
        for (const [how, signature] of noSignatures) {
          const refusal = await refusalOf((more) => send({ signature, ...more }));
          if (refusal === closed) notes.observe(`answer to what is sent ${how}`, closed);
          else
            expect(refusal.status, `status of ${what} ${how}`, refusal).toSatisfy(
              'one that ends it, neither 408 nor 500 or above',
              (status) => status !== 408 && status < 500,
            );
        }
      };
      await assumeWell(context);
      await expectFinal('a metadata request', (changes) => host.metadata(changes));
      for (const record of records.all) {
        const call = installation.call(record);
        await expectFinal(callOf(record), (changes) => host.call(call, changes));
      }
      await assumeWell(context);
      // who ends the connection in the place of an answer has none that could be wrong
      expect(await host.metadata()).toSucceed();
    }),
  },
  'signing.extension-host.query-ignored': {
    source: 'extensions: Authentication, rule 3 with Calls to extensions, last sentence',
    statement:
      'A host that serves validation, task or email records verifies the signature over the path alone while the request has a token query.',
    fault: 'Host computes the signature over the raw request target.',
    needs: ['extension-host', 'extension-query'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { host, records, stage, given } = context;
      const installation = await stage.installation();
      for (const record of records.all.filter(({ type }) => withQueryToken.includes(type))) {
        const [call, what] = [installation.call(record), `${callOf(record)} with the token in a query`];
        expectAdmitted(context, await host.call(call), what);
        // a second parameter shows a host that takes the one it knows from the signed text
        const query = `${host.queryTokenName}=${call.envelope.accessToken}&${given.unique('query')}=1`;
        expectAdmitted(context, await host.call(call, { query }), what);
      }
    }),
  },
  'signing.extension-host.other-notation': {
    level: 'observe',
    source: 'extensions: Authentication, rules 2 and 3 (documented form only)',
    statement:
      'Whether a host also accepts the right digest with padding, in the standard alphabet, or with a lower-case scheme name is not said.',
    fault: 'Not applicable as a failure; recorded variant: padded form accepted.',
    needs: ['extension-host'],
    test: hostScenario(async ({ host, notes }) => {
      const url = host.hostUri + metadataPath;
      const right = host.signatureFor(url);
      const standard = Buffer.from(right, 'base64url').toString('base64');
      // one that has neither character by chance, which nobody can tell when the run is played, is spelled alike in both alphabets
      const isSpelledOtherwise = await aside('spelling', async () => /[+/]/.test(standard));
      const forms = {
        'with padding': { signature: `${right}==` },
        ...(isSpelledOtherwise && { 'in the standard alphabet': { signature: standard.replaceAll('=', '') } }),
        'with a lower-case scheme': { scheme: 'bearer' },
      };
      for (const [form, changes] of Object.entries(forms)) {
        const reply = await refusalOf((more) => host.metadata({ ...changes, ...more }));
        notes.observe(`the right signature ${form}`, reply !== closed && reply.status < 400 ? 'accepted' : 'refused');
      }
    }),
  },
});

/** Asserts that unsigned events set nothing off: what they did would come before what signed ones set off. */
async function expectNoWork(
  context: HostContext,
  installation: Installation,
  unsigned: readonly HostCall[],
): Promise<void> {
  const { host, expect } = context;
  const signed = unsigned.map(({ record }) => installation.call(record));
  for (const call of signed) await host.call(call);
  await letWork(context, installation, ({ callId }) => signed.some(({ envelope }) => envelope.id === callId), eventMs);
  for (const call of unsigned) {
    const found = installation.arrivals({ of: call });
    expect(found.length, 'requests of the host for an unsigned event', found[0]?.seen).toEqual(0);
  }
}

/** Sends metadata requests and events unsigned, by addresses and methods that some servers take for the right ones. Returns the events. */
async function tryWaysAround(context: HostContext, installation: Installation): Promise<readonly HostCall[]> {
  const { host, records } = context;
  const calls: HostCall[] = [];
  const metadataUrl = host.hostUri + metadataPath;
  const post = async (record: HostRecord, url: string, method = 'POST'): Promise<void> => {
    const call = installation.call(record);
    const body = JSON.stringify(call.envelope);
    await refusalOf((more) => host.send(method, url, { signature: null, body, ...more }));
    calls.push(call);
  };
  const events = records.all.filter(({ type }) => type === 'ExternalEvent');
  for (const [how, change] of waysAround) {
    await expectMetadataKept(context, 'GET', changedPath(metadataUrl, change), how);
    for (const record of events) await post(record, changedPath(record.url, change));
  }
  for (const method of otherMethods.metadata)
    await expectMetadataKept(context, method, metadataUrl, `${method} in the place of GET`);
  for (const method of otherMethods.event) for (const record of events) await post(record, record.url, method);
  return calls;
}

async function expectMetadataKept(
  { host, expect }: HostContext,
  method: string,
  url: string,
  how: string,
): Promise<void> {
  const reply = await refusalOf((more) => host.send(method, url, { signature: null, ...more }));
  const isShown = reply !== closed && holdsMetadata(reply);
  expect(isShown, `metadata in the answer to a metadata request with ${how}`, undefined).toEqual(false);
}

function changedPath(url: string, change: (path: string) => string): string {
  const [address = '', ...query] = url.split('?');
  const { origin } = new URL(address);
  return [origin + change(address.slice(origin.length)), ...query].join('?');
}

function encodeLetter(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Nobody has taken responsibility for what was refused. Source: extensions, Events 2 */
async function expectWorkedOnOnceSigned(
  context: HostContext,
  installation: Installation,
  refused: readonly HostCall[],
): Promise<void> {
  const { host, expect } = context;
  const isFor =
    ({ envelope }: HostCall) =>
    ({ kind, token }: Arrival): boolean =>
      kind !== 'acquire' && token?.text === envelope.accessToken;
  for (const call of refused) {
    const alike = installation.call(call.record);
    const { status } = await host.call(alike);
    if (status > 299) continue;
    // one that is known is let in no more than any other
    const again = await refusalOf((more) => host.call(alike, { signature: null, ...more }));
    expectRefused(context, again, `${callOf(alike.record)} that came signed before, without signature`);
    if (!(await letWork(context, installation, isFor(alike), eventMs))) continue;
    await host.call(call);
    if (await letWork(context, installation, isFor(call))) continue;
    const next = installation.call(call.record);
    await host.call(next);
    // a host may come to it later, but not before what came later
    if (!(await letWork(context, installation, isFor(next)))) continue;
    const found = installation.arrivals({ where: isFor(call) }).length > 0 ? 'some' : 'none';
    expect(found, 'requests of the host because of an event that came unsigned before').toEqual('some');
  }
}

/** The apiKey is a secret, also where a call makes a host tell of its mistakes. Source: extensions, Registered extension, row apiKey */
async function expectKeyKept(context: HostContext, installation: Installation): Promise<void> {
  const { host, records, expect, binding } = context;
  for (const record of records.all) {
    const call = installation.call(record);
    const reply = await refusalOf((more) => host.call(call, { body: '{"id": ', ...more }));
    if (reply !== closed)
      expect(tells(reply, binding.apiKey), 'the apiKey in the answer to a call that is no JSON', reply).toEqual(false);
  }
}

/** Whether an answer holds a secret. */
function tells({ text, headers }: Reply, secret: string): boolean {
  return secret.length >= shortestSecret && `${text} ${JSON.stringify(headers)}`.includes(secret);
}

/** How a request may be refused that is not signed rightly: by an answer, or by the end of its connection. */
type Refusal = Reply | typeof closed;

const closed = 'the end of the connection';

/** Sends a request with changes. */
type SendChanged = (changes: HostChanges) => Promise<Reply>;

/** A kept connection may have ended by itself: what ends a fresh one as well ended it because of the request. */
async function refusalOf(send: SendChanged): Promise<Refusal> {
  return (await unlessCut(() => send({}))) ?? (await unlessCut(() => send({ fresh: true }))) ?? closed;
}

/** Statuses of refusals. */
class Statuses {
  readonly #all = new Set<number | string>();

  add(status: number | string): void {
    this.#all.add(status);
  }

  tell(notes: HostContext['notes']): void {
    notes.observe('statuses of refusals', [...this.#all].sort().join(', '));
  }
}

/** Something that is not signed rightly. */
interface Unsigned {
  /** Behind the name of a request. */
  readonly what: string;
  readonly changesFor: (request: { readonly url: string; readonly token: string }) => HostChanges;
  /** How many blanks stand behind the body of each call. */
  readonly blanks?: number;
  /** Whether the refusal tells the right signature, or the key; nobody looks unless given. */
  readonly isTold?: (reply: Reply, url: string) => boolean;
}

/** Asserts that a metadata request and a call of each record are refused, all at once: each may take its time. Returns the calls. */
async function expectEachRefused(
  context: HostContext,
  installation: Installation,
  statuses: Statuses,
  { what, changesFor, blanks = 0, isTold }: Unsigned,
): Promise<readonly HostCall[]> {
  const { host, records, expect } = context;
  const calls = records.all.map((record) => installation.call(record));
  const check = async (name: string, request: Parameters<Unsigned['changesFor']>[0], send: SendChanged) => {
    const changes = changesFor(request);
    // one that is right by chance, as of a key of zeros alone, is none to refuse
    if (changes.signature === host.signatureFor(request.url)) return;
    const refusal = await refusalOf((more) => send({ ...changes, ...more }));
    statuses.add(expectRefused(context, refusal, `${name} ${what}`));
    if (isTold !== undefined && refusal !== closed)
      expect(
        isTold(refusal, request.url),
        `the right signature or the apiKey in the answer to ${name} ${what}`,
        refusal,
      ).toEqual(false);
  };
  const token = calls[0]?.envelope.accessToken ?? 'none';
  await Promise.all([
    check('a metadata request', { url: host.hostUri + metadataPath, token }, (changes) => host.metadata(changes)),
    ...calls.map((call) =>
      check(callOf(call.record), { url: call.record.url, token: call.envelope.accessToken }, (changes) =>
        host.call(call, { ...changes, body: JSON.stringify(call.envelope) + ' '.repeat(blanks) }),
      ),
    ),
  ]);
  return calls;
}

/** Signed over its path, a call is let in. It has no query at first, so that how a host takes queries is told apart; but it may want the one that calls have. */
async function expectCallAdmitted(context: HostContext, call: HostCall): Promise<void> {
  const { host } = context;
  const { record } = call;
  const bare = await refusalOf((more) => host.call(call, { query: null, ...more }));
  const isRefused = bare === closed || [401, 403].includes(bare.status);
  const isWithout = withQueryToken.includes(record.type) && isRefused;
  const reply = isWithout || bare === closed ? await host.call(call) : bare;
  expectAdmitted(context, reply, callOf(record));
}

/** Neither 401 nor 403: the signature was taken, whatever else the host says. */
function expectAdmitted({ expect }: HostContext, reply: Reply, what: string): void {
  expect(reply.status, `status of ${what}`, reply).toSatisfy(
    'neither 401 nor 403',
    (status) => status !== 401 && status !== 403,
  );
}

/** Which record, in words. */
function callOf({ id }: HostRecord): string {
  return `a call of record ${JSON.stringify(id)}`;
}

/** That the host is well: a case that judges refusals stands on it. */
async function assumeWell({ host, given }: HostContext): Promise<void> {
  given.succeeded(await host.metadata(), 'rightly signed metadata are served', [
    'signing.extension-host.right-signature-accepted',
  ]);
}

/** Asserts a refusal of a request to the host, without metadata in it, and what the profile binds about its status, which is returned. */
function expectRefused({ expect, binding }: HostContext, refusal: Refusal, what: string): number | string {
  const isClosed = refusal === closed;
  const reply = isClosed ? undefined : refusal;
  const status = isClosed ? closed : refusal.status;
  expect(status, `status of ${what}`, reply).toSatisfy(
    'no 2xx',
    (found) => typeof found !== 'number' || found < 200 || found > 299,
  );
  expect(reply !== undefined && holdsMetadata(reply), `metadata in the answer to ${what}`, reply).toEqual(false);
  if (binding.refusalStatus !== undefined)
    expect(status, `status of ${what}, as extensionHost.refusalStatus of the profile says`, reply).toEqual(
      binding.refusalStatus,
    );
  return status;
}

function holdsMetadata({ json }: Reply): boolean {
  return Array.isArray(json) && json.some((item) => isObject(item) && 'extensionType' in item);
}

function hashOf(...parts: readonly Buffer[]): string {
  return createHash('sha512').update(Buffer.concat(parts)).digest('base64url');
}

function flipBit(apiKey: string): string {
  const bytes = Buffer.from(apiKey, 'base64');
  bytes.writeUInt8((bytes[0] ?? 0) ^ 1, 0);
  return bytes.toString('base64');
}

/** The address with its path in upper case, or in lower case where it is. */
function inOtherLetters(url: string): string {
  const other = new URL(url);
  const upper = other.pathname.toUpperCase();
  other.pathname = upper === other.pathname ? other.pathname.toLowerCase() : upper;
  return other.href;
}

/** Addresses of which the path of an address is below, from the root on. */
function above(url: string): readonly string[] {
  const { origin, pathname } = new URL(url);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  return segments.map((_segment, index) => `${origin}/${segments.slice(0, index).join('/')}`);
}

/** Address of the record after that one. */
function otherUrl({ records, host }: HostContext, index: number): string {
  return records.all[(index + 1) % records.all.length]?.url ?? host.hostUri;
}
