import { Histogram } from '../../contract/histogram.ts';

/** By how much this process was woken late, in ms. */
export interface Woken {
  readonly p99Ms: number;
  readonly maxMs: number;
}

const everyMs = 5;

/** Looks at how late a timer rings: by so much anything that this process tells of a moment may be late. */
export function watchWaking(): Disposable & { readonly woken: () => Woken } {
  const late = new Histogram();
  let due = performance.now() + everyMs;
  const timer = setInterval(() => {
    const now = performance.now();
    late.record(Math.max(0, now - due));
    due = now + everyMs;
  }, everyMs).unref();
  return {
    woken: () => ({ p99Ms: late.percentile(99), maxMs: late.max }),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
