/** Made texts by the objects into which they were written. */
export class OwnedTexts {
  /** Ids of objects; undefined where it is not known into which. */
  readonly #owners = new Map<string, Set<string | undefined>>();

  written(texts: readonly string[], id: string | undefined): void {
    for (const text of texts) {
      const owners = this.#owners.get(text) ?? new Set();
      this.#owners.set(text, owners.add(id));
    }
  }

  has(text: string): boolean {
    return this.#owners.has(text);
  }

  /** The first text that was written, and not into this object. */
  ofAnother(texts: readonly string[], id: string): string | undefined {
    return texts.find((text) => {
      const owners = this.#owners.get(text);
      return owners !== undefined && !owners.has(id) && !owners.has(undefined);
    });
  }
}
