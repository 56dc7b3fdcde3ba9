import { createHmac } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import { isContent } from '../../../reference-server/areas/content.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, claimsIn, registerEndpoint } from '../proofs.ts';
import { at, editPath, encoded, many, versionHeader } from '../service.ts';

export const manyMistakes: Batch = {
  'batch.version-as-a-text': {
    source: 'core: Batch result',
    breaks: 'The version in the result of an edit is an integer.',
    kind: 'value',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const isEdit = call.method !== 'POST' && isContent(body) && body['version'] !== undefined;
      return isEdit ? { ...body, version: String(body['version']) } : body;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'batch' });
      const edit = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'edited' } };
      return at((await edda.batch([edit])).json, '/0/body/version') !== 2;
    },
  },

  'batch.put-edits': {
    source: 'core: Batch operation',
    breaks: 'A PUT in a batch is a PUT, by which what the body leaves out is gone.',
    kind: 'combination',
    variant: replaces('batch', 'operationRouteOf', (right, areas, table, method, path) =>
      right(areas, table, method === 'PUT' && !path.includes('/maturityAction/') ? 'PATCH' : method, path),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'put', note: 'to go' });
      const put = { method: 'PUT', href: editPath(made), headers: versionHeader(1), body: { title: 'put' } };
      await edda.batch([put]);
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },

  'batch.letters-of-one-byte': {
    source: 'core: Batch operation',
    breaks: 'The body of an operation is the payload of the request, in whatever script it is written.',
    kind: 'value',
    variant: replaces('batch', 'prepareOperation', (right, areas, ...args) => {
      const { call, route } = right(areas, ...args);
      const body = call.body && Buffer.from(call.body.toString('utf8'), 'latin1');
      return { route, call: { ...call, body } };
    }),
    async shows({ edda }) {
      const create = { method: 'POST', href: '/api/space/main/softtype/Document/documentInput' };
      return (await edda.batch([{ ...create, body: { title: 'Prüfung' } }])).status !== 200;
    },
  },

  'batch.multi-create-behind-others': {
    source: 'core: Batch rules 4',
    breaks: 'A multi-create may be one operation of a batch, wherever it stands in it.',
    kind: 'place',
    variant: replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      if (index > 0 && /^\/space\/[^/]+\/softtype$/.test(String(at(value, '/href'))))
        throw new Refusal(400, 'Expected a multi-create to be the first operation.');
      return right(areas, batch, table, value, index);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'before' });
      const several = { method: 'POST', href: '/space/main/softtype', body: [part('a')] };
      return (await edda.batch([{ method: 'GET', href: made.path }, several])).status !== 200;
    },
  },

  'multi-create.without-its-last-item': {
    source: 'core: Multi-create rules 1',
    breaks: 'All instances are created in one change set: none when the last is wrong.',
    kind: 'place',
    variant: replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
      try {
        return await right(areas, call, writing);
      } catch (error) {
        if (!Array.isArray(call.json) || call.json.length < 3) throw error;
        return right(areas, { ...call, json: call.json.slice(0, -1) }, writing);
      }
    }),
    async shows({ edda }) {
      return (await edda.multiCreate([part('a'), part('b'), { ...part('c'), data: {} }])).status < 400;
    },
  },

  'multi-create.linked-by-an-edit': {
    source: 'core: Versioning 2',
    breaks: 'An instance that is created with a reference has version 1 like any other.',
    kind: 'combination',
    variant: replaces('multiCreate', 'createItems', async (right, areas, call, writing, items, inputs) => {
      await right(areas, call, writing, items, inputs);
      for (const [index, { oid, softType }] of items.entries()) {
        const ports = [...(inputs[index]?.arrays.keys() ?? [])];
        const object = await writing.object(call.space.id, oid);
        if (object !== undefined && ports.some((port) => softType.members.get(port)?.kind === 'references'))
          await writing.updateObject(call.space.id, oid, 2, object.content);
      }
    }),
    async shows({ edda }) {
      const describes = [{ id: 'link', value: { instanceRef: 'a', softTypeId: 'Part' } }];
      const document = { $id: 'd', $softType: 'Document', data: { title: 'linked', describes } };
      const made = await edda.multiCreate([part('a'), document]);
      return at((await edda.get(String(at(made.json, '/1/href')))).json, '/version') !== 1;
    },
  },
};

export const accessMistakes: Batch = {
  'access.routes-without-a-prefix': {
    source: 'core: Errors',
    breaks: 'Without a token a request is answered with 401, also on a route outside of /api.',
    kind: 'place',
    variant: replaces('auth', 'authenticate', (right, areas, call) => {
      if (call.headers['authorization'] === undefined && !call.url.startsWith('/api/'))
        throw new Refusal(403, 'Nobody may do so.');
      return right(areas, call);
    }),
    async shows({ nobody }) {
      return (await nobody.multiCreate([part('a')])).status !== 401;
    },
  },

  'access.administrators-of-a-space': {
    source: 'extensions: Registration routes (Collection Administrator)',
    breaks: 'A Collection Administrator registers endpoints, and no administrator of a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const administrates = spaces.some((space) => areas.auth.rolesOf(user, space).includes('administrator'));
      if (!(administrates && call.url.startsWith('/api/admin/'))) right(areas, user, access, call);
    }),
    async shows(service) {
      return (
        (await registerEndpoint({ ...service, cora: service.alma }, 'externalEndpoint', { url: service.url })).status <
        400
      );
    },
  },

  'access.algorithm-of-an-envelope': {
    source: 'core: Authentication 2',
    breaks: 'A JWT of the service is signed by HMAC SHA512, one in an envelope as well.',
    kind: 'place',
    variant: together(
      replaces('tokens', 'acceptedAlgorithms', () => ['HS512', 'HS256']),
      replaces('tokens', 'signClaims', async (right, areas, claims) => {
        const token = await right(areas, claims);
        if (claims['scope'] === undefined) return token;
        const head = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'JWT' })).toString('base64url');
        const text = `${head}.${token.split('.')[1] ?? ''}`;
        const mac = createHmac('sha256', areas.tokens.signingKeysOf().access).update(text).digest('base64url');
        return `${text}.${mac}`;
      }),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      const [head = ''] = (callsTo(host)[0]?.envelope?.accessToken ?? '').split('.');
      return !Buffer.from(head, 'base64url').toString().includes('HS512');
    },
  },

  'access.personal-token-of-another': {
    source: 'core: Authentication 5',
    breaks: 'A personal access token is the password of the user whose it is, and of nobody else.',
    kind: 'role',
    variant: replaces('auth', 'userOfCredentials', (right, areas, credentials) =>
      right(areas, credentials.scheme === 'basic' ? { scheme: 'bearer', token: credentials.secret } : credentials),
    ),
    async shows({ nobody }) {
      const pair = Buffer.from('rita:svcpat-edda-7d1c0b9e5a').toString('base64');
      const authorization = `Basic ${pair}`;
      return (await nobody.get('/api/space/main/fs/file/none.txt', { authorization })).status !== 401;
    },
  },

  'access.identity-without-any-role': {
    source: 'core: Authentication 6',
    breaks: 'A valid identity that has no role anywhere is answered with 403 like one that has it elsewhere.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const spaces = [...areas.configuration.spaces.values()];
      const isKnown =
        user.collectionAdministrator || spaces.some((space) => areas.auth.rolesOf(user, space).length > 0);
      if (!isKnown && access === 'space') throw new Refusal(401, 'This user is unknown here.');
      right(areas, user, access, call);
    }),
    async shows({ edda, nora }) {
      const made = await edda.make('Document', { title: 'closed' });
      return (await nora.get(made.path)).status !== 403;
    },
  },

  'access.life-of-a-login': {
    source: 'extensions: Authentication 4',
    breaks: 'The token of an envelope is valid for the minutes that were registered, also when these are many.',
    kind: 'value',
    variant: replaces('requests', 'impersonationToken', (right, areas, userName, minutes) =>
      right(areas, userName, Math.min(minutes, 60)),
    ),
    async shows(service) {
      const host = await service.host(() => []);
      const trusted = { url: `${host.url}/hook`, tokenLifeTime: 90 };
      await registerEndpoint(service, 'trustedExternalEndpoint', trusted);
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const authorization = `Bearer ${new URL(callsTo(host)[0]?.target ?? '', host.url).searchParams.get('access_token')}`;
      const made = await service.edda.make('Document', { title: 'later' });
      await service.pass(70 * 60);
      return (await service.nobody.get(made.path, { authorization })).status !== 200;
    },
  },

  'filter.letters-of-one-byte': {
    source: 'core: Common request headers',
    breaks: 'An information filter is any JSON object in Base64, in whatever script it is written.',
    kind: 'value',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const given = Buffer.from(call.headers[headerNames.informationFilter.toLowerCase()] ?? '', 'base64');
      if (given.some((byte) => byte > 0x7f)) throw new Refusal(400, 'Expected an information filter in ASCII.');
      return right(areas, call);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'filter' });
      const filter = { [headerNames.informationFilter]: encoded({ role: 'Prüferin' }) };
      return (await edda.get(made.path, filter)).status !== 200;
    },
  },

  'filter.letters-of-a-url': {
    source: 'extensions: Call envelope',
    breaks: 'The filter in an envelope is Base64 as it was sent, plus and slash included.',
    kind: 'value',
    variant: replaces('triggeredCalls', 'passedFilter', (right, areas, call) =>
      right(areas, call).replaceAll('+', '-').replaceAll('/', '_'),
    ),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const filter = encoded({ role: many(6, () => '~?>').join('') });
      await service.edda.sendEvent('event', {}, { [headerNames.informationFilter]: filter });
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.informationFilter !== filter;
    },
  },

  'calls.base-address-of-a-request': {
    source: 'extensions: Call envelope',
    breaks: 'The base address is the one configured, by whatever name the trigger reached the service.',
    kind: 'value',
    variant: breaksBaseAddress(),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      const elsewhere = service.url.replace('127.0.0.1', 'localhost');
      await service.edda.post(`${elsewhere}/api/space/main/externalEvent`, { recordId: 'event' });
      await service.pass(1);
      return callsTo(host)[0]?.envelope?.baseAddress === elsewhere;
    },
  },

  'calls.mail-of-the-first-caller': {
    source: 'extensions: Payloads by extension type',
    breaks: 'An action is told the address of whoever triggers it, whoever did so before.',
    kind: 'copy',
    variant: breaks('triggeredCalls', 'deliveryOf', (right) => {
      const addresses = new Map<string | undefined, unknown>();
      return (areas, call, triggered) => {
        const { kind, payload, recordId } = triggered;
        if (kind !== 'action' || !isContent(payload)) return right(areas, call, triggered);
        const email = addresses.get(recordId) ?? payload['email'];
        addresses.set(recordId, email);
        return right(areas, call, { ...triggered, payload: { ...payload, email } });
      };
    }),
    async shows({ host, edda, emil }) {
      const called = await host(() => [{ id: 'action', extensionType: 'ExternalAction' }]);
      for (const user of [edda, emil]) await user.post('/api/space/main/externalAction/action', { kind: 'ribbon' });
      const [first, second] = callsTo(called).map(({ json }) => at(json, '/payload/email'));
      return first === second && claimsIn(callsTo(called)[1]) !== null;
    },
  },
};

function breaksBaseAddress() {
  const names = new Map<string, string>();
  return together(
    replaces('triggeredCalls', 'deliveryOf', (right, areas, call, triggered) => {
      names.set(triggered.id, call.headers['host'] ?? '');
      return right(areas, call, triggered);
    }),
    replaces('requests', 'extensionRequest', async (right, areas, delivery, callee) => {
      const request = await right(areas, delivery, callee);
      const baseAddress = `http://${names.get(delivery.id) ?? ''}`;
      return { ...request, body: JSON.stringify({ ...JSON.parse(request.body ?? '{}'), baseAddress }) };
    }),
  );
}

function part($id: string) {
  return { $id, $softType: 'Part', data: { name: `part ${$id}` } };
}
