import type { Choice } from './choice.ts';
import { peculiarContent } from './peculiar-content.ts';
import {
  directoriesOfFiles,
  downloadsElsewhere,
  peculiarCalls,
  peculiarFiles,
  peculiarRegistrations,
} from './peculiar-outside.ts';
import { peculiarWire } from './peculiar-wire.ts';

/** What the peculiar dialect takes another way, innermost first: what neither of the others has. */
export const peculiarChoices: readonly Choice[] = [
  ...peculiarContent,
  ...peculiarCalls,
  ...peculiarRegistrations,
  ...peculiarFiles,
  { meets: 'no directory without a file', silences: ['directory-semantics'], by: directoriesOfFiles },
  { meets: 'downloads that are elsewhere', silences: ['download-metadata-headers'], by: downloadsElsewhere },
  ...peculiarWire,
];
