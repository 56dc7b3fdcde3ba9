import { Refusal } from '../../../reference-server/http/refusal.ts';
import { headerNames } from '../../../contract/names.ts';
import { Step, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt } from '../service.ts';

const put = new Step();
const versionHeader = headerNames.version.toLowerCase();

/** Objects of runs that lost an entry by way of a member of it. */
const cascaded = new WeakSet<object>();

/** Creates, edits and their versions. */
export const writingMistakes: Batch = {
  'version.cascade-counts-twice': {
    source: 'core: Common request headers, text below',
    breaks: 'An edit leads to the next version, one that removes a parent along with its member too.',
    kind: 'combination',
    variant: together(
      replaces('operations', 'cascadeTo', (right, areas, run, entry) => {
        cascaded.add(run.object);
        return right(areas, run, entry);
      }),
      replaces(
        'versioning',
        'versionAfterOperations',
        (right, areas, object, operations) => right(areas, object, operations) + (cascaded.has(object) ? 1 : 0),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a' }] });
      const edit = await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/name' }]);
      return edit.headers.get(headerNames.version) === '3';
    },
  },

  'put.arrays-inside-of-kept-entries': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What the body leaves out is removed, the array inside an entry that it keeps too.',
    kind: 'combination',
    variant: together(
      replaces('editing', 'putObject', (right, ...args) => put.run(() => right(...args))),
      replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
        if (!put.isOn()) return right(areas, writing, oid, port, items);
        const kept = items.map(async ({ entryId, content }) => {
          const old = entryId === undefined ? undefined : await writing.entry(oid, port, entryId);
          if (entryId === undefined || old === undefined) return { content };
          const arrays = Object.entries(old.content).filter(([, value]) => Array.isArray(value));
          return { entryId, content: { ...Object.fromEntries(arrays), ...content } };
        });
        return right(areas, writing, oid, port, await Promise.all(kept));
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'a', revisions: [{ text: 'r' }] }] });
      await edda.replace(made, 1, { title: 't', files: [{ $entryId: 1, name: 'a' }] });
      return listAt(await edda.read(made), '/data/files/0/revisions').length > 0;
    },
  },

  'operations.member-that-was-there-before': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A member that an operation before has removed does not exist any more, so that it is added.',
    kind: 'moment',
    survives: 'Whether later operations of a list see what earlier ones did is not said: recorded.',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, value, pointer) => {
      const path = target.steps.map(({ name }) => `/${name}`).join('');
      if (target.kind === 'member' && target.row.entry === undefined && target.steps.length > 1)
        if (at(run.object.content, path) !== undefined) throw new Refusal(422, 'The member has a value already.');
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1', height: '2' } });
      const edit = await edda.operate(made, 1, [
        { op: 'remove', path: '/dimensions/width' },
        { op: 'add', path: '/dimensions/width', value: '3' },
      ]);
      return edit.status >= 400;
    },
  },

  'version.header-of-the-batch': {
    source: 'core: Errors 2',
    breaks: 'An operation without the version header is refused by 412, whatever header the batch has itself.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, call, operation) => ({
      ...(call.headers[versionHeader] !== undefined && { [versionHeader]: call.headers[versionHeader] }),
      ...right(areas, call, operation),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const operation = { method: 'PATCH', href: editPath(made), body: { title: 'u' } };
      const answer = await edda.post('/api/space/main/batch', [operation], { [headerNames.version]: '1' });
      return at(answer.json, '/0/statusCode') !== 412;
    },
  },
};
