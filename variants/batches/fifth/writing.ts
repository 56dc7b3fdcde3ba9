import { isContent, hasValue } from '../../../reference-server/areas/content.ts';
import { nameOf } from '../../../reference-server/areas/operations.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { Step, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

const replacing = new Step();

export const writing: Batch = {
  'operations.effectivity-loses-its-offset': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element gets the moment of the information filter, whatever offset from UTC that is written with.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      right(areas, call).replace(/[+-]\d\d:\d\d$/, 'Z'),
    ),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      const time = '2026-03-01T01:00:00+02:00';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '12' }], { time });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },
  'operations.same-value-keeps-its-date': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replace of a dated element sets its date, also where the value is the one that it has.',
    kind: 'value',
    variant: replaces('operations', 'setMember', async (right, areas, run, target, value) => {
      const isSame = isContent(target.value) && isContent(value) && target.value['value'] === value['value'];
      if (!isSame) await right(areas, run, target, value);
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      const time = '2031-05-01T00:00:00Z';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '10' }], { time });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },
  'operations.append-fills-a-gap': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array is its last entry, also after one in the middle was removed.',
    kind: 'moment',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      await right(areas, run, target, contents);
      const { writing, object } = run;
      const entries = await writing.entries(object.oid, nameOf(target), { from: 0, to: 100_000 });
      const old = entries.slice(0, -contents.length);
      const gap = old.findIndex(({ entryId }, index) => entryId !== index + 1);
      if (gap < 0) return;
      const filled = [...old.slice(0, gap), ...entries.slice(-contents.length), ...old.slice(gap)];
      await writing.replaceEntries(object.oid, nameOf(target), filled);
    }),
    shows: async ({ edda }) => {
      const files = ['a', 'b', 'c'].map((name) => ({ name }));
      const made = await edda.make('Document', { title: 'gap', files });
      const second = String(at(await edda.read(made), '/data/files/1/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${second}/` }]);
      await edda.operate(made, 2, [{ op: 'add', path: '/files/-', value: { name: 'd' } }]);
      return at(await edda.read(made), '/data/files/2/name') !== 'd';
    },
  },
  'operations.added-entry-loses-its-own-arrays': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An object that is added to an array is kept with all that is in it, arrays included.',
    kind: 'place',
    variant: replaces('operations', 'appendToPort', (right, areas, run, target, contents) => {
      const flat = contents.map((content) =>
        Object.fromEntries(Object.entries(content).filter(([, value]) => !Array.isArray(value))),
      );
      return right(areas, run, target, flat);
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'deep' });
      const value = { name: 'a', revisions: [{ text: 'r' }] };
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') !== 'r';
    },
  },
  'operations.emptied-entry-goes': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost its last member stays where the model asks for none.',
    kind: 'place',
    variant: replaces('operations', 'complies', (right, areas, members, content) => {
      const isEmpty = !Object.entries(content).some(([name, value]) => !name.startsWith('$') && hasValue(value));
      return right(areas, members, content) && !isEmpty;
    }),
    shows: async ({ edda }) => {
      const made = await edda.make('Document', { title: 'emptied', contacts: [{ name: 'x' }, { name: 'y' }] });
      const first = String(at(await edda.read(made), '/data/contacts/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/contacts/${first}/name` }]);
      return listAt(await edda.read(made), '/data/contacts').length !== 2;
    },
  },
  'put.kept-entry-keeps-its-members': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body of a PUT leaves out is removed, also inside an entry that is sent with its id.',
    kind: 'place',
    variant: together(
      replaces('editing', 'putObject', (right, areas, call, writing) =>
        replacing.run(() => right(areas, call, writing)),
      ),
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        const merged = [];
        for (const { entryId, content } of items) {
          const old = replacing.isOn() && entryId !== undefined ? await writing.entry(oid, port, entryId) : undefined;
          merged.push({ ...(entryId !== undefined && { entryId }), content: { ...old?.content, ...content } });
        }
        await right(areas, writing, oid, port, merged);
      }),
    ),
    shows: async ({ edda }) => {
      const files = [{ name: 'a', comment: 'old' }];
      const made = await edda.make('Document', { title: 'replaced', files });
      const $entryId = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.replace(made, 1, { title: 'replaced', files: [{ $entryId, name: 'a' }] });
      return at(await edda.read(made), '/data/files/0/comment') !== undefined;
    },
  },
  'merge.stamps-what-it-leaves-alone': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge leaves the fields alone that its body does not name, the date of a dated element included.',
    kind: 'copy',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const merged = Object.entries(right(areas, target, edits)).map(([name, value]) => {
        const isDated = isContent(value) && 'effectivity' in value && !(name in edits);
        return [name, isDated ? { ...value, effectivity: isoTime(areas.clock.now()) } : value];
      });
      return Object.fromEntries(merged) as ReturnType<typeof right>;
    }),
    shows: async ({ edda }) => {
      const price = { value: '10', effectivity: '2020-01-01T00:00:00Z' };
      const made = await edda.make('Document', { title: 'dated', price });
      await edda.merge(made, 1, { note: 'other' });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(price.effectivity);
    },
  },
};
