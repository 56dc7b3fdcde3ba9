import { Area } from '../area.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import { Refusal } from '../http/refusal.ts';
import { type FoundObject, type Needs as RouteNeeds, type Route, writingRoute } from '../http/route.ts';
import type { Content, Reading, StoredObject, Writing } from '../ports/store.ts';
import { type Objects, maturityPath } from './objects.ts';
import { type CurrentStates, statesMember, storedStates } from './soft-type.ts';
import type { Validation } from './validation.ts';
import type { Versioning } from './versioning.ts';

/** A maturity level of an object and where the object stands in it. */
export interface Level {
  readonly id: string;
  /** In their order. */
  readonly states: readonly string[];
  readonly current: string;
}

/** A step of one level; `state` is undefined where there is none to go to. */
interface Step {
  readonly name: 'promote' | 'demote';
  readonly state: (level: Level) => string | undefined;
}

/** A step that nothing speaks against so far. */
interface Move {
  readonly object: StoredObject;
  readonly level: Level;
  readonly state: string;
}

interface Needs {
  readonly objects: Objects;
  readonly validation: Validation;
  readonly versioning: Versioning;
}

/** Moves of objects along the states of their levels. */
export class Maturity extends Area<Needs> {
  routes(): readonly Route[] {
    return [
      writingRoute({
        method: 'PUT',
        path: maturityPath('demote'),
        access: 'space',
        effect: 'write',
        needs: this.moveNeeds(),
        handle: (call, writing) => this.demoteObject(call, writing),
      }),
    ];
  }

  /** A body is not even looked at. Source: ledger promote-with-body */
  moveNeeds() {
    return {
      object: true,
      place: (call: SpaceCall, _reading: Reading, object: StoredObject) => this.levelOf(call, object),
      filter: true,
      unlocked: true,
      version: 'required',
    } as const satisfies RouteNeeds;
  }

  /** The content with one level in another state; what else belongs to that level stays as it is. */
  contentInState(content: Content, level: string, state: string): Content {
    const states = (content[statesMember] ?? {}) as CurrentStates;
    const before = states[level];
    return before === undefined
      ? content
      : { ...content, [statesMember]: { ...states, [level]: { ...before, state } } };
  }

  /**
   * The level that the path of a maturity action names. Source: core, Endpoint table, PUT promote
   * @throws {Refusal} 404 for a process or a level that the SoftType of the object does not have
   */
  levelOf(call: SpaceCall, object: StoredObject): Level {
    const { processId = '', levelId = '' } = call.params;
    const { id, maturity } = this.needs.objects.softTypeOf(call.space, object.softType);
    if (maturity?.id !== processId) throw new Refusal(404, `'${id}' does not go through a process '${processId}'.`);
    const states = maturity.levels.get(levelId);
    const current = storedStates(object)[levelId]?.state;
    if (states === undefined || current === undefined)
      throw new Refusal(404, `The process '${processId}' has no level '${levelId}' for this object.`);
    return { id: levelId, states, current };
  }

  /** PUT promote: one level moves on to its next state, whatever the others do. Source: core, States and transitions; Endpoint table, PUT promote */
  async promoteObject(call: SpaceCall & FoundObject<Level>, writing: Writing): Promise<Answer> {
    const move = this.promotable(call);
    await this.needs.validation.assertValidated(call, writing, move.object);
    const version = this.versionAfterPromote(move.object);
    const answer = await this.storeMove(writing, move, version);
    this.needs.validation.handVerdictOn(call, move.object, version);
    return answer;
  }

  /** PUT demote: the same back to the state before. Source: core, Endpoint table, PUT demote; ledger demote-effect */
  async demoteObject(call: SpaceCall & FoundObject<Level>, writing: Writing): Promise<Answer> {
    const move = moveOf(call, { name: 'demote', state: formerState });
    return this.storeMove(writing, move, this.versionAfterDemote(move.object));
  }

  /** The promote that is asked for, whatever extensions say of it. @throws {Refusal} 422 */
  promotable(found: FoundObject<Level>): Move {
    return moveOf(found, { name: 'promote', state: (level) => this.nextState(level) });
  }

  private async storeMove(writing: Writing, { object, level, state }: Move, version: number): Promise<Answer> {
    await this.needs.versioning.storeEdit(
      writing,
      object,
      version,
      this.contentInState(object.content, level.id, state),
    );
    return this.needs.versioning.editedAnswer(version);
  }

  /** The state that a promote leads to; undefined in the last one. */
  nextState({ states, current }: Level): string | undefined {
    const at = states.indexOf(current);
    return at < 0 ? undefined : states[at + 1];
  }

  /** Version after a promote. Source: core, States and transitions; Versioning 2 */
  versionAfterPromote(object: StoredObject): number {
    return this.needs.versioning.nextVersion(object.version);
  }

  versionAfterDemote(object: StoredObject): number {
    return this.needs.versioning.nextVersion(object.version);
  }
}

/** The state that a demote leads to; undefined in the first one. */
function formerState({ states, current }: Level): string | undefined {
  return states[states.indexOf(current) - 1];
}

/** Source: ledger promote-in-last-state. @throws {Refusal} 422 */
function moveOf({ object, place: level }: FoundObject<Level>, { name, state: stateOf }: Step): Move {
  const state = stateOf(level);
  if (state !== undefined) return { object, level, state };
  throw new Refusal(
    422,
    `'${level.id}' is in the state '${level.current}', from which there is nowhere to ${name} to.`,
  );
}
