import { together, type Variant } from '../breaks.ts';
import type { Choice } from './choice.ts';
import { foreignCoreChoices } from './foreign-core.ts';
import { foreignExtensionChoices } from './foreign-extensions.ts';
import { peculiarChoices } from './peculiar.ts';
import { strangeChoices } from './strange.ts';

export type Dialect = 'strange' | 'foreign' | 'peculiar';

/** What each dialect takes another way than the server by itself. Together they touch on what the documents leave open. */
export const choices: Readonly<Record<Dialect, readonly Choice[]>> = {
  strange: strangeChoices,
  foreign: [...foreignCoreChoices, ...foreignExtensionChoices],
  peculiar: peculiarChoices,
};

/** The server with all of it changed. */
export function dialectOf(name: Dialect): Variant {
  return together(...choices[name].map(({ by }) => by));
}
