import type { Choice } from './choice.ts';

/** What the foreign dialect takes another way of the core document, innermost first. */
export const foreignCoreChoices: readonly Choice[] = [];
