import { expectReferencesKept } from './checks/references-written.ts';
import { expectHundredTaken, expectLongestKept } from './checks/long-values.ts';
import { isSuccess } from '../../judge/exchange.ts';
import { boolean, record } from 'fast-check';
import { entriesPerPage } from '../../contract/limits.ts';
import { entriesOfPage, dataOf, textsOf } from '../../judge/service/answers.ts';
import { pointer, valueAt } from '../../judge/json.ts';
import { type CaseContext, property, onEverySpace, scenario } from '../../judge/case.ts';
import { rules } from '../../judge/rule.ts';
import type { Snapshot } from '../../judge/service/target.ts';
import { ownTexts, textsKept } from '../../judge/service/texts.ts';
import type { Thing } from '../../judge/things.ts';
import { byAnotherSchema, makeEditable, takesOtherSchema } from '../../judge/service/writes.ts';
import { expectNumbersKept } from './checks/number-kinds.ts';
import { isWithoutValue, membersOf, plainValues } from './checks/operation-steps.ts';
import { expectTakenAgain } from './checks/again.ts';
import { expectEveryKindStored } from './checks/every-kind.ts';
import { expectKeptBehindEdits } from './checks/many-edits.ts';
import { expectKeptBeside } from './checks/other-places.ts';
import { expectLongArrayKept, mergesBeside } from './checks/long-arrays.ts';
import { expectDateKept } from './checks/dated-kept.ts';
import { expectAllKeptByMerge, expectNothingTakenOver } from './checks/member-kinds.ts';
import { writingMembers, writingNumbers } from './checks/member-writes.ts';
import { expectKeptByFirstMerge } from './checks/multi-create-items.ts';
import { expectStatesKept } from './checks/states-kept.ts';

export const mergeRules = rules('patch', {
  'patch.merge.status-204': {
    source: 'core: Endpoint table, PATCH (merge)',
    statement:
      'A merge PATCH to `/softtype/{definitionId}/{inputSchemaId}/{objectId}` with the current version answers 204, one that changes nothing or goes by another input schema, and is taken, as well.',
    fault: 'answers 200 with the object instead of 204',
    needs: ['soft-type', 'text-member', 'merge'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, profile } = context;
        const thing = await makeEditable(context);
        const text = given.unique();
        expect(await service.merge(thing, { [profile.textMember]: text })).toAnswer(204);
        const after = await service.snapshot(thing);
        expect(after.members[profile.textMember], `${profile.textMember} after the edit`, after.reply).toEqual(text);
        // whether what changes nothing is taken, or a state takes edits, is not said
        const again = [given.unique(), text].map((value) => ({ [profile.textMember]: value }));
        if (profile.all.maturity !== undefined) await service.promote(await given.current(thing));
        for (const body of [...again, ...again.slice(-1)]) {
          const reply = await service.merge(await given.current(thing), body);
          if (isSuccess(reply.status)) expect(reply).toAnswer(204);
        }
        const { secondInputSchema } = profile.primary;
        if (secondInputSchema === undefined) return;
        const plain = await makeEditable(context);
        const other = { ...plain, type: { ...plain.type, inputSchemaId: secondInputSchema } };
        const reply = await service.merge(other, { [profile.textMember]: given.unique() });
        if (isSuccess(reply.status)) expect(reply).toAnswer(204);
      }),
    ),
  },
  'patch.merge.edits-named-member': {
    source: 'core: Endpoint table, PATCH (merge); Batch rules 5',
    statement:
      'A member given in a merge PATCH has the new value afterwards, a long text to its end, all entries of an array that had none included, whatever schema the object is edited by, or was before, and though the same edit was made once already.',
    fault: 'a member that had no value before is not stored',
    needs: ['soft-type', 'scalar-members', 'merge'],
    after: ['patch.merge.status-204'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const [first, second] = profile.scalars;
      const one = () => ({ [first]: given.unique(), [second]: given.unique() });
      const again = one();
      const { emptiest, fullest } = plainValues(profile.primary);
      const edits: Record<string, unknown>[][] = [
        [one()],
        [{ [first]: given.unique() }, { [second]: given.unique() }],
        [again, again],
        [{ ...one(), ...emptiest }],
        [fullest, emptiest, { [first]: given.unique() }].filter((body) => Object.keys(body).length > 0),
      ];
      await expectLongestKept(context, 'a merge PATCH', (thing, member, text) =>
        service.merge(thing, { [member]: text }),
      );
      await expectHundredTaken(context, 'a merge PATCH', async (content) => {
        const thing = await given.object();
        return isSuccess((await service.merge(thing, content)).status) ? service.read(thing) : undefined;
      });
      for (const bodies of edits) {
        let thing = await makeEditable(context);
        for (const body of bodies) {
          expect(await service.merge(thing, body)).toSucceed();
          thing = await given.current(thing);
        }
        const after = await service.snapshot(thing);
        for (const [member, value] of Object.entries(Object.assign({}, ...bodies) as Record<string, unknown>))
          expect(after.members[member], `${member} after the edit`, after.reply).toEqual(value);
      }
      const created = one();
      let thing = await given.object(created);
      for (const body of [one(), created]) {
        expect(await service.merge(thing, body)).toSucceed();
        thing = await given.current(thing);
      }
      const { members, reply } = await service.snapshot(thing);
      expect(members[first], `${first} after an edit back to what it was created with`, reply).toEqual(created[first]);
      await expectTakenAgain(context, 'merge', (latest, body) => service.merge(latest, body));
      await expectEveryTextMerged(context);
      await expectEntriesMerged(context);
      await expectAllMergedByAnother(context);
      await expectMergedBehindAnother(context, first);
      await expectNumbersKept(context, 'a merge', writingNumbers(context, 'merge'));
      await expectEveryKindStored(context, 'a merge', writingMembers(context, 'merge'), { mayJoinLists: true });
    }),
  },
  'patch.merge.keeps-other-members': {
    source: 'core: Endpoint table, PATCH (merge); Batch rules 5',
    statement:
      'Members that a merge PATCH does not name keep their values, arrays with all their pages and the entries inside included, also beside an edit of another array, in the first edit of an object that a multi-create has made, on another SoftType and in another space.',
    fault: 'an array that the body does not name is cut to its first ten entries',
    needs: ['soft-type', 'scalar-members', 'array-port', 'merge'],
    after: ['patch.merge.edits-named-member'],
    test: property(
      record({ firstFilled: boolean(), secondFilled: boolean(), namesFirst: boolean() }),
      async (context, { firstFilled, secondFilled, namesFirst }) => {
        const { given, service, profile } = context;
        const [first, second] = profile.scalars;
        const text = await ownTexts(context);
        const { object, arrayPort } = profile.primary;
        const body = {
          ...plainValues(profile.primary).emptiest,
          ...(object && { [object.member]: given.inner(object) }),
          ...(firstFilled && { [first]: text() }),
          ...(secondFilled && { [second]: text() }),
        };
        const beside = profile.primary.secondArrayPort === undefined ? {} : { second: 21 };
        const inside = arrayPort?.nested && { nested: () => 1 };
        const owner = await given.objectWithEntries(25, { text, body, ...beside, ...inside });
        const named = namesFirst ? first : second;
        const further = (await takesOtherSchema(context)) ? [byAnotherSchema(owner)] : [];
        await expectOthersKept(context, [owner, ...further], named);
        if (!firstFilled || !secondFilled || !namesFirst) return;
        await expectDateKept(context, 'a merge', async (thing, changes) => {
          const reply = await service.merge(thing, { [first]: given.unique() }, changes);
          given.succeeded(reply, 'a merge PATCH is accepted', ['patch.merge.status-204']);
          return reply;
        });
        await expectKeptOnOtherType(context);
        await expectKeptByFirstMerge(context);
        await expectKeptBeside(context);
        await expectKeptBehindEdits(context);
        await expectAllKeptByMerge(context, first, second);
        await expectLongArrayKept(context, mergesBeside(context));
        await expectReferencesKept(context, 'merge');
        await expectNothingTakenOver(context, 'a merge', writingMembers(context, 'merge'));
        for (const member of arrayPort === undefined ? [first] : [first, arrayPort.member])
          await expectStatesKept(context, `a merge of ${member}`, (thing) =>
            service.merge(thing, { [member]: member === first ? given.unique() : [given.entry(given.unique())] }),
          );
      },
      { always: [{ firstFilled: true, secondFilled: true, namesFirst: true }], share: 0.15 },
    ),
  },
  'patch.merge.depth': {
    level: 'observe',
    source: 'core: Endpoint table, PATCH (merge)',
    statement:
      'Merge semantics below the top level are not described: null as value, a nested object with some of its members, an array, an empty body `{}`, an unknown member, system members in the body.',
    needs: ['soft-type', 'text-member', 'object-member', 'array-port', 'merge'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const first = profile.textMember;
      const object = given.present(profile.primary.object, 'object in the profile');
      const [inner, other] = object.scalars as [string, string];
      const full = () => ({ [first]: given.unique(), [object.member]: given.inner(object) });
      // where what is not there is shown as null, null tells nothing of what was stored
      const isShownAsNull = first in dataOf(await service.read(await given.object()));
      const bodies: Record<string, (context: CaseContext) => Record<string, unknown>> = {
        'null as value': () => ({ [first]: null }),
        'a nested object with one of its members': () => ({
          [object.member]: { ...object.body, [inner]: given.unique() },
        }),
        'an array': () => ({ [profile.port.member]: [given.entry(given.unique())] }),
        'an empty body': () => ({}),
        'an unknown member': () => ({ [given.unique('unknown')]: 'x' }),
        'system members': () => ({ $oid: given.unique('own'), $version: 99, $softType: 'Own' }),
      };
      await observeLateEntryMerged(context);
      for (const [what, bodyOf] of Object.entries(bodies)) {
        const owner = await given.objectWithEntries(3, { body: full() });
        const reply = await service.merge(owner, bodyOf(context));
        const after = await service.snapshot(owner);
        notes.observe(`status of a merge with ${what}`, reply.status, reply);
        notes.observe(`version after a merge with ${what}`, after.version - owner.version, reply);
        notes.remarkServerError(reply);
        const isUntold = isShownAsNull && isWithoutValue(dataOf(after.reply)[first]);
        if (what === 'null as value' && isUntold)
          notes.observe('null as value of a merge', 'removed or stored: what is absent is shown as null', reply);
        else if (what === 'null as value')
          notes.bound('mergeNull', what, fateOfNull(reply.status, dataOf(after.reply), first), reply);
        if (what.startsWith('a nested'))
          notes.bound(
            'mergeNested',
            what,
            fateOfNested(reply.status, valueAt(after.members[object.member], pointer(other))),
            reply,
          );
        if (what === 'an array')
          notes.bound('mergeArray', what, await fateOfArray(context, reply.status, owner, after), reply);
        if (what === 'an unknown member') notes.bound('unknownMember', what, reply.status, reply);
        if (what === 'system members')
          notes.bound('systemMembersOnWrite', what, fateOfSystemMembers(reply.status, dataOf(after.reply)), reply);
      }
    }),
  },
});

/** More entries than a read shows, in an array that had none: how they meet others is not said. */
async function expectEntriesMerged(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (profile.primary.arrayPort === undefined) return;
  const { port } = profile;
  const thing = await given.object();
  if (((await service.snapshot(thing)).arrays[port.member] ?? []).length > 0) return;
  const texts = Array.from({ length: entriesPerPage + 2 }, () => given.unique('merged'));
  const reply = await service.merge(thing, { [port.member]: texts.map((text) => given.entry(text, {}, port)) });
  const after = await service.snapshot(thing);
  const shown = textsOf(after.arrays[port.member] ?? [], port);
  notes.observe('entries after a merge of twelve into none', shown.length, reply);
  if (!isSuccess(reply.status) || shown.length === 0) return;
  expect(shown.toSorted(), `texts of ${port.member}, all given by one merge`, after.reply).toEqual(texts.toSorted());
}

/** Every kind of text that a create keeps is kept by a merge too, at the root and inside an object. */
async function expectEveryTextMerged(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const [first, second] = profile.scalars;
  const { object } = profile.primary;
  const { telling } = await textsKept(context);
  let thing = await makeEditable(context);
  for (let place = 0; place < telling.length; place += 2) {
    const values = { [first]: telling[place] ?? '', [second]: telling[place + 1] ?? given.unique() };
    const inner = object && given.inner(object, Object.values(values));
    const body = { ...values, ...(object && { [object.member]: inner }) };
    const reply = await service.merge(thing, body);
    if (reply.status >= 400)
      given.succeeded(await service.create(given.body(body)), 'a create with the same texts', [
        'reading.create.status-201',
      ]);
    expect(reply).toSucceed();
    const after = await service.snapshot(thing);
    for (const [member, value] of Object.entries(values))
      expect(after.members[member], `${member} after the edit`, after.reply).toEqual(value);
    for (const [name, value] of Object.entries(inner ?? {}))
      expect(
        valueAt(after.members[object?.member ?? ''], pointer(name)),
        `${name} inside ${object?.member} after the edit`,
        after.reply,
      ).toEqual(value);
    thing = { ...thing, version: after.version };
  }
}

/** The same of another SoftType, filled as far as the profile knows it. */
async function expectKeptOnOtherType(context: CaseContext): Promise<void> {
  const other = context.other();
  if (other === undefined || !(await takesOtherSchema(other))) return;
  const { given, profile } = other;
  const { object, scalars = [] } = profile.primary;
  const body = {
    ...Object.fromEntries(scalars.map((member) => [member, given.unique()])),
    ...(object && { [object.member]: given.inner(object) }),
  };
  const owner = await given.objectWithEntries(2, { body });
  await expectOthersKept(other, [owner, byAnotherSchema(owner)], profile.textMember);
}

/** @param ways the object, with each input schema by which a merge that names one member leaves the others */
async function expectOthersKept(
  { given, service, expect }: CaseContext,
  [owner, ...ways]: readonly [Thing, ...Thing[]],
  named: string,
): Promise<void> {
  const others = ({ members, arrays }: Snapshot) => ({
    members: { ...members, [named]: null },
    arrays: Object.fromEntries(Object.entries(arrays).map(([member, entries]) => [member, membersOf(entries)])),
  });
  let before = await service.snapshot(owner);
  for (const { type } of [owner, ...ways]) {
    const thing = { ...owner, version: before.version, type };
    expect(await service.merge(thing, { [named]: given.unique() })).toSucceed();
    const after = await service.snapshot(owner);
    const what = `members that an edit by ${type.inputSchemaId} does not name`;
    expect(others(after), what, after.reply).toEqual(others(before));
    before = after;
  }
}

/** A merge by another schema edits every text that it names, as one by the first schema does. */
async function expectAllMergedByAnother(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { scalars = [], secondInputSchema } = profile.primary;
  if (secondInputSchema === undefined) return;
  const thing = await makeEditable(context);
  const texts = Object.fromEntries(scalars.map((member) => [member, given.unique()]));
  const reply = await service.merge(byAnotherSchema(thing), texts);
  notes.observe('a merge of several texts by another schema', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const after = await service.snapshot(thing);
  for (const [member, text] of Object.entries(texts))
    expect(after.members[member], `${member} after a merge of several texts by another schema`, after.reply).toEqual(
      text,
    );
}

/** A merge by the schema that has a member edits it, also behind one by a schema that need not have it. */
async function expectMergedBehindAnother(
  { given, service, expect, notes, profile }: CaseContext,
  first: string,
): Promise<void> {
  const { renamed, secondInputSchema } = profile.primary;
  if (renamed === undefined || secondInputSchema === undefined) return;
  const { input, output } = renamed;
  const thing = await given.object({ [input]: given.unique() });
  const brief = { ...thing, type: { ...thing.type, inputSchemaId: secondInputSchema } };
  const edited = await service.merge(brief, { [first]: given.unique() });
  notes.observe('an edit by another schema before a merge', edited.status, edited);
  if (!isSuccess(edited.status)) return;
  const text = given.unique();
  expect(await service.merge(await given.current(thing), { [input]: text })).toSucceed();
  const read = await service.readLong(thing);
  expect(dataOf(read)[output], `${output} after an edit by another schema and a merge of ${input}`, read).toEqual(text);
}

function fateOfNull(status: number, data: Readonly<Record<string, unknown>>, member: string): string {
  if (status >= 400) return 'refused';
  if (!isWithoutValue(data[member])) return 'kept';
  return Object.hasOwn(data, member) ? 'stored' : 'removed';
}

function fateOfNested(status: number, other: unknown): string {
  if (!isSuccess(status)) return 'refused';
  return isWithoutValue(other) ? 'replaced' : 'merged';
}

async function fateOfArray(context: CaseContext, status: number, owner: Thing, after: Snapshot): Promise<string> {
  if (status >= 400) return 'refused';
  const count = after.arrays[context.profile.port.member]?.length ?? 0;
  if (count === 4) return (await isEditedById(context, owner, after)) ? 'merged' : 'appended';
  return { 1: 'replaced', 3: 'merged' }[count] ?? `${count} entries`;
}

/** Whether an entry that names the id of one that is there edits that one, where others are appended. */
async function isEditedById({ given, service, profile }: CaseContext, owner: Thing, after: Snapshot): Promise<boolean> {
  const { member } = profile.port;
  const id = valueAt(dataOf(after.reply), `${pointer(member)}/0/$entryId`);
  const edit = { [member]: [{ ...given.entry(given.unique()), $entryId: id }] };
  const reply = await service.merge({ ...owner, version: after.version }, edit);
  return isSuccess(reply.status) && (await service.snapshot(owner)).arrays[member]?.length === 4;
}

/** An entry that only a page shows is named by its id as those are that the read shows, where an array is merged. */
async function observeLateEntryMerged({ given, service, notes, profile }: CaseContext): Promise<void> {
  if (profile.all.expect?.mergeArray !== 'merged') return;
  const owner = await given.objectWithEntries(12);
  const [late] = entriesOfPage(await service.page(owner, 1));
  if (late === undefined) return;
  const edit = { ...given.entry(given.unique('late'), {}, owner.port), $entryId: late.entryId };
  const reply = await service.merge(owner, { [owner.port.member]: [edit] });
  const count = (await service.snapshot(owner)).arrays[owner.port.member]?.length ?? 0;
  const fate = isSuccess(reply.status) && count === 12 ? 'merged' : `${count} entries`;
  notes.bound('mergeArray', 'an array with the id of an entry that only a page shows', fate, reply);
}

/** What became of system members in a body. */
export function fateOfSystemMembers(status: number, data: Readonly<Record<string, unknown>>): string {
  if (status >= 400) return 'refused';
  return data['$softType'] === 'Own' ? 'applied' : 'ignored';
}
