import { entriesPerPage } from '../../contract/limits.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { dataOf, entriesOf, entriesOfPage, textsOf } from '../../judge/service/answers.ts';
import { type CaseContext, scenario, schedule } from '../../judge/case.ts';
import { pointer } from '../../judge/json.ts';
import { expectStands, makePromoted, readStanding } from '../../judge/service/maturity.ts';
import { makeFilterable, withFilter, withFilterOnPage } from '../../judge/service/queries.ts';
import { restart } from '../../judge/service/restart.ts';
import { totalOf } from '../../judge/service/target.ts';
import { rules } from '../../judge/rule.ts';
import type { Owner, Thing } from '../../judge/things.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { editRoutes, makeDeleted, makeEdited } from '../../judge/service/writes.ts';
import { innerIdsOf, makeInnerRemoved } from './checks/inner-hundred.ts';
import { type Kind, memberKinds } from './checks/member-kinds.ts';
import { add } from './checks/operation-steps.ts';
import { asSent } from './checks/sent-part.ts';

/** How long objects are left alone. */
const laterSeconds = 3 * 3600;

export const lastingRules = rules('versioning', {
  'versioning.restart.same-versions': {
    source: 'core: Versioning 1 and 3; Errors rule 1',
    statement:
      'A restart of the service leaves version, content and state of every object as they were, with the totals of arrays, what a filter admits to a page and the ids of entries inside entries, and what was deleted is gone, whatever is made anew then: an edit for an older version is refused with 409 then too, and one for the current version accepted.',
    fault: 'what was created before a restart takes any older version afterwards',
    needs: ['soft-type', 'scalar-members', 'restart-control'],
    after: ['versioning.mismatch.lower-409', 'reading.instance.short-route-served'],
    test: scenario(async (context) => {
      const { given, expect, profile } = context;
      // what counts ids in memory begins anew, with those that the next restart would begin with
      await restart(profile.all);
      const growing = await makeGrowing(context);
      const inner = profile.primary.arrayPort === undefined ? undefined : await makeInnerRemoved(context);
      const scalars = { [profile.scalars[0]]: given.unique() };
      const filled =
        profile.primary.arrayPort === undefined ? [] : [await given.objectWithEntries(12, { body: scalars })];
      await expectLasting(context, filled, async (things) => {
        await restart(profile.all);
        for (const _thing of things) await given.object();
      });
      if (growing !== undefined) await expectNewEntryAdded(context, growing);
      if (inner === undefined) return;
      const ids = await innerIdsOf(context, inner.owner);
      expect(ids, 'ids of entries inside an entry, later').toEqual([...inner.ids]);
      await expectNewInnerEntryAdded(context, inner.owner);
    }),
  },
  'versioning.later.same-versions': {
    source: 'core: Versioning 1 and 3; Errors rule 1',
    statement:
      'Hours after its last edit an object has the version, content and state that it had, and what was deleted is gone: an edit for an older version is refused with 409 then too, and one for the current version accepted.',
    fault: 'an edit an hour or more after the last one takes any older version',
    needs: ['soft-type', 'text-member', 'clock-control'],
    after: ['versioning.mismatch.lower-409', 'reading.instance.short-route-served'],
    test: schedule(laterSeconds, async (context) => {
      await expectLasting(context, [], () => context.clock.pass(laterSeconds * 1000));
    }),
  },
});

/** What was made, edited and promoted stands as it did behind what happens, and what was deleted stays gone. */
async function expectLasting(
  context: CaseContext,
  filled: readonly Thing[],
  happen: (things: readonly Thing[]) => Promise<unknown>,
): Promise<void> {
  const { given, service, expect, profile } = context;
  const things = [
    ...filled,
    await makeEdited(context, 1),
    await makeEdited(context, 3),
    ...(profile.all.maturity === undefined ? [] : [await makePromoted(context)]),
  ];
  const before = await Promise.all(things.map((thing) => readStanding(context, thing)));
  const expectKept = await keepEveryKind(context);
  const expectCounted = await keepCounts(context);
  const gone = await makeDeleted(context);
  await happen(things);
  await expectCounted();
  await expectKept();
  if (gone !== undefined) {
    const read = await service.read(gone);
    if (!given.isGivenAgain(gone, {}, read)) expect(read).notToSucceed();
  }
  for (const [index, thing] of things.entries()) {
    expect(await service.read(thing)).toAnswer(200);
    expectStands(context, given.present(before[index], 'a snapshot'), await readStanding(context, thing));
    await expectOnlyCurrentAccepted(context, thing);
  }
}

/** Members of every kind, with values that are easily taken for none as well; what has to hold of them later. */
async function keepEveryKind(context: CaseContext): Promise<() => Promise<void>> {
  const { given, service, expect, notes, profile } = context;
  const { numbers = [], flags = [] } = profile.primary;
  const named = (name: string, value: unknown): Kind => ({ what: String(value), sent: { [name]: value }, shown: name });
  const bare = [...numbers.map((name) => named(name, 0)), ...flags.map((name) => named(name, false))];
  const kept: (() => Promise<void>)[] = [];
  for (const kinds of [memberKinds(context), bare]) {
    const thing = await unlessRefused(() => given.object(Object.assign({}, ...kinds.map(({ sent }) => sent))));
    notes.observe(
      `an object with ${kinds.map(({ shown }) => shown).join(', ')}`,
      thing === undefined ? 'refused' : 'made',
    );
    if (thing === undefined) continue;
    const before = dataOf(await service.readLong(thing));
    kept.push(async () => {
      const read = await service.readLong(thing);
      for (const { what, shown, sent } of kinds) {
        const [then, now] = [before, dataOf(read)].map((data) => asSent(data[shown], Object.values(sent)[0]));
        expect(now ?? null, `${shown}, ${what}, later`, read).toEqual(then ?? null);
      }
    });
  }
  return async () => {
    for (const expectKept of kept) await expectKept();
  };
}

/** What arrays hold that were counted before an entry was added, and what a filter admits, whose page is the first that is asked for with it; what has to hold of them later. */
async function keepCounts(context: CaseContext): Promise<() => Promise<void>> {
  const { given, service, expect, profile } = context;
  const kept: (() => Promise<void>)[] = [];
  if (profile.primary.arrayPort !== undefined && profile.offers('operations')) {
    const { port, ...thing } = await given.objectWithEntries(entriesPerPage);
    await service.read(thing);
    const text = given.unique('more');
    const entry = given.entry(text, {}, port);
    const added = await service.operations(await given.current(thing), [add(pointer(port.member), entry)]);
    given.succeeded(added, 'an entry added', ['patch.add.appends-without-marker']);
    const before = totalOf(await service.read(thing), port);
    const lastOf = (page: Reply): unknown => textsOf(entriesOfPage(page), port).at(-1);
    const isLast = lastOf(await service.page(thing, 1)) === text;
    kept.push(async () => {
      const page = await service.page(thing, 1);
      // that it is appended as the last one is the business of another rule
      if (isLast) expect(lastOf(page), 'the last entry of an array, which was appended, later', page).toEqual(text);
      const read = await service.read(thing);
      expect(
        totalOf(read, port) ?? null,
        'totalNumber of an array that was counted before it grew, later',
        read,
      ).toEqual(before ?? null);
    });
  }
  const filter = profile.primary.arrayPort && profile.all.filters?.fixed;
  if (filter !== undefined) {
    const { owner, matching } = await makeFilterable(context, { matching: 3, other: 9 });
    const readPage = (): Promise<Reply> => service.page(owner, 0, withFilterOnPage(context, owner, 0));
    const countOf = (page: Reply): number => entriesOfPage(page).length;
    await service.read(owner, withFilter(context, owner));
    // whether it admits those alone is the business of other rules
    if (countOf(await readPage()) === matching.length)
      kept.push(async () => {
        const page = await readPage();
        expect(countOf(page), 'entries on a filtered page, asked for first, later', page).toEqual(matching.length);
      });
  }
  return async () => {
    for (const expectOne of kept) await expectOne();
  };
}

/** By each way to edit, in turn: an older version is refused and changes nothing, the current one is accepted. */
async function expectOnlyCurrentAccepted(context: CaseContext, thing: Thing): Promise<void> {
  const { given, service, expect } = context;
  const routes = editRoutes(context).filter(({ name }) => name !== 'promote');
  for (const route of routes) {
    const current = await given.current(thing);
    const request = route.request(current);
    const refused = await service.send(request, { version: current.version - 1 });
    const accepted = await service.send(request);
    // a route that refuses everything is judged by its own rules
    if (!isSuccess(accepted.status) && !isSuccess(refused.status)) continue;
    expect(refused).toAnswer(409);
    expect(accepted).toSucceed();
    const { version } = await given.current(thing);
    expect(version, `version after a ${route.name} at ${current.version}`, accepted).toEqual(current.version + 1);
  }
}

/** An object with entries that more are added to, where operations do that. */
function makeGrowing({ given, profile }: CaseContext): Promise<Owner> | undefined {
  const grows = profile.primary.arrayPort !== undefined && profile.offers('operations');
  return grows ? given.objectWithEntries(3) : undefined;
}

/** What is added to an array behind a restart has an id of its own. */
async function expectNewEntryAdded(context: CaseContext, { port, ...thing }: Owner): Promise<void> {
  const { given, service, expect } = context;
  const idsOf = async (): Promise<readonly unknown[]> =>
    entriesOf(await service.read(thing), port).map(({ entryId }) => entryId);
  const before = await idsOf();
  const entry = given.entry(given.unique('behind'), {}, port);
  const reply = await service.operations(await given.current(thing), [add(pointer(port.member), entry)]);
  given.succeeded(reply, 'an entry added behind a restart', ['patch.add.appends-without-marker']);
  const after = await idsOf();
  expect(new Set(after).size, 'ids of entries, one of them added behind a restart').toEqual(before.length + 1);
}

/** The same of the array inside its first entry. */
async function expectNewInnerEntryAdded(context: CaseContext, owner: Owner): Promise<void> {
  const { given, service, expect } = context;
  const { nested, member } = owner.port;
  if (nested === undefined) return;
  const [entry] = entriesOf(await service.read(owner), owner.port);
  const place = pointer(member, given.present(entry, 'an entry').entryId, nested.member);
  const before = await innerIdsOf(context, owner);
  // one more than there are: what counts from the beginning again comes to their ids
  const added = [...before, 'one more'].map(() => add(place, given.nestedEntry(given.unique('behind'), nested)));
  const { status } = await service.operations(await given.current(owner), added);
  // whether an array inside an entry takes one is the business of another rule
  if (!isSuccess(status)) return;
  const after = await innerIdsOf(context, owner);
  expect(new Set(after).size, 'ids of entries inside an entry, some of them added behind a restart').toEqual(
    before.length + added.length,
  );
}
