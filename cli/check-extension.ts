import { catalogue } from '../suites/catalogue.ts';
import { loadExtensionProfile, withDeclarations } from '../judge/profile/host-profile.ts';
import { type Deployment, startHostAlone } from '../api/deployment.ts';
import { checkCommand } from './check.ts';
import type { CheckExtensionOptions, ExtensionOptions } from './options.ts';

/** Judges an extension host, the suite playing the service; without an address the bundled one. Resolves with the exit codes of `check`. */
export async function checkExtensionCommand({ url, apiKey, ...options }: CheckExtensionOptions): Promise<number> {
  const extension = { ...(url !== undefined && { url }), ...(apiKey !== undefined && { apiKey }) };
  return checkCommand({ ...options, extension }, () => opened(options.profile, extension));
}

/** @throws {ProfileError} */
async function opened(profile: string | undefined, extension: ExtensionOptions): Promise<Deployment> {
  const loaded = await loadExtensionProfile(profile, extension, catalogue.ids);
  if (loaded === undefined) return startHostAlone();
  return { loaded: await withDeclarations(loaded), temporary: false, [Symbol.asyncDispose]: async () => undefined };
}
