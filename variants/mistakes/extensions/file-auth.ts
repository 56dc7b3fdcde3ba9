import { breaks, replaces, within } from '../../breaks.ts';
import type { Mistakes } from '../mistake.ts';
import { basic, tokenOf } from '../proofs.ts';
import { at, type Service, spaceFiles } from '../service.ts';
import { changes } from '../variant-parts.ts';

/** Personal access token of the user edda of the seed. */
const token = 'svcpat-edda-7d1c0b9e5a';
const edda = basic('edda', token);

export const fileAuthMistakes: Mistakes = {
  'files.listings-open-to-nobody': {
    source: 'core: Authentication 6',
    breaks: 'A listing of what is in an area is for who comes with a credential, as is all that is in it.',
    variant: replaces('dispatcher', 'carryOut', (right, areas, route, call) => {
      const isListing = route.path.includes('/fs/dir') && call.headers['authorization'] === undefined;
      return right(areas, route, isListing ? { ...call, headers: { ...call.headers, authorization: edda } } : call);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('seen/a.txt', 'a');
      return (await nobody.get('/api/space/main/fs/dir/seen')).status === 200;
    },
  },
  'access.query-token-of-ten-minutes': {
    source: 'extensions: Authentication',
    breaks: 'A token in the query opens a download as long as it does in the header.',
    variant: changes('fileAreas', 'queryCredentialsOf', (given, areas) => {
      if (given?.scheme !== 'bearer') return given;
      const claims: unknown = JSON.parse(Buffer.from(given.token.split('.')[1] ?? '', 'base64url').toString() || '{}');
      const issuedAt = Number(at(claims, '/iat'));
      return areas.tokens.secondsNow() - issuedAt > 600 ? undefined : given;
    }),
    async shows(service) {
      await service.edda.upload('old.txt', 'old');
      const token = await tokenOf(service, 'edda');
      await service.pass(900);
      const path = `${spaceFiles}/old.txt`;
      const header = await service.nobody.get(path, { authorization: `Bearer ${token}` });
      const query = await service.nobody.get(`${path}?token=${token}`);
      return header.status === 200 && query.status !== 200;
    },
  },
  'download.opens-for-all-behind-a-token': {
    source: 'extensions: Authentication 1',
    breaks: 'A download needs its token each time, also where the same file was just had with one.',
    variant: breaks('fileAreas', 'queryCredentialsOf', (right) => {
      const known = new Map<string, ReturnType<typeof right>>();
      return (areas, call) => {
        const [path = ''] = call.url.split('?', 1);
        const credentials = right(areas, call) ?? (call.method === 'GET' ? known.get(path) : undefined);
        if (credentials !== undefined) known.set(path, credentials);
        return credentials;
      };
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      await nobody.get(`${spaceFiles}/a.txt?token=svcpat-edda-7d1c0b9e5a`);
      return (await nobody.get(`${spaceFiles}/a.txt`)).status === 200;
    },
  },
  'files.query-token-of-the-space-area': {
    source: 'extensions: Authentication 1',
    breaks: 'A download may have its token in the query, in each of the four areas.',
    variant: replaces('fileAreas', 'queryCredentialsOf', (right, areas, call) => {
      return /^\/api\/space\/[^/]+\/fs\//.test(call.url) ? right(areas, call) : undefined;
    }),
    async shows(service) {
      const base = '/api/space/main/user/fs/file';
      await service.edda.upload('token.txt', 'by token', base);
      const token = await tokenOf(service, 'edda');
      return (await service.nobody.get(`${base}/token.txt?token=${token}`)).status !== 200;
    },
  },
  'chunks.basic-sends-none': {
    source: 'extensions: Authentication 1',
    breaks: 'User name and personal access token open every file route, that of the chunks too.',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const isForm = call.headers['content-type']?.startsWith('multipart/form-data') === true;
      if (isForm && areas.auth.credentialsOf(call.headers)?.scheme === 'basic')
        throw areas.tokens.unusableToken('Expected a bearer token.');
      return right(areas, call);
    }),
    async shows({ nobody }) {
      const headers = { authorization: basic('edda', token) };
      return (await nobody.sendChunk('basic.txt', ['abcd'], 1, { headers })).status >= 400;
    },
  },
  'files.basic-needs-no-role': {
    source: 'extensions: Authentication 1',
    breaks: 'Who has no role is refused at the file routes, by whatever he shows who he is.',
    variant: replaces(
      'fileAreas',
      'mayUseArea',
      (right, areas, user, area, call) =>
        areas.auth.credentialsOf(call.headers)?.scheme === 'basic' || right(areas, user, area, call),
    ),
    async shows(service) {
      const headers = await noteForStrangers(service);
      return (await service.nobody.get(`${spaceFiles}/note.txt`, headers)).status === 200;
    },
  },
  'files.query-token-never-expires': {
    source: 'extensions: Authentication 1',
    breaks: 'A token in the query opens a download as long as it is valid, and not a second longer.',
    variant: replaces('fileAreas', 'authenticateFile', (right, areas, call) => {
      const lenient = within(areas, { tokens: { checkExpiry: () => undefined } });
      return right(call.headers['authorization'] === undefined ? lenient : areas, call);
    }),
    async shows(service) {
      await service.edda.upload('a.txt', 'text');
      const token = await tokenOf(service, 'edda');
      await service.pass(3601);
      return (await service.nobody.get(`${spaceFiles}/a.txt?token=${token}`)).status === 200;
    },
  },
  'files.an-old-token-for-chunks': {
    source: 'extensions: Authentication 1',
    breaks: 'A chunk needs an access token that is valid when it comes.',
    variant: replaces('fileAreas', 'authenticateFile', (right, areas, call) => {
      const isForm = call.headers['content-type']?.startsWith('multipart/form-data') ?? false;
      return right(isForm ? within(areas, { tokens: { checkExpiry: () => undefined } }) : areas, call);
    }),
    async shows(service) {
      const headers = { authorization: `Bearer ${await tokenOf(service, 'edda')}` };
      await service.pass(7200);
      return (await service.nobody.sendChunk('f.txt', ['content'], 1, { headers })).status < 300;
    },
  },
  'files.login-password-deletes': {
    source: 'extensions: Authentication, rule 1',
    breaks:
      'What Basic takes on a file route is the personal access token of the user and not the password of the login.',
    survives:
      'That Basic takes nothing but the token is not said: what the password of the login opens is remarked on.',
    variant: replaces('fileAreas', 'authenticateFile', async (right, areas, call) => {
      const given = areas.fileAreas.fileCredentialsOf(call);
      if (given?.scheme !== 'basic' || call.method !== 'DELETE') return right(areas, call);
      return areas.auth.userOfPassword(given.name, given.secret) ?? right(areas, call);
    }),
    async shows({ edda, nobody }) {
      await edda.upload('a.txt', 'a');
      const authorization = basic('edda', 'edda-password');
      return (await nobody.delete(`${spaceFiles}/a.txt`, { authorization })).status < 300;
    },
  },
};

/** A note in the space main, and the headers by which somebody without a role there shows who he is by his personal access token. */
async function noteForStrangers({ edda }: Service): Promise<Readonly<Record<string, string>>> {
  await edda.upload('note.txt', 'text');
  return { authorization: basic('otto', 'svcpat-otto-4c6d8e0f1a') };
}
