import type { CaseContext } from '../case.ts';
import type { Thing } from '../given.ts';
import type { Edit } from './edit.ts';
import { idsNow } from './reads.ts';
import type { Shape } from './shape.ts';
import type { ObjectState } from './state.ts';

/** An object of the history: where it is, and what is believed of it. */
export interface Subject {
  readonly thing: Thing;
  state: ObjectState;
  /** Entry ids by port and position, as the last read shows them; undefined when a write was accepted since. */
  ids: readonly (readonly string[])[] | undefined;
  /** Whether the entries are in the order of a create or PUT, which no read has shown yet. */
  unordered: boolean;
  /** What was learned from a first look and has to stay: by what it belongs to. */
  readonly learned: Map<string, unknown>;
}

/** The write counts: what was read before is out of date. */
export function accept(context: CaseContext, subject: Subject, next: ObjectState, edit?: Edit): void {
  if (edit?.kind === 'promote') foresee(context, subject);
  subject.state = next;
  subject.ids = undefined;
  if (edit?.kind === 'put') subject.unordered = true;
}

/** Where the profile names the states in order, a promote leads to the next one. */
function foresee({ profile }: CaseContext, { state, learned }: Subject): void {
  const { states = [] } = profile.all.maturity ?? {};
  const at = states.findIndex((name) => name === learned.get(stateAfter(state.moves)));
  const next = at === -1 ? undefined : states[at + 1];
  if (next !== undefined) learned.set(stateAfter(state.moves + 1), next);
}

/** Makes sure that the ids of entries are known where the write names one. */
export async function locate(context: CaseContext, shape: Shape, subject: Subject, edit: Edit): Promise<void> {
  if ('at' in edit) subject.ids ??= await idsNow(context, shape, subject);
}

/** What the current state is learned under. */
export function stateAfter(moves: number): string {
  return `current state after ${moves} moves`;
}
