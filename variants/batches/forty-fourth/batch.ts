import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, logged, named, reached, registerEndpoint, tokenOf } from '../proofs.ts';
import { type Service, at, encoded, listAt, operationsPath, pagePath } from '../service.ts';
import { createHmac } from 'node:crypto';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { startExtensionHost } from '../../../simulator/extension/host.ts';
import { mediaTypes } from '../../../contract/names.ts';
import { isPort, nameOf } from '../../../reference-server/areas/operations.ts';
import { deliveryMistakes, metadataMistakes, payloadMistakes } from './calls.ts';

const participantFiles = '/api/space/main/participant/owner/fs/file';

const filesMistakes: Batch = {
  'bulk.personal-token-of-an-administrator': {
    source: 'extensions: Authentication 2',
    breaks:
      'Bulk upload needs the administration key; the personal access token of a Collection Administrator is none.',
    kind: 'role',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      if (credentials?.scheme !== 'basic') return right(areas, call);
      const user = await areas.auth.userOfCredentials(credentials);
      if (user?.collectionAdministrator !== true) return right(areas, call);
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const authorization = basic('cora', 'svcpat-cora-6f8b0d2e4a');
      const body = { sourceDirectory, writeLog: false };
      return (await service.nobody.post('/admin/fileupload/main', body, { authorization })).status < 300;
    },
  },

  'chunks.padded-for-participants': {
    source: 'extensions: File routes',
    breaks: 'A file in chunks is as long as its total size, in the area of a participant as well.',
    kind: 'place',
    variant: replaces('chunks', 'storeChunk', (right, areas, place, chunk) => {
      const missing = chunk.chunkSize - chunk.size;
      if (place.area.kind !== 'participant' || chunk.number === 1 || missing <= 0) return right(areas, place, chunk);
      return right(areas, place, { ...chunk, pieces: [...chunk.pieces, Buffer.alloc(missing)] });
    }),
    async shows({ edda }) {
      await edda.sendChunks('padded.txt', ['aaaa', 'bb'], participantFiles);
      return (await edda.get(`${participantFiles}/padded.txt`)).text !== 'aaaabb';
    },
  },
};

function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

/** Bytes in place of which Base64 has a plus sign, wherever they stand. */
const filterWithPlus = encoded({ role: '>>>>>>' });

const readingMistakes: Batch = {
  'links.of-a-node': {
    source: 'core: What the service does',
    breaks: 'Clients talk to the gateway only, so that no link sends an administrator to a node behind it.',
    kind: 'role',
    variant: replaces('hypermedia', 'linksOf', (right, areas, call, ...args) => {
      const links = right(areas, call, ...args);
      if (!areas.auth.rolesOf(call.user, call.space).includes('administrator')) return links;
      return links.map((link) =>
        link.rel === 'page' ? { ...link, href: `http://node-1.internal${link.href}` } : link,
      );
    }),
    survives:
      'Whether another host in a link is the gateway is known to the deployment alone (ledger uri-absolute-or-relative): cases that would have to follow it do not judge, and name it.',
    async shows({ url, edda, alma }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const links = listAt(await alma.read(made), '/links');
      return links.some((link) => new URL(String(at(link, '/href')), url).origin !== new URL(url).origin);
    },
  },

  'profile.tail-of-the-former-name': {
    source: 'core: What the service does',
    breaks: 'The display name of a profile is the one that was put last, without an end of the one before.',
    kind: 'copy',
    variant: replaces('collection', 'putProfile', async (right, areas, call, writing) => {
      const text = await writing.document('userProfile', call.user.name);
      const former = String(at(JSON.parse(text ?? '{}'), '/displayName') ?? '');
      const { displayName } = call.json;
      return right(areas, { ...call, json: { displayName: displayName + former.slice(displayName.length) } }, writing);
    }),
    async shows({ cora }) {
      const path = '/api/collection/user/profile';
      await cora.put(path, undefined, { displayName: 'Cordelia' });
      await cora.put(path, undefined, { displayName: 'Cora' });
      return at((await cora.get(path)).json, '/displayName') !== 'Cora';
    },
  },

  'batch.object-id-of-the-read-before': {
    source: 'core: System properties inside `data`',
    breaks: 'Each of two reads in a batch has the id of its own object.',
    kind: 'copy',
    variant: replaces('batch', 'batchAnswer', (right, areas, results) => {
      const ids = new Map<unknown, unknown>();
      const shared = results.map((result) => {
        const [softType, oid] = [at(result.body, '/data/$softType'), at(result.body, '/data/$oid')];
        if (softType === undefined) return result;
        if (!ids.has(softType)) ids.set(softType, oid);
        const data = { ...(at(result.body, '/data') as object), $oid: ids.get(softType) };
        return { ...result, body: { ...(result.body as object), data } };
      });
      return right(areas, shared);
    }),
    async shows({ edda }) {
      const made = [await edda.make('Document', { title: 'a' }), await edda.make('Document', { title: 'b' })];
      const answer = await edda.batch(made.map(({ path }) => ({ method: 'GET', href: path })));
      return at(answer.json, '/1/body/data/$oid') !== made[1]?.oid;
    },
  },

  'links.page-of-a-later-version': {
    source: 'core: Link object',
    breaks: 'A page link is of the kind page, however often the object was read before at another version.',
    kind: 'copy',
    variant: breaks('hypermedia', 'pageLink', (right) => {
      const versions = new Map<string, number>();
      return (areas, object, view, section, total, filter) => {
        const link = right(areas, object, view, section, total, filter);
        const key = `${object.oid} ${section.path}`;
        const first = versions.get(key) ?? object.version;
        versions.set(key, first);
        return first === object.version ? link : { ...link, rel: 'self' };
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      await edda.read(made);
      await edda.merge(made, 1, { note: 'n' });
      const links = listAt(await edda.read(made), '/links');
      return !links.some((link) => at(link, '/rel') === 'page');
    },
  },

  'filter.plus-sign-on-page-routes': {
    source: 'core: Information filter',
    breaks: 'The information filter of a page is Base64 like any other, plus signs included.',
    kind: 'place',
    variant: replaces('messages', 'informationFilterOf', (right, areas, call) => {
      const header = call.headers['svc-informationfilter'];
      if (header === undefined || !call.url.includes('/softtype/page/')) return right(areas, call);
      return right(areas, {
        ...call,
        headers: { ...call.headers, 'svc-informationfilter': header.replaceAll('+', ' ') },
      });
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const page = await edda.get(pagePath(made, 'files', 0), { 'Svc-InformationFilter': filterWithPlus });
      return page.status !== 200;
    },
  },
};

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Key of the identity provider that the seed trusts, Base64. */
const idTokenKey = 'aWQgdG9rZW4gaXNzdWVyIG9mIHRoZSBkZW1vbnN0cmF0aW9uLCBwdWJsaWMgb24gcHVycG9zZSwgNjQgYnl0ZXMgIQ==';

/** Longest wait that a timer of 32 bits knows, in seconds. */
const longestTimerSeconds = 2_147_483;

const accessMistakes: Batch = {
  'grants.the-eleventh': {
    source: 'core: Authentication 3',
    breaks: 'Every grant has an access token, the eleventh of one user as well.',
    kind: 'value',
    variant: breaks('grants', 'tokenAnswer', (right) => {
      const counts = new Map<string, number>();
      return (areas, form, token) => {
        const answer = right(areas, form, token);
        const name = form.get('username') ?? '';
        counts.set(name, (counts.get(name) ?? 0) + 1);
        if (Number(counts.get(name)) <= 10) return answer;
        const { access_token: _token, ...rest } = answer.body as { readonly access_token: string };
        return { ...answer, body: rest };
      };
    }),
    async shows(service) {
      let token = '';
      for (let count = 0; count < 11; count += 1) token = await tokenOf(service, 'edda');
      return token === 'undefined';
    },
  },

  'grants.id-token-of-an-administrator': {
    source: 'core: Authentication 4',
    breaks: 'What a Collection Administrator gets for an id token is a token of the service.',
    kind: 'role',
    variant: replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
      const [, payload = ''] = (form.get('subject_token') ?? '').split('.');
      const name = at(JSON.parse(Buffer.from(payload, 'base64url').toString() || 'null'), '/sub');
      const isAdministrator = areas.configuration.users.get(String(name))?.collectionAdministrator === true;
      return right(areas, form, isAdministrator ? (form.get('subject_token') ?? token) : token);
    }),
    survives:
      'Route, form and answer of the exchange are not shown (ledger id-token-exchange-route), and a profile has one id token: recorded.',
    async shows(service) {
      const token = await exchanged(service, 'cora');
      const answer = await service.nobody.get('/api/collection/health', { authorization: `Bearer ${token}` });
      return answer.status === 401;
    },
  },

  'registrations.same-description': {
    source: 'extensions: Registered external endpoint (simple)',
    breaks: 'A description is free text, which a second endpoint may have as well.',
    kind: 'combination',
    variant: replaces('registrations', 'createEndpoint', async (right, areas, call, writing) => {
      const { description, kind } = call.json;
      const others = await registrationsOf(writing, kind);
      if (description !== undefined && others.some((other) => at(other, '/description') === description))
        throw new Refusal(409, 'There is such an endpoint already.');
      return right(areas, call, writing);
    }),
    async shows(service) {
      const fields = { url: 'http://127.0.0.1:9/hook', description: 'tells the archive' };
      await registerEndpoint(service, 'externalEndpoint', { id: 'one', ...fields });
      return (await registerEndpoint(service, 'externalEndpoint', { id: 'two', ...fields })).status >= 400;
    },
  },

  'registrations.timer-runs-over': {
    source: 'extensions: Registration routes',
    breaks: 'A request timeout of a month is one of a month.',
    kind: 'value',
    variant: replaces('registrations', 'endpointFrom', (right, areas, body) => {
      const fields = right(areas, body);
      return fields.requestTimeout > longestTimerSeconds ? { ...fields, requestTimeout: 1 } : fields;
    }),
    async shows(service) {
      await using host = await startExtensionHost({ script: always({ never: true }) });
      await registerEndpoint(service, 'externalEndpoint', { url: `${host.url}/hook`, requestTimeout: 2_592_000 });
      await service.edda.sendToEndpoint();
      await service.pass(1, 3);
      return (await logged(service, 'timeout')).length > 0;
    },
  },

  'registrations.life-time-of-the-endpoint-before': {
    source: 'extensions: Registered trusted external endpoint',
    breaks: 'A trusted endpoint has the token life time that it was registered with, not that of the one before it.',
    kind: 'copy',
    variant: breaks('registrations', 'trustedEndpointFrom', (right) => {
      let kept: number | undefined;
      return (areas, body) => {
        const fields = right(areas, body);
        kept ??= fields.tokenLifeTime;
        return { ...fields, tokenLifeTime: kept };
      };
    }),
    async shows(service) {
      const host = await service.host(() => []);
      const url = `${host.url}/hook`;
      await registerEndpoint(service, 'trustedExternalEndpoint', { id: 'other', url });
      await registerEndpoint(service, 'trustedExternalEndpoint', { url, tokenLifeTime: 5 });
      await service.edda.sendToEndpoint();
      await service.pass(1);
      const [entry] = await reached(host, 1);
      const token = new URL(entry?.target ?? '/', host.url).searchParams.get('access_token') ?? '';
      const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || 'null') as unknown;
      return Number(at(claims, '/exp')) - Number(at(claims, '/iat')) !== 300;
    },
  },
};

/** The token that the user gets for an id token of the trusted provider. */
async function exchanged({ nobody }: Service, user: string): Promise<string> {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: user, iss: 'https://login.example', aud: 'svc', exp: 9_999_999_999 };
  const text = `${part({ alg: 'HS512', typ: 'JWT' })}.${part(claims)}`;
  const signature = createHmac('sha512', Buffer.from(idTokenKey, 'base64')).update(text).digest('base64url');
  const form = new URLSearchParams({
    grant_type: exchangeGrant,
    subject_token: `${text}.${signature}`,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
  });
  const answer = await nobody.post('/auth/token', form.toString(), {
    authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  });
  return String(at(answer.json, '/access_token'));
}

/** Objects whose last write was a list of operations; no two servers share an id. */
const operatedOn = new Set<string>();

const operationsMistakes: Batch = {
  'operations.three-digit-entries': {
    source: 'core: Patch operation (array item of an operations-based PATCH)',
    breaks: 'A path addresses an entry by its id, however many digits that has.',
    kind: 'value',
    variant: replaces('operations', 'entryAt', async (right, areas, run, port, token) =>
      token.length > 2 ? undefined : right(areas, run, port, token),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', contacts: named(101) });
      const id = String(at((await edda.page(made, 'contacts', 10)).json, '/data/0/$entryId'));
      const answer = await edda.operate(made, 1, [{ op: 'replace', path: `/contacts/${id}/name`, value: 'n' }]);
      return answer.status >= 400;
    },
  },

  'operations.reference-without-value': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A reference whose value is removed goes with it.',
    kind: 'place',
    variant: replaces('operations', 'removeTarget', async (right, areas, run, target) => {
      const { entry, content } = target.row;
      if (entry?.array.kind !== 'references' || nameOf(target) !== 'value' || target.steps.length !== 1)
        return right(areas, run, target);
      const { value: _value, ...rest } = content;
      return run.writing.updateEntry(run.object.oid, entry.port, entry.entryId, rest);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const describes = [{ id: 'first', value: { $oid: part.oid } }];
      const made = await edda.make('Document', { title: 't', describes });
      const id = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${id}/value` }]);
      return listAt(await edda.read(made), '/data/describes').length === 1;
    },
  },

  'operations.once-a-role': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add appends its value once, for somebody who has roles on two participants as well.',
    kind: 'role',
    variant: replaces('operations', 'appendToPort', (right, areas, run, target, contents) => {
      const roles = areas.auth.rolesOf(run.call.user, run.call.space);
      return right(areas, run, target, isPort(target) ? roles.flatMap(() => contents) : contents);
    }),
    async shows({ emil }) {
      const made = await emil.make('Document', { title: 't' });
      await emil.operate(made, 1, [{ op: 'add', path: '/files', value: { name: 'n' } }]);
      return listAt(await emil.read(made), '/data/files').length !== 1;
    },
  },

  'batch.small-letters-of-content-type': {
    source: 'core: Operations-based PATCH rules 1',
    breaks:
      'The content type selects the operations, in an operation of a batch with its name in small letters as well.',
    kind: 'place',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => {
      const { 'content-type': _ignored, ...headers } = operation.headers;
      return right(areas, batch, { ...operation, headers });
    }),
    survives:
      'The headers of an operation are members of JSON, of which it is not said that their letter case does not matter: recorded.',
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const answer = await edda.batch([
        {
          method: 'PATCH',
          href: operationsPath(made),
          headers: { 'content-type': mediaTypes.operations, 'Svc-UOIVersion': '1' },
          body: [{ op: 'replace', path: '/title', value: 'u' }],
        },
      ]);
      return answer.status !== 200;
    },
  },
};

const editingMistakes: Batch = {
  'merge.behind-operations-is-complete': {
    source: 'core: Common request headers',
    breaks: 'A body of plain JSON edits what it names and nothing else, right behind a list of operations as well.',
    kind: 'moment',
    variant: together(
      replaces('operations', 'operateObject', async (right, areas, call, writing) => {
        const answer = await right(areas, call, writing);
        operatedOn.add(call.object.oid);
        return answer;
      }),
      replaces('editing', 'mergeObject', (right, areas, call, writing) => {
        if (!operatedOn.delete(call.object.oid)) return right(areas, call, writing);
        const { softType, view } = call.place;
        const optional = [...view.names].filter(([, name]) => {
          const member = softType.members.get(name);
          return member?.kind === 'string' && !member.mandatory;
        });
        const nulls = Object.fromEntries(optional.map(([name]) => [name, null]));
        return right(areas, { ...call, json: { ...nulls, ...(call.json as object) } }, writing);
      }),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      await edda.operate(made, 1, [{ op: 'replace', path: '/title', value: 'u' }]);
      await edda.merge(made, 2, { remark: 'r' });
      return at(await edda.read(made), '/data/note') !== 'n';
    },
  },

  'put.every-tenth-version': {
    source: 'core: Endpoint table',
    breaks: 'A PUT removes what its body leaves out, the one that makes the tenth version as well.',
    kind: 'moment',
    variant: replaces('editing', 'putObject', async (right, areas, call, writing) => {
      const answer = await right(areas, call, writing);
      const object = await writing.object(call.space.id, call.object.oid);
      if (object === undefined || object.version % 10 !== 0) return answer;
      await areas.versioning.storeEdit(writing, object, object.version, { ...call.object.content, ...object.content });
      return answer;
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      for (let version = 1; version < 9; version += 1) await edda.merge(made, version, { note: `n${version}` });
      await edda.replace(made, 9, { title: 't' });
      return at(await edda.read(made), '/data/note') !== undefined;
    },
  },

  'versioning.nothing-to-merge': {
    source: 'core: Errors',
    breaks: 'A PATCH without the version header gets 412, one with an empty object as well.',
    kind: 'value',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isEmpty = call.method === 'PATCH' && call.body?.toString().trim() === '{}';
      return isEmpty && call.headers['svc-uoiversion'] === undefined ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      return (await edda.merge(made, undefined, {})).status !== 412;
    },
  },
};

/** Of sixty mistakes in sentences and circumstances that were drawn by lot, written by somebody who knew the documents and no check. */
export const fortyFourth: Batch = {
  ...readingMistakes,
  ...operationsMistakes,
  ...editingMistakes,
  ...accessMistakes,
  ...filesMistakes,
  ...deliveryMistakes,
  ...payloadMistakes,
  ...metadataMistakes,
};
