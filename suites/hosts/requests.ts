import { isObject, jsonOf } from '../../judge/json.ts';
import type { Reply } from '../../judge/exchange.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import type { HostCall } from '../../judge/host/host.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { HostRecord } from '../../judge/host/records.ts';
import { type Arrival, headerOf } from '../../judge/host/arrival.ts';
import type { Installation } from '../../judge/host/installation.ts';
import type { Edit } from '../../judge/host/played/objects.ts';
import { decodeSegment } from '../../judge/service/requests.ts';
import { headerNames } from '../../contract/names.ts';
import { behind, expectNoStranger, isAbout, isBecauseOfCall, letSettle, letWork } from './callbacks.ts';
import { expectOwnContents } from './event-contents.ts';
import { tellSameIds } from './event-work.ts';
import { tellSameJobs } from './task-ends.ts';
import { expectOperations, tellPartsOfBatches, withThoseOfBatches } from './operations.ts';
import { expectWellSent } from './task-uploads.ts';
import { rules } from '../../judge/rule.ts';

/** What a host sent because of a call. */
interface Answered {
  readonly call: HostCall;
  readonly reply: Reply;
}

/** Calls of several installations that came at once, looked at from one of them. */
interface AtOnce {
  readonly calls: readonly Answered[];
  readonly place: Installation;
  readonly others: readonly Installation[];
}

/** How long requests because of later calls are waited for, in ms: earlier work may come first. */
const laterMs = 10_000;

/** How often each of two installations calls every record at once. */
const timesAtOnce = 2;

/** How long an edit is waited for that comes again, in ms. */
const againMs = 3000;

/** What is nearly the id by which the log of a request is found. */
const beyondId = 'the id of the envelope and more';
const idOfEvent = 'the id of the event';
const respelledId = 'the id of the envelope in another spelling';

const noRequest = 'the host sent no request because of a call';

/** Routes of the core that a host may call because of a call. Source: core, Endpoint table */
const coreRoute = /\/space\/[^/]+\/(?:softtype|batch|maturityAction)(?:\/|$)/i;

export const hostRequestRules = rules('calls', {
  'calls.host.uses-envelope-token': {
    source: 'extensions: Authentication, rule 4',
    statement:
      "When the host calls the API because of a call, it sends the accessToken of that call's envelope, not one of an earlier call, or of one that came to another installation at once; what an event tells is repeated for no other event. A space that no such call names, and an answer that shows the token, is remarked on.",
    fault: 'First token received is cached for all later calls.',
    needs: ['extension-host', 'extension-call'],
    test: hostScenario(async (context) => {
      const { stage, expect } = context;
      const installation = await stage.installation();
      const first = await callEach(context, installation, context.records.all);
      const isAtWork = await letWork(context, installation);
      expectNoStranger(context, installation);
      if (!isAtWork) await tellOfNone(context, installation);
      const before = installation.arrivals({ where: isBecauseOfCall });
      const second = await callEach(context, installation, context.records.all);
      const isOfSecond = (arrival: Arrival): boolean => second.some(({ call }) => call.envelope.id === arrival.callId);
      await letWork(context, installation, isOfSecond, laterMs);
      const arrivals = installation.arrivals({ where: isBecauseOfCall });
      for (const arrival of arrivals)
        expect(
          arrival.callId ?? 'none',
          `the call whose token ${arrival.method} ${arrival.path} carries`,
          arrival.seen,
        ).toBeOneOf(ownersOf(arrival, [...first, ...second]));
      // late work of the first calls carries their tokens: that is not told from a token that was kept unless no other comes
      const last = arrivals.at(-1);
      if (arrivals.length > before.length)
        expect(
          arrivals.filter(isOfSecond).length,
          `requests with a token of the later calls among the ${arrivals.length - before.length} after them`,
          last?.seen,
        ).toSatisfy('1 or more', (count) => count > 0);
      expectNoStranger(context, installation);
      tellShownTokens(context, [...first, ...second]);
      await expectApart(context);
      await expectOwnContents(context);
    }),
  },
  'calls.host.uses-base-address': {
    level: 'should',
    source: 'extensions: Call envelope, row baseAddress',
    statement:
      'Callbacks go to the baseAddress (or the links) of the call at hand, also below the path of one that has a path, so that one host can serve several installations, which may call at once. That an event is not worked on whose ids another one of another installation has is remarked on.',
    fault: "Base address is fixed in the host's configuration.",
    needs: ['extension-host', 'extension-call'],
    test: hostScenario(async (context) => {
      const { stage, given, expect } = context;
      if (!stage.severalAddresses)
        given.inconclusive('the check needs two addresses: let listener.publicUrl of the profile hold {port}');
      const basePath = `/${given.unique('services')}`;
      const [one, other] = [await stage.installation(), await stage.installation({ basePath })];
      const first = await workingCalls(context, one);
      const second = await callEach(
        context,
        other,
        first.map(({ call }) => call.record),
      );
      await Promise.race([letWork(context, other), letWork(context, one, isOf(second))]);
      for (const [calls, own] of [
        [first, one],
        [second, other],
      ] as const)
        for (const arrival of [one, other].flatMap((place) => place.arrivals({ where: isOf(calls) })))
          expect(
            arrival.port,
            `address of ${arrival.method} ${arrival.path}, because of a call with another baseAddress`,
            arrival.seen,
          ).toEqual(own.port);
      if (other.arrivals({ where: isBecauseOfCall }).length === 0) given.notExercised(noRequest);
      for (const { method, path, seen } of other.arrivals({ where: isBecauseOfCall }))
        expect(path, `path of ${method} ${path}, because of a call whose baseAddress has a path`, seen).toSatisfy(
          `one below ${basePath} once, with a single slash behind it`,
          (text) =>
            text.split(basePath).length === 2 && text.includes(`${basePath}/`) && !text.includes(`${basePath}//`),
        );
      expect(other.arrivals({ where: isBecauseOfCall }).length, 'requests at the second address').toSatisfy(
        'at least one',
        (count) => count > 0,
      );
      await expectAddressesApart(context);
      await tellSameIds(context, one, other);
      await tellSameJobs(context, one, other);
    }),
  },
  'calls.host.uses-core-headers': {
    source: 'core: Common request headers; extensions: Call envelope, row informationFilter; File routes',
    statement:
      'A request of the host to a SoftType, batch or maturity route of a space carries an information filter, a JSON object in Base64 and not that of another call, when it comes again after a failure as well, and one that edits or promotes an object the version that it read, in a batch too; fields and operations go by their types, and operations come as an array, have what each has to have, replace a member that was read and do not add it again, and lead to entries by their ids. Batches and multi-creates are arrays of what they have to hold, the latter of no more than 50, and files have the checksum of their bytes and what else they need, whatever call they are because of. That a space is asked in which nothing in the call names, that a route lacks its /api, and that an edit because of an event does not come again when others edited the object first, is remarked on.',
    fault: 'The information filter of the envelope is not passed on.',
    needs: ['extension-host', 'extension-call'],
    after: ['calls.host.uses-envelope-token'],
    test: hostScenario(async (context) => {
      const { stage, given, expect, notes } = context;
      const installation = await stage.installation();
      const calls = await workingCalls(context, installation);
      // a host may do much before it comes to them
      if (!(await letWork(context, installation, isOfCore))) {
        expectFilesWellSent(context, installation);
        given.notExercised('the host called no SoftType route because of a call');
      }
      // what is kept from a call shows at the next
      const next = await callEach(context, installation, context.records.all);
      const isOfNext = (arrival: Arrival): boolean =>
        isOfCore(arrival) && next.some(({ call }) => call.envelope.id === arrival.callId);
      await letWork(context, installation, isOfNext, laterMs);
      await letEventsWork(context, installation, [...calls, ...next]);
      await letSettle(context, installation);
      const requests = installation.arrivals({ where: isOfCore });
      for (const request of requests) {
        const { method, path, seen } = request;
        const what = `of ${method} ${path}`;
        const filter = headerOf(request, headerNames.informationFilter) ?? '';
        expect(filter, `information filter ${what}`, seen).toSatisfy('a JSON object in Base64', isFilter);
        if (/[-_]/.test(filter) || filter.length % 4 !== 0)
          notes.remark(`the information filter ${what} has the alphabet of addresses, or lacks its padding: ${filter}`);
        const ofCall = installation.callOfFilter(filter);
        if (ofCall !== undefined && request.callId !== undefined)
          expect(ofCall, `the call whose information filter ${method} ${path} carries`, seen).toEqual(request.callId);
        if ((method === 'PUT' || method === 'PATCH') && calls.every(isVersionTold))
          expect(headerOf(request, headerNames.version) ?? '', `version ${what}`, seen).toSatisfy(
            'an integer',
            (text) => /^\d+$/.test(text),
          );
      }
      tellOtherSpaces(context, requests, [...calls, ...next]);
      expectFilesWellSent(context, installation);
      await expectVersionsRead(context, installation, [...calls, ...next]);
      await expectReplaced(context, installation);
      await expectAskedAgain(context);
      const others = await tellOvertaken(context, installation, [...calls, ...next]);
      // what a busy host sends late has come by then
      const all = [...installation.arrivals({ where: isOfCore }), ...others.filter(isOfCore)];
      expectOperations(
        context,
        all,
        [...calls, ...next].map(({ call }) => call),
      );
    }),
  },
  'calls.host.correlation-id-used': {
    level: 'observe',
    source: 'extensions: Call envelope, row id',
    statement:
      'The envelope id is meant as X-Correlation-Id when the host reports back; whether the host sends it is recorded, and remarked on is one that is spelt in another way than that of the request was, which need not be a GUID, one with more behind it, and that of the event in its place.',
    fault: 'Not applicable as a failure; recorded variant: header missing.',
    needs: ['extension-host', 'extension-call'],
    test: hostScenario(async (context) => {
      const { stage, notes } = context;
      const installation = await stage.installation();
      const calls = await workingCalls(context, installation);
      const seen = installation.arrivals({ where: isBecauseOfCall }).map((arrival) => correlationOf(arrival, calls));
      notes.observe('X-Correlation-Id of the requests of the host', [...new Set(seen)].sort().join(', '));
      const nearly = seen.find((found) => [beyondId, idOfEvent, respelledId].includes(found));
      if (nearly !== undefined)
        notes.remark(`X-Correlation-Id of the requests of the host is ${nearly}, by which nobody finds them`);
      if (seen.every((found) => found === 'id of the envelope')) await tellSpelling(context, calls);
    }),
  },
});

function isOfCore({ kind, path }: Arrival): boolean {
  return kind === 'object' && coreRoute.test(path);
}

/** Asserts that files go as they do for a task, whichever call they are because of. Source: extensions, File routes */
function expectFilesWellSent(context: HostContext, installation: Installation): void {
  for (const upload of installation.arrivals({ kind: ['upload', 'chunk'], where: isBecauseOfCall }))
    expectWellSent(context, upload);
}

/** Who may read a verdict, or why an action failed, is not the user whom the token stands for. Source: extensions, Authentication 4 */
function tellShownTokens({ notes }: HostContext, calls: readonly Answered[]): void {
  const shown = calls.find(({ call, reply }) => reply.text.includes(call.envelope.accessToken));
  if (shown !== undefined)
    notes.remark(`the answer to a call of record ${JSON.stringify(shown.call.record.id)} shows the token of the call`);
}

/** Calls of two installations, with what names no space but theirs, at once; resolves when the host works on them. */
async function callAtOnce(
  context: HostContext,
): Promise<{ readonly places: readonly Installation[]; readonly calls: readonly Answered[] }> {
  const { host, records, stage } = context;
  const places = [await stage.installation(), await stage.installation()];
  const called = records.all.filter(({ type }) => type !== 'ExternalTask');
  const callInOwn = async (place: Installation, record: HostRecord): Promise<Answered> => {
    const { payload } = place.call(record).envelope;
    // the samples may name a space of their own
    const call = place.call(record, { ...payload, spaceId: place.spaceId });
    return { call, reply: await host.call(call) };
  };
  const all = Array.from({ length: timesAtOnce }, () => places).flat();
  const calls = await Promise.all(all.flatMap((place) => called.map((record) => callInOwn(place, record))));
  await Promise.race(places.map((place) => letWork(context, place)));
  return { places, calls };
}

/** Asserts that what is sent because of calls which come at once, of two installations, goes to the address of each. */
async function expectAddressesApart(context: HostContext): Promise<void> {
  const { places } = await callAtOnce(context);
  for (const place of places) {
    await letSettle(context, place);
    for (const { method, path, port, seen } of place.arrivals({ where: isBecauseOfCall }))
      context
        .expect(port, `address of ${method} ${path}, because of a call beside one with another baseAddress`, seen)
        .toEqual(place.port);
  }
}

/** Asserts that calls which come at once, of two installations, are each worked on with what is theirs. A task is under way beside others elsewhere. Source: extensions, Authentication 4; Call envelope */
async function expectApart(context: HostContext): Promise<void> {
  const { places, calls } = await callAtOnce(context);
  for (const place of places) {
    await letSettle(context, place);
    expectNoStranger(context, place);
    const others = places.filter((other) => other !== place);
    for (const arrival of place.arrivals({ where: isBecauseOfCall }))
      expectOfOneCall(context, arrival, { calls, place, others });
    tellOtherSpaces(context, place.arrivals({ where: isOfCore }), calls);
  }
}

/** Asserts that what is sent with the token of a call names no other call, and has neither the filter of another one nor a space of these places. */
function expectOfOneCall({ expect }: HostContext, arrival: Arrival, { calls, place, others }: AtOnce): void {
  const { method, path, target, text, callId = 'none', seen } = arrival;
  const isElsewhere = others.some(({ spaceId }) => `${target} ${text}`.includes(spaceId));
  expect(
    isElsewhere ? `${method} ${path}` : 'none',
    'what is sent with the token of a call about the space of another installation that called at once',
    seen,
  ).toEqual('none');
  expect(callId, `the call whose token ${method} ${path} carries, of those at once`, seen).toBeOneOf(
    ownersOf(arrival, calls),
  );
  const filter = headerOf(arrival, headerNames.informationFilter) ?? '';
  const ofFilter = place.callOfFilter(filter) ?? callId;
  expect(ofFilter, `the call whose information filter ${method} ${path} carries, of those at once`, seen).toEqual(
    callId,
  );
}

/** Asserts that what comes again after a failure that passes has what it had: of calls at once, the token and the filter of its own. Whether it comes again is not said. Source: extensions, Authentication 4; core, Common request headers */
async function expectAskedAgain(context: HostContext): Promise<void> {
  const { records, stage, expect } = context;
  const place = await stage.installation();
  const refused = new Set<string | undefined>();
  place.refuse('object', 503, ({ callId }) => {
    const isFirst = !refused.has(callId);
    refused.add(callId);
    return isFirst;
  });
  const called = records.all.filter(({ type }) => type !== 'ExternalTask');
  const calls = await callEach(context, place, Array.from({ length: timesAtOnce }, () => called).flat());
  const isAgain = (arrival: Arrival): boolean =>
    place
      .arrivals({ where: isOfCore })
      .some((other) => other !== arrival && other.callId === arrival.callId && other.target === arrival.target);
  await place.arrivedInTurn({ where: isAgain }, againMs);
  await letSettle(context, place);
  for (const arrival of place.arrivals({ where: isBecauseOfCall }))
    expectOfOneCall(context, arrival, { calls, place, others: [] });
  for (const arrival of place.arrivals({ where: isOfCore }))
    expect(
      headerOf(arrival, headerNames.informationFilter) ?? '',
      `information filter of ${arrival.method} ${arrival.path}, where the first request of each call was answered with 503`,
      arrival.seen,
    ).toSatisfy('a JSON object in Base64', isFilter);
}

/** Asserts that each edit has a version that was told before, also when others have edited the object. Source: core, Common request headers */
async function expectVersionsRead(
  context: HostContext,
  installation: Installation,
  first: readonly Answered[],
): Promise<void> {
  await letSettle(context, installation);
  if (installation.edits.length === 0) return;
  installation.editElsewhere();
  const records = [...new Set(first.map(({ call }) => call.record))];
  const second = await callEach(context, installation, records);
  const isLater = (arrival: Arrival): boolean =>
    isWriting(arrival) && second.some(({ call }) => call.envelope.id === arrival.callId);
  await letWork(context, installation, isLater, laterMs);
  await letSettle(context, installation);
  const payloadOf = (callId: string | undefined): unknown =>
    [...first, ...second].find(({ call }) => call.envelope.id === callId)?.call.envelope.payload;
  for (const edit of installation.edits.filter(({ isInBatch }) => isInBatch)) {
    // an operation may come as the call brought it
    const isBrought = JSON.stringify(payloadOf(edit.callId) ?? {}).includes(edit.path);
    if (!isBrought)
      context
        .expect(edit.version ?? 'none', versionOf(edit), edit.seen)
        .toSatisfy('an integer', (text) => /^\d+$/.test(text));
  }
  await expectToldVersions(context, installation, payloadOf);
}

/** Asserts that each edit has a version that was told, by the service or in the payload of its call; one that had not may come again with another. */
async function expectToldVersions(
  { clock, expect }: HostContext,
  installation: Installation,
  payloadOf: (callId: string | undefined) => unknown,
): Promise<void> {
  const isRight = ({ version, told, callId }: Edit): boolean =>
    version === undefined || told.length === 0 || [...told, ...versionsIn(payloadOf(callId))].includes(Number(version));
  // what is refused because of its version may be sent again with another
  const wrong = (): Edit | undefined =>
    installation.edits.find(
      (edit, index, all) =>
        !isRight(edit) && !all.slice(index).some((later) => isSameEdit(later, edit) && isRight(later)),
    );
  if (wrong() !== undefined) await clock.until(new Promise<never>(() => undefined), againMs);
  for (const edit of installation.edits.filter((edit) => edit === wrong() || isRight(edit)))
    expect(edit.version ?? 'none', versionOf(edit), edit.seen).toSatisfy(
      `one that was read before: ${edit.told.join(', ')}`,
      () => isRight(edit),
    );
}

/** Asserts that operations replace a member that is there, and go by the ids of entries and not by their places. Source: core, Operations-based PATCH rules 4 and 5 */
async function expectReplaced({ clock, expect }: HostContext, installation: Installation): Promise<void> {
  for (const [mistake, what] of [
    ['addedAgain', 'the member that operations add although it was read before, and do not replace afterwards'],
    ['byPosition', 'the entry that operations lead to by what is no id, and not by its id afterwards'],
    ['inData', 'the member that operations lead to by way of the data of a read, and not by itself afterwards'],
    ['ofDefinition', 'what an edit leads to in the place of the object, whose id stands before that'],
  ] as const) {
    // what is refused because of it may be sent again as it has to be
    const mistaken = (): Edit | undefined =>
      installation.edits.find(
        (edit, index, all) =>
          edit[mistake] !== undefined &&
          !all
            .slice(index)
            .some(
              (later) =>
                isSameEdit(later, edit) &&
                later.isInBatch === edit.isInBatch &&
                later[mistake] === undefined &&
                leadsWhere(later, `${edit[mistake]}`),
            ),
      );
    if (mistaken() !== undefined) await clock.until(new Promise<never>(() => undefined), againMs);
    const edit = mistaken();
    expect(edit?.[mistake] ?? 'none', what, edit?.seen).toEqual('none');
  }
}

/** An edit that others were ahead of is refused with 409. An event that was acknowledged is not sent again, so that what it is to do is lost unless the host reads again and edits then. Resolves with what came meanwhile. Source: core, Errors 1; extensions, Events 2 */
async function tellOvertaken(
  context: HostContext,
  installation: Installation,
  calls: readonly Answered[],
): Promise<readonly Arrival[]> {
  const isOfOther = (edit: Edit): boolean =>
    calls.some(({ call }) => call.envelope.id === edit.callId && call.record.type !== 'ExternalEvent');
  const isEvent = ({ type }: HostRecord): boolean => type === 'ExternalEvent';
  if (!context.records.all.some(isEvent) || installation.edits.every(isOfOther)) return [];
  const record = context.records.of('ExternalEvent');
  // what an event has made of an object the next may leave as it is
  const place = await context.stage.installation();
  const call = place.call(record);
  const isEdit = (arrival: Arrival): boolean => arrival.callId === call.envelope.id && isWriting(arrival);
  place.editElsewhereBefore(isEdit);
  await context.host.call(call);
  const first = await place.arrivedInTurn({ where: isEdit }, laterMs);
  if (first === undefined) return [];
  await place.arrived({ where: (arrival) => arrival !== first && isEdit(arrival) }, laterMs);
  await letSettle(context, place);
  const own = place.edits.filter(({ callId }) => callId === call.envelope.id);
  const isMet = ({ seen }: Edit): boolean => seen.status === 409 || (seen.status === 500 && seen.text.includes('409'));
  // what is refused for another reason came again, and a batch is answered 500 for any
  const isLost = ({ isInBatch, seen }: Edit): boolean => seen.status >= 500 && !(isInBatch && seen.status === 500);
  if (own.some(isMet) && own.every((edit) => isMet(edit) || isLost(edit)))
    context.notes.remark(
      'an edit because of an event, which was refused with 409 as others edited the object first, did not come again with the version that they made',
    );
  const arrivals = place.arrivals();
  tellPartsOfBatches(
    context,
    arrivals.filter(({ callId }) => callId === call.envelope.id),
  );
  await expectToldVersions(context, place, () => call.envelope.payload);
  return arrivals;
}

/** What is answered at once comes before what an event sets off, which a busy host does later. Nobody waits for events whose record sets nothing off. */
async function letEventsWork(
  context: HostContext,
  installation: Installation,
  calls: readonly Answered[],
): Promise<void> {
  const events = calls.map(({ call }) => call).filter(({ record }) => record.type === 'ExternalEvent');
  const [event] = events;
  if (event !== undefined && (await installation.isWorkedOnElsewhere(event)))
    await letWork(
      context,
      installation,
      ({ callId }) => events.some(({ envelope }) => envelope.id === callId),
      laterMs,
    );
}

function isWriting({ method, path }: Arrival): boolean {
  return method === 'PUT' || method === 'PATCH' || /\/batch\/?$/.test(path);
}

/** A host may know of other spaces: which ones it asks in is not said. Source: core, What the service does, space level */
function tellOtherSpaces({ notes }: HostContext, requests: readonly Arrival[], calls: readonly Answered[]): void {
  const isNamed = (space: string, callId: string | undefined): boolean =>
    calls.every(({ call: { envelope } }) => envelope.id !== callId || JSON.stringify(envelope).includes(space));
  const others = withThoseOfBatches(requests).flatMap(({ path, callId }) => {
    const space = decodeSegment(/\/space\/([^/]+)/.exec(path)?.[1] ?? '');
    return isNamed(space, callId) ? [] : [space];
  });
  if (others.length > 0)
    notes.remark(
      `the host asked in space ${JSON.stringify(others[0])}, which nothing in the call names because of which it did`,
    );
}

function isSameEdit(one: Edit, other: Edit): boolean {
  return one.callId === other.callId && one.method === other.method && one.path === other.path;
}

/** Whether an edit leads to the member that a pointer of another is for, or to the array in which that is for an entry: an edit of something else makes up for nothing. */
function leadsWhere({ pointers }: Edit, pointer: string): boolean {
  const [, array = '', member = ''] = /^(.*)\/([^/]*)$/.exec(pointer) ?? [];
  const isThere = (own: string): boolean => own === array || own.slice(0, own.lastIndexOf('/')) === array;
  return pointers.some((own) => own.split('/').at(-1) === member || (array !== '' && isThere(own)));
}

function versionOf({ method, path, isInBatch }: Edit): string {
  return `version of ${method} ${path}${isInBatch ? ' in a batch' : ''}`;
}

/** Whatever is called a version in a payload. */
function versionsIn(value: unknown): readonly number[] {
  if (Array.isArray(value)) return value.flatMap(versionsIn);
  return isObject(value)
    ? Object.entries(value).flatMap(([name, inner]) => (/version$/i.test(name) ? [Number(inner)] : versionsIn(inner)))
    : [];
}

/** Source: core, Information filter */
function isFilter(text: string): boolean {
  return /^[\w+/-]+=*$/.test(text) && isObject(jsonOf(Buffer.from(text, 'base64').toString('utf8')));
}

/** Calls of these records, side by side. */
function callEach(
  { host }: HostContext,
  installation: Installation,
  records: readonly HostRecord[],
): Promise<readonly Answered[]> {
  return Promise.all(
    records.map(async (record) => {
      const call = installation.call(record);
      return { call, reply: await host.call(call) };
    }),
  );
}

/** A host that edits in the place of the service has the version from there. */
function isVersionTold({ call }: Answered): boolean {
  const { httpVerb, svcUOIVersion } = call.envelope.payload;
  return (httpVerb !== 'PUT' && httpVerb !== 'PATCH') || svcUOIVersion !== undefined;
}

/** Ids of the calls that a request can belong to: the one that it names, else any. */
function ownersOf(arrival: Arrival, calls: readonly Answered[]): readonly string[] {
  const named = calls.filter(({ call }) => isAbout(arrival, call));
  return (named.length === 0 ? calls : named).map(({ call }) => call.envelope.id);
}

/** Calls each record; those that made the host send something. @throws {Inconclusive} none did */
async function workingCalls(context: HostContext, installation: Installation): Promise<readonly Answered[]> {
  const calls = await callEach(context, installation, context.records.all);
  if (!(await letWork(context, installation))) await tellOfNone(context, installation);
  const arrivals = installation.arrivals({ where: isBecauseOfCall });
  const working = calls.filter(({ call }) =>
    arrivals.some((arrival) => arrival.callId === call.envelope.id || isAbout(arrival, call)),
  );
  return working.length === 0 ? calls : working;
}

/** @throws {Inconclusive} always */
async function tellOfNone({ given }: HostContext, installation: Installation): Promise<void> {
  if (await installation.isBehind()) given.inconclusive(behind);
  given.notExercised(noRequest);
}

function isOf(calls: readonly Answered[]): (arrival: Arrival) => boolean {
  return (arrival) =>
    isBecauseOfCall(arrival) &&
    calls.some(({ call }) => arrival.token?.text === call.envelope.accessToken || isAbout(arrival, call));
}

/** A client names its request as it likes, and a GUID is only typical; that of a task is the id of its job. Source: core, Common request headers, row X-Correlation-Id */
async function tellSpelling(context: HostContext, calls: readonly Answered[]): Promise<void> {
  const { host, stage, given, notes } = context;
  const known = calls.find(({ call }) => call.record.type !== 'ExternalTask')?.call.record;
  if (known === undefined) return;
  const installation = await stage.installation();
  // longer than a GUID
  const id = given.unique('Request.OF.a-client-behind-several-gateways');
  const call = installation.call(known, undefined, { id });
  const calledIt = [{ call, reply: await host.call(call) }];
  const isOfIt = isOf(calledIt);
  await letWork(context, installation, isOfIt, againMs);
  const sent = installation.arrivals({ where: isOfIt });
  const isAnother = (arrival: Arrival): boolean =>
    !['missing', 'id of the envelope'].includes(correlationOf(arrival, calledIt));
  const other = sent.find(isAnother);
  if (other !== undefined)
    notes.remark(
      `the host sent X-Correlation-Id ${String(headerOf(other, 'x-correlation-id'))} because of a call whose id is ${id}, although it sends those that are GUIDs as they came`,
    );
}

function correlationOf(arrival: Arrival, calls: readonly Answered[]): string {
  const value = headerOf(arrival, 'x-correlation-id');
  if (value === undefined) return 'missing';
  if (value === arrival.callId) return 'id of the envelope';
  if (calls.some(({ call: { envelope } }) => envelope.id === arrival.callId && envelope.payload['id'] === value))
    return idOfEvent;
  if (arrival.callId === undefined) return 'another';
  if (value.includes(arrival.callId)) return beyondId;
  // the digits of a GUID say the same in other letters and without hyphens, and another text
  const digits = (text: string): string => text.replaceAll(/[-{}()]/g, '').toLowerCase();
  return digits(value) === digits(arrival.callId) ? respelledId : 'another';
}
