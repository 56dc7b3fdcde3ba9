import { metadataPath } from '../../contract/names.ts';
import { isObject } from '../../judge/json.ts';
import type { Reply } from '../../judge/exchange.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { HostCall } from '../../judge/host/host.ts';
import type { Installation } from '../../judge/host/installation.ts';
import { type HostRecord, withQueryToken } from '../../judge/host/records.ts';
import { rules } from '../../judge/rule.ts';
import { spoiltSignatures } from '../../judge/signature.ts';
import { aside, partHere } from '../../judge/part.ts';
import { letWork } from './requests.ts';
import { endMsOf } from './task-work.ts';

/** How long what a signed event sets off is waited for, in ms. */
const eventMs = 5000;

export const hostSigningRules = rules('signing', {
  'signing.extension-host.right-signature-accepted': {
    level: 'must',
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
    level: 'must',
    source: 'extensions: Authentication, rule 3 (the extension validates)',
    statement:
      'A metadata GET and a POST to any endpoint without Authorization are refused: no 2xx, no metadata in the body, and no work for an unsigned task or event.',
    fault: 'POST endpoints are not behind the signature check.',
    needs: ['extension-host'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { host, records, stage, expect, notes } = context;
      const statuses = new Set<number>();
      await assumeWell(context);
      statuses.add(expectRefused(context, await host.metadata({ signature: null }), 'an unsigned metadata request'));
      const installation = await stage.installation();
      const events: HostCall[] = [];
      for (const record of records.all) {
        const unsigned = installation.call(record);
        if (record.type === 'ExternalEvent') events.push(unsigned);
        statuses.add(
          expectRefused(context, await host.call(unsigned, { signature: null }), `${callOf(record)} without signature`),
        );
        if (record.type !== 'ExternalTask') continue;
        // what the unsigned call set off would come before what a signed one sets off
        const signed = installation.call(record);
        await host.call(signed);
        // one that does one thing after another has to come to it
        await installation.arrivedInTurn({ of: signed, kind: 'status' }, endMsOf(context));
        expect(
          installation.arrivals({ of: unsigned }).length,
          'requests of the host for an unsigned task call',
        ).toEqual(0);
      }
      await expectNoWork(context, installation, events);
      notes.observe(...noteOfStatuses(statuses));
    }),
  },
  'signing.extension-host.wrong-key-refused': {
    level: 'must',
    source: 'extensions: Authentication, rule 3',
    statement:
      'A well-formed signature made with another key is refused on the metadata route and on every endpoint, and so is a part of the right one, or the right one with other letters or more behind it, a password, or the token of a call.',
    fault: 'Any bearer value is accepted.',
    needs: ['extension-host'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { host, records, stage, binding, notes } = context;
      const statuses = new Set<number>();
      const installation = await stage.installation();
      await assumeWell(context);
      for (const [what, key] of [
        ['a random key', partHere().key(64).toString('base64')],
        ['a key with one bit flipped', flipBit(binding.apiKey)],
      ] as const) {
        statuses.add(
          expectRefused(
            context,
            await host.metadata({ signature: host.signatureFor(host.hostUri + metadataPath, key) }),
            `a metadata request signed with ${what}`,
          ),
        );
        for (const record of records.all)
          statuses.add(
            expectRefused(
              context,
              await host.call(installation.call(record), { signature: host.signatureFor(record.url, key) }),
              `${callOf(record)} signed with ${what}`,
            ),
          );
      }
      const metadataUrl = host.hostUri + metadataPath;
      for (const [what, change] of spoiltSignatures) {
        const spoiltFor = (url: string): string => change(host.signatureFor(url));
        const reply = await host.metadata({ signature: spoiltFor(metadataUrl) });
        statuses.add(expectRefused(context, reply, `a metadata request with ${what}`));
        for (const record of records.all)
          statuses.add(
            expectRefused(
              context,
              await host.call(installation.call(record), { signature: spoiltFor(record.url) }),
              `${callOf(record)} with ${what}`,
            ),
          );
      }
      for (const status of await expectOthersRefused(context, installation)) statuses.add(status);
      await assumeWell(context);
      notes.observe(...noteOfStatuses(statuses));
    }),
  },
  'signing.extension-host.wrong-path-refused': {
    level: 'must',
    source: 'extensions: Authentication, rule 3 (over the route path of the call)',
    statement:
      'A signature over another path, in particular the metadata signature replayed on an endpoint or that of an endpoint on the metadata route, is refused.',
    fault: 'Verification always uses the metadata path.',
    needs: ['extension-host', 'extension-call'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { host, records, stage, given, notes } = context;
      const statuses = new Set<number>();
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
      for (const [index, record] of records.all.entries())
        for (const other of signedOtherwise(record.url, [metadataUrl, otherUrl(context, index)]))
          statuses.add(
            expectRefused(
              context,
              await host.call(installation.call(record), { signature: host.signatureFor(other) }),
              `${callOf(record)} with the signature of ${new URL(other).pathname}`,
            ),
          );
      const urls = records.all.map(({ url }) => url);
      for (const other of signedOtherwise(metadataUrl, urls).slice(0, 1))
        statuses.add(
          expectRefused(
            context,
            await host.metadata({ signature: host.signatureFor(other) }),
            `a metadata request with the signature of ${new URL(other).pathname}`,
          ),
        );
      await assumeWell(context);
      notes.observe(...noteOfStatuses(statuses));
    }),
  },
  'signing.extension-host.refusal-is-final': {
    level: 'should',
    source: 'extensions: Errors, rule 1 (transient statuses are tried again); Authentication, rule 3',
    statement:
      'What is not rightly signed is refused for good: neither with 408 nor with a 5xx, by which a service would send it again.',
    fault: 'Unsigned calls are answered 503.',
    needs: ['extension-host'],
    after: ['signing.extension-host.missing-signature-refused'],
    test: hostScenario(async (context) => {
      const { host, records, stage } = context;
      const installation = await stage.installation();
      const isFinal = ({ status }: Reply): boolean => status !== 408 && status < 500;
      const expectFinal = (reply: Reply, what: string): void =>
        context
          .expect(reply.status, `status of ${what}`, reply)
          .toSatisfy('one that ends it, neither 408 nor 500 or above', () => isFinal(reply));
      expectFinal(await host.metadata({ signature: null }), 'an unsigned metadata request');
      for (const record of records.all)
        expectFinal(
          await host.call(installation.call(record), { signature: null }),
          `${callOf(record)} without signature`,
        );
    }),
  },
  'signing.extension-host.query-ignored': {
    level: 'must',
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
      for (const [form, changes] of Object.entries(forms))
        notes.observe(
          `the right signature ${form}`,
          (await host.metadata(changes)).status < 400 ? 'accepted' : 'refused',
        );
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

/** Asserts that neither a password nor the token that the service gives away with each call opens the host. Returns the statuses. */
async function expectOthersRefused(context: HostContext, installation: Installation): Promise<readonly number[]> {
  const { host, records } = context;
  const statuses: number[] = [];
  for (const [what, changesFor] of [
    ['a password', () => ({ scheme: 'Basic', signature: Buffer.from('admin:admin').toString('base64') })],
    ['the token of the call', ({ envelope }: HostCall) => ({ signature: envelope.accessToken })],
  ] as const) {
    for (const record of records.all) {
      const call = installation.call(record);
      const refused = await host.call(call, changesFor(call));
      statuses.push(expectRefused(context, refused, `${callOf(record)} with ${what} in the place of a signature`));
    }
    const [record] = records.all;
    if (record === undefined) continue;
    const refused = await host.metadata(changesFor(installation.call(record)));
    statuses.push(expectRefused(context, refused, `a metadata request with ${what} in the place of a signature`));
  }
  return statuses;
}

/** Signed over its path, a call is let in. It has no query at first, so that how a host takes queries is told apart; but it may want the one that calls have. */
async function expectCallAdmitted(context: HostContext, call: HostCall): Promise<void> {
  const { host } = context;
  const { record } = call;
  const bare = await host.call(call, { query: null });
  const isWithout = withQueryToken.includes(record.type) && [401, 403].includes(bare.status);
  const reply = isWithout ? await host.call(call) : bare;
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
function expectRefused({ expect, binding }: HostContext, reply: Reply, what: string): number {
  expect(reply.status, `status of ${what}`, reply).toSatisfy('no 2xx', (status) => status < 200 || status > 299);
  expect(holdsMetadata(reply), `metadata in the answer to ${what}`, reply).toEqual(false);
  if (binding.refusalStatus !== undefined)
    expect(reply.status, `status of ${what}, as extensionHost.refusalStatus of the profile says`, reply).toEqual(
      binding.refusalStatus,
    );
  return reply.status;
}

function holdsMetadata({ json }: Reply): boolean {
  return Array.isArray(json) && json.some((item) => isObject(item) && 'extensionType' in item);
}

function noteOfStatuses(statuses: ReadonlySet<number>): [string, string] {
  return ['statuses of refusals', [...statuses].sort().join(', ')];
}

function flipBit(apiKey: string): string {
  const bytes = Buffer.from(apiKey, 'base64');
  bytes.writeUInt8((bytes[0] ?? 0) ^ 1, 0);
  return bytes.toString('base64');
}

/** Address of the record after that one. */
function otherUrl({ records, host }: HostContext, index: number): string {
  return records.all[(index + 1) % records.all.length]?.url ?? host.hostUri;
}
