import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, Step, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, listAt, many, operationsPath, versionHeader, type Client } from '../service.ts';

/** The work of a batch. */
const inBatch = new Step();

export const batchMistakes: Batch = {
  'batch.href-of-a-read': {
    source: 'core: SoftType read response',
    breaks: 'The href of a read is the URI of the instance, also when the read is an operation of a batch.',
    kind: 'combination',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      if (!isContent(result.body) || result.body['links'] === undefined) return result;
      return { ...result, body: { ...result.body, href: `/api/space/${call.space.id}/batch` } };
    }),
    async shows({ edda }) {
      const { path } = await edda.make('Document', { title: 'href' });
      return at((await edda.batch([{ method: 'GET', href: path }])).json, '/0/body/href') !== path;
    },
  },

  'batch.no-limit': {
    source: 'core: Limits',
    breaks: 'An array in a read has ten entries at most, also when the read is an operation of a batch.',
    kind: 'combination',
    variant: together(
      replaces('batch', 'runBatch', (right, areas, ...args) => inBatch.run(() => right(areas, ...args))),
      replaces('entries', 'firstReadRange', (right, areas) =>
        inBatch.isOn() ? { from: 0, to: 1_000_000 } : right(areas),
      ),
    ),
    async shows({ edda }) {
      const { path } = await edda.make('Document', { title: 'limit', files: named(12) });
      const read = await edda.batch([{ method: 'GET', href: path }]);
      return listAt(read.json, '/0/body/data/files').length !== 10;
    },
  },

  'batch.href-decoded-whole': {
    source: 'core: Batch operation',
    breaks: 'An href is a URI: what is encoded in a value of its query does not end that value.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
      return { ...operation, href: decodeURIComponent(operation.href) };
    }),
    async shows({ edda }) {
      const { path } = await edda.make('Document', { title: 'query', files: [{ name: 'file', category: 'a&b' }] });
      const href = `${path}?softTypeFilterId=byCategory&fileGroup.category=a%26b`;
      return listAt((await edda.batch([{ method: 'GET', href }])).json, '/0/body/data/files').length !== 1;
    },
  },

  'batch.bodies-are-objects': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is the payload of its request, an array where the route takes one.',
    kind: 'value',
    variant: replaces('batch', 'batchOperationFrom', (right, areas, value, index) => {
      const operation = right(areas, value, index);
      if (Array.isArray(operation.body)) throw new Refusal(400, 'A body has to be an object.');
      return operation;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'array' });
      const headers = { ...versionHeader(1), 'Content-Type': 'application/json-patch+json' };
      const body = [{ op: 'add', path: '/note', value: 'added' }];
      return (await edda.batch([{ method: 'PATCH', href: operationsPath(made), headers, body }])).status !== 200;
    },
  },
};

export const multiCreateMistakes: Batch = {
  'multi-create.id-of-the-entry': {
    source: 'core: Multi-create item',
    breaks: 'A reference leads where its instanceRef says, also when the id beside it is that of another item.',
    kind: 'value',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
      const ids = new Set(listAt(call.json, '').map((item) => at(item, '/$id')));
      const json: unknown = JSON.parse(JSON.stringify(call.json), (_name, value: unknown) =>
        isContent(value) && isContent(value['value']) && ids.has(value['id'])
          ? { ...value, value: { ...value['value'], instanceRef: value['id'] } }
          : value,
      );
      return right(areas, { ...call, json }, writing);
    }),
    shows: ({ edda }) => isLost(edda, 'meant', 'other'),
  },

  'multi-create.ids-of-the-language': {
    source: 'core: Multi-create item',
    breaks: 'A temporary id may be any text, also one that every object of a language has as a member.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, id, referrer) =>
      id in {} ? undefined : right(areas, items, id, referrer),
    ),
    shows: ({ edda }) => isLost(edda, 'constructor', 'other'),
  },

  'multi-create.limit-in-a-batch': {
    source: 'core: Limits',
    breaks: 'Fifty instances are the most of a multi-create, also of one that is an operation of a batch.',
    kind: 'combination',
    variant: replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
      const unlimited = within(areas, { multiCreate: { withinLimit: (items) => items } });
      return right(call.isSibling === undefined ? areas : unlimited, call, writing);
    }),
    async shows({ edda }) {
      const body = many(51, (number) => ({ $id: `p${number}`, $softType: 'Part', data: { name: `part ${number}` } }));
      return (await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }])).status === 200;
    },
  },
};

export const accessMistakes: Batch = {
  'auth.roles-of-another-space': {
    source: 'core: Authentication 7',
    breaks: 'A space is open to those with a role in it, not to those who used another one before.',
    kind: 'copy',
    variant: breaks('auth', 'rolesOf', (right) => {
      const known = new Map<string, readonly string[]>();
      return (areas, user, space) => {
        const roles = known.get(user.name) ?? right(areas, user, space);
        if (roles.length > 0) known.set(user.name, roles);
        return roles;
      };
    }),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 'main' });
      await otto.make('Dossier', { title: 'depot' });
      return (await otto.get(made.path)).status !== 403;
    },
  },

  'auth.condition-before-access': {
    source: 'core: Authentication 7',
    breaks: 'Collection routes need a Collection Administrator, also for a request that holds a copy already.',
    kind: 'combination',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isConditional = access === 'collection' && call.headers['if-none-match'] !== undefined;
      if (!isConditional) right(areas, user, access, call);
    }),
    async shows({ cora, edda }) {
      const tag = (await cora.get('/api/collection/space')).headers.get('etag') ?? '';
      return (await edda.get('/api/collection/space', { 'If-None-Match': tag })).status !== 403;
    },
  },

  'auth.reader-creates-many': {
    source: 'core: What the service does',
    breaks: 'A role without POST creates nothing, by a multi-create neither.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isMultiCreate = call.method === 'POST' && call.url.endsWith('/softtype');
      right(areas, user, access, isMultiCreate ? { ...call, method: 'GET' } : call);
    }),
    async shows({ rita }) {
      return (await rita.multiCreate([{ $id: 'p', $softType: 'Part', data: { name: 'part' } }])).status < 400;
    },
  },
};

/** Whether a reference to the second part leads elsewhere, whose entry has the id of the first one. */
async function isLost(client: Client, meant: string, other: string): Promise<boolean> {
  const describes = [{ id: other, value: { instanceRef: meant, softTypeId: 'Part' } }];
  const { json } = await client.multiCreate([
    { $id: other, $softType: 'Part', data: { name: 'other' } },
    { $id: meant, $softType: 'Part', data: { name: 'meant' } },
    { $id: 'document', $softType: 'Document', data: { title: 'refers', describes } },
  ]);
  const [, part, document] = listAt(json, '').map((item) => String(at(item, '/href')));
  if (document === undefined) return true;
  return at((await client.get(document)).json, '/data/describes/0/value/$oid') !== part?.split('/').at(-1);
}
