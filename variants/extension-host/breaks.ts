import type { HostAreas } from '../../simulator/extension/host.ts';
import { breaking, type Variant } from '../breaks.ts';

/** A wrong extension host. */
export type HostVariant = Variant<HostAreas>;

/** Wrong hosts, the rule each one breaks, and nothing else. */
export type HostFaults = Readonly<Record<string, HostVariant>>;

export const breaks = breaking<HostAreas>();
