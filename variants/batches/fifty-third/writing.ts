import { isContent } from '../../../reference-server/areas/content.ts';
import { isArrayMember } from '../../../reference-server/areas/soft-type.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many, movePath } from '../service.ts';

/** The version that an object had when a request for it came in, by the headers of that request. */
const versionsAtArrival = new WeakMap<object, number>();

/** Edits of single objects. */
export const writingMistakes: Batch = {
  'operations.false-is-no-value': {
    source: 'core: Patch operation, row value',
    breaks: 'Any value is one to add, also false and zero.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      if (isContent(item) && item['op'] !== 'remove' && !item['value'])
        throw new Refusal(400, 'Expected a value to add or to replace with, found none.', { pointer });
      return right(areas, item, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/confidential', value: false }])).status >= 400;
    },
  },

  'put.objects-inside-merged': {
    source: 'core: Endpoint table, PUT',
    breaks: 'Every field that the body leaves out is removed, also one inside an object that the body has.',
    kind: 'place',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const merged = Object.entries(given).map(([name, value]) => {
        const before = old[name];
        return [name, isContent(value) && isContent(before) ? { ...before, ...value } : value] as const;
      });
      return right(areas, old, Object.fromEntries(merged));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1', height: '2' } });
      await edda.replace(made, 1, { title: 't', dimensions: { width: '3' } });
      return at(await edda.read(made), '/data/dimensions/height') !== undefined;
    },
  },

  'put.references-outlive-it': {
    source: 'core: Endpoint table, PUT',
    breaks: 'Every field that the body leaves out is removed, also an array of references.',
    kind: 'place',
    variant: replaces('editing', 'arraysAfterPut', (right, areas, softType, given) => {
      const all = right(areas, softType, given);
      return new Map([...all].filter(([port]) => given.has(port) || softType.members.get(port)?.kind !== 'references'));
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid: part.oid } }] });
      await edda.replace(made, 1, { title: 't' });
      return listAt(await edda.read(made), '/data/describes').length > 0;
    },
  },

  'versioning.in-thirty-two-bits': {
    source: 'core: Errors, rule 1',
    breaks: 'A version that is not that of the server is a conflict, however large it is.',
    kind: 'value',
    variant: replaces(
      'versioning',
      'sameVersion',
      (_right, _areas, sent, current) => Math.trunc(sent) % 2 ** 32 === current,
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.merge(made, 2 ** 32 + 1, { note: 'n' })).status < 300;
    },
  },

  'versioning.compared-ahead-of-the-change': {
    source: 'core: Versioning 3',
    breaks: 'Of several edits that were made for one version one passes, also when they come at once.',
    kind: 'moment',
    variant: together(
      replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        const { spaceId = '', objectId = '' } = call.params;
        if (call.method === 'PATCH' && call.headers['authorization'] !== undefined) {
          const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
          if (object !== undefined) versionsAtArrival.set(call.headers, object.version);
          // what is to be done between the look and the change takes its time
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        return right(areas, route, call);
      }),
      replaces('versioning', 'assertVersion', (right, areas, call, object) =>
        areas.versioning.versionHeaderOf(call) === versionsAtArrival.get(call.headers)
          ? object.version
          : right(areas, call, object),
      ),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answers = await Promise.all(many(8, (number) => edda.merge(made, 1, { note: `n${number}` })));
      return answers.filter(({ status }) => status < 300).length > 1;
    },
  },

  'operations.entries-of-the-first-page': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'An entry is addressed by its id, also one that is on a later page.',
    kind: 'place',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) => {
      const entry = await right(areas, run, port, token);
      const loaded = await run.writing.entries(run.object.oid, port, { from: 0, to: 10 });
      return loaded.find(({ entryId }) => entryId === entry?.entryId);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(12) });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/files/12/name', value: 'm' }])).status >= 400;
    },
  },

  'operations.offset-of-the-date-dropped': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The effectivity date is that of the information filter, whatever the offset it is written with.',
    kind: 'value',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      right(areas, call).replace(/[+-]\d\d:\d\d$/, 'Z'),
    ),
    async shows({ edda }) {
      const time = '2026-03-01T00:30:00+02:00';
      const made = await edda.make('Document', { title: 't', price: '4' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '5' }], { time });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(time);
    },
  },

  'merge.one-array-empties-the-others': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'Fields that the body does not name stay, also arrays when it names another array.',
    kind: 'combination',
    variant: replaces('editing', 'replaceArrays', (right, areas, call, writing, object, softType, arrays) => {
      if (call.method !== 'PATCH' || arrays.size === 0) return right(areas, call, writing, object, softType, arrays);
      const ports = softType.members
        .entries()
        .filter(([, member]) => isArrayMember(member) && member.kind === 'entries');
      const emptied = new Map(ports.map(([port]) => [port, []] as const));
      return right(areas, call, writing, object, softType, new Map([...emptied, ...arrays]));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f' }], contacts: [{ name: 'c' }] });
      await edda.merge(made, 1, { contacts: [{ name: 'd' }] });
      return listAt(await edda.read(made), '/data/files').length === 0;
    },
  },

  'maturity.demoted-without-a-version': {
    source: 'core: Errors, rule 2',
    breaks: 'The version is needed on every PUT, on a demote as on a promote.',
    kind: 'place',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) =>
      call.headers['svc-uoiversion'] === undefined && call.url.includes('/maturityAction/demote/')
        ? object.version
        : right(areas, call, object),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await edda.send('PUT', movePath(made, 'demote'))).status < 300;
    },
  },
};
