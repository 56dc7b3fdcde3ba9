import { mediaTypes } from '../../../contract/names.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { registrationsOf } from '../../../reference-server/areas/registry.ts';
import { replaces, together, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { administrationKey, at, hostKey, signatureOver, type Service } from '../service.ts';

/** Batches of which an operation was let pass. */
const begun = new WeakSet<object>();

/** Forms that came with a wish for another form of answer. */
const wished = new WeakSet<object>();

export const accessMistakes: Batch = {
  'access.once-let-pass': {
    source: 'core: What the service does',
    breaks: 'The role decides about each operation of a batch, also behind one that it allows.',
    kind: 'moment',
    variant: replaces('batch', 'carryOutOperation', async (right, areas, prepared, writing) => {
      const list = Reflect.get(prepared.call, 'json') as object | undefined;
      const open = within(areas, { auth: { authorize: () => undefined } });
      const answer = await right(list !== undefined && begun.has(list) ? open : areas, prepared, writing);
      if (list !== undefined) begun.add(list);
      return answer;
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Part', { name: 'n' });
      const href = `/api/space/main/softtype/Part/partInput/${made.oid}`;
      await rita.batch([
        { method: 'GET', href: made.path },
        { method: 'PATCH', href, headers: { 'Svc-UOIVersion': '1' }, body: { note: 'n' } },
      ]);
      return at(await edda.read(made), '/version') !== 1;
    },
  },

  'access.not-modified-for-anybody': {
    source: 'core: Authentication 7',
    breaks: 'A collection route is closed to those who are no Collection Administrators, also when they hold its ETag.',
    kind: 'moment',
    variant: replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      try {
        return await right(areas, route, call);
      } catch (error) {
        const isRefused = error instanceof Refusal && error.status === 403;
        if (!isRefused || route.access !== 'collection' || call.headers['if-none-match'] === undefined) throw error;
        const answer = await right(within(areas, { auth: { authorize: () => undefined } }), route, call);
        if (answer.status === 304) return answer;
        throw error;
      }
    }),
    async shows({ cora, edda }) {
      const read = await cora.get('/api/collection/space');
      const etag = read.headers.get('etag') ?? '';
      return (await edda.get('/api/collection/space', { 'if-none-match': etag })).status !== 403;
    },
  },

  'access.nameless-basic': {
    source: 'core: Authentication 5',
    breaks: 'A personal access token is a password together with its user name, not with an empty one.',
    kind: 'value',
    variant: replaces('auth', 'userOfCredentials', (right, areas, credentials) => {
      if (credentials.scheme !== 'basic' || credentials.name !== '') return right(areas, credentials);
      return right(areas, { scheme: 'bearer', token: credentials.secret });
    }),
    async shows({ edda, nobody }) {
      await edda.upload('f.txt', 'content');
      const authorization = basic(':svcpat-edda-7d1c0b9e5a');
      return (await nobody.get('/api/space/main/fs/file/f.txt', { authorization })).status === 200;
    },
  },

  'token.password-as-it-was-sent': {
    source: 'core: Authentication 3',
    breaks: 'The fields of the token request are those of a form, whose percent-encoding is taken away.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const form = new Map(right(areas, call));
      const [, sent] = /(?:^|&)password=([^&]*)/.exec(call.body?.toString() ?? '') ?? [];
      return sent === undefined ? form : form.set('password', sent);
    }),
    async shows(service) {
      return at((await grant(service, 'edda%2Dpassword')).json, '/access_token') === undefined;
    },
  },

  'token.answer-in-the-form-of-the-request': {
    source: 'core: Authentication 3',
    breaks: 'The answer with the token is JSON, also for a client that takes a form before that.',
    kind: 'value',
    variant: together(
      replaces('grants', 'grantFormOf', (right, areas, call) => {
        const form = right(areas, call);
        if (call.headers['accept']?.startsWith(mediaTypes.form)) wished.add(form);
        return form;
      }),
      replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
        const { body: _json, ...answer } = right(areas, form, token);
        const raw = new URLSearchParams({ access_token: token, token_type: 'Bearer' }).toString();
        const headers = { ...answer.headers, 'Content-Type': mediaTypes.form };
        return wished.has(form) ? { ...answer, headers, raw } : right(areas, form, token);
      }),
    ),
    async shows(service) {
      const { json } = await grant(service, 'edda-password', { accept: `${mediaTypes.form}, application/json` });
      return at(json, '/access_token') === undefined;
    },
  },

  'bulk.an-administrator-by-name': {
    source: 'core: Authentication 1',
    breaks: 'Bulk upload is opened by an API key, not by the personal access token of a Collection Administrator.',
    kind: 'value',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const credentials = areas.auth.credentialsOf(call.headers);
      const user = credentials?.scheme === 'basic' ? await areas.auth.userOfCredentials(credentials) : undefined;
      return user?.collectionAdministrator ? undefined : right(areas, call);
    }),
    shows: (service) => opensBulk(service, basic('cora:svcpat-cora-6f8b0d2e4a')),
  },

  'bulk.the-key-of-any-extension': {
    source: 'extensions: Authentication 2',
    breaks: 'Bulk upload needs the administration key; that of an extension opens nothing.',
    kind: 'role',
    variant: replaces('apiKeys', 'administrationKeys', async (right, areas, reading) => {
      const extensions = await registrationsOf(reading, 'svcExtension');
      const keys = extensions.flatMap((extension) => (extension.kind === 'svcExtension' ? [extension.apiKey] : []));
      return [...(await right(areas, reading)), ...keys];
    }),
    async shows(service) {
      await service.host(() => [{ id: 'event' }]);
      return opensBulk(service, `Bearer ${signatureOver('/admin/fileupload', hostKey)}`);
    },
  },

  'bulk.the-beginning-of-a-signature': {
    source: 'extensions: Authentication 2',
    breaks: 'The bearer value is the whole signature; its beginning opens nothing.',
    kind: 'value',
    variant: replaces('signing', 'sameSignature', (right, areas, given, expected) =>
      right(areas, given, expected.slice(0, given.length)),
    ),
    shows: (service) =>
      opensBulk(service, `Bearer ${signatureOver('/admin/fileupload', administrationKey).slice(0, 40)}`),
  },
};

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function grant({ nobody }: Service, password: string, headers: Readonly<Record<string, string>> = {}) {
  return nobody.post('/auth/token', `grant_type=password&username=edda&password=${password}&scope=All`, {
    authorization: basic('conformance:conformance-secret'),
    'content-type': mediaTypes.form,
    ...headers,
  });
}

async function opensBulk(service: Service, authorization: string): Promise<boolean> {
  const body = { sourceDirectory: await service.directory(), writeLog: false };
  return (await service.nobody.post('/admin/fileupload', body, { authorization })).status < 300;
}
