import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at } from '../service.ts';

/** Edits of single objects. */
export const writingMistakes: Batch = {
  'operations.arrays-of-references-refused': {
    source: 'core: Operations-based PATCH rules 6, first part',
    breaks: 'An array is a value that add takes, also one of references.',
    kind: 'place',
    survives: 'What an array does that is added to an array is not said, a refusal included (add-array-onto-array).',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      if (target.kind === 'array' && target.member.kind === 'references' && Array.isArray(value))
        throw new Refusal(422, 'Expected one reference, found an array.');
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', { title: 't' });
      const value = [{ value: { $oid: part.oid } }];
      return (await edda.operate(made, 1, [{ op: 'add', path: '/describes', value }])).status >= 400;
    },
  },

  'operations.shell-of-a-dated-value': {
    source: 'core: Operations-based PATCH rules 8, example',
    breaks: 'With the value goes the assignment that owns it, also behind another operation of the list.',
    kind: 'place',
    variant: replaces('operations', 'applyOperation', async (right, areas, run, operation, place) => {
      const [name = '', below] = operation.tokens;
      const held = run.root[name];
      await right(areas, run, operation, place);
      if (operation.op !== 'remove' || below !== 'value' || place === '/0' || !isContent(held)) return;
      run.root = { ...run.root, [name]: { effectivity: held['effectivity'] } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      await edda.operate(made, 1, [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'remove', path: '/price/value' },
      ]);
      return at(await edda.read(made), '/data/price') !== undefined;
    },
  },

  'versioning.the-lock-is-enough': {
    source: 'core: Errors, row 409',
    breaks: 'A stale version is a conflict, also for the user who holds the lock.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const sent = areas.versioning.versionHeaderOf(call);
      const isHolders = 'user' in call && isContent(call.user) && object.content['$lockedBy'] === call.user['name'];
      return isHolders && sent > 0 && sent < object.version ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.merge(made, 1, { note: 'a' });
      await edda.post(`/api/space/main/lock/${made.oid}`);
      return (await edda.merge(made, 1, { note: 'b' })).status < 300;
    },
  },

  'versioning.none-asked-for-behind-a-write': {
    source: 'core: Errors, rule 2',
    breaks: 'The version is needed on PUT and PATCH, also where the batch itself has just changed the object.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isKnown = 'isChangedHere' in call && (call.isChangedHere as (oid: string) => boolean)(object.oid);
      return isKnown && call.headers['svc-uoiversion'] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const { oid } = await edda.make('Document', { title: 't' });
      const href = `/api/space/main/softtype/Document/documentInput/${oid}`;
      const edit = { method: 'PATCH', href, body: { note: 'n' } };
      return (await edda.batch([{ ...edit, headers: { 'Svc-UOIVersion': '1' } }, edit])).status === 200;
    },
  },
};
