import { setTimeout } from 'node:timers/promises';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';
import { namesOn, withContacts } from './proofs.ts';

const versionHeader = 'svc-uoiversion';

/** Version of the object when the request came, where the wrong server has noted it. */
const seenHeader = 'x-version-at-arrival';

export const writing: Batch = {
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
