import { withFilter } from '../../judge/service/queries.ts';
import { item } from '../../judge/service/referrers.ts';
import { dataOf, entriesOf, entriesOfPage, pageLinksOf, textsOf } from '../../judge/service/answers.ts';
import {
  assumeFailed,
  editRequest,
  expectNothingBehind,
  failingOperations,
  isRefusedAlone,
  resultsOf,
  sendBatch,
  sendOtherwise,
  staleEditRequest,
} from '../../judge/service/batch.ts';
import { type CaseContext, race, onEveryType, onEverySpace, scenario } from '../../judge/case.ts';
import { watchDuring } from '../../judge/service/races.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/things.ts';
import { objectsIn, pointer } from '../../judge/json.ts';
import { ownTexts } from '../../judge/service/texts.ts';
import { givenListed, isListed } from '../../judge/service/queries.ts';
import { expectStands, expectVersionHeader, makePromoted, readStanding } from '../../judge/service/maturity.ts';
import { rules } from '../../judge/rule.ts';
import { editRoutes, lockRequest, makeEditable, type WriteRoute } from '../../judge/service/writes.ts';
import { placesToEdit } from './checks/edited-places.ts';
import { add, entryPath, remove, replace } from './checks/operation-steps.ts';
import { ownMembers } from './checks/own-members.ts';
import { expectRemovalUndone } from './checks/removal-undone.ts';

const rounds = 12;
/** Creates of a batch that is longer than the guideline says, which is no limit. */
const manyMore = 101;

export const batchChangeSetRules = rules('batch', {
  'batch.commit.visible-together': {
    source: 'core: Batch rules 1 (one change set)',
    statement: 'The writes of a batch become visible at one moment; no reader sees some of them without the others.',
    fault: 'operations commit one by one and are compensated on failure',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.success.status-200'],
    test: race(
      async (context) => {
        const { given, expect, profile } = context;
        const made = () => given.object({ [profile.textMember]: textOfRound(context, 0) });
        const [first, second] = [await made(), await made()];
        const observed = await watchDuring(
          (isOver) => Promise.all([watch(context, first, second, isOver), watch(context, first, second, isOver)]),
          () => writeBoth(context, first, second),
        );
        for (const { later, earlier } of observed.flat()) {
          expect(later, `what a reader sees in the first object that saw ${earlier} in the second`).toSatisfy(
            `at least ${earlier}`,
            (seen) => seen >= earlier,
          );
          expect(Math.min(later, earlier), 'the lesser of both').toSatisfy(
            'of no batch that failed',
            (seen) => seen >= 0,
          );
        }
        expect(observed.flat().length, 'pairs of reads while batches were under way').toSatisfy(
          'some',
          (count) => count > 0,
        );
      },
      { rounds: 1 },
    ),
  },
  'batch.rollback.edits-undone': {
    source: 'core: Batch rules 1',
    statement:
      'When one operation fails, whatever it is and whyever, edits of other objects in the batch are undone by whichever way, and so is a DELETE, in content, entries, references, state and version, from which the next one counts on.',
    fault: 'content is rolled back but the version stays raised',
    needs: ['soft-type', 'text-member', 'array-port', 'batch'],
    after: ['batch.failure.status-500'],
    test: onEverySpace(
      scenario(async (context, { begin }) => {
        for (const place of [0, 1, 2]) {
          begin?.();
          const { given, service, expect, notes, profile } = context;
          const text = await ownTexts(context);
          const owner = await given.objectWithEntries(11, { text, body: { [profile.textMember]: text() } });
          const [first, second] = entriesOf(await service.read(owner), owner.port);
          const edited = pointer(owner.port.member, given.present(second, 'a second entry').entryId, owner.port.text);
          const entries = service.requests.operations(owner, [
            add(pointer(owner.port.member), given.entry(given.unique(), {}, owner.port)),
            remove(entryPath(owner.port, given.present(first, 'an entry').entryId)),
            replace(edited, given.unique()),
          ]);
          const [plain, stale] = [await makeEditable(context), await makeEditable(context)];
          const things: readonly Thing[] = [owner, plain, stale];
          const before = [await service.snapshot(owner), await service.snapshot(plain), await service.snapshot(stale)];
          const sound = [entries, editRequest(context, plain)];
          // a change set does not end where an implementation would rather have it end
          const more = place === 2 ? Array.from({ length: manyMore }, () => service.requests.create(given.body())) : [];
          const reply = await sendBatch(context, [
            ...sound.slice(0, place),
            ...more,
            staleEditRequest(context, stale),
            ...sound.slice(place),
          ]);
          // so many a service may refuse to look at
          const isRefused = more.length > 0 && reply.status >= 400 && reply.status < 500;
          if (more.length > 0)
            notes.observe('a batch longer than the guideline is refused as a whole', isRefused, reply);
          if (!isRefused) assumeFailed(reply);
          for (const [index, thing] of things.entries())
            expect.unchanged(given.present(before[index], 'a snapshot'), await service.snapshot(thing));
          for (const thing of things) {
            const next = await service.send(editRequest(context, thing));
            expect(next).toSucceed();
            expectVersionHeader(context, next, thing.version + 1);
          }
        }
        await expectUndoneHoweverFailed(context);
        await expectTwiceEditedUndone(context);
        await expectUndoneBesideLocked(context);
        await expectRemovalUndone(context);
        await expectReplacementUndone(context);
        await expectMembersUndone(context);
        await expectInnerAddUndone(context);
        await expectPlacesUndone(context);
      }),
    ),
  },
  'batch.rollback.creates-undone': {
    source: 'core: Batch rules 1',
    statement: 'When one operation fails, objects created by other operations of the batch do not exist afterwards.',
    fault: 'created objects survive the rollback',
    needs: ['soft-type', 'text-member', 'instance-listing', 'batch'],
    after: ['batch.failure.status-500', 'reading.missing-object.status-404'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, profile } = context;
        const member = profile.textMember;
        const stale = await makeEditable(context);
        const kept = given.unique('kept');
        await given.object({ [member]: kept });
        await givenListed(context, kept);
        const texts = [given.unique('undone'), given.unique('undone')];
        const creates = texts.map((text) => service.requests.create(given.body({ [member]: text })));
        const requests = [...creates, staleEditRequest(context, stale)];
        const reply = await sendBatch(context, requests);
        assumeFailed(reply);
        await expectNothingBehind(context, reply, requests);
        for (const text of texts)
          expect(await isListed(context, text), 'an object of a batch that failed is listed', reply).toEqual(false);
        await expectItemsUndone(context);
        for (const failing of failingOperations(context)) {
          const { what, make } = failing;
          const text = given.unique('undone');
          const create = service.requests.create(given.body({ [member]: text }));
          const failed = await sendBatch(context, [create, await make()]);
          if (failed.status === 200 && !(await isRefusedAlone(context, failing))) continue;
          expect(failed.status, `status of a batch with ${what}`, failed).notToEqual(200);
          expect(await isListed(context, text), `an object of a batch with ${what} is listed`, failed).toEqual(false);
        }
      }),
    ),
  },
  'batch.rollback.promotion-undone': {
    source: 'core: Batch rules 1 and 2',
    statement:
      'A promote or demote in a batch that fails is undone: state and version are those from before, and the next one leads where it would have led without the batch, in version too.',
    fault: 'maturity actions are carried out outside the change set',
    needs: ['soft-type', 'text-member', 'maturity', 'batch'],
    after: ['batch.failure.status-500', 'maturity.promote.moves-state'],
    test: scenario(async (context) => {
      const { service, expect, profile } = context;
      for (const promoteFirst of [true, false]) {
        const [promoted, stale] = [await makeEditable(context), await makeEditable(context)];
        const before = await readStanding(context, promoted);
        const requests = [service.requests.promote(promoted), staleEditRequest(context, stale)];
        const reply = promoteFirst
          ? await sendOtherwise(context, requests)
          : await sendBatch(context, requests.toReversed());
        assumeFailed(reply);
        expectStands(context, before, await readStanding(context, promoted));
        const next = await service.promote(promoted);
        expect(next).toSucceed();
        expectVersionHeader(context, next, promoted.version + 1);
        await expectMovedAs(context, promoted, await makePromoted(context));
      }
      if (profile.all.routes?.demote !== undefined) await expectDemoteUndone(context);
    }),
  },
  'batch.rollback.failed-read-aborts-writes': {
    source: 'core: Batch rules 1 (one operation fails, all are aborted)',
    statement: 'A failing GET operation is a failing operation too: the writes of the same batch are rolled back.',
    fault: 'only failing writes trigger the rollback',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.failure.status-500'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect } = context;
        for (const readFirst of [true, false]) {
          const thing = await makeEditable(context);
          const before = await service.snapshot(thing);
          const ordered = (read: RequestSpec) =>
            readFirst ? [read, editRequest(context, thing)] : [editRequest(context, thing), read];
          expect(
            await sendBatch(context, ordered(service.requests.read({ ...thing, oid: given.unknownOid(thing) }))),
          ).toAnswer(500);
          expect.unchanged(before, await service.snapshot(thing));
          expect(await sendBatch(context, ordered(service.requests.read(await given.object())))).toAnswer(200);
          expect((await service.snapshot(thing)).version, 'version after the batch that passed').toEqual(
            thing.version + 1,
          );
        }
      }),
    ),
  },
  'batch.rollback.objects-stay-writable': {
    source: 'core: Batch rules 1; Versioning 3',
    statement:
      'After a rolled back batch the objects accept a write with the version they had before it, and are read as that write leaves them, whatever was read inside the batch.',
    fault: 'a failed batch leaves its objects locked',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.rollback.edits-undone'],
    test: onEveryType(
      scenario(async (context) => {
        const { service, expect } = context;
        const things = [await makeEditable(context), await makeEditable(context)];
        const sound = () => things.map((thing) => editRequest(context, thing));
        const failed = await sendBatch(context, [...sound(), staleEditRequest(context, await makeEditable(context))]);
        assumeFailed(failed);
        expect(await sendBatch(context, sound())).toAnswer(200);
        for (const thing of things)
          expect((await service.snapshot(thing)).version, 'version after the batch that passed').toEqual(
            thing.version + 1,
          );
        await expectReadsUndone(context);
        await expectTotalsUndone(context);
      }),
    ),
  },
});

/** Objects of a multi-create are undone like others, where a batch takes one. */
async function expectItemsUndone(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const multiCreate = (text: string) => service.requests.multiCreate([item(context, { [profile.textMember]: text })]);
  const passing = await sendBatch(context, [multiCreate(given.unique('kept'))]);
  notes.observe('status of a batch with a multi-create', passing.status, passing);
  if (passing.status !== 200) return;
  const text = given.unique('undone');
  const reply = await sendBatch(context, [multiCreate(text), staleEditRequest(context, await makeEditable(context))]);
  assumeFailed(reply);
  expect(await isListed(context, text), 'an object of a multi-create in a batch that failed is listed', reply).toEqual(
    false,
  );
}

/** What is kept apart from other members by many a store. */
function editsOfList({ service, given, profile }: CaseContext): readonly Pick<WriteRoute, 'request'>[] {
  const { scalarList } = profile.primary;
  if (scalarList === undefined || !profile.offers('merge')) return [];
  return [{ request: (thing) => service.requests.merge(thing, { [scalarList]: [given.unique()] }) }];
}

/** Every way to edit is undone, and every kind of failure undoes it: each meets two ways, with which it changes places. */
async function expectUndoneHoweverFailed(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const routes = [...editRoutes(context), ...editsOfList(context)];
  for (const [index, failing] of failingOperations(context).entries()) {
    const { what, make } = failing;
    const things: Thing[] = [await makeEditable(context), await makeEditable(context)];
    const before = [];
    for (const thing of things) before.push(await service.snapshot(thing));
    const edits = things.map((thing, place) =>
      given.present(routes[(index + place) % routes.length], 'a way to edit').request(thing),
    );
    const reply = await sendBatch(context, edits.toSpliced(1 + (index % 2), 0, await make()));
    if (reply.status === 200 && !(await isRefusedAlone(context, failing))) continue;
    expect(reply.status, `status of a batch with ${what}`, reply).notToEqual(200);
    for (const [place, thing] of things.entries())
      expect.unchanged(given.present(before[place], 'a snapshot'), await service.snapshot(thing));
  }
}

/** An object that a batch has edited twice is as it was ahead of it, where a batch may do so. */
async function expectTwiceEditedUndone(context: CaseContext): Promise<void> {
  const { service, expect, notes } = context;
  const [thing, other, stale] = [await makeEditable(context), await makeEditable(context), await makeEditable(context)];
  const twice = (one: Thing) => [editRequest(context, one), editRequest(context, { ...one, version: one.version + 1 })];
  const passing = await sendBatch(context, twice(other));
  notes.observe('status of a batch with two edits of one object', passing.status, passing);
  if (passing.status !== 200) return;
  const before = await service.snapshot(thing);
  assumeFailed(await sendBatch(context, [...twice(thing), staleEditRequest(context, stale)]));
  expect.unchanged(before, await service.snapshot(thing));
  const next = await service.send(editRequest(context, thing));
  expect(next).toSucceed();
  expectVersionHeader(context, next, thing.version + 1);
}

/** An edit of what somebody else has locked ends a batch like every one that fails; where a lock bars nobody, there is nothing to undo. */
async function expectUndoneBesideLocked(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { lockTake, lockFree } = profile.all.routes ?? {};
  if (lockTake === undefined || lockFree === undefined || profile.all.identities.secondEditor === undefined) return;
  const [free, barred] = [await makeEditable(context), await makeEditable(context)];
  const as = 'secondEditor';
  const taken = await service.send(lockRequest(context, lockTake, barred), { as });
  notes.observe('status of taking the lock of an object', taken.status, taken);
  if (!isSuccess(taken.status)) return;
  const before = await service.snapshot(free);
  const locked = await given.current(barred);
  const reply = await sendBatch(context, [editRequest(context, free), editRequest(context, locked)]);
  notes.observe('status of a batch with an edit of what somebody else has locked', reply.status, reply);
  const isBarring = reply.status !== 200;
  const failed = isBarring ? [] : resultsOf(reply).filter(({ statusCode }) => Number(statusCode) >= 400);
  expect(failed.length, 'operations that failed, for a lock, of a batch that answers 200', reply).toEqual(0);
  if (isBarring) expect.unchanged(before, await service.snapshot(free));
  // the lock is as it was before a batch that failed: one that it frees still bars, one that it takes bars nobody
  const stale = await makeEditable(context);
  if (isBarring) {
    const operations = [lockRequest(context, lockFree, locked), staleEditRequest(context, stale)];
    const freeing = await sendBatch(context, operations, { as });
    const edit = await service.send(editRequest(context, locked));
    if (freeing.status !== 200) expect(edit).notToSucceed();
  }
  await service.send(lockRequest(context, lockFree, await given.current(barred)), { as });
  if (!isBarring) return;
  assumeFailed(await sendBatch(context, [lockRequest(context, lockTake, free), staleEditRequest(context, stale)]));
  const edit = await service.send(editRequest(context, free), { as });
  if (!isSuccess(edit.status))
    given.succeeded(await service.send(editRequest(context, stale), { as }), 'an edit by the second editor');
  expect(edit).toSucceed();
}

/** A batch reads what it has written and fails: the next edit makes the same version once more, with another content. */
async function expectReadsUndone(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const [thing, stale] = [await makeEditable(context), await makeEditable(context)];
  const read = service.requests.read(thing);
  const filtered = profile.all.filters?.fixed === undefined ? [] : [{ ...read, ...withFilter(context, thing) }];
  const reads = [read, service.requests.readLong(thing), ...filtered];
  assumeFailed(await sendBatch(context, [editRequest(context, thing), ...reads, staleEditRequest(context, stale)]));
  const expectShown = async (text: unknown, when: string): Promise<void> => {
    for (const request of reads) {
      const shown = await service.send(request);
      // the filter may be one of another SoftType
      if (filtered.includes(request) && !isSuccess(shown.status)) continue;
      expect(dataOf(shown)[profile.textMember], `${profile.textMember} ${when}`, shown).toEqual(text);
    }
  };
  await expectShown(thing.body[profile.textMember], 'behind a batch that failed, which had edited it and read it');
  const kept = given.unique('kept');
  expect(await service.merge(thing, { [profile.textMember]: kept })).toSucceed();
  await expectShown(kept, 'after the edit that was accepted');
}

/** A batch adds to a long array, reads it and fails: the next edit makes the same version, at which the link tells and the page holds what they did before. */
async function expectTotalsUndone(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  if (profile.primary.arrayPort === undefined || !profile.offers('operations')) return;
  const owner = await given.objectWithEntries(11);
  const { member } = owner.port;
  const toldBy = async () => {
    const reply = await service.read(owner);
    const told = pageLinksOf(reply, owner.port).map(({ pages, totalNumber }) => ({ pages, totalNumber }));
    const page = await service.page(owner, 1);
    return { told, reply, texts: textsOf(entriesOfPage(page), owner.port), page };
  };
  const before = await toldBy();
  const more = Array.from({ length: 10 }, () => add(pointer(member), given.entry(given.unique(), {}, owner.port)));
  const failed = await sendBatch(context, [
    service.requests.operations(owner, more),
    service.requests.readShort(owner),
    service.requests.readLong(owner),
    service.requests.page(owner, 1),
    staleEditRequest(context, await makeEditable(context)),
  ]);
  assumeFailed(failed);
  const edit = await service.merge(owner, { [profile.textMember]: given.unique() });
  given.succeeded(edit, 'an edit after a batch that failed', ['versioning.edit.merge-adds-one']);
  const after = await toldBy();
  expect(after.told, 'pages and totalNumber told after a batch that failed', after.reply).toEqual(before.told);
  expect(after.texts, 'texts on page 1 after a batch that failed', after.page).toEqual(before.texts);
}

/** The object has moved as far as the twin, which no batch has met. */
async function expectMovedAs(context: CaseContext, thing: Thing, twin: Thing): Promise<void> {
  const [own, expected] = [await readStanding(context, thing), await readStanding(context, twin)];
  context
    .expect(own.state ?? null, 'state after a move that a batch had tried before', own.snapshot.reply)
    .toEqual(expected.state ?? null);
}

/** Where the service takes a demote: two promotes up, so that there is a state below the one that the first leads to. */
async function expectDemoteUndone(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const makeHigh = async (): Promise<{ thing: Thing; second: Reply }> => {
    const thing = await makePromoted(context);
    const second = await service.promote(thing);
    return { thing: await given.current(thing), second };
  };
  const twin = await makeHigh();
  const demote = await service.demote(twin.thing);
  notes.observe('status of a demote after two promotes', demote.status, demote);
  if (!isSuccess(demote.status)) return;
  const [{ thing: high, second }, stale] = [await makeHigh(), await makeEditable(context)];
  // there may be no second move, but then there is none for either of them
  if (isSuccess(second.status) || isSuccess(twin.second.status))
    for (const reply of [twin.second, second])
      given.succeeded(reply, 'a second promote', ['maturity.promote.moves-state']);
  const before = await readStanding(context, high);
  const failed = await sendBatch(context, [service.requests.demote(high), staleEditRequest(context, stale)]);
  assumeFailed(failed);
  expectStands(context, before, await readStanding(context, high));
  expect(await service.demote(high)).toSucceed();
  await expectMovedAs(context, high, twin.thing);
}

/** Batches that edit both, the second object first, each after one with other values that fails. */
async function writeBoth(context: CaseContext, first: Thing, second: Thing): Promise<void> {
  const { given, service, profile } = context;
  const failing = await makeEditable(context);
  for (let round = 1; round <= rounds; round += 1) {
    const edits = (told: number) =>
      [second, first].map((thing) =>
        service.requests.merge(thing, { [profile.textMember]: textOfRound(context, told) }, thing.version + round - 1),
      );
    const failed = await sendBatch(context, [...edits(-round), staleEditRequest(context, failing)]);
    assumeFailed(failed);
    given.assume((await sendBatch(context, edits(round))).status === 200, 'a batch of two edits that passes');
  }
}

/** No two objects may have one text. */
function textOfRound({ given }: CaseContext, round: number): string {
  return `${round} ${given.unique('round')}`;
}

/** Reads the second object and then the first, over and over: what is in the first can only be newer. */
async function watch(
  { given, service, profile }: CaseContext,
  first: Thing,
  second: Thing,
  isOver: () => boolean,
): Promise<readonly { later: number; earlier: number }[]> {
  const roundOf = async (thing: Thing): Promise<number> => {
    const read = await service.read(thing);
    given.succeeded(read, 'an object is read', ['reading.instance.short-route-served']);
    return Number.parseInt(String(dataOf(read)[profile.textMember]), 10);
  };
  const seen = [];
  while (!isOver()) {
    const earlier = await roundOf(second);
    const later = await roundOf(first);
    seen.push({ later, earlier });
  }
  return seen;
}

/** A PUT is undone with the arrays: those that its body leaves out are as they were, and so are those that it brings. */
async function expectReplacementUndone(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  if (profile.all.routes?.softTypePut === undefined) return;
  const stale = await makeEditable(context);
  for (const count of [0, 2]) {
    const owner = await given.objectWithEntries(11);
    const before = await service.snapshot(owner);
    const entries = Array.from({ length: count }, () => given.entry(given.unique('replaced'), {}, owner.port));
    const replacement = service.requests.put(owner, given.body(count === 0 ? {} : { [owner.port.member]: entries }));
    assumeFailed(await sendBatch(context, [replacement, staleEditRequest(context, stale)]));
    expect.unchanged(before, await service.snapshot(owner));
  }
}

/** A merge is undone in members of every kind, inside an object as well. */
async function expectMembersUndone(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { object } = profile.primary;
  if (!profile.offers('merge')) return;
  const stale = await makeEditable(context);
  const inside = object && { [object.member]: { ...object.body, [String(object.scalars[0])]: given.unique('inside') } };
  for (const changes of [ownMembers(context), ...(inside ? [inside] : [])]) {
    const owner = await given.object(ownMembers(context));
    const before = await service.snapshot(owner);
    assumeFailed(await sendBatch(context, [service.requests.merge(owner, changes), staleEditRequest(context, stale)]));
    expect.unchanged(before, await service.snapshot(owner));
  }
}

/** Whatever place of an object a batch edits is undone. */
async function expectPlacesUndone(context: CaseContext): Promise<void> {
  const { service, expect } = context;
  const { thing, edits } = await (await placesToEdit(context))();
  const before = await service.snapshot(thing);
  const stale = await makeEditable(context);
  for (const { request } of edits) {
    assumeFailed(await sendBatch(context, [request(thing), staleEditRequest(context, stale)]));
    expect.unchanged(before, await service.snapshot(thing));
  }
}

/** What is added to an array inside an entry is undone too, and no edit brings it back. */
async function expectInnerAddUndone(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { member, nested } = profile.port;
  if (nested === undefined || !profile.offers('operations')) return;
  const addInside = async (owner: Thing): Promise<RequestSpec> => {
    const [entry] = entriesOf(await service.read(owner), profile.port);
    const path = pointer(member, given.present(entry, 'an entry').entryId, nested.member);
    return service.requests.operations(owner, [add(path, given.nestedEntry(given.unique('undone'), nested))]);
  };
  const [alone, owner] = [
    await given.objectWithEntries(1, { nested: () => 1 }),
    await given.objectWithEntries(1, { nested: () => 1 }),
  ];
  if (!isSuccess((await service.send(await addInside(alone))).status)) return;
  assumeFailed(
    await sendBatch(context, [await addInside(owner), staleEditRequest(context, await makeEditable(context))]),
  );
  for (const when of ['was undone', 'was undone, behind an edit']) {
    const read = await service.read(owner);
    const inside = entriesOf(read, profile.port).flatMap(({ members }) => objectsIn(members[nested.member]));
    expect(inside.length, `entries inside an entry where an add of one ${when}`, read).toEqual(1);
    await service.send(editRequest(context, await given.current(owner)));
  }
}
