import type { ExtensionHostProfile } from '../contract/profile/extension-host.ts';
import { catalogue } from '../suites/catalogue.ts';
import { extensionAlone, withDeclarations } from '../judge/profile/host-profile.ts';
import { type LoadedProfile, loadProfile } from '../judge/profile/load.ts';
import type { HostFaultId } from '../variants/extension-host/faults.ts';
import { createVariant, type VariantOptions } from '../variants/create-variant.ts';
import type { Server } from '../reference-server/server.ts';
import { startExtensionHost } from '../simulator/extension/host.ts';
import type { HostChoice } from '../variants/extension-host/choice.ts';
import { hostTaking } from '../variants/extension-host/choices.ts';
import { type HostStart, startBundledHost } from './bundled-host.ts';

/** What a run judges. */
export interface Deployment extends AsyncDisposable {
  readonly loaded: LoadedProfile;
  /** Whether the target lives and dies with the run, so that nothing has to be cleaned up. */
  readonly temporary: boolean;
}

/** The deployment that a profile describes; without one a reference server and an extension host on free ports. @throws {ProfileError} */
export async function openDeployment(profile: string | undefined): Promise<Deployment> {
  if (profile === undefined) return startBoth();
  return kept(await withDeclarations(await loadProfile(profile, { rules: catalogue.all })));
}

/** A target that was there before the run and stays. */
export function kept(loaded: LoadedProfile): Deployment {
  return { loaded, temporary: false, [Symbol.asyncDispose]: async () => undefined };
}

/** The profile of nothing but an extension host of this package. */
export function ownHost(binding: ExtensionHostProfile): LoadedProfile {
  return extensionAlone({ profileVersion: 1, implementation: 'svc-conformance extension host' }, binding);
}

/** A reference server of its own, in this process, with the bundled profile bound to it. */
export async function startReference(
  options: Pick<VariantOptions, 'faults' | 'dialect'> = {},
  create: (options: VariantOptions) => Server = createVariant,
): Promise<Deployment> {
  const server = create({ ...options, control: true });
  const url = await server.listen();
  const loaded = await loadProfile(`${url}/_control/profile.yaml`, { isOurs: true });
  return { loaded, temporary: true, [Symbol.asyncDispose]: () => server.close() };
}

/** A reference server and an extension host of their own, each judged as if it were somebody's. */
export async function startBoth(options: Pick<VariantOptions, 'faults' | 'dialect'> = {}): Promise<Deployment> {
  const [service, host] = await Promise.all([startReference(options), startBundledHost()]);
  const { loaded } = service;
  return {
    ...service,
    loaded: { ...loaded, profile: { ...loaded.profile, extensionHost: host.binding } },
    [Symbol.asyncDispose]: async () => {
      await host[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/** A deployment of nothing but the bundled extension host. */
export async function startHostAlone(faults: readonly HostFaultId[] = [], start?: HostStart): Promise<Deployment> {
  const host = await startBundledHost(faults, start);
  return { loaded: ownHost(host.binding), temporary: true, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

/** The same of an extension host that takes these choices, with a profile that tells of them. */
export async function startHostTaking(choices: readonly HostChoice[]): Promise<Deployment> {
  const alone = await startHostAlone([], ({ records = [], ...options }) =>
    startExtensionHost({
      ...options,
      records: choices.reduce((served, choice) => choice.records?.(served) ?? served, records),
      faults: hostTaking(choices),
    }),
  );
  const { profile } = alone.loaded;
  const { extensionHost } = profile;
  const loaded = await withDeclarations({
    ...alone.loaded,
    profile: {
      ...profile,
      ...(extensionHost && {
        extensionHost: choices.reduce((bound, choice) => choice.binding?.(bound) ?? bound, extensionHost),
      }),
    },
  });
  return { ...alone, loaded };
}
