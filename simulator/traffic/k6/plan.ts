import type { IdentityName } from '../../../contract/profile.ts';
import type { LoadPlan } from '../engine.ts';
import type { Ground } from '../ground.ts';

/** Where a credential is found: names of environment variables, never values. */
export type CredentialNames =
  | { readonly kind: 'grant'; readonly username: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string };

/** Everything that the exported script runs by, as `ground.json` holds it. No secret is in it. */
export interface Plan extends LoadPlan {
  readonly implementation: string;
  readonly baseUrl: string;
  /** By which segments of different mixes are told apart. */
  readonly mixDigest: string;
  readonly timeoutMs: number;
  /** Objects that each process makes before its load begins, where the ground holds none. */
  readonly objects: number;
  readonly thresholds: readonly string[];
  /** Texts of the form {{NAME}} in the form of its grant stand for environment variables. */
  readonly ground: Ground;
  readonly identities: Readonly<Partial<Record<IdentityName, CredentialNames>>>;
  /** Token endpoint, from the base URL on or absolute. */
  readonly tokenPath?: string;
  readonly client?: { readonly id: string; readonly secret: string };
  /** How long tokens live where the service does not tell, in seconds. */
  readonly tokenLifetimeSeconds: number;
  /** Base64. */
  readonly informationFilter?: string;
}
