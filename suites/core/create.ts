import { tuple } from 'fast-check';
import type { SoftTypeProfile } from '../../contract/profile.ts';
import { anyText } from '../../fixtures/arbitraries.ts';
import { expectMadeOnce } from './checks/made-once.ts';
import { expectLongListWhole } from './checks/long-values.ts';
import { expectEmptyListed } from './checks/plain-lists.ts';
import { longText, longTexts, shortPairs } from '../../fixtures/values.ts';
import { dataOf, entriesOf, textsOf } from '../../judge/service/answers.ts';
import { expectInnerValuesStored } from './checks/inner-values.ts';
import { expectNumbersKept } from './checks/number-kinds.ts';
import { dated, expectNothingTakenOver, memberKinds } from './checks/member-kinds.ts';
import { creatingMembers } from './checks/member-writes.ts';
import { expectInnerEntriesApart, expectObjectsInEntriesApart } from './checks/objects-in-entries.ts';
import { plainValues } from './checks/operation-steps.ts';
import { isObject } from '../../judge/json.ts';
import { type CaseContext, onEverySpace, onEveryType, property, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { roundsAmongOthers } from '../../judge/service/races.ts';
import { rules } from '../../judge/rule.ts';
import { unlessRefused } from '../../judge/violation.ts';

/** Keys of the profile that bind the status of an unusable create. */
type BoundStatus =
  | 'malformedJson'
  | 'invalidContent'
  | 'invalidBody'
  | 'unknownMember'
  | 'unknownSoftTypeInPath'
  | 'mismatchedRoute';

const plain = 'plain';

/** Of a text that a member for short ones takes, and that some programs cut. */
const shorterText = 100;

export const createRules = rules('reading', {
  'reading.create.status-201': {
    source: 'core: Endpoint table, POST softtype; Errors 201',
    statement:
      'POST of valid instance content to the definition/input-schema route answers 201, in whichever space, whatever schema was created by just before.',
    fault: 'answers 200 instead of 201 for a stored create',
    needs: ['soft-type'],
    test: onEveryType(
      onEverySpace(
        scenario(async (context) => {
          const { given, service, expect, profile } = context;
          const { primary, all } = profile;
          const scalars = Object.fromEntries((primary.scalars ?? []).map((member) => [member, given.unique()]));
          const bodies = [given.body(), given.body(scalars), ...arrayBodies(context)];
          for (const [index, body] of bodies.entries()) {
            const reply = await service.create(body);
            expect(reply).toAnswer(201);
            // how an object is found at all is judged elsewhere
            if (index === 0) await given.found(reply, body);
            else await expectFound(context, reply, body);
          }
          if (primary.secondInputSchema === undefined) return;
          const brief = { ...primary, inputSchemaId: primary.secondInputSchema };
          expect(await service.create(given.body(), { of: { type: brief, space: all.space } })).toAnswer(201);
          expect(await service.create(arrayBodies(context).at(-1) ?? given.body())).toAnswer(201);
        }),
      ),
    ),
  },
  'reading.create.content-reads-back': {
    source: 'core: Endpoint table, POST softtype; Resources, SoftType read response',
    statement:
      'Every member given at creation (at the root, in an object member, in entries) is returned by the next GET of that instance with the same value, and none of another creation, whichever input schema the route names.',
    fault: 'trims blanks from string values when storing',
    needs: ['soft-type', 'scalar-members'],
    after: ['reading.create.status-201', 'reading.instance.long-route-served'],
    test: property(
      tuple(anyText, anyText),
      async (context, [one, other]) => {
        const { given, service, expect, notes, profile } = context;
        const [first, second] = profile.scalars;
        const { object, arrayPort } = profile.primary;
        const inner = object === undefined ? {} : given.inner(object, [one, other]);
        const { emptiest, fullest } = plainValues(profile.primary);
        const texts = [one, other].filter((text) => text !== '');
        const within = arrayPort?.object && {
          [arrayPort.object.member]: given.inner(arrayPort.object, [one, other]),
        };
        const nested = { ...nestedIn(context, [one, other, '']), ...within };
        const bodies = [
          given.body({
            [first]: one,
            [second]: other,
            ...emptiest,
            ...(object && { [object.member]: inner }),
            ...(arrayPort && { [arrayPort.member]: texts.map((text) => given.entry(text, nested)) }),
          }),
          given.body({ [first]: '', [second]: given.unique(), ...fullest }),
        ];
        const replies = [];
        for (const body of bodies) replies.push(await service.create(body));
        const refused = replies.find((reply) => reply.status >= 400);
        if (refused !== undefined) {
          notes.observe('a text is refused at creation', refused.status, refused);
          return expectPlainKept(context);
        }
        const reads: Reply[] = [];
        for (const [index, reply] of replies.entries())
          reads.push(await service.read(await given.found(reply, given.present(bodies[index], 'a body'))));
        // where an empty text is a value at the root it is one everywhere
        const keepsEmpty = reads[1] !== undefined && dataOf(reads[1])[first] === '';
        for (const [index, read] of reads.entries()) {
          const body = given.present(bodies[index], 'a body');
          for (const member of profile.scalars)
            expect(dataOf(read)[member] ?? '', `${member} as read`, read).toEqual(body[member]);
          for (const member of Object.keys(emptiest))
            expect(dataOf(read)[member], `${member} as read`, read).toEqual(body[member]);
          if (index > 0) continue;
          if (object !== undefined)
            expect(
              textsIn(dataOf(read)[object.member], object.scalars, keepsEmpty),
              `${object.member} as read`,
              read,
            ).toEqual(textsIn(inner, object.scalars));
          if (arrayPort !== undefined)
            expect(
              [...textsOf(entriesOf(read, profile.port), profile.port)].sort(),
              'texts of the entries as read',
              read,
            ).toEqual([...texts].sort());
          if (arrayPort?.nested !== undefined) expectNested(context, read, [one, other, ''], keepsEmpty);
          if (arrayPort?.object !== undefined)
            expectInsideEntries(context, read, arrayPort.object, within ?? {}, keepsEmpty);
        }
        await expectListKept(context, texts);
        if (one !== plain) return;
        await expectNumbersCreated(context);
        await expectInnerValuesStored(context, 'a create', creatingMembers(context));
        await expectLongInEveryPlace(context);
        await expectNotEndedByNul(context);
        await expectLongListWhole(context);
        await expectEmptyListed(context);
        await expectObjectsInEntriesApart(context);
        await expectInnerEntriesApart(context);
        await expectNothingTakenOver(context, 'a create', creatingMembers(context));
        await expectKeptByAnotherSchema(context);
      },
      {
        always: [
          [plain, 'text'],
          [' blanks ', ''],
          ...shortPairs,
          ...longTexts.map((text): [string, string] => [text, 'beside a long text']),
        ],
      },
    ),
  },
  'reading.create.new-identity-each-time': {
    source: 'core: Endpoint table, POST softtype; System properties $oid',
    statement:
      'Each accepted create produces its own object with its own `$oid`, and only one, also when identical bodies are posted at the same moment, or by somebody else just before.',
    fault: 'deduplicates identical bodies that arrive within one second',
    needs: ['soft-type', 'text-member'],
    after: ['reading.create.status-201', 'headers.location.leads-to-object'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const body = given.body();
      const createTen = (bodyOf: () => Readonly<Record<string, unknown>>): Promise<readonly Reply[]> =>
        Promise.all(Array.from({ length: 10 }, () => service.create(bodyOf())));
      const equal = await createTen(() => body);
      const isRefused = equal.some(({ status }) => status >= 400 && status < 500);
      notes.observe('equal objects are refused', isRefused);
      // where no two may be equal, each that differs is its own
      const replies = isRefused ? await createTen(() => given.body()) : equal;
      for (const reply of replies) expect(reply).toAnswer(201);
      const reads = await Promise.all(
        replies.map((reply) => service.get(reply.headers['location'] ?? '', { base: reply })),
      );
      for (const read of reads)
        given.succeeded(read, 'the Location of a create leads to the object', ['headers.location.leads-to-object']);
      const places = replies.map((reply) => reply.headers['location'] ?? '');
      for (const [index, reply] of replies.entries())
        expect(places[index], 'Location of one of ten creates', reply).toSatisfy(
          'none of those before',
          (place) => !places.slice(0, index).includes(place ?? ''),
        );
      expect(distinct(reads.map((read) => dataOf(read)['$oid'])), 'different $oid of ten creates').toEqual(10);

      const things = [];
      for (const reply of replies) things.push(await given.found(reply, body));
      const [edited, ...others] = things;
      const before = await Promise.all(others.map((thing) => service.snapshot(thing)));
      const edit = await service.merge(given.present(edited, 'an object'), { [profile.textMember]: given.unique() });
      given.succeeded(edit, 'one of the objects is edited', ['patch.merge.status-204']);
      for (const [index, thing] of others.entries())
        expect.unchanged(given.present(before[index], 'a snapshot'), await service.snapshot(thing));
      if (!isRefused) await expectOwnForOthers(context);
      await expectMadeOnce(context);
    }),
  },
  'reading.create.invalid-content': {
    level: 'observe',
    source: 'core: Errors 4; Resources, fields per template not shown',
    statement:
      'The answer to a create with unusable content is not described: malformed JSON, a value of the wrong type, an unknown member, an absent mandatory member, an unknown definition or input schema, client-supplied `$oid`, `$version` or `$softType`.',
    needs: ['soft-type', 'text-member'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const first = profile.textMember;
      const [mandatory] = Object.keys(profile.primary.body);
      const kinds: Record<string, readonly [body: unknown, key?: BoundStatus]> = {
        'malformed JSON': ['{"', 'malformedJson'],
        'a number for a string': [given.body({ [first]: 1 }), 'invalidContent'],
        'an object for a string': [given.body({ [first]: { inner: 1 } }), 'invalidContent'],
        'an array as body': [[], 'invalidBody'],
        'an empty body': [''],
        'an unknown member': [given.body({ [given.unique('member')]: 'x' }), 'unknownMember'],
        ...(mandatory !== undefined && {
          'an absent mandatory member': [given.body({ [mandatory]: undefined, [first]: given.unique() })],
        }),
        'no member at all': [{}],
      };
      for (const [kind, [body, key]] of Object.entries(kinds))
        await recordCreate(context, kind, await service.create(body), key);
      const unknownType = { ...profile.primary, definitionId: given.unique('no-type') };
      const unknownInput = { ...profile.primary, inputSchemaId: given.unique('no-schema') };
      const space = profile.all.space;
      await recordCreate(
        context,
        'an unknown definition',
        await service.create(given.body(), { of: { type: unknownType, space } }),
        'unknownSoftTypeInPath',
      );
      await recordCreate(
        context,
        'an unknown input schema',
        await service.create(given.body(), { of: { type: unknownInput, space } }),
        'mismatchedRoute',
      );
      const own = { $oid: given.unique('own'), $version: 7, $softType: 'Own' };
      const body = given.body(own);
      const reply = await service.create(body);
      const read = isSuccess(reply.status) ? await service.read(await given.found(reply, body)) : undefined;
      notes.bound('systemMembersInBody', 'system members in the body of a create', fateOf(own, read), reply);
    }),
  },
});

/** Where no text of every kind is taken, a plain one has to be kept nevertheless. */
async function expectPlainKept({ given, service, expect, profile }: CaseContext): Promise<void> {
  const content = Object.fromEntries(profile.scalars.map((member) => [member, given.unique()]));
  const read = await service.read(await given.object(content));
  for (const [member, text] of Object.entries(content))
    expect(dataOf(read)[member], `${member} as read`, read).toEqual(text);
}

/** What somebody else has just created, or creates at the same moment, is no reason to give it to who sends the same. */
async function expectOwnForOthers({ given, service, expect, notes, profile }: CaseContext): Promise<void> {
  for (const as of ['secondEditor', 'spaceAdministrator'] as const) {
    if (profile.all.identities[as] === undefined) continue;
    // what others create in between may hide it
    for (let round = 0; round < roundsAmongOthers; round += 1) {
      const body = given.body();
      const sent = service.create(body);
      if (round === 0) await sent;
      const [first, reply] = await Promise.all([sent, service.create(body, { as })]);
      notes.observe(`status of a create by the ${as} of what the editor has just created`, reply.status, reply);
      if (!isSuccess(first.status) || !isSuccess(reply.status)) break;
      const [one, other] = [await given.found(first, body), await given.found(reply, body)];
      expect(other.oid, `$oid of what the ${as} created like the editor`, reply).notToEqual(one.oid);
    }
  }
}

/** The object of a create that was accepted is there, where those of others are. */
async function expectFound(
  { given, expect }: CaseContext,
  created: Reply,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const thing = await unlessRefused(() => given.found(created, body));
  expect(thing, 'the object that a create made', created).toBePresent();
}

/** Bodies with an empty and a long array, where the SoftType has an array port. */
function arrayBodies({ given, profile }: CaseContext): readonly Record<string, unknown>[] {
  const port = profile.primary.arrayPort;
  if (port === undefined) return [];
  return [0, 21].map((count) =>
    given.body({ [port.member]: Array.from({ length: count }, () => given.entry(given.unique())) }),
  );
}

async function expectNumbersCreated(context: CaseContext): Promise<void> {
  const { given, service } = context;
  await expectNumbersKept(context, 'a create', async (numbers) => {
    const body = given.body(numbers);
    const reply = await service.create(body);
    return { reply, reads: async () => [await service.read(await given.found(reply, body))] };
  });
}

/** A long text is kept whole by every member for texts, at the root and in an object; where it is refused, a shorter one. */
async function expectLongInEveryPlace(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { object } = profile.primary;
  const mandatory = Object.keys(given.body());
  const texts = memberKinds(context).flatMap(({ what, sent, shown }) =>
    Object.entries(sent).flatMap(([name, value]) =>
      what === dated || typeof value !== 'string' || mandatory.includes(name) ? [] : [{ name, shown }],
    ),
  );
  for (const end of [longText, longText.slice(-shorterText)]) {
    const long = texts.map(({ name, shown }) => ({ name, shown, text: given.unique() + end }));
    const inner =
      object &&
      given.inner(
        object,
        object.scalars.map(() => given.unique() + end),
      );
    const body = given.body({
      ...Object.fromEntries(long.map(({ name, text }) => [name, text])),
      ...(object && { [object.member]: inner }),
    });
    const created = await service.create(body);
    notes.observe(`status of a create with texts of ${end.length} characters and more`, created.status, created);
    if (!isSuccess(created.status)) continue;
    const read = await service.read(await given.found(created, body));
    for (const { shown, text } of long) expect(dataOf(read)[shown], `${shown} as read`, read).toEqual(text);
    if (object === undefined) return;
    const within = textsIn(dataOf(read)[object.member], object.scalars);
    return expect(within, `${object.member} as read`, read).toEqual(textsIn(inner, object.scalars));
  }
}

/** A text with the character that ends texts in C may be refused; where it is taken it does not end there. Source: RFC 8259, 7 */
async function expectNotEndedByNul({ given, service, expect, notes, profile }: CaseContext): Promise<void> {
  const [first] = profile.scalars;
  const before = given.unique('before');
  const body = given.body({ [first]: `${before}\u0000${given.unique('behind')}` });
  const created = await service.create(body);
  notes.observe('status of a create with the character U+0000 in a text', created.status, created);
  if (!isSuccess(created.status)) return;
  const read = await service.read(await given.found(created, body));
  const kept = dataOf(read)[first];
  expect(kept, `${first} as read, of a text with U+0000 behind these letters`, read).notToEqual(before);
  if (kept !== body[first]) notes.remark(`U+0000 in ${first} does not read back as it was given.`, read);
}

/** A list of plain values holds each of them as often as it was given; a service may refuse what is there twice. */
async function expectListKept(
  { given, service, expect, notes, profile }: CaseContext,
  texts: readonly string[],
): Promise<void> {
  const { scalarList } = profile.primary;
  if (scalarList === undefined) return;
  const list = [...texts, ...texts];
  const body = given.body({ [scalarList]: list });
  const created = await service.create(body);
  if (created.status >= 400) return notes.observe('a list with equal texts is refused', created.status, created);
  const read = await service.read(await given.found(created, body));
  const shown = dataOf(read)[scalarList] ?? [];
  expect(Array.isArray(shown) ? shown.toSorted() : shown, `${scalarList} as read`, read).toEqual(list.toSorted());
}

/** Entries of the nested array with these texts, where the array port has one. */
function nestedIn({ given, profile }: CaseContext, texts: readonly string[]): Record<string, unknown> {
  const nested = profile.primary.arrayPort?.nested;
  return nested === undefined ? {} : { [nested.member]: texts.map((text) => given.nestedEntry(text, nested)) };
}

/** Each entry holds an object with these texts. */
function expectInsideEntries(
  { expect, profile }: CaseContext,
  read: Reply,
  { member, scalars }: NonNullable<SoftTypeProfile['object']>,
  sent: Readonly<Record<string, unknown>>,
  keepsEmpty: boolean,
): void {
  for (const { members } of entriesOf(read, profile.port))
    expect(textsIn(members[member], scalars, keepsEmpty), `${member} inside an entry`, read).toEqual(
      textsIn(sent[member], scalars),
    );
}

/** Each entry holds nested ones with these texts, in any order. */
function expectNested(
  { expect, profile }: CaseContext,
  read: Reply,
  texts: readonly string[],
  keepsEmpty: boolean,
): void {
  const { nested } = profile.port;
  if (nested === undefined) return;
  for (const { members } of entriesOf(read, profile.port)) {
    const items: unknown = members[nested.member];
    const seen = (Array.isArray(items) ? items : []).map((item: unknown) => {
      const text = isObject(item) ? item[nested.text] : undefined;
      return keepsEmpty ? text : (text ?? '');
    });
    expect(seen.toSorted(), `texts of ${nested.member} inside an entry`, read).toEqual(texts.toSorted());
  }
}

/** Members of an object as read, in that order; the empty text may be kept as no value unless it is one elsewhere. */
function textsIn(value: unknown, names: readonly string[], keepsEmpty = false): readonly unknown[] {
  return names.map((name) => (isObject(value) ? (value[name] ?? (keepsEmpty ? 'nothing' : '')) : undefined));
}

/** Status and media type of the answer, and whether an object came into being, which a Location shows. */
async function recordCreate(
  { service, notes }: CaseContext,
  kind: string,
  reply: Reply,
  key?: BoundStatus,
): Promise<void> {
  if (key === undefined) notes.observe(`a create with ${kind}`, reply.status, reply);
  else notes.bound(key, `a create with ${kind}`, reply.status, reply);
  notes.observe(`media type of the answer to a create with ${kind}`, mediaTypeOf(reply), reply);
  notes.remarkServerError(reply);
  const location = reply.headers['location'];
  const read = location === undefined ? undefined : await service.get(location, { base: reply });
  notes.observe(`the Location of a create with ${kind} leads to an object`, read?.status === 200, reply);
}

function mediaTypeOf({ headers }: Reply): string {
  return headers['content-type']?.split(';')[0] ?? 'none';
}

function distinct(values: readonly unknown[]): number {
  return new Set(values).size;
}

/** What became of members that only the system writes. */
function fateOf(own: Readonly<Record<string, unknown>>, read: Reply | undefined): 'refused' | 'applied' | 'ignored' {
  if (read?.status !== 200) return 'refused';
  const data = dataOf(read);
  return Object.entries(own).some(([name, value]) => data[name] === value) ? 'applied' : 'ignored';
}

/** What is created by another input schema, where that is for creates as well, has the texts that are its members by both. */
async function expectKeptByAnotherSchema(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { primary, all } = profile;
  const { scalars = [], secondInputSchema } = primary;
  if (secondInputSchema === undefined) return;
  const texts = Object.fromEntries(scalars.map((member) => [member, given.unique()]));
  const type = { ...primary, inputSchemaId: secondInputSchema };
  const body = given.body(texts);
  const reply = await service.create(body, { of: { type, space: all.space } });
  notes.observe('status of a create by another input schema', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const read = await service.read(await given.found(reply, body));
  for (const [member, text] of Object.entries(texts))
    expect(dataOf(read)[member], `${member} of an object that was created by another input schema`, read).toEqual(text);
}
