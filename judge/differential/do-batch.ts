import { operationsOf } from '../batch-requests.ts';
import type { RequestSpec } from '../exchange.ts';
import { isObject } from '../answer.ts';
import { editFrom, type BatchCommand } from '../model/command.ts';
import { after, isSaid, type Edit } from '../model/edit.ts';
import { requestOf } from '../model/requests.ts';
import type { ObjectState } from '../model/state.ts';
import { accept, locate } from '../model/subject.ts';
import { anyEdit } from '../writes.ts';
import { kindOf, shown, tell, type Actor, type Played, type Step } from './actor.ts';
import { openJudging, type Breach } from './breach.ts';
import { failedBatch, passedBatch } from './cause.ts';
import { settleOrder } from './do-start.ts';
import { breachesIn } from './judge-look.ts';
import { look } from './seen.ts';

interface Part {
  readonly played: Played;
  readonly edit: Edit;
  readonly next: ObjectState;
  readonly request: RequestSpec;
}

/** Sends a write for each of some objects in one batch; undefined where none of them is sure to pass. */
export async function doBatch(
  actor: Actor,
  objects: readonly Played[],
  command: BatchCommand,
): Promise<Step | undefined> {
  const { context } = actor.party;
  const parts = await partsOf(actor, objects, command);
  if (parts.length === 0) return undefined;
  const fails = command.failing !== undefined;
  const requests = parts.map(({ request }) => request);
  const sent = fails ? requests.toSpliced(command.failing ?? 0, 0, failing(actor, parts, command)) : requests;
  const reply = await tell(actor, context.service.requests.batch(await operationsOf(context, sent)));
  const judging = openJudging();
  judging.equal(
    fails ? 'batch.failure.status-500' : 'batch.success.status-200',
    'status of a batch',
    reply.status,
    fails ? 500 : 200,
    reply.status >= 300 !== fails,
  );
  if (reply.status === 200 && !fails) judgeResults(judging, reply.json, parts);
  const isStored = !fails && reply.status < 300;
  if (isStored) for (const { played, next, edit } of parts) accept(context, played.subject, next, edit);
  const seen = await Promise.all(parts.map((part) => looked(actor, part, fails)));
  const kind = kindOf(reply, 'batch');
  return {
    command: 'batch',
    situation: fails ? 'with an operation that cannot pass' : 'of edits',
    reply,
    kind,
    looks: shown(actor, reply, kind, parts[0]?.played.seen),
    breaches: [...judging.breaches, ...seen.flat()],
    facets: new Map(
      parts.flatMap(({ played }, index) =>
        [...(played.seen?.facets ?? [])].map(
          ([name, value]) => [index === 0 ? name : `${name} of object ${index + 1}`, value] as const,
        ),
      ),
    ),
    isDecided: true,
    silence: 'batch-sibling-statuses',
    told: actor.told.length,
  };
}

async function looked(actor: Actor, { played }: Part, fails: boolean): Promise<readonly Breach[]> {
  played.seen = await look(actor.party, played.subject, played.numbering);
  const found =
    played.seen === undefined
      ? []
      : breachesIn(actor.party, played.subject, played.seen, fails ? failedBatch : passedBatch);
  settleOrder(played);
  return found;
}

function judgeResults({ equal, holds }: ReturnType<typeof openJudging>, json: unknown, parts: readonly Part[]): void {
  const results = Array.isArray(json) ? json.filter(isObject) : [];
  if (!equal('batch.result.one-per-operation', 'results of a batch', results.length, parts.length)) return;
  for (const [index, { next }] of parts.entries()) {
    const result = results[index];
    const body = result?.['body'];
    holds(
      'batch.result.status-code-is-integer',
      Number.isInteger(result?.['statusCode']),
      `an integer as statusCode of result ${index}`,
      String(result?.['statusCode']),
    );
    equal(
      'batch.result.version-in-body',
      `version in result ${index} of a batch`,
      isObject(body) ? body['version'] : undefined,
      next.version,
    );
  }
}

/** A merge that cannot pass, since its version was never there or is left out. */
function failing({ party: { context } }: Actor, parts: readonly Part[], command: BatchCommand): RequestSpec {
  const { thing, state } = parts[0]?.played.subject ?? {};
  if (thing === undefined || state === undefined) throw new Error('a batch without parts has nothing to fail with');
  return {
    ...context.service.requests.merge(thing, anyEdit(context)),
    version: command.failing === 1 ? null : state.version + 7,
  };
}

/** One write for each object that the command names, the first that it names for it, if it is sure to pass. */
async function partsOf(actor: Actor, objects: readonly Played[], { parts }: BatchCommand): Promise<readonly Part[]> {
  const { context, shape } = actor.party;
  const found = new Map<Played, Part>();
  for (const command of parts) {
    const played = objects[command.object % Math.max(1, objects.length)];
    if (played === undefined || found.has(played)) continue;
    const { subject } = played;
    const edit = editFrom(command, subject.state, shape, actor.fresh);
    const next = shape.kinds.has(edit.kind) && isSaid(subject.state, edit) ? after(subject.state, edit) : undefined;
    if (next === undefined) continue;
    await locate(context, shape, subject, edit);
    found.set(played, { played, edit, next, request: requestOf(context, shape, subject, edit) });
  }
  return [...found.values()];
}
