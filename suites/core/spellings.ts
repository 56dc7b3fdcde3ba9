import { isDeepStrictEqual } from 'node:util';
import { manyLetters } from '../../fixtures/values.ts';
import { dataOf, versionOf } from '../../judge/service/answers.ts';
import { operationsOf } from '../../judge/service/batch.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import { isObject, pointer } from '../../judge/json.ts';
import { readLastCreated } from '../../judge/service/multi-create.ts';
import { rules } from '../../judge/rule.ts';
import { unlessCut } from '../../judge/client/failure.ts';
import { inChunks } from '../../judge/service/requests.ts';
import { anyEdit } from '../../judge/service/writes.ts';
import {
  type JsonSpelling,
  everySpelling,
  jsonSpellings,
  numberSpellings,
  spelled,
  withEncodedIds,
} from '../../judge/service/spellings.ts';
import type { Thing } from '../../judge/things.ts';
import { entriesOfEveryArray, memberKinds, type Members } from './checks/member-kinds.ts';
import { linkedPair } from './checks/multi-create-items.ts';
import { add, replace } from './checks/operation-steps.ts';
import { asSent } from './checks/sent-part.ts';
import { usualHeaders } from '../../judge/service/requests.ts';

/** The request in another spelling. */
type Spell = (request: RequestSpec) => RequestSpec;

/** The answer to a write, the members that it stated, and the object that it wrote to; undefined where it is refused. */
interface Written {
  readonly reply: Reply;
  readonly stated: Members;
  readonly read: Reply | undefined;
}

interface Way {
  readonly what: string;
  readonly write: (spell: Spell) => Promise<Written>;
}

export const spellingRules = rules('headers', {
  'headers.spelling.json-bodies': {
    source: 'core: What the service does (JSON payloads over HTTP); Operations-based PATCH rules 2',
    statement:
      'A JSON body says the same in another spelling, with white space around its tokens, escapes in its texts and names, or its members in another order: a create, merge, PUT, list of operations, batch or multi-create stores what it stores in the plain one. A body in the chunked coding, with a point behind its integers or numbers by a power of ten, or of a client that says what it takes may be refused; where it is taken it says the same, too.',
    fault: 'a merge whose body has an escape in the place of a letter is refused',
    needs: ['soft-type'],
    after: ['reading.create.status-201'],
    test: scenario(async (context) => {
      for (const way of await waysToWrite(context)) await expectSame(context, way);
    }),
  },
  'headers.spelling.addresses': {
    level: 'should',
    source: 'core: What the service does (over HTTP); Endpoint table; Common request headers, Svc-InformationFilter',
    statement:
      'An id in a path may have a letter or digit percent-encoded, and the JSON of an information filter may be spelled otherwise, and where it may have a member that nobody knows, hold every letter: reads, pages and edits are answered as without.',
    fault: 'ids of instances are taken from the path as they stand there, without being decoded',
    needs: ['soft-type'],
    after: ['reading.instance.short-route-served'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const { arrayPort } = profile.primary;
      const thing = arrayPort === undefined ? await given.object() : await given.objectWithEntries(11);
      const { requests } = service;
      const usual = profile.all.informationFilter?.default;
      const isMoreTaken = (await service.read(thing, { filter: { ...usual, remark: 'ASCII' } })).status === 200;
      const filter = isMoreTaken ? { ...usual, remark: manyLetters } : { ...usual };
      const reads = [requests.readLong(thing), ...(arrayPort === undefined ? [] : [requests.page(thing, 1)])];
      for (const request of [requests.readShort(thing), ...reads]) {
        const plain = await service.send(request);
        if (plain.status !== 200) continue;
        const other = await service.send(spelledOtherwise(request, thing, filter));
        expect(other).toAnswer(200);
        expect(namesIn(context, other), 'what is read by another spelling', other).toEqual(namesIn(context, plain));
      }
      const merged = await service.send(spelledOtherwise(requests.edit(thing, anyEdit(context)), thing, filter));
      expect(merged).toSucceed();
    }),
  },
});

/** Writes of every kind that this target carries out, each of members of every kind where it takes them. */
async function waysToWrite(context: CaseContext): Promise<readonly Way[]> {
  const { given, service, profile } = context;
  const rich = richMembers(context);
  const isTaken = isSuccess((await service.create(given.body(rich))).status);
  // no two objects may be equal in what is mandatory
  const members = (): Members => given.body(isTaken ? rich : {});
  const { requests } = service;
  const edit = async (request: (thing: Thing, stated: Members) => RequestSpec | Promise<RequestSpec>, spell: Spell) => {
    const [thing, stated] = [await given.object(), members()];
    const asked = await request(thing, stated);
    const reply = await service.send(spell(asked));
    return { reply, stated, read: isSuccess(reply.status) ? await service.readLong(thing) : undefined };
  };
  const { merge, put } = requests;
  const inBatch = async (thing: Thing, stated: Members) =>
    requests.batch(await operationsOf(context, [merge(thing, stated)]));
  const operate = (thing: Thing, stated: Members) =>
    requests.operations(thing, operationsWith(context, { ...rich, ...stated }));
  return [
    { what: 'a create', write: (spell) => create(context, members(), spell) },
    ...(profile.offers('merge') ? [{ what: 'a merge', write: (spell: Spell) => edit(merge, spell) }] : []),
    ...(profile.all.routes?.softTypePut === undefined
      ? []
      : [{ what: 'a PUT', write: (spell: Spell) => edit(put, spell) }]),
    ...(operationsWith(context, { ...rich, ...members() }).length === 0 || !profile.offers('operations')
      ? []
      : [{ what: 'a list of operations', write: (spell: Spell) => edit(operate, spell) }]),
    ...(profile.offers('batch') && profile.offers('merge')
      ? [{ what: 'a batch', write: (spell: Spell) => edit(inBatch, spell) }]
      : []),
    ...(profile.offers('multi-create')
      ? [{ what: 'a multi-create', write: (spell: Spell) => createMany(context, members(), spell) }]
      : []),
  ];
}

/** A value for every kind of member, and entries for each array, by their names in the input. */
function richMembers(context: CaseContext): Members {
  return Object.assign({}, ...memberKinds(context).map(({ sent }) => sent), entriesOfEveryArray(context)) as Members;
}

async function create({ given, service }: CaseContext, stated: Members, spell: Spell): Promise<Written> {
  const reply = await service.send(spell(service.requests.create(stated)));
  const read = isSuccess(reply.status) ? await service.readLong(await given.found(reply, stated)) : undefined;
  return { reply, stated, read };
}

async function createMany(context: CaseContext, members: Members, spell: Spell): Promise<Written> {
  const { service, given, profile } = context;
  const isLinked = profile.primary.reference !== undefined && profile.all.softTypes?.second !== undefined;
  const items = isLinked
    ? linkedPair(context, members).items
    : [{ $id: given.unique('item'), $softType: profile.primary.definitionId, data: members }];
  const reply = await service.send(spell(service.requests.multiCreate(items)));
  const [read] = isSuccess(reply.status) ? await readLastCreated(context, reply, items) : [];
  return { reply, stated: members, read };
}

/** Operations that an object of the smallest body takes, with values of these members. */
function operationsWith({ given, profile }: CaseContext, members: Members): readonly Members[] {
  const { scalars: [first] = [], arrayPort } = profile.primary;
  const [name] = Object.entries(given.body()).find(([, text]) => typeof text === 'string') ?? [];
  const entries: unknown = members[arrayPort?.member ?? ''];
  return [
    ...(name === undefined ? [] : [replace(pointer(name), members[name])]),
    ...(first === undefined ? [] : [add(pointer(first), members[first])]),
    ...(arrayPort === undefined || !Array.isArray(entries) ? [] : [add(pointer(arrayPort.member), entries[0])]),
  ];
}

/** Where the write is taken in its plain spelling it does the same in others; what fails in all of them at once is tried in each, to tell which it is. */
async function expectSame(context: CaseContext, { what, write }: Way): Promise<void> {
  const plain = await write((request) => request);
  context.notes.observe(`${what} of members of every kind`, plain.reply.status, plain.reply);
  const again = await write((request) => request);
  if (plain.read === undefined || again.read === undefined) return;
  // what an object has by itself may be another value in each
  const twice = contentIn(context, again.read, again.stated);
  const wanted = Object.fromEntries(
    Object.entries(contentIn(context, plain.read, plain.stated)).filter(([name, value]) =>
      isDeepStrictEqual(value, twice[name]),
    ),
  );
  const wantedIn = (read: Reply, stated: Members): Members =>
    Object.fromEntries(
      Object.entries(contentIn(context, read, stated)).filter(([name]) => Object.hasOwn(wanted, name)),
    );
  const judge = async (spelling: JsonSpelling): Promise<() => void> => {
    const { reply, read, stated } = await write((request) => ({ ...request, body: spelled(request.body, spelling) }));
    return () => {
      context.expect(reply).toSucceed();
      if (read === undefined) return;
      const content = wantedIn(read, stated);
      context.expect(content, `content after ${what} ${spelling.what}`, read).toEqual(wanted);
    };
  };
  const together = await judge(everySpelling);
  try {
    together();
  } catch {
    for (const spelling of jsonSpellings) (await judge(spelling))();
    together();
  }
  for (const [how, spell] of Object.entries(toleratedSpells)) {
    const tried = await unlessCut(() => write(spell));
    context.notes.observe(`${what} ${how}`, tried?.reply.status ?? 'ends the connection', tried?.reply);
    const { read, stated = {} } = tried ?? {};
    if (read !== undefined)
      context.expect(wantedIn(read, stated), `content after ${what} ${how}`, read).toEqual(wanted);
  }
}

/** A service may refuse what is spelled so; what it takes has its whole effect. Source: RFC 9110 section 15.5.12 */
const toleratedSpells: Readonly<Record<string, Spell>> = {
  'by a client that takes packed JSON': (request) => ({ ...request, headers: { ...request.headers, ...usualHeaders } }),
  'in the chunked coding': (request) => ({ ...request, headers: { ...request.headers, ...inChunks.headers } }),
  ...Object.fromEntries(
    numberSpellings.map((spelling) => [
      spelling.what,
      (request: RequestSpec) => ({ ...request, body: spelled(request.body, spelling) }),
    ]),
  ),
};

/** What was sent, as it is read: what the service adds to it differs from object to object. Of what is mandatory, whether it is what was stated. */
function contentIn(context: CaseContext, read: Reply, stated: Members): Members {
  const data = dataOf(read);
  const kinds = memberKinds(context).map(({ shown, sent }) => [shown, Object.values(sent)[0]] as const);
  const { dated } = context.profile.primary;
  const parts = Object.entries({ ...Object.fromEntries(kinds), ...entriesOfEveryArray(context) })
    .filter(([name]) => !Object.hasOwn(dated?.value ?? {}, name))
    .map(([name, sent]) => [name, inAnyOrder(asSent(data[name] ?? null, sent))]);
  const mandatory = Object.keys(context.given.body()).map((name) => [
    name,
    isDeepStrictEqual(asSent(data[name], stated[name]), stated[name]),
  ]);
  return Object.fromEntries([...parts, ...mandatory]);
}

/** In which order an array keeps what came with one body is not said. */
function inAnyOrder(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(inAnyOrder);
    return items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, inAnyOrder(member)] as const);
  return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function spelledOtherwise(request: RequestSpec, { oid, type, space }: Thing, filter: object): RequestSpec {
  const ids = [oid, type.definitionId, type.inputSchemaId, type.outputSchemaId, space];
  return {
    ...request,
    url: withEncodedIds(request.url, ids),
    filter: Buffer.from(spelled(filter, everySpelling)).toString('base64'),
  };
}

/** What tells an instance, or the entries of a page, from any other. */
function namesIn({ profile }: CaseContext, reply: Reply): unknown {
  const data = isObject(reply.json) ? reply.json['data'] : undefined;
  if (!Array.isArray(data)) return { oid: dataOf(reply)['$oid'], version: versionOf(reply) };
  return data.map((entry: unknown) => (isObject(entry) ? entry[profile.port.text] : entry));
}
