import { assertKnownFaults } from '../../contract/control/faults.ts';
import type { AreaClasses } from '../areas.ts';

/** Wrong servers that the control routes may make of a server. */
export interface FaultChoice {
  /** Those that it starts with. */
  readonly initial: readonly string[];
  /** The classes with these, for each server that is made. */
  areas(): AreaClasses;
  /** All that there are, asked for when somebody wants to know or change them. */
  all(): Promise<Faults>;
}

export interface Faults {
  readonly known: readonly string[];
  /** @param ids known ones */
  areasWith(ids: readonly string[]): AreaClasses;
}

/** What the control routes show of them. */
interface FaultState extends Pick<Faults, 'known'> {
  readonly set: readonly string[];
}

/** Which faults a server has at the moment. */
export class FaultSwitch {
  readonly #choice: FaultChoice;
  readonly #apply: (besides: 0 | 1) => Promise<void>;
  #set: readonly string[];
  #areas: () => AreaClasses;

  /** @param apply has the server made anew, from `areas()`, while so many requests wait for it */
  constructor(choice: FaultChoice, apply: (besides: 0 | 1) => Promise<void>) {
    this.#choice = choice;
    this.#apply = apply;
    this.#set = choice.initial;
    this.#areas = () => choice.areas();
  }

  areas(): AreaClasses {
    return this.#areas();
  }

  set(): readonly string[] {
    return this.#set;
  }

  async state(): Promise<FaultState> {
    const { known } = await this.#choice.all();
    return { set: this.#set, known };
  }

  /** Back to the faults that the server started with, from when it is made anew. */
  reset(): void {
    this.#set = this.#choice.initial;
    this.#areas = () => this.#choice.areas();
  }

  /**
   * These and no others. Resolves when the server has them.
   * @param besides whether a request asks for it, which is answered when it is done
   * @throws {OrderError} there is no such fault @throws {Refusal} 409, it restarts already
   */
  async put(ids: readonly string[], besides: 0 | 1): Promise<FaultState> {
    const { known, areasWith } = await this.#choice.all();
    assertKnownFaults(ids, known, 'server');
    const before = { set: this.#set, areas: this.#areas };
    this.#set = [...new Set(ids)];
    this.#areas = () => areasWith(this.#set);
    await this.#apply(besides).catch((error: unknown) => {
      this.#set = before.set;
      this.#areas = before.areas;
      throw error;
    });
    return this.state();
  }
}
