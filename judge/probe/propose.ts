import { nowhere } from '../../contract/names.ts';
import type { ArrayPortProfile, SoftTypeProfile } from '../../contract/profile.ts';
import { withUnique } from '../given.ts';
import { pointer } from '../json.ts';
import type { Json } from '../every-answer/openapi.ts';
import {
  type DescribedSchema,
  type DescribedType,
  entryOf,
  isPlainText,
  membersOf,
  requiredOf,
  shapeOf,
  typeOf,
} from './described.ts';

/** Deepest body that is made up. */
const mostLevels = 5;

/** Longest list that is made up, at the top and inside other values. */
const mostItems = { top: 20, inside: 2 };

const ofFormat: Readonly<Record<string, string>> = {
  date: '2030-01-01',
  'date-time': '2030-01-01T00:00:00Z',
  email: 'nobody@example.com',
  uri: `${nowhere}/`,
  'uri-reference': '/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** A member of entries that leads to another object. */
interface ReferencePort {
  readonly port: string;
  /** Member of an entry that holds the reference. */
  readonly value: string;
}

/** A SoftType as the documents describe it, not tried yet. */
export interface Candidate {
  /** Its names and the smallest body. */
  readonly type: SoftTypeProfile;
  readonly parts: Parts;
  readonly references: readonly ReferencePort[];
  /** Optional plain texts of the input that the output does not have, and the reverse. */
  readonly renamable: { readonly inputs: readonly string[]; readonly outputs: readonly string[] };
  /** Members that may hold dated elements. */
  readonly dated: readonly NonNullable<SoftTypeProfile['dated']>[];
  /** Ids of further output schemas. */
  readonly otherOutputs: readonly string[];
  /** Whether somebody named it. */
  readonly isStated?: true;
}

/** What may serve as which part of a profile, the most promising first. */
interface Parts {
  readonly texts: readonly string[];
  readonly escaped: readonly string[];
  readonly numbers: readonly string[];
  readonly flags: readonly string[];
  readonly objects: readonly NonNullable<SoftTypeProfile['object']>[];
  readonly lists: readonly string[];
  /** Of each member the forms that its entries may have. */
  readonly ports: readonly (readonly ArrayPortProfile[])[];
  /** By the object or array, what a profile may say of it besides: each addition by itself. */
  readonly richer: Readonly<Record<string, readonly Json[]>>;
}

/** Numbers, and flags, that one place below the root is tried with. */
const mostInside = 2;

/** Entries that a case writes into a port, and into one inside an entry. */
const mostEntries = { port: 50, nested: 21 };

/**
 * The SoftTypes of the documents as a profile would name them, those with most to test first.
 * @param criteria members that filters choose entries by, which are needed for that
 */
export function candidatesOf(types: readonly DescribedType[], criteria: readonly string[] = []): readonly Candidate[] {
  return types
    .flatMap((type) => candidateOf(type, criteria) ?? [])
    .toSorted((a, b) => richness(b) - richness(a) || a.type.definitionId.localeCompare(b.type.definitionId));
}

function richness({ parts, references, dated }: Candidate): number {
  const [[port] = []] = parts.ports;
  return (
    (parts.texts.length > 1 ? 5 : 0) +
    (port === undefined ? 0 : 5 + Object.keys(port).length) +
    (parts.objects.length > 0 ? 3 : 0) +
    [parts.ports.slice(1), parts.escaped, parts.lists, references, dated].filter(({ length }) => length > 0).length
  );
}

/** The input and output schema with most members; undefined where there is nothing to read with. */
function candidateOf(
  { definitionId, inputs, outputs }: DescribedType,
  criteria: readonly string[],
): Candidate | undefined {
  const [input] = byLength(inputs);
  const [output, ...others] = byLength(outputs);
  if (input === undefined || output === undefined) return undefined;
  return candidateFrom(
    {
      definitionId,
      inputSchemaId: input.id,
      outputSchemaId: output.id,
      body: smallestBody(input.document, input.shape, definitionId),
    },
    { input, output, others, criteria },
  );
}

/** The candidate that the schemas make of a SoftType whose names are known. */
export function candidateFrom(
  type: SoftTypeProfile,
  {
    input,
    output,
    others = [],
    criteria = [],
  }: {
    readonly input: DescribedSchema;
    readonly output: DescribedSchema;
    readonly others?: readonly DescribedSchema[];
    readonly criteria?: readonly string[];
  },
): Candidate {
  const both = new Both(input, output, criteria);
  return {
    type,
    parts: both.parts(),
    references: both.references(),
    renamable: both.renamable(),
    dated: both.dated(),
    otherOutputs: others.map(({ id }) => id),
  };
}

function byLength(schemas: readonly DescribedSchema[]): readonly DescribedSchema[] {
  return schemas.toSorted((a, b) => membersOf(b.document, b.shape).size - membersOf(a.document, a.shape).size);
}

/** What the input and the output schema of a SoftType have in common. */
class Both {
  readonly #criteria: readonly string[];
  readonly #document: Json;
  readonly #shown: Json;
  readonly #required: ReadonlySet<string>;
  readonly #inputs: ReadonlyMap<string, Json>;
  readonly #outputs: ReadonlyMap<string, Json>;

  constructor(input: DescribedSchema, output: DescribedSchema, criteria: readonly string[]) {
    this.#criteria = criteria;
    this.#document = input.document;
    this.#shown = output.document;
    this.#required = new Set(requiredOf(input.shape));
    this.#inputs = membersOf(input.document, input.shape);
    this.#outputs = membersOf(output.document, output.shape);
  }

  parts(): Parts {
    const texts = this.#named((shape) => isPlainText(shape));
    return {
      texts: texts.filter((name) => !/[/~]/.test(name)),
      escaped: texts.filter((name) => /[/~]/.test(name)),
      numbers: this.#named(takesZeroAndOne),
      flags: this.#named(isFlag),
      objects: this.#objects(),
      lists: this.#named((shape) => isPlainText(entryOf(this.#document, shape))),
      ports: this.#arrayPorts(),
      richer: Object.fromEntries(this.#optional().map(([member, shape]) => [member, this.#additionsTo(shape)])),
    };
  }

  #additionsTo(shape: Json): readonly Json[] {
    const entry = entryOf(this.#document, shape);
    if (entry === undefined) return typeOf(shape) === 'object' ? this.#plainIn(shape) : [];
    if (typeOf(entry) !== 'object') return [];
    const [object] = [...membersOf(this.#document, entry)].flatMap(([member, inner]) => {
      const [scalars, isNeeded] = [this.#textsIn(inner).slice(0, 2), requiredOf(inner).length > 0];
      return typeOf(inner) !== 'object' || scalars.length === 0 || isNeeded
        ? []
        : [{ of: inner, alone: { member, scalars } }];
    });
    const nested = this.#nested(entry);
    const inside = nested && entryOf(this.#document, membersOf(this.#document, entry).get(nested.member) ?? {});
    return [
      ...this.#plainIn(entry),
      ...(object === undefined
        ? []
        : [{}, ...withBoth(this.#plainIn(object.of))].map((each) => ({ object: { ...object.alone, ...each } }))),
      ...(inside === undefined
        ? []
        : withBoth(this.#plainIn(inside)).map((each) => ({ nested: { ...nested, ...each } }))),
    ];
  }

  #plainIn(shape: Json): readonly Json[] {
    const required = new Set(requiredOf(shape));
    const members = [...membersOf(this.#document, shape)].filter(([name]) => !required.has(name));
    const named = (isMeant: (each: Json) => boolean) =>
      members
        .filter(([, each]) => isMeant(each))
        .map(([name]) => name)
        .slice(0, mostInside);
    return Object.entries({ numbers: named(takesZeroAndOne), flags: named(isFlag) })
      .filter(([, names]) => names.length > 0)
      .map(([key, names]) => ({ [key]: names }));
  }

  /** Optional members of that kind in both, named alike. */
  #named(isMeant: (shape: Json) => boolean): readonly string[] {
    return this.#optional()
      .filter(([name, shape]) => isMeant(shape) && isMeant(this.#outputs.get(name) ?? {}))
      .map(([name]) => name);
  }

  #objects(): Parts['objects'] {
    return this.#optional().flatMap(([member, shape]) => {
      if (typeOf(shape) !== 'object') return [];
      const shown = membersOf(this.#shown, this.#outputs.get(member) ?? {});
      const scalars = this.#textsIn(shape).filter((name) => shown.has(name));
      const body = withUnique(smallestBody(this.#document, shape, member), () => 'one');
      return scalars.length < 2
        ? []
        : [{ member, scalars: scalars.slice(0, 2), ...(Object.keys(body).length > 0 && { body }) }];
    });
  }

  /** The one with most to test first. */
  #arrayPorts(): Parts['ports'] {
    const ports = this.#optional()
      .filter(([member]) => this.#outputs.has(member))
      .map(([member, shape]) => this.#arrayPort(member, shape))
      .filter((forms) => forms !== undefined);
    return ports.toSorted((a, b) => Object.keys(b[0]).length - Object.keys(a[0]).length);
  }

  references(): readonly ReferencePort[] {
    return this.#optional().flatMap(([port, shape]) => {
      const entry = entryOf(this.#document, shape);
      const value = entry && this.#referenceIn(entry);
      return value === undefined || !this.#outputs.has(port) ? [] : [{ port, value }];
    });
  }

  renamable(): Candidate['renamable'] {
    const inputs = this.#optional().filter(([name, shape]) => isPlainText(shape) && !this.#outputs.has(name));
    const outputs = [...this.#outputs].filter(([name, shape]) => isPlainText(shape) && !this.#inputs.has(name));
    return { inputs: inputs.map(([name]) => name), outputs: outputs.map(([name]) => name) };
  }

  /** Members that are read as an object with a date in it; written as the value alone, or as that object. */
  dated(): Candidate['dated'] {
    return this.#optional().flatMap(([member, input]) => {
      const output = this.#outputs.get(member) ?? {};
      if (typeOf(output) !== 'object') return [];
      const shown = [...membersOf(this.#shown, output)];
      const [date] = shown.find(([, shape]) => /^date(-time)?$/.test(String(shape['format']))) ?? [];
      if (date === undefined) return [];
      const [name = 'value', shape = {}] = shown.find(([other]) => other !== date) ?? [];
      const isNumber = /^(number|integer)$/.test(typeOf(shape));
      const [value, other] = isNumber ? [10, 12] : ['10', '12 {{unique}}'];
      const place = { path: pointer(member), datePath: pointer(member, date) };
      const alone = { ...place, value: { [member]: value }, replaceWith: other };
      const whole = { ...place, value: { [member]: { [name]: value } }, replaceWith: other };
      return typeOf(input) === 'object' ? [alone, whole] : [alone];
    });
  }

  #arrayPort(member: string, shape: Json): readonly [ArrayPortProfile, ...ArrayPortProfile[]] | undefined {
    const entry = entryOf(this.#document, shape);
    if (entry === undefined || typeOf(entry) !== 'object' || this.#referenceIn(entry) !== undefined) return undefined;
    const texts = this.#textsIn(entry);
    const text = texts.find((name) => !this.#criteria.includes(name)) ?? texts[0];
    if (text === undefined || tooShort(shape, mostEntries.port)) return undefined;
    const required = requiredOf(entry);
    const mandatory = required.find((name) => isPlainText(membersOf(this.#document, entry).get(name)));
    const nested = this.#nested(entry);
    const smallest = smallestBody(this.#document, entry, member);
    const port = { member, entry: smallest, text, ...(nested && { nested }) };
    if (mandatory !== undefined) return [{ ...port, mandatory }];
    // a text may be mandatory although no document says so
    const others = texts.filter((name) => name !== text);
    const forms = [...others.map((name) => [name, text] as const), ...others.map((name) => [text, name] as const)];
    return [
      port,
      ...forms.map(([needed, other]) => ({
        ...port,
        entry: { ...smallest, [needed]: `${member} {{unique}}` },
        text: other,
        mandatory: needed,
      })),
    ];
  }

  #nested(entry: Json): ArrayPortProfile['nested'] {
    for (const [member, shape] of membersOf(this.#document, entry)) {
      const inner = entryOf(this.#document, shape);
      const [text] = inner === undefined ? [] : this.#textsIn(inner);
      if (inner !== undefined && text !== undefined && !tooShort(shape, mostEntries.nested))
        return { member, entry: smallestBody(this.#document, inner, member), text };
    }
    return undefined;
  }

  /** The member of an entry that names an object by its $oid. */
  #referenceIn(entry: Json): string | undefined {
    const members = [...membersOf(this.#document, entry)];
    const isReference = ([, { properties }]: (typeof members)[number]): boolean =>
      typeof properties === 'object' && properties !== null && '$oid' in properties;
    // an entry with id and value whose value may be any object
    const isOpen = ([name, shape]: (typeof members)[number]): boolean =>
      name === 'value' && typeOf(shape) === 'object' && shape['properties'] === undefined;
    return (members.find(isReference) ?? members.find(isOpen))?.[0];
  }

  #textsIn(shape: Json): readonly string[] {
    const required = new Set(requiredOf(shape));
    return [...membersOf(this.#document, shape)]
      .filter(([name, each]) => !required.has(name) && isPlainText(each))
      .map(([name]) => name);
  }

  #optional(): readonly (readonly [string, Json])[] {
    return [...this.#inputs].filter(([name]) => !this.#required.has(name));
  }
}

function tooShort(shape: Json, most: number): boolean {
  return typeof shape['maxItems'] === 'number' && shape['maxItems'] < most;
}

/** What takes the place of the one before it has all of it at last. */
function withBoth(additions: readonly Json[]): readonly Json[] {
  return additions.length < 2 ? additions : [...additions, Object.assign({}, ...additions) as Json];
}

function isFlag(shape: Json): boolean {
  return typeOf(shape) === 'boolean' && !('enum' in shape) && !('const' in shape);
}

function takesZeroAndOne(shape: Json): boolean {
  if (!/^(number|integer)$/.test(typeOf(shape)) || 'enum' in shape || 'const' in shape || 'multipleOf' in shape)
    return false;
  const bound = (name: string, fallback: number): number => Number(shape[name] ?? fallback);
  return (
    bound('minimum', 0) <= 0 &&
    bound('maximum', 1) >= 1 &&
    bound('exclusiveMinimum', -1) < 0 &&
    bound('exclusiveMaximum', 2) > 1
  );
}

/** The smallest value of an object schema: its required members alone. Plain texts are made of the label and {{unique}}. */
export function smallestBody(document: Json, shape: Json, label: string, level = 0): Readonly<Record<string, unknown>> {
  const members = membersOf(document, shape);
  return Object.fromEntries(
    requiredOf(shape).map((name) => [name, valueFor(document, members.get(name) ?? {}, label, level)]),
  );
}

/** @param isFull whether optional members and items are made up as well */
export function valueFor(document: Json, given: Json, label: string, level: number, isFull = false): unknown {
  const shape = shapeOf(document, given);
  if (shape['const'] !== undefined) return shape['const'];
  if (Array.isArray(shape['enum'])) return shape['enum'][0];
  if (shape['default'] !== undefined) return shape['default'];
  if (level >= mostLevels) return null;
  switch (typeOf(shape)) {
    case 'string':
      return textFor(shape, label);
    case 'integer':
      return typeof shape['minimum'] === 'number' ? Math.ceil(shape['minimum']) : 1;
    case 'number':
      return typeof shape['minimum'] === 'number' ? shape['minimum'] : 1;
    case 'boolean':
      return false;
    case 'array':
      return listFor(document, shape, label, level, isFull);
    case 'object':
      return isFull ? fullBody(document, shape, level + 1) : smallestBody(document, shape, label, level + 1);
    default:
      return `${label} {{unique}}`;
  }
}

function fullBody(document: Json, shape: Json, level: number): Readonly<Record<string, unknown>> {
  const members = [...membersOf(document, shape)];
  return Object.fromEntries(members.map(([name, member]) => [name, valueFor(document, member, name, level, true)]));
}

function listFor(document: Json, shape: Json, label: string, level: number, isFull: boolean): readonly unknown[] {
  const least = Math.max(typeof shape['minItems'] === 'number' ? shape['minItems'] : 0, isFull ? 1 : 0);
  const most = level === 0 ? mostItems.top : mostItems.inside;
  return Array.from({ length: Math.min(least, most) }, () =>
    valueFor(document, shapeOf(document, shape['items']), label, level + 1, isFull),
  );
}

function textFor(shape: Json, label: string): string {
  if (isPlainText(shape)) return `${label} {{unique}}`;
  const least = typeof shape['minLength'] === 'number' ? shape['minLength'] : 1;
  return ofFormat[String(shape['format'])] ?? 'x'.repeat(Math.max(1, Math.min(least, 1000)));
}
