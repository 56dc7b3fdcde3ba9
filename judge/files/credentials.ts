import type { IdentityName } from '../../contract/profile.ts';
import type { Changes, RequestSpec } from '../exchange.ts';
import type { BoundProfile } from '../profile.ts';
import type { Target } from '../target.ts';
import { Inconclusive, PreconditionFailed } from '../violation.ts';
import type { DownloadChanges } from './files.ts';

/** The request with the token as query parameter and without Authorization header. Source: extensions, File routes, row 3 */
export async function withQueryToken(
  service: Target,
  request: RequestSpec,
  token: NonNullable<DownloadChanges['token']>,
): Promise<RequestSpec> {
  const text = token === 'query' ? await tokenOf(service, request) : token.text;
  const joint = request.url.includes('?') ? '&' : '?';
  return { ...request, url: `${request.url}${joint}token=${encodeURIComponent(text)}`, as: null };
}

async function tokenOf(service: Target, { as }: RequestSpec): Promise<string> {
  const token = as === null ? null : await service.token(as);
  if (token === null) throw new PreconditionFailed(`a token of ${as ?? 'nobody'} to put into the query`);
  return token;
}

/** Source: extensions, Authentication 1. @throws {Inconclusive} the profile lacks user name or personal access token */
export function basic(profile: BoundProfile, as: IdentityName, secret?: string): Pick<Changes, 'as' | 'headers'> {
  const { username, pat } = profile.all.identities[as] ?? {};
  const password = secret ?? pat;
  if (username === undefined || password === undefined)
    throw new Inconclusive(
      `The case uses Basic, for which the profile lacks something: add identities.${as}.username and identities.${as}.pat.`,
    );
  return { as: null, headers: { Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` } };
}
