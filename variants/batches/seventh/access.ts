import { mediaTypes } from '../../../contract/names.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { type Service, type UserName, at } from '../service.ts';

/** An access token of the user, by password. */
export async function tokenOf({ nobody }: Service, user: UserName): Promise<string> {
  const form = { grant_type: 'password', username: user, password: `${user}-password`, scope: 'All' };
  const client = Buffer.from('conformance:conformance-secret').toString('base64');
  const headers = { authorization: `Basic ${client}`, 'content-type': mediaTypes.form };
  const { json } = await nobody.post('/auth/token', new URLSearchParams(form).toString(), headers);
  return String(at(json, '/access_token'));
}

export const access: Batch = {
  'access.tokens-are-kept-by-client': {
    source: 'core: Authentication 3',
    breaks: 'The token of a password grant is that of the user whose password was sent, whoever asked just before.',
    kind: 'copy',
    variant: breaks('tokens', 'issueToken', (right) => {
      let last: { readonly minute: number; readonly token: string } | undefined;
      return async (areas, user) => {
        const minute = Math.floor(areas.tokens.secondsNow() / 60);
        if (last?.minute !== minute) last = { minute, token: await right(areas, user) };
        return last.token;
      };
    }),
    async shows(service) {
      await tokenOf(service, 'edda');
      const authorization = `Bearer ${await tokenOf(service, 'rita')}`;
      const path = '/api/space/main/softtype/Part/partInput';
      return (await service.nobody.post(path, { name: 'p' }, { authorization })).status === 201;
    },
  },
  'access.reader-demotes': {
    source: 'core: What the service does, space level',
    breaks: 'The role decides on PUT, also where it demotes.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, route, call) => {
      right(areas, user, call.url.includes('/maturityAction/demote/') ? 'participant' : route, call);
    }),
    async shows({ edda, rita }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      return (await rita.move(made, 2, 'demote')).status < 300;
    },
  },
};
