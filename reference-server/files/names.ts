import { Refusal } from '../problem.ts';
import type { Service } from '../service.ts';

/** Longest name of a file or a directory, in bytes of UTF-8. Source: ledger file-name-rules */
export const nameLimitBytes = 255;
/** Longest path below an area, in bytes of UTF-8, slashes included, and the most names in it. Source: ledger file-name-rules */
export const pathLimitBytes = 1024;
export const depthLimit = 32;

/** Names of the path that segments of a URL stand for. @throws {Refusal} 400 */
export function filePathOf(service: Service, rest: readonly string[]): readonly string[] {
  const names = rest.map((segment) => service.behaviours.decodedSegment(segment));
  service.behaviours.assertPath(service, names);
  return names;
}

/** A segment as a name: percent-decoded once, and UTF-8. @throws {Refusal} 400 */
export function decodedSegment(segment: string): string {
  if (segment.includes('#')) throw refused('a number sign as %23', segment);
  try {
    return decodeURIComponent(segment);
  } catch {
    throw refused('valid percent-encoding of UTF-8', segment);
  }
}

/** Names of a path that is written as text, with or without a slash before it; nothing in it is decoded. Source: ledger chunk-name-precedence. @throws {Refusal} 400 */
export function relativePathOf(service: Service, path: string): readonly string[] {
  const names = path.replace(/^\//, '').split('/');
  service.behaviours.assertPath(service, names);
  return names;
}

/** Lets a path pass that stays below its area and that any disk can keep. Source: ledger file-name-rules. @throws {Refusal} 400 */
export function assertPath(service: Service, names: readonly string[]): void {
  for (const name of names) service.behaviours.assertName(name);
  const [first = ''] = names;
  if (/^[A-Za-z]:/.test(first)) throw refused('a path below the area and no drive', first);
  if (names.length > depthLimit)
    throw new Refusal(400, `Expected a path of at most ${depthLimit} names, found ${names.length}.`);
  const bytes = Buffer.byteLength(names.join('/'));
  if (bytes > pathLimitBytes)
    throw new Refusal(400, `Expected a path of at most ${pathLimitBytes} bytes, found ${bytes}.`);
}

/** @throws {Refusal} 400 */
export function assertName(name: string): void {
  if (name === '') throw new Refusal(400, 'Expected a name between the slashes of the path, found none.');
  if (name === '.' || name === '..') throw refused('names and no dot segments', name);
  if (/[\0/\\]/.test(name)) throw refused('a name without NUL, slash and backslash', name);
  const bytes = Buffer.byteLength(name);
  if (bytes > nameLimitBytes)
    throw new Refusal(400, `Expected names of at most ${nameLimitBytes} bytes, found one of ${bytes}.`);
}

function refused(expected: string, found: string): Refusal {
  return new Refusal(
    400,
    `Expected ${expected} in the path of a file, found ${JSON.stringify(found.slice(0, nameLimitBytes))}.`,
  );
}
