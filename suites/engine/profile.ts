import type { ArrayPortProfile, Profile, SoftTypeProfile } from '../../contract/profile.ts';
import type { Port } from './given.ts';

/** The profile with what cases ask most. The parts that a rule's needs name are present when its case runs. */
export interface BoundProfile {
  readonly all: Profile;
  readonly primary: SoftTypeProfile;
  readonly second: SoftTypeProfile;
  /** Array port of the primary SoftType. */
  readonly port: Port;
  readonly secondPort: Port;
  /** Names of the two optional scalars of the primary SoftType. */
  readonly scalars: readonly [string, string];
}

/** Fills in the defaults of a port. */
export function portOf(port: ArrayPortProfile): Port {
  return { ...port, portId: port.portId ?? port.member };
}
