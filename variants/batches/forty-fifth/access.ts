import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { callsTo, registerEndpoint, scheduleTask, tokenOf } from '../proofs.ts';
import { at, listAt, md5, spaceFiles } from '../service.ts';

/** Who may what, and what is held already. */
export const accessMistakes: Batch = {
  'caching.progress-makes-no-tag': {
    source: 'core: Versioning 4',
    breaks: 'Data that changed are sent anew, also where only the progress of a job did.',
    kind: 'value',
    variant: replaces('caching', 'conditional', (right, areas, call, answer) => {
      const answered = right(areas, call, answer);
      const body = answer.body;
      if (typeof body !== 'object' || body === null || !('inputPath' in body)) return answered;
      const { progress: _left, ...rest } = body as { readonly progress?: unknown };
      const { headers } = right(areas, call, { ...answer, body: rest });
      const isHeld = call.headers['if-none-match'] === headers?.['ETag'];
      return isHeld ? { status: 304, ...(headers && { headers }) } : { ...answer, ...(headers && { headers }) };
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      await host.await(({ kind }) => kind === 'task', 1, AbortSignal.timeout(4000));
      const { edda } = service;
      const tag = (await edda.get(job)).headers.get('etag') ?? '';
      await edda.put(`${job}/progress`, undefined, { message: 'half' });
      return (await edda.get(job, { 'If-None-Match': tag })).status === 304;
    },
  },

  'caching.tag-of-another-resource': {
    source: 'core: Errors 304',
    breaks: 'Not modified is what has the very tag that is sent, not what another resource has it for.',
    kind: 'value',
    variant: breaks('caching', 'conditional', (right) => {
      const urls = new Map<string, string>();
      return (areas, call, answer) => {
        const answered = right(areas, call, answer);
        const other = urls.get(call.headers['if-none-match'] ?? '');
        urls.set(answered.headers?.['ETag'] ?? '', call.url);
        return other !== undefined && other !== call.url && answered.status === 200
          ? areas.caching.notModified(answered.headers ?? {})
          : answered;
      };
    }),
    async shows({ cora }) {
      const tag = (await cora.get('/api/collection/space')).headers.get('etag') ?? '';
      return (await cora.get('/api/collection/template', { 'If-None-Match': tag })).status === 304;
    },
  },

  'caching.tag-of-a-list-by-its-ids': {
    source: 'core: Versioning 4',
    breaks: 'A list that changed is sent anew, also where it still has the same members.',
    kind: 'place',
    variant: replaces('caching', 'etagOf', (right, areas, representation) => {
      const ids = typeof representation === 'string' ? idsOfList(representation) : undefined;
      return right(areas, ids === undefined ? representation : ids.join());
    }),
    async shows(service) {
      const fields = { url: 'http://127.0.0.1:9/', name: 'a' };
      await registerEndpoint(service, 'externalEndpoint', fields);
      const path = '/api/admin/externalEndpoint';
      const tag = (await service.cora.get(path)).headers.get('etag') ?? '';
      await service.cora.put(`${path}/hook`, undefined, {
        id: 'hook',
        method: 'POST',
        category: 'proof',
        headers: [{ name: 'content-type', value: 'application/json' }],
        ...fields,
        name: 'b',
      });
      return (await service.cora.get(path, { 'If-None-Match': tag })).status === 304;
    },
  },

  'tokens.known-by-their-claims': {
    source: 'core: Authentication 2',
    breaks: 'A token is good by its signature, also when one with these claims was good before.',
    kind: 'copy',
    variant: breaks('tokens', 'verifyToken', (right) => {
      const known = new Map<string, Awaited<ReturnType<typeof right>>>();
      return async (areas, token) => {
        const [, claims = ''] = token.split('.');
        const before = known.get(claims);
        if (before !== undefined && areas.clock.now() < before.exp * 1000) return before;
        const verified = await right(areas, token);
        known.set(claims, verified);
        return verified;
      };
    }),
    async shows(service) {
      const token = await tokenOf(service, 'edda');
      const read = (text: string) => service.nobody.get(`${spaceFiles}/none.txt`, { authorization: `Bearer ${text}` });
      await read(token);
      const [head, claims] = token.split('.');
      return (await read(`${head}.${claims}.${'A'.repeat(86)}`)).status === 404;
    },
  },

  'tokens.granted-once-for-all': {
    source: 'core: Authentication 3',
    breaks: 'A grant brings a token that can be used, also when the one of an earlier grant is over.',
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
      await tokenOf(service, 'edda');
      await service.pass(3601);
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      return (await service.nobody.get(`${spaceFiles}/none.txt`, { authorization })).status === 401;
    },
  },

  'basic.name-of-another-for-a-chunk': {
    source: 'core: Authentication 5',
    breaks: 'Basic takes the personal access token of the user it names, for a chunk too.',
    kind: 'combination',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const user = await right(areas, call).catch(() => undefined);
      const credentials = areas.fileAreas.fileCredentialsOf(call);
      const isForm = (call.headers['content-type'] ?? '').startsWith('multipart/');
      if (user !== undefined || !isForm || credentials?.scheme !== 'basic') return user ?? right(areas, call);
      const owner = await areas.auth.userOfCredentials({ scheme: 'bearer', token: credentials.secret });
      return (owner && areas.configuration.users.get(credentials.name)) ?? right(areas, call);
    }),
    async shows({ nobody, emil }) {
      const form = new Response(formOf('chunk.txt', 'content'));
      const answer = await nobody.post(spaceFiles, await form.bytes(), {
        authorization: `Basic ${Buffer.from('emil:svcpat-edda-7d1c0b9e5a').toString('base64')}`,
        'content-type': form.headers.get('content-type') ?? '',
        checksum: md5('content'),
      });
      return answer.status < 400 && (await emil.get(`${spaceFiles}/chunk.txt`)).status === 200;
    },
  },

  'jobs.reports-by-a-role-elsewhere': {
    source: 'core: Authentication 7',
    breaks: 'Reports on a job need a role in the space of that job, not in any.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isReport = access === 'participant' && call.method === 'PUT';
      const holdsAny = [...areas.configuration.spaces.values()].some(
        (space) => areas.auth.rolesOf(user, space).length > 0,
      );
      if (!isReport || !holdsAny) right(areas, user, access, call);
    }),
    async shows(service) {
      await service.host(() => [{ id: 'task', extensionType: 'ExternalTask' }]);
      const job = await scheduleTask(service);
      return (await service.otto.put(`${job}/progress`, undefined, { message: 'm' })).status < 400;
    },
  },

  'collection.read-by-administrators-of-a-space': {
    source: 'core: What the service does (collection level)',
    breaks: 'Collection routes need a Collection Administrator; the administrator of a space is none.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isAdministrator = [...areas.configuration.spaces.values()].some((space) =>
        areas.auth.rolesOf(user, space).includes('administrator'),
      );
      const isRead = access === 'collection' && call.method === 'GET' && call.url.startsWith('/api/collection/');
      if (!isRead || !isAdministrator) right(areas, user, access, call);
    }),
    async shows({ alma }) {
      return (await alma.get('/api/collection/template')).status === 200;
    },
  },

  'registration.by-administrators-of-a-space': {
    source: 'extensions: Registration routes, row 2',
    breaks: 'A Collection Administrator registers trusted endpoints, and nobody else.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isAdministrator = [...areas.configuration.spaces.values()].some((space) =>
        areas.auth.rolesOf(user, space).includes('administrator'),
      );
      const isTrusted = call.method === 'POST' && call.url === '/api/admin/trustedExternalEndpoint';
      if (!isTrusted || !isAdministrator) right(areas, user, access, call);
    }),
    async shows({ alma }) {
      const answer = await alma.post('/api/admin/trustedExternalEndpoint', {
        id: 'hook',
        url: 'http://127.0.0.1:9/',
        method: 'POST',
        category: 'proof',
        tokenLifeTime: 1,
        headers: [{ name: 'content-type', value: 'application/json' }],
      });
      return answer.status < 400;
    },
  },

  'impersonation.in-the-first-space-alone': {
    source: 'extensions: Authentication 4',
    breaks: 'The token of a call lets its extension do what the user may, in every space of the user.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const [first] = areas.configuration.spaces.keys();
      const isElsewhere = call.params['spaceId'] !== undefined && call.params['spaceId'] !== first;
      right(
        areas,
        isElsewhere && isImpersonation(call.headers['authorization'])
          ? (areas.configuration.users.get('nora') ?? user)
          : user,
        access,
        call,
      );
    }),
    async shows(service) {
      const host = await service.host(() => [{ id: 'event' }]);
      await service.edda.sendEvent();
      await service.pass(1);
      const made = await service.edda.make('Dossier', { title: 't' });
      const authorization = `Bearer ${callsTo(host)[0]?.envelope?.accessToken ?? ''}`;
      return (await service.nobody.get(made.path, { authorization })).status === 403;
    },
  },
};

function idsOfList(text: string): readonly unknown[] | undefined {
  const value: unknown = JSON.parse(text);
  const data = listAt(value, '/data');
  return data.length > 0 && at(value, '/href') !== undefined ? data.map((item) => at(item, '/id')) : undefined;
}

function isImpersonation(header = ''): boolean {
  const [, payload = ''] = header.split('.');
  return Buffer.from(payload, 'base64url').toString().includes('"scope":"impersonation"');
}

/** A file in one chunk. */
function formOf(path: string, content: string): FormData {
  const form = new FormData();
  const texts = {
    resumableTotalSize: content.length,
    resumableChunkNumber: 1,
    resumableChunkSize: content.length,
    resumableCurrentChunkSize: content.length,
    resumableTotalChunks: 1,
    resumableType: 'text/plain',
    resumableFilename: path,
    resumableRelativePath: path,
  };
  for (const [name, text] of Object.entries(texts)) form.set(name, String(text));
  form.set('file', new Blob([content]), path);
  return form;
}
