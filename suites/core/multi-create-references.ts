import { isSuccess } from '../../judge/exchange.ts';
import { array, boolean } from 'fast-check';
import type { SoftTypeProfile } from '../../contract/profile.ts';
import { plainTextOf, versionOf } from '../../judge/service/answers.ts';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import { type MultiCreateItem, oidOf, readCreated, targetsOf } from '../../judge/service/multi-create.ts';
import { rules } from '../../judge/rule.ts';
import { softTypesOf, targetOf } from '../../judge/service/soft-types.ts';
import { item, referring, targetType } from '../../judge/service/referrers.ts';
import { mayBeShared } from './checks/referring-writes.ts';
import { createItems, createPair, expectReferences, linkedPair } from './checks/multi-create-items.ts';

export const multiCreateReferenceRules = rules('multi-create', {
  'multi-create.reference.backward': {
    source: 'core: Multi-create rules 2; Multi-create item',
    statement:
      'An item may refer by `instanceRef` to the `$id` of an item that stands before it, whatever text that is and whatever the `id` beside it says.',
    fault: 'references are stored but point to the referrer itself',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result', 'multi-create'],
    after: ['multi-create.items.all-created', 'multi-create.items.different-types'],
    test: scenario(async (context) => {
      const [target, referrer] = await createPair(context, linkedPair(context).items);
      expectReferences(context, referrer, [target]);
      await expectAlikeKeptApart(context);
      await expectAnyIdReferredTo(context);
      await expectItemBeforeStored(context);
      await expectInstanceRefDecides(context);
      await expectReferredByAnother(context);
    }),
  },
  'multi-create.reference.forward': {
    source: 'core: Multi-create rules 2; Multi-create item',
    statement: 'An item may refer to an item that stands after it.',
    fault: 'items are resolved in one pass from front to back',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result', 'multi-create'],
    after: ['multi-create.reference.backward', 'multi-create.items.different-types'],
    test: scenario(async (context) => {
      const [target, referrer] = linkedPair(context).items;
      const [readReferrer, readTarget] = await createPair(context, [referrer, target]);
      expectReferences(context, readReferrer, [readTarget]);
    }),
  },
  'multi-create.reference.mutual': {
    source: 'core: Multi-create rules 2 (each other)',
    statement: 'Two items may refer to each other in one request, in either order, and with other items beside them.',
    fault: 'cycles are refused',
    needs: [
      'soft-type',
      'second-soft-type',
      'reference-port',
      'mutual-reference',
      'multi-create-result',
      'multi-create',
    ],
    after: ['multi-create.reference.forward', 'multi-create.items.different-types'],
    test: scenario(async (context) => {
      const { given, profile, expect, service, notes } = context;
      for (const order of [
        ['one', 'other'],
        ['beside', 'one', 'other'],
        ['other', 'beside', 'one'],
      ] as const) {
        const bare = { one: item(context), other: item(context, {}, targetType(context)) };
        const items = {
          one: referring(context, bare.one, [bare.other]),
          other: referring(context, bare.other, [bare.one]),
          beside: item(context),
        };
        const reads = await createItems(
          context,
          order.map((name) => items[name]),
        );
        const readOf = (name: (typeof order)[number]) =>
          given.present(reads[order.findIndex((ordered) => ordered === name)], 'a read of every item');
        const [one, other] = [readOf('one'), readOf('other')];
        expectReferences(context, one, [other]);
        expect(
          targetsOf(context, other, targetType(context), [oidOf(one)]),
          'references of the second item',
          other,
        ).toEqual([oidOf(one)]);
      }
      if (profile.primary.reference?.target !== 'primary') return;
      const self = item(context);
      notes.observe(
        'an item that refers to itself',
        (await service.multiCreate([referring(context, self, [self])])).status,
      );
    }),
  },
  'multi-create.reference.stores-real-identity': {
    source: 'core: Multi-create item, $id (used only inside the request)',
    statement:
      'After the request references hold the lasting identity of the target, and `$id` has no meaning any more.',
    fault: 'the temporary id is stored as reference value',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result', 'multi-create'],
    after: ['multi-create.reference.backward', 'multi-create.items.different-types'],
    test: scenario(async (context) => {
      const { service, given, expect, profile } = context;
      const { items } = linkedPair(context);
      const [target, referrer] = await createPair(context, items);
      for (const read of [target, referrer])
        for (const { $id } of items)
          expect(plainTextOf(read).includes($id), `${$id} stands in a read response`, read).toEqual(false);
      expectReferences(context, referrer, [target]);
      const thing = await given.object();
      const byTemporaryId = await service.read({ ...thing, oid: items[0].$id });
      expect(byTemporaryId.status, 'status of a read with an $id as object id', byTemporaryId).toSatisfy(
        '400 or above',
        (status) => status >= 400,
      );
      const later = referring(context, item(context), [items[0]]);
      const reply = await service.multiCreate([later]);
      if (!isSuccess(reply.status)) return;
      for (const read of await readCreated(context, reply, [later]))
        expect(
          targetsOf(context, read, profile.primary, [oidOf(target)]),
          'objects that a later multi-create refers to by an $id of an earlier one',
          read,
        ).toSatisfy('not the object of the earlier one', (oids) => !oids.includes(oidOf(target)));
    }),
  },
  'multi-create.graph.every-edge-stored': {
    source: 'core: Multi-create rules 1 and 2; Versioning 2',
    statement:
      'For any reference graph over the items, of whatever SoftTypes, exactly the references given are stored, and what is referred to has the version of what is not.',
    fault: 'an item referred to by several others keeps the last reference only',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result', 'multi-create'],
    after: ['multi-create.reference.forward', 'multi-create.items.different-types'],
    test: property(
      array(array(boolean(), { minLength: 5, maxLength: 5 }), { minLength: 1, maxLength: 5 }),
      async (context, graph) => {
        // a port for one reference has room for one edge
        const types = referringTypes(context);
        const edges = graph.map((row, at) => {
          const isSingle = types[at % types.length]?.reference?.single === true;
          return isSingle ? row.map((edge, place) => edge && row.indexOf(true) === place) : row;
        });
        if (await isTakenAsGiven(context, edges)) return expectEdgesStored(context, edges);
        // a template may let nobody else refer to what somebody refers to
        const isFirst = (at: number, place: number) => edges.findIndex((row) => row[place]) === at;
        const apart = edges.map((row, at) => row.map((edge, place) => edge && isFirst(at, place)));
        await expectEdgesStored(context, apart);
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
  },
  'multi-create.references.odd-targets': {
    level: 'observe',
    source: 'core: Multi-create item; Multi-create rules 2',
    statement:
      'Not described: an `instanceRef` that no item has, two items with one `$id`, an item without `$id`, a `softTypeId` that differs from the type of the target, a reference to an object that already exists, two references to one item, an empty list, a body that is no array.',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result', 'multi-create'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const target = item(context, {}, targetType(context));
      const referrer = referring(context, item(context), [target]);
      const thing = await given.object({}, { type: targetType(context) });
      const lists: Record<string, unknown> = {
        'an instanceRef that no item has': [referrer],
        'two items with one $id': [target, { ...item(context), $id: target.$id }],
        'an item without $id': [{ $softType: target.$softType, data: target.data }],
        'a softTypeId of another type': [
          target,
          referring(context, item(context), [{ ...target, $softType: given.unique('no-type') }]),
        ],
        'a reference to an object that exists': [referring(context, item(context), [{ ...target, $id: thing.oid }])],
        'an empty list': [],
        'a body that is no array': item(context),
      };
      const keys = new Map([
        ['an instanceRef that no item has', 'multiCreateUnknownReference'],
        ['two items with one $id', 'multiCreateDuplicateId'],
        ['an empty list', 'multiCreateEmpty'],
      ] as const);
      for (const [what, items] of Object.entries(lists)) {
        const reply = await service.send({ ...service.requests.multiCreate([]), body: items });
        const key = [...keys].find(([name]) => name === what)?.[1];
        if (key === undefined) notes.observe(`status of a multi-create with ${what}`, reply.status, reply);
        else notes.bound(key, `status of a multi-create with ${what}`, reply.status, reply);
        notes.remarkServerError(reply);
      }
      const one = item(context, {}, targetType(context));
      const twice = [one, referring(context, item(context), [one, one])];
      const reply = await service.multiCreate(twice);
      notes.observe('status of a multi-create with two references to one item', reply.status, reply);
      if (!isSuccess(reply.status)) return;
      const [, read] = await readCreated(context, reply, twice);
      const shown = read && targetsOf(context, read, profile.primary, []).length;
      notes.observe('references shown of two to one item', shown ?? 'none', read);
    }),
  },
});

/** What a language finds in every object, or takes for something else than a text. */
const wordsOfLanguages = ['toString', 'valueOf', 'length', 'null', 'true'];

type Edges = readonly (readonly boolean[])[];

/** Referrers by their row, of the types that refer in turn, and what they refer to by their column. */
function graphOf(context: CaseContext, edges: Edges) {
  const types = referringTypes(context);
  const targets = Array.from({ length: 5 }, () => item(context, {}, targetType(context)));
  const referrers = edges.map((row, at) => {
    const type = types[at % types.length];
    const meant = targets.filter((_target, place) => row[place]);
    return { type, meant, made: referring(context, item(context, {}, type), meant, { type }) };
  });
  const [first, ...others] = referrers.map(({ made }) => made);
  return { referrers, items: [...(first === undefined ? [] : [first]), ...targets, ...others] };
}

/** False where several referrers of one target are refused, and are by a create of its own as well. */
async function isTakenAsGiven(context: CaseContext, edges: Edges): Promise<boolean> {
  const isShared = edges[0]?.some((_edge, place) => edges.filter((row) => row[place]).length > 1) === true;
  if (!isShared) return true;
  const reply = await context.service.multiCreate(graphOf(context, edges).items);
  context.notes.observe('status of items of which several refer to one', reply.status, reply);
  return reply.status < 400 || reply.status >= 500 || mayBeShared(context);
}

async function expectEdgesStored(context: CaseContext, edges: Edges): Promise<void> {
  const { items, referrers } = graphOf(context, edges);
  const reads = await createItems(context, items);
  const readOf = (one: MultiCreateItem) => context.given.present(reads[items.indexOf(one)], 'a read of every item');
  for (const { type, meant, made } of referrers) expectReferences(context, readOf(made), meant.map(readOf), type);
  const [first] = reads.map(versionOf);
  for (const read of reads)
    context
      .expect(versionOf(read), 'version of an object that a multi-create made, referred to or not', read)
      .toEqual(first);
}

/** SoftTypes whose references lead where those of the primary one do, which comes first. */
function referringTypes(context: CaseContext): readonly SoftTypeProfile[] {
  const { profile } = context;
  const { definitionId } = targetType(context);
  const others = softTypesOf(profile.all).filter((type) => targetOf(type, profile.all)?.definitionId === definitionId);
  return [...new Set([profile.primary, ...others])];
}

/** Another editor, who may have more roles, refers as the first one does. */
async function expectReferredByAnother(context: CaseContext): Promise<void> {
  const { service, notes, profile } = context;
  if (profile.all.identities.secondEditor === undefined) return;
  const { items } = linkedPair(context);
  const reply = await service.multiCreate(items, { as: 'secondEditor' });
  notes.observe('status of a multi-create by a second editor', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const [target, referrer] = await readCreated(context, reply, items);
  expectReferences(context, referrer, [target]);
}

/** A reference leads to the item with its very $id; whether two that look alike are taken is left to the service. */
async function expectAlikeKeptApart(context: CaseContext): Promise<void> {
  const { given, service, notes } = context;
  const stem = given.unique('item').toLowerCase();
  for (const [what, $id, alike] of [
    ['letter case', stem, stem.toUpperCase()],
    ['the form of a letter', `${stem}\u00e9`, `${stem}e\u0301`],
    ['zeros before a number', '7', '07'],
    // each has the place of the other
    ['a digit', '0', '1'],
    ['the notation of a number', '100', '1e2'],
    // the first one is all that the second begins with
    ['a blank at the end', `${stem} `, stem],
    ['what comes before a slash', `one/${stem}`, `other/${stem}`],
    ['what comes after many characters', `${stem.padEnd(300, 'x')}a`, `${stem.padEnd(300, 'x')}b`],
  ] as const) {
    const [other, target] = [item(context, {}, targetType(context)), item(context, {}, targetType(context))];
    const pair = [
      { ...other, $id: alike },
      { ...target, $id },
    ] as const;
    // one to each: a service that takes both for the same leads at least one of them astray
    const items = [...pair, ...pair.map((meant) => referring(context, item(context), [meant]))];
    const reply = await service.multiCreate(items);
    notes.observe(`items whose $id differ in ${what} only`, reply.status, reply);
    if (reply.status >= 400) continue;
    const [readOther, readTarget, ...referrers] = await readCreated(context, reply, items);
    for (const [index, read] of [readOther, readTarget].entries())
      expectReferences(context, given.present(referrers[index], 'a referrer'), [given.present(read, 'a target')]);
  }
}

/** What a $id says does not matter: where an item with it is taken, another one may refer to it. */
async function expectAnyIdReferredTo(context: CaseContext): Promise<void> {
  const { service, notes, profile } = context;
  const types = [profile.primary.definitionId, profile.second.definitionId];
  for (const $id of ['__proto__', 'constructor', '0', ...types, ...wordsOfLanguages]) {
    const named = (): MultiCreateItem => ({ ...item(context, {}, targetType(context)), $id });
    const alone = await service.multiCreate([named()]);
    notes.observe(`an item with ${$id} as $id`, alone.status, alone);
    if (!isSuccess(alone.status)) {
      await expectNoWordKept(context, $id);
      continue;
    }
    const target = named();
    const [read, referrer] = await createPair(context, [target, referring(context, item(context), [target])]);
    expectReferences(context, referrer, [read]);
  }
}

/** A $id that says by chance what a stored object is called stands for the item all the same, where it is taken. */
async function expectItemBeforeStored(context: CaseContext): Promise<void> {
  const { notes, service } = context;
  const [stored] = await createItems(context, [item(context, {}, targetType(context))]);
  const named = (): MultiCreateItem => ({
    ...item(context, {}, targetType(context)),
    $id: oidOf(context.given.present(stored, 'an object')),
  });
  const alone = await service.multiCreate([named()]);
  notes.observe('an item with the id of a stored object as $id', alone.status, alone);
  if (!isSuccess(alone.status)) return;
  const target = named();
  const [read, referrer] = await createPair(context, [target, referring(context, item(context), [target])]);
  expectReferences(context, referrer, [read]);
}

/** A service that has a form for each $id may refuse a word; one that takes words of the very form takes those too that mean something in a language. */
async function expectNoWordKept(context: CaseContext, word: string): Promise<void> {
  const { service, expect } = context;
  if (!wordsOfLanguages.includes(word)) return;
  const named = ($id: string): MultiCreateItem => ({ ...item(context), $id });
  const like = [...word].toReversed().join('');
  if (isSuccess((await service.multiCreate([named(like)])).status))
    expect(await service.multiCreate([named(word)])).toSucceed();
}

/** What the id of the entry with a reference means is not said: where that of another item is taken, `instanceRef` leads nevertheless. */
async function expectInstanceRefDecides(context: CaseContext): Promise<void> {
  const { service, notes } = context;
  const [other, target] = [item(context, {}, targetType(context)), item(context, {}, targetType(context))];
  const items = [other, target, referring(context, item(context), [target], { ids: [other.$id] })];
  const reply = await service.multiCreate(items);
  notes.observe('a reference whose id is the $id of another item', reply.status, reply);
  if (reply.status >= 400) return;
  const [, read, referrer] = await readCreated(context, reply, items);
  expectReferences(context, referrer, [read]);
}
