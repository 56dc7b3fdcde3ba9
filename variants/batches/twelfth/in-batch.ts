import { headerNames } from '../../../contract/names.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt } from '../service.ts';
import { refersTo } from './proofs.ts';

export const inBatch: Batch = {
  'batch.version-header-in-lower-case-is-not-seen': {
    source: 'core: Batch operation',
    breaks: 'The headers of an operation are headers, whose names have no letter case.',
    kind: 'value',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const headers = Object.entries(operation.headers).filter(([name]) => name !== headerNames.version.toLowerCase());
      return right(areas, batch, { ...operation, headers: Object.fromEntries(headers) });
    }),
    survives: 'That names in the JSON of an operation are read without letter case is not said.',
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const headers = { [headerNames.version.toLowerCase()]: '1' };
      const operation = { method: 'PATCH', href: editPath(made), headers, body: { note: 'n' } };
      return (await edda.batch([operation])).status !== 200;
    },
  },
  'multi-create.one-target-is-referred-to-once': {
    source: 'core: Multi-create rules 2',
    breaks: 'Any number of items may refer to one and the same item.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const taken = new Set<unknown>();
      const isFirst = (oid: unknown): boolean => oid === undefined || (!taken.has(oid) && taken.add(oid).size > 0);
      const thinned = inputs.map((input) => ({
        ...input,
        arrays: new Map(
          [...input.arrays].map(([port, entries]) => [
            port,
            entries.filter(({ content }) => isFirst(at(content, '/value/$oid'))),
          ]),
        ),
      }));
      return right(areas, call, writing, items, thinned);
    }),
    async shows({ edda }) {
      const data = { title: 't', describes: [refersTo('p', 'Part')] };
      const answer = await edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'p' } },
        { $id: 'd', $softType: 'Document', data },
        { $id: 'e', $softType: 'Document', data },
      ]);
      const second = await edda.get(String(at(answer.json, '/2/href')));
      return listAt(second.json, '/data/describes').length !== 1;
    },
  },
};
