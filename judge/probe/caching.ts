import type { Profile } from '../../contract/profile.ts';
import type { CaseContext } from '../case.ts';
import { decoded, type DescribedOperation } from './described.ts';

const mostTried = 12;
const mostProposed = 2;
/** SoftTypes and files have rules of their own, and documents about the API change with the model. */
const otherMatters = /\/softtype|\/fs\/|openapi|\/dx\//i;

/** Resources that answer the editor with an ETag which stays the same, as the documents show them. Source: core, Status codes and ETag */
export async function cachedResources(
  { service, profile }: CaseContext,
  operations: readonly DescribedOperation[],
): Promise<Profile['caching']> {
  const paths = operations.filter(({ method }) => method === 'GET').map(({ path }) => inSpace(path, profile.all.space));
  const candidates = [...new Set(paths)].filter((path) => !path.includes('{') && !otherMatters.test(path));
  const found: string[] = [];
  for (const path of candidates.slice(0, mostTried)) {
    if (found.length === mostProposed) break;
    const [first, second] = [await service.get(path), await service.get(path)];
    const tag = first.headers['etag'];
    if (first.status === 200 && tag !== undefined && tag === second.headers['etag']) found.push(path);
  }
  return found.length === 0 ? undefined : { resources: found.map((path) => ({ path })) };
}

function inSpace(path: string, space: string): string {
  return path.replace(/\/space\/(\{[^}]+\}|[^/]+)(?=\/)/, (whole, part: string) =>
    part.startsWith('{') || decoded(part) === space ? `/space/${encodeURIComponent(space)}` : whole,
  );
}
