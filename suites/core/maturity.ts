import { type CaseContext, race, scenario } from '../../judge/case.ts';
import { answersAfterwards, areSimultaneous, assertRaced } from '../../judge/service/races.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/things.ts';
import {
  expectStands,
  expectVersionHeader,
  makeDemotable,
  makePromoted,
  mostPromotes,
  promoteOn,
  readCurrentState,
  readStanding,
  stateFieldOf,
  stateFields,
  stateIn,
} from '../../judge/service/maturity.ts';
import { stateMembers } from '../../judge/service/state-fields.ts';
import { rules } from '../../judge/rule.ts';
import { editRoutes, readVersion, versionElsewhere } from '../../judge/service/writes.ts';
import { expectReferencesKept } from './checks/references-written.ts';
import { expectMovesOfTypesCount, expectMovesOfTypesMove } from './checks/moves-of-types.ts';
import { lookAfterEachChange } from './checks/each-change.ts';
import {
  expectGuardedAcrossLevels,
  expectGuardedFurther,
  expectMovesOnlyInOrder,
  expectOneOfAllWins,
  expectSecondLevelGuarded,
  refusedToStrangers,
  expectSecondDemoteGuarded,
  expectStaleAfterDemote,
} from './checks/guarded-moves.ts';
import { expectBothArraysKept, expectLongArrayKept, movesBeside } from './checks/long-arrays.ts';
import { expectDateKept } from './checks/dated-kept.ts';
import { expectAllKeptByPromote } from './checks/member-kinds.ts';
import { expectFollowedOn, followerOf } from './checks/following-states.ts';
import { expectRefusedMovesCountNothing } from './checks/refused-moves.ts';
import {
  expectEachLevelDemoted,
  expectSecondLevelMoved,
  expectSecondLevelRaises,
  makePromotedOnAll,
} from './checks/second-level.ts';
import { createdTogether } from './checks/states-kept.ts';
import { readEveryWay } from './checks/ways-to-read.ts';
import { readersOf } from './checks/readers.ts';

const contests = 6;

const writers = 8;

export const maturityRules = rules('maturity', {
  'maturity.state-field.shape': {
    source: 'core: States and transitions',
    statement:
      'An instance under maturity carries a current-state field for the level, an object with the strings `$oid`, `$softType`, `id` and `state`, in its last state as in its first, also where it was made together with others, in a batch or behind one of another SoftType.',
    fault: 'the state is a bare string instead of an object',
    needs: ['soft-type', 'maturity'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      const fresh = await given.object();
      const first = await context.service.read(fresh);
      expectShape(context, first);
      notes.observe('members of data that have the shape of a current state', stateFields(first).size, first);
      await lookAfterEachChange(context, fresh, async () => expectShape(context, await context.service.read(fresh)));
      // what another schema or a filter shows of it is not said
      for (const { way, isInBatch, reply } of await readEveryWay(context, fresh))
        if (!way.isReshaped && !way.isFiltered && !isInBatch) expectShape(context, reply);
      const fields = [...stateFields(first).keys()].sort();
      await expectFieldsToTheLast(context, fields);
      for (const read of await createdTogether(context)) {
        expectShape(context, read);
        // one for each level, however the object came into being
        expect([...stateFields(read).keys()].sort(), 'current states of an object of a multi-create', read).toEqual(
          fields,
        );
      }
    }),
  },
  'maturity.promote.status-204': {
    source: 'core: Endpoint table, PUT promote',
    statement:
      'PUT `/api/space/{spaceId}/maturityAction/promote/{objectId}/{processId}/{levelId}` without body and with the current version answers 204, on each level and up to the last state.',
    fault: 'demands a JSON body',
    needs: ['soft-type', 'maturity'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      expect(await service.promote(await given.object())).toAnswer(204);
      await promoteToTheLast(context, async (promote) => void expect(promote).toAnswer(204));
      for (const [what, body] of [
        ['an empty object', {}],
        ['a state', { state: 'no such state' }],
        ['broken JSON', '{"'],
      ] as const) {
        const reply = await service.promote(await given.object(), { body });
        notes.observe(`promote with ${what} as body`, reply.status, reply);
        notes.remarkServerError(reply);
      }
      const text = await service.promote(await given.object(), {
        body: 'promote',
        headers: { 'Content-Type': 'text/plain' },
      });
      notes.observe('promote with a text as body', text.status, text);
    }),
  },
  'maturity.promote.moves-state': {
    source: 'core: States and transitions; Endpoint table, PUT promote',
    statement:
      'A promote that answers 204 changes the `state` of the level named in the route, to the next one where the profile lists them, of each SoftType that has the process; other objects keep theirs. It leaves a long array as it is, and so does a demote, and members of every kind, with the date of a dated one.',
    fault: 'promote raises the version but leaves the state',
    needs: ['soft-type', 'maturity'],
    after: ['maturity.promote.status-204', 'maturity.state-field.shape'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const [thing, other] = [await given.object(), await given.object()];
      const [before, untouched] = [await readCurrentState(context, thing), await readCurrentState(context, other)];
      const promote = await service.promote(thing);
      given.succeeded(promote, 'a promote from the start state', ['maturity.promote.status-204']);
      for (const as of readersOf(profile))
        expect(
          await readCurrentState(context, thing, { as }),
          `state after a promote from ${before}, seen by the ${as}`,
          promote,
        ).toSatisfy(...followerOf(context, before));
      expect(await readCurrentState(context, other), 'state of an object that nobody promoted').toEqual(untouched);
      await expectFollowedOn(context, thing);
      await expectSecondLevelMoved(context);
      await expectMovesOfTypesMove(context);
      await expectLongArrayKept(context, movesBeside(context));
      await expectReferencesKept(context, 'promote');
      await expectBothArraysKept(context, movesBeside(context));
      await expectAllKeptByPromote(context);
      await expectDateKept(context, 'a promote', service.promote);
    }),
  },
  'maturity.promote.version-plus-one': {
    source: 'core: States and transitions; Versioning 2; Common request headers (response headers)',
    statement:
      'Promoting an object at version n leaves it at n + 1, and the version response header says n + 1, on each level, of each SoftType that has the process, and up to the last state. A move that is refused, there or on what is no level, leaves version and states as they were.',
    fault: 'promote resets the version to 1',
    needs: ['soft-type', 'text-member', 'maturity'],
    after: ['maturity.promote.status-204'],
    test: scenario(async (context) => {
      const { given } = context;
      await expectPromoteRaises(context, await given.object());
      // a version of two digits as well
      for (const edits of [3, 10]) await expectPromoteRaises(context, await given.edited(await given.object(), edits));
      await expectSecondLevelRaises(context);
      await promoteToTheLast(context, async (promote, thing, what, before) =>
        expectMovedByOne(context, promote, before, thing, what),
      );
      await expectRefusedMovesCountNothing(context);
      await expectMovesOfTypesCount(context, 'promote');
    }),
  },
  'maturity.promote.then-edit': {
    source: 'core: Versioning 2 (1 to 2 after promote, 2 to 3 after edit)',
    statement:
      'After a promote an edit with the new version leads to the version after that; after many, or one on another level, one with another version answers 409, and each way to edit tells the version after it, where the state takes edits.',
    fault: 'promote and edit count separate versions',
    needs: ['soft-type', 'text-member', 'maturity'],
    after: ['maturity.promote.version-plus-one'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const member = profile.textMember;
      const thing = await promoteToEditable(context, await makePromoted(context));
      if (thing === undefined) return expectStaleRefusedAnyhow(context, member);
      const version = thing.version;
      const stale = await service.merge(thing, { [member]: given.unique('stale') }, { version: version - 1 });
      const edit = await service.merge(thing, { [member]: given.unique('edit') });
      const step = `an edit in the state ${await readCurrentState(context, thing)} (a state that is closed to edits belongs into maturity.frozenStates of the profile)`;
      if (stale.status >= 400) given.succeeded(edit, step, ['versioning.edit.merge-adds-one']);
      expect(stale).toAnswer(409);
      expect(edit).toSucceed();
      expect(await readVersion(context, thing), `version after a promote to ${version} and an edit`, edit).toEqual(
        version + 1,
      );
      await expectGuardedFurther(
        context,
        'an edit after many promotes',
        () => makePromotedOften(context, mostPromotes),
        (moved, changes) => service.merge(moved, { [member]: given.unique() }, changes),
      );
      await expectGuardedAcrossLevels(context, 'edit');
      await expectEditsTold(context, await makePromotedOften(context, mostPromotes));
    }),
  },
  'maturity.promote.wrong-version-409': {
    source: 'core: Errors rule 1; Common request headers, Svc-UOIVersion (PUT)',
    statement:
      'A promote with a version other than the current one answers 409 and moves nothing, after other promotes as well, of the same level or of another one.',
    fault: 'promote does not compare the version',
    needs: ['soft-type', 'text-member', 'maturity'],
    after: ['maturity.promote.moves-state'],
    test: scenario(async (context) => {
      const { given } = context;
      for (const edits of [1, 2, 3]) {
        const thing = await given.edited(await given.object(), edits);
        await expectMovesOnlyInOrder(
          context,
          thing,
          context.service.promote,
          [409, { version: thing.version - edits }],
          [409, { version: thing.version + 1 }],
        );
      }
      await expectGuardedFurther(context, 'a second promote', () => makePromoted(context), context.service.promote);
      await expectGuardedAcrossLevels(context, 'promote');
    }),
  },
  'maturity.promote.absent-version-412': {
    source: 'core: Errors rule 2; Common request headers, Svc-UOIVersion (PUT)',
    statement: 'A promote without version header answers 412 and moves nothing.',
    fault: 'a missing version on promote counts as the current one',
    needs: ['soft-type', 'maturity'],
    after: ['maturity.promote.moves-state'],
    test: scenario(async (context) => {
      const thing = await context.given.object();
      const ifMatch = { version: null, headers: versionElsewhere(thing) };
      // that header may be refused for itself
      await expectMovesOnlyInOrder(
        context,
        thing,
        context.service.promote,
        [412, { version: null }],
        ['refused', ifMatch],
      );
    }),
  },
  'maturity.promote.race-one-winner': {
    source: 'core: Versioning 3; Errors rule 1',
    statement:
      'Of several promotes sent at once with the same version exactly one succeeds, the others answer 409; of moves on several levels and edits no more than one does.',
    fault: 'compares the version before and stores after an await, without holding the object',
    needs: ['soft-type', 'text-member', 'maturity'],
    after: ['maturity.promote.wrong-version-409'],
    test: race(async (context) => {
      const { state: next } = await readStanding(context, await makePromoted(context));
      let overlapping = 0;
      for (let contest = 0; contest < contests; contest += 1) {
        const mixed = contest % 2 === 1;
        // a promote is sent first in one of them, an edit in the others: who comes first may be held more loosely against one of the two
        const replies = await compete(context, next, (writer) => mixed && (writer % 2 === 1) === (contest === 1));
        if (areSimultaneous(replies)) overlapping += 1;
      }
      await expectOneOfAllWins(context);
      assertRaced(context, overlapping, contests);
    }),
  },
  'maturity.promote.reader-refused': {
    source: 'core: What the service does (role decides on PUT); Authentication 6',
    statement:
      'A promote by an identity without a role in the space, or with one that does not allow PUT, answers 403 and moves nothing.',
    fault: 'maturity actions skip the role check',
    needs: ['soft-type', 'maturity', 'reader-identity'],
    after: ['maturity.promote.status-204'],
    test: scenario(async (context) => {
      await expectMovesOnlyInOrder(
        context,
        await context.given.object(),
        context.service.promote,
        ...refusedToStrangers(context),
      );
      await expectSecondLevelGuarded(context);
    }),
  },
  'maturity.demote.version-plus-one': {
    level: 'should',
    source: 'core: States and transitions; Common request headers (PUT); Versioning 2',
    statement:
      'Demote is a PUT that edits the object: with the current version it succeeds and raises the version by one, shown in the version header, from the last state down as well. It changes the state of the level that its path names.',
    fault: 'demote lowers the version',
    needs: ['soft-type', 'maturity', 'demote-route'],
    after: ['maturity.promote.version-plus-one'],
    test: scenario(async (context) => {
      const { service, expect, notes } = context;
      const thing = await makeDemotable(context);
      const reply = await service.demote(thing);
      expect(reply).toSucceed();
      notes.bound('demoteSuccess', 'success status of a demote', reply.status, reply);
      expectVersionHeader(context, reply, thing.version + 1);
      expect(await readVersion(context, thing), `version after a demote at ${thing.version}`, reply).toEqual(
        thing.version + 1,
      );
      const read = await context.service.read(thing);
      notes.observe('state after promote and demote', String(stateIn(context, read)), read);
      await expectDemotesRaise(context);
      await expectMovesOfTypesCount(context, 'demote');
      await expectEachLevelDemoted(context);
    }),
  },
  'maturity.demote.version-guarded': {
    source: 'core: Errors rules 1 and 2; Common request headers, Svc-UOIVersion (PUT)',
    statement:
      'A demote with another version answers 409, without version 412, by an identity whose role does not allow PUT 403, and moves nothing, in the last state that promotes lead to and on another level as well; the version from before a demote is refused by every way to write.',
    fault: 'demote does not compare the version',
    needs: ['soft-type', 'maturity', 'demote-route'],
    after: ['maturity.demote.version-plus-one'],
    test: scenario(async (context) => {
      const thing = await makeDemotable(context);
      const { version } = thing;
      await expectMovesOnlyInOrder(
        context,
        thing,
        context.service.demote,
        [409, { version: version - 1 }],
        [409, { version: version + 1 }],
        [412, { version: null }],
        ...refusedToStrangers(context),
      );
      const make = () => makePromotedOften(context, mostPromotes);
      await expectGuardedFurther(context, 'a demote after many promotes', make, context.service.demote);
      await expectSecondDemoteGuarded(context);
      await expectStaleAfterDemote(context);
    }),
  },
  'maturity.transitions.open-questions': {
    level: 'observe',
    source: 'core: States and transitions (transitions not shown)',
    statement:
      'Not described: promote in the last state, demote in the first, unknown process, level or object id, a level of another SoftType, whether demote restores the former state, whether a state blocks edits, whether levels move independently.',
    needs: ['soft-type', 'maturity', 'terminal-state'],
    test: scenario(async (context) => {
      await climb(context);
      await strangeTargets(context);
      await otherLevels(context);
      if (context.profile.all.routes?.demote === undefined) return;
      const { given, service } = context;
      const fresh = await given.object();
      await recordAction(context, 'demote in the first state', fresh, service.requests.demote(fresh));
      const moved = await makePromoted(context);
      const reply = await recordAction(context, 'demote after one promote', moved, service.requests.demote(moved));
      const restored =
        stateIn(context, await context.service.read(moved)) === stateIn(context, await context.service.read(fresh));
      context.notes.observe('demote restores the former state', restored, reply);
    }),
  },
});

/** Where each state that promotes lead to is closed to edits, one for an older version is refused for that or for its version. */
async function expectStaleRefusedAnyhow(context: CaseContext, member: string): Promise<void> {
  const { given, service, expect } = context;
  const thing = await makePromoted(context);
  const before = await readStanding(context, thing);
  const stale = await service.merge(thing, { [member]: given.unique('stale') }, { version: thing.version - 1 });
  expect(stale).toBeRefused();
  expectStands(context, before, await readStanding(context, thing));
}

/** The object in a state that the profile does not call closed to edits, promoted on where it is in such a one; undefined where no promote leads to one. */
async function promoteToEditable(context: CaseContext, thing: Thing): Promise<Thing | undefined> {
  const { given, service, profile } = context;
  const { frozenStates = [], states = [] } = profile.all.maturity ?? {};
  let open = thing;
  for (
    let state = await readCurrentState(context, open);
    frozenStates.includes(state);
    state = await readCurrentState(context, open)
  ) {
    if (state === states.at(-1)) return undefined;
    given.succeeded(await service.promote(open), `a promote from the state ${state}`, ['maturity.promote.moves-state']);
    open = await given.current(open);
  }
  return open;
}

/** A promote with the current version: its header and the next read show the one after it. */
async function expectPromoteRaises(context: CaseContext, thing: Thing): Promise<void> {
  const { service, expect } = context;
  const reply = await service.promote(thing);
  expect(reply).toSucceed();
  expectVersionHeader(context, reply, thing.version + 1);
  expect(await readVersion(context, thing), `version after a promote at ${thing.version}`, reply).toEqual(
    thing.version + 1,
  );
}

/** A move answers with the version that the object has then, which is one more than before. */
function expectMovedByOne(context: CaseContext, move: Reply, before: Thing, after: Thing, what: string): void {
  expectVersionHeader(context, move, before.version + 1);
  context
    .expect(after.version, `version after ${what}, before the last of them ${before.version}`, move)
    .toEqual(before.version + 1);
}

/** Each way to edit tells the version that it leads to, where the state of the object takes it. */
async function expectEditsTold(context: CaseContext, thing: Thing): Promise<void> {
  let { version } = thing;
  for (const { name, request } of editRoutes(context)) {
    const reply = name === 'promote' ? undefined : await context.service.send(request({ ...thing, version }));
    if (reply === undefined || !isSuccess(reply.status)) continue;
    version += 1;
    expectVersionHeader(context, reply, version);
  }
}

/** The same of demotes from the last state on, as often as the service takes them. */
async function expectDemotesRaise(context: CaseContext): Promise<void> {
  const { given, service } = context;
  let thing = await makePromotedOften(context, mostPromotes);
  for (let count = 1; count <= mostPromotes; count += 1) {
    const before = thing;
    const demote = await service.demote(before);
    if (!isSuccess(demote.status)) break;
    thing = await given.current(before);
    expectMovedByOne(context, demote, before, thing, `${count} demotes from the last state`);
  }
}

/** As often as the service takes it, up to that number. */
async function makePromotedOften(context: CaseContext, most: number): Promise<Thing> {
  const { given, service } = context;
  let thing = await makePromoted(context);
  for (let count = 1; count < most && isSuccess((await service.promote(thing)).status); count += 1)
    thing = await given.current(thing);
  return thing;
}

/** Each level has its field in every state that promotes lead to, up to the last one. */
async function expectFieldsToTheLast(context: CaseContext, fields: readonly string[]): Promise<void> {
  await promoteToTheLast(context, async (_promote, thing, what) => {
    const read = await context.service.read(thing);
    context.expect([...stateFields(read).keys()].sort(), `current states after ${what}`, read).toEqual(fields);
  });
  const read = await context.service.read(await makePromotedOnAll(context));
  context
    .expect([...stateFields(read).keys()].sort(), 'current states after promotes on all levels', read)
    .toEqual(fields);
}

/** An object for each level, promoted as often as the service takes it: where the last state is, and if levels move at all, is configuration. */
async function promoteToTheLast(
  context: CaseContext,
  look: (promote: Reply, thing: Thing, what: string, before: Thing) => Promise<void>,
): Promise<void> {
  const { given, service, profile } = context;
  const { levelId, secondLevelId } = profile.all.maturity ?? {};
  for (const level of [levelId, secondLevelId]) {
    if (level === undefined) continue;
    let thing = await given.object();
    for (let count = 1; count <= mostPromotes; count += 1) {
      const before = thing;
      const promote = await service.send(promoteOn(context, before, level));
      if (!isSuccess(promote.status)) break;
      thing = await given.current(before);
      await look(promote, thing, `${count} promotes on ${level}`, before);
    }
  }
}

function expectShape(context: CaseContext, read: Reply): void {
  const { given, expect, profile } = context;
  const field = stateFieldOf(context, read);
  if (field === undefined && profile.all.maturity?.stateMember === undefined)
    given.inconclusive(
      'no member of data can be told to be the current state: bind maturity.stateMember in the profile',
    );
  expect(field, 'the current-state field', read).toBeAnObject();
  for (const member of stateMembers)
    expect(
      new Map(Object.entries(field ?? {})).get(member),
      `${member} of the current-state field`,
      read,
    ).toBeAString();
}

/**
 * All writers send the version of one object at once. How an edit is refused that lost to a promote is not judged: a state may be closed to edits.
 * @param next state that one promote leads to
 * @param edits whether a writer edits instead of promoting
 */
async function compete(
  context: CaseContext,
  next: unknown,
  edits: (writer: number) => boolean,
): Promise<readonly Reply[]> {
  const { given, expect, profile } = context;
  const thing = await given.object({ [profile.textMember]: given.unique('before') });
  const before = await readStanding(context, thing);
  const writes = Array.from({ length: writers }, (_, writer) => () => sendWrite(context, thing, edits(writer)));
  const atOnce = await Promise.all(writes.map((write) => write()));
  const replies = await answersAfterwards(writes, atOnce);
  const winners = replies.filter(({ status }) => isSuccess(status));
  for (const [writer, reply] of replies.entries())
    if (!winners.includes(reply) && !edits(writer)) expect(reply).toAnswer(409);
  expect(winners.length, `writers of ${writers} with one version that succeed`, winners[1] ?? replies[0]).toEqual(1);
  const { snapshot, state } = await readStanding(context, thing);
  expect(snapshot.version, 'version after one accepted write', snapshot.reply).toEqual(thing.version + 1);
  const edited = edits(replies.findIndex((reply) => reply === winners[0]));
  expect(state ?? null, `state when ${edited ? 'an edit' : 'a promote'} won`, snapshot.reply).toEqual(
    (edited ? before.state : next) ?? null,
  );
  return atOnce;
}

function sendWrite({ service, given, profile }: CaseContext, thing: Thing, edit: boolean): Promise<Reply> {
  return edit ? service.merge(thing, { [profile.textMember]: given.unique('writer') }) : service.promote(thing);
}

/** Edits in every state up to the last one, then a promote that has nowhere to lead to. */
async function climb(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { states = [], frozenStates } = profile.all.maturity ?? {};
  const frozen: string[] = [];
  let thing = await given.object();
  for (const step of states.keys()) {
    const state = await readCurrentState(context, thing);
    if (!(await takesEdit(context, thing, state))) frozen.push(state);
    thing = await given.current(thing);
    if (step === states.length - 1) break;
    given.succeeded(await service.promote(thing), `a promote from the state ${state}`, [
      'maturity.promote.moves-state',
    ]);
    thing = await given.current(thing);
  }
  notes.observe('states that are closed to edits', frozen.join(', '));
  if (frozenStates !== undefined)
    expect([...frozen].sort(), 'states that are closed to edits').toEqual([...frozenStates].sort());
  const last = await recordAction(context, 'promote in the last state', thing, service.requests.promote(thing));
  notes.bound('promoteInLastState', 'status of a promote in the last state', last.status, last);
}

async function takesEdit(
  { given, service, notes, profile }: CaseContext,
  thing: Thing,
  state: string,
): Promise<boolean> {
  const [member] = profile.primary.scalars ?? [];
  if (member === undefined) return true;
  const reply = await service.merge(thing, { [member]: given.unique('edit') });
  notes.observe(`status of an edit in the state ${state}`, reply.status, reply);
  return isSuccess(reply.status);
}

/** Promotes along a process, a level or of an object that are not there, or not for this object. */
async function strangeTargets(context: CaseContext): Promise<void> {
  const { given, service, profile } = context;
  const { processId = '', levelId = '' } = profile.all.maturity ?? {};
  const thing = await given.object();
  const request = service.requests.promote(thing);
  const unknown = given.unique('unknown');
  const tail = `/${encodeURIComponent(processId)}/${encodeURIComponent(levelId)}`;
  const along = (segments: string) => ({ ...request, url: request.url.slice(0, -tail.length) + segments });
  await recordAction(
    context,
    'promote along an unknown process',
    thing,
    along(`/${unknown}/${encodeURIComponent(levelId)}`),
  );
  await recordAction(
    context,
    'promote on an unknown level',
    thing,
    along(`/${encodeURIComponent(processId)}/${unknown}`),
  );
  const nothing = service.requests.promote({ ...thing, oid: given.unknownOid(thing) });
  await recordAction(context, 'promote of an unknown object', thing, nothing);
  if (profile.all.softTypes?.second === undefined) return;
  const other = await given.object({}, { type: profile.second });
  await recordAction(
    context,
    'promote of the second SoftType along this process',
    other,
    service.requests.promote(other),
  );
}

/** What a promote of one level does to the other current states of the object. */
async function otherLevels(context: CaseContext): Promise<void> {
  const { given, service, notes } = context;
  const thing = await given.object();
  const before = stateFields(await context.service.read(thing));
  given.succeeded(await service.promote(thing), 'a promote from the start state', ['maturity.promote.status-204']);
  const read = await context.service.read(thing);
  const after = stateFields(read);
  const changed = [...before].filter(([name, field]) => after.get(name)?.['state'] !== field['state']);
  notes.observe('current states of the object', before.size, read);
  notes.observe('current states that one promote changes', changed.length, read);
}

/** Sends it and records status, state and version; a version without a change of state is worth a look. */
async function recordAction(context: CaseContext, what: string, thing: Thing, request: RequestSpec): Promise<Reply> {
  const { service, notes } = context;
  const before = await readStanding(context, thing);
  const reply = await service.send(request);
  const after = await readStanding(context, thing);
  const raised = after.snapshot.version - before.snapshot.version;
  const moved = after.state !== before.state;
  notes.observe(`status of a ${what}`, reply.status, reply);
  notes.observe(`${what} changes the state`, moved, after.snapshot.reply);
  notes.observe(`${what} raises the version by`, raised, after.snapshot.reply);
  if (raised !== 0 && !moved)
    notes.remark(`The version rose by ${raised} with a ${what}, and the state stayed.`, reply);
  notes.remarkServerError(reply);
  return reply;
}
