import { setTimeout } from 'node:timers/promises';
import { isContent } from '../../../reference-server/areas/content.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, movePath } from '../service.ts';
import { namesOn, withContacts } from './proofs.ts';

const versionHeader = 'svc-uoiversion';

/** Version of the object when the request came, where the wrong server has noted it. */
const seenHeader = 'x-version-at-arrival';

export const writing: Batch = {
  'writing.put-keeps-inner-members': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT removes what is absent from an object inside the body as well.',
    kind: 'place',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) =>
      Object.fromEntries(
        Object.entries(right(areas, old, given)).map(([name, value]) => {
          const former = old[name];
          const merges = !name.startsWith('$') && isContent(value) && isContent(former);
          return [name, merges ? { ...former, ...value } : value];
        }),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p', dimensions: { width: '1', height: '2' } });
      await edda.replace(made, 1, { name: 'p', dimensions: { width: '3' } });
      return at(await edda.read(made), '/data/dimensions/height') !== undefined;
    },
  },
  'writing.versions-are-compared-in-32-bits': {
    source: 'core: Errors 1',
    breaks: 'A version is another one however great the difference is.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => (sent | 0) === (current | 0)),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      return (await edda.merge(made, 2 ** 32 + 1, { note: 'n' })).status !== 409;
    },
  },
  'writing.edit-without-effect-needs-no-version': {
    source: 'core: Errors 1',
    breaks: 'A wrong version is a conflict also where the body says what is there already.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const body = call.method === 'PATCH' && call.body !== undefined ? JSON.parse(call.body.toString()) : undefined;
      const isHeld = isContent(body) && Object.entries(body).every(([name, value]) => object.content[name] === value);
      return isHeld && call.headers[versionHeader] !== undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p', note: 'n' });
      return (await edda.merge(made, 7, { note: 'n' })).status !== 409;
    },
  },
  'writing.demote-asks-for-no-version': {
    source: 'core: Errors 2',
    breaks: 'A demote without a version is refused as every PUT without one.',
    kind: 'place',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) =>
      call.url.includes('/maturityAction/demote/') && call.headers[versionHeader] === undefined
        ? object.version
        : right(areas, call, object),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await edda.put(movePath(made, 'demote'), undefined)).status !== 412;
    },
  },
  'writing.promotes-compare-before-their-turn': {
    source: 'core: Versioning 3',
    breaks: 'Of two promotes for one version that come at once, one is a conflict.',
    kind: 'moment',
    variant: together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        const { spaceId = '', objectId = '' } = call.params;
        if (!call.url.includes('/maturityAction/promote/')) return right(areas, route, call);
        const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
        await setTimeout(20);
        return right(areas, route, { ...call, headers: { ...call.headers, [seenHeader]: String(object?.version) } });
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) =>
        call.headers[seenHeader] !== undefined && call.headers[seenHeader] === call.headers[versionHeader]
          ? object.version
          : right(areas, call, object),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answers = await Promise.all([edda.move(made, 1), edda.move(made, 1)]);
      return answers.every(({ status }) => status === 204);
    },
  },
  'writing.add-overwrites-inside-entries': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member that has a value fails in an entry as it does at the root.',
    kind: 'place',
    variant: replaces('operations', 'addValue', (right, areas, run, target, ...args) =>
      right(
        areas,
        run,
        target.kind === 'member' && target.row.entry !== undefined ? { ...target, value: undefined } : target,
        ...args,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', comment: 'old' }] });
      const id = at(await edda.read(made), '/data/files/0/$entryId');
      const answer = await edda.operate(made, 1, [{ op: 'add', path: `/files/${String(id)}/comment`, value: 'new' }]);
      return answer.status < 400;
    },
  },
  'writing.cascade-stops-at-the-first-page': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry beyond the first ten is removed as well when it loses a mandatory member.',
    kind: 'place',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      const first = await run.writing.entries(run.object.oid, entry.port, { from: 0, to: 10 });
      if (first.some(({ entryId }) => entryId === entry.entryId)) return right(areas, run, entry);
      await run.writing.updateEntry(run.object.oid, entry.port, entry.entryId, {});
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: many(12, (number) => ({ name: `f${number}` })) });
      const last = at((await edda.page(made, 'files', 1)).json, '/data/1/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/files/${String(last)}/name` }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data').length !== 1;
    },
  },
  'writing.replace-makes-members-of-objects': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The target of a replace has to be there, also where it is a member of an object.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, ...args) =>
      right(
        areas,
        run,
        target.kind === 'member' && target.steps.length > 1 && target.value === undefined
          ? { ...target, value: '' }
          : target,
        ...args,
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p', dimensions: { width: '1' } });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/dimensions/height', value: '2' }])).status < 400;
    },
  },
  'writing.replace-empties-arrays': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'A replace takes no array, an empty one neither.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', (right, areas, run, target, value, at) =>
      Array.isArray(value) && value.length === 0 && (target.kind === 'list' || target.kind === 'array')
        ? areas.operations.removeTarget(run, { ...target, marker: false })
        : right(areas, run, target, value, at),
    ),
    async shows({ edda }) {
      const made = await withContacts(edda, 2);
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/contacts', value: [] }])).status < 400;
    },
  },
  'writing.id-of-a-gone-entry-is-a-position': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A number in a path is the id of an entry or of none, also where an entry once had it.',
    kind: 'combination',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      if (entry !== undefined || !/^[1-9]\d*$/.test(token)) return entry;
      const from = Number(token) - 1;
      const [found] = await run.writing.entries(run.object.oid, port, { from, to: from + 1 });
      return found;
    }),
    async shows({ edda }) {
      const made = await withContacts(edda, 3);
      const path = `/contacts/${String(at(await edda.read(made), '/data/contacts/0/$entryId'))}/`;
      await edda.operate(made, 1, [{ op: 'remove', path }]);
      await edda.operate(made, 2, [{ op: 'remove', path }]);
      return namesOn((await edda.page(made, 'contacts', 0)).json) !== 'c2,c3';
    },
  },
};
