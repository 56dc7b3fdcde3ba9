import { isSuccess } from '../../judge/exchange.ts';
import { metadataPath } from '../../contract/names.ts';
import { type CaseContext, holdingSchedule, scenario, schedule } from '../../judge/case.ts';
import { NoAnswer } from '../../judge/client/failure.ts';
import type { Call, CalledType } from '../../judge/extension/call.ts';
import { type Extension, type MetadataRecord, plentyOfExecutions, type Step } from '../../judge/extension/extension.ts';
import {
  callsAt,
  callWaitMs,
  triggerCall,
  triggerEvent,
  triggeredTypes,
  expectCall,
  stayQuiet,
} from '../../judge/extension/trigger-calls.ts';
import { insteadOfRefusal, unlessRefused } from '../../judge/violation.ts';
import { rules } from '../../judge/rule.ts';
import type { Thing } from '../../judge/things.ts';
import { restart } from '../../judge/service/restart.ts';
import { eventRecord, extensionBody, mayListenAlone, oddRecord, offer } from './checks/extension-hosts.ts';
import { updateTo } from './checks/updated-records.ts';

/** Calls and time that have to go by without a further metadata request. */
const watchedCalls = 21;

const watchedSeconds = 120;

/** What calls meet first: whatever a call is told, it is no reason to ask for metadata. */
const firstStatuses = [400, 503, 401, 403, 404, 410] as const;

/** How long a service is watched that was started anew. */
const restartSeconds = 20;

/** Past what is kept for a day. */
const moreThanADaySeconds = 25 * 60 * 60;

/** How long repeats after a failed metadata exchange are watched for, in ms. */
const watchedMs = 70_000;

const metadataAnswers: Readonly<Record<string, Step>> = {
  'no JSON': { status: 200, text: 'Nothing to see here' },
  'an object': { status: 200, json: { records: [] } },
  'an empty array': { status: 200, json: [] },
  'status 401': { status: 401 },
  'status 404': { status: 404 },
  'status 500': { status: 500 },
  // to a path of the host's own: a service may follow it
  'a redirect': { status: 302, headers: { location: './elsewhere' } },
  'no answer': { never: true },
};

export const metadataExchangeRules = rules('metadata', {
  'metadata.fetch.on-registration': {
    source: 'extensions: Metadata exchange',
    statement:
      'Registering an extension makes the service send `GET {hostUri}/svc/extension`, also where one of that hostUri was removed before, or is there and this is added as another one.',
    fault: 'Metadata is fetched from `/extension`.',
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async (context) => {
      const { given, registrations, expect, notes } = context;
      const host = await given.extension({ unregistered: true, ownListener: mayListenAlone(context) });
      const reply = await registrations.post('svcExtension', extensionBody(host));
      given.succeeded(reply, 'an extension is registered', ['registration.extension.required-only-accepted']);
      notes.observe('metadata request before the answer', host.metadata().length > 0);
      await host.arrived({ kind: 'metadata' }, { withinMs: callWaitMs });
      const requests = host.everything();
      expect(
        requests.map(({ method, path }) => `${method} ${path}`),
        'requests to the host',
        reply,
      ).toSatisfy(`GET ${metadataPath}`, () => host.metadata().length > 0);
      expect(
        requests.filter(({ path, method }) => path === metadataPath && method !== 'GET').length,
        'other methods on the metadata path',
      ).toEqual(0);
      notes.observe('metadata requests of one registration', host.metadata().length);
      await expectTwinAsked(context, host);
      await expectSecondAsked(context);
      await expectAskedAnew(context);
    }),
  },
  'metadata.fetch.on-update': {
    source: 'extensions: Metadata exchange; Versioning',
    statement:
      'An update of the registered extension makes the service fetch the metadata again, from another host where it names one, which is called from then on.',
    fault: 'Updates reuse the metadata of the first registration.',
    needs: ['collection-admin', 'extension-listener', 'registration-update'],
    after: ['metadata.fetch.on-registration'],
    test: scenario(async (context) => {
      const { given, registrations, clock } = context;
      const extension = await given.extension();
      for (const tokenLifeTime of [61, 62]) {
        const before = extension.metadata().length;
        const reply = await registrations.update(given.present(extension.registration, 'a registration'), {
          tokenLifeTime,
        });
        given.succeeded(reply, 'the registration is updated');
        const after = await extension.ended(before + 1, { kind: 'metadata' }, { withinMs: callWaitMs });
        clock.expectCalls('metadata requests within 10 s of the update', after, before + 1);
      }
      await expectMoved(context, extension);
    }),
  },
  'metadata.fetch.at-no-other-time': {
    source: 'extensions: Metadata exchange; Versioning',
    statement:
      'Once an extension was added there is no further metadata GET until it is updated: not on calls of whatever type, failed deliveries, retries, by timer, when it acquires API keys, or when it is removed.',
    fault: 'Metadata is refreshed before every tenth event.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['metadata.fetch.on-registration'],
    test: schedule(watchedSeconds + 20, async (context) => {
      const { given, triggers, clock } = context;
      const extension = await given.extension({
        script: [{ when: { kind: 'event' }, steps: firstStatuses.map((status) => ({ status })) }],
      });
      const others = await hostsOfOtherTypes(context);
      const holder = mayAskForKeys(context) ? await given.keyHolder() : undefined;
      await clock.pass(callWaitMs);
      const before = extension.metadata().length;
      for (let sent = 0; sent < watchedCalls; sent += 1) await triggers.event(extension);
      const ended = await extension.ended(watchedCalls, {}, { withinMs: callWaitMs, oneByOne: true });
      const ofOthers = await Promise.all(others.map((other) => callTwice(context, other)));
      const askedOfHolder = holder?.extension?.metadata().length ?? 0;
      if (holder !== undefined) await context.apiKeys.acquire(holder);
      given.present(
        ended[watchedCalls - 1],
        `${watchedCalls} calls within 10 s, of which ${ended.length} came and ended`,
        ['metadata.records.optional-fields-omitted'],
      );
      const removed = await makeRemoved(context);
      await clock.pass(watchedSeconds * 1000);
      const calls = `${watchedCalls} calls, the first of them answered ${firstStatuses.join(', ')}, and ${watchedSeconds} s`;
      expectNotAskedAgain(context, extension, before, calls);
      for (const { type, host, asked } of ofOthers) expectNotAskedAgain(context, host, asked, `calls of type ${type}`);
      if (holder?.extension !== undefined)
        expectNotAskedAgain(context, holder.extension, askedOfHolder, 'keys were asked for');
      if (removed !== undefined) expectNotAskedAgain(context, removed.host, removed.asked, 'its removal');
    }),
  },
  'metadata.fetch.not-at-restart': {
    source: 'extensions: Metadata exchange; Versioning',
    statement: 'A restart is no time for metadata: neither it nor the next call makes the service ask for them again.',
    fault: 'The first call after a restart asks for the metadata of its extension.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'restart-control'],
    after: ['metadata.fetch.at-no-other-time'],
    test: schedule(restartSeconds, async (context) => {
      const { given, triggers, clock, notes, profile } = context;
      const extension = await given.extension();
      await extension.call({ about: await triggers.event(extension) });
      const before = extension.metadata().length;
      await restart(profile.all);
      await clock.pass(restartSeconds * 500);
      const next = await unlessRefused(() => triggers.event(extension));
      await clock.pass(restartSeconds * 500);
      const isCalled = next !== undefined && extension.calls({ about: next }).length > 0;
      notes.observe('an event after the restart reaches the extension', isCalled);
      expectNotAskedAgain(context, extension, before, 'a restart and a call');
    }),
  },
  'metadata.fetch.not-after-a-day': {
    source: 'extensions: Metadata exchange; Versioning',
    statement: 'Metadata do not grow old: the first call after more than a day is no time to ask for them again.',
    fault: 'A call asks for metadata that are a day old.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'clock-control'],
    after: ['metadata.fetch.at-no-other-time'],
    test: schedule(moreThanADaySeconds, async (context) => {
      const { given, clock } = context;
      const extension = await given.extension();
      const standsOn = ['metadata.records.optional-fields-omitted'] as const;
      given.present(await triggerEvent(context, extension), 'the call of an event', standsOn);
      const before = extension.metadata().length;
      await clock.pass(moreThanADaySeconds * 1000);
      given.present(await triggerEvent(context, extension), 'the call of an event a day later', standsOn);
      expectNotAskedAgain(context, extension, before, 'a call a day later');
    }),
  },
  'metadata.fetch.host-uri-forms': {
    level: 'should',
    source: 'extensions: Metadata exchange; Registered extension, row hostUri',
    statement:
      'The metadata URL is hostUri joined with `/svc/extension` by exactly one slash, also for a hostUri with a trailing slash, with a path or with one that has an escape.',
    fault: 'A trailing slash of hostUri gives `//svc/extension`.',
    needs: ['collection-admin', 'extension-listener'],
    after: ['metadata.fetch.on-registration'],
    test: scenario(async (context) => {
      for (const [suffix, path] of [
        ['', metadataPath],
        ['/', metadataPath],
        ['/base', `/base${metadataPath}`],
        ['/my%20base', `/my%20base${metadataPath}`],
      ] as const) {
        // a host without a record may be refused
        const json = [eventRecord(context)];
        const host = await context.given.extension({
          unregistered: true,
          ownListener: mayListenAlone(context),
          suffix,
          script: () => ({ status: 200, json }),
        });
        // whether an address may have an escape is not said
        if (suffix.includes('%')) await unlessRefused(() => expectAskedAt(context, host, path));
        else await expectAskedAt(context, host, path);
      }
    }),
  },
  'metadata.fetch.request-shape': {
    level: 'observe',
    source: 'extensions: Metadata exchange (only the Authorization header is described)',
    statement:
      'Other headers, a correlation id, a query or a body on the metadata GET are not described and are recorded.',
    fault: 'Not applicable as a failure; recorded variant: access token in the query.',
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async (context) => {
      const { given, notes } = context;
      const extension = await given.extension();
      const request = given.present(extension.metadata()[0], 'the metadata request');
      notes.observe(
        'headers of the metadata request',
        request.headers
          .map(([name]) => name.toLowerCase())
          .toSorted()
          .join(', '),
      );
      notes.observe('parameters of its query', request.query.map(([name]) => name).join(', ') || 'none');
      notes.observe('bytes of its body', request.bytes.length);
      if (request.query.length > 0)
        notes.remark('the metadata request has a query: a token in it would stand in the logs of the host');
    }),
  },
  'metadata.response.malformed': {
    level: 'observe',
    source: 'extensions: Metadata exchange (reaction to errors silent)',
    statement:
      'The reaction to a metadata response that is not JSON, is an object, is an empty array, has status 401, 404 or 500, is a redirect, or never arrives is not documented.',
    fault: 'Not applicable as a failure; recorded variant: registration accepted, extension unusable.',
    needs: ['collection-admin', 'extension-listener'],
    test: holdingSchedule(watchedMs / 1000 + 60, async (context) => {
      const { clock, service, profile, notes } = context;
      const hosts = await clock.through(() =>
        Promise.all(Object.entries(metadataAnswers).map(([what, step]) => offerAnswering(context, what, step))),
      );
      await clock.pass(watchedMs);
      for (const { what, host } of hosts.filter((made) => made !== undefined)) {
        const gaps = host.gaps({ kind: 'metadata' }).map((gapMs) => `${Math.round(gapMs / 1000)} s`);
        notes.observe(
          `metadata requests where the answer is ${what}`,
          [String(host.metadata().length), ...gaps].join(', '),
        );
      }
      const alive = await service.get(`/api/space/${encodeURIComponent(profile.all.space)}`);
      notes.remarkServerError(alive);
    }),
  },
  'metadata.response.one-bad-record': {
    level: 'observe',
    source: 'extensions: Extension metadata record (reaction silent)',
    statement:
      'Whether one invalid record spoils the other records of the same array is not said; likewise two records with one id.',
    fault: 'Not applicable as a failure; recorded variant: whole array rejected.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const { notes } = context;
      for (const turn of ['first', 'last', 'twin']) {
        const good = eventRecord(context);
        const { category: _left, ...bad } =
          turn === 'twin' ? { ...good, category: 'conformance' } : eventRecord(context);
        const other = turn === 'twin' ? { ...good, endpoint: `${good.endpoint}/twin` } : oddRecord(bad);
        const { host, reply } = await offer(context, turn === 'first' ? [other, good] : [good, other]);
        const what = turn === 'twin' ? 'two records with one id' : `a right record and, ${turn}, a bad one`;
        notes.observe(`registration with ${what}`, reply.status, reply);
        if (!isSuccess(reply.status)) continue;
        const call = await triggerEvent(context, host, { recordId: good.id });
        notes.observe(
          `the right one of ${what}`,
          call === undefined ? 'not called' : `called at ${isAt(good)(call) ? 'its own endpoint' : 'another endpoint'}`,
        );
      }
    }),
  },
  'metadata.update.replaces-records': {
    source: 'extensions: Metadata exchange; Versioning',
    statement:
      'After an update the newly fetched records are in force: a changed endpoint path is called, the former one no longer, whichever of their versions is the higher one, and neither is that of a record that is told no more; a record that is of another type from then on is called as one of that type.',
    fault: 'New records are added beside the old ones.',
    needs: ['collection-admin', 'extension-listener', 'registration-update', 'trigger-event'],
    after: ['metadata.fetch.on-update'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      // none of its calls waits for the end of a pause, be that of the whole host
      const record = { ...eventRecord(context), rateLimitNumberOfExecutions: plentyOfExecutions };
      const extension = await given.extension({ records: [record] });
      const moved = { ...record, endpoint: `${record.endpoint}/moved` };
      extension.setRecords([moved]);
      given.present(
        await triggerEvent(context, extension, { call: { kind: 'other', path: `/${record.endpoint}` } }),
        'a call at the endpoint of before',
        ['metadata.fetch.at-no-other-time'],
      );
      await updateTo(context, extension, [moved], 61);
      expectCall(
        context,
        await triggerEvent(context, extension),
        'calls at the endpoint that the metadata shows after the update',
      );
      const former = callsAt(extension).filter(isAt(record)).length;
      expectCall(context, await triggerEvent(context, extension), 'further calls at that endpoint');
      await stayQuiet(context);
      expect(callsAt(extension).filter(isAt(record)).length, 'calls at the endpoint of before').toEqual(former);
      await expectOlderInForce(context, extension, record);
      await expectForgotten(context, extension, record);
      await expectOtherTypes(context);
    }),
  },
});

/** A host was asked for its metadata no more than so often; of each further request a finding tells when it came. */
function expectNotAskedAgain({ expect }: CaseContext, host: Extension, asked: number, after: string): void {
  const requests = host.metadata();
  const since = requests[asked - 1]?.arrivedAt ?? 0;
  const what = `metadata requests beyond the ${asked} that were due, after ${after},`;
  expect.noCalls(requests.slice(asked), what, ({ arrivedAt }) => {
    const calls = callsAt(host).filter((call) => call.arrivedAt <= arrivedAt).length;
    return `${((arrivedAt - since) / 1000).toFixed(1)} s after request ${asked}, behind ${calls} calls`;
  });
}

/** Whether a call came to the endpoint of the record. */
function isAt({ endpoint }: MetadataRecord): (call: Call) => boolean {
  return ({ path }) => path.replaceAll(/\/+/g, '/') === `/${endpoint}`;
}

/** Whether the profile says who asks for keys, and has that one. */
function mayAskForKeys({ profile }: CaseContext): boolean {
  const { apiKeys, identities } = profile.all;
  return apiKeys !== undefined && (apiKeys.acquireAs !== 'editor' || identities.editor !== undefined);
}

/** Where two hosts may have one key, the second one is asked as well. */
async function expectTwinAsked(context: CaseContext, { apiKey }: Extension): Promise<void> {
  const { given, registrations, notes } = context;
  const host = await given.extension({ unregistered: true, ownListener: mayListenAlone(context) });
  const reply = await registrations.post('svcExtension', extensionBody({ ...host, apiKey }));
  notes.observe('a second host with the key of another', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const request = await host.arrived({ kind: 'metadata' }, { withinMs: callWaitMs });
  expectCall(context, request, 'metadata requests to a host with the key of another one');
}

/** A second extension at one address is asked as well. Whether there may be one is not said: it was added where it has a place of its own. */
async function expectSecondAsked(context: CaseContext): Promise<void> {
  const { given, registrations, notes } = context;
  const host = await given.extension({ unregistered: true, ownListener: mayListenAlone(context) });
  const first = await registrations.post('svcExtension', extensionBody(host));
  if (first.status !== 201) return;
  await host.arrived({ kind: 'metadata' }, { withinMs: callWaitMs });
  const before = host.metadata().length;
  const second = await registrations.post('svcExtension', extensionBody(host));
  notes.observe('a second extension at one address', second.status, second);
  const [one, other] = [first, second].map(({ headers }) => headers['location']);
  if (second.status !== 201 || one === undefined || other === undefined || one === other) return;
  const requests = await host.ended(before + 1, { kind: 'metadata' }, { withinMs: callWaitMs });
  expectCall(context, requests[before], 'metadata requests since a second extension was added at its address');
}

/** An extension whose registration was removed, and how often it had been asked by then; undefined where none is. */
async function makeRemoved({ given, registrations }: CaseContext) {
  const host = await given.extension();
  const asked = host.metadata().length;
  const removed = await registrations.remove(given.present(host.registration, 'a registration'));
  return removed !== undefined && isSuccess(removed.status) ? { host, asked } : undefined;
}

/** An extension that is added again, once its registration was removed, is asked again. Nothing is asserted where the profile removes none. */
async function expectAskedAnew(context: CaseContext): Promise<void> {
  const { given, registrations, notes } = context;
  const host = await given.extension();
  const removed = await registrations.remove(given.present(host.registration, 'a registration'));
  if (removed === undefined || !isSuccess(removed.status)) return;
  const before = host.metadata().length;
  const reply = await registrations.post('svcExtension', extensionBody(host));
  notes.observe('an extension that is added again after its removal', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const requests = await host.ended(before + 1, { kind: 'metadata' }, { withinMs: callWaitMs });
  expectCall(context, requests[before], 'metadata requests to a host that is added again after its removal');
}

/** The registration names another host from now on, which shows a record of its own. */
async function expectMoved(context: CaseContext, former: Extension): Promise<void> {
  const { given, registrations, expect, notes, profile } = context;
  const other = await given.extension({ unregistered: true, records: [eventRecord(context)] });
  const registration = given.present(former.registration, 'a registration');
  const { url: hostUri, apiKey } = other;
  // whoever keeps the address of a host has learned it by a call
  if (profile.all.triggers?.event !== undefined) await triggerEvent(context, former);
  const asked = former.metadata().length;
  const reply = await registrations.update(registration, { hostUri, apiKey });
  if (!isSuccess(reply.status)) return notes.observe('an update of hostUri', 'is not taken', reply);
  const request = await other.arrived({ kind: 'metadata' }, { withinMs: callWaitMs });
  expectCall(context, request, 'metadata requests to the host that an update names');
  expectNotAskedAgain(context, former, asked, 'the registration named another host');
  if (profile.all.triggers?.event === undefined) return;
  const calls = callsAt(former).length;
  const moved = { ...other, registration };
  expectCall(context, await triggerEvent(context, moved), 'calls at the host that an update names');
  expect(callsAt(former).length, 'calls at the former host').toEqual(calls);
}

interface OfType {
  readonly type: CalledType;
  readonly host: Extension;
  /** What a validation is about. */
  readonly thing?: Thing;
}

/** An extension of each type but events that the service can be made to call. */
function hostsOfOtherTypes(context: CaseContext): Promise<readonly OfType[]> {
  const { given, profile } = context;
  const types = triggeredTypes(context).filter(
    (type) => type !== 'ExternalEvent' && (type !== 'ExternalValidation' || profile.all.softTypes !== undefined),
  );
  return Promise.all(
    types.map(async (type) => {
      const script = [{ steps: [{ status: 404 }] }];
      if (type !== 'ExternalValidation') return { type, host: await given.extension({ types: [type], script }) };
      const thing = await given.object();
      return { type, thing, host: await given.extension({ types: [type], concerns: [thing], script }) };
    }),
  );
}

/** Sets off two calls, the first of which finds nothing, and tells how often the host had been asked for its metadata until then. */
async function callTwice(
  context: CaseContext,
  { type, host, thing }: OfType,
): Promise<OfType & { readonly asked: number }> {
  const asked = host.metadata().length;
  for (const _turn of ['first', 'second']) await unlessRefused(() => triggerCall(context, host, type, thing));
  return { type, host, asked };
}

/** What was fetched last is in force, be its version the lower one: the record is back where it was before. Whether such an update is taken is not said. */
async function expectOlderInForce(context: CaseContext, extension: Extension, record: MetadataRecord): Promise<void> {
  const former = callsAt(extension).filter(isAt(record)).length;
  const older = [{ ...record, version: '0.9.0' }];
  const isTaken = await insteadOfRefusal(false, async () => {
    await updateTo(context, extension, older, 64);
    return true;
  });
  context.notes.observe('an update to a record of a lower version', isTaken ? 'is taken' : 'is refused');
  if (!isTaken) return;
  expectCall(context, await triggerEvent(context, extension), 'calls of a record whose version went down');
  context
    .expect(callsAt(extension).filter(isAt(record)).length, 'calls at the endpoint of a record whose version went down')
    .toSatisfy(`more than the ${former} of before`, (count) => count > former);
}

/** Shows another record alone from now on: after an update that one is called, and the former one no longer, whoever asks for it. */
async function expectForgotten(context: CaseContext, extension: Extension, former: MetadataRecord): Promise<void> {
  const { triggers, expect } = context;
  const next = { ...former, ...eventRecord(context) };
  await updateTo(context, extension, [next], 62);
  expectCall(context, await triggerEvent(context, extension), 'calls of the record that takes the place of another');
  const countOfFormer = () => callsAt(extension).filter(isAt(former)).length;
  const before = countOfFormer();
  await unlessRefused(() => triggers.event(extension, undefined, { recordId: former.id }));
  await unlessRefused(() => triggers.event(extension));
  await stayQuiet(context);
  expect(countOfFormer(), 'calls of the record that the metadata tell no more').toEqual(before);
  const none = await unlessRefused(() => updateTo(context, extension, [], 63));
  context.notes.observe('an update to no record at all', none === undefined ? 'is not taken' : 'is taken');
  if (none === undefined) return;
  const all = callsAt(extension).length;
  for (const { id } of [former, next])
    await unlessRefused(() => triggers.event(extension, undefined, { recordId: id }));
  await stayQuiet(context);
  expect(callsAt(extension).length, 'calls of an extension whose metadata tell of no record any more').toEqual(all);
}

/** A record that was called for an event is of another type after an update, and is called for what triggers that one. */
async function expectOtherTypes(context: CaseContext): Promise<void> {
  const { given, notes } = context;
  const types = triggeredTypes(context).filter((type) => type !== 'ExternalEvent' && type !== 'ExternalValidation');
  for (const extensionType of types) {
    const record = eventRecord(context);
    const extension = await given.extension({ records: [record] });
    given.present(await triggerEvent(context, extension), 'the call of an event', ['metadata.fetch.on-registration']);
    const isTaken = await insteadOfRefusal(false, async () => {
      await updateTo(context, extension, [{ ...record, extensionType }], 61);
      return true;
    });
    notes.observe(`an update to a record of the type ${extensionType}`, isTaken ? 'is taken' : 'is refused');
    if (!isTaken) continue;
    const call = await triggerCall(context, extension, extensionType);
    if (call === undefined && !(await isCalledFromTheBeginning(context, extensionType))) continue;
    expectCall(context, call, `calls of a record that is of the type ${extensionType} since the last update`);
  }
}

/** Whether a record that was of that type when it was registered is called at all: the trigger of the profile may lack what it takes. */
async function isCalledFromTheBeginning(context: CaseContext, extensionType: CalledType): Promise<boolean> {
  const records = [{ ...eventRecord(context), extensionType }];
  const call = await triggerCall(context, await context.given.extension({ records }), extensionType);
  context.notes.observe(`a record of the type ${extensionType} is called`, call !== undefined);
  return call !== undefined;
}

/** Asserts that the registration makes the service ask at that path below the base, and nowhere else. */
async function expectAskedAt(
  { registrations, given, expect }: CaseContext,
  host: Extension,
  path: string,
): Promise<void> {
  const reply = await registrations.post('svcExtension', extensionBody(host));
  given.succeeded(reply, `an extension at ${host.url} is registered`);
  await host.arrived({ path, kind: path === metadataPath ? 'metadata' : 'other' });
  expect([...new Set(host.everything().map((call) => call.path))], `paths asked of ${host.url}`, reply).toEqual([path]);
}

/** Undefined where the registration waits for the metadata longer than an answer is waited for. */
async function offerAnswering(
  context: CaseContext,
  what: string,
  step: Step,
): Promise<({ what: string } & Pick<Awaited<ReturnType<typeof offer>>, 'host'>) | undefined> {
  const { notes } = context;
  try {
    const { host, reply } = await offer(context, [], {
      script: [{ when: { kind: 'metadata' }, steps: [step], afterwards: 'last' }],
    });
    notes.observe(`registration where the answer is ${what}`, reply.status, reply);
    notes.remarkServerError(reply);
    return { what, host };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    notes.observe(`registration where the answer is ${what}`, error.message);
    return undefined;
  }
}
