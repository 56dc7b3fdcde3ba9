import type { Profile } from '../../contract/profile.ts';
import type { CaseContext } from '../case.ts';

type Resource = NonNullable<Profile['caching']>['resources'][number];

const mostProposed = 2;

/** The first of these that answer with an ETag which stays the same. Source: core, Versioning 4 */
export async function taggedIn(
  { service }: CaseContext,
  paths: readonly string[],
  as?: Resource['as'],
): Promise<Resource[]> {
  const found: Resource[] = [];
  for (const path of paths) {
    if (found.length === mostProposed) break;
    const request = { method: 'GET', url: path, as: as ?? 'editor' } as const;
    const [first, second] = [await service.send(request), await service.send(request)];
    const tag = first.headers['etag'];
    if (first.status === 200 && tag !== undefined && tag === second.headers['etag'])
      found.push({ path, ...(as && { as }) });
  }
  return found;
}
