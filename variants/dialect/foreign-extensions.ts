import type { Choice } from './choice.ts';

/** What the foreign dialect takes another way of files and extensions, innermost first. */
export const foreignExtensionChoices: readonly Choice[] = [];
