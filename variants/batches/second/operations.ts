import { isContent } from '../../../reference-server/areas/content.ts';
import { isPort, nameOf } from '../../../reference-server/areas/operations.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';

export const operationsMistakes: Batch = {
  'operations.add-on-false': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member that exists fails, also when its value is false, zero or an empty text.',
    kind: 'value',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, at) => {
      const isFalsy = target.kind === 'member' && !target.value;
      return right(areas, run, isFalsy ? { ...target, value: undefined } : target, value, at);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'open', confidential: false });
      const { status } = await edda.operate(made, 1, [{ op: 'add', path: '/confidential', value: true }]);
      return status < 300;
    },
  },

  'operations.position-after-removal': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A number in a path is an entry id and never a position, also when the entry that had the id is gone.',
    kind: 'moment',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const found = await right(areas, run, port, token);
      if (found !== undefined || !/^[1-9]\d?$/.test(token)) return found;
      const to = Number(token);
      const [entry] = await run.writing.entries(run.object.oid, port, { from: to - 1, to });
      return entry;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'pair', files: [{ name: 'gone' }, { name: 'kept' }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/' }]);
      await edda.operate(made, 2, [{ op: 'replace', path: '/files/1/name', value: 'overwritten' }]);
      return at(await edda.read(made), '/data/files/0/name') === 'overwritten';
    },
  },

  'operations.remove-with-null': {
    source: 'core: Patch operation',
    breaks: 'A remove has no value; one that is null is a value, too.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, at) => {
      if (!isContent(item) || item['op'] !== 'remove' || item['value'] !== null) return right(areas, item, at);
      const { value: _null, ...rest } = item;
      return right(areas, rest, at);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'noted', note: 'here' });
      await edda.operate(made, 1, [{ op: 'remove', path: '/note', value: null }]);
      return at(await edda.read(made), '/data/note') === undefined;
    },
  },

  'operations.marker-of-nested': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A value that is added at the end marker becomes the last entry, also of an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
      await right(areas, run, target, value, at);
      if (target.kind !== 'array' || !target.marker || isPort(target) || target.row.entry === undefined) return;
      const { port, entryId } = target.row.entry;
      const content = (await run.writing.entry(run.object.oid, port, entryId))?.content ?? {};
      const items = content[nameOf(target)];
      if (!Array.isArray(items)) return;
      const turned = [...items.slice(-1), ...items.slice(0, -1)];
      await run.writing.updateEntry(run.object.oid, port, entryId, { ...content, [nameOf(target)]: turned });
    }),
    async shows({ edda }) {
      const files = [{ name: 'a', revisions: [{ text: 'one' }] }];
      const made = await edda.make('Document', { title: 'revised', files });
      await edda.operate(made, 1, [{ op: 'add', path: '/files/1/revisions/-', value: { text: 'two' } }]);
      return at(await edda.read(made), '/data/files/0/revisions/1/text') !== 'two';
    },
  },

  'operations.offset-of-effectivity': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element that is replaced gets the date of the information filter, also when that has an offset.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) => {
      return right(areas, call).replace(/[+-]\d\d:\d\d$/, 'Z');
    }),
    async shows({ edda }) {
      const time = '2024-03-10T23:30:00-05:00';
      const made = await edda.make('Document', { title: 'offer', price: '10' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '12' }], { time });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },

  'operations.reference-without-value': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that does not comply without what was removed is removed as well, also one that is a reference.',
    kind: 'combination',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      if (entry.array.kind !== 'references') return right(areas, run, entry);
      await run.writing.updateEntry(run.object.oid, entry.port, entry.entryId, { id: 'left' });
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'bolt' });
      const describes = [{ id: 'left', value: { $oid: part.oid } }];
      const made = await edda.make('Document', { title: 'drawing', describes });
      const { status } = await edda.operate(made, 1, [{ op: 'remove', path: '/describes/1/value' }]);
      return status < 300 && listAt(await edda.read(made), '/data/describes').length > 0;
    },
  },
};
