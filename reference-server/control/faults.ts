import { assertKnownFaults } from '../../contract/control/faults.ts';
import type { AreaClasses } from '../areas.ts';

/** Wrong servers that the control routes may make of a server. */
export interface FaultChoice {
  /** Those that it starts with. */
  readonly initial: readonly string[];
  /** Ids of all that there are. */
  known(): readonly string[];
  /** @param ids known ones */
  areasWith(ids: readonly string[]): AreaClasses;
}

/** Which faults a server has at the moment. */
export class FaultSwitch {
  readonly #choice: FaultChoice;
  readonly #apply: (besides: 0 | 1) => Promise<void>;
  #set: readonly string[];

  /** @param apply has the server made anew, from `areas()`, while so many requests wait for it */
  constructor(choice: FaultChoice, apply: (besides: 0 | 1) => Promise<void>) {
    this.#choice = choice;
    this.#apply = apply;
    this.#set = choice.initial;
  }

  areas(): AreaClasses {
    return this.#choice.areasWith(this.#set);
  }

  state(): { readonly set: readonly string[]; readonly known: readonly string[] } {
    return { set: this.#set, known: this.#choice.known() };
  }

  /** Back to the faults that the server started with, from when it is made anew. */
  reset(): void {
    this.#set = this.#choice.initial;
  }

  /**
   * These and no others. Resolves when the server has them.
   * @param besides whether a request asks for it, which is answered when it is done
   * @throws {OrderError} there is no such fault @throws {Refusal} 409, it restarts already
   */
  async put(ids: readonly string[], besides: 0 | 1): Promise<ReturnType<FaultSwitch['state']>> {
    assertKnownFaults(ids, this.#choice.known(), 'server');
    const before = this.#set;
    this.#set = [...new Set(ids)];
    await this.#apply(besides).catch((error: unknown) => {
      this.#set = before;
      throw error;
    });
    return this.state();
  }
}
