/** Numbers in [0, 1) that follow from the parts: the same sequence on every engine. SplitMix32, by which near seeds give far sequences. */
export function randomFrom(...parts: readonly number[]): () => number {
  let state = parts.reduce((mixed, part) => mix(mixed ^ Math.imul(part + 1, 0x9e3779b1)), 0x243f6a88);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    return (mix(state) >>> 0) / 2 ** 32;
  };
}

function mix(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  const twice = Math.imul(once ^ (once >>> 15), 0x735a2d97);
  return twice ^ (twice >>> 15);
}
