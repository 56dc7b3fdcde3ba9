import type { Need } from '../contract/needs.ts';
import type { ArrayPortProfile, IdentityName, Profile, SoftTypeProfile } from '../contract/profile.ts';
import { matches } from './run/glob.ts';
import type { Port } from './things.ts';
import { KeyMissing } from './violation.ts';

/** The profile with what cases ask most. The parts that a rule's needs name are present when its case runs; others throw when asked for. */
export interface BoundProfile {
  readonly all: Profile;
  /** Who asks where a case does not say it; in another space than that of the profile it is the editor. */
  readonly asker: (space: string) => IdentityName;
  readonly primary: SoftTypeProfile;
  readonly second: SoftTypeProfile;
  /** Array port of the primary SoftType. */
  readonly port: Port;
  readonly secondPort: Port;
  /** Names of the two optional scalars of the primary SoftType. */
  readonly scalars: readonly [string, string];
  /** The first of them. */
  readonly textMember: string;
  /**
   * Whether the deployment has what the documents show to all; a case that only rides on it goes without where it has not. A multi-create of
   * whose results the profile says nothing is none: what it made could not be found.
   */
  readonly offers: (route: DocumentedRoute) => boolean;
}

/** Needs that no key of a profile meets: they are there unless `notSupported` names them. */
export type DocumentedRoute = Extract<Need, 'merge' | 'operations' | 'batch' | 'multi-create'>;

/** Fills in the defaults of a port. */
export function portOf(port: ArrayPortProfile): Port {
  return { ...port, portId: port.portId ?? port.member };
}

export function bind(profile: Profile, asker: IdentityName = 'editor'): BoundProfile {
  const absent = Object.keys(profile.notSupported ?? {});
  return {
    all: profile,
    asker: (space) => (space === profile.space ? asker : 'editor'),
    offers: (route) =>
      !absent.some((entry) => matches(entry, route)) && (route !== 'multi-create' || profile.multiCreate !== undefined),
    get primary() {
      return given(profile.softTypes?.primary, 'softTypes.primary', 'soft-type');
    },
    get second() {
      return given(profile.softTypes?.second, 'softTypes.second', 'second-soft-type');
    },
    get port() {
      return portOf(given(this.primary.arrayPort, 'softTypes.primary.arrayPort', 'array-port'));
    },
    get secondPort() {
      return portOf(given(this.primary.secondArrayPort, 'softTypes.primary.secondArrayPort', 'second-array-port'));
    },
    get scalars() {
      const [, second] = this.primary.scalars ?? [];
      return [
        this.textMember,
        given(second, 'a second member of softTypes.primary.scalars', 'scalar-members'),
      ] as const;
    },
    get textMember() {
      return given(this.primary.scalars?.[0], 'softTypes.primary.scalars', 'text-member');
    },
  };
}

function given<T>(value: T | undefined, key: string, need: Need): T {
  if (value === undefined) throw new KeyMissing(key, need);
  return value;
}
