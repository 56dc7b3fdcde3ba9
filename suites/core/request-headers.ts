import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Profile } from '../../contract/profile.ts';
import { underLastingToken } from '../../judge/service/token.ts';
import { pageLinksOf } from '../../judge/service/answers.ts';
import { comparableId } from '../../judge/service/guid.ts';
import { readLog } from '../../judge/service/log.ts';
import { isObject } from '../../judge/json.ts';
import { editRequest, operationsOf, sendBatch } from '../../judge/service/batch.ts';
import { type CaseContext, onEverySpace, scenario } from '../../judge/case.ts';
import { makePromoted } from '../../judge/service/maturity.ts';
import { withoutFilter } from '../../judge/notes.ts';
import { withCorrelationId } from '../../judge/service/requests.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import type { Thing } from '../../judge/things.ts';
import { triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import { rules } from '../../judge/rule.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { editRoutes, findWorking, leadsToObject, makeEditable, otherWrites } from '../../judge/service/writes.ts';
import { partHere } from '../../judge/case/part.ts';
import { filterAt } from '../../judge/service/queries.ts';
import { sleep } from '../../judge/time/real-time.ts';

/** How often the log is asked for the lines of a request, and how long it is left alone in between. */
const attempts = 40;

const pauseMs = 50;

/** So often a request is sent without correlation id until it has the status that it has with one. */
const mostPlain = 10;

export const requestHeaderRules = rules('headers', {
  'headers.information-filter.required-on-reads': {
    source: 'core: Common request headers, Svc-InformationFilter',
    statement:
      'An instance GET or page GET without `Svc-InformationFilter` is refused, whatever filter the same user has sent before, and one with it is not for the characters of Base64 in it, nor for a few hundred of them.',
    fault: 'a missing filter is replaced by a default one',
    needs: ['soft-type', 'array-port'],
    after: ['reading.instance.short-route-served'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, notes } = context;
        const owner = await given.objectWithEntries(11);
        await sendTellingFilters(context, owner);
        for (const request of [
          service.requests.read(owner),
          service.requests.readLong(owner),
          service.requests.page(owner, 1),
        ]) {
          const refused = await service.send(request, { filter: null });
          expect(refused).notToSucceed();
          notes.bound('informationFilterMissing', 'status without information filter', refused.status, refused);
          expect(await service.send(request)).toAnswer(200);
        }
        await expectWholeAlphabetTaken(context, owner);
      }),
    ),
  },
  'headers.information-filter.required-on-writes': {
    source: 'core: Common request headers, Svc-InformationFilter',
    statement:
      'Create, merge, operations, PUT, promote, batch and multi-create without `Svc-InformationFilter` are refused and change nothing.',
    fault: 'the filter is asked for on GET only',
    needs: ['soft-type', 'text-member'],
    test: scenario(async (context) => {
      const { service, expect, notes, profile } = context;
      for (const route of await findWorking(context, [...editRoutes(context), ...otherWrites(context)])) {
        const thing = await makeEditable(context);
        const before = await service.snapshot(thing);
        const refused = await service.send(route.request(thing), { filter: null });
        const choice = route.name === 'multi-create' ? withoutFilter(profile, 'multiCreate') : undefined;
        if (choice?.value !== undefined) {
          notes.bound(choice, `a ${route.name} passes without information filter`, isSuccess(refused.status), refused);
          continue;
        }
        expect(refused).notToSucceed();
        const leads = await leadsToObject(context, refused);
        expect(leads, `Location of a refused ${route.name} leads to an object`, refused).toEqual(false);
        notes.bound(
          'informationFilterMissing',
          `status of a ${route.name} without information filter`,
          refused.status,
          refused,
        );
        expect.unchanged(before, await service.snapshot(thing));
        expect(await service.send(route.request(thing))).toSucceed();
      }
      await expectFilterOnBoundRoutes(context);
    }),
  },
  'headers.information-filter.malformed': {
    level: 'observe',
    source: 'core: Information filter; Common request headers',
    statement:
      'The answer to a filter that is no Base64, no JSON, or a JSON value other than an object is not described, nor are unpadded or URL-safe Base64, unknown fields and an empty object.',
    needs: ['soft-type', 'text-member'],
    test: scenario(async (context) => {
      const { service, given, notes, profile } = context;
      const base64 = (value: unknown) =>
        Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
      const forms = {
        'no Base64': '%%%',
        'no JSON': base64('{no'),
        'a JSON array': base64([]),
        'a JSON text': base64('"text"'),
        'JSON null': base64('null'),
        'unpadded Base64': base64({ note: 'x' }).replace(/=+$/, ''),
        'URL-safe Base64': base64({ note: '???>>>' }).replaceAll('+', '-').replaceAll('/', '_'),
        'an unknown field': base64({ ...profile.all.informationFilter?.default, unknownToAll: 1 }),
        'an empty object': base64({}),
      };
      for (const [form, filter] of Object.entries(forms)) {
        const thing = await makeEditable(context);
        const read = await service.read(thing, { filter });
        const merge = await service.merge(thing, { [profile.textMember]: given.unique() }, { filter });
        for (const [what, reply] of [
          ['read', read],
          ['merge', merge],
        ] as const) {
          const unreadable = form.startsWith('no ') || form.startsWith('a JSON') || form === 'JSON null';
          if (unreadable) notes.bound('informationFilterMalformed', `${what} with ${form}`, reply.status, reply);
          else notes.observe(`${what} with ${form}`, reply.status, reply);
          notes.remarkServerError(reply);
        }
      }
    }),
  },
  'headers.correlation-id.optional': {
    source: 'core: Common request headers, X-Correlation-Id',
    statement:
      'Requests work without `X-Correlation-Id`, and are answered with the same status with it, and with version, Location and page links as they are without.',
    fault: 'the OpenAPI document without correlation id answers 400',
    needs: ['soft-type', 'text-member'],
    after: ['reading.instance.short-route-served'],
    test: scenario(async (context) => {
      const { service, expect, notes } = context;
      const guid = partHere().id();
      const document = { name: 'OpenAPI document', request: () => service.requests.openApi() };
      const isServed = (await service.send(document.request(), withCorrelationId(guid))).status === 200;
      const routes = [
        { name: 'read', request: service.requests.read },
        ...(isServed ? [document] : []),
        ...(await findWorking(context, [
          // what is validated may be refused now and then
          ...editRoutes(context).filter(({ name }) => name !== 'promote'),
          ...otherWrites(context),
        ])),
      ];
      for (const route of routes) {
        const own = partHere().id();
        const send = async (id: string | null): Promise<Answered> => {
          const thing = await makeEditable(context);
          return { thing, reply: await service.send(route.request(thing), withCorrelationId(id)) };
        };
        const first = await send(null);
        expect(first.reply).toSucceed();
        const plain = [first];
        for (const [index, id] of [own, own].entries()) {
          const answer = await send(id);
          const { reply } = answer;
          // it is to be unique: who refuses to take one again has the document on its side
          if (index === 1) notes.observe('an id that an earlier request had', reply.status, reply);
          if (index === 1 && reply.status >= 400) continue;
          expect(reply).toSucceed();
          notes.observe('the id is echoed', reply.headers[headerNames.correlationId.toLowerCase()] === id, reply);
          // a success may have several statuses, whatever it is asked with
          const alike = (): Answered | undefined => plain.find((one) => one.reply.status === reply.status);
          while (alike() === undefined && plain.length < mostPlain) plain.push(await send(null));
          const statuses = [...new Set(plain.map((one) => one.reply.status))];
          expect(reply.status, `status of a ${route.name} with correlation id`, reply).toBeOneOf(statuses);
          expectSameHeaders(context, route.name, alike(), answer);
        }
      }
      await expectLinksUnderId(context);
    }),
  },
  'headers.correlation-id.any-text': {
    level: 'should',
    source: 'core: Common request headers, X-Correlation-Id (a GUID is typical)',
    statement: 'A correlation id that is no GUID is accepted, since a GUID is only the typical form.',
    fault: 'parses the correlation id as GUID and refuses others',
    needs: ['soft-type'],
    after: ['reading.instance.short-route-served'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      const thing = await given.object();
      for (const id of ['a', 'x'.repeat(60), 'order-4711/part_2:retry.1;(a)=~!$*+|', '12345'])
        expect(await service.read(thing, withCorrelationId(id))).toAnswer(200);
      // how long one may be is not said
      const long = await service.read(thing, withCorrelationId('x'.repeat(200)));
      notes.observe('status of a read with a correlation id of 200 characters', long.status, long);
    }),
  },
  'headers.correlation-id.reaches-extension': {
    source: 'core: Common request headers, X-Correlation-Id; Events',
    statement:
      'The correlation id of a request is passed on, as it was written, to the external extension that is called because of it.',
    fault: 'the extension gets a new id for every call',
    needs: ['soft-type', 'extension-probe'],
    test: scenario(async (context) => {
      const { given, expect, notes, profile } = context;
      const extension = await given.extension();
      const [alone, one, other] = [partHere().id(), partHere().id(), partHere().id()];
      expect(await idThatReaches(context, extension, alone), 'correlation id that reached the extension').toEqual(
        alone,
      );
      await expectNoFormerId(context, extension);
      const interleaved = await Promise.all([one, other].map((id) => idThatReaches(context, extension, id)));
      expect(interleaved, 'correlation ids of two triggers at once that reached the extension').toEqual([one, other]);
      const isValidatedInBatch = canValidate(context) && profile.offers('batch');
      if (isValidatedInBatch) await expectIdOutOfBatch(context, partHere().id());
      const [first, text, inBatch] = [1, 2, 3].map(() => `Order-${partHere().id().toUpperCase()}/part_2`);
      if (first === undefined || text === undefined || inBatch === undefined) return;
      // that texts of every kind are taken is no must
      const taken = await context.service.read(await given.object(), withCorrelationId(first));
      notes.observe('status of a read with a correlation id that is no GUID', taken.status, taken);
      if (taken.status !== 200) return;
      const triggered = await unlessRefused(() => triggerWithId(context, extension, text));
      if (triggered !== undefined)
        expect(await idOfCall(extension, triggered), 'correlation id that reached the extension').toEqual(text);
      if (isValidatedInBatch) await expectIdOutOfBatch(context, inBatch);
    }),
  },
  'headers.correlation-id.in-log-messages': {
    source: 'core: Common request headers, X-Correlation-Id',
    statement:
      'All log messages of a request carry its correlation id when one was given: of reads, refused edits, and of every way to write that works.',
    fault: 'error entries lack the correlation id',
    needs: ['soft-type', 'text-member', 'log-probe'],
    test: scenario(async (context) => {
      const { given, service, profile } = context;
      const thing = await makeEditable(context);
      const body = { [profile.textMember]: given.unique() };
      const read = service.requests.read(thing);
      const requests: Record<string, RequestSpec> = {
        read,
        'refused edit': { ...service.requests.merge(thing, body), version: thing.version + 9 },
        edit: service.requests.merge(thing, body),
      };
      if (profile.offers('batch') && (await sendBatch(context, [read])).status === 200)
        requests['batch'] = service.requests.batch(await operationsOf(context, [read, read]));
      const sent: WithId[] = [];
      for (const [what, request] of Object.entries(requests)) sent.push(await sendWithId(context, what, request));
      for (const { name, request } of await findWorking(context, [...editRoutes(context), ...otherWrites(context)]))
        sent.push(await sendWithId(context, name, request(await makeEditable(context))));
      // what is refused is told with its reason, which may name what is wrong, and nothing else of the request
      const [oid, member] = [given.unknownOid(thing), given.unique('member')];
      const [missing, gone] = [
        { ...thing, oid },
        { ...thing, space: given.unique('no-space') },
      ];
      const strange = service.requests.create(given.body({ [member]: 'x' }));
      sent.push(
        await sendWithId(context, 'read of no object', service.requests.read(missing), oid),
        await sendWithId(context, 'read in no space', service.requests.read(gone), gone.space),
        await sendWithId(context, 'create with a strange member', strange, member),
      );
      if ((await expectLogged(context, sent)) === 0)
        given.inconclusive(
          'The log has no message that shows to which of the requests it belongs: nothing can be held against it.',
        );
    }),
  },
  'headers.names.case-insensitive': {
    level: 'should',
    source: 'core: What the service does (over HTTP)',
    statement:
      'The names of request headers (Authorization, information filter, version, content type) are matched without regard to case, as everywhere in HTTP.',
    fault: 'looks the version header up by its exact spelling',
    needs: ['soft-type', 'text-member'],
    after: ['reading.instance.short-route-served'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const member = profile.textMember;
      const filter = Buffer.from(JSON.stringify(profile.all.informationFilter?.default ?? {})).toString('base64');
      const spelled = (
        spell: (name: string) => string,
        token: string,
        others: Readonly<Record<string, string>> = {},
      ) => ({
        as: null,
        filter: null,
        version: null,
        headers: {
          [spell('Authorization')]: `Bearer ${token}`,
          [spell(headerNames.informationFilter)]: filter,
          ...Object.fromEntries(Object.entries(others).map(([name, value]) => [spell(name), value])),
        },
      });
      for (const spell of [lower, upper]) {
        const thing = await makeEditable(context);
        const read = (token: string) => service.read(thing, spelled(spell, token));
        expect(await underLastingToken(context, read)).toAnswer(200);
        const text = given.unique();
        const ofEdit = { [headerNames.version]: String(thing.version), 'Content-Type': mediaTypes.json };
        const merge = (token: string) => service.merge(thing, { [member]: text }, spelled(spell, token, ofEdit));
        expect(await underLastingToken(context, merge)).toSucceed();
        const after = await service.snapshot(thing);
        expect(after.members[member], `${member} after the edit`, after.reply).toEqual(text);
        if (!profile.offers('batch')) continue;
        const [operation = {}] = await operationsOf(context, [editRequest(context, await makeEditable(context))]);
        const inBatch = await service.batch([{ ...operation, headers: respelled(operation['headers'], spell) }]);
        notes.observe(
          `a batch operation with header names like ${spell(headerNames.version)}`,
          inBatch.status,
          inBatch,
        );
      }
    }),
  },
});

/** The same of what only a profile tells the path of: demote, and DELETE of an instance. */
async function expectFilterOnBoundRoutes(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { demote, softTypeDelete } = profile.all.routes ?? {};
  const routes = [
    ...(demote === undefined || profile.all.maturity === undefined
      ? []
      : [{ name: 'demote', make: () => makePromoted(context), request: service.requests.demote }]),
    ...(softTypeDelete === undefined
      ? []
      : [{ name: 'DELETE', make: () => given.object(), request: service.requests.remove }]),
  ];
  for (const { name, make, request } of routes) {
    // what the target does not carry out at all is left out
    const works = await service.send(request(await make()));
    notes.observe(`status of a ${name}`, works.status, works);
    if (!isSuccess(works.status)) continue;
    const thing = await make();
    const before = await service.snapshot(thing);
    expect(await service.send(request(thing), { filter: null })).notToSucceed();
    expect(await service.read(thing)).toAnswer(200);
    expect.unchanged(before, await service.snapshot(thing));
  }
}

/** Filters that tell something, which might be kept for whoever sends none; whether they are taken does not matter. */
async function sendTellingFilters(context: CaseContext, thing: Thing): Promise<void> {
  const { service, profile } = context;
  const others = { ...profile.all.informationFilter?.default, role: 'reviewer' };
  for (const filter of [filterAt(context, '2021-03-04T05:06:07Z'), others]) await service.read(thing, { filter });
}

/** Plus and slash belong to Base64. Where members of a filter that the service may not know do no harm, neither does the text in them. */
async function expectWholeAlphabetTaken(context: CaseContext, thing: Thing): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const member = given.unique('member');
  const readWith = (text: string): Promise<Reply> =>
    service.read(thing, { filter: { ...profile.all.informationFilter?.default, [member]: text } });
  const plain = await readWith('aaaaaa');
  notes.observe('status of a read with a member of the filter that nobody knows', plain.status, plain);
  // wherever it begins, three of them in a row make a plus, and a slash
  if (plain.status !== 200) return;
  expect(await readWith('>>>???')).toAnswer(200);
  const more = Object.fromEntries(Array.from({ length: 10 }, () => [given.unique('member'), given.unique()]));
  const filter = { ...profile.all.informationFilter?.default, ...more };
  expect(await service.read(thing, { filter })).toAnswer(200);
}

/** A request that was sent with a correlation id. */
interface WithId {
  readonly what: string;
  readonly id: string;
  readonly reply: Reply;
  /** Whether a line of the log is about it. */
  readonly isOwn: (line: string) => boolean;
}

/** By request, the lines of the service log about it, as soon as there are some of each: a log may be written a moment after the answer. */
async function linesOfLog(profile: Profile, sent: readonly WithId[]): Promise<ReadonlyMap<WithId, readonly string[]>> {
  for (let attempt = 1; ; attempt += 1) {
    const lines = (await readLog(profile)).split('\n');
    const found = new Map(sent.map((one) => [one, lines.filter(one.isOwn)] as const));
    if (attempt >= attempts || found.values().every((own) => own.length > 0)) return found;
    await sleep(pauseMs);
  }
}

/**
 * Sends the request with an id of its own. Which lines of the log belong to it shows by that, by a marker in the query, or by what only this
 * request names, which the service has no reason to write into lines of other requests.
 * @param own a text that no other request holds; a short number stands in a log for much else
 */
async function sendWithId(
  { given, service }: CaseContext,
  what: string,
  request: RequestSpec,
  own = '',
): Promise<WithId> {
  const id = partHere().id();
  const marker = given.unique('log');
  const url = `${request.url}${request.url.includes('?') ? '&' : '?'}${marker}=1`;
  const reply = await service.send({ ...request, url }, withCorrelationId(id));
  const isOwn = (line: string): boolean =>
    line.includes(id) || isNamed(line, marker) || (!/^\d{0,7}$/.test(own) && isNamed(line, own));
  return { what, id, reply, isOwn };
}

/** Whether the text stands there as a word of its own. */
function isNamed(line: string, text: string): boolean {
  const [before = '', ...parts] = line.split(text);
  const sides = parts.map((after, index) => [parts[index - 1] ?? before, after] as const);
  return sides.some(([left, right]) => !/[\w-]$/.test(left) && !/^[\w-]/.test(right));
}

/**
 * No message of the requests lacks its id; how many there are, if any, is the service's. The log may be long, and is read for all of them at once.
 * @returns how many carry an id
 */
async function expectLogged({ expect, profile }: CaseContext, sent: readonly WithId[]): Promise<number> {
  let told = 0;
  for (const [{ what, id, reply }, lines] of await linesOfLog(profile.all, sent)) {
    const without = lines.filter((line) => !line.includes(id));
    expect(without, `log lines of a ${what} without its id`, reply).toEqual([]);
    told += lines.length;
  }
  return told;
}

function respelled(headers: unknown, spell: (name: string) => string): Readonly<Record<string, unknown>> {
  return isObject(headers)
    ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [spell(name), value]))
    : {};
}

function lower(name: string): string {
  return name.toLowerCase();
}

function upper(name: string): string {
  return name.toUpperCase();
}

async function idThatReaches(context: CaseContext, extension: Extension, id: string): Promise<string | undefined> {
  return idOfCall(extension, await triggerWithId(context, extension, id));
}

/** What is triggered without a correlation id has none of another request, which the same user sent right before. */
async function expectNoFormerId(context: CaseContext, extension: Extension): Promise<void> {
  const { given, service, expect, triggers, profile } = context;
  const request = service.requests.read(await given.object());
  // of users who send less, whom fewer requests of cases beside this one come between
  const senders = (['editor', 'secondEditor'] as const).filter((name) => profile.all.identities[name]);
  const sent: (readonly [former: string, triggered: Triggered])[] = [];
  for (const as of [...senders, ...senders, ...senders]) {
    const former = partHere().id();
    const read = await service.send(request, { ...withCorrelationId(former), as });
    const triggered = await unlessRefused(() => triggers.event(extension, undefined, { as }));
    if (read.status === 200 && triggered !== undefined) sent.push([former, triggered]);
  }
  for (const [former, triggered] of sent) {
    const id = await idOfCall(extension, triggered);
    expect(id, 'id of a call, not the correlation id of a request before').notToEqual(comparableId(former));
  }
}

type Triggered = Awaited<ReturnType<CaseContext['triggers']['event']>>;

function triggerWithId({ triggers }: CaseContext, extension: Extension, id: string): Promise<Triggered> {
  return triggers.event(extension, undefined, withCorrelationId(id));
}

interface Answered {
  readonly reply: Reply;
  /** What was edited, as it was before. */
  readonly thing: Thing;
}

/** A route tells version and Location with a correlation id as it does without. Of which object a batch or a multi-create would tell the version is not said. */
function expectSameHeaders(
  { expect }: CaseContext,
  route: string,
  plain: Answered | undefined,
  answer: Answered,
): void {
  const isEdit = !['read', 'create', 'batch', 'multi-create'].includes(route);
  const toldBy = (answer: Answered | undefined) => {
    const { [headerNames.version.toLowerCase()]: version, location } = answer?.reply.headers ?? {};
    const raisedBy = isEdit ? Number(version) - (answer?.thing.version ?? 0) : 'some';
    return { version: version === undefined ? 'none' : raisedBy, location: location === undefined ? 'none' : 'some' };
  };
  const what = `headers of the answer to a ${route} with a correlation id, and by how much the version is raised`;
  expect(toldBy(answer), what, answer.reply).toEqual(toldBy(plain));
}

/** A read has the same page links. */
async function expectLinksUnderId({ given, service, expect, profile }: CaseContext): Promise<void> {
  if (profile.primary.arrayPort === undefined) return;
  const owner = await given.objectWithEntries(11);
  for (const request of [service.requests.readLong(owner), service.requests.readShort(owner)]) {
    const plain = await service.send(request);
    const correlated = await service.send(request, withCorrelationId(partHere().id()));
    if (plain.status !== 200) continue;
    expect(correlated).toAnswer(200);
    const links = (reply: Reply) => pageLinksOf(reply, owner.port).map((link) => [link['pages'], link['totalNumber']]);
    expect(links(correlated), 'page links of a read with a correlation id', correlated).toEqual(links(plain));
  }
}

async function idOfCall(extension: Extension, triggered: Triggered): Promise<string | undefined> {
  return comparableId((await extension.call({ kind: 'event', about: triggered })).envelope.id);
}

/** A promote in a batch calls the extension that validates the object, where a promote is what the profile validates by. */
async function expectIdOutOfBatch(context: CaseContext, id: string): Promise<void> {
  const { given, service, expect, notes } = context;
  const thing = await given.object();
  const extension = await given.extension({ types: ['ExternalValidation'], concerns: [thing] });
  const reply = await sendBatch(context, [service.requests.promote(thing)], withCorrelationId(id));
  const [call] = extension.calls({ objectId: thing.oid });
  notes.observe('a promote in a batch is validated', call !== undefined, reply);
  if (call !== undefined)
    expect(comparableId(call.envelope.id), 'correlation id of a batch that reached the extension', reply).toEqual(id);
}

function canValidate(context: CaseContext): boolean {
  return context.profile.all.maturity !== undefined && triggeredTypes(context).includes('ExternalValidation');
}
