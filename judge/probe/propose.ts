import { nowhere } from '../../contract/names.ts';
import type { ArrayPortProfile, SoftTypeProfile } from '../../contract/profile.ts';
import { pointer } from '../json.ts';
import type { Json } from '../openapi.ts';
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
export interface ReferencePort {
  readonly port: string;
  /** Member of an entry that holds the reference. */
  readonly value: string;
}

/** A SoftType as the documents describe it, not tried yet. */
export interface Candidate {
  readonly type: SoftTypeProfile;
  readonly references: readonly ReferencePort[];
  /** Optional plain texts of the input that the output does not have, and the reverse. */
  readonly renamable: { readonly inputs: readonly string[]; readonly outputs: readonly string[] };
  /** Members that may hold dated elements. */
  readonly dated: readonly NonNullable<SoftTypeProfile['dated']>[];
}

/** Entries that a case writes into a port. */
const mostEntries = 50;

/**
 * The SoftTypes of the documents as a profile would name them, those with most to test first.
 * @param criteria members that filters choose entries by, which are needed for that
 */
export function candidatesOf(types: readonly DescribedType[], criteria: readonly string[] = []): readonly Candidate[] {
  return types
    .flatMap((type) => candidateOf(type, criteria) ?? [])
    .toSorted((a, b) => richness(b) - richness(a) || a.type.definitionId.localeCompare(b.type.definitionId));
}

function richness({ type, references }: Candidate): number {
  return Object.keys(type).length + Object.keys(type.arrayPort ?? {}).length + (references.length > 0 ? 1 : 0);
}

/** The longest input and output schema; undefined where there is nothing to read with. */
function candidateOf(
  { definitionId, inputs, outputs }: DescribedType,
  criteria: readonly string[],
): Candidate | undefined {
  const [input] = byLength(inputs);
  const [output, ...others] = byLength(outputs);
  if (input === undefined || output === undefined) return undefined;
  const both = new Both(input, output, criteria);
  const type = {
    definitionId,
    inputSchemaId: input.id,
    outputSchemaId: output.id,
    body: smallestBody(input.document, input.shape, definitionId),
  };
  return {
    type: { ...type, ...partsOf(both), ...secondOutput(both, others) },
    references: both.references(),
    renamable: both.renamable(),
    dated: both.dated(),
  };
}

function byLength(schemas: readonly DescribedSchema[]): readonly DescribedSchema[] {
  return schemas.toSorted((a, b) => membersOf(b.document, b.shape).size - membersOf(a.document, a.shape).size);
}

type Parts = Omit<Partial<SoftTypeProfile>, 'definitionId' | 'inputSchemaId' | 'outputSchemaId' | 'body'>;

function partsOf(both: Both): Parts {
  const [first, second] = both.texts().filter((name) => !/[/~]/.test(name));
  const [port, secondPort] = both.arrayPorts();
  const escaped = both.texts().find((name) => /[/~]/.test(name));
  const object = both.object();
  const scalarList = both.scalarList();
  return {
    ...(first !== undefined && second !== undefined && { scalars: [first, second] }),
    ...(object && { object }),
    ...(port && { arrayPort: port }),
    ...(secondPort && { secondArrayPort: secondPort }),
    ...(scalarList !== undefined && { scalarList }),
    ...(escaped !== undefined && { escaped }),
  };
}

/** Another output schema that shows some of the members that the suite knows and lacks others. */
function secondOutput(both: Both, others: readonly DescribedSchema[]): Pick<Parts, 'secondOutputSchema'> {
  for (const other of others) {
    const members = membersOf(other.document, other.shape);
    const known = both.texts();
    const shows = known.filter((name) => members.has(name));
    const lacks = known.filter((name) => !members.has(name));
    if (shows.length > 0 && lacks.length > 0) return { secondOutputSchema: { id: other.id, shows, lacks } };
  }
  return {};
}

/** What the input and the output schema of a SoftType have in common. */
class Both {
  readonly #criteria: readonly string[];
  readonly #document: Json;
  readonly #required: ReadonlySet<string>;
  readonly #inputs: ReadonlyMap<string, Json>;
  readonly #outputs: ReadonlyMap<string, Json>;

  constructor(input: DescribedSchema, output: DescribedSchema, criteria: readonly string[]) {
    this.#criteria = criteria;
    this.#document = input.document;
    this.#required = new Set(requiredOf(input.shape));
    this.#inputs = membersOf(input.document, input.shape);
    this.#outputs = membersOf(output.document, output.shape);
  }

  /** Optional plain texts, named alike. */
  texts(): readonly string[] {
    return this.#optional()
      .filter(([name, shape]) => isPlainText(shape) && isPlainText(this.#outputs.get(name)))
      .map(([name]) => name);
  }

  object(): SoftTypeProfile['object'] {
    for (const [member, shape] of this.#optional()) {
      if (typeOf(shape) !== 'object' || requiredOf(shape).length > 0) continue;
      const shown = membersOf(this.#document, this.#outputs.get(member) ?? {});
      const scalars = this.#textsIn(shape).filter((name) => shown.has(name));
      if (scalars.length >= 2) return { member, scalars: scalars.slice(0, 2) };
    }
    return undefined;
  }

  scalarList(): string | undefined {
    return this.#optional().find(
      ([name, shape]) => this.#outputs.has(name) && isPlainText(entryOf(this.#document, shape)),
    )?.[0];
  }

  /** The one with most to test first. */
  arrayPorts(): readonly ArrayPortProfile[] {
    const ports = this.#optional().flatMap(([member, shape]) =>
      this.#outputs.has(member) ? (this.#arrayPort(member, shape) ?? []) : [],
    );
    return ports.toSorted((a, b) => Object.keys(b).length - Object.keys(a).length);
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

  /** Members that are read as an object with a date in it. */
  dated(): Candidate['dated'] {
    return this.#optional().flatMap(([member]) => {
      const shown = membersOf(this.#document, this.#outputs.get(member) ?? {});
      const [date] = [...shown].find(([, shape]) => shape['format'] === 'date-time') ?? [];
      if (date === undefined || typeOf(this.#outputs.get(member) ?? {}) !== 'object') return [];
      return [
        {
          path: pointer(member),
          value: { [member]: '10' },
          replaceWith: '12 {{unique}}',
          datePath: pointer(member, date),
        },
      ];
    });
  }

  #arrayPort(member: string, shape: Json): ArrayPortProfile | undefined {
    const entry = entryOf(this.#document, shape);
    if (entry === undefined || typeOf(entry) !== 'object' || this.#referenceIn(entry) !== undefined) return undefined;
    const texts = this.#textsIn(entry);
    const text = texts.find((name) => !this.#criteria.includes(name)) ?? texts[0];
    if (text === undefined || tooShort(shape)) return undefined;
    const required = requiredOf(entry);
    const mandatory = required.find((name) => isPlainText(membersOf(this.#document, entry).get(name)));
    const nested = this.#nested(entry);
    return {
      member,
      entry: smallestBody(this.#document, entry, member),
      text,
      ...(mandatory !== undefined && { mandatory }),
      ...(nested && { nested }),
    };
  }

  #nested(entry: Json): ArrayPortProfile['nested'] {
    for (const [member, shape] of membersOf(this.#document, entry)) {
      const inner = entryOf(this.#document, shape);
      const [text] = inner === undefined ? [] : this.#textsIn(inner);
      if (inner !== undefined && text !== undefined && !tooShort(shape))
        return { member, entry: smallestBody(this.#document, inner, member), text };
    }
    return undefined;
  }

  /** The member of an entry that names an object by its $oid. */
  #referenceIn(entry: Json): string | undefined {
    for (const [name, shape] of membersOf(this.#document, entry)) {
      const { properties } = shape;
      if (typeof properties === 'object' && properties !== null && '$oid' in properties) return name;
    }
    return undefined;
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

function tooShort(shape: Json): boolean {
  return typeof shape['maxItems'] === 'number' && shape['maxItems'] < mostEntries;
}

/** The smallest value of an object schema: its required members alone. Plain texts are made of the label and {{unique}}. */
function smallestBody(document: Json, shape: Json, label: string, level = 0): Readonly<Record<string, unknown>> {
  const members = membersOf(document, shape);
  return Object.fromEntries(
    requiredOf(shape).map((name) => [name, valueFor(document, members.get(name) ?? {}, label, level)]),
  );
}

function valueFor(document: Json, given: Json, label: string, level: number): unknown {
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
      return listFor(document, shape, label, level);
    case 'object':
      return smallestBody(document, shape, label, level + 1);
    default:
      return `${label} {{unique}}`;
  }
}

function listFor(document: Json, shape: Json, label: string, level: number): readonly unknown[] {
  const least = typeof shape['minItems'] === 'number' ? shape['minItems'] : 0;
  const most = level === 0 ? mostItems.top : mostItems.inside;
  return Array.from({ length: Math.min(least, most) }, () =>
    valueFor(document, shapeOf(document, shape['items']), label, level + 1),
  );
}

function textFor(shape: Json, label: string): string {
  if (isPlainText(shape)) return `${label} {{unique}}`;
  const least = typeof shape['minLength'] === 'number' ? shape['minLength'] : 1;
  return ofFormat[String(shape['format'])] ?? 'x'.repeat(Math.max(1, Math.min(least, 1000)));
}
