import { mediaTypes, headerNames } from '../../../contract/names.ts';
import { nameOf } from '../../../reference-server/areas/operations.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { Step, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Client, type Made, at, encoded, listAt, many, operationsPath } from '../service.ts';

const inBatch = new Step();

/** Longer than any array of a proof. */
const all = { from: 0, to: 1000 };

async function entryPath(client: Client, made: Made, port: string, index: number): Promise<string> {
  return `/${port}/${String(at(await client.read(made), `/data/${port}/${index}/$entryId`))}`;
}

function saysWhatIs(content: object, body: string): boolean {
  return Object.entries(JSON.parse(body) as object).every(
    ([name, value]) => JSON.stringify(Reflect.get(content, name)) === JSON.stringify(value),
  );
}

export const writing: Batch = {
  'writing.put-keeps-what-is-falsy': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT removes a member that it leaves out, also one that is false, zero or an empty text.',
    kind: 'value',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const kept = Object.entries(old).filter(([, value]) => value === false || value === 0 || value === '');
      return { ...Object.fromEntries(kept), ...right(areas, old, given) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', confidential: false, pageCount: 0 });
      await edda.replace(made, 1, { title: 't' });
      return at(await edda.read(made), '/data/confidential') !== undefined;
    },
  },
  'writing.add-over-zero': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add fails where the member has a value, be it zero.',
    kind: 'value',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      const next = target.kind === 'member' && target.value === 0 ? { ...target, value: undefined } : target;
      return right(areas, run, next, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', pageCount: 0 });
      await edda.operate(made, 1, [{ op: 'add', path: '/pageCount', value: 5 }]);
      return at(await edda.read(made), '/data/pageCount') !== 0;
    },
  },
  'writing.version-one-passes-for-ten': {
    source: 'core: Errors 1',
    breaks: 'The version sent is compared as a number, to its last digit.',
    kind: 'value',
    variant: replaces(
      'versioning',
      'sameVersion',
      (_right, _areas, sent, current) => sent > 0 && String(current).startsWith(String(sent)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (let version = 1; version < 10; version += 1) await edda.merge(made, version, { note: `${version}` });
      return (await edda.merge(made, 1, { note: 'stale' })).status !== 409;
    },
  },
  'writing.stale-merge-passes-where-it-changes-nothing': {
    source: 'core: Errors 1',
    breaks: 'An edit for another version is refused, also where the object already is as it asks.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      try {
        return right(areas, call, object);
      } catch (error) {
        const isStale = error instanceof Refusal && error.status === 409 && call.method === 'PATCH';
        if (!isStale || !saysWhatIs(object.content, call.body?.toString() ?? '')) throw error;
        return object.version;
      }
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'n' });
      return (await edda.merge(made, 1, { note: 'n' })).status !== 409;
    },
  },
  'writing.merge-forgets-what-its-schema-leaves-out': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge leaves other fields as they are, also those that the input schema of its path does not have.',
    kind: 'place',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const names = new Set(call.place.view.names.values());
      const kept = Object.entries(call.object.content).filter(([name]) => name.startsWith('$') || names.has(name));
      return right(areas, { ...call, object: { ...call.object, content: Object.fromEntries(kept) } }, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', pageCount: 3 });
      const headers = { [headerNames.version]: '1' };
      const path = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', path, { headers, body: { note: 'n' } });
      return at(await edda.read(made), '/data/pageCount') !== 3;
    },
  },
  'writing.add-behind-a-full-page-comes-before-its-last': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An added entry is the last one, also where it begins a page.',
    kind: 'value',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      const port = nameOf(target);
      const { oid } = run.object;
      const count = await run.writing.countEntries(oid, port);
      await right(areas, run, target, contents);
      if (count === 0 || count % 10 !== 0) return;
      const entries = await run.writing.entries(oid, port, all);
      const order = [...entries.slice(0, count - 1), ...entries.slice(count), ...entries.slice(count - 1, count)];
      await run.writing.replaceEntries(oid, port, order);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(10, (n) => ({ name: `f${n}` })) });
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'added' } }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'added';
    },
  },
  'writing.entry-ids-are-read-to-the-first-digit': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'The id of an entry is read to its last digit.',
    kind: 'value',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) =>
      right(areas, run, port, token.charAt(0)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(12, (n) => ({ name: `f${n}` })) });
      const id = at((await edda.page(made, 'files', 1)).json, '/data/1/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(id)}/` }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/0/name') !== 'f11';
    },
  },
  'writing.cascade-takes-its-equals': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that loses a mandatory member goes, and an entry that was equal to it stays.',
    kind: 'value',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const { port, entryId } = entry;
      const { oid } = run.object;
      const text = JSON.stringify((await run.writing.entry(oid, port, entryId))?.content);
      const equals = (await run.writing.entries(oid, port, all)).filter(
        ({ content }) => JSON.stringify(content) === text,
      );
      await right(areas, run, entry);
      for (const other of equals)
        if (other.entryId !== entryId) await run.writing.removeEntry(oid, port, other.entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'same' }, { name: 'same' }] });
      await edda.operate(made, 1, [{ op: 'remove', path: `${await entryPath(edda, made, 'files', 0)}/name` }]);
      return listAt(await edda.read(made), '/data/files').length !== 1;
    },
  },
  'writing.cascade-spares-references': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'Removing the value of a reference removes the reference that owns it.',
    kind: 'place',
    variant: replaces(
      'operations',
      'complies',
      (right, areas, members, content) => members.has('value') || right(areas, members, content),
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid: oid } }] });
      await edda.operate(made, 1, [{ op: 'remove', path: `${await entryPath(edda, made, 'describes', 0)}/value` }]);
      return listAt(await edda.read(made), '/data/describes').length !== 0;
    },
  },
  'writing.remove-with-null': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A remove that has a value is refused, also where the value is null.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      if (at(item, '/op') !== 'remove' || at(item, '/value') !== null) return right(areas, item, pointer);
      return right(areas, { op: 'remove', path: at(item, '/path') }, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      await edda.operate(made, 1, [{ op: 'remove', path: '/note', value: null }]);
      return at(await edda.read(made), '/data/note') !== 'n';
    },
  },
  'writing.equal-value-keeps-the-old-date': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replaced dated element has the date of the filter, also where its value is what it was.',
    kind: 'combination',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, pointer) => {
      const isDated = target.kind === 'member' && target.member.kind === 'dated';
      if (isDated && at(target.value, '/value') === value) return;
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '5' });
      const time = '2031-02-03T04:05:06Z';
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '5' }], { time });
      return at(await edda.read(made), '/data/price/effectivity') !== time;
    },
  },
  'writing.batch-stamps-the-time-of-day': {
    source: 'core: Batch operation, headers',
    breaks: 'A dated element that a batch replaces has the date of the filter of the batch.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'runOperation', (right, areas, ...args) => inBatch.run(() => right(areas, ...args))),
      replaces('contents', 'effectivityOf', (right, areas, call) =>
        inBatch.isOn() ? new Date(areas.clock.now()).toISOString() : right(areas, call),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '5' });
      const time = '2031-02-03T04:05:06Z';
      const operation = {
        method: 'PATCH',
        href: operationsPath(made),
        headers: { 'Content-Type': mediaTypes.operations, [headerNames.version]: '1' },
        body: [{ op: 'replace', path: '/price', value: '6' }],
      };
      await edda.post('/api/space/main/batch', [operation], { [headerNames.informationFilter]: encoded({ time }) });
      return at(await edda.read(made), '/data/price/effectivity') !== time;
    },
  },
};
