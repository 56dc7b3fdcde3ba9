import { isContent } from '../../../reference-server/areas/content.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

/** Every text in a value, changed. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isContent(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)]));
}

export const writing: Batch = {
  'create.texts-of-entries-are-cut': {
    source: 'core: Endpoint table, POST',
    breaks: 'A text inside an entry is kept whole, as one of the object itself is.',
    kind: 'value',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) =>
      right(areas, items).map((content) => mapTexts(content, (text) => text.slice(0, 255)) as Content),
    ),
    async shows({ edda }) {
      const comment = 'x'.repeat(300);
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', comment }] });
      return at(await edda.read(made), '/data/files/0/comment') !== comment;
    },
  },
  'create.equal-entries-are-one': {
    source: 'core: Endpoint table, POST',
    breaks: 'Two entries of one content are two entries.',
    kind: 'value',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) => {
      const distinct = new Map(items.map((item) => [JSON.stringify(item.content), item]));
      return right(areas, [...distinct.values()]);
    }),
    survives:
      'Whether an array may hold one content twice is for the model to say: what becomes of equal entries is recorded.',
    async shows({ edda }) {
      const contacts = [{ name: 'twin' }, { name: 'twin' }, { name: 'other' }];
      const made = await edda.make('Document', { title: 't', contacts });
      return listAt(await edda.read(made), '/data/contacts').length !== 3;
    },
  },
  'create.lists-hold-a-value-once': {
    source: 'core: Endpoint table, POST',
    breaks: 'A list of plain values reads as it was written, with what stands in it twice.',
    kind: 'value',
    variant: replaces('contents', 'contentFrom', (right, areas, ...args) => {
      const input = right(areas, ...args);
      const { keywords } = input.content;
      if (!Array.isArray(keywords)) return input;
      return { ...input, content: { ...input.content, keywords: [...new Set<unknown>(keywords)] } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['a', 'b', 'a'] });
      return listAt(await edda.read(made), '/data/keywords').length !== 3;
    },
  },
  'operations.added-texts-are-normalised': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A text that is added reads as it was sent, character by character.',
    kind: 'value',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, path) =>
      right(
        areas,
        run,
        target,
        mapTexts(value, (text) => text.normalize('NFC')),
        path,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const note = 'cafe\u0301';
      await edda.operate(made, 1, [{ op: 'add', path: '/note', value: note }]);
      return at(await edda.read(made), '/data/note') !== note;
    },
  },
};
