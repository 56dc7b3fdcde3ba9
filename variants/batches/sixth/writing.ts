import { isContent } from '../../../reference-server/areas/content.ts';
import { isPort, nameOf } from '../../../reference-server/areas/operations.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { Step, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, type Made, at, listAt, many } from '../service.ts';

const putting = new Step();

const falsy: readonly unknown[] = [false, 0, ''];

async function effectivityAfter(edda: Client, made: Made, time: string): Promise<unknown> {
  await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '2' }], { time });
  return at(await edda.read(made), '/data/price/effectivity');
}

export const writing: Batch = {
  'merge.leaves-out-what-is-false': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A field in the body is edited, though its value be false, zero or an empty text.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) =>
      right(areas, target, Object.fromEntries(Object.entries(edits).filter(([, value]) => !falsy.includes(value)))),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', confidential: true });
      await edda.merge(made, 1, { confidential: false });
      return at(await edda.read(made), '/data/confidential') === true;
    },
  },
  'put.objects-are-merged': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body leaves out inside an object is removed as one at the root is.',
    kind: 'place',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const objects = Object.entries(given).flatMap(([name, value]) =>
        isContent(value) && isContent(old[name]) && !('effectivity' in value)
          ? [[name, { ...old[name], ...value }] as const]
          : [],
      );
      return { ...right(areas, old, given), ...Object.fromEntries(objects) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1', height: '2' } });
      await edda.replace(made, 1, { title: 't', dimensions: { width: '3' } });
      return at(await edda.read(made), '/data/dimensions/height') === '2';
    },
  },
  'put.known-entries-are-merged': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body leaves out in an entry which it names by its id is removed.',
    kind: 'place',
    variant: together(
      replaces('editing', 'putObject', (right, areas, ...args) => putting.run(() => right(areas, ...args))),
      replaces('editing', 'replaceArray', async (right, areas, store, oid, port, items) => {
        if (!putting.isOn()) return right(areas, store, oid, port, items);
        const merged = [];
        for (const item of items) {
          const old = item.entryId === undefined ? undefined : await store.entry(oid, port, item.entryId);
          merged.push({ ...item, content: { ...old?.content, ...item.content } });
        }
        return right(areas, store, oid, port, merged);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', comment: 'c' }] });
      const $entryId = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.replace(made, 1, { title: 't', files: [{ $entryId, name: 'g' }] });
      return at(await edda.read(made), '/data/files/0/comment') === 'c';
    },
  },
  'operations.add-over-what-is-false': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member whose value is zero, false or an empty text exists, so that add fails on it.',
    kind: 'value',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) =>
      right(
        areas,
        run,
        target.kind === 'member' && falsy.includes(target.value) ? { ...target, value: undefined } : target,
        value,
        place,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', pageCount: 0 });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/pageCount', value: 5 }])).status < 300;
    },
  },
  'operations.replace-finds-no-empty-text': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'An empty text in an entry is a value that can be replaced.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, place) =>
      right(
        areas,
        run,
        target.kind === 'member' && target.row.entry !== undefined && target.value === ''
          ? { ...target, value: undefined }
          : target,
        value,
        place,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', comment: '' }] });
      const path = `/files/${String(at(await edda.read(made), '/data/files/0/$entryId'))}/comment`;
      return (await edda.operate(made, 1, [{ op: 'replace', path, value: 'c' }])).status >= 400;
    },
  },
  'operations.cascade-takes-equal-entries': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'Only the parent entry of what was removed goes, not another one that looks the same.',
    kind: 'place',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const { object, writing: store } = run;
      const gone = await store.entry(object.oid, entry.port, entry.entryId);
      await right(areas, run, entry);
      for (const { entryId, content } of await store.entries(object.oid, entry.port, { from: 0, to: 100_000 }))
        if (JSON.stringify(content) === JSON.stringify(gone?.content))
          await store.removeEntry(object.oid, entry.port, entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f' }, { name: 'f' }, { name: 'g' }] });
      const path = `/files/${String(at(await edda.read(made), '/data/files/0/$entryId'))}/name`;
      await edda.operate(made, 1, [{ op: 'remove', path }]);
      return listAt(await edda.read(made), '/data/files').length !== 2;
    },
  },
  'operations.entry-path-takes-one-digit': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'The path of an entry that is to be removed names the entry by its whole id.',
    kind: 'value',
    variant: replaces('operations', 'pointerTokens', (right, areas, path) => {
      const tokens = right(areas, path);
      return tokens?.length === 3 && tokens[2] === '' ? [tokens[0] ?? '', (tokens[1] ?? '').slice(0, 1), ''] : tokens;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(12, (n) => ({ name: `f${n}` })) });
      const $entryId = at((await edda.page(made, 'files', 1)).json, '/data/1/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String($entryId)}/` }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'f11';
    },
  },
  'operations.marker-puts-first-inside-entries': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'With the end marker a value becomes the last one of an array inside an entry too.',
    kind: 'place',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, place) => {
      await right(areas, run, target, value, place);
      const { entry } = target.row;
      if (target.kind !== 'array' || !target.marker || isPort(target) || entry === undefined) return;
      const stored = await run.writing.entry(run.object.oid, entry.port, entry.entryId);
      const items = stored?.content[nameOf(target)];
      if (stored === undefined || !Array.isArray(items)) return;
      const content = { ...stored.content, [nameOf(target)]: [...items.slice(-1), ...items.slice(0, -1)] };
      await run.writing.updateEntry(run.object.oid, entry.port, entry.entryId, content);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', revisions: [{ text: 'one' }] }] });
      const path = `/files/${String(at(await edda.read(made), '/data/files/0/$entryId'))}/revisions/-`;
      await edda.operate(made, 1, [{ op: 'add', path, value: { text: 'two' } }]);
      return at(await edda.read(made), '/data/files/0/revisions/0/text') === 'two';
    },
  },
  'operations.inner-entries-of-the-first-read-only': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry of an array inside an entry is found by its id, though a read does not include it.',
    kind: 'place',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      const [, , , inner] = operation.tokens;
      if (Number(inner) > 10) throw new Refusal(422, 'There is no such entry.');
      return right(areas, run, operation);
    }),
    async shows({ edda }) {
      const revisions = many(12, (n) => ({ text: `r${n}` }));
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', revisions }] });
      const operation = { op: 'replace', path: '/files/1/revisions/12/text', value: 'other' };
      return (await edda.operate(made, 1, [operation])).status >= 400;
    },
  },
  'operations.effectivity-loses-its-offset': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element is stamped with the time of the filter, whatever its offset from UTC.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, ...args) =>
      right(areas, ...args).replace(/[+-]\d\d:\d\d$/, 'Z'),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const effectivity = await effectivityAfter(edda, made, '2026-01-05T10:00:00+02:00');
      return Date.parse(String(effectivity)) !== Date.parse('2026-01-05T08:00:00Z');
    },
  },
  'versioning.beginning-of-the-number': {
    source: 'core: Errors 1',
    breaks: 'A version that is only the first digit of that of the object is another version.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) =>
      String(current).startsWith(String(sent)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (const version of many(10, (n) => n)) await edda.merge(made, version, { note: `n${version}` });
      return (await edda.merge(made, 1, { note: 'stale' })).status < 300;
    },
  },
};
