import type { Behaviours } from './behaviours.ts';
import type { HostClock } from './clock.ts';
import type { Activity } from './clock/activity.ts';
import type { Keys } from './keys/keys.ts';
import type { MetadataRecord } from './metadata.ts';
import type { Background } from './work/background.ts';
import type { Client } from './work/client.ts';

/** What the behaviours of a running host work with. */
export interface WorkingHost {
  readonly behaviours: Behaviours;
  readonly clock: HostClock;
  readonly activity: Activity;
  readonly background: Background;
  readonly client: Client;
  readonly keys: Keys;
  /** Base64; none where signatures are not checked. */
  readonly apiKey: string | undefined;
  /** hostUri, without a slash at its end. */
  readonly url: string;
  /** Records as they are routed; what is announced of them is a behaviour. */
  records(): readonly MetadataRecord[];
  /** Tells whoever runs the host of something that went wrong. */
  say(problem: string): void;
}
