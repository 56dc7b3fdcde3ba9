import { isSuccess } from '../../judge/exchange.ts';
import { offsetTimes } from '../../fixtures/values.ts';
import { dataOf } from '../../judge/service/answers.ts';
import type { SoftTypeProfile } from '../../contract/profile.ts';
import { type CaseContext, onEverySpace, scenario } from '../../judge/case.ts';
import { withUnique } from '../../judge/given.ts';
import { pointer, valueAt } from '../../judge/json.ts';
import type { Thing } from '../../judge/things.ts';
import { rules } from '../../judge/rule.ts';
import { expectDateShown } from './checks/dated-date.ts';
import { datedPathIn } from '../../judge/service/writes.ts';
import { expectNoDeepReplacedBy, expectNoDeepReplacedFromNothing } from './checks/deep-members.ts';
import { expectNoKindReplacedFromNothing } from './checks/member-operations.ts';
import { filterAt } from '../../judge/service/queries.ts';
import {
  add,
  changeBy,
  entriesIn,
  entriesNow,
  entryPath,
  entryWith,
  expectRefusals,
  isWithoutValue,
  remove,
  replace,
  runControl,
  type Operation,
} from './checks/operation-steps.ts';

export const replaceRules = rules('patch', {
  'patch.replace.missing-member-refused': {
    source: 'core: Operations-based PATCH rules 7',
    statement:
      '`replace` on a member that has no value is refused, at the root, in an object, in an entry and in one inside it.',
    fault: 'replace creates the member',
    needs: ['soft-type', 'text-member', 'array-port', 'operations'],
    after: ['patch.path.member-addressed'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, profile } = context;
        const member = profile.textMember;
        let owner = await given.objectWithEntries(2, {
          members: (index) => (index === 1 ? { [profile.port.text]: undefined } : {}),
        });
        const { port } = owner;
        const targetsNow = async () => {
          const { members, arrays } = await service.snapshot(owner);
          const bare = arrays[port.member]?.find((entry) => entry.members[port.text] !== owner.texts[0]);
          const entry = given.present(bare, 'the entry without its optional string');
          return [
            { path: pointer(member), held: members[member] },
            { path: pointer(port.member, entry.entryId, port.text), held: entry.members[port.text] },
          ];
        };
        const targets = await targetsNow();
        // what is shown as null may count as there; a member of no entry never does
        const missing = targets.filter(({ held }) => held === undefined).map(({ path }) => path);
        if (missing.length === 0) missing.push(pointer(port.member, given.unique('no-entry'), port.text));
        await expectRefusals(context, owner, ...missing.map((path) => [replace(path, given.unique())]));
        const additions = targets
          .filter(({ held }) => isWithoutValue(held))
          .map(({ path }) => add(path, given.unique()));
        if (additions.length > 0) owner = await changeBy(context, owner, additions, ['patch.add.missing-member-added']);
        // what was shown as the empty text may be none
        const present = (await targetsNow()).filter((_target, index) => targets[index]?.held !== '');
        const full = given.present(
          entryWith(await entriesNow(context, owner), port, owner.texts[0]),
          'an entry with a text',
        );
        const paths = [pointer(port.member, full.entryId, port.text), ...present.map(({ path }) => path)];
        await runControl(
          context,
          owner,
          [...new Set(paths)].map((path) => replace(path, given.unique())),
        );
        await expectNoKindReplacedFromNothing(context);
        await expectNoDeepReplacedFromNothing(context);
      }),
    ),
  },
  'patch.replace.missing-entry-refused': {
    source: 'core: Operations-based PATCH rules 7 and 3',
    statement:
      '`replace` through an `$entryId` that the array does not have, or has no more, is refused, whatever it resembles.',
    fault: 'replace through an unknown entry id appends an entry',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.path.entry-member-addressed'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given } = context;
        // of so many the id of the first may be how others begin
        let owner = await given.objectWithEntries(12);
        // an id that was the last one, and one at whose position another entry stands afterwards
        const removed: string[] = [];
        for (const place of [-1, 0]) {
          const { entryId } = given.present((await entriesNow(context, owner)).at(place), 'an entry');
          removed.push(entryId);
          const removal = [remove(entryPath(owner.port, entryId))];
          owner = await changeBy(context, owner, removal, ['patch.remove.entry-with-trailing-slash']);
        }
        const present = (await entriesNow(context, owner)).map(({ entryId }) => entryId);
        const missing = [...removed, `${removed.join('')}99991`, given.unique('no-entry'), ...idsNear(present)].filter(
          (entryId) => !present.includes(entryId),
        );
        const replaceIn = (entryId: string) => [
          replace(pointer(owner.port.member, entryId, owner.port.text), given.unique()),
        ];
        await expectRefusals(context, owner, ...missing.map(replaceIn));
        await runControl(context, owner, replaceIn(given.present(present[0], 'an entry')));
        await expectNoNearEntryInTheSecond(context);
      }),
    ),
  },
  'patch.replace.object-refused': {
    source: 'core: Operations-based PATCH rules 6',
    statement:
      '`replace` with an object as value is refused, even where the target exists and holds an object, be it one that the same list has added.',
    fault: 'replace accepts objects',
    needs: ['soft-type', 'object-member', 'array-port', 'operations'],
    after: ['patch.path.member-addressed'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, profile } = context;
        const object = given.present(profile.primary.object, 'object in the profile');
        const value = () => given.inner(object);
        const owner = await given.objectWithEntries(2, { body: { [object.member]: value() } });
        const [entry] = await entriesNow(context, owner);
        const { entryId } = given.present(entry, 'an entry');
        const whole = replace(pointer(owner.port.member, entryId), given.entry(given.unique(), {}, owner.port));
        await expectRefusals(context, owner, [replace(pointer(object.member), value())], [whole]);
        await expectNoDeepReplacedBy(context, [value(), {}]);
        await runControl(context, owner, [
          replace(pointer(owner.port.member, entryId, owner.port.text), given.unique()),
        ]);
        await expectNoFreshReplaced(context, object.member, value);
      }),
    ),
  },
  'patch.replace.array-refused': {
    source: 'core: Operations-based PATCH rules 6',
    statement:
      '`replace` with an array as value is refused, the empty array included, whichever array or member of the object it is for.',
    fault: 'replace accepts the empty array and clears the port',
    needs: ['soft-type', 'array-port', 'operations'],
    after: ['patch.path.member-addressed'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given } = context;
        const owner = await given.objectWithEntries(3);
        const [entry] = await entriesNow(context, owner);
        const values = [[given.entry(given.unique(), {}, owner.port)], []];
        await expectRefusals(context, owner, ...values.map((value) => [replace(pointer(owner.port.member), value)]));
        await runControl(context, owner, [
          replace(
            pointer(owner.port.member, given.present(entry, 'an entry').entryId, owner.port.text),
            given.unique(),
          ),
        ]);
        await expectNoOtherArrayReplaced(context);
        await expectNoDeepReplacedBy(context, [[given.unique()], []]);
      }),
    ),
  },
  'patch.replace.dated-effectivity-date': {
    source: 'core: Operations-based PATCH rules 7',
    statement:
      'Replacing a dated-effectivity element stamps it with the date of the information filter that came with the request, each of several at once with its own, wherever in the filter that stands, be it that of the next day after another one, behind a list that was refused, or one long ago or far ahead that is taken.',
    fault: 'stamps the time of the server',
    needs: ['soft-type', 'dated-effectivity', 'operations'],
    after: ['patch.path.member-addressed'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const dated = given.present(profile.primary.dated, 'dated in the profile');
      const dateMember = given.present(
        profile.all.informationFilter?.dateMember,
        'informationFilter.dateMember in the profile',
      );
      const [plain] = profile.primary.scalars ?? [];
      let thing = await given.object({ ...dated.value, ...(plain !== undefined && { [plain]: given.unique() }) });
      // the last two differ late, of which the beginning alone does not tell one from the other
      for (const [round, date] of ['2019-03-04', '2021-11-21', '2021-11-22']
        .map((day) => `${day}T00:00:00Z`)
        .entries()) {
        const text = given.unique();
        const value: unknown = withUnique(dated.replaceWith, () => text);
        const filter = filterAt(context, date);
        const beside = plain === undefined ? [] : [replace(pointer(plain), text)];
        const operations = [replace(await datedPathIn(context, thing, dated), value), ...beside];
        // what a list that fails was told is nothing to the next
        const failing = [...operations, replace(pointer(given.unique('no-member')), text)];
        await service.operations(thing, failing, { filter: filterAt(context, '2011-01-01T00:00:00Z') });
        thing = await given.current(thing);
        // the date is that of every operation, also behind others
        const reply = await service.operations(thing, round === 0 ? operations : operations.toReversed(), { filter });
        expect(reply).toSucceed();
        const read = await service.readLong(thing, { filter });
        const seen = valueAt(dataOf(read), dated.datePath);
        expectDateShown(context, seen, date, 'effectivity date of the replaced element', read);
        if (plain !== undefined)
          expect(dataOf(read)[plain], 'plain scalar replaced in the same request', read).toEqual(text);
        thing = await given.current(thing);
      }
      for (const date of offsetTimes) {
        const filter = { ...profile.all.informationFilter?.default, [dateMember]: date };
        const reply = await service.operations(thing, [await replacementIn(context, thing, dated)], { filter });
        // in which forms a filter tells its date is not said
        notes.observe('a dated element is replaced under a filter whose date has an offset', reply.status, reply);
        if (!isSuccess(reply.status)) break;
        const read = await service.readLong(thing, { filter });
        const seen = String(valueAt(dataOf(read), dated.datePath));
        if (/T.*(?:Z|[+-]\d\d:?\d\d)$/i.test(seen))
          expectDateShown(context, seen, date, `effectivity date under the date ${date}`, read);
        thing = await given.current(thing);
      }
      await expectDatedBehindOthers(context, dated);
      await expectDatedAnew(context, dated);
      await expectDatedApart(context, dated);
      for (const date of distantTimes) await expectDatedFarAway(context, dated, date);
    }),
  },
});

/** Replaces the dated element of the thing by one with a text of its own. */
async function replacementIn(
  context: CaseContext,
  thing: Thing,
  dated: NonNullable<SoftTypeProfile['dated']>,
): Promise<Operation> {
  return replace(await datedPathIn(context, thing, dated), withUnique(dated.replaceWith, context.given.unique));
}

/** The date is a member of an object, in which another one may stand before it, where a service takes one that nobody knows. */
async function expectDatedBehindOthers(
  context: CaseContext,
  dated: NonNullable<SoftTypeProfile['dated']>,
): Promise<void> {
  const { given, service, notes } = context;
  const date = '2020-02-29T00:00:00Z';
  const filter = { remark: given.unique('remark'), ...filterAt(context, date) };
  const thing = await given.object(dated.value);
  const reply = await service.operations(thing, [await replacementIn(context, thing, dated)], { filter });
  notes.observe('a dated element is replaced under a filter with a member that nobody knows', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const read = await service.readLong(thing, { filter });
  const seen = valueAt(dataOf(read), dated.datePath);
  if (seen !== undefined && seen !== null)
    expectDateShown(context, seen, date, 'effectivity date under a filter whose date is not its first member', read);
}

const datesAtOnce = 8;

/** Each of several replaces at once is stamped with the date of its own request. */
async function expectDatedApart(context: CaseContext, dated: NonNullable<SoftTypeProfile['dated']>): Promise<void> {
  const { given, service } = context;
  const replaces = await Promise.all(
    Array.from({ length: datesAtOnce }, async (_replace, index) => {
      const date = `20${String(10 + index)}-06-01T00:00:00Z`;
      const thing = await given.object(dated.value);
      return { date, thing, operation: await replacementIn(context, thing, dated), filter: filterAt(context, date) };
    }),
  );
  const replies = await Promise.all(
    replaces.map(({ thing, operation, filter }) => service.operations(thing, [operation], { filter })),
  );
  for (const [index, { date, thing, filter }] of replaces.entries()) {
    if (!isSuccess(replies[index]?.status ?? 0)) continue;
    const read = await service.readLong(thing, { filter });
    const seen = valueAt(dataOf(read), dated.datePath);
    expectDateShown(context, seen, date, `effectivity date of one of ${datesAtOnce} replaces at once`, read);
  }
}

/** Before what a count of seconds from 1970 on holds, and beyond what one of 32 bits does. */
const distantTimes = ['1969-07-20T00:00:00Z', '2101-03-04T00:00:00Z'];

/** So is one that is replaced under a date that is long gone, or far ahead. A service may have bounds, and say so; what is seen at such a date is not said. */
async function expectDatedFarAway(
  context: CaseContext,
  dated: NonNullable<SoftTypeProfile['dated']>,
  date: string,
): Promise<void> {
  const { given, service, notes } = context;
  const value: unknown = withUnique(dated.replaceWith, given.unique);
  const filter = filterAt(context, date);
  const thing = await given.object(dated.value);
  const path = await datedPathIn(context, thing, dated);
  const reply = await service.operations(thing, [replace(path, value)], { filter });
  notes.observe(`a dated element is replaced under ${date}`, reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const read = await service.readLong(thing, { filter });
  const seen = read.status === 200 ? valueAt(dataOf(read), dated.datePath) : undefined;
  if (seen === undefined || seen === null)
    return notes.observe(`the date of an element that was replaced under ${date}`, 'unseen');
  expectDateShown(context, seen, date, `effectivity date under the date ${date}`, read);
}

/** Nor is the second array replaced, nor one inside an entry, nor one of plain texts, nor a text by an array. */
async function expectNoOtherArrayReplaced(context: CaseContext): Promise<void> {
  const { given, service, profile } = context;
  const { scalarList, secondArrayPort, scalars = [] } = profile.primary;
  const { nested } = profile.port;
  const owner = await given.objectWithEntries(1, {
    ...(secondArrayPort !== undefined && { second: 1 }),
    ...(nested !== undefined && { nested: () => 1 }),
    body: {
      ...(scalars[0] !== undefined && { [scalars[0]]: given.unique() }),
      ...(scalarList !== undefined && { [scalarList]: ['one', 'two'] }),
    },
  });
  const [entry] = await entriesNow(context, owner);
  const { entryId } = given.present(entry, 'an entry');
  const replacements = [
    ...(secondArrayPort === undefined ? [] : [replace(pointer(secondArrayPort.member), [])]),
    ...(nested === undefined ? [] : [replace(pointer(owner.port.member, entryId, nested.member), [])]),
    ...(scalarList === undefined ? [] : [replace(pointer(scalarList), ['three']), replace(pointer(scalarList), [])]),
    ...(scalars[0] === undefined ? [] : [replace(pointer(scalars[0]), [given.unique()])]),
    replace(pointer(owner.port.member, entryId, owner.port.text), [given.unique()]),
  ];
  const now = { ...owner, version: (await service.snapshot(owner)).version };
  await expectRefusals(context, now, ...replacements.map((operation) => [operation]));
}

/** The same of a value that the element has already. Whether a write that changes nothing counts is not said: one that raises the version does. */
async function expectDatedAnew(context: CaseContext, dated: NonNullable<SoftTypeProfile['dated']>): Promise<void> {
  const { given, service, notes, profile } = context;
  if (profile.all.informationFilter?.dateMember === undefined) return;
  const text = given.unique();
  const value: unknown = withUnique(dated.replaceWith, () => text);
  const thing = await given.object(dated.value);
  for (const [round, date] of ['2019-03-04T00:00:00Z', '2021-11-30T00:00:00Z'].entries()) {
    const now = await given.current(thing);
    const filter = filterAt(context, date);
    const reply = await service.operations(now, [replace(await datedPathIn(context, now, dated), value)], { filter });
    const isEdit = isSuccess(reply.status) && (await given.current(thing)).version > now.version;
    if (round === 1) notes.observe('a dated element is replaced by the value that it has', isEdit, reply);
    if (!isEdit) return;
    const read = await service.readLong(thing, { filter });
    const seen = valueAt(dataOf(read), dated.datePath);
    const what = `effectivity date of an element that was replaced ${round === 0 ? 'once' : 'by the same value'}`;
    expectDateShown(context, seen, date, what, read);
  }
}

/** Neither is an object that the same list has added, where the object may be without it and takes that add alone. */
async function expectNoFreshReplaced(context: CaseContext, member: string, value: () => unknown): Promise<void> {
  const { given, service, expect } = context;
  const [thing, beside] = [await given.object(), await given.object()];
  if ((await service.snapshot(thing)).members[member] !== undefined) return;
  const added = () => add(pointer(member), value());
  // what is left of such a list is judged elsewhere
  expect(await service.operations(thing, [added(), replace(pointer(member), value())])).toBeRefused();
  await runControl(context, beside, [added()], ['patch.add.missing-member-added']);
}

/** What an id is told from only by all of its characters. */
function idsNear(entryIds: readonly string[]): readonly string[] {
  const near = entryIds
    .slice(0, 1)
    .flatMap((entryId) => [
      `${entryId}0`,
      `${entryId}abc`,
      `${entryId} `,
      ` ${entryId}`,
      entryId.slice(0, -1),
      entryId.slice(1),
    ]);
  return near.filter((entryId) => entryId !== '' && !entryIds.includes(entryId));
}

/** Another array may have ids of another kind. */
async function expectNoNearEntryInTheSecond(context: CaseContext): Promise<void> {
  const { given, service, profile } = context;
  if (profile.primary.secondArrayPort === undefined) return;
  const owner = await given.objectWithEntries(1, { second: 12 });
  const { member, text } = profile.secondPort;
  const idsNow = async () => entriesIn(await service.snapshot(owner), profile.secondPort).map(({ entryId }) => entryId);
  const first = given.present((await idsNow())[0], 'an entry of the second array');
  const removal = [remove(entryPath(profile.secondPort, first))];
  const changed = await changeBy(context, owner, removal, ['patch.remove.entry-with-trailing-slash']);
  const present = await idsNow();
  const missing = [first, ...idsNear(present)].filter((entryId) => !present.includes(entryId));
  const near = missing.map((entryId) => [replace(pointer(member, entryId, text), given.unique())]);
  await expectRefusals(context, changed, ...near);
}
