import type { SoftType } from '../configuration.ts';
import type { Content, StoredObject } from '../store/store.ts';

/** Current state of one maturity level. Source: core, States and transitions. */
export interface CurrentState {
  readonly $oid: string;
  /** Level-state definition. */
  readonly $softType: string;
  /** Id of the level. */
  readonly id: string;
  readonly state: string;
}

/** By level id. */
export type CurrentStates = Readonly<Record<string, CurrentState>>;

/** Member of the stored content that holds the current states; no SoftType member starts with a dollar sign. */
const statesMember = '$states';

/** The members of stored content that belong to the system and outlive every write of a client. */
export function systemContent(content: Content): Content {
  return Object.fromEntries(Object.entries(content).filter(([name]) => name.startsWith('$')));
}

/** What a fresh object stores: every level in its first state. @param newOid makes the identifier of each state */
export function firstStates(softType: SoftType, newOid: () => string): Content {
  if (softType.maturity === undefined) return {};
  const states = [...softType.maturity.levels].map(([level, names]) => [
    level,
    currentState(newOid(), level, names[0]),
  ]);
  return { [statesMember]: Object.fromEntries(states) };
}

function currentState($oid: string, id: string, state = ''): CurrentState {
  return { $oid, $softType: `${id}State`, id, state };
}

/** The content with one level in another state; what else belongs to that level stays as it is. */
export function contentInState(content: Content, level: string, state: string): Content {
  const states = (content[statesMember] ?? {}) as CurrentStates;
  const before = states[level];
  return before === undefined ? content : { ...content, [statesMember]: { ...states, [level]: { ...before, state } } };
}

/** The current states of a stored object; empty where its SoftType has no maturity process. */
export function storedStates(object: StoredObject): CurrentStates {
  return (object.content[statesMember] ?? {}) as CurrentStates;
}
