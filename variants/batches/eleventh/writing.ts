import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt } from '../service.ts';
import { append, filesOf, membersAt } from './proofs.ts';

export const writing: Batch = {
  'merge.brings-back-what-a-put-removed': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What a PUT removed stays removed when a merge comes behind it.',
    kind: 'copy',
    variant: breaks('editing', 'mergeObject', (right) => {
      const kept = new Map<string, object>();
      return async (areas, call, writing) => {
        const { object } = call;
        const content = { ...kept.get(object.oid), ...object.content };
        const answer = await right(areas, { ...call, object: { ...object, content } }, writing);
        const stored = await writing.object(object.spaceId, object.oid);
        kept.set(object.oid, stored?.content ?? {});
        return answer;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      await edda.merge(made, 1, { remark: 'r' });
      await edda.replace(made, 2, { title: 'u' });
      await edda.merge(made, 3, { remark: 's' });
      return at(await edda.read(made), '/data/note') === 'n';
    },
  },
  'put.empties-the-first-page-only': {
    source: 'core: Endpoint table, PUT',
    breaks: 'An array that a PUT leaves out is removed with all its entries, those of later pages too.',
    kind: 'place',
    variant: replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
      if (items.length > 0) return right(areas, writing, oid, port, items);
      for (const { entryId } of await writing.entries(oid, port, { from: 0, to: 10 }))
        await writing.removeEntry(oid, port, entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(12) });
      await edda.replace(made, 1, { title: 'u' });
      return listAt(await edda.read(made), '/data/files').length === 2;
    },
  },
  'states.second-promote-drops-the-definition': {
    source: 'core: States and transitions',
    breaks: 'A current state has all its members in the last state as well.',
    kind: 'moment',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const next = right(areas, content, level, state);
      const states: unknown = next['$states'];
      if (at(content, `/$states/${level}/state`) === 'draft' || level !== 'engineering' || !isRecord(states))
        return next;
      const { $softType: _definition, ...rest } = Object(states[level]);
      return { ...next, $states: { ...states, [level]: rest } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      const state = at(await edda.read(made), '/data/engineering');
      return at(state, '/state') === 'released' && at(state, '/$softType') === undefined;
    },
  },
  'operations.add-fills-the-gap': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'What is added to an array is its last entry, also after another entry was removed.',
    kind: 'moment',
    variant: (() => {
      const gaps = new Map<string, number>();
      return together(
        replaces('operations', 'removeTarget', async (right, areas, run, target) => {
          const { entry } = target.row;
          if (target.kind === 'entry' && entry !== undefined) {
            const entries = await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 1000 });
            gaps.set(
              `${run.object.oid} ${entry.port}`,
              entries.findIndex(({ entryId }) => entryId === entry.entryId),
            );
          }
          return right(areas, run, target);
        }),
        replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
          await right(areas, run, target, contents);
          const port = target.steps.at(-1)?.name ?? '';
          const gap = gaps.get(`${run.object.oid} ${port}`);
          gaps.delete(`${run.object.oid} ${port}`);
          const entries = await run.writing.entries(run.object.oid, port, { from: 0, to: 1000 });
          const last = entries.at(-1);
          if (gap === undefined || last === undefined) return;
          await run.writing.replaceEntries(run.object.oid, port, entries.slice(0, -1).toSpliced(gap, 0, last));
        }),
      );
    })(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(3) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/2/' }]);
      await append(edda, made, 2, [{ name: 'new' }]);
      return membersAt(await edda.read(made), '/data/files', 'name')[2] !== 'new';
    },
  },
  'operations.cascade-takes-the-entry-at-that-place': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'The entry that does not comply any more is removed, whatever was removed before it.',
    kind: 'combination',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const range = { from: entry.entryId - 1, to: entry.entryId };
      const [found] = await run.writing.entries(run.object.oid, entry.port, range);
      return right(areas, run, { ...entry, entryId: found?.entryId ?? entry.entryId });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(3) });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/' }]);
      await edda.operate(made, 2, [{ op: 'remove', path: '/files/2/name' }]);
      return membersAt(await edda.read(made), '/data/files', 'name').includes('f2');
    },
  },
  'operations.effectivity-never-goes-back': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The effectivity date is that of the filter, also where the one before it was later.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, pointer) => {
      const former = at(target.value, '/effectivity') ?? at(target.row.content, '/price/effectivity');
      const effectivity = () => {
        const next = run.rules.effectivity();
        return typeof former === 'string' && former > next ? former : next;
      };
      const own = { ...run, rules: { ...run.rules, effectivity } };
      await right(areas, own, target, value, pointer);
      run.root = own.root;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '1' });
      const replace = (version: number, time: string) =>
        edda.operate(made, version, [{ op: 'replace', path: '/price/value', value: `${version}` }], { time });
      await replace(1, '2031-01-01T00:00:00Z');
      await replace(2, '2021-01-01T00:00:00Z');
      const price = at(await edda.read(made), '/data/price');
      return at(price, '/value') === '2' && String(at(price, '/effectivity')).startsWith('2031');
    },
  },
  'operations.entry-is-known-as-it-was-first': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member of an entry that was removed is not there any more, so that it can be added.',
    kind: 'copy',
    variant: breaks('operations', 'addValue', (right) => {
      const added = new Set<string>();
      return async (areas, run, target, value, pointer) => {
        const { entry } = target.row;
        if (target.kind !== 'member' || entry === undefined) return right(areas, run, target, value, pointer);
        const key = JSON.stringify([run.object.oid, entry.port, entry.entryId, target.steps]);
        if (added.has(key)) throw new Refusal(422, 'The member has a value already.');
        await right(areas, run, target, value, pointer);
        added.add(key);
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: filesOf(1) });
      const add = { op: 'add', path: '/files/1/comment', value: 'c' };
      await edda.operate(made, 1, [add]);
      await edda.operate(made, 2, [{ op: 'remove', path: '/files/1/comment' }]);
      return (await edda.operate(made, 3, [add])).status >= 400;
    },
  },
};

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
