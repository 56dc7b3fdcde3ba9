import { base64 } from '../../contract/base64.ts';
import type { ExtensionHostProfile } from '../../contract/profile/extension-host.ts';
import type { ExtensionProfile } from '../../contract/profile/extension-profile.ts';
import { needsOfHost } from '../host/host-needs.ts';
import { checkExtensionProfile, ProfileDocument, ProfileError } from './document.ts';
import { type LoadedProfile, profileText } from './load.ts';
import { closeSession, openSession } from '../run/session.ts';

/** What the command line says about the host. */
export interface HostAddress {
  readonly url?: string;
  /** Base64. */
  readonly apiKey?: string;
}

/** Longest metadata exchange of before the run, in s. */
const discoverySeconds = 10;

/**
 * A profile for judging an extension host alone, from a file and the command line, which wins. Undefined where neither names a host.
 * @throws {ProfileError} with file, line and column
 */
export async function loadExtensionProfile(
  file: string | undefined,
  address: HostAddress,
  ruleIds?: readonly string[],
): Promise<LoadedProfile | undefined> {
  return extensionProfileFrom(file === undefined ? undefined : await profileText(file), file, address, ruleIds);
}

/** The same from the YAML text of a profile; `file` names it in errors. @throws {ProfileError} */
export function extensionProfileFrom(
  text: string | undefined,
  file: string | undefined,
  { url, apiKey }: HostAddress,
  ruleIds?: readonly string[],
): LoadedProfile | undefined {
  const document = text === undefined || file === undefined ? undefined : new ProfileDocument(text, file);
  const variables = document?.fillIn((name) => process.env[name]) ?? {};
  const stated: ExtensionProfile =
    document === undefined ? { profileVersion: 1 } : checkExtensionProfile(document, ruleIds);
  const hostUri = url ?? stated.extensionHost?.hostUri;
  const key = apiKey ?? stated.extensionHost?.apiKey;
  if (hostUri === undefined) return undefined;
  const fault = (sentence: string): ProfileError =>
    document?.errorAt(['extensionHost'], sentence) ??
    new ProfileError('content', sentence, { file: 'the command line' });
  if (key === undefined)
    throw fault('the key of the extension host is missing; give --api-key, EXTENSION_API_KEY or extensionHost.apiKey');
  if (!base64.test(key)) throw fault('extensionHost.apiKey must be Base64');
  const source = file ?? 'the command line';
  return {
    ...extensionAlone(stated, { ...stated.extensionHost, hostUri, apiKey: key }),
    source,
    variables,
    ...(document && { places: document.places() }),
  };
}

/** What the session needs to judge that host and nothing else. */
export function extensionAlone(stated: ExtensionProfile, extensionHost: ExtensionHostProfile): LoadedProfile {
  const { time, implementation = 'extension host', ...rest } = stated;
  const host = { ...extensionHost, ...(extensionHost.time === undefined && time && { time }) };
  const profile = {
    ...rest,
    implementation,
    baseUrl: extensionHost.hostUri,
    space: '-',
    identities: { editor: {} },
    extensionHost: host,
  };
  return { profile, source: 'the bundled extension host', variables: {}, sides: ['extension'] };
}

/**
 * The profile with the needs that the host itself declares not to meet: its metadata show no such record. A host that cannot be asked
 * declares nothing.
 */
export async function withDeclarations(loaded: LoadedProfile): Promise<LoadedProfile> {
  const { profile } = loaded;
  if (profile.extensionHost === undefined) return loaded;
  const session = openSession({
    ...loaded,
    profile: { ...profile, limits: { ...profile.limits, requestTimeoutSeconds: discoverySeconds } },
  });
  try {
    const discovery = await session.host?.discovery();
    if (discovery?.reply === undefined || discovery.reply.status >= 400 || !Array.isArray(discovery.reply.json))
      return loaded;
    const missing = Object.entries(needsOfHost).filter(([, need]) => !need.isMet(discovery));
    const declared = Object.fromEntries(
      missing.map(([need, { what }]) => [need, `the metadata of the host show no ${what.replace(/^a /, '')}`]),
    );
    return { ...loaded, profile: { ...profile, notSupported: { ...declared, ...profile.notSupported } } };
  } finally {
    await closeSession(session);
  }
}
