import type { Batch } from './mistake.ts';
import { callExhibits } from './museum/calls.ts';
import { deliveryExhibits } from './museum/delivery.ts';
import { editingExhibits } from './museum/editing.ts';
import { fileExhibits } from './museum/files.ts';
import { readingExhibits } from './museum/reading.ts';

/** Mistakes that others made in public, as ours; docs/museum.md tells where. */
export const museum: Batch = {
  ...editingExhibits,
  ...readingExhibits,
  ...callExhibits,
  ...deliveryExhibits,
  ...fileExhibits,
};
