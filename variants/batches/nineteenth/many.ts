import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, Step, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { listAt, operationsPath, versionHeader } from '../service.ts';

/** The work of a batch. */
const inBatch = new Step();

export const batchMistakes: Batch = {
  'batch.no-limit': {
    source: 'core: Limits',
    breaks: 'An array in a read has ten entries at most, also when the read is an operation of a batch.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'runBatch', (right, areas, ...args) => inBatch.run(() => right(areas, ...args))),
      replaces('entries', 'firstReadRange', (right, areas) =>
        inBatch.isOn() ? { from: 0, to: 1_000_000 } : right(areas),
      ),
    ),
    async shows({ edda }) {
      const { path } = await edda.make('Document', { title: 'limit', files: named(12) });
      const read = await edda.batch([{ method: 'GET', href: path }]);
      return listAt(read.json, '/0/body/data/files').length !== 10;
    },
  },

  'batch.bodies-are-objects': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is the payload of its request, an array where the route takes one.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
      if (Array.isArray(operation.body)) throw new Refusal(400, 'A body has to be an object.');
      return operation;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'array' });
      const headers = { ...versionHeader(1), 'Content-Type': 'application/json-patch+json' };
      const body = [{ op: 'add', path: '/note', value: 'added' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status !== 200;
    },
  },
};
