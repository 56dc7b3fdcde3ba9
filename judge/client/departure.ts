/** So many requests are named. */
const mostNamed = 3;

/** Knows whether somebody answered at an address, and during which requests they went away. */
export class Departures {
  /** By origin, what lost its connection since the last answer there. */
  readonly #lost = new Map<string, string[]>();
  /** By origin, what was said since then: all that fails for one reason is told in the same words. */
  readonly #said = new Map<string, string>();

  answered(origin: string): void {
    this.#lost.set(origin, []);
    this.#said.delete(origin);
  }

  lost(origin: string, request: string): void {
    this.#lost.get(origin)?.push(request);
  }

  /** What is said of an address where nobody takes a connection any more; undefined where nobody ever did. */
  sentenceAbout(origin: string): string | undefined {
    const lost = this.#lost.get(origin);
    if (lost === undefined) return undefined;
    const sentence = this.#said.get(origin) ?? this.#sentence(lost);
    this.#said.set(origin, sentence);
    return sentence;
  }

  #sentence(lost: readonly string[]): string {
    // what writes is more often to blame
    const names = [...new Set(lost)].toSorted((a, b) => Number(isRead(a)) - Number(isRead(b)));
    if (names.length === 0) return ' any more: see why it went away, and start it again';
    const more = names.length > mostNamed ? ` or one of ${names.length - mostNamed} more` : '';
    const named = names.slice(0, mostNamed).join(names.length > mostNamed ? ', ' : ' or ');
    return ` any more: it went away during ${named}${more}; see why, and start it again`;
  }
}

function isRead(request: string): boolean {
  return /^(?:GET|HEAD) /.test(request);
}
