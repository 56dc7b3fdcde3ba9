import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import { headerVersion } from '../version.ts';
import { followBatch } from './batch.ts';
import { editFrom, startingContent, type EditCommand, type History, type Start, type Stated } from './command.ts';
import type { Compare } from './compare.ts';
import { after, isSaid, type Edit } from './edit.ts';
import { bodyOf, requestOf } from './requests.ts';
import type { Shape } from './shape.ts';
import { created } from './state.ts';
import { accept, locate, type Subject } from './subject.ts';

export interface Following {
  readonly context: CaseContext;
  readonly shape: Shape;
  readonly compare: Compare;
  /** Whether that is done after each command, and not only at the end. */
  readonly closely: boolean;
  /** Told the index before each command. */
  readonly reached?: (index: number) => void;
}

/** Does what the history says and compares with the model. @throws {Violation} where the service differs */
export async function follow(following: Following, { starts, commands }: History): Promise<void> {
  const { context, shape, compare, closely } = following;
  const subjects: Subject[] = [];
  for (const start of starts) subjects.push(await started(context, shape, start));
  if (closely)
    for (const [index, subject] of subjects.entries())
      await compare({ context, shape, subject, where: `object ${index + 1}` });
  for (const [index, command] of commands.entries()) {
    following.reached?.(index);
    const touched =
      command.kind === 'batch'
        ? await followBatch(following, subjects, command)
        : await followEdit(following, subjects, command);
    for (const subject of closely ? touched : [])
      await compare({
        context,
        shape,
        subject,
        where: `object ${subjects.indexOf(subject) + 1} after ${command.kind}`,
      });
  }
  following.reached?.(commands.length);
  for (const [index, subject] of subjects.entries())
    await compare({ context, shape, subject, where: `object ${index + 1} at the end` });
}

async function started(context: CaseContext, shape: Shape, start: Start): Promise<Subject> {
  const { given, service } = context;
  const content = startingContent(start, shape, given.unique);
  const thing = await given.object(bodyOf(context, shape, content));
  const subject: Subject = {
    thing,
    state: { ...created(content), version: thing.version },
    ids: undefined,
    unordered: true,
    learned: new Map(),
  };
  const [scalar] = shape.scalars;
  if (scalar === undefined || !shape.kinds.has('merge')) return subject;
  for (let edits = 0; edits < start.age; edits += 1) {
    const text = given.unique();
    given.succeeded(
      await service.merge(thing, { [scalar]: text }, { version: subject.state.version }),
      'a merge edit',
      ['patch.merge.edits-named-member'],
    );
    accept(context, subject, {
      ...subject.state,
      scalars: { ...subject.state.scalars, [scalar]: text },
      version: subject.state.version + 1,
    });
  }
  return subject;
}

/** Sends the write unless the document leaves open what becomes of it; returns the objects to look at. */
async function followEdit(
  following: Following,
  subjects: readonly Subject[],
  command: EditCommand,
): Promise<readonly Subject[]> {
  const { context, shape } = following;
  const subject = subjects[command.object % Math.max(1, subjects.length)];
  const edit = subject && editFrom(command, subject.state, shape, context.given.unique);
  if (subject === undefined || edit === undefined || !shape.kinds.has(edit.kind) || !isSaid(subject.state, edit))
    return [];
  await locate(context, shape, subject, edit);
  const reply = await context.service.send(requestOf(context, shape, subject, edit), {
    version: statedFor(command, subject.state.version),
  });
  judge(context, subject, edit, command.version, reply);
  return [subject];
}

function judge(context: CaseContext, subject: Subject, edit: Edit, stated: Stated, reply: Reply): void {
  const { expect } = context;
  const next = after(subject.state, edit);
  if (next === undefined) return expect(reply).toBeRefused();
  if (stated !== 'current') return expect(reply).toAnswer(stated === 'absent' ? 412 : 409);
  expect(reply).toSucceed();
  expect(headerVersion(reply.headers) ?? next.version, `version header after ${edit.kind}`, reply).toEqual(
    next.version,
  );
  accept(context, subject, next, edit);
}

function statedFor({ version: stated, choice }: EditCommand, version: number): number | null {
  const older = Math.max(0, version - 2 - choice);
  const cut = Math.floor(version / 10);
  return { current: version, stale: version - 1, older, ahead: version + 1, cut, absent: null }[stated];
}
