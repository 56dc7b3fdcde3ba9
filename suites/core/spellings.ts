import { dataOf, versionOf } from '../../judge/answers.ts';
import { operationsOf } from '../../judge/batch.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import type { Reply, RequestSpec } from '../../judge/exchange.ts';
import { isObject, pointer } from '../../judge/json.ts';
import { readCreated } from '../../judge/multi-create.ts';
import { rules } from '../../judge/rule.ts';
import { inChunks } from '../../judge/requests.ts';
import {
  type JsonSpelling,
  everySpelling,
  jsonSpellings,
  pointedSpelling,
  spelled,
  withEncodedIds,
} from '../../judge/spellings.ts';
import type { Thing } from '../../judge/things.ts';
import { entriesOfEveryArray, memberKinds } from './member-kinds.ts';
import { linkedPair } from './multi-create-items.ts';
import { add, replace } from './operation-steps.ts';

type Members = Readonly<Record<string, unknown>>;

/** The request in another spelling. */
type Spell = (request: RequestSpec) => RequestSpec;

/** A write of a JSON body, and the object that it wrote to; undefined where it is refused. */
interface Way {
  readonly what: string;
  readonly write: (spell: Spell) => Promise<{ readonly reply: Reply; readonly read?: Reply | undefined }>;
}

export const spellingRules = rules('headers', {
  'headers.spelling.json-bodies': {
    level: 'must',
    source: 'core: What the service does (JSON payloads over HTTP); Operations-based PATCH rules 2',
    statement:
      'A JSON body says the same in another spelling, with white space around its tokens, escapes in its texts and names, or its members in another order: a create, merge, PUT, list of operations, batch or multi-create stores what it stores in the plain one. A body in the chunked coding, or with a point behind its integers, may be refused; where it is taken it says the same, too.',
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
      'An id in a path may have a letter or digit percent-encoded, and the JSON of an information filter may be spelled otherwise: reads, pages and edits are answered as without.',
    fault: 'ids of instances are taken from the path as they stand there, without being decoded',
    needs: ['soft-type'],
    after: ['reading.instance.short-route-served'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const { arrayPort } = profile.primary;
      const thing = arrayPort === undefined ? await given.object() : await given.objectWithEntries(11);
      const { requests } = service;
      const reads = [requests.readLong(thing), ...(arrayPort === undefined ? [] : [requests.page(thing, 1)])];
      for (const request of [requests.readShort(thing), ...reads]) {
        const plain = await service.send(request);
        if (plain.status !== 200) continue;
        const other = await service.send(spelledOtherwise(context, request, thing));
        expect(other).toAnswer(200);
        expect(namesIn(context, other), 'what is read by another spelling', other).toEqual(namesIn(context, plain));
      }
      const merged = await service.send(spelledOtherwise(context, requests.merge(thing, given.body()), thing));
      expect(merged).toSucceed();
    }),
  },
});

/** Writes of every kind that this target carries out, each of members of every kind where it takes them. */
async function waysToWrite(context: CaseContext): Promise<readonly Way[]> {
  const { given, service, profile } = context;
  const kinds = memberKinds(context);
  const rich = { ...Object.assign({}, ...kinds.map(({ sent }) => sent)), ...entriesOfEveryArray(context) } as Members;
  const isTaken = (await service.create(given.body(rich))).status < 300;
  const members: Members = isTaken ? given.body(rich) : given.body();
  const { requests } = service;
  const edit = async (request: (thing: Thing) => RequestSpec | Promise<RequestSpec>, spell: Spell) => {
    const thing = await given.object();
    const asked = await request(thing);
    const reply = await service.send(spell(asked));
    return { reply, read: reply.status < 300 ? await service.readLong(thing) : undefined };
  };
  const merge = (thing: Thing): RequestSpec => requests.merge(thing, members);
  const inBatch = async (thing: Thing) => requests.batch(await operationsOf(context, [merge(thing)]));
  const operations = operationsOn(context);
  return [
    { what: 'a create', write: (spell) => create(context, members, spell) },
    { what: 'a merge', write: (spell) => edit(merge, spell) },
    ...(profile.all.routes?.softTypePut === undefined
      ? []
      : [{ what: 'a PUT', write: (spell: Spell) => edit((thing) => requests.put(thing, members), spell) }]),
    ...(operations.length === 0 || !profile.offers('operations')
      ? []
      : [
          {
            what: 'a list of operations',
            write: (spell: Spell) => edit((thing) => requests.operations(thing, operations), spell),
          },
        ]),
    ...(profile.offers('batch') ? [{ what: 'a batch', write: (spell: Spell) => edit(inBatch, spell) }] : []),
    ...(profile.offers('multi-create')
      ? [{ what: 'a multi-create', write: (spell: Spell) => createMany(context, members, spell) }]
      : []),
  ];
}

async function create({ given, service }: CaseContext, members: Members, spell: Spell) {
  const reply = await service.send(spell(service.requests.create(members)));
  return { reply, read: reply.status < 300 ? await service.readLong(await given.found(reply, members)) : undefined };
}

async function createMany(context: CaseContext, members: Members, spell: Spell) {
  const { service, given, profile } = context;
  const isLinked = profile.primary.reference !== undefined && profile.all.softTypes?.second !== undefined;
  const items = isLinked
    ? linkedPair(context, members).items
    : [{ $id: given.unique('item'), $softType: profile.primary.definitionId, data: members }];
  const reply = await service.send(spell(service.requests.multiCreate(items)));
  return { reply, read: reply.status < 300 ? (await readCreated(context, reply, items)).at(-1) : undefined };
}

/** Operations that an object of the smallest body takes. */
function operationsOn({ given, profile }: CaseContext): readonly Members[] {
  const { scalars: [first] = [], arrayPort } = profile.primary;
  const [name, value] = Object.entries(given.body()).find(([, text]) => typeof text === 'string') ?? [];
  return [
    ...(name === undefined ? [] : [replace(pointer(name), value)]),
    ...(first === undefined ? [] : [add(pointer(first), given.unique())]),
    ...(arrayPort === undefined ? [] : [add(pointer(arrayPort.member), given.entry(given.unique()))]),
  ];
}

/** Where the write is taken in its plain spelling it does the same in others; what fails in all of them at once is tried in each, to tell which it is. */
async function expectSame(context: CaseContext, { what, write }: Way): Promise<void> {
  const plain = await write((request) => request);
  context.notes.observe(`${what} of members of every kind`, plain.reply.status, plain.reply);
  if (plain.read === undefined) return;
  const wanted = contentIn(context, plain.read);
  const judge = async (spelling: JsonSpelling): Promise<() => void> => {
    const { reply, read } = await write((request) => ({ ...request, body: spelled(request.body, spelling) }));
    return () => {
      context.expect(reply).toSucceed();
      if (read !== undefined)
        context.expect(contentIn(context, read), `content after ${what} ${spelling.what}`, read).toEqual(wanted);
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
    const { reply, read } = await write(spell);
    context.notes.observe(`${what} ${how}`, reply.status, reply);
    if (read !== undefined)
      context.expect(contentIn(context, read), `content after ${what} ${how}`, read).toEqual(wanted);
  }
}

/** A service may refuse what is spelled so; what it takes has its whole effect. Source: RFC 9110 section 15.5.12 */
const toleratedSpells: Readonly<Record<string, Spell>> = {
  'in the chunked coding': (request) => ({ ...request, headers: { ...request.headers, ...inChunks.headers } }),
  [pointedSpelling.what]: (request) => ({ ...request, body: spelled(request.body, pointedSpelling) }),
};

/** What was sent, as it is read: what the service adds to it differs from object to object. */
function contentIn(context: CaseContext, read: Reply): Members {
  const data = dataOf(read);
  const names = [...memberKinds(context).map(({ shown }) => shown), ...Object.keys(entriesOfEveryArray(context))];
  const { dated } = context.profile.primary;
  return Object.fromEntries(
    [...Object.keys(context.given.body()), ...names]
      .filter((name) => !Object.hasOwn(dated?.value ?? {}, name))
      .map((name) => [name, sentPart(data[name] ?? null)]),
  );
}

/** Without what the service names and counts by itself. */
function sentPart(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(sentPart);
    return items.every(isObject) ? items : items.toSorted();
  }
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([name]) => !name.startsWith('$'));
  return Object.fromEntries(members.map(([name, member]) => [name, sentPart(member)]));
}

function spelledOtherwise({ profile }: CaseContext, request: RequestSpec, { oid, type, space }: Thing): RequestSpec {
  const ids = [oid, type.definitionId, type.inputSchemaId, type.outputSchemaId, space];
  const filter = spelled(profile.all.informationFilter?.default ?? {}, everySpelling);
  return {
    ...request,
    url: withEncodedIds(request.url, ids),
    filter: Buffer.from(filter).toString('base64'),
  };
}

/** What tells an instance, or the entries of a page, from any other. */
function namesIn({ profile }: CaseContext, reply: Reply): unknown {
  const data = isObject(reply.json) ? reply.json['data'] : undefined;
  if (!Array.isArray(data)) return { oid: dataOf(reply)['$oid'], version: versionOf(reply) };
  return data.map((entry: unknown) => (isObject(entry) ? entry[profile.port.text] : entry));
}
