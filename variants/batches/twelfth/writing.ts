import { isContent } from '../../../reference-server/areas/content.ts';
import type { Target } from '../../../reference-server/areas/operations.ts';
import type { Content } from '../../../reference-server/ports/store.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';
import { namesAt } from './proofs.ts';
import { named } from '../proofs.ts';

/** An entry as a first read shows it: its own arrays end after ten. */
function cutToRead(content: Content): Content {
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, 10) : value]),
  );
}

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
  'put.nested-array-left-out-stays': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What a complete content leaves out is removed, inside an entry that is named by its id as well.',
    kind: 'combination',
    variant: replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
      const filled = [];
      for (const item of items) {
        const old = item.entryId === undefined ? undefined : await writing.entry(oid, port, item.entryId);
        const arrays = Object.entries(old?.content ?? {}).filter(([, value]) => Array.isArray(value));
        filled.push({ ...item, content: { ...Object.fromEntries(arrays), ...item.content } });
      }
      await right(areas, writing, oid, port, filled);
    }),
    async shows({ edda }) {
      const files = [{ name: 'n', revisions: [{ text: 'first' }] }];
      const made = await edda.make('Document', { title: 't', files });
      const $entryId = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.replace(made, 1, { title: 't', files: [{ $entryId, name: 'n' }] });
      return listAt(await edda.read(made), '/data/files/0/revisions').length > 0;
    },
  },
  'operations.an-entry-is-written-as-it-was-read': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An operation on a member of an entry leaves the rest of the entry as it is, however long its arrays are.',
    kind: 'combination',
    variant: breaks('operations', 'targetOf', (right) => async (areas, ...args): Promise<Target> => {
      const target = await right(areas, ...args);
      const { row } = target;
      return row.entry === undefined ? target : { ...target, row: { ...row, content: cutToRead(row.content) } };
    }),
    async shows({ edda }) {
      const revisions = many(12, (number) => ({ text: `r${number}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', revisions }] });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}/name`, value: 'm' }]);
      const link = listAt(await edda.read(made), '/links').find((item) => at(item, '/rel') === 'page');
      return at(link, '/totalNumber') !== 12;
    },
  },
  'operations.date-of-the-filter-loses-its-offset': {
    source: 'core: Operations-based PATCH rules 7',
    breaks:
      'The date of the information filter is a moment: one that is told with an offset is not that of the same digits in UTC.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      right(areas, call).replace(/[+-]\d\d:\d\d$/, 'Z'),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const time = '2024-03-10T01:00:00+02:00';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '2' }], { time });
      const stamped = at(await edda.read(made), '/data/price/effectivity');
      return Date.parse(String(stamped)) !== Date.parse(time);
    },
  },
  'operations.one-cascade-a-list': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'Every parent that does not comply any more is removed, not only the first of a list of operations.',
    kind: 'combination',
    variant: breaks('operations', 'cascadeTo', (right) => {
      const cascaded = new WeakSet<object>();
      return async (areas, run, entry) => {
        if (cascaded.has(run)) return;
        cascaded.add(run);
        await right(areas, run, entry);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(3) });
      const ids = listAt(await edda.read(made), '/data/files').map((entry) => String(at(entry, '/$entryId')));
      const list = ids.slice(0, 2).map((id) => ({ op: 'remove', path: `/files/${id}/name` }));
      await edda.operate(made, 1, list);
      return namesAt(await edda.read(made), '/data/files').join() !== 'n3';
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
  'operations.behind-the-fiftieth-nothing-is-done': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'All operations of a list are carried out, however many they are.',
    kind: 'value',
    variant: replaces('operations', 'operationsOf', (right, areas, body) => right(areas, body).slice(0, 50)),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const list = many(60, (number) => ({ op: 'add', path: '/contacts/-', value: { name: `n${number}` } }));
      await edda.operate(made, 1, list);
      const links = listAt(await edda.read(made), '/links');
      return (
        at(
          links.find((link) => at(link, '/sectionPath') === 'contacts'),
          '/totalNumber',
        ) !== 60
      );
    },
  },
};
