import type { Need } from '../../../contract/needs.ts';
import type { ArrayPortProfile, Profile, SoftTypeProfile } from '../../../contract/profile.ts';
import { dataOf } from '../../service/answers.ts';
import type { Reply } from '../../exchange.ts';
import { softTypesOf } from '../../service/soft-types.ts';
import type { Target } from '../../service/target.ts';
import type { Thing } from '../../things.ts';
import { insteadOfRefusal } from '../../violation.ts';
import type { Ground } from '../preflight.ts';

/** The profile with its SoftTypes as new objects of them were seen to be. */
export async function withTypesAsSeen(ground: Ground, profile: Profile): Promise<Profile> {
  if (profile.softTypes === undefined) return profile;
  const asSeen = async (type: SoftTypeProfile): Promise<SoftTypeProfile> =>
    withoutDefaults(ground, await withShortRoute(ground, type));
  const { primary, second, ...others } = profile.softTypes;
  const softTypes = { ...others, primary: await asSeen(primary), ...(second && { second: await asSeen(second) }) };
  return { ...profile, softTypes, ...(await secondSpaceAsSeen(ground, profile)) };
}

/** Objects there are read by the short route as well, which may apply another schema than the one of the profile. */
async function secondSpaceAsSeen(ground: Ground, { secondSpace }: Profile): Promise<Pick<Profile, 'secondSpace'>> {
  if (secondSpace === undefined || secondSpace.softType.shortRouteSchemaId !== undefined) return {};
  const { space, softType: type, as } = secondSpace;
  const { scalars = [] } = type;
  const texts = Object.fromEntries(scalars.map((name) => [name, ground.given.unique()]));
  const applied = await insteadOfRefusal(undefined, async () =>
    otherSchemaOfShortRoute(ground.service, await ground.given.object(texts, { type, space, ...(as && { as }) })),
  );
  return applied === undefined
    ? {}
    : { secondSpace: { ...secondSpace, softType: { ...type, shortRouteSchemaId: applied } } };
}

/** Why a need is not met that the profile as it was written would meet. */
export function defaultsTold(stated: Profile, completed: Profile): Partial<Record<Need, string>> {
  const [before, after] = [stated, completed].map(({ softTypes }) => softTypes?.primary);
  if (before === undefined || after === undefined) return {};
  const { scalars = [], arrayPort, secondArrayPort } = before;
  const types = softTypesOf(completed);
  const left = after.scalars ?? [];
  const gone = scalars.filter((name) => !left.includes(name)).join(', ');
  return {
    ...(scalars.length > 1 &&
      left.length < 2 && {
        'scalar-members': `a new object has ${gone} by default, and what is removed does not show there: name other texts in softTypes.primary.scalars`,
      }),
    ...(arrayPort !== undefined &&
      types.every((type) => type.arrayPort === undefined) && { 'array-port': toldOf('arrayPort', arrayPort) }),
    ...(secondArrayPort !== undefined &&
      types.every((type) => type.secondArrayPort === undefined) && {
        'second-array-port': toldOf('secondArrayPort', secondArrayPort),
      }),
  };
}

function toldOf(key: string, { member }: ArrayPortProfile): string {
  return `a new object has entries in ${member} by itself, which nobody counts on: name another array in softTypes.primary.${key}`;
}

/**
 * The SoftType, without the texts, numbers, flags and arrays that an object of its own accord fills: whether they were removed does not show.
 * Which members a SoftType has by default its template says. Source: core, System properties inside `data` (fields are defined per template)
 */
function withoutDefaults({ service, given }: Ground, type: SoftTypeProfile): Promise<SoftTypeProfile> {
  const { scalars = [], numbers, flags, arrayPort, secondArrayPort, body = {}, ...others } = type;
  const readNew = async (): Promise<Readonly<Record<string, unknown>>> =>
    dataOf(await service.read(await given.object({}, { type })));
  return insteadOfRefusal(type, async () => {
    const once = await readNew();
    const isOwn = (name: string): boolean => !Object.hasOwn(body, name) && isFilled(once[name]);
    // the empty text stands for none where each text has it
    const texts = scalars.filter(
      (name) => !Object.hasOwn(body, name) && typeof once[name] === 'string' && once[name] !== '',
    );
    // what differs from one object to the next is none
    const again = texts.length === 0 ? {} : await readNew();
    return {
      ...others,
      body,
      ...(type.scalars && {
        scalars: scalars.filter((name) => !texts.includes(name) || again[name] !== once[name]),
      }),
      ...(numbers && { numbers: numbers.filter((name) => !isOwn(name)) }),
      ...(flags && { flags: flags.filter((name) => !isOwn(name)) }),
      ...(arrayPort && !isOwn(arrayPort.member) && { arrayPort }),
      ...(secondArrayPort && !isOwn(secondArrayPort.member) && { secondArrayPort }),
    };
  });
}

/** Whether that is more than what programs show in the place of nothing. */
function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value === true || (typeof value === 'number' && value !== 0);
}

/**
 * The SoftType, with its second output schema as that of its short route where it says nothing of that and the route was seen to show just its
 * members. Other members than those of either schema are left to the rules. Source: core, Endpoint table, GET softtype
 */
function withShortRoute({ service, given }: Ground, type: SoftTypeProfile): Promise<SoftTypeProfile> {
  const { scalars = [], secondOutputSchema, shortRouteSchemaId } = type;
  return insteadOfRefusal(type, async () => {
    if (secondOutputSchema === undefined || shortRouteSchemaId !== undefined) return type;
    const texts = Object.fromEntries(scalars.map((name) => [name, given.unique()]));
    const thing = await given.object(texts, { type });
    const applied = await otherSchemaOfShortRoute(service, thing);
    return applied === secondOutputSchema.id ? { ...type, shortRouteSchemaId: applied } : type;
  });
}

/** What the short route applies where it shows other members of the object than the output schema: the second one that is known, where it shows those of that, else `another`. */
export async function otherSchemaOfShortRoute(service: Target, thing: Thing): Promise<string | undefined> {
  const short = namesIn(await service.readShort(thing));
  if (short === namesIn(await service.readLong(thing))) return undefined;
  const outputSchemaId = thing.type.secondOutputSchema?.id;
  const isOther = outputSchemaId !== undefined && short === namesIn(await service.readLong(thing, { outputSchemaId }));
  return isOther ? outputSchemaId : 'another';
}

function namesIn(reply: Reply): string {
  return Object.keys(dataOf(reply)).toSorted().join(' ');
}
