import { Refusal } from '../problem.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { StoredObject, Writing } from '../store/store.ts';
import type { Level } from './level.ts';

/** A step of one level; `state` is undefined where there is none to go to. */
interface Step {
  readonly name: 'promote' | 'demote';
  readonly state: (level: Level) => string | undefined;
  readonly version: (service: Service, object: StoredObject) => number;
}

/** PUT promote: one level moves on to its next state, whatever the others do. Source: core, States and transitions; Endpoint table, PUT promote */
export async function promoteObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { nextState: state, versionAfterPromote: version } = service.behaviours;
  return moved(service, call, writing, { name: 'promote', state, version });
}

/** PUT demote: the same back to the state before. Source: core, Endpoint table, PUT demote; ledger demote-effect */
export async function demoteObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { formerState: state, versionAfterDemote: version } = service.behaviours;
  return moved(service, call, writing, { name: 'demote', state, version });
}

/** A body is not even looked at. Source: ledger promote-with-body, promote-in-last-state */
async function moved(service: Service, call: SpaceCall, writing: Writing, step: Step): Promise<Answer> {
  const { behaviours } = service;
  const object = await behaviours.locateObject(service, call, writing);
  const level = behaviours.levelOf(service, call, object);
  behaviours.informationFilterOf(service, call);
  behaviours.assertUnlocked(call, object);
  behaviours.assertVersion(service, call, object);
  const state = step.state(level);
  if (state === undefined) throw new Refusal(422, `'${level.id}' is in the state '${level.current}', from which there is nowhere to ${step.name} to.`);
  const version = step.version(service, object);
  await behaviours.storeEdit(service, writing, object, version, behaviours.contentInState(object.content, level.id, state));
  return behaviours.editedAnswer(version);
}

/** The state that a promote leads to; undefined in the last one. */
export function nextState({ states, current }: Level): string | undefined {
  const at = states.indexOf(current);
  return at < 0 ? undefined : states[at + 1];
}

/** The state that a demote leads to; undefined in the first one. */
export function formerState({ states, current }: Level): string | undefined {
  return states[states.indexOf(current) - 1];
}

/** Version after a promote. Source: core, States and transitions; Versioning 2 */
export function versionAfterPromote(service: Service, object: StoredObject): number {
  return service.behaviours.nextVersion(object.version);
}

/** Version after a demote. */
export function versionAfterDemote(service: Service, object: StoredObject): number {
  return service.behaviours.nextVersion(object.version);
}
