import type { RuleId } from '../../contract/rule.ts';
import { PreconditionFailed } from '../violation.ts';
import { idsNow } from '../model/reads.ts';
import type { Reply } from '../exchange.ts';
import { created } from '../model/state.ts';
import { kindOf, shown, tell, type Actor, type Played, type Step } from './actor.ts';
import { openJudging, type Judging } from './breach.ts';
import type { Probe } from './probe.ts';
import { look, type Seen } from './seen.ts';

/** Asks what the documents decide in part or not at all; undefined where the state of the object makes the question another one. */
export async function doProbe(actor: Actor, played: Played, probe: Probe): Promise<Step | undefined> {
  const { party, fresh } = actor;
  const { subject } = played;
  const isWrite = probe.touches === 'object' || probe.touches === 'removes';
  if (isWrite) subject.ids ??= await idsNow(party.context, party.shape, subject);
  if (isWrite) played.seen ??= await look(party, subject, played.numbering);
  const before = played.seen;
  const on = { party, subject, fresh, requests: party.context.service.requests, ids: subject.ids ?? [] };
  const request = await probe.request(on);
  if (request === undefined) return undefined;
  const reply = await tell(actor, request);
  const judging = openJudging();
  judgeStatus(judging, probe, reply);
  if (reply.status < 300) await probe.prove?.(on, request, reply, judging);
  const facets = await effectOf(actor, played, probe, { reply, before, judging });
  const kind = kindOf(reply, probe.answer);
  return {
    command: probe.command,
    situation: probe.situation,
    reply,
    kind,
    looks: shown(actor, reply, kind),
    breaches: judging.breaches,
    facets,
    isDecided: false,
    ...(probe.silence !== undefined && { silence: probe.silence }),
    told: actor.told.length,
  };
}

function judgeStatus({ holds, equal }: Judging, { says, command, situation }: Probe, { status }: Reply): void {
  if (says === undefined) return;
  const what = `${command}, ${situation}`;
  if (says.statuses === undefined)
    holds(says.rule, status >= 400, `a refusal of ${what}`, `status ${status}`, status < 300);
  else if (says.statuses.length === 1) equal(says.rule, `status of ${what}`, status, says.statuses[0]);
  else holds(says.rule, says.statuses.includes(status), `${what} to succeed`, `status ${status}`);
}

interface Asked {
  readonly reply: Reply;
  readonly before: Seen | undefined;
  readonly judging: Judging;
}

/** What changed, by aspect; empty where nothing did. */
async function effectOf(actor: Actor, played: Played, probe: Probe, asked: Asked): Promise<Step['facets']> {
  if (probe.touches === 'nothing') return new Map();
  if (probe.touches === 'makes') return asked.reply.status === 201 ? madeBy(actor, asked.reply) : new Map();
  const { party } = actor;
  const { subject, numbering } = played;
  if (probe.touches === 'removes' && asked.reply.status < 300) return goneFrom(actor, played, asked);
  played.seen = await look(party, subject, numbering);
  const changes = changesOf(asked.before, played.seen);
  subject.ids = played.seen?.arrays.map(({ whole }) => whole.map(({ entryId }) => entryId));
  if (asked.reply.status < 300) judgeVersion(asked, probe, played.seen);
  if (asked.reply.status >= 400 && probe.keeps !== undefined)
    asked.judging.holds(
      probe.keeps,
      changes.size === 0,
      `nothing to change by ${probe.command}, ${probe.situation}`,
      [...changes].map(([name, value]) => `${name}: ${value}`).join('; '),
      true,
    );
  return changes;
}

const raises: Readonly<Record<string, RuleId>> = {
  'merge PATCH': 'versioning.edit.merge-adds-one',
  'operations PATCH': 'versioning.edit.operations-add-one',
  PUT: 'versioning.edit.put-adds-one',
};

/** An accepted write that makes a version makes one. */
function judgeVersion({ before, judging }: Asked, { command, situation }: Probe, after: Seen | undefined): void {
  const rule = raises[command];
  const [was, is] = [before?.version, after?.version];
  if (rule === undefined || typeof was !== 'number' || typeof is !== 'number' || is === was) return;
  judging.equal(rule, `version after ${command}, ${situation}`, is, was + 1, true);
}

async function goneFrom({ party }: Actor, played: Played, { judging }: Asked): Promise<Step['facets']> {
  const read = await party.context.service.read(played.subject.thing);
  judging.equal('patch.delete.object-gone', 'status of a read after DELETE', read.status, 404, true);
  played.seen = undefined;
  return new Map([['object', 'gone']]);
}

/** Aspects with another value than before. */
function changesOf(before: Seen | undefined, after: Seen | undefined): Map<string, string> {
  if (after?.facets.get('read') !== '200') return new Map(after?.facets);
  const names = new Set([...(before?.facets.keys() ?? []), ...after.facets.keys()]);
  return new Map(
    [...names].flatMap((name) => {
      const now = after.facets.get(name) ?? 'none';
      return now === before?.facets.get(name) ? [] : [[name, now] as const];
    }),
  );
}

async function madeBy({ party, roles }: Actor, reply: Reply): Promise<Step['facets']> {
  try {
    const thing = await party.context.given.found(reply, {});
    roles.note(thing.oid, '(object made)');
    const state = { ...created({ scalars: {}, inner: undefined, arrays: [] }), version: thing.version };
    const subject = { thing, state, ids: undefined, unordered: true, learned: new Map<string, unknown>() };
    const seen = await look(party, subject, { entries: new Map(), states: new Map(), tags: new Map() });
    return new Map(
      [...(seen?.facets ?? [])].filter(
        ([name, value]) => name === 'read' || !/^(?:none|0 entries|not shown|created \+ 0|1|)$/.test(value),
      ),
    );
  } catch (error) {
    if (error instanceof PreconditionFailed) return new Map([['object', 'not found']]);
    throw error;
  }
}
