import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at } from '../service.ts';
import { firstFile } from './reading.ts';

export const writingMistakes: Batch = {
  'maturity.header-of-a-demote': {
    source: 'core: Common request headers',
    breaks: 'A demote answers with the new version, as a promote does.',
    kind: 'place',
    variant: replaces('maturity', 'demoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await edda.move(made, 2, 'demote')).headers.get(headerNames.version) !== '3';
    },
  },

  'operations.path-before-op': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'The members of an operation may stand in any order.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (isContent(item) && Object.keys(item).at(-1) === 'op') throw new Refusal(400, 'An operation begins with op.');
      return right(areas, item, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      return (await edda.operate(made, 1, [{ path: '/note', op: 'remove' }])).status >= 400;
    },
  },

  'operations.later-entries-by-place': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path names an entry by its id, also one beyond the first ten, with one before it gone.',
    kind: 'combination',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const place = Number(token);
      if (!(place > 10)) return right(areas, run, port, token);
      const [entry] = await run.writing.entries(run.object.oid, port, { from: place - 1, to: place });
      return entry;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      await edda.operate(made, 1, [{ op: 'remove', path: `${await firstFile(edda, made)}/` }]);
      const last = String(at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId'));
      return (await edda.operate(made, 2, [{ op: 'replace', path: `/files/${last}/name`, value: 'x' }])).status >= 400;
    },
  },
};
