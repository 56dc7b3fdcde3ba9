import { breaks, together, replaces } from '../../breaks.ts';
import { isPort, nameOf } from '../../../reference-server/areas/operations.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, operationsPath } from '../service.ts';
import { batchIsKnown, inBatch } from './in-batch.ts';

function withoutEmptyTexts(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== ''));
}

/** Texts end before the first character that needs four bytes, at any depth. */
function cutAtAstral(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(/[\u{10000}-\u{10ffff}][^]*$/u, '');
  if (Array.isArray(value)) return value.map(cutAtAstral);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutAtAstral(member)]));
}

export const writing: Batch = {
  'writing.merge-drops-empty-texts-inside-objects': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A member inside an object is edited to an empty text as to any other.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const cleaned = Object.entries(edits).map(([name, edit]) => [name, withoutEmptyTexts(edit)] as const);
      return right(areas, target, Object.fromEntries(cleaned));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1', height: '2' } });
      await edda.merge(made, 1, { dimensions: { width: '', height: '2' } });
      return at(await edda.read(made), '/data/dimensions/width') !== '';
    },
  },
  'writing.put-keeps-dated-members': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A dated member that the body of a PUT leaves out is removed.',
    kind: 'place',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const content = right(areas, old, given);
      return 'price' in old && !('price' in content) ? { ...content, price: old['price'] } : content;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      await edda.replace(made, 1, { title: 'u' });
      return at(await edda.read(made), '/data/price') !== undefined;
    },
  },
  'writing.put-in-batch-keeps-arrays': {
    source: 'core: Batch rules 5',
    breaks: 'A PUT in a batch empties the arrays that its body leaves out.',
    kind: 'combination',
    variant: together(
      batchIsKnown,
      replaces('editing', 'arraysAfterPut', (right, areas, softType, given) => {
        return inBatch.isOn() ? given : right(areas, softType, given);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: [{ name: 'c' }] });
      const headers = { 'Svc-UOIVersion': '1' };
      await edda.batch([{ method: 'PUT', href: editPath(made), headers, body: { title: 'u' } }]);
      return listAt(await edda.read(made), '/data/contacts').length > 0;
    },
  },
  'writing.list-holds-each-value-once': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A value is appended to an array also when the array has it already.',
    kind: 'value',
    variant: replaces('operations', 'setMember', (right, areas, run, target, value) => {
      const isListed = target.kind === 'list' && Array.isArray(value);
      return right(areas, run, target, isListed ? [...new Set(value)] : value);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['a', 'b'] });
      await edda.operate(made, 1, [{ op: 'add', path: '/keywords/-', value: 'a' }]);
      return listAt(await edda.read(made), '/data/keywords').length !== 3;
    },
  },
  'writing.second-add-of-a-request-stands-first': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Each entry that a list of operations adds is the last one at its time.',
    kind: 'combination',
    variant: breaks('operations', 'appendToPort', (right) => {
      const added = new WeakMap<object, number>();
      return async (areas, run, target, contents) => {
        await right(areas, run, target, contents);
        const count = (added.get(run) ?? 0) + 1;
        added.set(run, count);
        if (count < 2) return;
        const port = nameOf(target);
        const entries = await run.writing.entries(run.object.oid, port, { from: 0, to: 1000 });
        const [before, last] = entries.slice(-2);
        if (before === undefined || last === undefined) return;
        await run.writing.replaceEntries(run.object.oid, port, [...entries.slice(0, -2), last, before]);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a' }] });
      await edda.operate(made, 1, [
        { op: 'add', path: '/files/-', value: { name: 'b' } },
        { op: 'add', path: '/files/-', value: { name: 'c' } },
      ]);
      return at(await edda.read(made), '/data/files/2/name') !== 'c';
    },
  },
  'writing.remove-takes-ids-with-that-beginning': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'The entry with the id goes, and none whose id merely begins with it.',
    kind: 'value',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      await right(areas, run, target);
      const { entry } = target.row;
      if (target.kind !== 'entry' || target.steps.length > 0 || entry === undefined) return;
      for (const { entryId } of await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 1000 }))
        if (String(entryId).startsWith(String(entry.entryId)))
          await run.writing.removeEntry(run.object.oid, entry.port, entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(12, (n) => ({ name: `f${n}` })) });
      const id = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(id)}/` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 1;
    },
  },
  'writing.stamp-loses-its-offset': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replaced element gets the date of the filter as it is, the offset included.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      right(areas, call).replace(/[+-]\d\d:\d\d$/, 'Z'),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      const time = '2024-03-01T10:00:00+02:00';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '13' }], { time });
      const stamp = at(await edda.read(made), '/data/price/effectivity');
      return Date.parse(String(stamp)) !== Date.parse(time);
    },
  },
  'writing.stamp-in-batch-is-of-the-clock': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'In a batch the date is that of the filter which the batch was sent with.',
    kind: 'combination',
    variant: together(
      batchIsKnown,
      replaces('contents', 'effectivityOf', (right, areas, call) =>
        inBatch.isOn() ? new Date(areas.clock.now()).toISOString() : right(areas, call),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      const time = '2021-03-01T10:00:00Z';
      const operation = {
        method: 'PATCH',
        href: operationsPath(made),
        headers: { 'Svc-UOIVersion': '1', 'Content-Type': 'application/json-patch+json' },
        body: [{ op: 'replace', path: '/price', value: '13' }],
      };
      const filter = Buffer.from(JSON.stringify({ time })).toString('base64');
      await edda.post('/api/space/main/batch', [operation], { 'Svc-InformationFilter': filter });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },
  'writing.versions-count-modulo-two-to-the-32': {
    source: 'core: Errors 1',
    breaks: 'A version that differs is a mismatch, also where it has the same lowest 32 bits.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (right, areas, sent, current) =>
      right(areas, Math.trunc(sent) | 0, current),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      return (await edda.merge(made, 2 ** 32 + 1, { name: 'q' })).status !== 409;
    },
  },
  'writing.entry-texts-end-at-four-bytes': {
    source: 'core: Endpoint table, POST',
    breaks: 'A text in an entry is kept whole, whatever its characters.',
    kind: 'value',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) =>
      right(areas, items).map((content) => cutAtAstral(content) as typeof content),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a😀b' }] });
      return at(await edda.read(made), '/data/files/0/name') !== 'a😀b';
    },
  },
  'writing.merge-under-a-small-schema-wipes-the-rest': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge under an input schema leaves the members that this schema does not hold.',
    kind: 'combination',
    variant: replaces('editing', 'mergeObject', (right, areas, call, store) => {
      const { object, place } = call;
      const held = new Set(place.view.names.values());
      const content = Object.entries(object.content).filter(([name]) => name.startsWith('$') || held.has(name));
      return right(areas, { ...call, object: { ...object, content: Object.fromEntries(content) } }, store);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', label: 'l' });
      const path = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', path, { headers: { 'Svc-UOIVersion': '1' }, body: { note: 'n' } });
      return at(await edda.read(made), '/data/displayLabel') !== 'l';
    },
  },
  'writing.end-marker-is-unknown-inside-entries': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'The end marker may be given for an array inside an entry as well.',
    kind: 'place',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, pointer) => {
      const isMarked = target.kind === 'array' && target.marker && !isPort(target);
      return isMarked ? Promise.resolve() : right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f' }] });
      const id = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${String(id)}/revisions/-`, value: { text: 'r' } }]);
      return listAt(await edda.read(made), '/data/files/0/revisions').length !== 1;
    },
  },
};
