import { closest } from 'fastest-levenshtein';
import type { AreaClasses } from '../areas.ts';
import { Refusal } from '../http/refusal.ts';

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
  readonly #apply: () => Promise<void>;
  #set: readonly string[];

  /** @param apply has the server made anew, from `areas()` */
  constructor(choice: FaultChoice, apply: () => Promise<void>) {
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

  /** These and no others. Resolves when the server has them. @throws {Refusal} 400, 409 */
  async put(ids: readonly string[]): Promise<ReturnType<FaultSwitch['state']>> {
    const known = this.#choice.known();
    for (const [index, id] of ids.entries())
      if (!known.includes(id))
        throw new Refusal(400, `Expected rules that this server can break, found "${id}"${hint(id, known)}`, {
          pointer: `/faults/${index}`,
        });
    const before = this.#set;
    this.#set = [...new Set(ids)];
    await this.#apply().catch((error: unknown) => {
      this.#set = before;
      throw error;
    });
    return this.state();
  }
}

function hint(id: string, known: readonly string[]): string {
  return known.length === 0 ? '; it knows no faults.' : `; did you mean "${closest(id, known)}"?`;
}
