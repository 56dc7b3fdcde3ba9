import type { Entry } from '../entry.ts';
import type { Step } from '../step.ts';
import { HostArea, type Surroundings } from '../surroundings.ts';
import type { Keys } from './keys.ts';

/** Who may call the host. Source: extensions, Authentication 3 */
export class Signing extends HostArea {
  readonly #keys: Keys;

  constructor(surroundings: Surroundings, keys: Keys) {
    super(surroundings);
    this.#keys = keys;
  }

  /** Whether a request is let in: signed with the host's key over its path, where the host has one. */
  isAdmitted(entry: Entry): boolean {
    return this.surroundings.apiKey === undefined || this.#keys.isCallback(entry) || entry.signature?.ok === true;
  }

  /** Answer to a request that is not let in. */
  refusal(): Step {
    return { status: 401 };
  }
}
