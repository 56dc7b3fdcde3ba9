import { bodyOf as bodyOfResult, resultsOf, sendBatch } from '../batch-requests.ts';
import type { RequestSpec } from '../exchange.ts';
import { editFrom, type BatchCommand } from './command.ts';
import { after, isSaid, type Edit } from './edit.ts';
import type { Following } from './follow.ts';
import { requestOf } from './requests.ts';
import type { ObjectState } from './state.ts';
import { accept, locate, type Subject } from './subject.ts';
import { anyEdit } from '../writes.ts';

interface Part {
  readonly subject: Subject;
  readonly edit: Edit;
  readonly next: ObjectState;
  readonly request: RequestSpec;
}

/** Sends one write for each of some objects as a batch; with a failing one among them nothing may have happened to any. */
export async function followBatch(
  following: Following,
  subjects: readonly Subject[],
  command: BatchCommand,
): Promise<readonly Subject[]> {
  const { context } = following;
  const parts = await partsOf(following, subjects, command);
  const [one] = parts;
  if (one === undefined) return [];
  const requests = parts.map(({ request }) => request);
  if (command.failing !== undefined) {
    const failing = failingWrite(following, one.subject, command.failing === 1);
    context.expect(await sendBatch(context, requests.toSpliced(command.failing, 0, failing))).toAnswer(500);
    return subjects;
  }
  const reply = await sendBatch(context, requests);
  context.expect(reply).toAnswer(200);
  for (const [index, result] of resultsOf(reply).slice(0, parts.length).entries()) {
    const next = parts[index]?.next.version;
    context
      .expect(bodyOfResult(result)['version'] ?? next, `version in result ${index} of the batch`, reply)
      .toEqual(next);
  }
  for (const { subject, next, edit } of parts) accept(context, subject, next, edit);
  return parts.map(({ subject }) => subject);
}

/** A merge that cannot pass, since its version was never there or is left out. */
function failingWrite({ context }: Following, { thing, state }: Subject, without: boolean): RequestSpec {
  const request = context.service.requests.merge(thing, anyEdit(context));
  return { ...request, version: without ? null : state.version + 7 };
}

/** One write for each object that the command names, the first that it names for it, if it is sure to pass. */
async function partsOf(
  following: Following,
  subjects: readonly Subject[],
  { parts }: BatchCommand,
): Promise<readonly Part[]> {
  const { context, shape } = following;
  const found = new Map<Subject, Part>();
  for (const command of parts) {
    const subject = subjects[command.object % Math.max(1, subjects.length)];
    if (subject === undefined || found.has(subject)) continue;
    const edit = editFrom(command, subject.state, shape, context.given.unique);
    const next = isSaid(subject.state, edit) ? after(subject.state, edit) : undefined;
    if (next === undefined) continue;
    await locate(context, shape, subject, edit);
    found.set(subject, { subject, edit, next, request: requestOf(context, shape, subject, edit) });
  }
  return [...found.values()];
}
