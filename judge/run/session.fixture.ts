import type { Profile } from '../../contract/profile.ts';
import { endWithTest } from '../../fixtures/end-with-test.fixture.ts';
import { createVariant, type VariantOptions } from '../../variants/create-variant.ts';
import { type LoadedProfile, loadProfile } from '../profile/load.ts';
import { closeSession, openSession, type Session } from './session.ts';

/** A session that is closed with its test. */
export function sessionFor(loaded: LoadedProfile): Session {
  const session = openSession(loaded);
  endWithTest(() => closeSession(session));
  return session;
}

/** A profile that holds nothing but an extension host. */
export function profileOfHost(
  extensionHost: NonNullable<Profile['extensionHost']>,
  limits?: NonNullable<Profile['limits']>,
): LoadedProfile {
  const baseUrl = extensionHost.hostUri;
  const profile = {
    profileVersion: 1,
    implementation: 'host',
    baseUrl,
    space: '-',
    identities: { editor: {} },
  } as const;
  return { profile: { ...profile, extensionHost, ...(limits && { limits }) }, source: 'test', variables: {} };
}

/** The profile of a bundled server of the test's own, changed as told. */
export async function profileOfServer(
  options: VariantOptions = {},
  change: (profile: Profile) => Profile = (profile) => profile,
): Promise<LoadedProfile> {
  const server = createVariant({ control: true, ...options });
  const url = await server.listen();
  endWithTest(() => server.close());
  const loaded = await loadProfile(`${url}/_control/profile.yaml`);
  return { ...loaded, profile: change(loaded.profile) };
}

export async function sessionOnServer(change?: (profile: Profile) => Profile): Promise<Session> {
  return sessionFor(await profileOfServer({}, change));
}
