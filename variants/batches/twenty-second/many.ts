import { createHmac } from 'node:crypto';
import { isContent } from '../../../reference-server/areas/content.ts';
import { statesMember } from '../../../reference-server/areas/soft-type.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsOf, tokenOf } from '../proofs.ts';
import { at, editPath, movePath, versionHeader, type Client } from '../service.ts';

export const batchMistakes: Batch = {
  'batch.demotes-nothing': {
    source: 'core: Batch rules 2',
    breaks: 'A batch may hold a demote as it may hold a promote.',
    kind: 'value',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) =>
      path.includes('/demote/') ? undefined : right(areas, table, method, path),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'demote' });
      await edda.move(made, 1);
      const operation = { method: 'PUT', href: movePath(made, 'demote'), headers: versionHeader(2) };
      return (await edda.batch([operation])).status !== 200;
    },
  },

  'batch.reads-without-links': {
    source: 'core: Batch rules 6',
    breaks: 'A read in a batch brings the whole read response, links included.',
    kind: 'place',
    variant: replaces('batch', 'operationResult', (right, areas, call, answer) => {
      const result = right(areas, call, answer);
      if (call.method !== 'GET' || !isContent(result.body)) return result;
      const { links: _gone, ...body } = result.body;
      return { ...result, body };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'links' });
      return at((await edda.batch([{ method: 'GET', href: made.path }])).json, '/0/body/links') === undefined;
    },
  },

  'batch.put-that-merges': {
    source: 'core: Batch operation, row method',
    breaks: 'PUT is a method of operations and replaces the whole, as a request of its own does.',
    kind: 'combination',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) =>
      right(areas, table, method === 'PUT' && !path.includes('/maturityAction/') ? 'PATCH' : method, path),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', note: 'to be gone' });
      await edda.batch([{ method: 'PUT', href: editPath(made), headers: versionHeader(1), body: { title: 'put' } }]);
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },

  'batch.single-failure': {
    source: 'core: Endpoint table, POST batch',
    breaks: 'A batch that fails answers with an array of results, also when it has a single operation.',
    kind: 'value',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const answer = right(areas, results);
      return answer.status === 500 && results.length === 1 ? { ...answer, body: results[0] } : answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'single' });
      const operation = { method: 'PATCH', href: editPath(made), headers: versionHeader(9), body: { note: 'stale' } };
      return !Array.isArray((await edda.batch([operation])).json);
    },
  },
};

/** A part and a document that refers to it. @returns what the reference leads to, and the part */
async function createPair(edda: Client): Promise<readonly unknown[]> {
  const describes = [{ id: 'r', value: { instanceRef: 'p', softTypeId: 'Part' } }];
  const { json } = await edda.multiCreate([
    { $id: 'p', $softType: 'Part', data: { name: 'part' } },
    { $id: 'd', $softType: 'Document', data: { title: 'document', describes } },
  ]);
  const read = await edda.get(String(at(json, '/1/href')));
  return [at(read.json, '/data/describes/0/value/$oid'), String(at(json, '/0/href')).split('/').at(-1)];
}

/** Where the levels of the seed end. */
const lastStates = new Set(['released', 'approved']);

export const manyMistakes: Batch = {
  'multi-create.item-of-an-earlier-request': {
    source: 'core: Endpoint table, POST softtype list',
    breaks: 'A reference leads to an item of its own request, also when an earlier one had an item of that name.',
    kind: 'copy',
    variant: breaks('multiCreate', 'findItem', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, items, $id, referrer) => {
        const found = known.get($id) ?? right(areas, items, $id, referrer);
        known.set($id, found);
        return found;
      };
    }),
    async shows({ edda }) {
      await createPair(edda);
      const [target, part] = await createPair(edda);
      return target !== part;
    },
  },

  'maturity.last-state-has-no-id': {
    source: 'core: States and transitions',
    breaks: 'A current state has its id, also the last one of a level.',
    kind: 'moment',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const moved = right(areas, content, level, state);
      const states = moved[statesMember];
      if (!lastStates.has(state) || !isContent(states) || !isContent(states[level])) return moved;
      const { id: _gone, ...rest } = states[level];
      return { ...moved, [statesMember]: { ...states, [level]: rest } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'last' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      return at(await edda.read(made), '/data/engineering/id') === undefined;
    },
  },
};

export const accessMistakes: Batch = {
  'auth.unchanged-for-everybody': {
    source: 'core: Authentication 7',
    breaks: 'Collection routes need a Collection Administrator, also to hear that nothing has changed.',
    kind: 'combination',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isConditional = call.method === 'GET' && call.headers['if-none-match'] !== undefined;
      if (access !== 'collection' || !isConditional) right(areas, user, access, call);
    }),
    async shows({ cora, edda }) {
      const tag = (await cora.get('/api/collection/template')).headers.get('etag') ?? '';
      return (await edda.get('/api/collection/template', { 'If-None-Match': tag })).status !== 403;
    },
  },

  'auth.endpoint-of-a-space-administrator': {
    source: 'extensions: What the service does',
    breaks: 'Endpoints are registered by a Collection Administrator, trusted ones as well as simple ones.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const isAdministrator = spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
      if (!isAdministrator || !call.url.startsWith('/api/admin/trustedExternalEndpoint'))
        right(areas, user, access, call);
    }),
    async shows({ alma }) {
      const endpoint = { id: 'hook', url: 'http://127.0.0.1:9/', method: 'POST', category: 'proof', tokenLifeTime: 5 };
      const headers = [{ name: 'content-type', value: 'text/plain' }];
      return (await alma.post('/api/admin/trustedExternalEndpoint', { ...endpoint, headers })).status < 300;
    },
  },

  'auth.reader-creates-many': {
    source: 'core: What the service does, space level',
    breaks: 'A role without POST creates nothing, not many at once either.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) =>
      right(areas, user, access === 'space' && call.url.startsWith('/space/') ? 'participant' : access, call),
    ),
    async shows({ rita }) {
      return (await rita.multiCreate([{ $softType: 'Part', data: { name: 'part' } }])).status < 300;
    },
  },

  'tokens.the-same-again': {
    source: 'core: Authentication 3',
    breaks: 'The token endpoint answers with a token that opens the API, also when an earlier one has ended.',
    kind: 'copy',
    variant: breaks('tokens', 'issueToken', (right) => {
      const issued = new Map<string, Promise<string>>();
      return (areas, user) => {
        const token = issued.get(user.name) ?? right(areas, user);
        issued.set(user.name, token);
        return token;
      };
    }),
    async shows(service) {
      const made = await service.edda.make('Document', { title: 'token' });
      await tokenOf(service, 'edda');
      await service.pass(3700);
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      return (await service.nobody.get(made.path, { authorization })).status === 401;
    },
  },

  'tokens.short-signature-for-extensions': {
    source: 'core: Authentication 2',
    breaks: 'An access token is signed with HMAC SHA512, also the one that an extension is given.',
    kind: 'place',
    variant: together(
      replaces('tokens', 'acceptedAlgorithms', () => ['HS512', 'HS256']),
      replaces('tokens', 'signClaims', async (right, areas, claims) => {
        if (claims['scope'] !== 'impersonation') return right(areas, claims);
        const parts = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) => JSON.stringify(part));
        const text = parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
        const key = areas.tokens.signingKeysOf().access;
        return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      const [header = ''] = (callsOf(host, 'event')[0]?.envelope?.accessToken ?? '').split('.');
      return Buffer.from(header, 'base64url').toString().includes('HS256');
    },
  },
};
