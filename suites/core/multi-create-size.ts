import { dataOf, entriesOf, textsOf } from '../../judge/service/answers.ts';
import { isTooLong, operationsOf, resultsOf, sendBatch } from '../../judge/service/batch.ts';
import { type CaseContext, onEverySpace, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { isObject, valueAt } from '../../judge/json.ts';
import {
  type MultiCreateItem,
  namesIn,
  oidOf,
  readCreated,
  readLastCreated,
} from '../../judge/service/multi-create.ts';
import { isListed } from '../../judge/service/queries.ts';
import { PreconditionFailed } from '../../judge/violation.ts';
import { rules } from '../../judge/rule.ts';
import { canRefer, item, referring, targetType } from '../../judge/service/referrers.ts';
import { expectReferences, linkedPair } from './checks/multi-create-items.ts';

export const multiCreateSizeRules = rules('multi-create', {
  'multi-create.size.fifty-accepted': {
    source: 'core: Multi-create rules 3; Limits',
    statement:
      'A request of exactly 50 items is accepted, whatever they refer to, and each is stored with its content.',
    fault: 'the limit is exclusive, so 50 items are refused',
    needs: ['soft-type', 'multi-create-result', 'multi-create'],
    after: ['multi-create.items.all-created'],
    test: scenario(async (context) => {
      const { service, expect } = context;
      for (const count of [49, 50]) {
        const items = Array.from({ length: count }, () => item(context, contentOf(context)));
        const reply = await service.multiCreate(items);
        expect(reply).toSucceed();
        const reads = await readCreated(context, reply, items).catch(async (error: unknown) => {
          if (error instanceof PreconditionFailed) await expectLastListed(context, items);
          throw error;
        });
        // what a success names is there, down to the last
        for (const read of reads) expect(read).toAnswer(200);
        expect(new Set(reads.map(oidOf)).size, `objects of ${count} items`, reply).toEqual(count);
        for (const [index, read] of reads.entries()) expectContent(context, read, items[index], index);
      }
      await expectReferencesNotCounted(context);
      await expectFiftyInBatch(context);
    }),
  },
  'multi-create.size.fifty-one-refused': {
    source: 'core: Multi-create rules 3; Limits',
    statement:
      'A request of 51 items is refused, with `$id` or without, and where instances can be listed none of its items is among them.',
    fault: 'creates the first 50 items and drops the rest',
    needs: ['soft-type', 'multi-create-result', 'multi-create'],
    after: ['multi-create.size.fifty-accepted'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, notes, profile } = context;
        const text = given.unique('one-too-many');
        const items = Array.from({ length: 51 }, (_item, index) =>
          item(context, index > 0 || profile.primary.scalars === undefined ? {} : { [profile.textMember]: text }),
        );
        const reply = await service.multiCreate(items);
        expect(reply).toBeRefused();
        notes.bound('multiCreateTooMany', 'status of 51 items', reply.status, reply);
        if (profile.all.routes?.instanceListing !== undefined && profile.primary.scalars !== undefined)
          expect(await isListed(context, text), 'objects of 51 items are listed', reply).toEqual(false);
        expect(await service.multiCreate(items.slice(0, 50))).toSucceed();
        if (profile.all.softTypes?.second !== undefined) await expectLimitForAllTypes(context);
        await expectLimitWithoutIds(context);
        if (!profile.offers('batch')) return;
        const one = await sendBatch(context, [service.requests.multiCreate([item(context)])]);
        notes.observe('a multi-create is carried out in a batch', one.status === 200, one);
        if (one.status !== 200) return;
        const inBatch = await sendBatch(context, [service.requests.multiCreate(items)]);
        expect(inBatch.status, 'status of a batch with a multi-create of 51 items', inBatch).notToEqual(200);
      }),
    ),
  },
});

/** A text and an entry, as far as the SoftType has places for them. */
function contentOf({ given, profile }: CaseContext): Record<string, unknown> {
  const { scalars: [first] = [], arrayPort } = profile.primary;
  return {
    ...(first !== undefined && { [first]: given.unique() }),
    ...(arrayPort !== undefined && { [arrayPort.member]: [given.entry(given.unique())] }),
  };
}

/** Where the answer does not name every object: a listing that shows the first one shows the last one. */
async function expectLastListed(context: CaseContext, items: readonly MultiCreateItem[]): Promise<void> {
  const { expect, profile } = context;
  const [member] = profile.primary.scalars ?? [];
  if (member === undefined || profile.all.routes?.instanceListing === undefined) return;
  const [isFirst, isLast] = await Promise.all(
    [items[0], items.at(-1)].map((made) => isListed(context, String(made?.data?.[member]))),
  );
  if (isFirst === true)
    expect(isLast, `the last of ${items.length} items is listed, as the first one is`).toEqual(true);
}

/** The object has the text and the entry that its item gave it, wherever that stood. */
function expectContent(
  { expect, profile }: CaseContext,
  read: Reply,
  made: MultiCreateItem | undefined,
  index: number,
): void {
  const { scalars: [first] = [], arrayPort } = profile.primary;
  if (first !== undefined)
    expect(dataOf(read)[first], `${first} of the object of item ${index}`, read).toEqual(made?.data[first]);
  if (arrayPort === undefined) return;
  const [entry] = listIn(made?.data[arrayPort.member]);
  expect(textsOf(entriesOf(read, profile.port), profile.port), `texts of the entries of item ${index}`, read).toEqual([
    isObject(entry) ? entry[arrayPort.text] : undefined,
  ]);
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** As an operation of a batch a multi-create takes as many, where it is taken there at all. */
async function expectFiftyInBatch(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  if (!profile.offers('batch')) return;
  const one = await sendBatch(context, [service.requests.multiCreate([item(context)])]);
  notes.observe('a multi-create is carried out in a batch', one.status === 200, one);
  if (one.status !== 200) return;
  const itemsOf = (length: number) => Array.from({ length }, () => item(context));
  const fifty = itemsOf(50);
  const reply = await sendBatch(context, [service.requests.multiCreate(fifty)]);
  expect(reply.status, 'status of a batch with a multi-create of 50 items', reply).toEqual(200);
  await expectAllThere(context, reply, [fifty]);
  // the limit is one of a multi-create, of which a batch may hold several
  const halves = [itemsOf(30), itemsOf(30)];
  const both = await sendBatch(
    context,
    halves.map((part) => service.requests.multiCreate(part)),
  );
  expect(both.status, 'status of a batch with two multi-creates of 30 items', both).toEqual(200);
  await expectAllThere(context, both, halves);
  // what a batch makes in all is no matter of any limit
  const wholes = Array.from({ length: 3 }, () => service.requests.multiCreate(itemsOf(50)));
  const all = await sendBatch(context, wholes);
  if (all.status >= 400 && (await isTooLong(context, await operationsOf(context, wholes)))) return;
  expect(all.status, 'status of a batch with three multi-creates of 50 items', all).toEqual(200);
}

/** Every item of each multi-create of a batch is an object of its own, as far as the results name them. */
async function expectAllThere(
  context: CaseContext,
  reply: Reply,
  parts: readonly (readonly MultiCreateItem[])[],
): Promise<void> {
  const { expect, profile } = context;
  const oids = new Set<string>();
  for (const [index, items] of parts.entries()) {
    const answer = valueAt(resultsOf(reply)[index], profile.all.multiCreate?.resultInBatch ?? '/body');
    if (namesIn(context, answer, items) === undefined) return;
    const reads = await readCreated(context, reply, items, answer);
    for (const read of reads) expect(read).toAnswer(200);
    for (const read of reads) oids.add(oidOf(read));
  }
  const count = parts.flat().length;
  expect(oids.size, `objects of ${count} items of multi-creates in a batch`, reply).toEqual(count);
}

/** The limit counts items, of whatever types they are. */
async function expectLimitForAllTypes(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const items = Array.from({ length: 51 }, (_item, index) =>
    item(context, {}, index % 2 === 0 ? profile.primary : profile.second),
  );
  const fifty = await service.multiCreate(items.slice(0, 50));
  given.succeeded(fifty, '50 items of two types are created', ['multi-create.items.different-types']);
  expect(await service.multiCreate(items)).toBeRefused();
}

/** The limit counts items and not names: one without $id, to which no other can refer, is an item all the same. */
async function expectLimitWithoutIds(context: CaseContext): Promise<void> {
  const { service, expect, notes } = context;
  const nameless = () => {
    const { $softType, data } = item(context);
    return { $softType, data };
  };
  const send = (items: readonly object[]) => service.send({ ...service.requests.multiCreate([]), body: items });
  const alone = await send([nameless()]);
  notes.observe('status of an item without $id', alone.status, alone);
  if (!isSuccess(alone.status)) return;
  for (const named of [0, 1, 25]) {
    const items = Array.from({ length: 51 }, (_item, index) => (index < named ? item(context) : nameless()));
    expect(await send(items)).toBeRefused();
  }
}

/** The limit counts items and not what they refer to: 25 pairs are taken where a pair is, and lead to one another, be it to the fiftieth item. */
async function expectReferencesNotCounted(context: CaseContext): Promise<void> {
  const { service, given, expect, notes, profile } = context;
  if (!canRefer(context)) return;
  for (const order of ['target first', 'target last'] as const) {
    const pair = (): readonly MultiCreateItem[] => {
      const { items } = linkedPair(context);
      return order === 'target first' ? items : items.toReversed();
    };
    const one = await service.multiCreate(pair());
    notes.observe(`a multi-create of two items, one of which refers to the other, ${order}`, one.status, one);
    if (!isSuccess(one.status)) continue;
    const items = Array.from({ length: 25 }, pair).flat();
    const reply = await service.multiCreate(items);
    expect(reply).toSucceed();
    const last = await readLastCreated(context, reply, items, 2);
    const [target, referrer] = order === 'target first' ? last : last.toReversed();
    expectReferences(context, given.present(referrer, 'the last referrer'), [target]);
    await expectFarReferred(context, order);
    if (profile.offers('batch')) await expectPairsInBatch(context, pair);
  }
  await expectManyReferencesNotCounted(context);
}

/** Five items that refer to five others are taken five times as well as once, though there are 125 references then. */
async function expectManyReferencesNotCounted(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  if (profile.primary.reference?.single === true) return;
  const five = Array.from({ length: 5 });
  const block = (): readonly MultiCreateItem[] => {
    const targets = five.map(() => item(context, {}, targetType(context)));
    return [...targets, ...five.map(() => referring(context, item(context), targets))];
  };
  const one = await service.multiCreate(block());
  notes.observe('a multi-create of five items, each of which refers to five others', one.status, one);
  if (!isSuccess(one.status)) return;
  const many = await service.multiCreate(five.flatMap(block));
  notes.observe('a multi-create of as many as are taken, with 125 references', many.status, many);
  // how long a body may be is not said
  if (many.status !== 413) expect(many).toSucceed();
}

/** A reference leads over all items that stand between. */
async function expectFarReferred(context: CaseContext, order: 'target first' | 'target last'): Promise<void> {
  const { service, expect } = context;
  const [target, referrer] = linkedPair(context).items;
  const between = Array.from({ length: 48 }, () => item(context, contentOf(context)));
  const items = order === 'target first' ? [target, ...between, referrer] : [referrer, ...between, target];
  const reply = await service.multiCreate(items);
  expect(reply).toSucceed();
  const reads = await readCreated(context, reply, items);
  const [found, from] = order === 'target first' ? [reads[0], reads.at(-1)] : [reads.at(-1), reads[0]];
  expectReferences(context, from, [found]);
}

/** Where a pair is taken in a batch, so are 25 of them. */
async function expectPairsInBatch(context: CaseContext, pair: () => readonly MultiCreateItem[]): Promise<void> {
  const { service, expect, notes } = context;
  const one = await sendBatch(context, [service.requests.multiCreate(pair())]);
  notes.observe('a multi-create of two items, one of which refers to the other, in a batch', one.status, one);
  if (one.status !== 200) return;
  const all = await sendBatch(context, [service.requests.multiCreate(Array.from({ length: 25 }, pair).flat())]);
  expect(all.status, 'status of a batch with a multi-create of 25 such pairs', all).toEqual(200);
}
