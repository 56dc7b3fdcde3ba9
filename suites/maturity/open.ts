import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply, RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/given.ts';
import { demotable, readOf, standing, stateFields, stateIn, stateNow } from './words.ts';

export const openCases = {
  'maturity.transitions.open-questions': scenario(async (context) => {
    await climb(context);
    await strangeTargets(context);
    await otherLevels(context);
    if (context.profile.all.routes?.demote === undefined) return;
    const { given, service } = context;
    const fresh = await given.object();
    await observe(context, 'demote in the first state', fresh, service.requests.demote(fresh));
    const moved = await demotable(context);
    const reply = await observe(context, 'demote after one promote', moved, service.requests.demote(moved));
    const restored = stateIn(context, await readOf(context, moved)) === stateIn(context, await readOf(context, fresh));
    context.notes.observe('demote restores the former state', restored, reply);
  }),
} satisfies SomeCasesOf<'maturity'>;

/** Edits in every state up to the last one, then a promote that has nowhere to lead to. */
async function climb(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { states = [], frozenStates } = profile.all.maturity ?? {};
  const frozen: string[] = [];
  let thing = await given.object();
  for (const step of states.keys()) {
    const state = await stateNow(context, thing);
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
  const last = await observe(context, 'promote in the last state', thing, service.requests.promote(thing));
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
  return reply.status < 300;
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
  await observe(
    context,
    'promote along an unknown process',
    thing,
    along(`/${unknown}/${encodeURIComponent(levelId)}`),
  );
  await observe(context, 'promote on an unknown level', thing, along(`/${encodeURIComponent(processId)}/${unknown}`));
  const nothing = service.requests.promote({ ...thing, oid: given.unknownOid(thing) });
  await observe(context, 'promote of an unknown object', thing, nothing);
  if (profile.all.softTypes?.second === undefined) return;
  const other = await given.object({}, { type: profile.second });
  await observe(context, 'promote of the second SoftType along this process', other, service.requests.promote(other));
}

/** What a promote of one level does to the other current states of the object. */
async function otherLevels(context: CaseContext): Promise<void> {
  const { given, service, notes } = context;
  const thing = await given.object();
  const before = stateFields(await readOf(context, thing));
  given.succeeded(await service.promote(thing), 'a promote from the start state', ['maturity.promote.status-204']);
  const read = await readOf(context, thing);
  const after = stateFields(read);
  const changed = [...before].filter(([name, field]) => after.get(name)?.['state'] !== field['state']);
  notes.observe('current states of the object', before.size, read);
  notes.observe('current states that one promote changes', changed.length, read);
}

/** Sends it and records status, state and version; a version without a change of state is worth a look. */
async function observe(context: CaseContext, what: string, thing: Thing, request: RequestSpec): Promise<Reply> {
  const { service, notes } = context;
  const before = await standing(context, thing);
  const reply = await service.send(request);
  const after = await standing(context, thing);
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
