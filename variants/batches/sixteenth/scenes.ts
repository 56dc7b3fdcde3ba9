import type { ExtensionHost } from '../../../simulator/extension/host.ts';
import type { Received, Service } from '../service.ts';

/** Registers the host once more, otherwise. */
export function registerAgain({ cora }: Service, host: ExtensionHost, fields: object): Promise<Received> {
  return cora.post('/api/admin/svcExtension', { hostUri: host.url, tokenLifeTime: 60, ...fields });
}
