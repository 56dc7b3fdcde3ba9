import { keyPeriodSeconds } from '../../contract/limits.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { isObject, valueAt } from '../../judge/json.ts';
import { unlessCut } from '../../judge/client/failure.ts';
import { metadataPath } from '../../contract/names.ts';
import { hostScenario, hostSchedule } from '../../judge/host/host-case.ts';
import type { HostContext } from '../../judge/host/context.ts';
import { type Arrival, headerOf } from '../../judge/host/arrival.ts';
import type { ArrivalFilter, Installation } from '../../judge/host/installation.ts';
import type { Acquired } from '../../judge/host/keys.ts';
import { behind } from './callbacks.ts';
import { decodeSegment } from '../../judge/service/requests.ts';
import { tellTypes } from './json-notation.ts';
import { rules } from '../../judge/rule.ts';

/** How long a request for keys is waited for after the calls, in ms. */
const requestMs = 10_000;

/** So many times as long as its answers what a host does behind them may take, where a machine is slow. */
const slowness = 10;

/** How long what a host does with a key that it has is waited for, in ms. */
const soonMs = 2000;

/** How long another request may come later than the one that is there, in ms. */
const briefMs = 300;

/** How long a request for keys is not answered while they are brought, in ms. */
const broughtMs = 5000;

/** How often a host may sign with the old key when it has the new one. */
const keyRounds = 5;

/** Source: extensions, File routes */
const bulkRoute = /\/admin\/fileupload(?:\/[^/]+){0,2}$/;

/** Types of the members that a bulk upload has to have. Source: extensions, Bulk upload request body */
const requiredOfBulk = { sourceDirectory: 'string', writeLog: 'boolean' };
const optionalOfBulk = { targetDirectory: 'string', replaceFiles: 'boolean', deleteFilesAfterUpload: 'boolean' };

/** How long a host may take to ask for another key, in ms. */
const rotationMs = 60_000;

export const hostApiKeyRules = rules('api-keys', {
  'api-keys.host.request-matches-metadata': {
    source: 'extensions: Acquiring API keys; Extension metadata record, row permissions',
    statement:
      "A host that acquires keys sends a JSON object with tokenCallback equal to the one in its metadata and with permissions taken from that record, to the acquire route with that record's id.",
    fault: 'Host asks for a permission that its metadata does not list.',
    needs: ['extension-host', 'extension-permissions'],
    after: ['metadata.host.permissions-shape'],
    test: hostScenario(async (context) => {
      const { records, expect } = context;
      for (const { arrival, recordId } of await requestsForKeys(context, await context.stage.installation())) {
        const { method, seen, json } = arrival;
        expect(method, 'method of the request for keys', seen).toEqual('POST');
        const asking = records.asking.find(({ id }) => id === recordId)?.permissions;
        expect(recordId, 'the id in the path of the request for keys', seen).toBeOneOf(
          records.asking.map(({ id }) => id),
        );
        expect(json, 'the request for keys', seen).toBeAnObject();
        tellTypes(context, [arrival]);
        const { tokenCallback, permissions } = isObject(json) ? json : {};
        expect(tokenCallback, 'tokenCallback of the request', seen).toEqual(asking?.tokenCallback);
        expect(permissions, 'permissions of the request', seen).toBeAnArray();
        for (const name of Array.isArray(permissions) ? (permissions as readonly unknown[]) : [])
          expect(name, 'a permission of the request', seen).toBeOneOf(asking?.permissions ?? []);
      }
    }),
  },
  'api-keys.host.callback-accepted': {
    source: 'extensions: Acquiring API keys',
    statement:
      'The tokenCallback of the host accepts the POST of the key object with a 2xx. The keys that it gets sign what the host sends, and nothing that is sent to it.',
    fault: 'Callback route accepts PUT only.',
    needs: ['extension-host', 'extension-permissions'],
    after: ['api-keys.host.request-matches-metadata'],
    test: hostScenario(async (context) => {
      const { host, records, stage, given, expect, notes } = context;
      const installation = await stage.installation();
      for (const { delivered } of await requestsForKeys(context, installation)) {
        const reply = given.present(await delivered, 'a request for keys that fits the metadata', [
          'api-keys.host.request-matches-metadata',
        ]);
        expect(reply).toSucceed();
      }
      for (const { id, permissions } of records.asking.filter(({ permissions }) =>
        /^https?:/i.test(permissions.tokenCallback),
      )) {
        const keys = installation.newKeys(permissions.permissions);
        const reply = await host.send('POST', permissions.tokenCallback, { body: JSON.stringify(keys) });
        notes.observe(`status for keys that record ${JSON.stringify(id)} did not ask for`, reply.status);
        if (isSuccess(reply.status)) await expectOpensNothing(context, keys);
      }
    }),
  },
  'api-keys.host.rotation-handled': {
    level: 'should',
    source:
      'extensions: Permission names, closing sentence; Authentication, rule 2; Bulk upload request body, Required column',
    statement:
      'The host copes with rotation: when its key is refused, or once a day, it acquires a new one, which its callback takes as it took the first, and signs with that, instead of failing for good. It signs the path, with the key for that, and not with another one, that of its calls or a token, and a bulk upload goes by POST and its body holds what it has to, and members of the documented types.',
    fault: 'First key is kept for the life of the process.',
    needs: ['extension-host', 'extension-permissions', 'extension-samples'],
    after: ['api-keys.host.callback-accepted'],
    test: hostSchedule((rotationMs + requestMs) / 1000, async (context) => {
      const { stage, given } = context;
      const installation = await stage.installation();
      const acquired = await requestsForKeys(context, installation);
      // a host may have asked others for keys long before it asks here
      if (stage.severalAddresses) await installation.arrivedInTurn({ kind: ['acquire', 'keyed'] }, requestMs);
      // a host that is called before its keys have come has none yet
      await Promise.allSettled(acquired.map(({ delivered }) => delivered));
      const signedMs = await callAll(context, installation);
      const signed = await installation.arrivedInTurn({ kind: 'keyed' }, signedMs);
      if (signed === undefined && (await installation.isBehind())) given.inconclusive(behind);
      if (signed === undefined) given.notExercised('the host sent no request that is signed with an API key');
      // a host whose keys are never taken signs for a route that is not documented
      const taken = await installation.arrived({ kind: 'keyed', where: ({ isAllowed }) => isAllowed }, soonMs);
      // one that is wrong shows now, whether or not another comes
      expectWellAsked(context, installation);
      const before = installation.arrivals();
      const isNew = (arrival: Arrival): boolean => !before.includes(arrival);
      installation.refuseKeys();
      const againMs = await callAll(context, installation);
      given.present(
        await installation.arrivedInTurn({ kind: 'keyed', where: isNew }, againMs),
        'another request that is signed with an API key when the host is called again',
      );
      await callAll(context, installation);
      // another case may have brought it new keys meanwhile, for which it need not ask
      const isRenewed = (arrival: Arrival): boolean =>
        isNew(arrival) && (arrival.kind === 'acquire' || (arrival.kind === 'keyed' && arrival.isAllowed));
      const next = await installation.arrivedInTurn({ where: isRenewed }, rotationMs);
      if (next === undefined) await expectAskedDaily(context, installation, isNew);
      else context.clock.expectCame('a request for a new key, when the old one was refused', next.arrivedAt);
      expectWellAsked(context, installation);
      if (taken === undefined) expectNoKeyShown(context, installation);
      else await expectNewKeyUsed(context, installation, isNew);
      await expectTakenAgain(context, installation, isNew);
      await expectBulkInEach(context, installation);
      await uploadByOtherPath(context, installation);
      // what it signed with the keys that came last
      expectWellAsked(context, installation);
      await expectKeysApart(context, installation);
    }),
  },
});

/** Asserts that no bulk upload is signed over anything but its path, nor with the key of the calls. Source: extensions, Authentication 2 and Bulk upload request body */
function expectWellAsked(context: HostContext, installation: Installation): void {
  const { host, stage, expect, binding } = context;
  const bulk = installation.arrivals({ kind: 'keyed', where: ({ path }) => bulkRoute.test(path) });
  for (const arrival of bulk) {
    const { method, path, token, seen } = arrival;
    expect(method, `method of the bulk upload to ${path}`, seen).toEqual('POST');
    // what comes again for a case that has ended comes here where all share an address
    const elsewhere = stage.severalAddresses
      ? spacesOf(arrival).find((id) => id !== installation.spaceId && stage.hadSpace(id))
      : undefined;
    expect(elsewhere ?? 'its own', `space that ${method} ${path} names, of those of all services`, seen).toEqual(
      'its own',
    );
    const isOfCalls = token?.text === host.signatureFor(seen.url, binding.apiKey);
    const other = bulk.find((one) => one.path !== path && one.token !== undefined && one.token.text === token?.text);
    expect(
      isOfCalls ? 'the key of the calls' : (installation.mistakenPathOf(arrival) ?? other?.path ?? 'its path'),
      `what the signature of ${method} ${path} is made over or with`,
      seen,
    ).toEqual('its path');
    const authorization = headerOf(arrival, 'authorization');
    if (authorization !== undefined)
      expect(schemeOf(authorization), `scheme of the Authorization of ${method} ${path}`, seen).toEqual('bearer');
  }
  for (const { method, path, json, seen } of bulk.filter(({ method }) => method === 'POST')) {
    const body = isObject(json) ? json : {};
    for (const [name, type] of Object.entries(requiredOfBulk))
      expect(typeof body[name], `type of ${name} of ${method} ${path}`, seen).toEqual(type);
    // how a member looks that does not apply is not said
    for (const [name, type] of Object.entries(optionalOfBulk).filter(
      ([name]) => (body[name] ?? undefined) !== undefined,
    ))
      expect(typeof body[name], `type of ${name} of ${method} ${path}`, seen).toEqual(type);
  }
  tellTypes(context, bulk);
}

/** Segments of its path that may be the id of a space. */
function spacesOf({ path }: Arrival): readonly string[] {
  return path.split('/').map(decodeSegment);
}

/**
 * Asserts that alike events of two spaces which come at once lead to a bulk upload into each, where the host uploads into spaces of events at all: what
 * comes at once it may put together for one space. Source: extensions, File routes; Payloads, row ExternalEvent (spaceId)
 */
async function expectBulkInEach(context: HostContext, installation: Installation): Promise<void> {
  const { host, records, given, clock } = context;
  const { spaceId } = installation;
  const record = records.all.find(({ type }) => type === 'ExternalEvent');
  const isInto = (id: string, before: readonly Arrival[] = []): ArrivalFilter => ({
    kind: 'keyed',
    where: (arrival) => !before.includes(arrival) && bulkRoute.test(arrival.path) && spacesOf(arrival).includes(id),
  });
  if (record === undefined || installation.arrivals(isInto(spaceId)).length === 0) return;
  const beside = installation.addSpace();
  const before = installation.arrivals();
  const { payload } = installation.call(record).envelope;
  for (const id of [beside, spaceId])
    await host.call(installation.call(record, { ...payload, id: given.unique('event'), spaceId: id }));
  if ((await installation.arrivedInTurn(isInto(spaceId, before), requestMs)) === undefined) return;
  const besides = await installation.arrivedInTurn(isInto(beside), requestMs);
  if (besides === undefined && (await installation.isBehind())) given.inconclusive(behind);
  clock.expectCame(
    'a bulk upload into the space of an event, as into that of one at once in another',
    besides?.arrivedAt,
  );
}

/**
 * Asserts that a host that has keys takes those of another installation before its request for them is answered, as nothing says which comes first, and
 * signs with them there alone. Source: extensions, Acquiring API keys; Call envelope, row baseAddress
 */
async function expectKeysApart(context: HostContext, installation: Installation): Promise<void> {
  const { stage, expect } = context;
  const isTaken = installation.arrivals({ kind: 'keyed', where: ({ isAllowed }) => isAllowed }).length > 0;
  if (!stage.severalAddresses || !isTaken) return;
  const beside = await stage.installation();
  await bringBeforeAnswer(context, beside);
  const before = installation.arrivals();
  await callAll(context, installation);
  const isLater = (arrival: Arrival): boolean => !before.includes(arrival);
  await installation.arrivedInTurn({ kind: 'keyed', where: isLater }, requestMs);
  for (const arrival of installation.arrivals({ kind: 'keyed', where: isLater }))
    expect(
      beside.isSignedWithOwnKey(arrival) ? 'a key of another installation' : 'none of another',
      `the key of another installation with which ${arrival.method} ${arrival.path} is signed`,
      arrival.seen,
    ).toEqual('none of another');
}

/** Calls the host for an installation that answers its requests for keys when those were brought, or after some time. */
async function bringBeforeAnswer(context: HostContext, beside: Installation): Promise<void> {
  const { clock, expect, notes } = context;
  const held = beside.hold('acquire');
  // a host may ask for keys before it answers
  const called = callAll(context, beside);
  called.catch(() => undefined);
  const asked = await beside.arrivedInTurn({ kind: 'acquire' }, requestMs);
  const delivered = beside.acquired.find(({ arrival }) => arrival === asked)?.delivered;
  const brought =
    delivered === undefined ? undefined : Promise.resolve(delivered).then(answerOf, () => 'no answer' as const);
  const answer = brought === undefined ? 'not sent' : ((await clock.until(brought, broughtMs)) ?? 'no answer');
  held.release();
  await called;
  await Promise.allSettled(beside.acquired.map(({ delivered: other }) => other));
  if (asked === undefined || answer === 'not sent') return;
  if (answer === 'no answer')
    notes.remark('keys that are brought before the request for them is answered have no answer until that is');
  else
    expect(answer, 'the answer to keys that are brought before the request for them is answered', asked.seen).toEqual(
      'success',
    );
}

function answerOf(reply: Reply | undefined): string {
  if (reply === undefined) return 'not sent';
  return isSuccess(reply.status) ? 'success' : String(reply.status);
}

/** An event whose content names the route of a bulk upload is configured so: another one may name another, under the same key. Source: extensions, Payloads, row ExternalEvent; File routes */
async function uploadByOtherPath(context: HostContext, installation: Installation): Promise<void> {
  const { host, records, given } = context;
  const record = records.all.find(({ type }) => type === 'ExternalEvent');
  const [upload] = installation.arrivals({ kind: 'keyed', where: ({ path }) => bulkRoute.test(path) });
  const [route] = bulkRoute.exec(upload?.path ?? '') ?? [];
  if (record === undefined || route === undefined) return;
  const usual = installation.call(record);
  const content = JSON.stringify(usual.envelope.payload);
  const other = `/admin/fileupload/${given.unique('space')}`;
  if (!content.includes(JSON.stringify(route))) return;
  const payload: unknown = JSON.parse(content.replaceAll(JSON.stringify(route), JSON.stringify(other)));
  if (!isObject(payload)) return;
  await host.call(installation.call(record, { ...payload, id: given.unique('event') }));
  await installation.arrivedInTurn({ kind: 'keyed', where: ({ path }) => path.endsWith(other) }, requestMs);
}

/** In small letters; a value that stands alone has none. Source: extensions, Authentication 2 */
function schemeOf(authorization: string): string {
  return /^(\S+)\s+\S/.exec(authorization)?.[1]?.toLowerCase() ?? 'none';
}

/** Asserts that keys for requests of the host let nobody in at the host, which has another one for that. Source: extensions, Authentication 3 and 5 */
async function expectOpensNothing({ host, expect }: HostContext, keys: object): Promise<void> {
  for (const [name, key] of Object.entries(keys)) {
    const signature = host.signatureFor(host.hostUri + metadataPath, String(valueAt(key, '/apiKey')));
    const reply = await unlessCut(() => host.metadata({ signature, fresh: true }));
    if (reply !== undefined)
      expect(reply.status, `status of metadata that are asked for with the key of ${name}`, reply).toSatisfy(
        'no 2xx',
        (status) => !isSuccess(status),
      );
  }
}

/** What is never taken may be signed otherwise than the suite knows; who sends the key itself signs nothing. Source: extensions, Authentication, rule 2 */
function expectNoKeyShown({ expect, notes }: HostContext, installation: Installation): void {
  for (const { method, path, token, seen } of installation.arrivals({ kind: 'keyed' }))
    expect(
      token !== undefined && installation.isKey(token.text) ? 'the key itself' : 'a signature',
      `bearer value of ${method} ${path}`,
      seen,
    ).toEqual('a signature');
  notes.observe('requests that are signed with an API key', 'none that was taken');
  // a key may have come to the host by other ways
  const bulk = installation.arrivals({ kind: 'keyed', where: ({ path }) => path.startsWith('/admin/') });
  if (bulk.length > 0)
    notes.remark('no bulk upload is signed over its path with a key that the host was given', bulk[0]?.seen);
}

/** Keys last for a day, so that a host may ask for others each day and never because one was refused, which nobody waits for in real time. */
async function expectAskedDaily(
  context: HostContext,
  installation: Installation,
  isNew: (arrival: Arrival) => boolean,
): Promise<void> {
  const { clock, given } = context;
  if (!clock.controlled)
    given.inconclusive(
      'the host asked for no new key when the old one was refused: whether it does so once a day shows where its clock can be moved (extensionHost.time of the profile)',
    );
  await clock.pass(keyPeriodSeconds * 1000);
  await callAll(context, installation);
  const next = await installation.arrivedInTurn({ kind: 'acquire', where: isNew }, rotationMs);
  clock.expectCame('a request for a new key, when the old one was refused or a day later', next?.arrivedAt);
}

/** @param isNew whether a request came since the old keys are refused; what is under way meanwhile may still be signed with one */
async function expectNewKeyUsed(
  context: HostContext,
  installation: Installation,
  isNew: (arrival: Arrival) => boolean,
): Promise<void> {
  const keysCome = () => Promise.allSettled(installation.acquired.map(({ delivered }) => delivered));
  await keysCome();
  const isRight = (arrival: Arrival): boolean => arrival.isAllowed && isNew(arrival);
  let right = await installation.arrived({ kind: 'keyed', where: isRight }, briefMs);
  const olds: Arrival[] = [];
  let old: Arrival | undefined;
  for (let round = 1; round <= keyRounds && right === undefined; round += 1) {
    const before = installation.arrivals();
    await callAll(context, installation);
    const isLater = (arrival: Arrival): boolean => !before.includes(arrival);
    old = await installation.arrived({ kind: 'keyed', where: isLater }, requestMs);
    right = await installation.arrived({ kind: 'keyed', where: isRight }, old === undefined ? 0 : briefMs);
    if (old !== undefined) olds.push(old);
    // what was refused may have been brought late, so that the host has asked once more meanwhile
    if (right === undefined) await keysCome();
  }
  // a host that waits longer after each refusal sends nothing in some rounds, and one that had the old key at hand sends it once
  if (olds.length > 1) old ??= olds.at(-1);
  if (right === undefined && old === undefined)
    return context.notes.observe('a key that was acquired after another was refused', 'not used');
  context
    .expect(
      right === undefined ? 'refused' : 'new',
      'the key of a request that is signed once a new one came',
      old?.seen,
    )
    .toEqual('new');
}

/** Asserts that the callback takes the keys that a host asked for when it had some. Source: extensions, Acquiring API keys */
async function expectTakenAgain(
  { expect }: HostContext,
  installation: Installation,
  isNew: (arrival: Arrival) => boolean,
): Promise<void> {
  const asked = installation.arrivals({ kind: 'acquire', where: isNew });
  for (const { arrival, delivered } of installation.acquired.filter(({ arrival }) => asked.includes(arrival))) {
    // a host that could not be reached has refused nothing
    const reply = await delivered.catch(() => undefined);
    if (reply !== undefined)
      expect(
        reply.status,
        `status of the keys that ${arrival.method} ${arrival.path} asked for when others were refused`,
        reply,
      ).toSatisfy('2xx', isSuccess);
  }
}

/** The requests for keys that calls set off, or an earlier case of the run. @throws {Inconclusive} there are none */
async function requestsForKeys(context: HostContext, installation: Installation): Promise<readonly Acquired[]> {
  const withinMs = await callAll(context, installation);
  if (installation.acquired.length === 0) await installation.arrivedInTurn({ kind: 'acquire' }, withinMs);
  if (installation.acquired.length === 0)
    context.given.notExercised('the host asked for no API key after it was called');
  return installation.acquired;
}

/** Resolves with how long the host may take for what it does behind its answers, in ms. */
async function callAll({ host, records, clock }: HostContext, installation: Installation): Promise<number> {
  const from = clock.now();
  await Promise.all(records.all.map((record) => host.call(installation.call(record))));
  return requestMs + slowness * (clock.now() - from);
}
