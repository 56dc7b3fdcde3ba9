import type { Areas } from '../../../reference-server/areas.ts';
import type { Space, User } from '../../../reference-server/configuration.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at } from '../service.ts';

/** Edits. */
export const editingMistakes: Batch = {
  'versioning.administrators-need-no-version': {
    source: 'core: Errors 1',
    breaks: 'A version that is not that of the server gives 409, whatever role sends it.',
    kind: 'role',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      if (call.headers['svc-uoiversion'] === undefined || !isAdministrator(areas, call))
        return right(areas, call, object);
      return object.version;
    }),
    async shows({ alma, edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await alma.merge(made, 7, { note: 'n' })).status !== 409;
    },
  },

  'maturity.last-step-has-content': {
    source: 'core: Endpoint table, PUT promote',
    breaks: 'A promote answers 204, also the one into the last state.',
    kind: 'value',
    variant: replaces('maturity', 'promoteObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { states, current } = call.place;
      return current === states.at(-2) ? { ...answer, status: 200, body: { state: states.at(-1) } } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await edda.move(made, 2)).status !== 204;
    },
  },
};

/** Lists of operations. */
export const operationsMistakes: Batch = {
  'operations.id-that-begins-alike': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses the entry with that id, not one whose id the given one begins with.',
    kind: 'value',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      for (let length = 1; length < token.length; length += 1) {
        const entry = await right(areas, run, port, token.slice(0, length));
        if (entry !== undefined) return entry;
      }
      return right(areas, run, port, token);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      const page = await edda.page(made, 'files', 1);
      const id = String(at(page.json, '/data/1/$entryId'));
      await edda.operate(made, 1, [{ op: 'replace', path: `/files/${id}/name`, value: 'new' }]);
      return at((await edda.page(made, 'files', 1)).json, '/data/1/name') !== 'new';
    },
  },
};

function isAdministrator({ auth }: Areas, call: Call & { readonly user?: unknown; readonly space?: unknown }): boolean {
  return auth.rolesOf(call.user as User, call.space as Space).includes('administrator');
}
