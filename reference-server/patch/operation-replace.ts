import { Refusal } from '../problem.ts';
import type { Service } from '../service.ts';
import type { OperationsRun } from './operations.ts';
import { isContent } from './scalars.ts';
import type { Target } from './target.ts';
import { readValue } from './values.ts';

/**
 * Replaces the scalar of a member; a dated element is stamped anew. Source: core, Operations-based PATCH rules 6 and 7.
 * @param at pointer to the value in the body
 * @throws {Refusal} 422 for an object or array, as value or as target, and for a member without value
 */
export async function replaceValue(
  service: Service,
  run: OperationsRun,
  target: Target,
  value: unknown,
  at: string,
): Promise<void> {
  if (isContent(value) || Array.isArray(value)) {
    throw new Refusal(422, 'Objects and arrays are known for add only: remove the old value and add the new one.', {
      pointer: at,
    });
  }
  if (target.kind !== 'member' || target.member.kind === 'object') {
    throw new Refusal(422, 'An object, an array or an entry is not replaced as a whole: address a member inside it.');
  }
  if (target.value === undefined) throw new Refusal(422, 'The member has no value to replace: add it.');
  await service.behaviours.setMember(service, run, target, readValue(run.rules, target.member, value, at));
}
