import { rightAreas, type HostAreas } from '../../simulator/extension/host.ts';
import { apiKeysFaults } from './api-keys.ts';
import type { HostFaults } from './breaks.ts';
import { callsFaults } from './calls.ts';
import { metadataFaults } from './metadata.ts';
import { signingFaults } from './signing.ts';
import { tasksFaults } from './tasks.ts';

/** Wrong extension hosts by the rule each one breaks, and the control, which differs in nothing that can be seen from outside. */
export const extensionFaults = {
  control: (areas) => ({ ...areas }),
  ...metadataFaults,
  ...signingFaults,
  ...callsFaults,
  ...tasksFaults,
  ...apiKeysFaults,
} satisfies HostFaults;

export type HostFaultId = keyof typeof extensionFaults;

/** Whether there is a fault of that id. */
export function hasHostFault(id: string): id is HostFaultId {
  return Object.hasOwn(extensionFaults, id);
}

/** What a host with these faults is made of. */
export function areasWith(faults: readonly HostFaultId[]): HostAreas {
  const variants: HostFaults = extensionFaults;
  return faults.reduce((areas: HostAreas, id) => variants[id]?.(areas) ?? areas, rightAreas);
}
