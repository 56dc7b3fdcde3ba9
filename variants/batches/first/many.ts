import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { Refusal, Undone } from '../../../reference-server/http/refusal.ts';
import { breaks, within, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many, movePath, versionHeader } from '../service.ts';

export const batchMistakes: Batch = {
  'batch.late-failure': {
    source: 'core: Batch rules 1',
    breaks: 'When one operation of a batch fails none counts, also when it is the last of many.',
    kind: 'moment',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      try {
        return await right(areas, call, writing, table);
      } catch (error) {
        if (!(error instanceof Undone) || call.json.length < 6) throw error;
        return error.answer;
      }
    }),
    async shows({ edda }) {
      const all = await Promise.all(many(6, (number) => edda.make('Document', { title: `document ${number}` })));
      const operations = all.map((made, index) => ({
        method: 'PATCH',
        href: editPath(made),
        headers: versionHeader(index === 5 ? 9 : 1),
        body: { note: 'edited' },
      }));
      await edda.batch(operations);
      const [made] = all;
      return made !== undefined && at(await edda.read(made), '/version') !== 1;
    },
  },

  'batch.query-of-a-read': {
    source: 'core: Batch operation',
    breaks: 'An operation stands for the whole request that its href names, query included.',
    kind: 'combination',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const prepared = right(areas, ...args);
      return { ...prepared, call: { ...prepared.call, query: new URLSearchParams() } };
    }),
    async shows({ edda }) {
      const files = ['drawing', 'letter'].map((category) => ({ name: category, category }));
      const made = await edda.make('Document', { title: 'query', files });
      const { json } = await edda.batch([{ method: 'GET', href: `${made.path}?softTypeFilterId=drawings` }]);
      return listAt(json, '/0/body/data/files').length !== 1;
    },
  },

  'batch.references-of-a-multi-create': {
    source: 'core: Batch rules 4',
    breaks: 'A multi-create may be an operation of a batch, and its items may refer to each other there too.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      if (call.isSibling !== undefined && JSON.stringify(call.json).includes('"instanceRef"'))
        throw new Refusal(422, 'No relation can be created in a batch.');
      return right(areas, call, writing);
    }),
    async shows({ edda }) {
      const body = [
        { $id: 'part', $softType: 'Part', data: { name: 'part' } },
        { $id: 'document', $softType: 'Document', data: { title: 'document', describes: [referenceTo('part')] } },
      ];
      const operation = { method: 'POST', href: '/space/main/softtype', body };
      return (await edda.batch([operation])).status !== 200;
    },
  },

  'batch.rights-of-a-promote': {
    source: 'core: Authentication 7',
    breaks: 'A role decides on every operation of a batch as on the request alone, on maturity actions too.',
    kind: 'role',
    variant: replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      const open = within(areas, { auth: { authorize: () => undefined } });
      return right(prepared.call.url.includes('/maturityAction/') ? open : areas, prepared, writing);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'promote' });
      const operation = { method: 'PUT', href: movePath(made), headers: versionHeader(1) };
      return (await rita.batch([operation])).status === 200;
    },
  },
};

export const multiCreateMistakes: Batch = {
  'multi-create.prefix-of-an-id': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to the item with the very id it names, not to one whose id begins alike.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, id) =>
      items.find((item) => item.$id?.startsWith(id)),
    ),
    async shows({ edda }) {
      const { json } = await edda.multiCreate([
        { $id: 'p10', $softType: 'Part', data: { name: 'tenth' } },
        { $id: 'p1', $softType: 'Part', data: { name: 'first' } },
        { $id: 'd', $softType: 'Document', data: { title: 'document', describes: [referenceTo('p1')] } },
      ]);
      const [, first = '', document = ''] = listAt(json, '').map((item) => String(at(item, '/href')));
      const read = await edda.get(document);
      return at(read.json, '/data/describes/0/value/$oid') !== first.split('/').at(-1);
    },
  },

  'multi-create.late-failure': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are one change set: none is there when the last item refers to an object that is not.',
    kind: 'moment',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return areas.messages.problemAnswer(call, error);
      }
    }),
    async shows({ edda }) {
      const name = `part ${randomUUID()}`;
      const describes = [{ value: { $oid: randomUUID() } }];
      await edda.multiCreate([
        { $id: 'part', $softType: 'Part', data: { name } },
        { $id: 'document', $softType: 'Document', data: { title: 'document', describes } },
      ]);
      const listed = await edda.get(`/api/space/main/instances/Part?text=${encodeURIComponent(name)}`);
      return listAt(listed.json, '/data').length > 0;
    },
  },

  'multi-create.fifty': {
    source: 'core: Multi-create rules 3',
    breaks: 'One request may create fifty instances.',
    kind: 'value',
    variant: replaces('multiCreate', 'withinLimit', (right, areas, items) => {
      if (items.length === 50) throw new Refusal(422, 'A multi-create takes fewer than 50 items.');
      return right(areas, items);
    }),
    async shows({ edda }) {
      const items = many(50, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: `part ${number}` } }));
      return (await edda.multiCreate(items)).status >= 400;
    },
  },
};

export const maturityMistakes: Batch = {
  'maturity.second-level': {
    source: 'core: States and transitions',
    breaks: 'Each maturity level has its own state: to promote the second leaves that of the first.',
    kind: 'place',
    survives:
      'Moves and their conditions are configuration and are not shown: what a promote of one level does to another is recorded by maturity.transitions.open-questions.',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const moved = right(areas, content, level, state);
      return level === 'approval' ? right(areas, moved, 'engineering', 'draft') : moved;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'levels' });
      await edda.move(made, 1);
      await edda.move(made, 2, 'promote', 'approval');
      return at(await edda.read(made), '/data/engineering/state') !== 'reviewed';
    },
  },

  'maturity.states-of-many': {
    source: 'core: States and transitions',
    breaks: 'An instance has its current states, also one that was created with others.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', (right, areas, ...args) => {
      let count = 0;
      const forgetful = within(areas, {
        editing: { startContent: (softType) => (count++ === 0 ? areas.editing.startContent(softType) : {}) },
      });
      return right(forgetful, ...args);
    }),
    async shows({ edda }) {
      const items = ['one', 'two'].map((title) => ({ $id: title, $softType: 'Document', data: { title } }));
      const href = at((await edda.multiCreate(items)).json, '/1/href');
      return at((await edda.get(String(href))).json, '/data/engineering/state') === undefined;
    },
  },
};

export const accessMistakes: Batch = {
  'auth.administrator-of-a-space': {
    source: 'core: Authentication 7',
    breaks: 'Collection routes need a Collection Administrator: to administrate a space is not enough.',
    kind: 'role',
    variant: replaces('auth', 'mayAdministrate', (right, areas, user) => {
      const participants = [...areas.configuration.spaces.values()].flatMap((space) => [
        ...space.participants.values(),
      ]);
      return right(areas, user) || participants.some((holders) => holders.get(user.name) === 'administrator');
    }),
    shows: async ({ alma }) => (await alma.get('/api/collection/space')).status === 200,
  },

  'auth.reader-promotes': {
    source: 'core: Authentication 7',
    breaks: 'A role without PUT promotes nothing.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMove = call.url.includes('/maturityAction/');
      return right(areas, user, access, isMove ? { ...call, method: 'GET' } : call);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 'reader' });
      return (await rita.move(made, 1)).status === 204;
    },
  },

  'headers.log-of-refusals': {
    source: 'core: Common request headers',
    breaks: 'A correlation id that is given stands in every log message of its request, also in that of a refusal.',
    kind: 'combination',
    variant: replaces('messages', 'logRefusal', (_right, areas, call, { status, message }) => {
      areas.log.warn({ method: call.method, status, detail: message }, 'refused');
    }),
    async shows({ edda, log }) {
      const made = await edda.make('Document', { title: 'log' });
      const correlationId = randomUUID();
      await edda.send('PATCH', editPath(made), { headers: { [headerNames.correlationId]: correlationId }, body: {} });
      return !(await log(correlationId)).includes('"refused"');
    },
  },

  'caching.tag-of-the-beginning': {
    source: 'core: Versioning 4',
    breaks: 'Changed data is sent anew, wherever in it the change is.',
    kind: 'value',
    variant: replaces('caching', 'etagOf', (right, areas, representation) =>
      right(areas, representation.toString().slice(0, 80)),
    ),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      const displayName = 'Cora of the Collection '.repeat(4);
      await cora.put(path, undefined, { displayName: `${displayName}one` });
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      await cora.put(path, undefined, { displayName: `${displayName}two` });
      return (await cora.get(path, { 'If-None-Match': tag })).status !== 200;
    },
  },

  'caching.tag-after-a-restart': {
    source: 'core: Versioning 4',
    breaks: 'Data that has not changed is not sent again, also when the service was started anew meanwhile.',
    kind: 'moment',
    variant: breaks('caching', 'etagOf', (right) => {
      const salt = randomUUID();
      return (areas, representation) => right(areas, salt + representation.toString());
    }),
    async shows({ cora, restart }) {
      const tag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      await restart();
      return (await cora.get('/api/collection/template', { 'If-None-Match': tag })).status !== 304;
    },
  },

  'openapi.fourth-soft-type': {
    source: 'core: What the service does',
    breaks: 'The dynamic definition tells of every SoftType that is configured.',
    kind: 'place',
    variant: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const softTypes = new Map([...space.template.softTypes].slice(0, 3));
      return right(areas, { ...space, template: { ...space.template, softTypes } });
    }),
    async shows({ edda }) {
      const { text } = await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !text.includes('ChangeRequest');
    },
  },
};

function referenceTo(instanceRef: string) {
  return { id: instanceRef, value: { instanceRef, softTypeId: 'Part' } };
}
