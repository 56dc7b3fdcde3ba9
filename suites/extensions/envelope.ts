import { withoutSlash } from '../../contract/address.ts';
import { headerNames } from '../../contract/names.ts';
import { manyLetters } from '../../fixtures/values.ts';
import { comparableId, guidForm } from '../../judge/service/guid.ts';
import { isObject } from '../../judge/json.ts';
import { sendBatch } from '../../judge/service/batch.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { withCorrelationId } from '../../judge/service/requests.ts';
import { type Call, decodedTarget } from '../../judge/extension/call.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import { callsAt, expectCall, triggerCall, triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import { rules } from '../../judge/rule.ts';
import { partHere } from '../../judge/case/part.ts';
import { expectCallOf } from './checks/missing-calls.ts';
import { report } from './checks/task-jobs.ts';
import {
  callEachType,
  extensionFor,
  expectFilter,
  filterIn,
  lastingExtension,
  type Made,
  triggerableTypes,
  triggerAction,
  triggerEvent,
} from './checks/triggered-calls.ts';
import { filterAt } from '../../judge/service/queries.ts';
import { PreconditionFailed, unlessRefused } from '../../judge/violation.ts';

const textMembers = ['id', 'accessToken', 'baseAddress', 'informationFilter'] as const;

const envelopeMembers: readonly string[] = [...textMembers, 'payload'];

/** Dashes and braces are a matter of spelling. */

const manyTriggers = 20;

const amongMany = { behind: manyTriggers } as const;

/** One that the service does not have. */
const foreignHost = 'conformance.example';

/** How a gateway would say that it was asked for that host. */
const forwarded = {
  Forwarded: `host=${foreignHost};proto=https`,
  'X-Forwarded-Host': foreignHost,
  'X-Forwarded-Proto': 'https',
  'X-Original-Host': foreignHost,
} as const;

/** Longer than most columns for a text. */
const longRemark = 'one of many settings '.repeat(50);

/** How the endpoint of a record may end, the first with a blank, a percent sign and a letter, encoded, and signs that may stand for themselves. */
const oddRouteEnds = {
  'encoded characters': '/Of%20100%25/a+b;c=1,d@e/%C3%BC~',
  'a slash that is encoded': '/Of%2Fa',
  'a slash at its end': '/Of/',
} as const;

const filterDates = ['2026-03-01T00:00:00Z', '2027-09-30T12:00:00Z'];

export const envelopeRules = rules('calls', {
  'calls.extension.post-to-endpoint': {
    source: 'extensions: Calls to extensions, table; Extension metadata record, row endpoint',
    statement:
      "Calls to a registered extension, of whatever type, are POST requests to hostUri, one slash and the record's endpoint with the characters that it has encoded and the slash at its end; how an endpoint that begins with a slash is joined is recorded.",
    fault: 'Calls use PUT.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const { given, expect, notes, triggers } = context;
      for (const endpoint of ['a/b', '/a/b']) {
        const extension = await given.extension({ record: { endpoint } });
        // with a slash before it, it may be joined by two, or lead to the root of the host, where it is not seen (ledger endpoint-joining)
        const call = await extension.arrived({ about: await triggers.event(extension) });
        if (call === undefined && endpoint === 'a/b') await expectAtPlace(context, extension);
        if (call === undefined) {
          notes.observe(`path below hostUri for the endpoint ${endpoint}`, 'none');
          continue;
        }
        expect(call.method, `method of a call to the endpoint ${endpoint}`).toEqual('POST');
        if (endpoint === 'a/b') expect(call.path, `path below hostUri for the endpoint ${endpoint}`).toEqual('/a/b');
        else notes.observe(`path below hostUri for the endpoint ${endpoint}`, call.path);
        const others = extension
          .everything()
          .filter(({ kind, method, path }) => kind !== 'metadata' && !(method === 'POST' && path === call.path));
        expect(
          others.map(({ method, path }) => `${method} ${path}`),
          'requests that are neither metadata nor the call',
        ).toEqual([]);
      }
      for (const [what, routeEnd] of Object.entries(oddRouteEnds))
        await unlessRefused(() => expectRouteKept(context, what, routeEnd));
    }),
  },
  'calls.envelope.all-fields': {
    source: 'extensions: Call envelope, table',
    statement:
      'The body of each call to a registered extension is a JSON object with id, accessToken, baseAddress and informationFilter as strings, the first three not empty, and payload as an object.',
    fault: 'informationFilter is left out of event envelopes.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const of = triggerableTypes(context);
      const extension = await extensionFor(context, of);
      for (const { type, call: trigger } of of) {
        const { call } = await trigger(extension, withCorrelationId(partHere().id()));
        assertWhole(context, type, call);
      }
    }),
  },
  'calls.envelope.id-from-correlation': {
    source: 'extensions: Call envelope, row id; Events, rule 4; core: Common request headers, row X-Correlation-Id',
    statement:
      'When the triggering request carries X-Correlation-Id, the envelope id of the resulting event call is that value, also where many such requests come at once.',
    fault: 'A fresh GUID is generated although the header was given.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'trigger-headers'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      const extension = await given.extension();
      const [first, second] = [partHere().id(), partHere().id().toUpperCase()];
      const expectId = (id: string, { call }: Made): void => {
        const found = call.envelope.id;
        expect(comparableId(found), 'id of the envelope, compared with the X-Correlation-Id of the trigger').toEqual(
          comparableId(id),
        );
        if (found !== id) notes.remark('the letter case of the correlation id is changed in the envelope');
      };
      for (const id of [first, second]) expectId(id, await triggerEvent(context, extension, withCorrelationId(id)));
      // it is to be unique: who refuses to take one again has the document on its side
      const again = await triggerIfTaken(context, extension, first);
      notes.observe('a trigger with an id that an earlier one had is taken', again !== undefined);
      if (again !== undefined) expectId(first, again);
      const together = await Promise.all(
        Array.from({ length: manyTriggers }, async () => {
          const id = partHere().id();
          const { call } = await triggerEvent(context, extension, withCorrelationId(id), undefined, amongMany);
          return { id, call };
        }),
      );
      for (const { id, call } of together)
        expect(comparableId(call.envelope.id), `id of the envelope of one of ${manyTriggers} triggers at once`).toEqual(
          id,
        );
    }),
  },
  'calls.envelope.id-correlation-verbatim': {
    source:
      'extensions: Call envelope, row id; core: Common request headers, row X-Correlation-Id (a GUID is typical, not demanded)',
    statement:
      'A correlation id that is no GUID is passed on unchanged, however long and with whatever signs, to an extension of whatever type but a task; one that is too long for the service, or has signs that it does not take, may be refused, but not changed.',
    fault: 'Only values that parse as GUID are passed on.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'trigger-headers'],
    after: ['calls.envelope.id-from-correlation'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      const extension = await given.extension();
      // the second one is no number
      for (const id of ['Conf-42/a.B', '0042']) {
        const { call } = await triggerEvent(context, extension, withCorrelationId(id));
        expect(call.envelope.id, 'id of the envelope').toEqual(id);
      }
      await expectUnusualIdsPassedOn(context, extension);
      const id = `conf-${given.unique('id')}/a.b`;
      for (const made of await callEachType(context, {}, () => withCorrelationId(id)))
        if (made.type !== 'ExternalTask')
          expect(made.call.envelope.id, `id of the envelope of an ${made.type} call`).toEqual(id);
    }),
  },
  'calls.envelope.id-fresh-guid': {
    source: 'extensions: Call envelope, row id',
    statement:
      'Without an incoming correlation id the envelope id is a GUID that is different for each request, of whatever type but a task.',
    fault: 'One GUID per process start is reused.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'trigger-headers'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const extension = await given.extension();
      const ids = await Promise.all(Array.from({ length: manyTriggers }, () => idWithoutHeader(context, extension)));
      // one behind the other, too
      for (const _round of ['first', 'second'])
        for (const { type, call } of await callEachType(context, {}, () => withCorrelationId(null)))
          if (type !== 'ExternalTask') ids.push(call.envelope.id);
      // nor is it left by a request before
      const refused = partHere().id();
      await service.get(`/api/space/${profile.all.space}/softtype/${given.unique('none')}`, withCorrelationId(refused));
      const behind = await idWithoutHeader(context, extension);
      expect(
        behind === refused,
        'whether the id of an envelope is that of a request before, which was refused',
      ).toEqual(false);
      ids.push(behind);
      for (const id of ids)
        expect(id, 'id of an envelope whose trigger had no X-Correlation-Id').toSatisfy('a GUID', (text) =>
          guidForm.test(text ?? ''),
        );
      expect(new Set(ids).size, `different ids of ${ids.length} envelopes`).toEqual(ids.length);
      notes.observe('letters of generated ids', ids.some((id) => /[A-F]/.test(id ?? '')) ? 'upper case' : 'lower case');
      notes.observe(
        'generated ids have braces',
        ids.some((id) => id?.startsWith('{') ?? false),
      );
      notes.observe(
        'generated ids have dashes',
        ids.some((id) => id?.includes('-') ?? false),
      );
    }),
  },
  'calls.envelope.id-across-types': {
    source:
      'core: Common request headers, row X-Correlation-Id (any extension called because of it); extensions: Call envelope, row id',
    statement:
      "The reuse of the incoming correlation id holds for validation, email and action calls as for events; task calls carry the job's object id instead.",
    fault: 'Validation calls always get a fresh id.',
    needs: ['collection-admin', 'extension-listener', 'trigger-validation', 'trigger-headers'],
    after: ['calls.envelope.id-from-correlation'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      const of = triggerableTypes(context);
      const extension = await extensionFor(context, of);
      for (const { type, call: trigger } of of) {
        const id = partHere().id();
        const { triggered, call } = await trigger(extension, withCorrelationId(id));
        const isTask = type === 'ExternalTask';
        const wanted = isTask ? given.present(triggered.id, 'the id of the job in the answer to the trigger') : id;
        expect(comparableId(call.envelope.id), `id of the envelope of an ${type} call`).toEqual(comparableId(wanted));
        notes.observe(
          `X-Correlation-Id on ${type} calls`,
          call.header(headerNames.correlationId).join(', ') === wanted,
        );
      }
    }),
  },
  'calls.envelope.base-address': {
    source: 'extensions: Call envelope, row baseAddress',
    statement:
      'baseAddress is the address configured at bootstrap, whatever host name the triggering request used or says that a gateway was asked for, and of whatever type the call is. Links that lead to that host are remarked on.',
    fault: 'baseAddress is taken from the Host header of the triggering request.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event', 'base-address'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const extension = await lastingExtension(context);
      const configured = withoutSlash(given.present(profile.all.baseAddress, 'baseAddress in the profile'));
      const { call } = await triggerEvent(context, extension);
      expect(withoutSlash(call.envelope.baseAddress), 'baseAddress of the envelope').toEqual(configured);
      const isTaken = async (what: string, headers: Readonly<Record<string, string>>): Promise<boolean> => {
        const foreign = await unlessRefused(() => triggerEvent(context, extension, { headers }));
        notes.observe(`a trigger with ${what}`, foreign === undefined ? 'leads to no call' : 'leads to a call');
        if (foreign === undefined) return false;
        const { baseAddress } = foreign.call.envelope;
        expect(withoutSlash(baseAddress), `baseAddress after a trigger with ${what}`).toEqual(configured);
        return true;
      };
      await isTaken('another Host', { Host: foreignHost });
      const headers = (await isTaken('another host that was forwarded', forwarded)) ? forwarded : {};
      const changes = () => ({ headers: { ...headers, ...withCorrelationId(partHere().id()).headers } });
      for (const made of await callEachType(context, {}, changes)) {
        const what = `the envelope of an ${made.type} call`;
        expect(withoutSlash(made.call.envelope.baseAddress), `baseAddress of ${what}`).toEqual(configured);
        // by what address links are made is not said
        if (JSON.stringify(made.call.payload.links ?? []).includes(foreignHost))
          notes.remark(`the links in ${what} lead to the host that was said to be forwarded`);
      }
      if (profile.all.softTypes === undefined || new URL(configured).origin !== new URL(profile.all.baseUrl).origin)
        return;
      const { url } = service.requests.read(await given.object());
      const reply = await service.get(configured + url.slice(withoutSlash(profile.all.baseUrl).length));
      notes.observe('status of a read below baseAddress', reply.status, reply);
    }),
  },
  'calls.envelope.information-filter-base64': {
    source: 'extensions: Call envelope, row informationFilter',
    statement:
      'informationFilter is standard Base64 of a JSON object, the filter settings, whatever characters of its alphabet that takes, and however many.',
    fault: 'Filter is sent as plain JSON text.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const { given, expect, notes, profile } = context;
      const extension = await given.extension();
      const filters = filterDates.map((date) => filterAt(context, date));
      const remarks = [manyLetters, longRemark].map((remark) => ({ ...filters[0], remark }));
      for (const filter of [...filters, ...remarks]) {
        const made = await unlessRefused(() => triggerEvent(context, extension, { filter }));
        // a member that nobody knows may be refused
        const { call } = made ?? (await triggerEvent(context, extension));
        const text = filterTextIn(context, call);
        if (text === '' && profile.all.triggers?.carryHeaders === false)
          notes.observe('information filter without one in the trigger', 'empty');
        else
          expect(
            filterIn(text),
            `informationFilter of the envelope, which is ${text}, decoded from Base64 and parsed as JSON`,
          ).toBeAnObject();
      }
      await expectLongFilterWhole(context, { ...filters[0], remark: longRemark });
    }),
  },
  'calls.envelope.information-filter-of-trigger': {
    level: 'should',
    source: 'extensions: Call envelope, row informationFilter; Payloads, row ExternalAction',
    statement:
      "The filter of a call, be it an action, an event, a mail, a task or a validation, that of a promote in a batch too, equals the one that the triggering request sent in its information filter header; for actions the payload's informationFilter is that of the triggering user. One without a date does not get the date of an earlier one, and a date with an offset, where it is taken, is the moment that it was.",
    fault: 'A default filter is sent always.',
    needs: ['collection-admin', 'extension-listener', 'trigger-action', 'trigger-headers'],
    test: scenario(async (context) => {
      const { profile } = context;
      const bound = profile.all.triggers?.event !== undefined;
      const extension = await lastingExtension(context, {
        types: ['ExternalAction', ...(bound ? (['ExternalEvent'] as const) : [])],
      });
      const others = await openOthers(context);
      for (const date of filterDates) {
        const filter = filterAt(context, date);
        const { call } = await triggerAction(context, extension, { changes: { filter } });
        expectFilter(context, filterOf(context, call), filter, 'information filter in the envelope of an action');
        const ofPayload = call.payload['informationFilter'];
        if (ofPayload !== undefined)
          expectFilter(context, filterIn(ofPayload), filter, 'information filter in the payload of an action');
        if (bound) {
          const event = await triggerEvent(context, extension, { filter });
          expectFilter(
            context,
            filterOf(context, event.call),
            filter,
            'information filter in the envelope of an event',
          );
        }
        await expectFilterOfOthers(context, others, filter);
      }
      if (bound) await expectNoFormerFilter(context, extension);
      await expectMomentKept(context, extension);
      await expectLettersKept(context, extension);
    }),
  },
});

/** A date that stands in the filter with an offset is spelled in any way afterwards, and is the same moment. */
async function expectMomentKept(context: CaseContext, extension: Extension): Promise<void> {
  const filter = filterAt(context, '2020-02-03T04:05:06+05:00');
  const made = await unlessRefused(() => triggerAction(context, extension, { changes: { filter } }));
  context.notes.observe('a filter whose date has an offset', made === undefined ? 'refused' : 'taken');
  if (made !== undefined)
    expectFilter(context, filterOf(context, made.call), filter, 'information filter whose date has an offset');
}

/** A trigger whose filter has no date does not get the one of a trigger before it; a service may fill in its own. */
async function expectNoFormerFilter(context: CaseContext, extension: Extension): Promise<void> {
  const { expect, profile } = context;
  const { default: usual, dateMember } = profile.all.informationFilter ?? {};
  if (dateMember === undefined || Object.hasOwn(Object(usual), dateMember)) return;
  for (const date of filterDates) {
    await triggerEvent(context, extension, { filter: filterAt(context, date) });
    const { call } = await triggerEvent(context, extension, { filter: Object(usual) });
    const found = filterOf(context, call);
    const shown = isObject(found) ? found[dateMember] : undefined;
    const what = 'date in the filter of an event whose trigger had none';
    expect(typeof shown === 'string' ? Date.parse(shown) : shown, what).notToEqual(Date.parse(date));
  }
}

/** So is one that is longer than a GUID, or than most columns for an id, where it is taken. */
async function expectUnusualIdsPassedOn(context: CaseContext, extension: Extension): Promise<void> {
  for (const [what, id] of [
    ...[5, 10].map((times) => [`${12 * times} characters`, 'conformance-'.repeat(times)] as const),
    ['signs of URLs and of lists', 'conf%2F42+a,b;c=d:e%20'],
    ['a zero alone', '0'],
  ] as const) {
    const trigger = () =>
      expectCallOf(
        context,
        `the call of an event that was taken, with a correlation id of ${what}`,
        () => triggerEvent(context, extension, withCorrelationId(id)),
        () => triggerEvent(context, extension),
      );
    const made = await unlessRefused(trigger);
    context.notes.observe(`a correlation id of ${what}`, made === undefined ? 'refused' : 'taken');
    if (made !== undefined) context.expect(made.call.envelope.id, `id of the envelope, which has ${what}`).toEqual(id);
  }
}

/** A long filter is whole in a call of any type, and in the payload of an action, where it is taken. */
async function expectLongFilterWhole(context: CaseContext, filter: Record<string, unknown>): Promise<void> {
  const { expect } = context;
  const changesOf = () => ({ ...withCorrelationId(partHere().id()), filter });
  for (const { type, call } of (await unlessRefused(() => callEachType(context, {}, changesOf))) ?? []) {
    const texts = [filterTextIn(context, call), call.payload['informationFilter'] ?? ''];
    for (const text of texts)
      if (text !== '') expect(filterIn(text), `a long information filter in the call of an ${type}`).toBeAnObject();
  }
}

/** What is handed on of a filter has the letters that were sent. Members that nobody knows may be refused or left out. */
async function expectLettersKept(context: CaseContext, extension: Extension): Promise<void> {
  const { expect, notes } = context;
  const filter = { ...filterAt(context, filterDates[0] ?? ''), remark: manyLetters };
  const made = await unlessRefused(() => triggerAction(context, extension, { changes: { filter } }));
  const payload = made?.call.payload['informationFilter'];
  if (payload !== undefined) expect(filterIn(payload), 'information filter in the payload of an action').toBeAnObject();
  const filters =
    made === undefined ? [] : [filterOf(context, made.call), ...(payload === undefined ? [] : [filterIn(payload)])];
  const texts = filters.map((found) => (isObject(found) ? found['remark'] : found));
  notes.observe(
    'members of a filter that nobody knows and that are handed on',
    texts.filter((text) => text !== undefined).length,
  );
  for (const text of texts)
    if (text !== undefined) expect(text, 'text in the information filter of an action').toEqual(manyLetters);
}

/** Extensions that mails and tasks go to, one after the other. */
interface Others {
  readonly mailer: Extension | undefined;
  readonly worker: Extension | undefined;
}

async function openOthers(context: CaseContext): Promise<Others> {
  const open = async (type: 'Email' | 'ExternalTask') =>
    triggeredTypes(context).includes(type) ? lastingExtension(context, { types: [type] }) : undefined;
  return { mailer: await open('Email'), worker: await open('ExternalTask') };
}

/** A mail, a task and a validation have the filter of their trigger as well, where the profile can set them off. */
async function expectFilterOfOthers(
  context: CaseContext,
  { mailer, worker }: Others,
  filter: Record<string, unknown>,
): Promise<void> {
  const { given, service, triggers, notes, profile } = context;
  const types = triggeredTypes(context);
  const judge = (type: string, call: Call | undefined): void => {
    if (call === undefined) notes.observe(`a ${type} with a filter`, 'leads to no call');
    else expectFilter(context, filterOf(context, call), filter, `information filter in the envelope of a ${type}`);
  };
  if (mailer !== undefined) {
    const about = await triggers.email(mailer, {}, { filter });
    judge('mail', await mailer.arrived({ kind: 'email', about }));
  }
  if (worker !== undefined) {
    const task = await given.task(worker, { changes: { filter } });
    judge('task', task.call);
    // a service may have one job of an extension done at a time
    await unlessRefused(() => report(context, task, 'Completed'));
  }
  if (types.includes('ExternalValidation') && profile.all.softTypes !== undefined) {
    const thing = await given.object();
    const extension = await lastingExtension(context, { types: ['ExternalValidation'], concerns: [thing] });
    await triggers.validation(thing, { filter });
    const asked = await extension.arrived({ kind: 'validation', objectId: thing.oid });
    judge('validation', asked);
    if (asked === undefined || profile.all.maturity === undefined || !profile.offers('batch')) return;
    const promoted = await given.object();
    extension.concern(promoted);
    const promote = service.requests.promote(promoted);
    const reply = await sendBatch(context, [promote], { filter });
    notes.observe('status of a batch with a promote that is validated', reply.status, reply);
    const [call] = extension.calls({ kind: 'validation', objectId: promoted.oid });
    if (call !== undefined) judge('validation for a batch', call);
  }
}

/** What is no envelope at all lacks every member. */
function assertWhole({ expect, notes }: CaseContext, type: string, { json, header }: Call): void {
  expect(json, `body of an ${type} call`).toBeAnObject();
  const envelope = isObject(json) ? json : {};
  for (const name of textMembers) {
    expect(envelope[name], `${name} of the envelope of an ${type} call`).toBeAString();
    if (name !== 'informationFilter')
      expect(envelope[name], `${name} of the envelope of an ${type} call`).notToEqual('');
  }
  expect(envelope['payload'], `payload of an ${type} call`).toBeAnObject();
  notes.observe(
    `further members of an ${type} envelope`,
    Object.keys(envelope)
      .filter((name) => !envelopeMembers.includes(name))
      .join(', '),
  );
  notes.observe(`Content-Type of an ${type} call`, header('Content-Type').join(', '));
}

/** Whether a route may be so odd is not said: what is called at one is called at that one. */
async function expectRouteKept(context: CaseContext, what: string, routeEnd: string): Promise<void> {
  const { given, expect, notes, profile } = context;
  const thing = profile.all.softTypes?.primary && (await given.object());
  const types = triggeredTypes(context).filter((type) => type !== 'ExternalValidation' || thing !== undefined);
  const extension = await given.extension({ types, routeEnd, ...(thing && { concerns: [thing] }) });
  const routes = extension.records.map(({ endpoint }) => decodedTarget(`/${endpoint}`).path);
  for (const type of types) {
    const call = await unlessRefused(() => triggerCall(context, extension, type, thing));
    for (const { path } of callsAt(extension))
      expect(decodedTarget(path).path, `path of a call to an endpoint with ${what}`).toBeOneOf(routes);
    notes.observe(`${type} at an endpoint with ${what}`, call === undefined ? 'is not called' : 'is called');
    if (call === undefined) return;
  }
}

/** What came elsewhere is the call that is missing; where nothing came, one of a plain record has to. */
async function expectAtPlace(context: CaseContext, extension: Extension): Promise<void> {
  const { given, expect } = context;
  const elsewhere = callsAt(extension).map(({ method, path }) => `${method} ${path}`);
  if (elsewhere.length > 0) expect(elsewhere, 'requests to a host with the endpoint a/b').toEqual(['POST /a/b']);
  await triggerEvent(context, await given.extension());
  expectCall(context, undefined, 'the call of an event at the endpoint a/b');
}

async function idWithoutHeader(
  context: CaseContext,
  extension: Parameters<typeof triggerEvent>[1],
): Promise<string | undefined> {
  const { triggered, call } = await triggerEvent(context, extension, withCorrelationId(null), undefined, amongMany);
  const sent = triggered.reply.exchange.request.headers.some(
    ([name]) => name.toLowerCase() === headerNames.correlationId.toLowerCase(),
  );
  context.given.assume(!sent, 'a trigger without X-Correlation-Id');
  return call.envelope.id;
}

function filterTextIn({ given }: CaseContext, { envelope }: Call): string {
  return given.present(envelope.informationFilter, 'an informationFilter in the envelope', [
    'calls.envelope.all-fields',
  ]);
}

function filterOf(context: CaseContext, call: Call): unknown {
  return context.given.present(filterIn(filterTextIn(context, call)), 'an information filter that can be read', [
    'calls.envelope.information-filter-base64',
  ]);
}

/** What a trigger with that correlation id leads to; undefined where it is refused. */
async function triggerIfTaken(context: CaseContext, extension: Extension, id: string): Promise<Made | undefined> {
  try {
    return await triggerEvent(context, extension, withCorrelationId(id));
  } catch (error) {
    if (error instanceof PreconditionFailed && (error.reply?.status ?? 0) >= 400) return undefined;
    throw error;
  }
}
