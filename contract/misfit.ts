import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import type { Document } from 'yaml';
import { loadAjv, loadYaml } from './packages.ts';
import { pointerThrough } from './names.ts';
import { hintAt, nearNames } from './spelling.ts';
import { secretName } from './credentials.ts';

/** Keys and indexes from the root of a value on. */
export type Path = readonly (string | number)[];

/** The most telling thing about a value that its schema does not allow. */
interface Misfit {
  readonly path: Path;
  /** A key of the mapping at the path that should not be there. */
  readonly key?: string;
  /** One sentence without a full stop: what was expected, what was found, the nearest name. */
  readonly sentence: string;
}

/** How values stand in sentences, and what the whole of them is called. */
interface Wording {
  readonly whole: string;
  readonly show: (value: unknown) => string;
}

/** Characters of a value that a sentence shows. */
const longestShown = 80;

const plain: Wording = { whole: 'the file', show: shown };

/** What a value is for a schema: right, or what is wrong about it, found out when it is asked for. */
export type Fit<T> = { readonly value: T } | { readonly misfit: Misfit };

// To make the code of a schema shorter would take longer than to run it. The schemas are our own.
const cheap = { strict: false, validateSchema: false, code: { optimize: false } };

/**
 * Holds values against a schema, which is compiled when it is first needed: once to ask, whose code is half as long, and once more to tell
 * everything that is wrong. @param schema describes T
 */
export function fitting<T>(schema: object, options: Options = {}, whole = plain.whole): (value: unknown) => Fit<T> {
  let fits: ValidateFunction<T> | undefined;
  let telling: ValidateFunction | undefined;
  return (value) => {
    fits ??= new (loadAjv().Ajv)({ ...cheap, ...options, messages: false }).compile<T>(schema);
    if (fits(value)) return { value };
    const told = (): Misfit => {
      telling ??= new (loadAjv().Ajv)({ ...cheap, ...options, allErrors: true, verbose: true }).compile(schema);
      telling(value);
      return misfitOf(telling.errors ?? [], value, { ...plain, whole });
    };
    return {
      get misfit() {
        return told();
      },
    };
  };
}

/** The most telling of the errors of a validation with `allErrors` and `verbose`: an unknown key before anything else, then the deepest one. */
export function misfitOf(errors: readonly ErrorObject[], content: unknown, wording: Wording = plain): Misfit {
  const told = errors.map(untagged);
  const [error] = told.toSorted((a, b) => weight(b) - weight(a));
  if (error === undefined) return { path: [], sentence: `${wording.whole} cannot be used` };
  const path = pathOf(error.instancePath, content);
  if (error.keyword === 'additionalProperties') return unknownKey(path, error, wording);
  return { path, sentence: sentenceOf(error, path, alternatives(error, told, wording), wording) };
}

/** Every error of a validation by itself, as a sentence of `misfitOf`. */
export function sentencesOf(
  errors: readonly Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'message'>[],
  content: unknown,
  wording: Wording = plain,
): readonly string[] {
  return errors.map((stated) => {
    const path = pathOf(stated.instancePath, content);
    const error = { schemaPath: '', ...stated, data: valueAt(content, path) };
    if (error.keyword === 'additionalProperties') return unknownKey(path, error, wording).sentence;
    return sentenceOf(error, path, expectation(error, wording), wording);
  });
}

/** What a schema admits word by word. */
interface Words {
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** A mapping whose tag is none of those that there are, as an error about the tag. */
function untagged(error: ErrorObject): ErrorObject {
  const { keyword, params, parentSchema, data, instancePath } = error;
  if (keyword !== 'discriminator' || params['error'] !== 'mapping') return error;
  const tag = String(params['tag']);
  const kinds = (parentSchema?.['oneOf'] ?? []) as readonly { readonly properties: Readonly<Record<string, Words>> }[];
  const allowedValues = kinds.flatMap(({ properties }) => properties[tag]?.enum ?? [properties[tag]?.const]);
  const found: unknown = Reflect.get(Object(data), tag);
  return { ...error, keyword: 'enum', params: { allowedValues }, instancePath: `${instancePath}/${tag}`, data: found };
}

function weight(error: ErrorObject): number {
  const depth = error.instancePath.split('/').length;
  const kinds: Readonly<Record<string, number>> = { additionalProperties: 1000, anyOf: 1 };
  return depth * 2 + (kinds[error.keyword] ?? 0);
}

function unknownKey(path: Path, error: ErrorObject, { whole }: Wording): Misfit {
  const key = String(error.params['additionalProperty']);
  const known = Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {});
  const place = path.length === 0 ? whole : path.join('.');
  const isPart = Reflect.get(Object(error.data), key) === null && known.some((name) => secretName.test(name));
  // behind a comma in a value that was not quoted
  const named = isPart && nearNames(key, known).length === 0 ? ' without a value, which is not shown,' : ` "${key}"`;
  return { path, key, sentence: `unknown key${named} in ${place}${hintAt(key, known)}` };
}

/** What a union admits, when the error is about one. */
function alternatives(error: ErrorObject, errors: readonly ErrorObject[], wording: Wording): string {
  const parts = errors
    .filter((other) => other.instancePath === error.instancePath && other.keyword !== 'anyOf')
    .map((other) => expectation(other, wording));
  return [...new Set(parts)].join(' or ');
}

function sentenceOf(error: ErrorObject, path: Path, expected: string, { whole, show }: Wording): string {
  const name = path.length === 0 ? whole : path.join('.');
  if (error.keyword === 'required') return `${name} lacks "${String(error.params['missingProperty'])}"`;
  return `${name} must be ${expected || 'something else'}, found ${isSecretPlace(path, error.data) ? kindOf(error.data) : show(error.data)}${nearest(error)}`;
}

const withSecrets = /^(?:identities|auth|extensionHost|bulk|probes|time|restart|listener|users)$/;

/** Whether what stands there may be a secret, or hold one: what is of the wrong kind may be the right one that was not quoted. */
function isSecretPlace(path: Path, data: unknown): boolean {
  if (data === '') return false;
  const [first, last] = [String(path[0] ?? ''), String(path.findLast((key) => typeof key === 'string') ?? '')];
  return secretName.test(last) || (typeof data === 'object' && data !== null && withSecrets.test(first));
}

function kindOf(data: unknown): string {
  if (data === null) return 'nothing';
  if (Array.isArray(data)) return 'a list';
  return typeof data === 'object' ? 'a mapping' : `a ${typeof data} that is not shown`;
}

/** The one of the words that may stand there which is spelled nearly so. */
function nearest({ keyword, params, data }: ErrorObject): string {
  const words: unknown = keyword === 'enum' ? params['allowedValues'] : [];
  // all of them stand in the sentence already
  return typeof data === 'string' && Array.isArray(words) ? hintAt(data, words.map(String), []) : '';
}

/** What a keyword of JSON Schema asks for, behind "must be", with the values and limits that come with the error. */
const expectations: Readonly<Record<string, (params: ErrorObject['params'], show: Wording['show']) => string>> = {
  const: ({ allowedValue }, show) => show(allowedValue),
  enum: ({ allowedValues }, show) => `one of ${[allowedValues].flat().map(show).join(', ')}`,
  type: ({ type }) => (type === 'object' ? 'a mapping' : `of type ${type}`),
  pattern: ({ pattern }) => `text of the form ${pattern}`,
  format: ({ format }) => `a ${format}`,
  minimum: ({ limit }) => `${limit} or more`,
  maximum: ({ limit }) => `${limit} or less`,
  exclusiveMinimum: ({ limit }) => `more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `less than ${limit}`,
  multipleOf: ({ multipleOf }) => `a multiple of ${multipleOf}`,
  minLength: ({ limit }) => (limit === 1 ? 'a text that is not empty' : `a text of ${limit} characters or more`),
  maxLength: ({ limit }) => `a text of ${limit} characters at most`,
  minItems: ({ limit }) => `a list of ${limit} or more`,
  maxItems: ({ limit }) => `a list of ${limit} at most`,
  uniqueItems: () => 'a list without repetition',
  minProperties: ({ limit }) => `a mapping with ${limit} or more keys`,
  maxProperties: ({ limit }) => `a mapping with ${limit} keys at most`,
  required: ({ missingProperty }) => `a mapping with "${missingProperty}"`,
  propertyNames: ({ propertyName }) => `a mapping without the key "${propertyName}"`,
};

function expectation({ keyword, params, message = keyword }: ErrorObject, { show }: Wording): string {
  return expectations[keyword]?.(params, show) ?? message.replace(/^must (?:be )?/, '');
}

function pathOf(pointer: string, content: unknown): Path {
  const path: (string | number)[] = [];
  let place = content;
  for (const part of pointer.split('/').slice(1)) {
    const segment = part.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(place) ? Number(segment) : segment);
    place = typeof place === 'object' && place !== null ? Reflect.get(place, segment) : undefined;
  }
  return path;
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}

function valueAt(content: unknown, path: Path): unknown {
  return path.reduce(
    (place, part) => (typeof place === 'object' && place !== null ? Reflect.get(place, part) : undefined),
    content,
  );
}

/** The path as a JSON Pointer (RFC 6901). */
export function pointerTo({ path, key }: Pick<Misfit, 'path' | 'key'>): string {
  return pointerThrough([...path, ...(key === undefined ? [] : [key])]);
}

/** Offset, in the text of a YAML document, of the value under a path or of the key of that name in it; of the deepest part that is there. */
export function offsetIn(document: Document, path: Path, key?: string): number {
  const { isMap, isNode, isScalar } = loadYaml();
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (key !== undefined && isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
    if (isNode(pair?.key)) return pair.key.range?.[0] ?? 0;
  }
  if (isNode(node)) return node.range?.[0] ?? 0;
  return path.length === 0 ? 0 : offsetIn(document, path.slice(0, -1));
}
