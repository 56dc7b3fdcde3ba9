import { headerNames } from '../../../contract/names.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt } from '../service.ts';

export const writingMistakes: Batch = {
  'create.quoted-version': {
    source: 'core: Errors',
    breaks: 'The version header of a 201 holds the version, which is an integer.',
    kind: 'value',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: '"1"' } };
    }),
    async shows({ edda }) {
      const answer = await edda.post('/api/space/main/softtype/Part/partInput', { name: 'part' });
      return answer.headers.get(headerNames.version) !== '1';
    },
  },

  'versioning.edit-of-an-entry': {
    source: 'core: Endpoint table',
    breaks: 'An operations PATCH makes a new version, also when it touches nothing but what is inside an entry.',
    kind: 'place',
    variant: replaces('versioning', 'versionAfterOperations', (right, areas, object, operations) => {
      const isDeep = operations.every((operation) => listAt(operation, '/tokens').length > 2);
      return isDeep ? object.version : right(areas, object, operations);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'entry', files: [{ name: 'one' }] });
      await edda.operate(made, 1, [{ op: 'replace', path: '/files/1/name', value: 'two' }]);
      return at(await edda.read(made), '/version') !== 2;
    },
  },

  'operations.entries-of-the-first-page': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry is addressed by its id, on whichever page it is.',
    kind: 'place',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      const shown = await run.writing.entries(run.object.oid, port, { from: 0, to: 10 });
      return shown.some(({ entryId }) => entryId === entry?.entryId) ? entry : undefined;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'second page', files: named(11) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/11/name', value: 'x' }])).status >= 400;
    },
  },
};
