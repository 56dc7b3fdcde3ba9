import { constantFrom } from 'fast-check';
import { dataOf, entriesOf, expandLink, idsOf, innerPageLink, memberOf } from '../../judge/service/answers.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { entriesPerPage } from '../../contract/limits.ts';
import { isObject, objectsIn, orderedAs, pointer } from '../../judge/json.ts';
import type { Owner, Port } from '../../judge/things.ts';
import { type CaseContext, property, onEverySpace, scenario } from '../../judge/case.ts';
import { rules } from '../../judge/rule.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { textsKept } from '../../judge/service/texts.ts';
import { expectReferenceAddedWithMarker, expectReferenceLast } from './checks/references-written.ts';
import { expectReferencesFollowOperations } from './checks/reference-edits.ts';
import { expectAlikeReferenceAppended } from './checks/alike-references.ts';
import { expectAddedToEmptied, expectNoDeepAddedOver, expectSiblingsInsideKept } from './checks/deep-members.ts';
import { expectMarkerOfTheSecond, expectWholeWithMarker } from './checks/end-marker.ts';
import { expectEveryKindStored } from './checks/every-kind.ts';
import { expectNoKindAddedOver } from './checks/member-operations.ts';
import {
  expectBothArraysKept,
  expectInnerGrown,
  expectLongArrayKept,
  operationsBeside,
  textsBeside,
} from './checks/long-arrays.ts';
import { expectNestedBegun } from './checks/nested-begun.ts';
import { addingMembers, addingNumbers } from './checks/member-writes.ts';
import { expectNumbersKept } from './checks/number-kinds.ts';
import {
  add,
  applyOperations,
  changeBy,
  entriesIn,
  entriesNow,
  entryPath,
  entryWith,
  expectRefusals,
  inLists,
  isWithoutValue,
  makeAlike,
  makeEmptyText,
  membersOf,
  plainValues,
  remove,
  replace,
  runControl,
} from './checks/operation-steps.ts';
import { expectAddedArraysWhole } from './checks/added-arrays.ts';
import { expectObjectAddedInEntry } from './checks/objects-in-entries.ts';
import { expectLongTextAdded } from './checks/long-values.ts';
import { expectListAppended } from './checks/plain-lists.ts';
import { expectEveryTextInEntries } from './checks/texts-in-entries.ts';

/** Operations of one list. */
const longList = 101;

export const addRules = rules('patch', {
  'patch.add.appends-without-marker': {
    source: 'core: Operations-based PATCH rules 5',
    statement:
      '`add` with the path of an array and an object value appends the object as an entry; an entry that is like those that are there is one more, a reference as well, also by a list that was sent before; a text that is taken for an array of texts joins those in it, with the end marker and without. A long array that a list of operations does not name stays whole, and references on two pages are what such lists make of them.',
    fault: 'add to an array path is refused as an existing member',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      for (const count of [0, 3, 9, 10]) {
        const owner = await given.objectWithEntries(count);
        const before = await entriesNow(context, owner);
        const text = given.unique();
        const after = await applyOperations(context, owner, [
          add(pointer(owner.port.member), given.entry(text, {}, owner.port)),
        ]);
        const entries = entriesIn(after, owner.port);
        expect(entries.length, `entries of ${count} after an append`, after.reply).toEqual(count + 1);
        const added = given.present(entryWith(entries, owner.port, text) ?? entries.at(-1), 'an entry');
        expect(added.members[owner.port.text], 'text of the appended entry', after.reply).toEqual(text);
        expect(membersOf(entries.filter((entry) => entry !== added)), 'the old entries', after.reply).toEqual(
          membersOf(before),
        );
      }
      await expectEveryTextAppended(context);
      await expectAlikeAppended(context);
      await expectAlikeReferenceAppended(context);
      await expectReferencesFollowOperations(context);
      await expectListAppended(context);
      await expectLongTextAdded(context);
      await expectLongArrayKept(context, operationsBeside(context));
      await expectBothArraysKept(context, textsBeside(context));
    }),
  },
  'patch.add.appends-with-marker': {
    source: 'core: Operations-based PATCH rules 5',
    statement:
      '`add` with `/<array>/-` has the same effect as without the end marker, also on what is inside the entry, and where the array is empty.',
    fault: 'stores the new entry under the entry id "-"',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.add.appends-without-marker'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const text = given.unique();
      const contents = [];
      // an array of none is one as well
      await expectReferenceAddedWithMarker(context);
      for (const [count, path] of [
        [2, []],
        [2, ['-']],
        [0, []],
        [0, ['-']],
      ] as const) {
        const owner = await given.objectWithEntries(count);
        const after = await applyOperations(context, owner, [
          add(pointer(owner.port.member, ...path), given.entry(text, {}, owner.port)),
        ]);
        const entries = entriesIn(after, owner.port);
        const ids = entries.map(({ entryId }) => entryId);
        expect(ids, 'ids of the entries', after.reply).toSatisfy('other than -', () => !ids.includes('-'));
        const read = await service.read(owner);
        const names = Object.keys(dataOf(read));
        expect(names, 'names of the members', read).toSatisfy('other than -', () => !names.includes('-'));
        const texts = entries.map((entry) => String(entry.members[owner.port.text]));
        contents.push({
          places: texts.flatMap((each, place) => (each === text ? [place] : [])),
          // in which order entries of one body stand is not said
          others: texts.map((each) => owner.texts.indexOf(each)).toSorted(),
        });
      }
      const [bare, marked, bareFirst, markedFirst] = contents;
      expect(marked, 'entries after an append with end marker').toEqual(bare);
      expect(markedFirst, 'entries after the first append, with end marker').toEqual(bareFirst);
      await expectWholeWithMarker(context);
      await expectMarkerOfTheSecond(context);
    }),
  },
  'patch.add.lands-last': {
    source: 'core: Operations-based PATCH rules 5',
    statement:
      'The appended entry is the last of the array, behind all pages, however many a list appends, in whichever entry the array is and however long it is there, in a second array or one of references as well, with the end marker as without, and where entries before it and behind it were removed.',
    fault: 'appends behind page 0 instead of behind the last page',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.add.appends-without-marker', 'paging.pages.cover-array-once'],
    test: property(
      constantFrom(0, 1, 9, 10, 11, 19, 20),
      async (context, start) => {
        const { given, expect } = context;
        const owner = await given.objectWithEntries(start);
        const texts = [given.unique(), given.unique()];
        const after = await applyOperations(
          context,
          owner,
          texts.map((text) => add(pointer(owner.port.member), given.entry(text, {}, owner.port))),
        );
        const last = entriesIn(after, owner.port)
          .slice(-2)
          .map((entry) => entry.members[owner.port.text]);
        expect(last, `last entries of ${start} after two appends`, after.reply).toEqual(texts);
        if (start === 10) await expectLastAfterRemovals(context, await given.current(owner));
        if (start === 19) await expectLastInSecond(context, start);
        if (start !== 0) return;
        for (const count of [2, 12]) await expectNestedLast(context, count);
        await expectReferenceLast(context);
        await expectNestedBegun(context);
        await expectInnerGrown(context);
        await expectLongListApplied(context);
      },
      { always: [0, 9, 10, 19], share: 0.1 },
    ),
  },
  'patch.add.new-entry-gets-id': {
    source: 'core: System properties, $entryId; Operations-based PATCH rules 5',
    statement: 'An appended entry has an `$entryId` of its own that a following request can use.',
    fault: 'entries added by operations carry no entry id until the next PUT',
    needs: ['soft-type', 'array-port', 'operations'],
    after: [
      'patch.add.appends-without-marker',
      'patch.path.entry-member-addressed',
      'patch.remove.entry-with-trailing-slash',
    ],
    test: scenario(async (context) => {
      const { given, expect } = context;
      let owner = await given.objectWithEntries(2);
      const [text, later] = [given.unique(), given.unique()];
      owner = await changeBy(context, owner, [add(pointer(owner.port.member), given.entry(text, {}, owner.port))]);
      const entries = await entriesNow(context, owner);
      const added = entryWith(entries, owner.port, text);
      const { entryId } = given.present(added, 'the appended entry', ['patch.add.appends-without-marker']);
      expect(entryId, '$entryId of the appended entry').notToEqual('');
      expect(
        idsOf(entries).filter((other) => other === entryId).length,
        'entries with the id of the appended one',
      ).toEqual(1);
      const edited = await applyOperations(context, owner, [
        replace(pointer(owner.port.member, entryId, owner.port.text), later),
      ]);
      const editedEntry = entryWith(entriesIn(edited, owner.port), owner.port, later);
      expect(editedEntry, 'the appended entry after a replace through its id', edited.reply).toBePresent();
      const removal = [remove(entryPath(owner.port, editedEntry?.entryId ?? ''))];
      const left = await applyOperations(context, await given.current(owner), removal);
      const texts = entriesIn(left, owner.port).map((entry) => entry.members[owner.port.text]);
      expect(texts.toSorted(), 'entries after the removal of the appended one', left.reply).toEqual(
        owner.texts.toSorted(),
      );
    }),
  },
  'patch.add.missing-member-added': {
    source: 'core: Operations-based PATCH rules 5',
    statement:
      '`add` on a member that has no value yet gives it the value, at the root and inside an entry; inside an object, where a path leads there, what is beside it stays; after a remove, or a PUT without it, the member may be added again.',
    fault: 'add works at the root only',
    needs: ['soft-type', 'text-member', 'array-port', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const member = profile.textMember;
      const owner = await given.objectWithEntries(2, {
        members: (index) => (index === 0 ? { [profile.port.text]: undefined } : {}),
      });
      const { arrays, members, reply } = await service.snapshot(owner);
      const before = arrays[owner.port.member] ?? [];
      // an entry may have a text by itself
      const target = before.find((entry) => isWithoutValue(entry.members[owner.port.text]));
      const [text, inner] = [given.unique(), given.unique()];
      // what an object has by default has a value
      const free = Object.entries(plainValues(profile.primary).emptiest).filter(([name]) =>
        isWithoutValue(members[name]),
      );
      notes.observe('numbers and truth values without a value in a fresh object', free.length, reply);
      const emptiest = Object.fromEntries(free);
      const after = await applyOperations(context, owner, [
        add(pointer(member), text),
        ...Object.entries(emptiest).map(([name, value]) => add(pointer(name), value)),
        ...(target === undefined ? [] : [add(pointer(owner.port.member, target.entryId, owner.port.text), inner)]),
      ]);
      for (const [name, value] of Object.entries({ [member]: text, ...emptiest }))
        expect(after.members[name], `${name} after the add`, after.reply).toEqual(value);
      const expected = before.map((entry) => (entry === target ? inner : entry.members[owner.port.text]));
      const texts = entriesIn(after, owner.port).map((entry) => entry.members[owner.port.text]);
      expect(texts, 'texts of the entries after the add', after.reply).toEqual(orderedAs(texts, expected));
      const again = given.unique();
      const bare = await changeBy(
        context,
        await given.current(owner),
        [remove(pointer(member))],
        ['patch.remove.member-gone'],
      );
      const readded = await applyOperations(context, bare, [add(pointer(member), again)]);
      expect(readded.members[member], `${member}, added again after a remove`, readded.reply).toEqual(again);
      await expectAddedBehindPut(context);
      await expectSiblingsInsideKept(context);
      await expectAddedToEmptied(context);
      await expectEveryTextInEntries(context, 'add');
      await expectNumbersKept(context, 'adds of one list', addingNumbers(context));
      const limits = { without: 'an array of texts', isAdding: true } as const;
      await expectEveryKindStored(context, 'adds of one list', addingMembers(context), limits);
    }),
  },
  'patch.add.existing-member-refused': {
    source: 'core: Operations-based PATCH rules 5; Errors rule 3',
    statement:
      '`add` on a member that already has a value is refused, in an object and in an entry inside an entry as well; `replace` is the op for that.',
    fault: 'add overwrites, as plain JSON Patch does',
    needs: ['soft-type', 'text-member', 'array-port', 'operations'],
    after: ['patch.add.missing-member-added'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, profile } = context;
        const member = profile.textMember;
        const held = given.unique();
        const owner = await given.objectWithEntries(2, { body: { [member]: held } });
        const [entry] = await entriesNow(context, owner);
        const inner = pointer(owner.port.member, given.present(entry, 'an entry').entryId, owner.port.text);
        await expectNothingMuchHeld(context);
        const operations = [
          add(pointer(member), given.unique()),
          add(pointer(member), held),
          add(inner, given.unique()),
          add(inner, entry?.members[owner.port.text]),
        ];
        await expectRefusals(context, owner, ...operations.map((operation) => [operation]));
        await runControl(context, owner, [replace(pointer(member), given.unique()), replace(inner, given.unique())]);
        const empty = await makeEmptyText(context);
        if (empty !== undefined) await expectRefusals(context, empty.thing, [add(empty.path, given.unique())]);
        await expectNoKindAddedOver(context);
        await expectNoDeepAddedOver(context);
      }),
    ),
  },
  'patch.add.object-value': {
    source: 'core: Operations-based PATCH rules 6',
    statement: '`add` accepts an object as value for a member that has none, at the root and in an entry.',
    fault: 'add accepts scalars only',
    needs: ['soft-type', 'object-member', 'operations'],
    after: ['patch.add.missing-member-added'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const object = given.present(profile.primary.object, 'object in the profile');
      await expectObjectAddedInEntry(context);
      const thing = await given.object();
      const value = given.inner(object);
      const { members } = await service.snapshot(thing);
      const reply = await service.operations(thing, [add(pointer(object.member), value)]);
      // what is there in every object exists
      if (reply.status >= 400 && isObject(members[object.member])) return expectEntryAdded(context);
      expect(reply).toSucceed();
      const after = await service.snapshot(thing);
      const read: unknown = after.members[object.member];
      for (const [name, text] of Object.entries(value))
        expect(isObject(read) ? read[name] : undefined, `${name} of the added object`, after.reply).toEqual(text);
    }),
  },
  'patch.add.array-value': {
    source: 'core: Operations-based PATCH rules 6',
    statement:
      '`add` accepts a value that holds an array, and stores each of its items. Whether it takes an array as the value itself is recorded only; one that it takes is stored whole.',
    fault: 'arrays inside an added value are dropped',
    needs: ['soft-type', 'array-port', 'nested-array-port', 'operations'],
    after: ['patch.add.appends-without-marker'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      const owner = await given.objectWithEntries(1);
      const nested = given.present(owner.port.nested, 'arrayPort.nested in the profile');
      const [text, ...inner] = [given.unique(), given.unique(), given.unique()];
      const value = given.entry(
        text,
        { [nested.member]: inner.map((item) => given.nestedEntry(item, nested)) },
        owner.port,
      );
      const after = await applyOperations(context, owner, [add(pointer(owner.port.member), value)]);
      const entry = entriesOf(after.reply, owner.port).find(({ members }) => members[owner.port.text] === text);
      const items: unknown = entry?.members[nested.member];
      const read = objectsIn(items);
      // entries of one value may stand in any order
      expect(
        read.map((item) => String(item[nested.text])).toSorted(),
        'nested entries of the added one',
        after.reply,
      ).toEqual(inner.toSorted());
      expectIds(context, read, 'a nested entry', after.reply);
      await expectAddedArraysWhole(context);
      await expectIdsInAddedArray(context, nested);
    }),
  },
});

/** An array that an entry gets as a whole: that it is taken is not said, but an object in an array has an id. */
async function expectIdsInAddedArray(context: CaseContext, nested: NonNullable<Port['nested']>): Promise<void> {
  const { given, service, notes } = context;
  const owner = await given.objectWithEntries(1);
  const entry = given.present((await entriesNow(context, owner))[0], 'the entry');
  const texts = [given.unique(), given.unique()];
  const path = pointer(owner.port.member, entry.entryId, nested.member);
  const reply = await service.operations(owner, [
    add(
      path,
      texts.map((text) => given.nestedEntry(text, nested)),
    ),
  ]);
  notes.observe('an array added as a member of an entry', reply.status, reply);
  const read = await service.read(owner);
  const items = objectsIn(entriesOf(read, owner.port)[0]?.members[nested.member]);
  const added = items.filter((item) => texts.includes(String(item[nested.text])));
  expectIds(context, added, 'an entry inside an array that was added', read);
}

function expectIds({ expect }: CaseContext, items: ReturnType<typeof objectsIn>, what: string, reply: Reply): void {
  for (const item of items)
    expect(typeof item['$entryId'], `type of $entryId of ${what}`, reply).toBeOneOf(['number', 'string']);
}

/** An array takes an object in any case. */
async function expectEntryAdded(context: CaseContext): Promise<void> {
  const { given, expect, notes, profile } = context;
  notes.observe('an object is added to a member that holds one in every object', 'refused');
  if (profile.primary.arrayPort === undefined)
    return given.inconclusive(
      'The object of the profile is there in every object, and there is no array to add one to.',
    );
  const owner = await given.objectWithEntries(0);
  const text = given.unique();
  const after = await applyOperations(context, owner, [
    add(pointer(owner.port.member), given.entry(text, {}, owner.port)),
  ]);
  const texts = entriesIn(after, owner.port).map(({ members }) => members[owner.port.text]);
  expect(texts, `texts of ${owner.port.member} after an add of an object`, after.reply).toEqual([text]);
}

/** What a PUT leaves out does not exist any more. Nothing is asserted where the profile knows no PUT, or the member has a value all the same. */
async function expectAddedBehindPut(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (profile.all.routes?.softTypePut === undefined) return;
  const member = profile.textMember;
  const thing = await given.object({ [member]: given.unique() });
  const put = await service.put(thing, given.body());
  const { members, reply } = await service.snapshot(thing);
  const isGone = isSuccess(put.status) && isWithoutValue(members[member]);
  notes.observe('a text that a PUT leaves out has no value', isGone, reply);
  if (!isGone) return;
  const text = given.unique();
  const after = await applyOperations(context, await given.current(thing), [add(pointer(member), text)]);
  expect(after.members[member], `${member}, added behind a PUT that left it out`, after.reply).toEqual(text);
}

/** No place that is free again is taken: of twelve entries one in the middle and the last two are removed before another is appended. */
async function expectLastAfterRemovals(context: CaseContext, owner: Owner): Promise<void> {
  const { given, expect } = context;
  const { member, text: name } = owner.port;
  const entries = await entriesNow(context, owner);
  // from behind, as the entries behind one that goes may get other ids
  const gone = [...entries.slice(3, 4), ...entries.slice(-2)]
    .toReversed()
    .map(({ entryId }) => remove(entryPath(owner.port, entryId)));
  const shorter = await changeBy(context, owner, gone, ['patch.remove.entry-with-trailing-slash']);
  const text = given.unique();
  const after = await applyOperations(context, shorter, [add(pointer(member), given.entry(text, {}, owner.port))]);
  const texts = entriesIn(after, owner.port).map((entry) => entry.members[name]);
  expect(texts.at(-1), 'last entry after an append that follows removals', after.reply).toEqual(text);
}

/** The same of another array beside it, as long. */
async function expectLastInSecond(context: CaseContext, start: number): Promise<void> {
  const { given, expect, profile } = context;
  if (profile.primary.secondArrayPort === undefined) return;
  const { secondPort } = profile;
  const owner = await given.objectWithEntries(1, { second: start });
  const text = given.unique('last');
  const entry = given.entry(text, {}, secondPort);
  const after = await applyOperations(context, owner, [add(pointer(secondPort.member), entry)]);
  const last = entriesIn(after, secondPort).at(-1)?.members[secondPort.text];
  expect(last, `last entry of the second array, of ${start}, after an append`, after.reply).toEqual(text);
}

/** The same of an array inside an entry, where paths lead into it at all: how deep they may is not said. */
async function expectNestedLast(context: CaseContext, count: number): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { nested, member } = profile.port;
  if (nested === undefined) return;
  // the first of few entries, and the last of many, which no first read shows
  const place = count > 10 ? -1 : 0;
  // the arrays of few entries are long themselves
  let length = count > 10 ? 2 : 11;
  let owner = await given.objectWithEntries(count, { nested: () => length });
  let isTaken = false;
  for (const end of [[], ['-']]) {
    const entry = (await entriesNow(context, owner)).at(place);
    const { entryId, members } = given.present(entry, 'an entry');
    const text = given.unique('last');
    const path = pointer(member, entryId, nested.member, ...end);
    const reply = await service.operations(owner, [add(path, given.nestedEntry(text, nested))]);
    notes.observe('an append to an array inside an entry', reply.status, reply);
    // where such an array is a target at all the end marker may be given or left out
    if (isTaken) expect(reply).toSucceed();
    if (!isSuccess(reply.status)) continue;
    isTaken = true;
    const { arrays, reply: read } = await service.snapshot(owner);
    owner = await given.current(owner);
    // for how long an entry keeps its id is not said
    const after = arrays[member]?.find((each) => each.members[profile.port.text] === members[profile.port.text]);
    // where all of a short array was shown, what is appended to it is shown as well
    const isShown = objectsIn(members[nested.member]).length === length && length < entriesPerPage;
    length += 1;
    const items = await innerEntries(context, read, after?.members[nested.member], length);
    if (items.length < length && !isShown) continue;
    const last = items.at(-1);
    expect(
      isObject(last) ? last[nested.text] : last,
      `last entry of an array inside one of ${count} entries`,
      read,
    ).toEqual(text);
  }
  if (isTaken && count > 10) await expectNestedLastInEach(context, owner);
}

/** What a read shows of an array inside an entry, and behind its page link, which the length tells from those of others; how such pages are linked is not said. */
async function innerEntries(
  { service, notes, profile }: CaseContext,
  read: Reply,
  shown: unknown,
  length: number,
): Promise<readonly unknown[]> {
  const first: readonly unknown[] = Array.isArray(shown) ? shown : [];
  const link = first.length < length ? innerPageLink(read, profile.primary, length) : undefined;
  if (link === undefined) return first;
  const page = await service.get(expandLink(link, 1), { base: read });
  notes.observe('the second page of an array inside an entry', page.status, page);
  return [...first, ...(page.status === 200 ? objectsIn(memberOf(page, 'data')) : [])];
}

/** Operations of one document may lead into two entries, and two of them into one. */
async function expectNestedLastInEach(context: CaseContext, owner: Owner): Promise<void> {
  const { given, expect } = context;
  const { member } = owner.port;
  const nested = given.present(owner.port.nested, 'arrayPort.nested in the profile');
  const [one, other] = (await entriesNow(context, owner)).map(({ entryId }) => entryId);
  if (one === undefined || other === undefined) return;
  const texts = [one, one, other].map((entryId) => [entryId, given.unique()] as const);
  const after = await applyOperations(
    context,
    owner,
    texts.map(([entryId, text]) => add(pointer(member, entryId, nested.member), given.nestedEntry(text, nested))),
  );
  const inside = after.arrays[member]?.map(({ members }) =>
    objectsIn(members[nested.member]).map((item) => item[nested.text]),
  );
  const endings = inside?.map((items) => items.at(-1));
  for (const [, text] of texts.slice(1))
    expect(
      endings,
      'last texts of the arrays inside entries, one document having appended to two',
      after.reply,
    ).toSatisfy(`texts with ${text} among them`, () => endings?.includes(text) === true);
  const [[, before] = [], [, behind] = []] = texts;
  expect(
    inside?.find((items) => items.includes(behind))?.at(-2) ?? null,
    'text before the last one of an array inside an entry that one document has appended to twice',
    after.reply,
  ).toEqual(before);
}

/** No operation of a long list is passed over, and each appends behind the one before it; how long one may be, and an array, no document says. */
async function expectLongListApplied(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const owner = await given.objectWithEntries(1);
  const texts = Array.from({ length: longList }, () => given.unique());
  const reply = await service.operations(
    owner,
    texts.map((text) => add(pointer(profile.port.member), given.entry(text, {}, owner.port))),
  );
  notes.observe(`status of one list of ${longList} appends`, reply.status, reply);
  if (reply.status >= 400 && reply.status < 500) return;
  expect(reply).toSucceed();
  const after = await service.snapshot(owner);
  const found = entriesIn(after, owner.port).map(({ members }) => members[owner.port.text]);
  expect(found, `entries after one list of ${longList} appends`, after.reply).toEqual([...owner.texts, ...texts]);
}

/** Every kind of text that a create keeps is kept by an append too. */
async function expectEveryTextAppended(context: CaseContext): Promise<void> {
  const { given, expect, profile } = context;
  for (const texts of inLists((await textsKept(context)).telling.filter((text) => text !== ''))) {
    const owner = await given.objectWithEntries(0);
    const operations = texts.map((text) => add(pointer(profile.port.member), given.entry(text, {}, owner.port)));
    const after = await applyOperations(context, owner, operations);
    expect(
      entriesIn(after, owner.port)
        .map(({ members }) => members[owner.port.text])
        .toSorted(),
      'texts of the appended entries',
      after.reply,
    ).toEqual(texts.toSorted());
  }
}

/** An entry that is like those that are there is one more, where the service keeps such. */
async function expectAlikeAppended(context: CaseContext): Promise<void> {
  const { expect } = context;
  const alike = await makeAlike(context, 2);
  if (alike === undefined) return;
  const sent: unknown = alike.body[alike.port.member];
  const [entry] = Array.isArray(sent) ? sent : [];
  const append = add(pointer(alike.port.member), entry);
  const after = await applyOperations(context, alike, [append, append]);
  const entries = entriesIn(after, alike.port);
  const texts = entries.map(({ members }) => members[alike.port.text]);
  expect(texts, 'texts of two entries that are alike after two more in one list', after.reply).toEqual([
    ...alike.texts,
    alike.texts[0],
    alike.texts[0],
  ]);
  expect(new Set(idsOf(entries)).size, 'ids of four entries that are alike', after.reply).toEqual(entries.length);
  const again = await applyOperations(context, { ...alike, version: after.version }, [append, append]);
  const more = entriesIn(again, alike.port).length;
  expect(more, 'entries that are alike after the list that appended two was sent again', again.reply).toEqual(6);
}

/** The empty text, zero and false are values where a read shows them, and does not of an object that has none: no add takes their place, a replace does. */
async function expectNothingMuchHeld(context: CaseContext): Promise<void> {
  const { given, service, notes, profile } = context;
  const { emptiest, fullest } = plainValues(profile.primary);
  const [first] = profile.primary.scalars ?? [];
  const { members: blank } = await service.snapshot(await given.object());
  const sent: Record<string, unknown> = { ...(first !== undefined && { [first]: '' }), ...emptiest };
  const thing = await unlessRefused(() => given.object(sent));
  if (thing === undefined) return notes.observe('an object with values like the empty text and zero', 'refused');
  const { members, reply } = await service.snapshot(thing);
  const held = Object.entries(sent).filter(([name, value]) => members[name] === value && blank[name] !== value);
  notes.observe('values like the empty text and zero that are held', held.length, reply);
  const later = held.map(([name]) => [name, name === first ? given.unique() : fullest[name]] as const);
  if (later.length === 0) return;
  await expectRefusals(context, thing, ...later.map(([name, value]) => [add(pointer(name), value)]));
  await runControl(
    context,
    thing,
    later.map(([name, value]) => replace(pointer(name), value)),
    ['patch.path.member-addressed'],
  );
}
