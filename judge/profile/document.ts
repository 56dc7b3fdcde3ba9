import { Ajv, type ErrorObject } from 'ajv';
import { closest } from 'fastest-levenshtein';
import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { needs } from '../../contract/needs.ts';
import { type Profile, profileSchema } from '../../contract/profile.ts';
import { type ExtensionProfile, extensionProfileSchema } from '../../contract/profile/extension-profile.ts';
import { describe } from '../describe.ts';
import { matches } from '../run/glob.ts';
import { unknownPlaceholder } from './placeholders.ts';

type Path = readonly (string | number)[];

// As long as what they stand for, so that positions stay true; braces would end a value inside a YAML flow mapping.
const opening = '\uE000\uE000';

const closing = '\uE001';

const placeholder = new RegExp(`${opening}(\\w+)${closing}`, 'g');

/** The YAML of a profile with the positions of its parts. */
export class ProfileDocument {
  readonly source: string;
  readonly #lines = new LineCounter();
  readonly #document: Document;
  readonly #marked: string;

  constructor(text: string, source: string) {
    this.source = source;
    const marked = text.replaceAll(/\$\{(\w+)\}/g, `${opening}$1${closing}`);
    this.#marked = marked;
    this.#document = this.#parsed(() => parseDocument(marked, { lineCounter: this.#lines, prettyErrors: false }));
    const [error] = this.#document.errors;
    if (error !== undefined) throw this.#error('yaml', `this is no YAML: ${error.message}`, error.pos[0]);
  }

  get content(): unknown {
    return this.#parsed((): unknown => this.#document.toJS());
  }

  /** Puts values in the place of `${NAME}`; returns for each path whose whole value was one variable its name. */
  fillIn(valueOf: (name: string) => string | undefined): Readonly<Record<string, string>> {
    const wholes = new Map<Node, string>();
    visit(this.#document, {
      Scalar: (_key, node) => {
        if (typeof node.value !== 'string' || !node.value.includes(opening)) return;
        const [match] = node.value.matchAll(placeholder);
        if (match?.[0] === node.value && match[1] !== undefined) wholes.set(node, match[1]);
        node.value = node.value.replaceAll(
          placeholder,
          (_all, name: string) => valueOf(name) ?? this.#missing(name, node),
        );
      },
    });
    return this.#pathsOf(wholes);
  }

  /** Where the values of mappings stand: dotted path -> `line:column`, 1-based. */
  places(): Readonly<Record<string, string>> {
    const places: Record<string, string> = {};
    const walk = (node: unknown, path: string): void => {
      if (path !== '' && isNode(node)) places[path] = this.#placeAt(node.range?.[0] ?? 0);
      if (!isMap(node)) return;
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : '';
        walk(value, path === '' ? name : `${path}.${name}`);
      }
    };
    walk(this.#document.contents, '');
    return places;
  }

  /** An error at the value under a path, or at the key of that name in it. */
  errorAt(path: Path, sentence: string, key?: string): ProfileError {
    return this.#error('content', sentence, this.#offsetOf(path, key));
  }

  /** An error at a part of the text under a path. */
  errorIn(path: Path, sentence: string, part: string): ProfileError {
    const offset = this.#offsetOf(path);
    return this.#error('content', sentence, Math.max(offset, this.#marked.indexOf(part, offset)));
  }

  /** What the parser gives up on: aliases of aliases, and what is nested deeper than any profile. */
  #parsed<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      const why = error instanceof RangeError ? 'it is nested too deep' : String((error as Error).message);
      throw this.#error('yaml', `this is no YAML of a profile: ${why}`, 0);
    }
  }

  #missing(name: string, node: Node): never {
    throw this.#error(
      'variable',
      `the environment variable ${name} is not set; export ${name}=... before the run`,
      node.range?.[0] ?? 0,
    );
  }

  #pathsOf(wholes: ReadonlyMap<Node, string>): Readonly<Record<string, string>> {
    const paths: Record<string, string> = {};
    const walk = (node: unknown, path: string): void => {
      if (isNode(node) && wholes.has(node)) paths[path] = wholes.get(node) ?? '';
      if (!isMap(node)) return;
      for (const pair of node.items) {
        const key = isScalar(pair.key) ? String(pair.key.value) : '';
        walk(pair.value, path === '' ? key : `${path}.${key}`);
      }
    };
    walk(this.#document.contents, '');
    return paths;
  }

  #offsetOf(path: Path, key?: string): number {
    const node = path.length === 0 ? this.#document.contents : this.#document.getIn(path, true);
    if (key !== undefined && isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
      if (isNode(pair?.key)) return pair.key.range?.[0] ?? 0;
    }
    return isNode(node) ? (node.range?.[0] ?? 0) : 0;
  }

  #placeAt(offset: number): string {
    const { line, col } = this.#lines.linePos(offset);
    return `${line}:${col}`;
  }

  #error(code: ProfileErrorCode, sentence: string, offset: number): ProfileError {
    const { line, col } = this.#lines.linePos(offset);
    return new ProfileError(code, sentence, { file: this.source, line: Math.max(1, line), column: Math.max(1, col) });
  }
}

// A schema is compiled for one profile or two: to make its code shorter would take longer than to run it. The schemas are our own.
const cheap = { strict: false, validateSchema: false, code: { optimize: false } };
/** Tells whether a document is right, and nothing about what is wrong: its code is half as long. */
const asking = new Ajv({ ...cheap, messages: false });
/** Tells everything that is wrong. */
const telling = new Ajv({ ...cheap, allErrors: true, verbose: true });

/** The content of the document as a profile. @throws {ProfileError} at the culprit: what was expected, what was found, the nearest key */
export function checkProfile(document: ProfileDocument, ruleIds?: readonly string[]): Profile {
  return withNamesChecked(document, checkBySchema<Profile>(document, profileSchema), ruleIds);
}

/** The same for a profile that an extension host alone is judged with. @throws {ProfileError} */
export function checkExtensionProfile(document: ProfileDocument, ruleIds?: readonly string[]): ExtensionProfile {
  return withNamesChecked(document, checkBySchema<ExtensionProfile>(document, extensionProfileSchema), ruleIds);
}

/** The content of any file in YAML, by the schema of it. @throws {ProfileError} */
export function checkBySchema<T>(document: ProfileDocument, schema: object): T {
  const { content } = document;
  if (asking.compile<T>(schema)(content)) {
    assertPlaceholders(document, schema);
    return content;
  }
  const isRight = telling.compile<T>(schema);
  isRight(content);
  throw errorOf(document, isRight.errors ?? []);
}

/** What nothing replaces would be sent as it stands, or stumble in the middle of a run. */
function assertPlaceholders(document: ProfileDocument, schema: object): void {
  const unknown = unknownPlaceholder(schema, document.content);
  if (unknown === undefined) return;
  const { path, found, known } = unknown;
  throw document.errorIn(
    path,
    `${path.join('.')} asks for ${found}, which is not known there; did you mean ${closest(found, known)}?`,
    found,
  );
}

function withNamesChecked<T extends Pick<Profile, 'notSupported' | 'knownFailures'>>(
  document: ProfileDocument,
  content: T,
  ruleIds: readonly string[] | undefined,
): T {
  if (ruleIds !== undefined) {
    assertNames(document, content, 'notSupported', [...Object.keys(needs), ...ruleIds]);
    assertNames(document, content, 'knownFailures', ruleIds);
  }
  assertDays(document, content);
  return content;
}

/** A misspelt name in these lists would silently declare nothing. */
function assertNames(
  document: ProfileDocument,
  profile: Pick<Profile, 'notSupported' | 'knownFailures'>,
  list: 'notSupported' | 'knownFailures',
  known: readonly string[],
): void {
  for (const name of Object.keys(profile[list] ?? {})) {
    if (known.some((word) => matches(name, word))) continue;
    const nearest = closest(name.replaceAll('*', ''), known);
    throw document.errorAt(
      [list],
      `"${name}" under ${list} is no ${list === 'notSupported' ? 'need or rule' : 'rule'}; did you mean "${nearest}"?`,
      name,
    );
  }
}

/** A day that no calendar has would never come. */
function assertDays(document: ProfileDocument, profile: Pick<Profile, 'notSupported' | 'knownFailures'>): void {
  for (const list of ['notSupported', 'knownFailures'] as const)
    for (const [name, declaration] of Object.entries(profile[list] ?? {})) {
      const until = typeof declaration === 'string' ? undefined : declaration.until;
      if (until === undefined || isDay(until)) continue;
      throw document.errorAt(
        [list, name, 'until'],
        `${list}.${name}.until must be a day of the calendar as 2027-01-31, found "${until}"`,
      );
    }
}

function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The most telling error: an unknown key before anything else, then the deepest one. */
function errorOf(document: ProfileDocument, errors: readonly ErrorObject[]): ProfileError {
  const ranked = [...errors].sort((a, b) => weight(b) - weight(a));
  const [error] = ranked;
  if (error === undefined) return document.errorAt([], 'this is no profile');
  const path = pathOf(error.instancePath, document.content);
  if (error.keyword === 'additionalProperties') return unknownKey(document, path, error);
  return document.errorAt(path, sentenceOf(error, path, alternatives(error, errors)));
}

function weight(error: ErrorObject): number {
  const depth = error.instancePath.split('/').length;
  const kinds: Readonly<Record<string, number>> = { additionalProperties: 1000, anyOf: 1 };
  return depth * 2 + (kinds[error.keyword] ?? 0);
}

function unknownKey(document: ProfileDocument, path: Path, error: ErrorObject): ProfileError {
  const key = String(error.params['additionalProperty']);
  const known = Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {});
  const place = path.length === 0 ? 'the file' : path.join('.');
  const hint = known.length === 0 ? '' : `; did you mean "${closest(key, known)}"?`;
  return document.errorAt(path, `unknown key "${key}" in ${place}${hint}`, key);
}

/** What a union admits, when the error is about one. */
function alternatives(error: ErrorObject, errors: readonly ErrorObject[]): string {
  const parts = errors
    .filter((other) => other.instancePath === error.instancePath && other.keyword !== 'anyOf')
    .map(expectation);
  return [...new Set(parts)].join(' or ');
}

function sentenceOf(error: ErrorObject, path: Path, expected: string): string {
  const name = path.length === 0 ? 'the file' : path.join('.');
  if (error.keyword === 'required') return `${name} lacks "${String(error.params['missingProperty'])}"`;
  return `${name} must be ${expected}, found ${describe(error.data, 80)}`;
}

function expectation(error: ErrorObject): string {
  switch (error.keyword) {
    case 'const':
      return describe(error.params['allowedValue'], 80);
    case 'type':
      return String(error.params['type']) === 'object' ? 'a mapping' : `of type ${String(error.params['type'])}`;
    case 'pattern':
      return `text of the form ${String(error.params['pattern'])}`;
    case 'minLength':
      return 'a text that is not empty';
    default:
      return (error.message ?? error.keyword).replace(/^must (be|have|NOT have) /, '$1 ').replace(/^be /, '');
  }
}

function pathOf(pointer: string, content: unknown): Path {
  const segments = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const path: (string | number)[] = [];
  let place = content;
  for (const segment of segments) {
    path.push(Array.isArray(place) ? Number(segment) : segment);
    place = (place as Record<string, unknown> | undefined)?.[segment];
  }
  return path;
}

/** `unreadable`: no text. `yaml`: no YAML. `variable`: an environment variable is missing. `content`: not what a profile holds. */
type ProfileErrorCode = 'unreadable' | 'yaml' | 'variable' | 'content';

/** A profile that cannot be used. The message is one sentence that begins with file, line and column (1-based). */
export class ProfileError extends Error {
  readonly code: ProfileErrorCode;
  readonly file: string;
  readonly line: number;
  readonly column: number;

  constructor(
    code: ProfileErrorCode,
    sentence: string,
    at: { readonly file: string; readonly line?: number; readonly column?: number },
  ) {
    const { file, line = 1, column = 1 } = at;
    super(`${file}:${line}:${column}: ${sentence}`);
    this.code = code;
    this.file = file;
    this.line = line;
    this.column = column;
  }
}
