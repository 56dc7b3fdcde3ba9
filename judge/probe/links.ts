import type { Profile } from '../../contract/profile.ts';
import { linksOf } from '../answer.ts';
import type { CaseContext } from '../case.ts';
import type { Thing } from '../given.ts';
import { PreconditionFailed } from '../violation.ts';
import { decoded } from './described.ts';

export type Way = 'promote' | 'demote';

const actionPath = /\/maturityAction\/(promote|demote)\/[^/]+\/([^/?]+)\/([^/?]+)/;

/** The process and the level in which a link leads that way; undefined where it leads elsewhere. */
export function ledBy(href: string, way: Way): { readonly processId: string; readonly levelId: string } | undefined {
  const [, action, process, level] = actionPath.exec(href) ?? [];
  if (action !== way || process === undefined || level === undefined) return undefined;
  return { processId: decoded(process), levelId: decoded(level) };
}

/** A process and a level that a new object links to for its promotion. */
export async function maturityIn({ service }: CaseContext, thing: Thing): Promise<Profile['maturity']> {
  try {
    for (const link of linksOf(await service.readLong(thing))) {
      const level = ledBy(String(link['href']), 'promote');
      if (level !== undefined) return level;
    }
  } catch (error) {
    if (!(error instanceof PreconditionFailed)) throw error;
  }
  return undefined;
}
