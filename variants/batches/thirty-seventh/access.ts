import { once } from 'node:events';
import type { User } from '../../../reference-server/configuration.ts';
import { Refusal } from '../../../reference-server/http/refusal.ts';
import { breaks, replaces, within } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { registerEndpoint } from '../proofs.ts';
import { administrationKey, at, signatureOver, type Received, type Service } from '../service.ts';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';

const profile = '/api/collection/user/profile';

/** A password grant with this form. */
function grant({ nobody }: Service, form: string): Promise<Received> {
  return nobody.post('/auth/token', form, {
    authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  });
}

const acquirePath = '/api/collection/externalExtension/acquireAccessToken/hook';

export const accessMistakes: Batch = {
  'access.roles-of-the-space-before': {
    source: 'core: What the service does',
    breaks: 'A space is open to whoever has a role within it, not within the one that he asked for before.',
    kind: 'moment',
    variant: breaks('auth', 'rolesOf', (right) => {
      const kept = new Map<User, readonly string[]>();
      return (areas, user, space) => {
        const roles = right(areas, user, space);
        const known = kept.get(user) ?? [];
        if (roles.length === 0) return known;
        kept.set(user, roles);
        return roles;
      };
    }),
    async shows({ otto }) {
      await otto.make('Dossier', { title: 'own' });
      const answer = await otto.post('/api/space/main/softtype/Part/partInput', { name: 'foreign' });
      return answer.status !== 403;
    },
  },

  'access.personal-token-after-an-hour': {
    source: 'core: Authentication 1',
    breaks: 'A personal access token opens routes, also when it has been in use for longer than a JWT lives.',
    kind: 'moment',
    survives: 'How long a personal access token opens anything is not said; it may end an hour after its first use.',
    variant: breaks('auth', 'userOfCredentials', (right) => {
      const first = new Map<string, number>();
      return async (areas, credentials) => {
        if (credentials.scheme !== 'bearer' || credentials.token.includes('.')) return right(areas, credentials);
        const now = areas.clock.now();
        const since = first.get(credentials.token) ?? now;
        first.set(credentials.token, since);
        return now - since > 3_600_000 ? undefined : right(areas, credentials);
      };
    }),
    async shows({ edda, pass }) {
      const made = await edda.make('Part', { name: 'part' });
      await pass(3700);
      return (await edda.get(made.path)).status === 401;
    },
  },

  'access.password-that-is-percent-encoded': {
    source: 'core: Authentication 3',
    breaks: 'The fields of a grant are a form, whose values may be percent-encoded.',
    kind: 'value',
    variant: replaces('grants', 'grantFormOf', (right, areas, call) => {
      const text = call.body?.toString('utf8') ?? '';
      right(areas, call);
      return new Map(text.split('&').map((pair) => [pair.split('=')[0] ?? '', pair.split('=').slice(1).join('=')]));
    }),
    async shows(service) {
      const form = 'grant_type=password&username=edda&password=edda%2Dpassword&scope=All';
      return (await grant(service, form)).status !== 200;
    },
  },

  'access.second-grant-without-a-token': {
    source: 'core: Authentication 3',
    breaks: 'The answer to a grant contains a token, to the second one of a user as well.',
    kind: 'place',
    variant: breaks('grants', 'tokenAnswer', (right) => {
      const known = new Map<string, number>();
      return (areas, form, token) => {
        const answer = right(areas, form, token);
        const name = form.get('username') ?? '';
        const count = (known.get(name) ?? 0) + 1;
        known.set(name, count);
        if (count !== 2) return answer;
        const { access_token: _lost, ...body } = answer.body as Record<string, unknown>;
        return { ...answer, body };
      };
    }),
    async shows(service) {
      const form = 'grant_type=password&username=emil&password=emil-password&scope=All';
      await grant(service, form);
      return typeof at((await grant(service, form)).json, '/access_token') !== 'string';
    },
  },

  'access.tag-of-the-beginning': {
    source: 'core: Versioning 4',
    breaks: 'Data that has changed is sent again, also where it has changed far behind its beginning.',
    kind: 'place',
    variant: replaces('caching', 'etagOf', (right, areas, representation) =>
      right(areas, String(representation).slice(0, 128)),
    ),
    async shows({ cora }) {
      await cora.put(profile, undefined, { displayName: `${'a'.repeat(150)} one` });
      const etag = (await cora.get(profile)).headers.get('etag') ?? '';
      await cora.put(profile, undefined, { displayName: `${'a'.repeat(150)} two` });
      return (await cora.get(profile, { 'if-none-match': etag })).status === 304;
    },
  },

  'access.signature-of-another-path': {
    source: 'extensions: Authentication 2',
    breaks: 'A bulk upload is signed over its own path, also when the signature has opened another one before.',
    kind: 'copy',
    variant: breaks('bulkUpload', 'requireAdministrationKey', (right) => {
      const accepted = new Set<string>();
      return async (areas, call) => {
        const header = call.headers['authorization'] ?? '';
        if (accepted.has(header)) return;
        await right(areas, call);
        accepted.add(header);
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      await writeFile(join(sourceDirectory, 'one.txt'), 'one');
      const body = { sourceDirectory, writeLog: false };
      await service.bulk('/admin/fileupload/main', body);
      const authorization = `Bearer ${signatureOver('/admin/fileupload/main', administrationKey)}`;
      return (await service.nobody.post('/admin/fileupload/depot', body, { authorization })).status < 400;
    },
  },

  'access.signature-used-twice': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature of a path opens it, however often it is sent.',
    kind: 'place',
    variant: breaks('bulkUpload', 'requireAdministrationKey', (right) => {
      const used = new Map<string, number>();
      return async (areas, call) => {
        await right(areas, call);
        const header = call.headers['authorization'] ?? '';
        const count = (used.get(header) ?? 0) + 1;
        used.set(header, count);
        if (count === 3) throw new Refusal(401, 'The signature was used before.');
      };
    }),
    async shows(service) {
      const sourceDirectory = await service.directory();
      const body = { sourceDirectory, writeLog: false };
      for (let count = 0; count < 3; count += 1)
        if ((await service.bulk('/admin/fileupload/main', body)).status === 401) return true;
      return false;
    },
  },

  'access.keys-of-endpoints-never-change': {
    source: 'extensions: Permission names',
    breaks: 'Keys are rotated every 24 hours, those of a trusted endpoint as well.',
    kind: 'role',
    variant: replaces('apiKeys', 'issueKeys', (right, areas, writing, holder, permissions) => {
      const forEver = within(areas, { apiKeys: { isKeyDue: () => false, isKeyValid: () => true } });
      return right(holder.recordId === undefined ? forEver : areas, writing, holder, permissions);
    }),
    async shows(service) {
      const keys: unknown[] = [];
      const callback = createServer((request, answer) => {
        request.on('data', (text: Buffer) => keys.push(at(JSON.parse(text.toString()), '/AdministrationAPI/apiKey')));
        request.on('end', () => answer.end());
      }).listen(0, '127.0.0.1');
      await once(callback, 'listening');
      const address = callback.address();
      const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
      const asked = { tokenCallback: `${url}/keys`, permissions: ['AdministrationAPI'] };
      await registerEndpoint(service, 'trustedExternalEndpoint', { url, permissions: asked });
      await service.cora.post(acquirePath, asked);
      await service.pass(25 * 3600);
      await service.cora.post(acquirePath, asked);
      callback.close();
      return keys.length === 2 && keys[0] === keys[1];
    },
  },
};
