/** What requests reached, as texts that mean the same in every run. */
export interface Reached {
  /** As `merge 409 editor`, `merge sends json`, `merge with Svc-UOIVersion`, `create gives Location`. */
  readonly facts: readonly string[];
  /** Conditions of requests about SoftTypes, a character a factor: the place of its value. */
  readonly conditions: readonly string[];
}

/** Collects what is reached, and tells each thing once. */
export class ReachedLog {
  /** What a request was found to be before it was looked at closely. */
  readonly seen = new Set<string>();
  readonly #facts = new Set<string>();
  readonly #conditions = new Set<string>();
  #fresh: { facts: string[]; conditions: string[] } = { facts: [], conditions: [] };

  fact(text: string): void {
    if (this.#facts.has(text)) return;
    this.#facts.add(text);
    this.#fresh.facts.push(text);
  }

  conditions(code: string): void {
    if (this.#conditions.has(code)) return;
    this.#conditions.add(code);
    this.#fresh.conditions.push(code);
  }

  /** What came since it was asked last; undefined where nothing did. */
  take(): Reached | undefined {
    const told = this.#fresh;
    if (told.facts.length + told.conditions.length === 0) return undefined;
    this.#fresh = { facts: [], conditions: [] };
    return told;
  }
}

export function reachedTogether(parts: readonly Reached[]): Reached {
  const sorted = (texts: readonly string[]): readonly string[] => [...new Set(texts)].toSorted();
  return {
    facts: sorted(parts.flatMap(({ facts }) => facts)),
    conditions: sorted(parts.flatMap(({ conditions }) => conditions)),
  };
}
