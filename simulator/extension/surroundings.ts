import type { Client } from './client.ts';
import type { HostClock } from './clock.ts';
import type { Activity } from '../../clock/activity.ts';
import type { MetadataRecord } from './metadata.ts';

/** What the areas of a host work with, and what it is registered as. */
export interface Surroundings {
  readonly clock: HostClock;
  readonly activity: Activity;
  readonly client: Client;
  /** Base64; none where signatures are not checked. */
  readonly apiKey: string | undefined;
  /** Without a slash at its end. */
  readonly hostUri: string;
  /** Records as they are routed; what is announced of them is the business of the metadata. */
  readonly records: () => readonly MetadataRecord[];
  /** Tells whoever runs the host of something that went wrong. */
  readonly say: (problem: string) => void;
}

/** An area of a host. */
export class HostArea {
  readonly surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.surroundings = surroundings;
  }
}
