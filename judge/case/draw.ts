import { hash } from 'node:crypto';

/** Chooses by lot among what makes no difference to a right service. */
export type Draw = <T>(list: readonly [T, ...T[]]) => T;

/** The lots of one case, one after the other: the same for the same seed. */
export function openDraw(seed: number, name: string): Draw {
  let count = 0;
  return (list) => {
    count += 1;
    const number = hash('sha256', `${seed} ${name} ${count}`, 'buffer').readUInt32BE();
    // undefined may be a lot as well
    return list[number % list.length] as (typeof list)[number];
  };
}
