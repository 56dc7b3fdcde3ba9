import { array, boolean, integer, nat, record } from 'fast-check';
import {
  dataOf,
  entriesOf,
  entriesOfPage,
  expandLink,
  idsOf,
  innerPageLink,
  memberOf,
  pageLinks,
} from '../../judge/service/answers.ts';
import { isObject, objectsIn, pointer } from '../../judge/json.ts';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import type { Owner, Thing } from '../../judge/things.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import { bodyOfResult, resultsOf, sendBatch } from '../../judge/service/batch.ts';
import { readCreated } from '../../judge/service/multi-create.ts';
import { rules } from '../../judge/rule.ts';
import { entriesIn, type Entry } from '../../contract/judge-read.ts';
import { valueOfFixed, withFilterOnPage, withValueOnPage } from '../../judge/service/queries.ts';
import { readersOf } from './checks/readers.ts';
import { readReferencePages } from './checks/reference-pages.ts';
import { contentIn, readEveryWay } from './checks/ways-to-read.ts';
import { item, makeReferrer } from '../../judge/service/referrers.ts';
import { add, entryPath, remove } from './checks/operation-steps.ts';

const addition = { appends: true, place: 0, inside: false };

/** Of an entry in the middle: what counts the entries that are left gives an id out that the last one still has. */
const removal = { appends: false, place: 1, inside: false };

/** Of an entry inside the first one. */
const innerAddition = { appends: true, place: 0, inside: true };

const innerRemoval = { ...innerAddition, appends: false };

/** Entries of a second array or of one inside an entry, which fill three pages. */
const onThreePages = 21;

export const entryRules = rules('reading', {
  'reading.entries.objects-carry-entry-id': {
    source: 'core: System properties, $entryId',
    statement: 'Every object inside an array of `data`, at any depth, carries `$entryId` as an integer or a string.',
    fault: 'leaves $entryId out of entries of nested arrays',
    needs: ['soft-type', 'array-port', 'nested-array-port'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const { matching = {} } = profile.all.filters?.fixed ?? {};
      const owner = await given.objectWithEntries(12, { nested: () => 2, members: () => matching });
      const read = await service.read(owner);
      const long = await service.readLong(owner);
      const pages = await Promise.all([0, 1].map((number) => service.page(owner, number)));
      const nested = entriesOf(read, owner.port).flatMap(
        (entry) => entry.members[owner.port.nested?.member ?? ''] ?? [],
      );
      given.assume(nested.length === 20, 'entries with two nested entries each');
      expect(arraysIn(dataOf(read)).flat().length, 'objects met inside arrays', read).toSatisfy(
        'at least the 30 created',
        (count) => count >= 30,
      );
      const others = [
        ...(await readReferrers(context)),
        ...(await readWritten(context)),
        ...(await readInside(context)),
      ];
      for (const reply of [read, long, ...pages, ...others])
        if (reply.status === 200) expectIdsIn(context, memberOf(reply, 'data'), reply);
      for (const answer of await readEveryWay(context, owner)) expectIdsIn(context, answer.body['data'], answer.reply);
      const outside = objectsOutsideArrays(dataOf(read)).filter((object) => '$entryId' in object);
      notes.observe('objects that are no item of an array and carry $entryId', outside.length, read);
    }),
  },
  'reading.entries.ids-unique-in-array': {
    source: 'core: System properties, $entryId; Operations-based PATCH rules 3',
    statement: 'Within one array no two entries share an `$entryId`, because the id has to identify the entry.',
    fault: 'numbers new entries with the array length, so that a removal followed by an append repeats an id',
    needs: ['soft-type', 'array-port'],
    after: ['paging.pages.cover-array-once'],
    test: property(
      record({
        start: integer({ min: 0, max: 25 }),
        steps: array(record({ appends: boolean(), place: nat({ max: 24 }), inside: boolean() }), { maxLength: 4 }),
      }),
      async (context, { start, steps }) => {
        if (start === 0 && steps.length === 0) {
          await expectSecondApart(context);
          await expectApartBesideKept(context);
          return expectReferencesApart(context);
        }
        const { nested } = context.profile.port;
        let owner = await context.given.objectWithEntries(start, nested === undefined ? {} : { nested: () => 2 });
        let entries = await readDistinctEntries(context, owner);
        for (const { appends, place, inside } of context.profile.offers('operations') ? steps : []) {
          const target = entries[place % entries.length];
          if (inside) owner = await changeInside(context, owner, target, appends);
          else if (appends) owner = await append(context, owner);
          else if (target !== undefined) owner = await removeEntry(context, owner, target.entryId);
          entries = await readDistinctEntries(context, owner);
        }
      },
      {
        always: [
          { start: 0, steps: [] },
          { start: 3, steps: [removal, addition] },
          { start: 18, steps: [removal, addition, { ...removal, place: 12 }, addition] },
          { start: 2, steps: [innerAddition, innerRemoval, innerAddition] },
        ],
        share: 0.5,
      },
    ),
  },
  'reading.entries.ids-stable-between-reads': {
    source: 'core: System properties, $entryId',
    statement:
      'At one and the same version repeated reads give each entry the same `$entryId`, whichever way and by whom it is read, with or without a filter.',
    fault: 'generates fresh entry ids on every GET by the long route',
    needs: ['soft-type', 'array-port'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      const owner = await given.objectWithEntries(18);
      const requests = [
        service.requests.read(owner),
        service.requests.readLong(owner),
        service.requests.page(owner, 0),
        service.requests.page(owner, 1),
      ];
      for (const request of requests) {
        const [first, second] = [await service.send(request), await service.send(request)];
        const entries = (reply: typeof first) =>
          request.url.includes('/page/') ? entriesOfPage(reply) : entriesOf(reply, owner.port);
        const byText = (reply: typeof first) =>
          Object.fromEntries(entries(reply).map((entry) => [String(entry.members[owner.port.text]), entry.entryId]));
        expect(byText(second), 'entry ids read again', second).toEqual(byText(first));
      }
      const before = idsOf(entriesOf(await service.read(owner), owner.port));
      const after = idsOf(entriesOf(await service.read(await given.edited(owner)), owner.port));
      notes.observe('entry ids survive an edit of a scalar', before.join() === after.join());
      await expectSameIdsEachWay(context);
    }),
  },
});

/** Each object inside an array has an id. */
function expectIdsIn({ expect }: CaseContext, data: unknown, seenIn: Reply): void {
  for (const item of arraysIn(data).flat())
    expect(item['$entryId'], '$entryId of an object inside an array', seenIn).toSatisfy(
      'an integer or a string',
      (entryId) => Number.isInteger(entryId) || typeof entryId === 'string',
    );
}

/** An entry that is found by its text has the same id in every read and on every page, of which a filter may show some only. */
async function expectSameIdsEachWay(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { fixed, withValue: blank } = profile.all.filters ?? {};
  // those that a filter leaves out stand first, so that places differ under it
  const owner = await given.objectWithEntries(24, {
    members: (index) => (index < 8 ? fixed?.other : fixed?.matching) ?? {},
  });
  const { port } = owner;
  const known = new Map<unknown, string>();
  const snapshot = await service.snapshot(owner);
  for (const { entryId, members } of snapshot.arrays[port.member] ?? []) known.set(members[port.text], entryId);
  given.assume(known.size === 24, 'all entries told apart by their texts');
  const expectSame = (entries: readonly Entry[], where: string, seenIn: Reply): void => {
    const shown = entries.filter(({ members }) => known.has(members[port.text]));
    const told = shown.map(({ entryId, members }) => [members[port.text], entryId]);
    expect(told, `entry ids by ${where}`, seenIn).toEqual(
      shown.map(({ members }) => [members[port.text], known.get(members[port.text])]),
    );
  };
  for (const answer of await readEveryWay(context, owner))
    expectSame(entriesIn(contentIn(answer)[port.member]), answer.by, answer.reply);
  const filters = [
    ...(fixed === undefined ? [] : [(number: number) => withFilterOnPage(context, owner, number)]),
    ...(blank === undefined
      ? []
      : [(number: number) => withValueOnPage(context, owner, number, valueOfFixed(context))]),
  ];
  for (const as of readersOf(profile))
    for (const filter of filters)
      for (const number of [0, 1]) {
        const page = await service.page(owner, number, { ...filter(number), as });
        if (page.status === 200) expectSame(entriesOfPage(page), `a filtered page ${number} for the ${as}`, page);
      }
}

/** Reads of references, the page behind their link among them. */
async function readReferrers(context: CaseContext): Promise<readonly Reply[]> {
  const { service } = context;
  const reads: Reply[] = [];
  for (const count of [3, 12]) {
    const { read } = (await makeReferrer(context, count)) ?? {};
    if (read === undefined) continue;
    const pages = pageLinks(read).map((link) => service.get(expandLink(link, 1), { base: read }));
    reads.push(read, ...(await Promise.all(pages)));
  }
  return reads;
}

/** All pages of an array inside an entry, where a link tells of them. */
async function readInside({ given, service, profile }: CaseContext): Promise<readonly Reply[]> {
  const owner = await given.objectWithEntries(1, { nested: () => onThreePages });
  const read = await service.read(owner);
  const link = innerPageLink(read, profile.primary, onThreePages);
  if (link === undefined) return [];
  return Promise.all([0, 1, 2].map((number) => service.get(expandLink(link, number), { base: read })));
}

/** Reads of entries with entries inside them that came into being in other ways than by a create of their own. */
async function readWritten(context: CaseContext): Promise<readonly Reply[]> {
  const { given, service, profile, notes } = context;
  const { member, nested } = profile.port;
  if (nested === undefined) return [];
  const entry = (): object =>
    given.entry(given.unique(), { [nested.member]: [given.nestedEntry(given.unique(), nested)] }, profile.port);
  const content = (): Record<string, unknown> => ({ [member]: [entry(), entry()] });
  const writes: readonly (readonly [way: string, request: (thing: Thing) => RequestSpec])[] = [
    ['a merge', (thing) => service.requests.merge(thing, content())],
    ...(profile.all.routes?.softTypePut === undefined
      ? []
      : [['a PUT', (thing: Thing) => service.requests.put(thing, given.body(content()))] as const]),
    ...(profile.offers('operations')
      ? [['an append', (thing: Thing) => service.requests.operations(thing, [add(pointer(member), entry())])] as const]
      : []),
  ];
  const reads: Reply[] = [];
  for (const [way, request] of writes) {
    const thing = await given.object();
    const reply = await service.send(request(thing));
    notes.observe(`status of ${way} of entries with entries inside`, reply.status, reply);
    if (isSuccess(reply.status)) reads.push(await service.read(thing));
  }
  return [...reads, ...(await readMadeTogether(context, content))];
}

/** The same of objects that were made by a multi-create and by a batch. */
async function readMadeTogether(
  context: CaseContext,
  content: () => Readonly<Record<string, unknown>>,
): Promise<readonly Reply[]> {
  const { given, service, profile } = context;
  const reads: Reply[] = [];
  if (profile.offers('multi-create')) {
    const items = [item(context, content())];
    const reply = await service.multiCreate(items);
    if (isSuccess(reply.status)) reads.push(...(await readCreated(context, reply, items)));
  }
  if (!profile.offers('batch')) return reads;
  const reply = await sendBatch(context, [service.requests.create(given.body(content()))]);
  const href = reply.status === 200 ? bodyOfResult(resultsOf(reply)[0])['href'] : undefined;
  if (typeof href === 'string') reads.push(await service.get(href, { base: reply }));
  return reads;
}

/** The objects in each array, at any depth. */
function arraysIn(value: unknown): readonly (readonly Readonly<Record<string, unknown>>[])[] {
  if (Array.isArray(value)) return [value.filter(isObject), ...value.flatMap(arraysIn)];
  return isObject(value) ? Object.values(value).flatMap(arraysIn) : [];
}

/** The objects that are no item of an array, at any depth. */
function objectsOutsideArrays(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value))
    return value.flatMap((item) => (isObject(item) ? Object.values(item) : [item]).flatMap(objectsOutsideArrays));
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsOutsideArrays)] : [];
}

/** All entries of the port, page after page, whose ids differ, as do those of the entries inside each array that is met. */
async function readDistinctEntries({ service, expect }: CaseContext, owner: Owner): Promise<readonly Entry[]> {
  const { arrays, reply } = await service.snapshot(owner);
  const entries = arrays[owner.port.member] ?? [];
  expect(new Set(idsOf(entries)).size, `distinct entry ids of ${entries.length} entries`, reply).toEqual(
    entries.length,
  );
  for (const items of [dataOf(reply), ...entries.map(({ members }) => members)].flatMap(arraysIn)) {
    const ids = items.map((item) => item['$entryId']).filter((entryId) => entryId !== undefined);
    expect(new Set(ids.map(String)).size, `distinct entry ids of an array of ${ids.length}`, reply).toEqual(ids.length);
  }
  return entries;
}

/** The same of a second array, whose ids may be of another form. */
async function expectSecondApart({ given, service, expect, profile }: CaseContext): Promise<void> {
  if (profile.primary.secondArrayPort === undefined) return;
  const { arrays, reply } = await service.snapshot(await given.objectWithEntries(1, { second: onThreePages }));
  const ids = idsOf(arrays[profile.secondPort.member] ?? []);
  // that each has one is another rule's business
  if (ids.includes('')) return;
  const what = `distinct entry ids of ${ids.length} entries of ${profile.secondPort.member}`;
  expect(new Set(ids).size, what, reply).toEqual(ids.length);
}

/** The same behind a PUT and a merge of entries that are there beside new ones, when another one has gone. Whether ids in a body count is not said. */
async function expectApartBesideKept(context: CaseContext): Promise<void> {
  const { given, service, notes, profile } = context;
  if (!profile.offers('operations')) return;
  const writes = {
    ...(profile.all.routes?.softTypePut !== undefined && { 'a PUT': service.requests.put }),
    ...(profile.offers('merge') && { 'a merge': service.requests.merge }),
  };
  for (const [what, write] of Object.entries(writes)) {
    let owner = await given.objectWithEntries(4);
    const [, second] = await readDistinctEntries(context, owner);
    if (second !== undefined) owner = await removeEntry(context, owner, second.entryId);
    const kept = objectsIn(dataOf(await service.readLong(owner))[owner.port.member]);
    const fresh = ['one', 'two'].map((name) => given.entry(given.unique(name), {}, owner.port));
    const reply = await service.send(write(owner, given.body({ [owner.port.member]: [...kept, ...fresh] })));
    notes.observe(`status of ${what} of entries with their ids beside new ones`, reply.status, reply);
    if (isSuccess(reply.status)) await readDistinctEntries(context, await given.current(owner));
  }
}

/** The same of an array of references, where a link tells of its second page. */
async function expectReferencesApart(context: CaseContext): Promise<void> {
  const pages = await readReferencePages(context);
  if (pages === undefined) return;
  const ids = [...pages.first, ...pages.second].map((entry) => entry['$entryId']);
  // that each has one is another rule's business
  if (ids.some((id) => id === undefined || id === '')) return;
  context
    .expect(new Set(ids.map(String)).size, `distinct entry ids of ${ids.length} references on two pages`, pages.page)
    .toEqual(ids.length);
}

async function append({ given, service }: CaseContext, owner: Owner): Promise<Owner> {
  const value = given.entry(given.unique('appended'), {}, owner.port);
  const reply = await service.operations(owner, [add(pointer(owner.port.member), value)]);
  given.succeeded(reply, 'an entry is appended', ['patch.add.appends-without-marker']);
  return given.current(owner);
}

/** An entry inside an entry comes or goes, where paths lead so deep: whether they do is not said. */
async function changeInside(
  { given, service }: CaseContext,
  owner: Owner,
  entry: Entry | undefined,
  appends: boolean,
): Promise<Owner> {
  const { member, nested } = owner.port;
  if (nested === undefined || entry === undefined) return owner;
  const inner = [member, entry.entryId, nested.member];
  const [first] = entriesIn(entry.members[nested.member]);
  if (!appends && first === undefined) return owner;
  const change = appends
    ? add(pointer(...inner), given.nestedEntry(given.unique('inside'), nested))
    : remove(`${pointer(...inner, first?.entryId ?? '')}/`);
  const reply = await service.operations(owner, [change]);
  return isSuccess(reply.status) ? given.current(owner) : owner;
}

async function removeEntry({ given, service }: CaseContext, owner: Owner, entryId: string): Promise<Owner> {
  const reply = await service.operations(owner, [remove(entryPath(owner.port, entryId))]);
  given.succeeded(reply, 'an entry is removed', ['patch.remove.entry-with-trailing-slash']);
  return given.current(owner);
}
