import { requestPathOf } from '../../../reference-server/areas/signing.ts';
import type { Answer } from '../../../reference-server/http/call.ts';
import { breaks, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';
import { administrationKey, md5, signatureOver, spaceFiles } from '../service.ts';

const spacesPath = '/api/collection/space';
const tokenSeconds = 3600;

/** Who is let in. */
export const accessMistakes: Batch = {
  'bulk.signature-of-the-path-above': {
    source: 'core: Authentication 1',
    breaks: 'An administrative route asks for the key over its own path, not for that of a route above it.',
    kind: 'place',
    variant: replaces('bulkUpload', 'requireAdministrationKey', async (right, areas, call) => {
      const above = requestPathOf(call).replace(/\/[^/]*$/, '');
      try {
        await right(areas, call);
      } catch {
        await right(areas, { ...call, url: above });
      }
    }),
    async shows({ nobody, directory }) {
      const body = { sourceDirectory: await directory(), writeLog: false };
      const signature = signatureOver('/admin/fileupload', administrationKey);
      const answer = await nobody.post('/admin/fileupload/main', body, { authorization: `Bearer ${signature}` });
      return answer.status === 200;
    },
  },

  'token.granted-again': {
    source: 'core: Authentication 3',
    breaks: 'A grant brings an access token, and not one that has expired since it was granted.',
    kind: 'copy',
    variant: breaks('tokens', 'issueToken', (right) => {
      const tokens = new Map<string, Promise<string>>();
      return (areas, user) => {
        const token = tokens.get(user.name) ?? right(areas, user);
        tokens.set(user.name, token);
        return token;
      };
    }),
    async shows(service) {
      await tokenOf(service, 'edda');
      await service.pass(tokenSeconds);
      const token = await tokenOf(service, 'edda');
      const read = await service.nobody.get(`${spaceFiles}/none`, { authorization: `Bearer ${token}` });
      return read.status === 401;
    },
  },

  'collection.who-holds-the-tag': {
    source: 'core: Authentication 7',
    breaks: 'Collection routes need a Collection Administrator, a request with an ETag that is right too.',
    kind: 'role',
    variant: together(
      replaces('auth', 'authorize', (right, areas, user, access, call) =>
        access === 'collection' &&
        tags.get(call.url) !== undefined &&
        tags.get(call.url) === call.headers['if-none-match']
          ? undefined
          : right(areas, user, access, call),
      ),
      replaces('caching', 'conditional', (right, areas, call, answer: Answer) => {
        const sent = right(areas, call, answer);
        tags.set(call.url, sent.headers?.['ETag'] ?? '');
        return sent;
      }),
    ),
    async shows({ cora, edda }) {
      const etag = (await cora.get(spacesPath)).headers.get('etag') ?? '';
      return (await edda.get(spacesPath, { 'If-None-Match': etag })).status === 304;
    },
  },

  'files.token-first-in-the-query': {
    source: 'extensions: File routes, GET',
    breaks: 'The token of a download is a parameter of the query, wherever it stands there.',
    kind: 'place',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) =>
      call.url.includes('?token=') ? right(areas, call) : undefined,
    ),
    async shows(service) {
      await service.edda.upload('a.txt', 'a');
      const token = await tokenOf(service, 'edda');
      return (await service.nobody.get(`${spaceFiles}/a.txt?attachment=1&token=${token}`)).status === 401;
    },
  },

  'files.chunks-by-bearer-alone': {
    source: 'extensions: Authentication 1',
    breaks: 'File routes take Basic with a personal access token, that of the chunks too.',
    kind: 'place',
    variant: replaces('fileAreas', 'fileCredentialsOf', (right, areas, call) => {
      const credentials = right(areas, call);
      const isForm = call.headers['content-type']?.startsWith('multipart/') ?? false;
      return isForm && credentials?.scheme === 'basic' ? undefined : credentials;
    }),
    async shows({ nobody }) {
      const form = new FormData();
      form.set('file', new Blob(['a']), 'a.txt');
      const request = new Response(form);
      const answer = await nobody.post(spaceFiles, await request.bytes(), {
        authorization: `Basic ${Buffer.from('edda:svcpat-edda-7d1c0b9e5a').toString('base64')}`,
        checksum: md5('a'),
        'content-type': request.headers.get('content-type') ?? '',
      });
      return answer.status === 401;
    },
  },

  'registration.administrators-of-a-space': {
    source: 'extensions: Registration routes',
    breaks: 'Registration is for Collection Administrators, and not for those who administrate a space.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const roles = areas.configuration.spaces.values().flatMap((space) => areas.auth.rolesOf(user, space));
      if (call.url.startsWith('/api/admin/externalEndpoint') && roles.some((role) => role === 'administrator')) return;
      right(areas, user, access, call);
    }),
    shows: async ({ alma }) => (await alma.get('/api/admin/externalEndpoint')).status === 200,
  },
};

/** Tags by the address that they were told for. */
const tags = new Map<string, string>();
