import type { Profile } from '../../contract/profile.ts';
import { isObject } from '../answer.ts';
import { dereferenced } from '../openapi/document.ts';
import { decoded, type DescribedOperation } from './described.ts';

type Routes = NonNullable<Profile['routes']>;

/** Routes of the ledger of silences that the documents of the deployment show. Nothing is sent. */
export function routesIn(operations: readonly DescribedOperation[], space: string): Routes {
  const at = (method: string, pattern: RegExp): string | undefined => {
    const found = operations.find((each) => each.method === method && pattern.test(each.path));
    return found === undefined ? undefined : templateOf(found.path, space);
  };
  const put = at('PUT', /\/softtype\/[^/]+\/[^/]+\/\{[^/]+\}$/i);
  const remove = at('DELETE', /\/softtype\/\{[^/]+\}$/i) ?? at('DELETE', /\/softtype\/[^/]+\/[^/]+\/\{[^/]+\}$/i);
  const demote = at('PUT', /\/demote\/\{[^/]+\}\/[^/]+\/[^/]+$/i);
  const multiCreate = at('POST', /\/space\/[^/]+\/softtype$/i);
  const instanceListing = listing(operations, space);
  const [lockTake, lockFree] = [at('POST', /\/lock\/\{[^/]+\}$/i), at('DELETE', /\/lock\/\{[^/]+\}$/i)];
  return {
    ...(put && { softTypePut: put }),
    ...(remove && { softTypeDelete: remove }),
    ...(demote && { demote }),
    ...(multiCreate && { multiCreate }),
    ...(instanceListing && { instanceListing }),
    ...(lockTake &&
      lockFree && { lockTake: { method: 'POST', path: lockTake }, lockFree: { method: 'DELETE', path: lockFree } }),
  };
}

/** A GET of the instances of a definition that takes a text to look for. */
function listing(operations: readonly DescribedOperation[], space: string): string | undefined {
  for (const { document, method, path, definition } of operations) {
    if (method !== 'GET' || !/\/instances?\/[^/]+$/i.test(path)) continue;
    const parameters: readonly unknown[] = Array.isArray(definition['parameters']) ? definition['parameters'] : [];
    const names = parameters.map((each) => dereferenced(document, each)).filter(isObject);
    if (names.some((each) => each['in'] === 'query' && each['name'] === 'text'))
      return `${templateOf(path, space).replace(/\/[^/]+$/, '/{definitionId}')}?text={text}`;
  }
  return undefined;
}

/** The path with the names that the profile gives its parts. */
function templateOf(path: string, space: string): string {
  const segments = path.split('/');
  const root = segments.findIndex((part) => /^softtype$/i.test(part));
  const last = segments.length - 1;
  const action = segments.findIndex((part) => /^demote$/i.test(part));
  return segments
    .map((part, index) => {
      if (index > 0 && segments[index - 1] === 'space' && (decoded(part) === space || part.startsWith('{')))
        return '{spaceId}';
      if (action >= 0 && index > action) return ['{objectId}', '{processId}', '{levelId}'][index - action - 1] ?? part;
      if (/^\{[^}]+\}$/.test(part) && index === last) return '{objectId}';
      if (root < 0 || index <= root) return part;
      return ['{definitionId}', '{inputSchemaId}'][index - root - 1] ?? part;
    })
    .join('/');
}
