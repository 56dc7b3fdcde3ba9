/**
 * Lets the answers of one turn of the event loop leave together. A write that finds its reader asleep wakes it, which costs the writer
 * about as much as the rest of a request; of writes close together only the first one does.
 */
export class Turn {
  #end: Promise<void> | undefined;

  /** Resolves when all that arrived in this turn has been read. */
  end(): Promise<void> {
    this.#end ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#end = undefined;
        resolve();
      });
    });
    return this.#end;
  }
}
