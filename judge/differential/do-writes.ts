import type { RuleId } from '../../contract/rule.ts';
import { type Actor, kindOf, type Played, playerOf, sendTold, type Step, stepLooks, takeIn } from './actor.ts';
import {
  type Breach,
  breachesIn,
  type Cause,
  causeOf,
  createCause,
  type Judging,
  openJudging,
  refusalRule,
  refusedOperationsCause,
  refusedWriteCause,
} from './judge-look.ts';
import { look } from './roles.ts';
import { isSuccess, type Reply } from '../exchange.ts';
import { type EditCommand, type Start, startingContent, type Stated, statedFor } from '../model/command.ts';
import { acceptWrite, idsOf } from '../model/object.ts';
import { bodyOf } from '../model/requests.ts';
import type { Edit, ObjectState } from '../model/state.ts';
import { age, writeOf } from '../model/write.ts';
import { headerVersion } from '../service/writes.ts';

/** Does a write that the documents decide; undefined where they leave open what becomes of it in this state. */
export async function doEdit(actor: Actor, played: Played, command: EditCommand): Promise<Step | undefined> {
  const { context } = actor.party;
  const { subject } = played;
  const write = await writeOf(playerOf(actor), subject, command);
  if (write === undefined) return undefined;
  const { edit, next, request } = write;
  const reply = await sendTold(actor, { ...request, version: statedFor(command, subject.state.version) });
  const judging = openJudging();
  const cause = judged(judging, actor, { edit, stated: command.version, next, reply });
  if (next !== undefined && command.version === 'current' && isSuccess(reply.status))
    acceptWrite(context, subject, next, edit);
  const found = await lookBehind(actor, played, cause);
  const kind = kindOf(reply, 'edit');
  return {
    command: isSuccess(reply.status) && next !== undefined ? familyOf(edit) : edit.kind,
    situation: situationOf(next, command.version),
    reply,
    kind,
    looks: stepLooks(actor, reply, kind, played.seen),
    breaches: [...judging.breaches, ...found],
    facets: played.seen?.facets ?? new Map(),
    isDecided: true,
    ...(silenceOf(edit, next) !== undefined && { silence: silenceOf(edit, next) ?? '' }),
    told: actor.told.length,
  };
}

interface Done {
  readonly edit: Edit;
  readonly stated: Stated;
  readonly next: ObjectState | undefined;
  readonly reply: Reply;
}

/** Judges the answer; returns the rules about what is read next. */
function judged(judging: Judging, { party }: Actor, { edit, stated, next, reply }: Done): Cause {
  const { equal, holds } = judging;
  if (next === undefined) {
    holds(refusalRule(edit), reply.status >= 400, `a refusal of ${edit.kind}`, `status ${reply.status}`, true);
    return { ...refusedOperationsCause, name: `a refused ${edit.kind}` };
  }
  if (stated !== 'current') {
    const [rule, status] = guardOf(edit, stated);
    equal(
      rule,
      `status of ${edit.kind} with ${stated === 'absent' ? 'no' : stated} version`,
      reply.status,
      status,
      isSuccess(reply.status),
    );
    return refusedWriteCause;
  }
  const cause = causeOf(edit, party.shape);
  const exact = exactStatus[edit.kind];
  if (!holds(cause.named, isSuccess(reply.status), `${edit.kind} to succeed`, `status ${reply.status}`, true))
    return cause;
  if (exact !== undefined) equal(exact, `status of ${edit.kind}`, reply.status, 204);
  if (reply.status === 204)
    equal('headers.no-content.empty-body', 'bytes in the body of a 204', reply.bytes.byteLength, 0);
  const header = headerRule(edit);
  const version = headerVersion(reply.headers);
  if (header !== undefined) equal(header, `version header after ${edit.kind}`, version, next.version);
  return cause;
}

const exactStatus: Readonly<Partial<Record<Edit['kind'], RuleId>>> = {
  merge: 'patch.merge.status-204',
  promote: 'maturity.promote.status-204',
};

/** The rule about a version that is not the current one, and the status that it asks for. */
function guardOf(edit: Edit, stated: Stated): readonly [RuleId, number] {
  const family = familyOf(edit);
  if (family === 'demote') return ['maturity.demote.version-guarded', stated === 'absent' ? 412 : 409];
  if (stated === 'absent') return [absentRules[family], 412];
  if (family === 'PUT') return ['versioning.mismatch.put-409', 409];
  if (family === 'promote') return ['maturity.promote.wrong-version-409', 409];
  if (family === 'operations PATCH') return ['versioning.mismatch.operations-409', 409];
  return [stated === 'ahead' ? 'versioning.mismatch.higher-409' : 'versioning.mismatch.lower-409', 409];
}

const absentRules: Readonly<Record<Exclude<Family, 'demote'>, RuleId>> = {
  'merge PATCH': 'versioning.absent.merge-412',
  PUT: 'versioning.absent.put-412',
  promote: 'maturity.promote.absent-version-412',
  'operations PATCH': 'versioning.absent.operations-412',
};

type Family = 'merge PATCH' | 'PUT' | 'promote' | 'demote' | 'operations PATCH';

/** The way an edit goes. */
function familyOf({ kind }: Edit): Family {
  if (kind === 'merge') return 'merge PATCH';
  if (kind === 'put') return 'PUT';
  return kind === 'promote' || kind === 'demote' ? kind : 'operations PATCH';
}

function headerRule(edit: Edit): RuleId | undefined {
  const rules = {
    'merge PATCH': 'headers.uoi-version.on-merge',
    PUT: 'headers.uoi-version.on-put',
    'operations PATCH': 'headers.uoi-version.on-operations',
  } as const;
  const family = familyOf(edit);
  return family === 'promote' || family === 'demote' ? undefined : rules[family];
}

function situationOf(next: ObjectState | undefined, stated: Stated): string {
  if (next === undefined) return 'where it does not apply';
  if (stated === 'current') return 'accepted';
  return stated === 'absent' ? 'without version' : 'with a version that is not the current one';
}

function silenceOf(edit: Edit, next: ObjectState | undefined): string | undefined {
  if (next === undefined) return 'operations-patch-failure-status';
  const silences: Readonly<Partial<Record<Family, string>>> = {
    PUT: 'put-success-status',
    demote: 'demote-success-status',
    'operations PATCH': 'operations-patch-success-status',
  };
  return silences[familyOf(edit)];
}

/** Creates an object with what the history begins with, and looks at it. */
export async function doStart(actor: Actor, start: Start): Promise<Step> {
  const { context, shape } = actor.party;
  const content = startingContent(start, shape, actor.fresh);
  const body = context.given.body(bodyOf(context, shape, content));
  const reply = await sendTold(actor, context.service.requests.create(body));
  const judging = openJudging();
  judging.equal('reading.create.status-201', 'status of a create', reply.status, 201);
  judging.holds('headers.location.on-create', reply.headers['location'] !== undefined, 'a Location', 'none');
  const thing = await context.given.found(reply, body);
  const version = headerVersion(reply.headers);
  judging.holds(
    'headers.uoi-version.on-create',
    version === thing.version,
    `the version ${thing.version} in the version header`,
    String(version),
  );
  const played = takeIn(actor, thing, content);
  const step = await looked(actor, played, judging.breaches, reply);
  const isAged = await age(playerOf(actor), played.subject, start.age, async (request) => {
    const { status } = await sendTold(actor, request);
    return isSuccess(status);
  });
  if (!isAged) return step;
  const agedBy = { ...causeOf({ kind: 'merge', scalars: {} }, shape), names: shape.scalars.slice(0, 1) };
  const found = await lookBehind(actor, played, agedBy);
  return { ...step, breaches: [...step.breaches, ...found], told: actor.told.length };
}

async function looked(actor: Actor, played: Played, breaches: Step['breaches'], reply: Step['reply']): Promise<Step> {
  const kind = kindOf(reply, 'create');
  const found = await lookBehind(actor, played, createCause);
  return {
    command: 'create',
    situation: 'as the input schema has it',
    reply,
    kind,
    looks: stepLooks(actor, reply, kind, played.seen),
    breaches: [...breaches, ...found],
    facets: played.seen?.facets ?? new Map(),
    isDecided: true,
    told: actor.told.length,
  };
}

/** Looks at an object that a write is about; what is read then shows the order of the entries for good. */
export async function lookBehind({ party }: Actor, played: Played, cause: Cause): Promise<readonly Breach[]> {
  const { subject, numbering } = played;
  const seen = await look(party, subject, numbering);
  const breaches = seen === undefined ? [] : breachesIn(party, subject, seen, cause);
  played.seen = seen;
  subject.unordered = false;
  subject.ids = seen && idsOf(seen.arrays.map(({ whole }) => whole));
  return breaches;
}
