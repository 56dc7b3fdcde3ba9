import { Refusal } from '../problem.ts';
import type { Answer, Service, SpaceCall } from '../service.ts';
import type { Reading, StoredObject, Writing } from '../store/store.ts';
import type { Level } from './level.ts';

/** A step of one level; `state` is undefined where there is none to go to. */
interface Step {
  readonly name: 'promote' | 'demote';
  readonly state: (level: Level) => string | undefined;
}

/** A step that nothing speaks against so far. */
export interface Move {
  readonly object: StoredObject;
  readonly level: Level;
  /** State that it leads to. */
  readonly state: string;
}

/** PUT promote: one level moves on to its next state, whatever the others do. Source: core, States and transitions; Endpoint table, PUT promote */
export async function promoteObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const move = await service.behaviours.promotable(service, call, writing);
  await service.behaviours.assertValidated(service, call, writing, move.object);
  return moved(service, writing, move, service.behaviours.versionAfterPromote(service, move.object));
}

/** PUT demote: the same back to the state before. Source: core, Endpoint table, PUT demote; ledger demote-effect */
export async function demoteObject(service: Service, call: SpaceCall, writing: Writing): Promise<Answer> {
  const { formerState: state, versionAfterDemote } = service.behaviours;
  const move = await moveOf(service, call, writing, { name: 'demote', state });
  return moved(service, writing, move, versionAfterDemote(service, move.object));
}

/** The promote that is asked for, whatever extensions say of it. @throws {Refusal} 404, 400, 423, 412, 409, 422 */
export async function promotable(service: Service, call: SpaceCall, reading: Reading): Promise<Move> {
  return moveOf(service, call, reading, { name: 'promote', state: service.behaviours.nextState });
}

/** A body is not even looked at. Source: ledger promote-with-body, promote-in-last-state */
async function moveOf(service: Service, call: SpaceCall, reading: Reading, step: Step): Promise<Move> {
  const { behaviours } = service;
  const object = await behaviours.locateObject(service, call, reading);
  const level = behaviours.levelOf(service, call, object);
  behaviours.informationFilterOf(service, call);
  behaviours.assertUnlocked(call, object);
  behaviours.assertVersion(service, call, object);
  const state = step.state(level);
  if (state === undefined)
    throw new Refusal(
      422,
      `'${level.id}' is in the state '${level.current}', from which there is nowhere to ${step.name} to.`,
    );
  return { object, level, state };
}

async function moved(
  service: Service,
  writing: Writing,
  { object, level, state }: Move,
  version: number,
): Promise<Answer> {
  const { behaviours } = service;
  await behaviours.storeEdit(
    service,
    writing,
    object,
    version,
    behaviours.contentInState(object.content, level.id, state),
  );
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
