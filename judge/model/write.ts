import type { CaseContext } from '../case.ts';
import type { RequestSpec } from '../exchange.ts';
import { type BatchCommand, type EditCommand, editFrom } from './command.ts';
import { acceptWrite, locateEntries, type Shape, type Subject } from './object.ts';
import { requestOf } from './requests.ts';
import { applyEdit, type Edit, isSaid, type ObjectState } from './state.ts';

/** Who plays a history. */
export interface Player {
  readonly context: CaseContext;
  readonly shape: Shape;
  /** Texts that nobody used before. */
  readonly fresh: () => string;
}

/** What a command comes to for an object as it stands. */
interface Write {
  readonly subject: Subject;
  readonly edit: Edit;
  /** The object behind it; undefined where the documents have it refused. */
  readonly next: ObjectState | undefined;
  readonly request: RequestSpec;
}

/** Undefined where the target does not offer it, or where the documents leave open what becomes of it. */
export async function writeOf(player: Player, subject: Subject, command: EditCommand): Promise<Write | undefined> {
  const { context, shape, fresh } = player;
  const edit = editFrom(command, subject.state, shape, fresh);
  if (!shape.kinds.has(edit.kind) || !isSaid(subject.state, edit, shape)) return undefined;
  await locateEntries(context, shape, subject, edit);
  return { subject, edit, next: applyEdit(subject.state, edit), request: requestOf(context, shape, subject, edit) };
}

/** One that is sure to pass. */
export type Part = Write & { readonly next: ObjectState };

/** Of the writes of a batch the first of each object, if it is sure to pass. */
export async function partsOf(
  player: Player,
  subjects: readonly Subject[],
  { parts }: BatchCommand,
): Promise<readonly Part[]> {
  const found = new Map<Subject, Part>();
  for (const command of parts) {
    const subject = subjects[command.object % Math.max(1, subjects.length)];
    const write = subject && !found.has(subject) ? await writeOf(player, subject, command) : undefined;
    if (write?.next !== undefined) found.set(write.subject, { ...write, next: write.next });
  }
  return [...found.values()];
}

/** So many merges, until one does not pass; returns whether any was sent. */
export async function age(
  { context, shape, fresh }: Player,
  subject: Subject,
  edits: number,
  passes: (request: RequestSpec) => Promise<boolean>,
): Promise<boolean> {
  const [scalar] = shape.scalars;
  if (scalar === undefined || !shape.kinds.has('merge')) return false;
  for (let made = 0; made < edits; made += 1) {
    const edit: Edit = { kind: 'merge', scalars: { [scalar]: fresh() } };
    if (!(await passes(requestOf(context, shape, subject, edit)))) return true;
    acceptWrite(context, subject, applyEdit(subject.state, edit) ?? subject.state);
  }
  return edits > 0;
}
