import { randomBytes } from 'node:crypto';
import type { ExtensionHostProfile } from '../contract/profile/extension-host.ts';
import bundled from '../fixtures/bundled.json' with { type: 'json' };
import { hostFaults, type HostFaultId } from '../variants/extension-host/faults.ts';
import { type ExtensionHost, type ExtensionHostOptions, startExtensionHost } from '../simulator/extension/host.ts';
import { defaultRecords, type MetadataRecord } from '../simulator/extension/metadata.ts';

/** The bundled extension host while it runs, as a profile names it. */
export interface BundledHost extends AsyncDisposable {
  readonly binding: ExtensionHostProfile;
}

/** What records may leave out, by type: with none of it in any record the rules about it would have nothing to judge. */
const optionalMembers: Readonly<Record<string, Partial<MetadataRecord>>> = {
  ExternalValidation: { capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document', 'Part'] }] },
  ExternalTask: { capabilities: [{ capabilityType: 'MimeType', capabilities: ['text/csv'] }] },
  Email: { description: 'Sends mail', requestTimeout: 300, retryForever: false, rateLimitNumberOfExecutions: 10 },
};

/** Makes a host that listens. */
export type HostStart = (options: ExtensionHostOptions) => Promise<ExtensionHost>;

/** Starts the bundled extension host on a free port, in this process, with a clock that the suite moves. */
export async function startBundledHost(
  faults: readonly HostFaultId[] = [],
  start: HostStart = startExtensionHost,
): Promise<BundledHost> {
  const apiKey = randomBytes(48).toString('base64');
  const host = await start({
    apiKey,
    control: true,
    records: defaultRecords.map((record) => ({ ...record, ...optionalMembers[record.extensionType] })),
    permissions: ['AdministrationAPI', 'SnapshotAPI'],
    faults: hostFaults(faults),
  });
  return { binding: await bindingOf(host, apiKey), [Symbol.asyncDispose]: () => host.close() };
}

/** A host of the bundled kind, as a profile names it. @param apiKey Base64 */
export async function bindingOf(
  host: Pick<ExtensionHost, 'url' | 'control'>,
  apiKey: string,
): Promise<ExtensionHostProfile> {
  const { url, control } = host;
  const { samples } = bundled;
  return { hostUri: url, apiKey, samples, ...(control && { time: { mode: 'controlled', control } }) };
}
