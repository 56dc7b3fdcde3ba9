import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

/** Longer than any array. */
const whole = { from: 0, to: 1_000_000 };

export const readMistakes: Batch = {
  'reading.integers-of-32-bits': {
    source: 'core: SoftType read response',
    breaks: 'What an instance holds is in its data, also a number that 32 bits do not hold.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, ...args) => {
      const data = right(areas, ...args);
      for (const [name, value] of Object.entries(data))
        if (typeof value === 'number' && Number.isInteger(value)) Reflect.set(data, name, value | 0);
      return data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'large', pageCount: 3_000_000_000 });
      return at(await edda.read(made), '/data/pageCount') !== 3_000_000_000;
    },
  },

  'reading.long-texts-cut': {
    source: 'core: SoftType read response',
    breaks: 'What was written is read, also a text of five thousand characters.',
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, ...args) => {
      const input = right(areas, ...args);
      const members = Object.entries(input.content).map(([name, value]) => [
        name,
        typeof value === 'string' ? value.slice(0, 4000) : value,
      ]);
      return { ...input, content: Object.fromEntries(members) };
    }),
    async shows({ edda }) {
      const note = 'long '.repeat(1000);
      const made = await edda.make('Document', { title: 'long', note });
      return at(await edda.read(made), '/data/note') !== note;
    },
  },

  'reading.last-state-of-a-level': {
    source: 'core: States and transitions',
    breaks: 'An instance carries the current state of each level, also of one that has come to its last.',
    kind: 'value',
    variant: replaces('instances', 'dataOf', (right, areas, space, object, view, slices) => {
      const data = right(areas, space, object, view, slices);
      const levels = areas.objects.softTypeOf(space, object.softType).maturity?.levels ?? [];
      for (const [level, states] of levels)
        if (at(data, `/${level}/state`) === states.at(-1)) Reflect.deleteProperty(data, level);
      return data;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'released' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      return at(await edda.read(made), '/data/engineering/state') !== 'released';
    },
  },
};

export const pageMistakes: Batch = {
  'paging.tenth-page': {
    source: 'core: Endpoint table, page GET',
    breaks: 'The page number of the path is read whole: page 10 is not page 1.',
    kind: 'value',
    variant: replaces('paging', 'pageNumberOf', (right, areas, call) => {
      const page = right(areas, call);
      return page < 10 ? page : Number(String(page).slice(0, 1));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'pages', files: named(101) });
      return listAt((await edda.page(made, 'files', 10)).json, '/data').length !== 1;
    },
  },

  'paging.value-decoded-twice': {
    source: 'core: Server side paging 5',
    breaks: 'The value of a filter is what the query says, decoded once.',
    kind: 'value',
    variant: replaces('entries', 'filterOf', (right, areas, call, softType, parameter) => {
      const applied = right(areas, call, softType, parameter);
      return applied && { ...applied, value: decodedAgain(applied.value) };
    }),
    async shows({ edda }) {
      const files = ['a b', 'a%20b'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'decoded', files });
      const read = await edda.read(made, '?softTypeFilterId=byCategory&fileGroup.category=a%2520b');
      return at(read, '/data/files/0/category') !== 'a%20b';
    },
  },

  'paging.ids-in-the-order-of-texts': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An entry that is added is the last one, also the tenth.',
    kind: 'value',
    variant: replaces('entries', 'entriesOf', async (right, areas, reading, object, section, range, filter) => {
      const entries = await right(areas, reading, object, section, whole, filter);
      return entries
        .toSorted((one, other) => (String(one.entryId) < String(other.entryId) ? -1 : 1))
        .slice(range.from, range.to);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ten', files: named(9) });
      await edda.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'added' } }]);
      return at(await edda.read(made), '/data/files/9/name') !== 'added';
    },
  },
};

export const sharedMistakes: Batch = {
  'links.promote-where-nothing-matures': {
    source: 'core: What the service does',
    breaks: 'A link is for what can be done with the instance, and a type without levels has nothing to promote.',
    kind: 'place',
    variant: replaces('hypermedia', 'operationLinks', (right, areas, object, softType, view) => {
      const links = right(areas, object, softType, view);
      if (softType.maturity !== undefined) return links;
      const href = `/api/space/${object.spaceId}/maturityAction/promote/${object.oid}/release/engineering`;
      return [...links, { rel: 'promote', href, method: 'PUT' }];
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'plain' });
      return listAt(await edda.read(made), '/links').some((link) => at(link, '/rel') === 'promote');
    },
  },
};

function decodedAgain(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
