import { createHmac } from 'node:crypto';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, tokenOf } from '../proofs.ts';
import { at, signatureOver } from '../service.ts';

/** Tokens that were given for id tokens. */
const exchanged = new Set<string>();

/** An id token of the provider that the seed trusts. */
function idTokenOf(sub: string): string {
  const claims = { iss: 'https://login.example', aud: 'svc', sub, exp: Math.floor(Date.now() / 1000) + 600 };
  const text = [{ alg: 'HS512', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const key = Buffer.from('id token issuer of the demonstration, public on purpose, 64 bytes !');
  return `${text}.${createHmac('sha512', key).update(text).digest('base64url')}`;
}

/** Who may do what. */
export const accessMistakes: Batch = {
  'roles.granted-to-the-token': {
    source: 'core: What the service does',
    breaks: 'A space is open to who has a role in that space, whatever space the token has opened before.',
    kind: 'copy',
    variant: breaks('auth', 'authorize', (right) => {
      const granted = new Set<string>();
      return (areas, user, access, call) => {
        const { authorization = '' } = call.headers;
        const key = `${call.method} ${authorization}`;
        if (access === 'space' && granted.has(key)) return;
        right(areas, user, access, call);
        if (access === 'space' && authorization.split('.').length === 3) granted.add(key);
      };
    }),
    async shows(service) {
      const headers = { authorization: `Bearer ${await tokenOf(service, 'otto')}` };
      const open = await service.otto.make('Dossier', { title: 't' });
      const closed = await service.edda.make('Document', { title: 't' });
      await service.nobody.get(open.path, headers);
      return (await service.nobody.get(closed.path, headers)).status === 200;
    },
  },

  'exchange.no-administrator': {
    source: 'core: Authentication 4',
    breaks: 'An exchange gives a JWT of the service for the user, with which a Collection Administrator is one.',
    kind: 'role',
    survives: 'The exchange has no described route: what a token received opens is recorded.',
    variant: together(
      replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
        if (form.has('subject_token')) exchanged.add(token);
        return right(areas, form, token);
      }),
      replaces('auth', 'authorize', (right, areas, user, access, call) => {
        const isExchanged = exchanged.has(call.headers['authorization']?.slice('Bearer '.length) ?? '');
        right(areas, isExchanged ? { ...user, collectionAdministrator: false } : user, access, call);
      }),
    ),
    async shows({ nobody }) {
      const form = new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: idTokenOf('cora'),
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      });
      const answer = await nobody.post('/auth/token', String(form), {
        authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      });
      const headers = { authorization: `Bearer ${String(at(answer.json, '/access_token'))}` };
      return (await nobody.get('/api/collection/health', headers)).status === 403;
    },
  },

  'bulk.signatures-remembered': {
    source: 'extensions: Authentication 2',
    breaks: 'The signature is one by a key that counts now, and not one that was found right once.',
    kind: 'copy',
    survives: 'How long a key works after its rotation is not said: recorded.',
    variant: breaks('bulkUpload', 'requireAdministrationKey', (right) => {
      const known = new Set<string>();
      return async (areas, call) => {
        const signed = `${call.url} ${call.headers['authorization'] ?? ''}`;
        if (!known.has(signed)) await right(areas, call);
        known.add(signed);
      };
    }),
    async shows(service) {
      const host = await service.host(
        (url) => [{ id: 'holder', permissions: { tokenCallback: `${url}/keys`, permissions: ['AdministrationAPI'] } }],
        always({ status: 200 }),
      );
      await service.cora.post('/api/collection/externalExtension/acquireAccessToken/holder', {
        tokenCallback: `${host.url}/keys`,
        permissions: ['AdministrationAPI'],
      });
      const brought = host.entries(({ path }) => path === '/keys')[0]?.json;
      const key = String(at(brought, '/AdministrationAPI/apiKey'));
      const body = { sourceDirectory: await service.directory(), writeLog: false };
      const send = () =>
        service.nobody.post('/admin/fileupload', body, {
          authorization: `Bearer ${signatureOver('/admin/fileupload', key)}`,
        });
      const first = await send();
      await service.pass(49 * 60 * 60);
      return first.status === 200 && (await send()).status === 200;
    },
  },
};
