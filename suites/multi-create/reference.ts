import { array, boolean } from 'fast-check';
import { property, race, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { unescaped } from '../../judge/unescaped.ts';
import type { Item } from './item.ts';
import { oidOf, targetsOf } from '../../judge/multi-create-result.ts';
import { created, item, linkedPair, referring, targetType } from './words.ts';

export const referenceCases = {
  'multi-create.reference.backward': scenario(async (context) => {
    const [target, referrer] = await pairOf(context, linkedPair(context).items);
    leadsTo(context, referrer, [target]);
  }),

  'multi-create.reference.forward': scenario(async (context) => {
    const [target, referrer] = linkedPair(context).items;
    const [readReferrer, readTarget] = await pairOf(context, [referrer, target]);
    leadsTo(context, readReferrer, [readTarget]);
  }),

  'multi-create.reference.mutual': scenario(async (context) => {
    const { profile, expect, service, notes } = context;
    const bare = { one: item(context), other: item(context, {}, targetType(context)) };
    const items = [referring(context, bare.one, [bare.other]), referring(context, bare.other, [bare.one])] as const;
    const [one, other] = await pairOf(context, items);
    leadsTo(context, one, [other]);
    expect(
      targetsOf(context, other, targetType(context), [oidOf(one)]),
      'references of the second item',
      other,
    ).toEqual([oidOf(one)]);
    if (profile.primary.reference?.target !== 'primary') return;
    const self = item(context);
    notes.observe(
      'an item that refers to itself',
      (await service.multiCreate([referring(context, self, [self])])).status,
    );
  }),

  'multi-create.reference.stores-real-identity': scenario(async (context) => {
    const { service, given, expect } = context;
    const { items } = linkedPair(context);
    const [target, referrer] = await pairOf(context, items);
    for (const read of [target, referrer])
      for (const { $id } of items)
        expect(unescaped(read).includes($id), `${$id} stands in a read response`, read).toEqual(false);
    leadsTo(context, referrer, [target]);
    const thing = await given.object();
    const byTemporaryId = await service.read({ ...thing, oid: items[0].$id });
    expect(byTemporaryId.status, 'status of a read with an $id as object id', byTemporaryId).toSatisfy(
      '400 or above',
      (status) => status >= 400,
    );
    const later = referring(context, item(context), [items[0]]);
    const reply = await service.multiCreate([later]);
    const linked = reply.status < 300 && unescaped(reply).includes(oidOf(target));
    expect(linked, 'a later multi-create refers to an $id of an earlier one', reply).toEqual(false);
  }),

  'multi-create.id.reusable-in-next-request': race(
    async (context) => {
      const { expect } = context;
      const { items } = linkedPair(context);
      const rounds = [
        ...(await Promise.all([created(context, items), created(context, items)])),
        await created(context, items),
      ];
      expect(new Set(rounds.flat().map(oidOf)).size, 'objects of three equal requests of two items').toEqual(6);
      for (const [target, referrer] of rounds) leadsTo(context, referrer, [target]);
    },
    { rounds: 1 },
  ),

  'multi-create.graph.every-edge-stored': property(
    array(array(boolean(), { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 5 }),
    async (context, edges) => {
      const targets = Array.from({ length: 5 }, () => item(context, {}, targetType(context)));
      const referrers = edges.map((row) =>
        referring(
          context,
          item(context),
          targets.filter((_target, index) => row[index]),
        ),
      );
      const mixed = [...referrers.slice(0, 1), ...targets, ...referrers.slice(1)];
      const reads = await created(context, mixed);
      const readOf = (one: Item) => context.given.present(reads[mixed.indexOf(one)], 'a read of every item');
      for (const [index, row] of edges.entries()) {
        const expected = targets.filter((_target, place) => row[place]).map(readOf);
        leadsTo(context, readOf(context.given.present(referrers[index], 'a referrer')), expected);
      }
    },
    {
      always: [
        [[true, true, true, true, true]],
        [
          [true, false, false, false, false],
          [true, false, false, false, true],
        ],
      ],
      share: 0.2,
    },
  ),
} satisfies SomeCasesOf<'multi-create'>;

async function pairOf(context: CaseContext, items: readonly Item[]): Promise<readonly [Reply, Reply]> {
  const [first, second] = await created(context, items);
  return [context.given.present(first, 'the first object'), context.given.present(second, 'the second object')];
}

/** The references of an object of the primary SoftType lead to exactly these objects. */
function leadsTo(context: CaseContext, referrer: Reply | undefined, targets: readonly (Reply | undefined)[]): void {
  const { expect, given, profile } = context;
  const read = given.present(referrer, 'the referrer');
  const expected = targets.map((target) => oidOf(given.present(target, 'a target')));
  expect(
    [...targetsOf(context, read, profile.primary, expected)].sort(),
    'objects that the references lead to',
    read,
  ).toEqual(expected.sort());
}
