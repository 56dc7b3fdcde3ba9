import { dataOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Changes } from '../../../judge/exchange.ts';
import { isObject, objectsIn } from '../../../judge/json.ts';
import { portOf } from '../../../judge/profile.ts';
import { enterSecondSpace } from '../../../judge/service/second-space.ts';
import type { Thing } from '../../../judge/things.ts';
import { unlessRefused } from '../../../judge/violation.ts';

/** An object beside those that cases write to: of another SoftType, or in another space. */
interface Beside {
  readonly where: string;
  readonly thing: Thing;
  readonly changes: Pick<Changes, 'as'>;
  /** What it was given besides what has to be there; the first is a text. */
  readonly members: Readonly<Record<string, unknown>>;
}

type SoftType = Thing['type'];

/** As far as the profile knows such places, and texts of theirs. */
async function objectsBeside(context: CaseContext): Promise<readonly Beside[]> {
  const { given, profile } = context;
  const second = await enterSecondSpace(context);
  const places: readonly {
    where: string;
    type: SoftType;
    in: { readonly space?: string; readonly as?: Changes['as'] };
  }[] = [
    ...(profile.all.softTypes?.second === undefined
      ? []
      : [{ where: 'an object of the second SoftType', type: profile.second, in: {} }]),
    ...(second === undefined
      ? []
      : [
          {
            where: 'an object of the second space',
            type: second.of.type,
            in: { space: second.of.space, as: second.as },
          },
        ]),
  ];
  const made: Beside[] = [];
  for (const { where, type, in: place } of places) {
    const members = valuesOf(context, type);
    if (Object.keys(members).length < 2 || (type.scalars ?? []).length === 0) continue;
    const thing = await unlessRefused(() => given.object(members, { type, ...place }));
    if (thing !== undefined)
      made.push({ where, thing, changes: place.as === undefined ? {} : { as: place.as }, members });
  }
  return made;
}

/** A value for each member that the profile knows of the SoftType, and that may be left out. */
function valuesOf({ given }: CaseContext, type: SoftType): Readonly<Record<string, unknown>> {
  const { scalars = [], object, arrayPort } = type;
  const mandatory = Object.keys(given.body({}, type));
  const entries = arrayPort && ['one', 'two'].map((text) => given.entry(given.unique(text), {}, portOf(arrayPort)));
  const all: Readonly<Record<string, unknown>> = {
    ...Object.fromEntries(scalars.map((name) => [name, given.unique('value')])),
    ...(object && { [object.member]: given.inner(object) }),
    ...(arrayPort && { [arrayPort.member]: entries }),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => !mandatory.includes(name)));
}

/** A merge leaves what it does not name there as well. */
export async function expectKeptBeside(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  for (const { where, thing, changes, members } of await objectsBeside(context)) {
    const [named = ''] = Object.keys(members);
    const shown = async (): Promise<Readonly<Record<string, unknown>>> =>
      knownOf(thing.type, dataOf(await service.read(thing, changes)));
    const before = await shown();
    const value = given.unique('merged');
    const reply = await service.merge(thing, { [named]: value }, changes);
    notes.observe(`a merge on ${where}`, reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    expect(await shown(), `members after a merge on ${where}`, reply).toEqual({ ...before, [named]: value });
  }
}

/** A PUT takes what it leaves out there as well: what is left is as in an object that never had it. */
export async function expectDroppedBeside(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  for (const { where, thing, changes, members } of await objectsBeside(context)) {
    const [named = ''] = Object.keys(members);
    const bare = await unlessRefused(() =>
      given.object({ [named]: given.unique('bare') }, { type: thing.type, space: thing.space, ...changes }),
    );
    const reply = await service.put(thing, given.body({ [named]: given.unique('put') }, thing.type), changes);
    notes.observe(`a PUT on ${where}`, reply.status, reply);
    if (bare === undefined || !isSuccess(reply.status)) continue;
    const [left, never] = [await service.read(thing, changes), await service.read(bare, changes)].map((read) => ({
      ...knownOf(thing.type, dataOf(read)),
      [named]: null,
    }));
    // what has to be there differs from object to object
    for (const name of Object.keys(given.body({}, thing.type))) if (left && never) left[name] = never[name] = null;
    expect(left, `members after a PUT on ${where} that gives one of them`, reply).toEqual(never);
  }
}

/** What the profile tells of members, without ids and what else a service may add. */
function knownOf(
  { scalars = [], object, arrayPort }: SoftType,
  data: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const inner = object === undefined ? undefined : data[object.member];
  return {
    ...Object.fromEntries(scalars.map((name) => [name, data[name] ?? null])),
    ...(object && {
      [object.member]: object.scalars.map((name) => (isObject(inner) ? (inner[name] ?? null) : null)),
    }),
    ...(arrayPort && {
      [arrayPort.member]: objectsIn(data[arrayPort.member])
        .map((entry) => String(entry[arrayPort.text]))
        .toSorted(),
    }),
  };
}
