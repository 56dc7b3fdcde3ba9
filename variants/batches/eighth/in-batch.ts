import { type Variant, Step, replaces } from '../../breaks.ts';

export const inBatch = new Step();

/** Whatever a batch carries out is known to be inside one. */
export const batchIsKnown: Variant = replaces('batch', 'runOperation', (right, areas, ...args) =>
  inBatch.run(() => right(areas, ...args)),
);
