import { mediaTypes } from '../../../contract/names.ts';
import { at, type Service, type UserName } from '../service.ts';

const client = Buffer.from('conformance:conformance-secret').toString('base64');

/** A token by password grant. Source: core, Authentication 3 */
export async function grantedToken({ nobody }: Service, user: UserName): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'password',
    username: user,
    password: `${user}-password`,
    scope: 'All',
  });
  const headers = { 'Content-Type': mediaTypes.form, authorization: `Basic ${client}` };
  return String(at((await nobody.post('/auth/token', form.toString(), headers)).json, '/access_token'));
}
