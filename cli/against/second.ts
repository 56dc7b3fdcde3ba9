import { catalogue } from '../../suites/catalogue.ts';
import type { Profile } from '../../contract/profile.ts';
import { loadProfile, type LoadedProfile } from '../../judge/profile/load.ts';
import { UsageError } from '../usage.ts';

/** The second implementation, and what is taken for granted about it. */
export interface Second {
  readonly loaded: LoadedProfile;
  readonly assumed: readonly string[];
}

/**
 * The profile of the second implementation: read from a file, or from an address that ends in .yaml or .yml; any other address is its base URL,
 * and the rest is as the profile of the first has it. @throws {ProfileError | UsageError}
 * @param token access token of its editor, in the place of the credentials
 */
export async function openSecond(against: string, first: LoadedProfile, token: string | undefined): Promise<Second> {
  if (isBaseUrl(against)) return atUrl(against.replace(/\/+$/, ''), first, token);
  const loaded = await loadProfile(against, { ruleIds: catalogue.ids });
  if (token === undefined) return { loaded, assumed: [] };
  return { loaded: withToken(loaded, token), assumed: ['the editor of the second has the token of --against-token'] };
}

function isBaseUrl(against: string): boolean {
  if (!/^https?:\/\//.test(against)) return false;
  if (!URL.canParse(against)) throw new UsageError(`--against: expected a profile or an address, found ${against}`);
  return !/\.ya?ml$/.test(new URL(against).pathname);
}

function atUrl(baseUrl: string, first: LoadedProfile, token: string | undefined): Second {
  const { time: _time, restart: _restart, probes: _probes, knownFailures: _known, ...rest } = first.profile;
  const profile: Profile = {
    ...rest,
    implementation: `the service at ${baseUrl}`,
    baseUrl,
    ...(rest.auth !== undefined && { auth: movedAuth(rest.auth, rest.baseUrl, baseUrl) }),
  };
  const loaded = { ...first, profile, source: baseUrl };
  const same = 'SoftTypes, space and routes of the second are those of the profile of the first';
  if (token !== undefined)
    return { loaded: withToken(loaded, token), assumed: [same, 'its editor has the token of --against-token'] };
  return { loaded, assumed: [same, 'its identities have the same credentials, which are sent there'] };
}

/** A token endpoint below the address of the first is looked for at the same place of the second. */
function movedAuth(auth: NonNullable<Profile['auth']>, from: string, to: string): NonNullable<Profile['auth']> {
  const { tokenUrl } = auth;
  return tokenUrl?.startsWith(from) === true ? { ...auth, tokenUrl: to + tokenUrl.slice(from.length) } : auth;
}

/** The editor alone, who is known by that token. */
function withToken(loaded: LoadedProfile, token: string): LoadedProfile {
  const { auth: _auth, ...rest } = loaded.profile;
  return { ...loaded, profile: { ...rest, identities: { editor: { token } } }, variables: {} };
}
