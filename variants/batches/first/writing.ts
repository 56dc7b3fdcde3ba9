import { headerNames } from '../../../contract/names.ts';
import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, movePath } from '../service.ts';

export const editingMistakes: Batch = {
  'editing.merge-of-false': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A field in the body of a merge has afterwards the value that the body gives it, false as well.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const members = Object.entries(edits).map(([name, edit]) => [name, edit === false ? null : edit]);
      return right(areas, target, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'false', confidential: true });
      await edda.merge(made, 1, { confidential: false });
      return at(await edda.read(made), '/data/confidential') !== false;
    },
  },

  'editing.put-merges-objects': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body of a PUT leaves out is gone, also one inside an object that the body has.',
    kind: 'place',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const members = Object.entries(given).map(([name, value]) => {
        const former = old[name];
        return [name, isContent(value) && isContent(former) ? { ...former, ...value } : value];
      });
      return right(areas, old, Object.fromEntries(members));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', dimensions: { width: '1', height: '2' } });
      await edda.replace(made, 1, { title: 'put', dimensions: { width: '3' } });
      return at(await edda.read(made), '/data/dimensions/height') !== undefined;
    },
  },

  'editing.merge-cuts-long-arrays': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'What the body of a merge leaves out stays, all pages of a long array included.',
    kind: 'combination',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const { oid } = call.object;
      if ((await writing.countEntries(oid, 'files')) > 20)
        await writing.replaceEntries(oid, 'files', await writing.entries(oid, 'files', { from: 0, to: 20 }));
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'long', files: many(25, (n) => ({ name: `file ${n}` })) });
      await edda.merge(made, 1, { note: 'edited' });
      return listAt((await edda.page(made, 'files', 2)).json, '/data').length !== 5;
    },
  },
};

export const versioningMistakes: Batch = {
  'versioning.demote-without-version': {
    source: 'core: Errors 2',
    breaks: 'Without its version header a PUT is refused with 412, a demote like every other.',
    kind: 'place',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isBare = call.headers[headerNames.version.toLowerCase()] === undefined;
      return isBare && call.url.includes('/demote/') ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demote' });
      await edda.move(made, 1);
      return (await edda.put(movePath(made, 'demote'), undefined)).status !== 412;
    },
  },
};

export const operationsMistakes: Batch = {
  'operations.position-in-a-nested-array': {
    source: 'core: Operations-based PATCH rules 4',
    breaks: 'A position names no entry, also not in an array inside an entry.',
    kind: 'place',
    variant: replaces('operations', 'targetOf', async (right, areas, run, operation) => {
      try {
        return await right(areas, run, operation);
      } catch (error) {
        const [port = '', entryId = '', member = '', position = ''] = operation.tokens;
        const entry = /^\d+$/.test(position)
          ? await run.writing.entry(run.object.oid, port, Number(entryId))
          : undefined;
        const item = itemsOf(entry?.content ?? {}, member)[Number(position)];
        if (item === undefined) throw error;
        return right(areas, run, { ...operation, tokens: operation.tokens.with(3, String(item['$entryId'])) });
      }
    }),
    async shows({ edda }) {
      const files = [{ name: 'one', revisions: [{ text: 'first' }, { text: 'second' }] }];
      const made = await edda.make('Document', { title: 'position', files });
      const replaced = { op: 'replace', path: '/files/1/revisions/0/text', value: 'by position' };
      return (await edda.operate(made, 1, [replaced])).status < 400;
    },
  },

  'operations.last-entry-of-a-nested-array': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A parent entry goes when it no longer complies, and not because an array in it that may be empty is.',
    kind: 'place',
    variant: replaces('operations', 'complies', (right, areas, members, content) => {
      const emptied = Object.entries(content).some(
        ([name, value]) => Array.isArray(value) && value.length === 0 && members.get(name)?.kind === 'entries',
      );
      return !emptied && right(areas, members, content);
    }),
    async shows({ edda }) {
      const files = [{ name: 'one', revisions: [{ text: 'only' }] }];
      const made = await edda.make('Document', { title: 'nested', files });
      await edda.operate(made, 1, [{ op: 'remove', path: '/files/1/revisions/1/' }]);
      return listAt(await edda.read(made), '/data/files').length !== 1;
    },
  },
};
