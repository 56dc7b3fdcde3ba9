import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';
import { changes } from '../variant-parts.ts';

function isNothing(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

export const scratchOperations: Mistakes = {
  'operation.replace-by-nothing-refused': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'Zero, false and a text without characters are values to replace by.',
    variant: changes('operations', 'operationOf', (operation) => {
      if (operation.op !== 'replace' || !isNothing(operation.value)) return operation;
      throw new Refusal(400, "'value' has to be present for 'replace'.");
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { pageCount: 3 });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/pageCount', value: 0 }])).status === 400;
    },
  },
  'operation.add-over-nothing': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that holds zero, false or an empty text exists: an add of it fails.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) =>
      right(areas, run, isNothing(target.value) ? { ...target, value: undefined } : target, value, place),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { note: '' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/note', value: 'x' }])).status === 204;
    },
  },
  'operation.add-twice-in-one': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that an earlier operation of the request added exists.',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      const name = target.steps[0]?.name ?? '';
      const isFresh = target.row.entry === undefined && target.steps.length === 1 && !(name in run.object.content);
      const seen = target.kind === 'member' && isFresh ? { ...target, value: undefined } : target;
      return right(areas, run, seen, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const add = { op: 'add', path: '/note', value: 'x' };
      return (await edda.operate(made, 1, [add, add])).status === 204;
    },
  },
  'operation.stamp-without-offset': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The stamp is the moment that the filter names, whatever its offset.',
    variant: changes('contents', 'effectivityOf', (time) => time.replace(/[+-]\d\d:\d\d$/, 'Z')),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '10' });
      const filter = { time: '2024-01-01T00:30:00+02:00' };
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '11' }], filter);
      const stamp = String(at(await edda.read(made), '/data/price/effectivity'));
      return Date.parse(stamp) !== Date.parse(filter.time);
    },
  },
  'operation.same-value-not-stamped': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replace sets the date, by an equal value too.',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      const isDated = target.kind === 'member' && target.member.kind === 'dated';
      if (isDated && at(target.value, '/value') === value) return;
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { price: '10' });
      const filter = { time: '2024-01-01T00:30:00Z' };
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '10' }], filter);
      return at(await edda.read(made), '/data/price/effectivity') !== filter.time;
    },
  },
  'operation.cascade-on-first-page': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that lost a mandatory member goes, one of a later page too.',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      const { entry } = target.row;
      const first = entry && (await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 10 }));
      const isLater = first !== undefined && !first.some(({ entryId }) => entryId === entry?.entryId);
      return right(isLater ? within(areas, { operations: { complies: () => true } }) : areas, run, target);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(12) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/11/name' }]);
      const page = await edda.page(made, 'files', 1);
      return listAt(page.json, '/data').length === 2;
    },
  },
  'operation.remove-by-prefix': {
    source: 'core: Operations-based PATCH rules 9',
    breaks: 'One entry is removed, and not those whose ids begin as its id does.',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      const { entry } = target.row;
      await right(areas, run, target);
      if (target.kind !== 'entry' || entry === undefined || target.steps.length > 0) return;
      for (const { entryId } of await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 1000 }))
        if (String(entryId).startsWith(String(entry.entryId)))
          await run.writing.removeEntry(run.object.oid, entry.port, entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { files: named(12) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/' }]);
      return listAt(await edda.read(made), '/data/files').length < 10;
    },
  },
  'batch.patch-type-with-charset': {
    source: 'core: Batch operation, headers',
    breaks: 'A media type with a parameter selects the operations-based PATCH in a batch too.',
    variant: changes('batch', 'operationHeaders', (headers) =>
      headers['content-type']?.includes(';') ? { ...headers, 'content-type': 'application/json' } : headers,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document');
      const headers = { 'Svc-UOIVersion': '1', 'Content-Type': 'application/json-patch+json; charset=utf-8' };
      const href = `/api/space/main/softtype/Document/${made.oid}`;
      const body = [{ op: 'add', path: '/note', value: 'x' }];
      return (await edda.batch([{ method: 'PATCH', href, headers, body }])).status === 500;
    },
  },
};
