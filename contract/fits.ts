/** The words of JSON Schema that are understood here, each applied as the specification has it. */
interface Schema {
  readonly type?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly object[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly items?: object;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, object>>;
  readonly patternProperties?: Readonly<Record<string, object>>;
  readonly additionalProperties?: unknown;
  readonly minProperties?: number;
}

const understood: ReadonlySet<string> = new Set([
  'type',
  'const',
  'enum',
  'anyOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'minLength',
  'pattern',
  'items',
  'minItems',
  'maxItems',
  'required',
  'properties',
  'patternProperties',
  'additionalProperties',
  'minProperties',
  // these say nothing about values
  '$id',
  'title',
  'description',
  'placeholders',
]);

/**
 * Whether a value fits a schema, as far as that can be told by walking through both: `false` says that it does not, or that the schema has
 * words which are not understood here. Most values are right and are asked about once; compiling a schema takes hundreds of times as long.
 */
export function plainlyFits<T>(schema: object, value: unknown): value is T {
  return Object.keys(schema).every((word) => understood.has(word)) && fits(schema, value);
}

function fits(schema: Schema, value: unknown): boolean {
  const { type, enum: choice, anyOf } = schema;
  if (type !== undefined && !isOfType(type, value)) return false;
  if ('const' in schema && schema.const !== value) return false;
  if (choice !== undefined && !choice.includes(value)) return false;
  if (anyOf !== undefined && !anyOf.some((other) => plainlyFits(other, value))) return false;
  if (typeof value === 'number') return fitsNumber(schema, value);
  if (typeof value === 'string') return fitsText(schema, value);
  if (Array.isArray(value)) return fitsList(schema, value);
  return typeof value !== 'object' || value === null || fitsObject(schema, value);
}

function isOfType(type: unknown, value: unknown): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function fitsNumber({ minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity }: Schema, value: number) {
  return value >= minimum && value <= maximum && value > exclusiveMinimum;
}

function fitsText({ minLength = 0, pattern }: Schema, value: string): boolean {
  return (minLength === 0 || [...value].length >= minLength) && (pattern === undefined || matches(pattern, value));
}

function fitsList({ items = {}, minItems = 0, maxItems = Infinity }: Schema, value: readonly unknown[]): boolean {
  // a schema for each place
  if (Array.isArray(items)) return false;
  return value.length >= minItems && value.length <= maxItems && value.every((item) => plainlyFits(items, item));
}

function fitsObject(schema: Schema, value: object): boolean {
  const {
    required = [],
    properties = {},
    patternProperties = {},
    additionalProperties: others,
    minProperties = 0,
  } = schema;
  const members: readonly (readonly [string, unknown])[] = Object.entries(value);
  if (members.length < minProperties) return false;
  if (!required.every((name) => Object.hasOwn(value, name) && Reflect.get(value, name) !== undefined)) return false;
  return members.every(([name, member]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const alike = Object.keys(patternProperties).filter((pattern) => matches(pattern, name));
    const isOther = known === undefined && alike.length === 0 && others !== undefined && others !== true;
    if (isOther && !(typeof others === 'object' && others !== null && plainlyFits(others, member))) return false;
    return [known, ...alike.map((pattern) => patternProperties[pattern])].every(
      (own) => own === undefined || plainlyFits(own, member),
    );
  });
}

function matches(pattern: string, text: string): boolean {
  return new RegExp(pattern, 'u').test(text);
}
