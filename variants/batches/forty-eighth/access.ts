import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { tokenOf } from '../proofs.ts';

const leewaySeconds = 60;

/** Who is let in, and as whom. */
export const accessMistakes: Batch = {
  'token.kept-beyond-its-end': {
    source: 'core: Authentication 3',
    breaks: 'The token endpoint answers with a token that opens what it is for, whatever it gave out before.',
    kind: 'copy',
    variant: breaks('tokens', 'issueToken', (right) => {
      const kept = new Map<string, { readonly token: string; readonly until: number }>();
      return async (areas, user) => {
        const now = areas.tokens.secondsNow();
        const known = kept.get(user.name);
        if (known !== undefined && now < known.until) return known.token;
        const token = await right(areas, user);
        const { tokenLifetimeSeconds } = areas.configuration.auth;
        kept.set(user.name, { token, until: now + tokenLifetimeSeconds + leewaySeconds });
        return token;
      };
    }),
    async shows(service) {
      await tokenOf(service, 'cora');
      await service.pass(3610);
      const authorization = `Bearer ${await tokenOf(service, 'cora')}`;
      return (await service.nobody.get('/api/collection/health', { authorization })).status === 401;
    },
  },

  'files.user-area-of-each-credential': {
    source: 'extensions: File areas, row User',
    breaks: 'The user area is that of the authenticated identity, by whatever it shows who it is.',
    kind: 'role',
    variant: replaces('fileAreas', 'fileAreaOf', (right, areas, call, user, kind) => {
      const credentials = areas.fileAreas.fileCredentialsOf(call);
      const isToken = credentials?.scheme === 'bearer' && credentials.token.includes('.');
      return right(areas, call, isToken ? { ...user, name: `${user.name}.token` } : user, kind);
    }),
    async shows(service) {
      const base = '/api/space/main/user/fs/file';
      await service.edda.upload('mine.txt', 'text', base);
      const authorization = `Bearer ${await tokenOf(service, 'edda')}`;
      return (await service.nobody.get(`${base}/mine.txt`, { authorization })).status !== 200;
    },
  },
};
