import type { Profile } from '../../../contract/profile.ts';
import { linksOf } from '../../instance.ts';
import type { CaseContext } from '../case.ts';
import type { Thing } from '../given.ts';
import { PreconditionFailed } from '../violation.ts';
import { decoded } from './described.ts';

const promotePath = /\/maturityAction\/promote\/[^/]+\/([^/?]+)\/([^/?]+)/;

/** A process and a level that a new object links to for its promotion. */
export async function maturityIn({ service }: CaseContext, thing: Thing): Promise<Profile['maturity']> {
  try {
    for (const link of linksOf(await service.readLong(thing))) {
      const [, process, level] = promotePath.exec(String(link['href'])) ?? [];
      if (process !== undefined && level !== undefined) return { processId: decoded(process), levelId: decoded(level) };
    }
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error;
  }
  return undefined;
}
