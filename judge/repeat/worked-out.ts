import type { ValueClaim } from '../violation.ts';
import { isObject, valueAt } from '../json.ts';

/** How cases name what somebody who is called works out of a call, and the line of it that is right. */
const workedOut: readonly (readonly [name: RegExp, right: (claim: ValueClaim) => string | undefined])[] = [
  // whether a signature shows how its key is taken is chance, where the path is another one each time
  [
    /^Authorization of (?!.* under a key of )|^number of Authorization |^the signature of /,
    () => 'x-call-signed: for its path',
  ],
  [/^parts of the accessToken /, ({ expected }) => `x-call-token-parts: ${String(expected?.value)}`],
  [/^informationFilter .* parsed as JSON$/, () => 'x-call-filter: an object'],
  // of several that are right none is told
  [/^(?:query|target) of /, ({ expected }) => expected && `x-call-query: ${namesOfQuery(expected.value)}`],
];

/** The line of a call that is right, where somebody who is called works out what the assertion is about. */
export function rightLine(claim: ValueClaim): string | undefined {
  const [, right] = workedOut.find(([name]) => name.test(claim.name ?? '')) ?? [];
  return right?.(claim);
}

/** Of `[name, value]` pairs, or of a target with such a query. */
function namesOfQuery(value: unknown): string {
  const query = isObject(value) ? value['query'] : value;
  const names = Array.isArray(query)
    ? query.map((pair: unknown) => encodeURIComponent(String(valueAt(pair, '/0'))))
    : [];
  return names.join(' ') || 'none';
}
