import { expectNamesByTheLetter } from './checks/letter-case.ts';
import { expectLongestKept } from './checks/long-values.ts';
import { expectEqualObjectLeft } from './checks/objects-in-entries.ts';
import { isSuccess } from '../../judge/exchange.ts';
import { isDeepStrictEqual } from 'node:util';
import { dataOf, entriesOf, entriesOfPage, expandLink, innerPageLink } from '../../judge/service/answers.ts';
import { type CaseContext, onEverySpace, scenario } from '../../judge/case.ts';
import type { Owner, Thing } from '../../judge/things.ts';
import { isObject, objectsIn, orderedAs, pointer } from '../../judge/json.ts';
import { rules } from '../../judge/rule.ts';
import type { Entry } from '../../contract/judge-read.ts';
import { makeEditable } from '../../judge/service/writes.ts';
import { expectAllKeptByOperations } from './checks/member-kinds.ts';
import { expectInnerAloneReplaced, expectInnerValuesReplaced } from './checks/inner-values.ts';
import { expectEqualReplaced, expectLongReplaced, expectReplacedByAnyValue } from './checks/member-operations.ts';
import {
  add,
  applyOperations,
  changeBy,
  contentOf,
  contentsIn,
  entriesIn,
  entriesNow,
  entryPath,
  expectContents,
  expectNoEffect,
  expectRefusals,
  makeAlike,
  makeEmptyText,
  membersOf,
  type Operation,
  remove,
  replace,
  runControl,
} from './checks/operation-steps.ts';
import { expectArraysToldApart, expectLaterEntryAddressed } from './checks/told-apart.ts';
import { expectEveryTextInEntries } from './checks/texts-in-entries.ts';
import {
  makeThreeInside,
  expectInnerOfLaterEntryChanged,
  expectLongInnerKept,
  expectNoInsertionInside,
} from './checks/deep-members.ts';
import { expectStatesKept } from './checks/states-kept.ts';

const nothingToTellApart =
  'Entry ids equal their own positions here, so that they cannot be told apart: declare the rule under notSupported with that reason.';

export const operationPathRules = rules('patch', {
  'patch.path.empty-refused': {
    source: 'core: Operations-based PATCH rules 3',
    statement:
      'The empty path, which stands for the whole document, is refused for every op, also for an `add` of members that are not there.',
    fault: 'replace with the empty path replaces the whole content',
    needs: ['soft-type', 'text-member', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const member = profile.textMember;
      const thing = await makeEditable(context);
      const whole = given.body({ [member]: given.unique() });
      const operations = [
        add('', whole),
        add('', given.unique()),
        replace('', given.unique()),
        replace('', whole),
        remove(''),
        ...(await freeMembersOf(context, thing)).map((free) => add('', { [free]: given.unique() })),
      ];
      await expectRefusals(context, thing, ...operations.map((operation) => [operation]));
      await runControl(context, thing, [replace(pointer(member), given.unique())]);
      const slash = await service.operations(await makeEditable(context), [replace('/', given.unique())]);
      notes.observe('the path of one slash', slash.status, slash);
    }),
  },
  'patch.path.member-addressed': {
    source: 'core: Operations-based PATCH rules 3 and 7',
    statement:
      'A path of a slash and a member name addresses that root member and no other, by its letters as they are; `replace` there sets its value, be it the one that is there.',
    fault: 'replace drops the members that come after the addressed one',
    needs: ['soft-type', 'scalar-members', 'array-port', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const [first, second] = profile.scalars;
      const owner = await given.objectWithEntries(18, { body: { [first]: given.unique(), [second]: given.unique() } });
      await expectLongestKept(context, 'a replace', (thing, member, text) =>
        service.operations(thing, [replace(pointer(member), text)]),
      );
      let before = await service.snapshot(owner);
      for (const member of [first, second]) {
        const text = given.unique();
        const after = await applyOperations(context, { ...owner, version: before.version }, [
          replace(pointer(member), text),
        ]);
        expect(after.members, 'members after the replace of one', after.reply).toEqual({
          ...before.members,
          [member]: text,
        });
        expectContents(
          context,
          after,
          owner.port,
          'entries after the replace of a scalar',
          contentsIn(before, owner.port),
        );
        before = after;
      }
      await expectReplacedByAnyValue(context);
      await expectInnerValuesReplaced(context);
      await expectLongReplaced(context);
      await expectEqualReplaced(context);
      await expectNamesByTheLetter(context);
      await expectAllKeptByOperations(context, first);
      const write = [replace(pointer(first), given.unique())];
      await expectStatesKept(context, 'a replace', (thing) => service.operations(thing, write));
    }),
  },
  'patch.path.entry-member-addressed': {
    source: 'core: Operations-based PATCH rules 3',
    statement:
      '`/<array>/<entryId>/<member>` addresses one member of the entry with that `$entryId` in that array; what is accepted of a path into an array of an entry has its effect, on a later page as well.',
    fault: 'replace finds entries of page 0 only',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.content-type.selects-operations', 'reading.entries.ids-stable-between-reads'],
    test: scenario(async (context) => {
      const { given, service } = context;
      const owner = await given.objectWithEntries(12);
      const { member, text } = owner.port;
      let before = await service.snapshot(owner);
      for (const place of [3, 11]) {
        const { entryId } = given.present(entriesIn(before, owner.port)[place], `an entry at place ${place}`);
        const value = given.unique();
        const after = await applyOperations(context, { ...owner, version: before.version }, [
          replace(pointer(member, entryId, text), value),
        ]);
        const expected = contentsIn(before, owner.port).map((members, index) =>
          index === place ? { ...members, [text]: value } : members,
        );
        expectContents(context, after, owner.port, 'entries after the replace of a member of one', expected);
        before = after;
      }
      await expectOneOfAlikeReplaced(context);
      await expectEqualObjectLeft(context);
      await expectEmptyTextReplaced(context);
      await expectEveryTextInEntries(context, 'replace');
      // what is lost in here would keep the next one from its pages
      await expectLongInnerKept(context);
      await expectReplacedBehindTheFirstPage(context);
      await expectInnerAloneReplaced(context);
      await expectInnerOfLaterEntryChanged(context);
      await expectArraysToldApart(context);
      await expectLaterEntryAddressed(context);
    }),
  },
  'patch.path.input-schema-names': {
    source: 'core: Patch operation, path; Operations-based PATCH rules 3',
    statement:
      'Paths use the member names of the input schema, whatever the op and whatever schema the object was edited by before; the name that only the output schema knows is not a valid target.',
    fault: 'resolves paths against the output schema',
    needs: ['soft-type', 'renamed-member', 'operations'],
    after: ['patch.path.member-addressed'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const { input, output } = given.present(profile.primary.renamed, 'renamed in the profile');
      const thing = await given.object({ [input]: given.unique() });
      const [first, text] = [given.unique(), given.unique()];
      const shownAfter = async (operation: Operation) => {
        await applyOperations(context, await given.current(thing), [operation]);
        const read = await service.readLong(thing);
        return { value: dataOf(read)[output], read };
      };
      const replaced = await shownAfter(replace(pointer(input), first));
      expect(replaced.value, `${output} after a replace of ${input}`, replaced.read).toEqual(first);
      const isOptional = !Object.hasOwn(given.body(), input);
      const emptied = isOptional ? await shownAfter(remove(pointer(input))) : replaced;
      if (isOptional)
        expect(emptied.value ?? null, `${output} after a remove of ${input}`, emptied.read).notToEqual(first);
      // what is shown as null may count as there
      const isAbsent = emptied.value === undefined;
      const last = isAbsent ? await shownAfter(add(pointer(input), text)) : emptied;
      if (isAbsent) expect(last.value, `${output} after an add of ${input}`, last.read).toEqual(text);
      const current = await given.current(thing);
      const refused = await service.operations(current, [replace(pointer(output), given.unique())]);
      expect(refused).toBeRefused();
      const after = await service.readLong(thing);
      expect(dataOf(after)[output], `${output} after a refused replace`, after).toEqual(last.value);
      await expectNoEffect(context, await given.current(thing), [remove(pointer(output))]);
      await expectNamesKept(context, input, output);
    }),
  },
  'patch.path.data-prefix-refused': {
    source: 'core: Patch operation, path (not the data section)',
    statement: 'A path is not relative to the read response: a leading `/data` segment does not address a member.',
    fault: 'strips a leading data segment from the path',
    needs: ['soft-type', 'text-member', 'operations'],
    after: ['patch.path.member-addressed'],
    test: scenario(async (context) => {
      const { given, profile } = context;
      const member = profile.textMember;
      const thing = await makeEditable(context);
      await expectRefusals(context, thing, [replace(pointer('data', member), given.unique())]);
      const same = await expectNoEffect(context, thing, [remove(pointer('data', member))]);
      await runControl(context, same, [replace(pointer(member), given.unique())]);
      await expectNoEntryBelowData(context);
    }),
  },
  'patch.path.pointer-escapes': {
    source: 'core: Operations-based PATCH rules 3 (JSON Pointer)',
    statement:
      'In a path `~1` stands for a slash and `~0` for a tilde in a member name, decoded as JSON Pointer prescribes.',
    fault: 'decodes ~0 before ~1',
    needs: ['soft-type', 'escaped-member', 'operations'],
    after: ['patch.path.member-addressed'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const name = given.present(profile.primary.escaped, 'escaped in the profile');
      let thing = await given.object();
      const [added, later] = [given.unique(), given.unique()];
      for (const operation of [add(pointer(name), added), replace(pointer(name), later), remove(pointer(name))]) {
        expect(await service.operations(thing, [operation])).toSucceed();
        const read = await service.readLong(thing);
        const seen = expect(dataOf(read)[name], `${name} after the ${String(operation['op'])}`, read);
        if (operation['op'] === 'remove') seen.notToEqual(later);
        else seen.toEqual(operation['value']);
        thing = await given.current(thing);
      }
      // ~01 stands for a tilde before a 1, whatever else the name holds
      const misread = pointer(name).replaceAll('~1', '~01');
      if (misread === pointer(name)) return;
      const same = await expectNoEffect(context, thing, [add(misread, given.unique())]);
      await runControl(context, same, [add(pointer(name), given.unique())], ['patch.path.pointer-escapes']);
    }),
  },
  'patch.path.unusual-pointers': {
    level: 'observe',
    source: 'core: Operations-based PATCH rules 3',
    statement:
      'Not described: a path without leading slash, the path `/`, a member that the schema does not know, a system member such as `/$version`, percent-encoded paths, the id of an entry with a zero before it.',
    needs: ['soft-type', 'text-member', 'operations'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const member = profile.textMember;
      const paths = {
        'no leading slash': member,
        'one slash': '/',
        'an unknown member': pointer(given.unique('unknown')),
        'a system member': '/$version',
        'the object id': '/$oid',
        'percent-encoding': `/%${member.charCodeAt(0).toString(16)}${member.slice(1)}`,
      };
      const thing = await makeEditable(context);
      let before = await service.snapshot(thing);
      for (const [what, path] of Object.entries(paths))
        for (const operation of [replace(path, given.unique()), add(path, given.unique())]) {
          const reply = await service.operations(thing, [operation], { version: before.version });
          const after = await service.snapshot(thing);
          notes.observe(`${String(operation['op'])} with ${what}`, reply.status, reply);
          notes.observe(
            `${String(operation['op'])} with ${what} has effect`,
            !isDeepStrictEqual(contentOf(after), contentOf(before)),
            reply,
          );
          notes.remarkServerError(reply);
          if (after.oid !== before.oid || dataOf(after.reply)['$softType'] !== dataOf(before.reply)['$softType'])
            notes.remark(`A ${String(operation['op'])} with ${what} changed a system member.`, reply);
          before = after;
        }
      if (profile.primary.arrayPort !== undefined) await recordZeroBeforeId(context);
    }),
  },
  'patch.index.position-refused': {
    source: 'core: Operations-based PATCH rules 4',
    statement:
      'A number that is no `$entryId` of the array does not address the entry at that position, nor one of plain values.',
    fault: 'falls back to the position when no entry has the id',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.path.entry-member-addressed'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given } = context;
        const { owner, position } = await withFreePosition(context);
        await expectRefusals(context, owner, [
          replace(pointer(owner.port.member, position, owner.port.text), given.unique()),
        ]);
        await expectNothingRemoved(context, owner, entryPath(owner.port, String(position)));
        const [entry] = await entriesNow(context, owner);
        const { entryId } = given.present(entry, 'an entry');
        await runControl(context, await given.current(owner), [
          replace(pointer(owner.port.member, entryId, owner.port.text), given.unique()),
        ]);
        await expectNoNestedPosition(context);
        await expectNoPositionInList(context);
      }),
    ),
  },
  'patch.index.entry-id-wins': {
    source: 'core: Operations-based PATCH rules 3 and 4',
    statement: 'A path segment that is both an `$entryId` and a possible position addresses the entry that has the id.',
    fault: 'a replace takes an entry id as a position first',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.path.entry-member-addressed'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      const owner = await withIdsAway(context);
      const before = await entriesNow(context, owner);
      const place = before.findIndex(
        (entry, index) =>
          /^\d+$/.test(entry.entryId) && Number(entry.entryId) < before.length && Number(entry.entryId) !== index,
      );
      const target = before[place];
      if (target === undefined) return judgeEachId(context, owner, before);
      const text = given.unique();
      const after = await applyOperations(context, owner, [
        replace(pointer(owner.port.member, target.entryId, owner.port.text), text),
      ]);
      const expected = before.map((entry) => (entry === target ? text : entry.members[owner.port.text]));
      const texts = entriesIn(after, owner.port).map((entry) => entry.members[owner.port.text]);
      expect(texts, 'entries after a replace through an id that is also a position', after.reply).toEqual(
        orderedAs(texts, expected),
      );
    }),
  },
  'patch.index.insert-refused': {
    source: 'core: Operations-based PATCH rules 4 and 5',
    statement:
      '`add` cannot insert at a place inside an array, one inside an entry or of plain values included: neither a position nor the `$entryId` of a present entry is accepted as insertion point.',
    fault: 'add at an entry id inserts the value before that entry',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.add.appends-without-marker'],
    test: scenario(async (context) => {
      const { given } = context;
      const { scalarList } = context.profile.primary;
      const lists = scalarList === undefined ? {} : { [scalarList]: ['one', 'two'] };
      const owner = await given.objectWithEntries(3, { body: lists });
      const before = await entriesNow(context, owner);
      const value = given.entry(given.unique(), {}, owner.port);
      const ids = before.map(({ entryId }) => entryId);
      const position = given.present(
        ['0', '1', '2', '7'].find((number) => !ids.includes(number)),
        'a position that is no entry id',
      );
      const second = given.present(ids[1], 'a second entry');
      const places = [position, second].map((segment) => pointer(owner.port.member, segment));
      const intoLists = Object.keys(lists).flatMap((name) =>
        ['0', '1', '2'].map((place) => [add(pointer(name, place), 'three')]),
      );
      await expectRefusals(context, owner, ...places.map((path) => [add(path, value)]), ...intoLists);
      await runControl(context, owner, [add(pointer(owner.port.member), value)], ['patch.add.appends-without-marker']);
      await expectNoInsertionAnywhere(context);
    }),
  },
});

/** Plain values have no ids, and positions address nothing; whether a remove of nothing is refused is not said. */
async function expectNoPositionInList(context: CaseContext): Promise<void> {
  const { scalarList } = context.profile.primary;
  if (scalarList === undefined) return;
  const path = pointer(scalarList, '1');
  const thing = await context.given.object({ [scalarList]: ['one', 'two'] });
  await expectRefusals(context, thing, [replace(path, 'three')]);
  await expectNoEffect(context, thing, [remove(path)]);
}

/** An edit by a schema that holds less, where there is one and it is taken, leaves the names that paths use as they are. */
async function expectNamesKept(context: CaseContext, input: string, output: string): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { scalars: [first] = [], secondInputSchema } = profile.primary;
  if (first === undefined || secondInputSchema === undefined) return;
  const thing = await given.object({ [input]: given.unique() });
  const brief = { ...thing, type: { ...thing.type, inputSchemaId: secondInputSchema } };
  const edited = await service.merge(brief, { [first]: given.unique() });
  notes.observe('an edit by another schema before operations', edited.status, edited);
  if (!isSuccess(edited.status)) return;
  const text = given.unique();
  await applyOperations(context, await given.current(thing), [replace(pointer(input), text)]);
  const read = await service.readLong(thing);
  expect(dataOf(read)[output], `${output} after an edit by another schema and a replace of ${input}`, read).toEqual(
    text,
  );
}

/** Members for a text that the object may have and does not. */
async function freeMembersOf({ service, profile }: CaseContext, thing: Thing): Promise<readonly string[]> {
  const { members } = await service.snapshot(thing);
  return (profile.primary.scalars ?? []).filter((name) => members[name] === undefined);
}

/** In which texts a path may write the id of an entry is not said. Source: ledger entry-id-form */
async function recordZeroBeforeId(context: CaseContext): Promise<void> {
  const { given, service, notes } = context;
  const owner = await given.objectWithEntries(1);
  const [entry] = await entriesNow(context, owner);
  const path = pointer(owner.port.member, `0${given.present(entry, 'an entry').entryId}`, owner.port.text);
  const reply = await service.operations(owner, [replace(path, given.unique())]);
  notes.observe('replace with a zero before the id of an entry', reply.status, reply);
}

/** Nor does such a path lead to an array, or to an entry of it. */
async function expectNoEntryBelowData(context: CaseContext): Promise<void> {
  const { given, profile } = context;
  if (profile.primary.arrayPort === undefined) return;
  const owner = await given.objectWithEntries(2);
  const [entry] = await entriesNow(context, owner);
  const { entryId } = given.present(entry, 'an entry');
  const { member, text } = owner.port;
  await expectRefusals(context, owner, [replace(pointer('data', member, entryId, text), given.unique())]);
  await expectNoEffect(
    context,
    owner,
    [add(pointer('data', member), given.entry(given.unique(), {}, owner.port))],
    [remove(`${pointer('data', member, entryId)}/`)],
  );
}

/** No id of an entry is a place to insert at, and no number up to the length of the array that is none. */
async function expectNoInsertionAnywhere(context: CaseContext): Promise<void> {
  const { given } = context;
  let owner = await given.objectWithEntries(4);
  const middle = given.present((await entriesNow(context, owner))[2], 'a third entry');
  const removal = [remove(entryPath(owner.port, middle.entryId))];
  owner = await changeBy(context, owner, removal, ['patch.remove.entry-with-trailing-slash']);
  const ids = (await entriesNow(context, owner)).map(({ entryId }) => entryId);
  const free = [0, 1, 2, 3].map(String).filter((number) => !ids.includes(number));
  const value = given.entry(given.unique(), {}, owner.port);
  const places = [...free, ...ids].map((segment) => pointer(owner.port.member, segment));
  await expectRefusals(context, owner, ...places.map((path) => [add(path, value)]));
  await expectNoInsertionInside(context);
}

/** Of entries that are alike the one is edited whose id the path has. */
async function expectOneOfAlikeReplaced(context: CaseContext): Promise<void> {
  const { given, expect } = context;
  const alike = await makeAlike(context, 3);
  if (alike === undefined) return;
  const { entryId } = given.present((await entriesNow(context, alike))[1], 'a second entry');
  const text = given.unique();
  const after = await applyOperations(context, alike, [
    replace(pointer(alike.port.member, entryId, alike.port.text), text),
  ]);
  const textOf = ({ members }: Entry): unknown => members[alike.port.text];
  const entries = entriesIn(after, alike.port);
  const [texts, expected] = [entries.map(textOf), alike.texts.with(1, text)];
  // which one was edited is told by its id, or by its place
  const isNamed = entries.some((entry) => entry.entryId === entryId && textOf(entry) === text);
  expect(texts, 'texts of entries that were alike after a replace in the second', after.reply).toEqual(
    isNamed ? orderedAs(texts, expected) : expected,
  );
}

/** The empty text of an entry is a value that can be replaced, where it is kept as one. */
async function expectEmptyTextReplaced(context: CaseContext): Promise<void> {
  const { given, expect, profile } = context;
  const empty = await makeEmptyText(context);
  if (empty === undefined) return;
  const text = given.unique();
  const after = await applyOperations(context, empty.thing, [replace(empty.path, text)]);
  const [entry] = entriesIn(after, profile.port);
  expect(entry?.members[profile.port.text], 'text of an entry that was empty after a replace', after.reply).toEqual(
    text,
  );
}

/**
 * An entry of an array inside an entry is found behind those of the first page too, where paths lead into such arrays at all and a link to
 * their pages tells the id: neither is said.
 */
async function expectReplacedBehindTheFirstPage(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { nested, member } = profile.port;
  if (nested === undefined) return;
  const owner = await given.objectWithEntries(1, { nested: () => 12 });
  const itemsNow = async () => {
    const read = await service.read(owner);
    const [entry] = entriesOf(read, profile.port);
    const shown: unknown = entry?.members[nested.member];
    const [first] = objectsIn(shown);
    // a link where none is needed may lead to another array
    const link = innerPageLink(read, profile.primary, 12);
    if (entry === undefined || first === undefined || link === undefined) return undefined;
    const page = await service.get(expandLink(link, 1), { base: read });
    const last = page.status === 200 ? entriesOfPage(page).at(-1) : undefined;
    const pathTo = (id: string) => pointer(member, entry.entryId, nested.member, id, nested.text);
    return last && { first: pathTo(String(first['$entryId'])), last: pathTo(last.entryId), page, entry: last };
  };
  const before = await itemsNow();
  if (before === undefined) return;
  const control = await service.operations(owner, [replace(before.first, given.unique())]);
  notes.observe('a member of an array inside an entry is replaced', control.status, control);
  if (!isSuccess(control.status)) return;
  const now = await itemsNow();
  expect(now, 'pages of an array inside an entry whose first one was edited').toBePresent();
  if (now === undefined) return;
  expect(
    entriesOfPage(now.page).length,
    'entries on page 1 of twelve inside an entry after an edit of the first',
    now.page,
  ).toEqual(2);
  const text = given.unique();
  expect(await service.operations(await given.current(owner), [replace(now.last, text)])).toSucceed();
  const after = await itemsNow();
  expect(
    after?.entry.members[nested.text],
    'text of the twelfth entry inside an entry after its replace',
    after?.page,
  ).toEqual(text);
}

/** The same of an array inside an entry, where paths lead into it at all: how deep they may is not said. */
async function expectNoNestedPosition(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { nested } = profile.port;
  if (nested === undefined) return;
  const { owner, ids, pathTo } = await makeThreeInside(context, nested);
  const position = ids.findIndex((_id, index) => !ids.includes(String(index)));
  const byId =
    ids[0] === undefined
      ? undefined
      : await service.operations(owner, [replace(pathTo(ids[0], nested.text), given.unique())]);
  const isJudged = byId !== undefined && isSuccess(byId.status) && position !== -1;
  notes.observe('a position in an array inside an entry is tried', isJudged, byId);
  if (!isJudged) return;
  await expectRefusals(context, await given.current(owner), [replace(pathTo(position, nested.text), given.unique())]);
  const textsNow = async (): Promise<readonly unknown[]> => {
    const [now] = entriesOf(await service.read(owner), profile.port);
    const inner: unknown = now?.members[nested.member];
    return Array.isArray(inner) ? inner.map((item) => isObject(item) && item[nested.text]) : [];
  };
  const before = await textsNow();
  const removal = remove(`${pathTo(position)}/`);
  const reply = await service.operations(await given.current(owner), [removal]);
  notes.observe('remove through a position in an array inside an entry', reply.status, reply);
  expect(await textsNow(), 'entries inside an entry after a remove through a position', reply).toEqual(before);
}

/** Ids that are no positions: what is read out of one as a number may still be one, so that each has to lead to its own entry. */
async function judgeEachId(context: CaseContext, owner: Owner, before: readonly Entry[]): Promise<void> {
  const { given, expect } = context;
  if (before.some(({ entryId }, index) => entryId === String(index))) return given.inconclusive(nothingToTellApart);
  const shown = (entries: readonly Entry[]): unknown[] => entries.map((entry) => entry.members[owner.port.text]);
  for (const place of before.keys()) {
    // an edit may give entries other ids and places
    const entries = await entriesNow(context, owner);
    const { entryId } = given.present(entries[place], 'as many entries as before');
    const text = given.unique();
    const path = pointer(owner.port.member, entryId, owner.port.text);
    const after = await applyOperations(context, await given.current(owner), [replace(path, text)]);
    const found = shown(entriesIn(after, owner.port));
    expect(found, 'entries after a replace through an id that is no position', after.reply).toEqual(
      orderedAs(found, shown(entries).with(place, text)),
    );
  }
}

/** No entry goes; whether a remove of nothing is refused is not said. */
async function expectNothingRemoved(context: CaseContext, owner: Owner, path: string): Promise<void> {
  const before = await entriesNow(context, owner);
  const reply = await context.service.operations(owner, [remove(path)]);
  context.notes.observe('remove through a position', reply.status, reply);
  context
    .expect(membersOf(await entriesNow(context, owner)), 'entries after a remove through a position', reply)
    .toEqual(membersOf(before));
}

/** Five entries or fewer, and a position among them that is no entry id. */
async function withFreePosition(context: CaseContext): Promise<{ owner: Owner; position: number }> {
  let owner = await context.given.objectWithEntries(5);
  for (let left = 5; left > 1; left -= 1) {
    const entries = await entriesNow(context, owner);
    const position = entries.findIndex((_entry, index) => !entries.some(({ entryId }) => entryId === String(index)));
    if (position !== -1) return { owner, position };
    owner = await changeBy(context, owner, [remove(entryPath(owner.port, entries[0]?.entryId ?? ''))]);
  }
  return context.given.inconclusive('Every position is an entry id, whatever is removed.');
}

/** Six entries of nine, early ones removed, so that ids and positions differ. */
async function withIdsAway(context: CaseContext): Promise<Owner> {
  let owner = await context.given.objectWithEntries(9);
  for (let removed = 0; removed < 3; removed += 1) {
    const [first] = await entriesNow(context, owner);
    owner = await changeBy(context, owner, [remove(entryPath(owner.port, first?.entryId ?? ''))]);
  }
  return owner;
}
