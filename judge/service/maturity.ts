import { headerNames } from '../../contract/names.ts';
import type { Profile } from '../../contract/profile.ts';
import { dataOf } from './answers.ts';
import type { CaseContext } from '../case.ts';
import { isSuccess, type Changes, type Reply, type RequestSpec } from '../exchange.ts';
import { memberIn, valueAt } from '../json.ts';
import { type StateField, stateFieldsIn } from './state-fields.ts';
import type { Snapshot } from './target.ts';
import type { Thing } from '../things.ts';
import { UnfitProfile } from '../violation.ts';

/** An object as it stands: everything that a read tells of it, and the current state of the level under test where it can be told. */
interface Standing {
  readonly snapshot: Snapshot;
  readonly state: unknown;
}

/** Those of a read, by name. */
export function stateFields(reply: Reply): ReadonlyMap<string, StateField> {
  return new Map(stateFieldsIn(dataOf(reply)));
}

/** What stands for the current state of the level: the bound member whatever it holds, else the only field that can be meant. */
export function stateFieldOf({ profile }: CaseContext, reply: Reply): unknown {
  const { stateMember, levelId = '' } = profile.all.maturity ?? {};
  if (stateMember?.startsWith('/')) return valueAt(dataOf(reply), stateMember);
  if (stateMember !== undefined) return dataOf(reply)[stateMember];
  const fields = stateFields(reply);
  const last = [...fields].find(([name]) => name.endsWith(`/${levelId}`))?.[1];
  const named = fields.get(levelId) ?? last ?? fields.values().find((field) => field['id'] === levelId);
  return named ?? (fields.size === 1 ? fields.values().next().value : undefined);
}

/** `state` of that field; undefined where no field can be told. */
export function stateIn(context: CaseContext, reply: Reply): unknown {
  const field = stateFieldOf(context, reply);
  return memberIn(field, 'state');
}

/** `state` as the next read shows it, which has to be found there. */
export async function readCurrentState(context: CaseContext, thing: Thing, changes?: Changes): Promise<string> {
  const { given, service } = context;
  const reply = await service.read(thing, changes);
  given.succeeded(reply, 'the object is readable', ['reading.instance.short-route-served']);
  const state = stateIn(context, reply);
  if (typeof state === 'string') return state;
  throw new UnfitProfile(
    'the current state of the level in data (maturity.stateMember of the profile says where)',
    undefined,
    ['maturity.state-field.shape'],
  );
}

export async function readStanding(context: CaseContext, thing: Thing): Promise<Standing> {
  const snapshot = await context.service.snapshot(thing);
  return { snapshot, state: stateIn(context, snapshot.reply) };
}

/** The object stands where it stood. */
export function expectStands(context: CaseContext, before: Standing, after: Standing): void {
  context.expect.unchanged(before.snapshot, after.snapshot);
  context.expect(after.state ?? null, 'current state of the level', after.snapshot.reply).toEqual(before.state ?? null);
}

/** Promotes in a row; a process with more states is not gone through to its end. */
export const mostPromotes = 10;

export function expectVersionHeader({ expect }: CaseContext, reply: Reply, version: number): void {
  const text = expect(reply).toCarry(headerNames.version);
  expect(Number(text), `${headerNames.version} of the answer`, reply).toEqual(version);
}

/** An object that can be demoted: promotes moved it as far as the service first takes a demote. Which moves there are is configuration. */
export async function makeDemotable(context: CaseContext): Promise<Thing> {
  const thing = await makePromoted(context);
  const [fresh, moved] = [
    await readStanding(context, await context.given.object()),
    await readStanding(context, thing),
  ];
  const stayed = moved.state !== undefined && moved.state === fresh.state;
  context.given.present(stayed ? undefined : moved, 'a promote that moves the state', ['maturity.promote.moves-state']);
  for (let times = 1; times <= mostPromotes; times += 1) {
    const [twin, other] = [await makePromotedTimes(context, times), await makePromotedTimes(context, times)];
    if (twin === undefined || other === undefined) break;
    if (isSuccess((await context.service.demote(twin)).status)) return other;
  }
  return thing;
}

async function makePromotedTimes(context: CaseContext, times: number): Promise<Thing | undefined> {
  const { given, service } = context;
  let thing = await makePromoted(context);
  for (let count = 1; count < times; count += 1) {
    if (!isSuccess((await service.promote(thing)).status)) return undefined;
    thing = await given.current(thing);
  }
  return thing;
}

/** A promote on another level than the one under test. */
export function promoteOn({ service }: CaseContext, thing: Thing, levelId: string): RequestSpec {
  return onLevel(service.requests.promote(thing), levelId);
}

/** Whether the profile says where the level stands in the path of a demote. */
export function demotesByLevel({ routes }: Pick<Profile, 'routes'>): boolean {
  return routes?.demote?.endsWith('/{levelId}') === true;
}

/** A demote on another level than the one under test, for a profile that demotes by level. */
export function demoteOn({ service }: CaseContext, thing: Thing, levelId: string): RequestSpec {
  return onLevel(service.requests.demote(thing), levelId);
}

function onLevel(request: RequestSpec, levelId: string): RequestSpec {
  return { ...request, url: request.url.replace(/[^/]+$/, encodeURIComponent(levelId)) };
}

/** An object that was promoted once, at the version that reads then. */
export async function makePromoted(context: CaseContext): Promise<Thing> {
  const { given, service } = context;
  const thing = await given.object();
  given.succeeded(await service.promote(thing), 'a promote from the start state', ['maturity.promote.status-204']);
  return given.current(thing);
}
