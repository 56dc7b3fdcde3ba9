import type { Entry } from '../../contract/judge-read.ts';
import { dataOf, entriesOf, versionOf } from '../../judge/service/answers.ts';
import { sendBatch } from '../../judge/service/batch.ts';
import { type CaseContext, onEveryType, onEverySpace, scenario } from '../../judge/case.ts';
import { isSuccess } from '../../judge/exchange.ts';
import type { Owner, Thing } from '../../judge/things.ts';
import { isObject, objectsIn, orderedAs, pointer } from '../../judge/json.ts';
import { targetsOf } from '../../judge/service/multi-create.ts';
import { portOf } from '../../judge/profile.ts';
import { rules } from '../../judge/rule.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { expectDatedGoneBehind } from './checks/dated-removed.ts';
import { expectEveryKindRemoved } from './checks/member-operations.ts';
import { makeReferrer } from '../../judge/service/referrers.ts';
import { expectLateInnerRemoved } from './checks/long-arrays.ts';
import { expectNestedCascade, expectNestedGone } from './checks/nested-removed.ts';
import { findNoText } from '../../judge/service/texts.ts';
import { expectReferencesRemovedById } from './checks/reference-pages.ts';
import { makeEditable } from '../../judge/service/writes.ts';
import { expectEditedEntryGone } from './checks/told-apart.ts';
import { expectAlikeReferenceRemoved } from './checks/alike-references.ts';
import {
  add,
  applyOperations,
  areIdsKept,
  contentsIn,
  entriesIn,
  entriesNow,
  entryPath,
  expectContents,
  expectRefusals,
  expectRemovedOnce,
  isOfKeptIds,
  isWithoutValue,
  makeAlike,
  makeEmptyText,
  membersOf,
  plainValues,
  remove,
  replace,
  runControl,
} from './checks/operation-steps.ts';
import { membersWith, referencesIn } from '../../judge/service/soft-types.ts';

export const removeRules = rules('patch', {
  'patch.remove.member-gone': {
    source: 'core: Operations-based PATCH rules 8; Patch operation, op',
    statement:
      '`remove` of an optional member takes its value away and nothing else, also of one inside an object where a path leads to it.',
    fault: 'remove sets the member to an empty string',
    needs: ['soft-type', 'scalar-members', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, profile } = context;
        const [first, second] = profile.scalars;
        const content = { [first]: given.unique(), [second]: given.unique() };
        const { arrayPort } = profile.primary;
        const owner =
          arrayPort === undefined ? await given.object(content) : await given.objectWithEntries(11, { body: content });
        const before = await service.snapshot(owner);
        const after = await applyOperations(context, owner, [remove(pointer(first))]);
        expect(after.members[first], `${first} after the remove`, after.reply).toSatisfy(
          'without a value',
          await findNoText(context),
        );
        expect(after.members[second], `${second} after the remove of ${first}`, after.reply).toEqual(
          before.members[second],
        );
        if (arrayPort !== undefined)
          expectContents(
            context,
            after,
            profile.port,
            'entries after the remove of a scalar',
            contentsIn(before, profile.port),
          );
        await applyOperations(context, await given.current(owner), [add(pointer(first), given.unique())]);
        await expectInnerGone(context);
        await expectNothingMuchGone(context);
        await expectEveryKindRemoved(context);
        await expectDatedGoneBehind(context);
      }),
    ),
  },
  'patch.remove.with-value-refused': {
    source: 'core: Operations-based PATCH rules 8; Patch operation, value',
    statement: '`remove` with a `value` member is refused, be it of a member, of one inside an entry or of an entry.',
    fault: 'ignores value on remove',
    needs: ['soft-type', 'text-member', 'operations'],
    after: ['patch.content-type.selects-operations', 'patch.remove.member-gone'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, profile } = context;
        const member = profile.textMember;
        const held = given.unique();
        const thing = await given.object({ [member]: held });
        const values = [held, given.unique(), { inner: held }];
        await expectRefusals(context, thing, ...values.map((value) => [{ ...remove(pointer(member)), value }]));
        await runControl(context, thing, [remove(pointer(member))], ['patch.remove.member-gone']);
        await expectNoneInEntryWith(context, [given.unique(), { inner: held }]);
      }),
    ),
  },
  'patch.remove.with-null-value-refused': {
    source: 'core: Operations-based PATCH rules 8; Patch operation, value',
    statement:
      'A `value` of null, false, 0 or the empty string is a present value too, so `remove` with it is refused.',
    fault: 'tests value for truth instead of presence',
    needs: ['soft-type', 'text-member', 'operations'],
    after: ['patch.content-type.selects-operations', 'patch.remove.with-value-refused'],
    test: scenario(async (context) => {
      const removal = remove(pointer(context.profile.textMember));
      const thing = await makeEditable(context);
      await expectRefusals(context, thing, ...[null, false, 0, '', [], {}].map((value) => [{ ...removal, value }]));
      await runControl(context, thing, [removal], ['patch.remove.member-gone']);
      await expectNoneInEntryWith(context, [null, '']);
    }),
  },
  'patch.remove.cascades-to-parent': {
    source: 'core: Operations-based PATCH rules 8',
    statement:
      'Removing a member without which its entry breaks the model removes the entry as well, on whatever page it stands and whatever the list did to it before.',
    fault: 'leaves the entry without its mandatory member',
    needs: ['soft-type', 'array-port', 'mandatory-member', 'operations'],
    after: ['patch.remove.member-gone'],
    test: onEverySpace(
      onEveryType(
        scenario(async (context) => {
          const { given } = context;
          // the last one stands behind the first page
          for (const [count, place] of [
            [3, 1],
            [12, 11],
          ] as const) {
            let owner = await given.objectWithEntries(count);
            for (const [when, at] of Object.entries({ 'is removed': place, 'is removed behind that of another': 0 })) {
              const isInBatch = at === 0 && context.profile.offers('batch');
              const { left, after } = await removeMandatory(context, owner, at, isInBatch);
              const what = `entries after the mandatory member of one of ${count} ${when}`;
              expectContents(context, after, owner.port, what, left);
              owner = { ...owner, version: after.version };
            }
          }
          await expectEditedEntryGone(context);
          await expectFullEntryGone(context);
          await expectNestedCascade(context);
          await expectReferenceGone(context);
        }),
      ),
    ),
  },
  'patch.remove.cascade-spares-siblings': {
    source: 'core: Operations-based PATCH rules 8 (the parent entry)',
    statement: 'The cascade takes the one parent entry; its sibling entries, the array and the object stay.',
    fault: 'the cascade clears the whole array',
    needs: ['soft-type', 'array-port', 'mandatory-member', 'text-member', 'operations'],
    after: ['patch.remove.cascades-to-parent'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const owner = await given.objectWithEntries(12, { body: { [profile.textMember]: given.unique() } });
      const before = await service.snapshot(owner);
      const { left, after } = await removeMandatory(context, owner, 11);
      given.assume(entriesIn(after, owner.port).length < 12, 'a removal that takes its entry with it');
      expectContents(context, after, owner.port, 'sibling entries after the cascade', left);
      expect(after.members, 'root members after the cascade', after.reply).toEqual(before.members);
      const lone = await given.objectWithEntries(1);
      const end = await removeMandatory(context, lone, 0);
      expect(entriesIn(end.after, lone.port), 'array after the cascade on its only entry', end.after.reply).toEqual([]);
      await expectBothCascaded(context);
      const alike = await makeAlike(context, 3);
      if (alike === undefined) return;
      const one = await removeMandatory(context, alike, 1);
      expectContents(context, one.after, alike.port, 'entries that were alike after the cascade on one', one.left);
    }),
  },
  'patch.remove.optional-keeps-parent': {
    source: 'core: Operations-based PATCH rules 8 (condition)',
    statement: 'Removing an optional member of an entry leaves the entry in place, be it the only one that it has.',
    fault: 'every removal inside an entry removes the entry',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.content-type.selects-operations', 'patch.remove.member-gone'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      const owner = await given.objectWithEntries(3);
      const before = await entriesNow(context, owner);
      const { entryId } = given.present(before[1], 'a second entry');
      const after = await applyOperations(context, owner, [
        remove(pointer(owner.port.member, entryId, owner.port.text)),
      ]);
      const entries = entriesIn(after, owner.port);
      const expected = membersOf(before).map((members, index) =>
        index === 1 ? { ...members, [owner.port.text]: entries[1]?.members[owner.port.text] } : members,
      );
      expect(membersOf(entries), 'entries after the remove of an optional member', after.reply).toEqual(expected);
      const left = entries[1]?.members[owner.port.text];
      const isNone = await findNoText(context);
      expect(left, 'the optional member after its remove', after.reply).toSatisfy('without a value', isNone);
      await expectKeptWithoutNested(context);
      await expectKeptEmpty(context);
      await expectEmptyTextGone(context);
    }),
  },
  'patch.remove.entry-with-trailing-slash': {
    source: 'core: Operations-based PATCH rules 9',
    statement:
      '`remove` with `/<array>/<entryId>/`, trailing slash included, removes that entry, and no other one when it is sent again.',
    fault: 'the trailing slash form is refused as a pointer to an empty member name',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect } = context;
        const owner = await given.objectWithEntries(12);
        let before = await service.snapshot(owner);
        let areKept = true;
        for (const place of [0, 10]) {
          const entries = entriesIn(before, owner.port);
          const { entryId } = given.present(entries[place], `an entry at place ${place}`);
          const after = await applyOperations(context, { ...owner, version: before.version }, [
            remove(entryPath(owner.port, entryId)),
          ]);
          expectContents(
            context,
            after,
            owner.port,
            'entries after the remove of one',
            membersOf(entries).toSpliced(place, 1),
          );
          areKept &&= areIdsKept(context, entries, entriesIn(after, owner.port), owner.port);
          before = place === 0 ? await expectRemovedOnce(context, owner, after, entryId) : after;
        }
        const lone = await given.objectWithEntries(1);
        const [entry] = await entriesNow(context, lone);
        const end = await applyOperations(context, lone, [
          remove(entryPath(lone.port, given.present(entry, 'an entry').entryId)),
        ]);
        expect(entriesIn(end, lone.port), 'array after the remove of its only entry', end.reply).toEqual([]);
        const alike = await makeAlike(context, 3);
        if (alike !== undefined) await expectOneOfAlikeGone(context, alike, areKept);
        await expectNestedGone(context);
        await expectLateInnerRemoved(context);
        await expectReferencesRemovedById(context);
        await expectAlikeReferenceRemoved(context);
        await expectSeveralGone(context);
      }),
    ),
  },
  'patch.remove.edge-targets': {
    level: 'observe',
    source: 'core: Operations-based PATCH rules 8 and 9',
    statement:
      'Not described: remove of a member without value or of an unknown entry, an entry path without trailing slash, a whole array, a mandatory member of the root.',
    needs: ['soft-type', 'array-port', 'text-member', 'operations'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const first = profile.textMember;
      const paths: Record<string, (owner: Owner, entryId: string) => string> = {
        'a member without value': () => pointer(first),
        'an unknown entry': (owner) => entryPath(owner.port, '99991'),
        'an entry without trailing slash': (owner, entryId) => pointer(owner.port.member, entryId),
        'a whole array': (owner) => pointer(owner.port.member),
        'a mandatory member of the root': (owner) => pointer(Object.keys(owner.type.body)[0] ?? ''),
      };
      for (const [what, pathOf] of Object.entries(paths)) {
        const owner = await given.objectWithEntries(3);
        const [entry] = await entriesNow(context, owner);
        const reply = await service.operations(owner, [remove(pathOf(owner, entry?.entryId ?? ''))]);
        const missing = what === 'a member without value' || what === 'an unknown entry';
        if (missing) notes.bound('removeMissingTarget', `remove of ${what}`, reply.status, reply);
        else notes.observe(`remove of ${what}`, reply.status, reply);
        const read = await service.read(owner);
        notes.observe(`the object is there after a remove of ${what}`, read.status === 200, read);
        if (read.status === 200) {
          notes.observe(`entries left of 3 after a remove of ${what}`, entriesOf(read, owner.port).length, reply);
          notes.observe(`${what} removed raises the version`, versionOf(read) !== owner.version, reply);
        }
        notes.remarkServerError(reply);
      }
    }),
  },
});

/** The same of what an entry holds, and of the entry itself. */
async function expectNoneInEntryWith(context: CaseContext, values: readonly unknown[]): Promise<void> {
  const { given, profile } = context;
  if (profile.primary.arrayPort === undefined) return;
  const owner = await given.objectWithEntries(2);
  const [entry] = await entriesNow(context, owner);
  const { entryId } = given.present(entry, 'an entry');
  const { member, text } = owner.port;
  const removals = [remove(pointer(member, entryId, text)), remove(entryPath(owner.port, entryId))];
  await expectRefusals(
    context,
    owner,
    ...removals.flatMap((removal) => values.map((value) => [{ ...removal, value }])),
  );
}

/** Several entries go by one request, and another one is edited by it: each is the one that its path names. */
async function expectSeveralGone(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const owner = await given.objectWithEntries(13);
  const before = entriesIn(await service.snapshot(owner), owner.port);
  const idAt = (place: number): string => given.present(before[place], `an entry at place ${place}`).entryId;
  const text = given.unique();
  const reply = await service.operations(owner, [
    remove(entryPath(owner.port, idAt(0))),
    remove(entryPath(owner.port, idAt(1))),
    replace(pointer(owner.port.member, idAt(4), owner.port.text), text),
    remove(entryPath(owner.port, idAt(11))),
  ]);
  const alone = [remove(entryPath(owner.port, idAt(0)))];
  if (!(await isOfKeptIds(context, owner, before, { reply, alone }))) return;
  expect(reply).toSucceed();
  const after = await service.snapshot(owner);
  if (!areIdsKept(context, before, entriesIn(after, owner.port), owner.port)) return;
  const left = membersOf(before)
    .map((members, place) => (place === 4 ? { ...members, [owner.port.text]: text } : members))
    .filter((_members, place) => ![0, 1, 11].includes(place));
  expectContents(context, after, owner.port, 'entries after three were removed by one request', left);
}

/** Two entries that lose what they need by one request go both, and one behind them that loses something else stays. */
async function expectBothCascaded(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const owner = await given.objectWithEntries(4);
  const mandatory = given.present(owner.port.mandatory, 'arrayPort.mandatory in the profile');
  const before = entriesIn(await service.snapshot(owner), owner.port);
  const { member, text } = owner.port;
  const losses = [
    [0, mandatory],
    [2, mandatory],
    [3, text],
  ] as const;
  const removals = losses.map(([place, name]) => {
    const { entryId } = given.present(before[place], `an entry at place ${place}`);
    return remove(pointer(member, entryId, name));
  });
  const reply = await service.operations(owner, removals);
  if (!(await isOfKeptIds(context, owner, before, { reply, alone: removals.slice(0, 1) }))) return;
  expect(reply).toSucceed();
  const after = await service.snapshot(owner);
  const left = entriesIn(after, owner.port);
  if (!areIdsKept(context, before, left, owner.port)) return;
  const [, second, , fourth] = membersOf(before);
  expect(
    membersOf(left),
    'entries after two lost their mandatory members by one request, and another one its text',
    after.reply,
  ).toEqual([second, { ...fourth, [text]: left[1]?.members[text] }]);
  const isNone = await findNoText(context);
  expect(left[1]?.members[text], `${text} after its remove`, after.reply).toSatisfy('without a value', isNone);
}

/** Of entries that are alike the one goes whose id the path has: nothing else tells which of them are left, where entries keep their ids. */
async function expectOneOfAlikeGone(context: CaseContext, alike: Owner, areIdsTheirs: boolean): Promise<void> {
  const { given, expect } = context;
  const entries = await entriesNow(context, alike);
  const { entryId } = given.present(entries[1], 'a second entry');
  const after = await applyOperations(context, alike, [remove(entryPath(alike.port, entryId))]);
  expectContents(
    context,
    after,
    alike.port,
    'entries that were alike after the remove of one',
    membersOf(entries).toSpliced(1, 1),
  );
  const idsOf = (those: readonly Entry[]) => those.map((each) => each.entryId);
  const ids = idsOf(entriesIn(after, alike.port));
  if (areIdsTheirs)
    expect(ids, 'ids of entries that were alike after the remove of one', after.reply).toEqual(
      orderedAs(ids, idsOf(entries).toSpliced(1, 1)),
    );
}

/** The empty text of an entry is a value that can be removed, where it is kept as one. */
async function expectEmptyTextGone(context: CaseContext): Promise<void> {
  const { expect, profile } = context;
  const empty = await makeEmptyText(context);
  if (empty === undefined) return;
  const after = await applyOperations(context, empty.thing, [remove(empty.path)]);
  const entries = entriesIn(after, profile.port);
  expect(
    entries.map(({ members }) => isWithoutValue(members[profile.port.text])),
    'entries after the remove of the empty text of the only one, and whether they have none',
    after.reply,
  ).toEqual([true]);
}

/** Zero and false are removed like other values, where those are. */
async function expectNothingMuchGone(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { emptiest, fullest } = plainValues(profile.primary);
  const { members: blank } = await service.snapshot(await given.object());
  const mandatory = Object.keys(given.body());
  const names = Object.keys(emptiest).filter((name) => blank[name] !== emptiest[name] && !mandatory.includes(name));
  const [full, empty] = [await given.object(fullest), await unlessRefused(() => given.object(emptiest))];
  if (names.length === 0 || empty === undefined) return;
  const removals = names.map((name) => remove(pointer(name)));
  const alone = await service.operations(full, removals);
  notes.observe('numbers and truth values are removed', alone.status, alone);
  if (!isSuccess(alone.status)) return;
  const after = await applyOperations(context, empty, removals);
  for (const name of names)
    expect(after.members[name], `${name} after its remove`, after.reply).notToEqual(emptiest[name]);
}

/** The same inside an object that may be created without the member; whether paths lead into it is left to the service. */
async function expectInnerGone(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { object } = profile.primary;
  if (object === undefined) return;
  const [goes = '', stays = ''] = object.scalars;
  const inner = given.inner(object);
  const { [goes]: _left, ...without } = inner;
  const optional = await service.create(given.body({ [object.member]: without }));
  notes.observe('status of a create without a member inside an object', optional.status, optional);
  if (!isSuccess(optional.status)) return;
  const thing = await given.object({ [object.member]: inner });
  const path = pointer(object.member, goes);
  const replaced = await service.operations(thing, [replace(path, given.unique())]);
  notes.observe('a member inside an object is replaced', replaced.status, replaced);
  if (!isSuccess(replaced.status)) return;
  const { members, reply } = await applyOperations(context, await given.current(thing), [remove(path)]);
  const after: unknown = members[object.member];
  const { [goes]: gone, [stays]: stayed } = isObject(after) ? after : {};
  const isNone = await findNoText(context);
  expect(gone, `${goes} inside ${object.member} after its remove`, reply).toSatisfy('without a value', isNone);
  expect(stayed, `${stays} inside ${object.member} after the remove of ${goes}`, reply).toEqual(inner[stays]);
}

/** An entry that holds entries of its own goes with them. */
async function expectFullEntryGone(context: CaseContext): Promise<void> {
  const { given, expect, profile } = context;
  if (profile.port.nested === undefined) return;
  const owner = await given.objectWithEntries(2, { nested: () => 2 });
  const [, kept] = await entriesNow(context, owner);
  const { after } = await removeMandatory(context, owner, 0);
  const texts = entriesIn(after, owner.port).map(({ members }) => members[owner.port.text]);
  expect(texts, 'entries after the mandatory member of one that holds entries is removed', after.reply).toEqual([
    kept?.members[owner.port.text],
  ]);
}

/** An entry that may be created without nested ones stays when its only nested one goes, where paths lead to that at all. */
async function expectKeptWithoutNested(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { nested, member, text } = profile.port;
  if (nested === undefined) return;
  const owner = await given.objectWithEntries(3, { nested: (index) => (index === 1 ? 1 : 0) });
  const before = entriesOf(await service.read(owner), profile.port);
  const parent = before.find(({ members }) => members[text] === owner.texts[1]);
  const items: unknown = parent?.members[nested.member];
  const [item] = objectsIn(items);
  if (parent === undefined || item === undefined) return;
  const path = `${pointer(member, parent.entryId, nested.member, String(item['$entryId']))}/`;
  const reply = await service.operations(owner, [remove(path)]);
  notes.observe('the only entry of an array inside an entry is removed', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const read = await service.read(owner);
  const texts = entriesOf(read, profile.port).map(({ members }) => members[text]);
  expect(texts, 'entries after the removal of what one of them held', read).toEqual(
    before.map(({ members }) => members[text]),
  );
}

/** An entry that may be created with nothing in it stays when it loses the only member that it has. */
async function expectKeptEmpty(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { arrayPort, secondArrayPort } = profile.primary;
  const isNone = await findNoText(context);
  for (const port of [arrayPort, secondArrayPort].flatMap((bound) => (bound === undefined ? [] : [portOf(bound)]))) {
    const body = given.body({ [port.member]: [{}] });
    const bare = await service.create(body);
    notes.observe('status of a create with an entry that has no member', bare.status, bare);
    if (!isSuccess(bare.status)) continue;
    const kept = entriesOf(await service.read(await given.found(bare, body)), port);
    notes.observe('entries kept of one that has no member', kept.length, bare);
    const texts = [given.unique('emptied'), given.unique('beside')];
    const full = given.body({ [port.member]: texts.map((text) => ({ [port.text]: text })) });
    const created = await service.create(full);
    if (kept.length !== 1 || !isSuccess(created.status)) continue;
    const thing = await given.found(created, full);
    const emptied = entriesOf(await service.read(thing), port).find(({ members }) => members[port.text] === texts[0]);
    if (emptied === undefined) continue;
    const path = pointer(port.member, emptied.entryId, port.text);
    const reply = await service.operations(thing, [remove(path)]);
    notes.observe('the only member of an entry is removed', reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    const after = await service.read(thing);
    const left = entriesOf(after, port).map(({ members }) => members[port.text]);
    expect(left.length, `entries of ${port.member} after one of two lost its only member`, after).toEqual(2);
    const beside = left.filter((text) => !isNone(text));
    expect(beside, `texts of ${port.member} after one of two lost its only member`, after).toEqual([texts[1]]);
  }
}

/** A reference without its value goes where the service itself takes none for an object of the model: it refuses to create one. */
async function expectReferenceGone(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { reference } = profile.primary;
  if (reference === undefined) return;
  const made = await makeReferrer(context, 3);
  const entries = made === undefined ? [] : referencesIn(dataOf(made.read)[reference.port]);
  const [entry] = entries;
  if (made === undefined || !isObject(entry) || entry['$entryId'] === undefined) return;
  const bare = await service.create(given.body(membersWith(reference, [{ id: given.unique('reference') }])));
  notes.observe('status of a create with a reference that has no value', bare.status, bare);
  if (bare.status < 400 || bare.status >= 500) return;
  const path = pointer(reference.port, String(entry['$entryId']), 'value');
  const reply = await service.operations(made.thing, [remove(path)]);
  notes.observe('the value of a reference is removed', reply.status, reply);
  if (!isSuccess(reply.status)) {
    if (await mayLoseReference(context, made.thing, pointer(reference.port, String(entry['$entryId']), 'id')))
      expect(reply).toSucceed();
    return;
  }
  const after = await service.get(made.thing.location);
  const [before, left] = [made.read, after].map((read) => targetsOf(context, read, profile.primary, []));
  const what = `targets left after the value of the first of ${entries.length} references is removed`;
  // in what order they are shown is not said
  expect(left?.toSorted(), what, after).toEqual(before?.slice(1).toSorted());
}

/** Whether the object may be without its only reference, and operations lead to what is inside that: then nothing speaks against the cascade. */
async function mayLoseReference(context: CaseContext, thing: Thing, path: string): Promise<boolean> {
  const { given, service, notes, profile } = context;
  const body = given.body();
  if (Object.hasOwn(body, profile.primary.reference?.port ?? '')) return false;
  const without = await service.create(body);
  notes.observe('status of a create without references', without.status, without);
  if (!isSuccess(without.status)) return false;
  const inside = await service.operations(thing, [replace(path, given.unique('reference'))]);
  notes.observe('the id of a reference is replaced', inside.status, inside);
  return isSuccess(inside.status);
}

/** Removes the mandatory member of the entry at that place; contents of the entries that should be left, and the state afterwards. */
async function removeMandatory(context: CaseContext, owner: Owner, place: number, isInBatch = false) {
  const { given, service, expect } = context;
  const before = await entriesNow(context, owner);
  const { entryId } = given.present(before[place], `an entry at place ${place}`);
  const mandatory = given.present(owner.port.mandatory, 'arrayPort.mandatory in the profile');
  const request = service.requests.operations(owner, [remove(pointer(owner.port.member, entryId, mandatory))]);
  if (isInBatch) given.succeeded(await sendBatch(context, [request]), 'a batch', ['batch.success.status-200']);
  else expect(await service.send(request)).toSucceed();
  expect(await service.get(owner.location)).toAnswer(200);
  const after = await service.snapshot(owner);
  return { left: membersOf(before).toSpliced(place, 1), after };
}
