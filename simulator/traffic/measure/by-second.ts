/** How often is looked, in ms. */
const lookMs = 100;

/** In which second of a load a count rose, and by how much. */
export interface BySecond extends Disposable {
  /** By second; without those in which it did not. */
  readonly rises: ReadonlyMap<number, number>;
}

/** @param startedAt monotonic ms */
export function countedBySecond(countSoFar: () => number, startedAt: number): BySecond {
  const rises = new Map<number, number>();
  let before = 0;
  const look = (): void => {
    const now = countSoFar();
    if (now === before) return;
    const second = Math.max(0, Math.floor((performance.now() - startedAt) / 1000));
    rises.set(second, (rises.get(second) ?? 0) + now - before);
    before = now;
  };
  const timer = setInterval(look, lookMs).unref();
  return {
    rises,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      look();
    },
  };
}
