import { isContent } from '../../../reference-server/areas/content.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import type { Space, User } from '../../../reference-server/configuration.ts';
import type { Call } from '../../../reference-server/http/call.ts';
import { replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at } from '../service.ts';

/** Edits. */
export const editingMistakes: Batch = {
  'editing.version-of-a-long-create': {
    source: 'core: Errors, row 201',
    breaks: 'The version header of a create holds the version that the object has, however many entries came with it.',
    kind: 'value',
    variant: replaces('editing', 'createObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const isLong = isContent(call.json) && Object.values(call.json).some((value) => isLongArray(value));
      return isLong ? { ...answer, headers: { ...answer.headers, 'Svc-UOIVersion': '2' } } : answer;
    }),
    async shows({ edda }) {
      const body = { title: 't', files: named(11) };
      const { headers } = await edda.post('/api/space/main/softtype/Document/documentInput', body);
      return headers.get('svc-uoiversion') !== '1';
    },
  },

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

  'maturity.one-level-after-multi-create': {
    source: 'core: States and transitions',
    breaks: 'An instance carries a state for each maturity level, however it was created.',
    kind: 'place',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const startContent: typeof areas.editing.startContent = (softType) => {
        const content = areas.editing.startContent(softType);
        const states = content['$states'];
        if (!isContent(states)) return content;
        return { ...content, $states: Object.fromEntries(Object.entries(states).slice(0, 1)) };
      };
      return right(within(areas, { editing: { startContent } }), call, writing, items, inputs);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([{ $softType: 'Document', data: { title: 't' } }]);
      const read = await edda.get(String(at(made.json, '/0/href')));
      return at(read.json, '/data/approval/state') === undefined;
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

  'operations.names-of-the-last-schema': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'A path addresses a member of the input schema, also of another definition than the first.',
    kind: 'place',
    variant: replaces('operations', 'pathViewOf', (right, areas, softType) =>
      softType.id === 'Document'
        ? right(areas, softType)
        : ([...softType.inputs.values()].at(-1) ?? right(areas, softType)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/remark', value: 'r' }])).status >= 400;
    },
  },

  'operations.gone-entry-means-a-position': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A position is never used, also not where a number is the id of no entry any more.',
    kind: 'combination',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      if (entry !== undefined || !/^[1-9]\d*$/.test(token)) return entry;
      const position = Number(token);
      const [found] = await run.writing.entries(run.object.oid, port, { from: position, to: position + 1 });
      return found;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(3) });
      const id = String(at(await edda.read(made), '/data/files/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${id}/` }]);
      return (await edda.operate(made, 2, [{ op: 'remove', path: `/files/${id}/` }])).status < 300;
    },
  },

  'operations.replaced-by-an-empty-list': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An array replaces nothing, one without values neither.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      if (target.kind !== 'list' || target.marker || !Array.isArray(value) || value.length > 0)
        return right(areas, run, target, value, place);
      await areas.operations.setMember(run, target, []);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['k'] });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/keywords', value: [] }])).status < 300;
    },
  },
};

function isLongArray(value: unknown): boolean {
  return Array.isArray(value) && value.length > 10;
}

function isAdministrator({ auth }: Areas, call: Call & { readonly user?: unknown; readonly space?: unknown }): boolean {
  return auth.rolesOf(call.user as User, call.space as Space).includes('administrator');
}
