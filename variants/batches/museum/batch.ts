import type { Batch } from '../mistake.ts';
import { callExhibits } from './calls.ts';
import { deliveryExhibits } from './delivery.ts';
import { editingExhibits } from './editing.ts';
import { fileExhibits } from './files.ts';
import { readingExhibits } from './reading.ts';

/** Mistakes that others made in public, as ours; docs/museum.md tells where. */
export const museum: Batch = {
  ...editingExhibits,
  ...readingExhibits,
  ...callExhibits,
  ...deliveryExhibits,
  ...fileExhibits,
};
