import { Refusal } from '../problem.ts';
import type { Service } from '../service.ts';
import { pointerBelow } from './pointer.ts';
import { found, isContent } from './scalars.ts';

interface Addressed {
  /** As the client wrote it. */
  readonly path: string;
  readonly tokens: readonly string[];
}

/** One item of an operations PATCH. Source: core, Patch operation. */
export type Operation =
  | (Addressed & { readonly op: 'add' | 'replace'; readonly value: unknown })
  | (Addressed & { readonly op: 'remove' });

/**
 * The operations in a body, in order; further members of an operation are ignored.
 * Source: core, Operations-based PATCH rules 2. @throws {Refusal} 400 for anything that is no list of operations
 */
export function operationsOf(service: Service, body: unknown): readonly Operation[] {
  if (!Array.isArray(body))
    throw new Refusal(400, `An array of operations is expected; found ${found(body)}.`, { pointer: '' });
  return body.map((item, index) => service.behaviours.operationOf(service, item, pointerBelow('', index)));
}

/** @throws {Refusal} 400 with the pointer to the member of the operation that is wrong */
export function operationOf(service: Service, item: unknown, at: string): Operation {
  if (!isContent(item)) throw new Refusal(400, `An operation is an object; found ${found(item)}.`, { pointer: at });
  const { op, path } = item;
  const tokens = typeof path === 'string' ? service.behaviours.pointerTokens(path) : undefined;
  if (typeof path !== 'string' || tokens === undefined)
    throw malformed(at, 'path', 'a JSON Pointer, which starts with a slash');
  if (op === 'remove') return { op, path, tokens: withoutValue(item, tokens, at) };
  if (op !== 'add' && op !== 'replace') throw malformed(at, 'op', "'add', 'replace' or 'remove'");
  if (!Object.hasOwn(item, 'value')) throw malformed(at, 'value', `present for '${op}'`);
  return { op, path, tokens, value: item.value };
}

function withoutValue(item: object, tokens: readonly string[], at: string): readonly string[] {
  if (Object.hasOwn(item, 'value')) throw malformed(at, 'value', "left out for 'remove', whatever it is");
  return tokens;
}

function malformed(at: string, member: string, expected: string): Refusal {
  return new Refusal(400, `'${member}' has to be ${expected}.`, { pointer: pointerBelow(at, member) });
}
