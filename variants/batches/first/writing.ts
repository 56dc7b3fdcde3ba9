import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { isContent, itemsOf } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, encoded, listAt, many, movePath, operationsPath } from '../service.ts';

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

/** Objects that were created since the server last started, by what is made anew with it. */
const bornHere = new WeakMap<object, Set<string>>();

export const versioningMistakes: Batch = {
  'versioning.prefix-of-the-version': {
    source: 'core: Versioning 3',
    breaks: 'A version is compared as a whole: 1 is not 10.',
    kind: 'value',
    variant: replaces(
      'versioning',
      'sameVersion',
      (right, areas, sent, current) => right(areas, sent, current) || String(current).startsWith(String(sent)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ten' });
      for (let version = 1; version < 10; version += 1) await edda.merge(made, version, { note: `edit ${version}` });
      return (await edda.merge(made, 1, { note: 'stale' })).status !== 409;
    },
  },

  'versioning.stale-after-a-restart': {
    source: 'core: Errors 1',
    breaks: 'An edit for an older version is refused, also when the service has been started again since.',
    kind: 'moment',
    variant: together(
      replaces('editing', 'newOid', (right, areas) => {
        const oid = right(areas);
        bornHere.set(areas.outgoing, (bornHere.get(areas.outgoing) ?? new Set()).add(oid));
        return oid;
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) => {
        const isKnown = bornHere.get(areas.outgoing)?.has(object.oid) ?? false;
        const sent = areas.versioning.versionHeaderOf(call);
        return !isKnown && sent < object.version ? object.version : right(areas, call, object);
      }),
    ),
    async shows({ edda, restart }) {
      const made = await edda.make('Document', { title: 'restart' });
      await edda.merge(made, 1, { note: 'edited' });
      await restart();
      return (await edda.merge(made, 1, { note: 'stale' })).status !== 409;
    },
  },

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

const filterTime = '2026-03-29T00:30:00+02:00';

export const operationsMistakes: Batch = {
  'operations.replace-of-nothing-much': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A member that exists can be replaced, also when its value is zero, false or an empty text.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, pointer) => {
      if (target.kind === 'member' && !target.value) throw new Refusal(422, 'The member has no value to replace.');
      return right(areas, run, target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'replace', pageCount: 0 });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/pageCount', value: 5 }])).status >= 400;
    },
  },

  'operations.add-onto-nothing-much': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'To add a member that exists fails, also when its value is zero, false or an empty text.',
    kind: 'value',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, pointer) => {
      const isFree = target.kind === 'member' && !target.value;
      return right(areas, run, isFree ? { ...target, value: undefined } : target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'add', confidential: false });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/confidential', value: true }])).status < 400;
    },
  },

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

  'operations.date-with-an-offset': {
    source: 'core: Operations-based PATCH rules 7',
    breaks:
      'A dated element that is replaced gets the date of the information filter, whatever offset that is told in.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) => {
      const time = right(areas, call);
      return /[+-]\d\d:\d\d$/.test(time) ? `${time.slice(0, 19)}Z` : time;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '12' }], { time: filterTime });
      return !isTime(at(await edda.read(made), '/data/price/effectivity'));
    },
  },

  'operations.date-in-a-batch': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A dated element that is replaced gets the date of the information filter, which a batch has for all.',
    kind: 'combination',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) => {
      const inBatch = 'isSibling' in call && call.isSibling !== undefined;
      return inBatch ? isoTime(areas.clock.now()) : right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      const operation = {
        method: 'PATCH',
        href: operationsPath(made),
        headers: { [headerNames.version]: '1', 'Content-Type': mediaTypes.operations },
        body: [{ op: 'replace', path: '/price', value: '12' }],
      };
      const headers = { [headerNames.informationFilter]: encoded({ time: filterTime }) };
      await edda.post('/api/space/main/batch', [operation], headers);
      return !isTime(at(await edda.read(made), '/data/price/effectivity'));
    },
  },
};

function isTime(effectivity: unknown): boolean {
  return Date.parse(String(effectivity)) === Date.parse(filterTime);
}
