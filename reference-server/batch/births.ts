import type { Writing } from '../store/store.ts';

/** Which operation of a batch created which object. */
export class Births {
  readonly #operations = new Map<string, number>();

  /** The port of one operation, which notes what it creates. */
  noting(writing: Writing, index: number): Writing {
    return {
      ...writing,
      insertObject: async (object) => {
        await writing.insertObject(object);
        this.#operations.set(object.oid, index);
      },
    };
  }

  /** Whether another operation than this one created the object. */
  isSibling(oid: string, index: number): boolean {
    const born = this.#operations.get(oid);
    return born !== undefined && born !== index;
  }
}
