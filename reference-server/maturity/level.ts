import { Refusal } from '../problem.ts';
import type { Service, SpaceCall } from '../service.ts';
import { storedStates } from '../soft-type/current-state.ts';
import type { StoredObject } from '../store/store.ts';

/** A maturity level of an object and where the object stands in it. */
export interface Level {
  readonly id: string;
  /** In their order. */
  readonly states: readonly string[];
  readonly current: string;
}

/**
 * The level that the path of a maturity action names. Source: core, Endpoint table, PUT promote
 * @throws {Refusal} 404 for a process or a level that the SoftType of the object does not have
 */
export function levelOf(service: Service, call: SpaceCall, object: StoredObject): Level {
  const { processId = '', levelId = '' } = call.params;
  const { id, maturity } = service.behaviours.softTypeOf(service, call.space, object.softType);
  if (maturity?.id !== processId) throw new Refusal(404, `'${id}' does not go through a process '${processId}'.`);
  const states = maturity.levels.get(levelId);
  const current = storedStates(object)[levelId]?.state;
  if (states === undefined || current === undefined)
    throw new Refusal(404, `The process '${processId}' has no level '${levelId}' for this object.`);
  return { id: levelId, states, current };
}
