import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** How a sentence goes on about a folder where a file of a run was wanted: with the one in it. Empty where there is none. */
export function fileWithin(place: string, name: string): string {
  const inside = join(place, name);
  return existsSync(inside) ? `; name ${inside}` : '';
}
