import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many } from '../service.ts';

/** Instances that a batch makes at most. */
const mostInBatch = 100;

const tokenForm = 'application/x-www-form-urlencoded';
const client = `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`;

/** Many at once, and who may. */
export const manyMistakes: Batch = {
  'batch.a-result-for-each-role': {
    source: 'core: Batch rules 3',
    breaks: 'There is one result for each operation, also for a user with roles on two participants.',
    kind: 'role',
    variant: replaces('batch', 'runBatch', async (right, areas, call, writing, table) => {
      const answer = await right(areas, call, writing, table);
      const roles = areas.auth.rolesOf(call.user, call.space);
      return { ...answer, body: listAt(answer, '/body').flatMap((result) => roles.map(() => result)) };
    }),
    async shows({ emil }) {
      const made = await emil.make('Document', { title: 't' });
      return listAt((await emil.batch([{ method: 'GET', href: made.path }])).json, '').length !== 1;
    },
  },

  'batch.items-of-another-operation': {
    source: 'core: Batch rules 4',
    breaks: 'What separate operations of a batch create is not related, by the $id of an item of another neither.',
    kind: 'place',
    variant: (classes) => {
      const kept = new Map<string, readonly unknown[]>();
      let current = '';
      return together(
        replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
          current = call.correlationId;
          const { isSibling: _isSibling, ...rest } = call;
          return right(areas, rest, writing);
        }),
        replaces(
          'multiCreate',
          'findItem',
          (right, areas, items, $id, referrer) =>
            right(areas, items, $id, referrer) ?? right(areas, (kept.get(current) ?? []) as never, $id, referrer),
        ),
        replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
          kept.set(call.correlationId, [...(kept.get(call.correlationId) ?? []), ...items]);
          return right(areas, call, writing, items, inputs);
        }),
      )(classes);
    },
    async shows({ edda }) {
      const create = (body: object) => ({ method: 'POST', href: '/space/main/softtype', body });
      const describes = [{ id: 'r', value: { instanceRef: 'p', softTypeId: 'Part' } }];
      const { status } = await edda.batch([
        create([{ $id: 'p', $softType: 'Part', data: { name: 'n' } }]),
        create([{ $id: 'd', $softType: 'Document', data: { title: 't', describes } }]),
      ]);
      return status === 200;
    },
  },

  'batch.put-behind-a-patch-merges': {
    source: 'core: Batch rules 5',
    breaks: 'A PUT replaces all fields, also those that an earlier operation of the batch wrote.',
    kind: 'moment',
    variant: replaces('editing', 'putObject', async (right, areas, call, writing) => {
      const { object } = call;
      const isChanged = call.isChangedHere?.(object.oid) ?? false;
      const answer = await right(areas, call, writing);
      const stored = await writing.object(call.space.id, object.oid);
      if (!isChanged || stored === undefined) return answer;
      const content = { ...object.content, ...stored.content };
      await writing.updateObject(call.space.id, object.oid, stored.version, content);
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const href = `/api/space/main/softtype/Document/documentInput/${made.oid}`;
      await edda.batch([
        { method: 'PATCH', href, headers: { 'Svc-UOIVersion': '1' }, body: { note: 'n' } },
        { method: 'PUT', href, headers: { 'Svc-UOIVersion': '2' }, body: { title: 'u' } },
      ]);
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },

  'batch.instances-are-counted': {
    source: 'core: Limits, text below the table',
    breaks: 'A batch has no hard limit, of the instances that its multi-creates make neither.',
    kind: 'combination',
    variant: replaces('batch', 'batchOperationsOf', (right, areas, body) => {
      const operations = right(areas, body);
      const items = operations
        .filter((operation) => at(operation, '/method') === 'POST')
        .map((operation) => listAt(operation, '/body').length);
      if (items.reduce((sum, count) => sum + count, 0) > mostInBatch)
        throw new Refusal(400, `Expected a batch of at most ${mostInBatch} instances.`);
      return operations;
    }),
    async shows({ edda }) {
      const body = many(50, (number) => ({ $softType: 'Part', data: { name: `n${number}` } }));
      const create = { method: 'POST', href: '/space/main/softtype', body };
      return (await edda.batch([create, create, create])).status !== 200;
    },
  },

  'grants.form-of-the-one-before': {
    source: 'core: Authentication 3',
    breaks: 'A grant is judged by the form that it comes with, and by none that came before it.',
    kind: 'copy',
    variant: breaks('grants', 'grantFormOf', (right) => {
      let former: ReadonlyMap<string, string> = new Map();
      return (areas, call) => {
        const form = new Map([...former, ...right(areas, call)]);
        former = form;
        return form;
      };
    }),
    async shows({ nobody }) {
      const headers = { authorization: client, 'content-type': tokenForm };
      await nobody.post('/auth/token', 'grant_type=password&username=edda&password=edda-password&scope=All', headers);
      const answer = await nobody.post('/auth/token', 'grant_type=password&username=edda&scope=All', headers);
      return answer.status === 200;
    },
  },

  'access.whoever-holds-the-tag': {
    source: 'core: Authentication 7',
    breaks: 'Collection routes need a Collection Administrator, whatever the caller holds already.',
    kind: 'moment',
    variant: (classes) => {
      const tags = new Set<string>();
      return together(
        replaces('caching', 'conditional', (right, areas, call, answer) => {
          const found = right(areas, call, answer);
          tags.add(String(found.headers?.['ETag']));
          return found;
        }),
        replaces('auth', 'authorize', (right, areas, user, access, call) => {
          const isHeld = call.method === 'GET' && tags.has(call.headers['if-none-match'] ?? '');
          if (access !== 'collection' || !isHeld) right(areas, user, access, call);
        }),
      )(classes);
    },
    async shows({ cora, edda }) {
      const path = '/api/collection/space';
      const tag = (await cora.get(path)).headers.get('etag') ?? '';
      return (await edda.get(path, { 'if-none-match': tag })).status !== 403;
    },
  },
};
