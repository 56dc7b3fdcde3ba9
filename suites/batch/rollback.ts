import { nat } from 'fast-check';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/given.ts';
import { isListed, listingShows } from '../../judge/listing.ts';
import { entriesOf } from '../../judge/answer.ts';
import { readOf, stateIn } from '../maturity/words.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { editable } from '../../judge/writes.ts';
import { edit, failedWhole, nothingBehind, resultsOf, sendBatch, staleEdit } from './words.ts';

export const rollbackCases = {
  'batch.rollback.edits-undone': property(
    nat({ max: 2 }),
    async (context, place) => {
      const { given, service, expect, profile } = context;
      const owner = await given.objectWithEntries(11, { body: { [profile.scalars[0]]: given.unique() } });
      const [first] = entriesOf(await service.read(owner), owner.port);
      const entries = service.requests.operations(owner, [
        { op: 'add', path: pointer(owner.port.member), value: given.entry(given.unique(), {}, owner.port) },
        { op: 'remove', path: `${pointer(owner.port.member, given.present(first, 'an entry').entryId)}/` },
      ]);
      const [plain, stale] = [await editable(context), await editable(context)];
      const things: readonly Thing[] = [owner, plain, stale];
      const before = [await service.snapshot(owner), await service.snapshot(plain), await service.snapshot(stale)];
      const sound = [entries, edit(context, plain)];
      const reply = await sendBatch(context, [
        ...sound.slice(0, place),
        staleEdit(context, stale),
        ...sound.slice(place),
      ]);
      failedWhole(reply);
      for (const [index, thing] of things.entries())
        expect.unchanged(given.present(before[index], 'a snapshot'), await service.snapshot(thing));
    },
    { always: [0, 1, 2], share: 0.2 },
  ),

  'batch.rollback.creates-undone': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const [member] = profile.scalars;
    const stale = await editable(context);
    const kept = given.unique('kept');
    await given.object({ [member]: kept });
    given.assume(await isListed(context, kept), listingShows);
    const texts = [given.unique('undone'), given.unique('undone')];
    const creates = texts.map((text) => service.requests.create(given.body({ [member]: text })));
    const requests = [...creates, staleEdit(context, stale)];
    const reply = await sendBatch(context, requests);
    failedWhole(reply);
    await nothingBehind(context, reply, resultsOf(reply).slice(0, 2), requests);
    for (const text of texts)
      expect(await isListed(context, text), 'an object of a batch that failed is listed', reply).toEqual(false);
  }),

  'batch.rollback.promotion-undone': scenario(async (context) => {
    const { service, expect } = context;
    for (const promoteFirst of [true, false]) {
      const [promoted, stale] = [await editable(context), await editable(context)];
      const before = stateIn(context, await readOf(context, promoted));
      const requests = [service.requests.promote(promoted), staleEdit(context, stale)];
      const reply = await sendBatch(context, promoteFirst ? requests : requests.toReversed());
      failedWhole(reply);
      const after = await readOf(context, promoted);
      expect(stateIn(context, after) ?? null, 'state after the batch that failed', after).toEqual(before ?? null);
      expect(await service.promote(promoted)).toSucceed();
    }
  }),

  'batch.rollback.failed-read-aborts-writes': scenario(async (context) => {
    const { given, service, expect } = context;
    for (const readFirst of [true, false]) {
      const thing = await editable(context);
      const before = await service.snapshot(thing);
      const ordered = (read: RequestSpec) => (readFirst ? [read, edit(context, thing)] : [edit(context, thing), read]);
      expect(
        await sendBatch(context, ordered(service.requests.read({ ...thing, oid: given.unknownOid(thing) }))),
      ).toAnswer(500);
      expect.unchanged(before, await service.snapshot(thing));
      expect(await sendBatch(context, ordered(service.requests.read(await given.object())))).toAnswer(200);
      expect((await service.snapshot(thing)).version, 'version after the batch that passed').toEqual(thing.version + 1);
    }
  }),

  'batch.rollback.objects-stay-writable': scenario(async (context) => {
    const { service, expect } = context;
    const things = [await editable(context), await editable(context)];
    const sound = () => things.map((thing) => edit(context, thing));
    const failed = await sendBatch(context, [...sound(), staleEdit(context, await editable(context))]);
    failedWhole(failed);
    expect(await sendBatch(context, sound())).toAnswer(200);
    for (const thing of things)
      expect((await service.snapshot(thing)).version, 'version after the batch that passed').toEqual(thing.version + 1);
  }),
} satisfies SomeCasesOf<'batch'>;
