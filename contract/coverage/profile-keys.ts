import { profileSchema } from '../profile.ts';

/** A part of the schema, as far as it has keys. */
interface Part {
  readonly properties?: Readonly<Record<string, Part>>;
  readonly items?: Part;
  readonly anyOf?: readonly Part[];
}

/** SoftTypes have the same keys wherever they stand: those of the primary one tell of all. */
const alike: ReadonlySet<string> = new Set(['softTypes.second', 'softTypes.further', 'secondSpace.softType']);
/** They are answers to the profile rather than a part of the target. */
const about: ReadonlySet<string> = new Set(['profileVersion', 'notSupported', 'knownFailures']);

/** Keys that a profile may have, in the order of its schema: those of objects as `auth.tokenUrl`, those in arrays likewise. */
export function profileKeys(): readonly string[] {
  return keysBelow(schema(), '', () => true);
}

export function keysIn(profile: object): readonly string[] {
  return keysBelow(schema(), '', (key) => valuesAt(profile, key.split('.')).length > 0);
}

/** What of the schema is told here. */
function schema(): Part {
  return JSON.parse(JSON.stringify(profileSchema)) as Part;
}

function keysBelow(part: Part, path: string, isThere: (key: string) => boolean): readonly string[] {
  const named = Object.entries(propertiesOf(part)).map(([name, inner]) => ({
    key: path === '' ? name : `${path}.${name}`,
    inner,
  }));
  return named
    .filter(({ key }) => !about.has(key) && isThere(key))
    .flatMap(({ key, inner }) =>
      alike.has(key) || Object.keys(propertiesOf(inner)).length === 0 ? [key] : keysBelow(inner, key, isThere),
    );
}

/** The template of a request is one key. */
function propertiesOf({ properties, items, anyOf = [] }: Part): Readonly<Record<string, Part>> {
  if (properties?.['method'] !== undefined && properties['path'] !== undefined) return {};
  const inner = [...anyOf, ...(items === undefined ? [] : [items])].map(propertiesOf);
  return Object.assign({}, ...inner, properties);
}

function valuesAt(value: unknown, [key, ...further]: readonly string[]): readonly unknown[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => valuesAt(item, [key ?? '', ...further]));
  if (typeof value !== 'object' || value === null || key === undefined) return [];
  const member: unknown = Reflect.get(value, key);
  if (member === undefined) return [];
  return further.length === 0 ? [member] : valuesAt(member, further);
}
