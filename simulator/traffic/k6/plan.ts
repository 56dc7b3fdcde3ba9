import type { IdentityName } from '../../../contract/profile.ts';
import type { Load } from '../engine.ts';
import type { Ground } from '../ground.ts';
import type { Mix } from '../mix.ts';

/** Where a credential is found: names of environment variables, never values. */
export type CredentialNames =
  | { readonly kind: 'grant'; readonly username: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string };

/** Everything that the exported script runs by, as `ground.json` holds it. No secret is in it. */
export interface Plan {
  readonly implementation: string;
  readonly baseUrl: string;
  readonly mix: Mix;
  /** By which segments of different mixes are told apart. */
  readonly mixDigest: string;
  readonly load: Load;
  readonly durationMs: number;
  readonly rampMs: number;
  readonly seed: number;
  readonly timeoutMs: number;
  /** Objects that each process makes before its load begins, where the ground holds none. */
  readonly objects: number;
  readonly thresholds: readonly string[];
  /** Texts of the form {{NAME}} in the form of its grant stand for environment variables. */
  readonly ground: Ground;
  readonly identities: Readonly<Partial<Record<IdentityName, CredentialNames>>>;
  /** Token endpoint, from the base URL on or absolute. */
  readonly tokenPath?: string;
  /** The OAuth client. */
  readonly client?: { readonly id: string; readonly secret: string };
  /** How long tokens live where the service does not tell, in seconds. */
  readonly tokenLifetimeSeconds: number;
  /** Base64. */
  readonly informationFilter?: string;
}
