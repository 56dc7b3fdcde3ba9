import { isPassing } from './passing.ts';

/** Real time in which a request during which time may pass gets to where it waits for that, in ms. */
const underWayMs = 250;

/** Requests under way for which time has to wait. */
export class Holding {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * Time has to wait until what is returned is called; for a request during which it may pass, until that is well under way.
   * @param letGo called then
   */
  begin(letGo: () => void = () => undefined): () => void {
    let holds = true;
    this.#count += 1;
    const end = (): void => {
      if (holds) this.#count -= 1;
      holds = false;
    };
    const underWay = (): void => {
      if (holds) letGo();
      end();
    };
    if (isPassing()) setTimeout(underWay, underWayMs).unref();
    return end;
  }
}
