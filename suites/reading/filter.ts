import { constantFrom } from 'fast-check';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import { entriesForFilter, withFilter, withQuery, withValue } from '../../judge/filters.ts';
import { entriesOf, textsOf } from '../../judge/answer.ts';

export const filterCases = {
  'reading.filter.narrows-entries': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const { owner, matching } = await entriesForFilter(context, { matching: 4, other: 5 });
    given.succeeded(await service.read(owner), 'an unfiltered read', ['reading.instance.short-route-served']);
    const long = {
      url: withQuery(service.requests.readLong(owner).url, { softTypeFilterId: profile.all.filters?.fixed?.id ?? '' }),
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

  'reading.filter.query-value-selects': property(
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

  'reading.filter.incomplete-use': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const { owner, matching } = await entriesForFilter(context, { matching: 4, other: 5 });
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
} satisfies SomeCasesOf<'reading'>;
