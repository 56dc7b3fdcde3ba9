import { array, boolean, constantFrom, integer, record } from 'fast-check';
import { dataOf, entriesOf, entriesOfPage, idsOf, textsOf } from '../../judge/answers.ts';
import { isObject, pointer } from '../../judge/json.ts';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import { makeFilterable, withFilter, withQuery, withValue } from '../../judge/queries.ts';
import type { Owner } from '../../judge/things.ts';
import { rules } from '../../judge/rule.ts';

export const entryRules = rules('reading', {
  'reading.entries.objects-carry-entry-id': {
    level: 'must',
    source: 'core: System properties, $entryId',
    statement: 'Every object inside an array of `data`, at any depth, carries `$entryId` as an integer or a string.',
    fault: 'leaves $entryId out of entries of nested arrays',
    needs: ['soft-type', 'array-port', 'nested-array-port'],
    test: scenario(async ({ given, service, expect }) => {
      const owner = await given.objectWithEntries(10, { nested: () => 2 });
      const read = await service.read(owner);
      const items = objectsInArrays(dataOf(read));
      const nested = entriesOf(read, owner.port).flatMap(
        (entry) => entry.members[owner.port.nested?.member ?? ''] ?? [],
      );
      given.assume(nested.length === 20, 'entries with two nested entries each');
      expect(items.length, 'objects met inside arrays', read).toSatisfy(
        'at least the 30 created',
        (count) => count >= 30,
      );
      for (const item of items)
        expect(typeof item['$entryId'], 'type of $entryId', read).toBeOneOf(['number', 'string']);
      for (const item of items)
        if (typeof item['$entryId'] === 'number') expect(item['$entryId'], '$entryId', read).toBeAnInteger();
    }),
  },
  'reading.entries.ids-unique-in-array': {
    level: 'must',
    source: 'core: System properties, $entryId; Operations-based PATCH rules 3',
    statement: 'Within one array no two entries share an `$entryId`, because the id has to identify the entry.',
    fault: 'numbers new entries with the array length, so that a removal followed by an append repeats an id',
    needs: ['soft-type', 'array-port'],
    after: ['paging.pages.cover-array-once'],
    test: property(
      record({ start: integer({ min: 0, max: 25 }), steps: array(boolean(), { maxLength: 4 }) }),
      async (context, { start, steps }) => {
        let owner = await context.given.objectWithEntries(start);
        for (const append of steps) owner = await (append ? appended(context, owner) : withoutLast(context, owner));
        const { arrays, reply } = await context.service.snapshot(owner);
        const ids = idsOf(arrays[owner.port.member] ?? []);
        context.expect(new Set(ids).size, `distinct entry ids of ${ids.length} entries`, reply).toEqual(ids.length);
      },
      {
        always: [
          { start: 3, steps: [false, true] },
          { start: 18, steps: [false, true, false, true] },
        ],
        share: 0.5,
      },
    ),
  },
  'reading.entries.ids-stable-between-reads': {
    level: 'must',
    source: 'core: System properties, $entryId',
    statement: 'At one and the same version repeated reads give each entry the same `$entryId`.',
    fault: 'generates fresh entry ids on every GET by the long route',
    needs: ['soft-type', 'array-port'],
    test: scenario(async ({ given, service, expect, notes }) => {
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
    }),
  },
  'reading.filter.narrows-entries': {
    level: 'must',
    source: 'core: Server side paging 5; Endpoint table, GET softtype',
    statement:
      'Passing the id of a configured filter as `softTypeFilterId` on the instance GET returns only what the filter admits; without the parameter nothing is filtered.',
    fault: 'ignores softTypeFilterId',
    needs: ['soft-type', 'array-port', 'filter'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const { owner, matching } = await makeFilterable(context, { matching: 4, other: 5 });
      given.succeeded(await service.read(owner), 'an unfiltered read', ['reading.instance.short-route-served']);
      const long = {
        url: withQuery(service.requests.readLong(owner).url, {
          softTypeFilterId: profile.all.filters?.fixed?.id ?? '',
        }),
      };
      for (const filtered of [
        await service.read(owner, withFilter(context, owner)),
        await service.readLong(owner, long),
      ]) {
        expect(filtered).toAnswer(200);
        expect(
          [...textsOf(entriesOf(filtered, owner.port), owner.port)].sort(),
          'entries that the filter admits',
          filtered,
        ).toEqual([...matching].sort());
        const plain = await service.read(owner);
        expect([...textsOf(entriesOf(plain, owner.port), owner.port)].sort(), 'entries without filter', plain).toEqual(
          [...owner.texts].sort(),
        );
      }
    }),
  },
  'reading.filter.query-value-selects': {
    level: 'must',
    source: 'core: Server side paging 5; Endpoint table, GET softtype',
    statement:
      'For a filter whose value is blank in configuration, the query parameter `{groupId}.{criteriaPort}={portValue}` supplies the value.',
    fault: 'uses the first value ever supplied for all later requests',
    needs: ['soft-type', 'array-port', 'filter-with-value'],
    after: ['reading.filter.narrows-entries'],
    test: property(
      constantFrom('plain', 'with blank', 'a&b=c', '50%', 'ünïcode', 'slash/in'),
      async (context, suffix) => {
        const { given, service, expect, profile } = context;
        const member = profile.all.filters?.withValue?.member ?? '';
        const values = ['a', 'b', 'c'].map((letter) => `${given.unique(letter)} ${suffix}`);
        const valueOf = (index: number) => values[index % 3] ?? '';
        const owner = await given.objectWithEntries(9, { members: (index) => ({ [member]: valueOf(index) }) });
        given.succeeded(await service.read(owner), 'an unfiltered read', ['reading.instance.short-route-served']);
        for (const value of [...values, given.unique('nobody')]) {
          const read = await service.read(owner, withValue(context, owner, value));
          expect(read).toAnswer(200);
          const expected = owner.texts.filter((_text, index) => valueOf(index) === value);
          expect(
            [...textsOf(entriesOf(read, owner.port), owner.port)].sort(),
            `entries for the value ${value}`,
            read,
          ).toEqual([...expected].sort());
        }
      },
      { share: 0.3 },
    ),
  },
  'reading.filter.incomplete-use': {
    level: 'observe',
    source: 'core: Server side paging 5',
    statement:
      'It is not described what happens with an unknown filter id, a blank-value filter without a value, a value parameter without a filter, or the parameter name of the other route (`softTypeFilter` on the instance GET).',
    needs: ['soft-type', 'array-port', 'filter', 'filter-with-value'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const { owner, matching } = await makeFilterable(context, { matching: 4, other: 5 });
      const { url } = service.requests.read(owner);
      const { fixed, withValue: blank } = profile.all.filters ?? {};
      const uses = {
        unknownFilter: [{ softTypeFilterId: given.unique('no-filter') }, 'an unknown filter'],
        filterValueMissing: [{ softTypeFilterId: blank?.id ?? '' }, 'a blank-value filter without a value'],
        valueAlone: [{ [`${blank?.groupId}.${blank?.criteriaPort}`]: 'x' }, 'a value without a filter'],
        otherName: [{ softTypeFilter: fixed?.id ?? '' }, 'the parameter name of the page route'],
      } as const;
      for (const [key, [query, what]] of Object.entries(uses)) {
        const reply = await service.get(withQuery(url, query));
        if (key === 'unknownFilter' || key === 'filterValueMissing') notes.bound(key, what, reply.status, reply);
        else notes.observe(what, reply.status, reply);
        const count = reply.status === 200 ? entriesOf(reply, owner.port).length : -1;
        const results = new Map([
          [-1, 'none'],
          [0, 'empty'],
          [matching.length, 'filtered'],
          [owner.texts.length, 'complete'],
        ]);
        notes.observe(`result with ${what}`, results.get(count) ?? `${count} entries`, reply);
      }
    }),
  },
});

/** Every object that is an item of an array, at any depth. */
function objectsInArrays(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (Array.isArray(value))
    return value.flatMap((item) => [...(isObject(item) ? [item] : []), ...objectsInArrays(item)]);
  return isObject(value) ? Object.values(value).flatMap(objectsInArrays) : [];
}

async function appended({ given, service }: CaseContext, owner: Owner): Promise<Owner> {
  const value = given.entry(given.unique('appended'), {}, owner.port);
  const reply = await service.operations(owner, [{ op: 'add', path: pointer(owner.port.member), value }]);
  given.succeeded(reply, 'an entry is appended', ['patch.add.appends-without-marker']);
  return given.current(owner);
}

/** Removes the last entry of the first read; an empty array stays as it is. */
async function withoutLast({ given, service }: CaseContext, owner: Owner): Promise<Owner> {
  const last = entriesOf(await service.read(owner), owner.port).at(-1);
  if (last === undefined) return owner;
  const reply = await service.operations(owner, [
    { op: 'remove', path: `${pointer(owner.port.member, last.entryId)}/` },
  ]);
  given.succeeded(reply, 'an entry is removed', ['patch.remove.entry-with-trailing-slash']);
  return given.current(owner);
}
