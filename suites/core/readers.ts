import type { BoundProfile } from '../../judge/profile.ts';

/** Identities that may read instances of the space, as far as the profile knows one beside the editor. */
export function readersOf({ all }: BoundProfile): readonly ('editor' | 'reader')[] {
  return all.identities.reader === undefined ? ['editor'] : ['editor', 'reader'];
}
