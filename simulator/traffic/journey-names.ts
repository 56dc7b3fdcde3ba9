import type { JourneyName } from './mix.ts';

/** In one fixed order, by which a random number chooses. Apart from the schema of the mix, so that it runs on every engine. */
export const journeyNames: readonly JourneyName[] = [
  'reader',
  'author',
  'editor-pair',
  'importer',
  'approver',
  'file-user',
  'extension-life',
  'gate-keeper',
];
