import { mediaTypes } from '../../../contract/names.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { breaks, replaces, Step, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, operationsPath, versionHeader } from '../service.ts';

const batch = new Step();

/** Tells what is done for a batch. */
const inBatch = replaces('batch', 'runBatch', (right, areas, ...args) => batch.run(() => right(areas, ...args)));

export const batchMistakes: Batch = {
  'batch.reads-without-a-limit': {
    source: 'core: Server side paging 1',
    breaks: 'An array of a read holds at most 10 entries, a read in a batch as well.',
    kind: 'combination',
    variant: together(
      inBatch,
      replaces('entries', 'firstReadRange', (right, areas) => (batch.isOn() ? { from: 0, to: 1000 } : right(areas))),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'read', files: named(11) });
      return listAt((await edda.batch([{ method: 'GET', href: made.path }])).json, '/0/body/data/files').length > 10;
    },
  },

  'batch.letters-of-a-header': {
    source: 'core: Operations-based PATCH rules 1',
    breaks: 'The content type makes a PATCH one of operations, however the name of its header is written in a batch.',
    kind: 'value',
    survives: 'The headers of an operation are members of a JSON object; that their letters do not count is not said.',
    variant: replaces('batch', 'operationHeaders', (right, areas, call, operation) => {
      const known = ([name]: readonly [string, string]): boolean =>
        name === 'Content-Type' || name.toLowerCase() !== 'content-type';
      const headers = Object.fromEntries(Object.entries(operation.headers).filter(known));
      return right(areas, call, { ...operation, headers });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'letters' });
      const headers = { ...versionHeader(1), 'content-type': mediaTypes.operations };
      const body = [{ op: 'add', path: '/note', value: 'note' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status !== 200;
    },
  },
};

const part = { $id: 'part', $softType: 'Part', data: { name: 'referred to' } };

export const multiCreateMistakes: Batch = {
  'multi-create.known-from-before': {
    source: 'core: Multi-create item',
    breaks: 'The $id of an item means nothing beyond its request: the same list sent twice makes instances twice.',
    kind: 'copy',
    variant: breaks('multiCreate', 'multiCreate', (right) => {
      const answers = new Map<string, Answer>();
      return async (areas, call, writing) => {
        const key = [call.user.name, call.url, call.body?.toString()].join(' ');
        const answer = answers.get(key) ?? (await right(areas, call, writing));
        answers.set(key, answer);
        return answer;
      };
    }),
    async shows({ edda }) {
      const [one, other] = [await edda.multiCreate([part]), await edda.multiCreate([part])];
      return at(one.json, '/0/href') === at(other.json, '/0/href');
    },
  },
};
