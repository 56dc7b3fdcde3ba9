import { AsyncLocalStorage } from 'node:async_hooks';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { statesMember } from '../../../reference-server/areas/soft-type.ts';
import type { Areas } from '../../../reference-server/areas.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, together, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, encoded, listAt, movePath, operationsPath, versionHeader } from '../service.ts';

type Outcome = Awaited<ReturnType<Areas['batch']['runOperation']>>;

/** Current states of objects as a batch found them, by their ids. */
const statesBefore = new AsyncLocalStorage<Map<string, unknown>>();

/** Names of items that the multi-creates of a batch gave so far. */
const namesGiven = new AsyncLocalStorage<Set<string>>();

const filterName = headerNames.informationFilter.toLowerCase();

const versionName = headerNames.version.toLowerCase();

export const batchMistakes: Batch = {
  'batch.equal-creates': {
    source: 'core: Batch rules 5',
    breaks: 'Every POST of a batch creates an object, also when another one before it has the same body.',
    kind: 'copy',
    variant: breaks('batch', 'runOperation', (right) => {
      const outcomes = new WeakMap<object, Map<string, Outcome>>();
      return async (areas, batch, writing, table, operation, index) => {
        const known = outcomes.get(batch.body ?? batch) ?? new Map<string, Outcome>();
        outcomes.set(batch.body ?? batch, known);
        const text = JSON.stringify(operation);
        const outcome = known.get(text) ?? (await right(areas, batch, writing, table, operation, index));
        if (isContent(operation) && operation['method'] === 'POST') known.set(text, outcome);
        return outcome;
      };
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: '/api/space/main/softtype/Part/partInput', body: { name: 'twin' } };
      const { json } = await edda.batch([create, create]);
      return at(json, '/0/statusCode') === 201 && at(json, '/0/body/href') === at(json, '/1/body/href');
    },
  },

  'batch.filtered-read': {
    source: 'core: Batch operation (array item of the batch request)',
    breaks: 'The href of an operation is the whole URI of its request, the filter in its query included.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const prepared = right(areas, batch, table, value, index);
      if (prepared.call.method !== 'GET') return prepared;
      return { ...prepared, call: { ...prepared.call, query: new URLSearchParams() } };
    }),
    async shows({ edda }) {
      const files = ['drawing', 'letter'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'mixed', files });
      const { json } = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return listAt(json, '/0/body/data/files').length === 2;
    },
  },

  'batch.role-of-first-operation': {
    source: 'core: What the service does',
    breaks: 'The role decides which methods are available, in every operation of a batch.',
    kind: 'role',
    variant: replaces('batch', 'runOperation', (right, areas, batch, writing, table, operation, index) => {
      const trusting = within(areas, { auth: { authorize: () => undefined } });
      return right(index === 0 ? areas : trusting, batch, writing, table, operation, index);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Part', { name: 'seen' });
      const { json } = await rita.batch([
        { method: 'GET', href: made.path },
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'written' } },
      ]);
      return at(json, '/1/statusCode') === 204;
    },
  },

  'batch.kept-despite-failed-read': {
    source: 'core: Batch rules 1',
    breaks: 'Whichever operation of a batch fails, a read among them, the edits of all others are rolled back.',
    kind: 'moment',
    variant: replaces('batch', 'failsBatch', (right, areas, outcome) => {
      return right(areas, outcome) && outcome.call.method !== 'GET';
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'kept' });
      const { status } = await edda.batch([
        { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'should go' } },
        { method: 'GET', href: '/api/space/main/softtype/nothing' },
      ]);
      return status === 500 && at(await edda.read(made), '/data/note') === 'should go';
    },
  },

  'batch.date-of-filter': {
    source: 'core: Batch operation (array item of the batch request)',
    breaks:
      'Operations take the information filter from the batch request, so that a replaced dated element gets its date.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      return { ...right(areas, batch, operation), [filterName]: encoded({}) };
    }),
    async shows({ edda }) {
      const time = '2020-05-05T00:00:00Z';
      const made = await edda.make('Document', { title: 'offer', price: '10' });
      const headers = { ...versionHeader(1), 'Content-Type': mediaTypes.operations };
      const body = [{ op: 'replace', path: '/price', value: '12' }];
      await edda.post('/api/space/main/batch', [{ method: 'PATCH', href: operationsPath(made), headers, body }], {
        [headerNames.informationFilter]: encoded({ time }),
      });
      const { value, effectivity } = Object(at(await edda.read(made), '/data/price')) as Record<string, unknown>;
      return value === '12' && Date.parse(String(effectivity)) !== Date.parse(time);
    },
  },

  'batch.two-levels': {
    source: 'core: Batch rules 1',
    breaks: 'All updates of a batch that passed are committed, also two promotes of one object on its two levels.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'runBatch', (right, areas, ...args) => {
        return statesBefore.run(new Map(), () => right(areas, ...args));
      }),
      replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
        const before = statesBefore.getStore();
        const id = JSON.stringify(idsOf(content));
        if (before === undefined) return right(areas, content, level, state);
        if (!before.has(id)) before.set(id, content[statesMember]);
        return right(areas, { ...content, [statesMember]: before.get(id) }, level, state);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'twofold' });
      const { status } = await edda.batch([
        { method: 'PUT', href: movePath(made, 'promote', 'engineering'), headers: versionHeader(1) },
        { method: 'PUT', href: movePath(made, 'promote', 'approval'), headers: versionHeader(2) },
      ]);
      return status === 200 && at(await edda.read(made), '/data/engineering/state') === 'draft';
    },
  },

  'batch.promote-without-version': {
    source: 'core: Errors 2',
    breaks: 'A PUT without the version header is answered with 412, a promote in a batch included.',
    kind: 'combination',
    variant: replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      const { call, route } = prepared;
      const isCareless = route.path.includes('/maturityAction/') && call.headers[versionName] === undefined;
      const careless = within(areas, { versioning: { assertVersion: (_call, object) => object.version } });
      return right(isCareless ? careless : areas, prepared, writing);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'hasty' });
      return (await edda.batch([{ method: 'PUT', href: movePath(made) }])).status === 200;
    },
  },

  'batch.second-multi-create': {
    source: 'core: Multi-create item (array item of the multi-create request)',
    breaks: 'An $id counts inside its own multi-create only, so that two of them in one batch may use the same.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'runBatch', (right, areas, ...args) => namesGiven.run(new Set(), () => right(areas, ...args))),
      replaces('multiCreate', 'identifyItems', (right, areas, items) => {
        const given = namesGiven.getStore();
        for (const { $id } of items) {
          if ($id === undefined) continue;
          if (given?.has($id)) throw new Refusal(422, `There is an item '${$id}' already.`);
          given?.add($id);
        }
        return right(areas, items);
      }),
    ),
    async shows({ edda }) {
      const body = [{ $id: 'a', $softType: 'Part', data: { name: 'one of its kind' } }];
      const create = { method: 'POST', href: '/space/main/softtype', body };
      return (await edda.batch([create, create])).status !== 200;
    },
  },
};

export const multiCreateMistakes: Batch = {
  'multi-create.empty-text': {
    source: 'core: Multi-create item (array item of the multi-create request)',
    breaks: 'The data of an item is the content of its object, a text of no characters included.',
    kind: 'value',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const emptied = inputs.map((input) => {
        const filled = Object.entries(input.content).filter(([, value]) => value !== '');
        return { ...input, content: Object.fromEntries(filled) };
      });
      return right(areas, call, writing, items, emptied);
    }),
    async shows({ edda }) {
      const data = { title: 'empty', note: '' };
      const { json } = await edda.multiCreate([{ $id: 'a', $softType: 'Document', data }]);
      return at((await edda.get(String(at(json, '/0/href')))).json, '/data/note') !== '';
    },
  },

  'multi-create.letter-case-of-ids': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to the item whose $id it names, also when another one differs in letter case only.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) => {
      return items.find((item) => item.$id?.toLowerCase() === $id.toLowerCase());
    }),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([
        { $id: 'P', $softType: 'Part', data: { name: 'upper' } },
        { $id: 'p', $softType: 'Part', data: { name: 'lower' } },
        {
          $id: 'd',
          $softType: 'Document',
          data: { title: 'of the lower', describes: [{ id: 'r', value: { instanceRef: 'p', softTypeId: 'Part' } }] },
        },
      ]);
      const read = (await edda.get(String(at(json, '/2/href')))).json;
      return String(at(json, '/0/href')).endsWith(`/${String(at(read, '/data/describes/0/value/$oid'))}`);
    },
  },

  'multi-create.second-level': {
    source: 'core: States and transitions',
    breaks: 'An instance has a current state for each maturity level, also one that was created together with others.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, ...args) => {
      const oneLevel = within(areas, {
        editing: {
          startContent(softType) {
            const content = areas.editing.startContent(softType);
            const states = Object.entries(Object(content[statesMember]) as object).slice(0, 1);
            return { ...content, [statesMember]: Object.fromEntries(states) };
          },
        },
      });
      return right(oneLevel, ...args);
    }),
    async shows({ edda }) {
      const data = { subject: 'more states' };
      const { json } = await edda.multiCreate([{ $id: 'a', $softType: 'ChangeRequest', data }]);
      return at((await edda.get(String(at(json, '/0/href')))).json, '/data/approval/state') === undefined;
    },
  },
};

function idsOf(content: object): unknown {
  const states = Object(at(content, `/${statesMember}`)) as object;
  return Object.values(states).map((state: unknown) => at(state, '/$oid'));
}
