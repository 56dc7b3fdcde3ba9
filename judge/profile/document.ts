import { withoutCredentials } from '../../contract/credentials.ts';
import { Check } from 'typebox/schema';
import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import { aliases } from '../../contract/aliases.ts';
import { misfitOf, offsetIn, type Path } from '../../contract/misfit.ts';
import { loadAjv } from '../../contract/packages.ts';
import { type Need, needs } from '../../contract/needs.ts';
import { type Profile, profileSchema } from '../../contract/profile.ts';
import { type ExtensionProfile, extensionProfileSchema } from '../../contract/profile/extension-profile.ts';
import { secureContextOf } from '../../contract/secure-context.ts';
import { hintAt } from '../../contract/spelling.ts';
import { messageOf } from '../../contract/thrown.ts';
import { describe } from '../describe.ts';
import { isObject } from '../json.ts';
import type { DocumentedRoute } from '../profile.ts';
import { twofoldIn } from '../service/roles.ts';
import { matches } from '../run/glob.ts';
import { filteredType, softTypesOf } from '../service/soft-types.ts';

// As long as what they stand for, so that positions stay true; braces would end a value inside a YAML flow mapping.
const opening = '\uE000\uE000';

const closing = '\uE001';

const placeholder = new RegExp(`${opening}(\\w+)${closing}`, 'g');

/** What the parser says without what it found, which may be a password that was not quoted. */
function withoutExcerpt(message: string): string {
  return message.replace(/(?<=\w\)?):\s.*$/s, '');
}

/** The YAML of a profile with the positions of its parts. */
export class ProfileDocument {
  readonly source: string;
  readonly #lines = new LineCounter();
  readonly #document: Document;
  readonly #marked: string;
  /** Dotted path -> variable, where a whole value came from one. */
  #variables: Readonly<Record<string, string>> = {};

  constructor(text: string, source: string) {
    this.source = withoutCredentials(source);
    const marked = text.replaceAll(/\$\{(\w+)\}/g, `${opening}$1${closing}`);
    this.#marked = marked;
    const options = { lineCounter: this.#lines, prettyErrors: false, uniqueKeys: false };
    this.#document = this.#parsed(() => parseDocument(marked, options));
    const [error] = this.#document.errors;
    if (error !== undefined)
      throw this.#error('yaml', `this is no YAML: ${withoutExcerpt(error.message)}`, error.pos[0]);
    const twice = this.#parsed(() => keyTwiceIn(this.#document));
    if (twice !== undefined) throw this.#error('yaml', 'this is no YAML: Map keys must be unique', twice);
  }

  get content(): unknown {
    return this.#parsed((): unknown => this.#document.toJS());
  }

  /** Puts values in the place of `${NAME}`; returns for each path whose whole value was one variable its name. */
  fillIn(valueOf: (name: string) => string | undefined): Readonly<Record<string, string>> {
    const wholes = new Map<Node, string>();
    const missing = new Map<string, Node>();
    const missed = (name: string, node: Node): string => {
      if (!missing.has(name)) missing.set(name, node);
      return '';
    };
    visit(this.#document, {
      Scalar: (_key, node) => {
        if (typeof node.value !== 'string' || !node.value.includes(opening)) return;
        const [match] = node.value.matchAll(placeholder);
        if (match?.[0] === node.value && match[1] !== undefined) wholes.set(node, match[1]);
        node.value = node.value.replaceAll(placeholder, (_all, name: string) => valueOf(name) ?? missed(name, node));
      },
    });
    const [first] = missing.values();
    if (first !== undefined) throw this.#missing([...missing.keys()], first);
    this.#variables = Object.fromEntries(
      nodesBelow(this.#document.contents).flatMap(([path, node]) => {
        const name = wholes.get(node);
        return name === undefined ? [] : [[path, name] as const];
      }),
    );
    return this.#variables;
  }

  /** Where the values of mappings stand: dotted path -> `line:column`, 1-based. */
  places(): Readonly<Record<string, string>> {
    return Object.fromEntries(
      nodesBelow(this.#document.contents).map(([path, node]) => [path, this.#placeAt(node.range?.[0] ?? 0)]),
    );
  }

  /** An error at the value under a path, or at the key of that name in it. */
  errorAt(path: Path, sentence: string, key?: string): ProfileError {
    const variable = key === undefined ? this.#variables[path.join('.')] : undefined;
    const origin = variable === undefined ? '' : `, from the environment variable ${variable}`;
    return this.#error('content', `${sentence}${origin}`, offsetIn(this.#document, path, key));
  }

  /** An error at a part of the text under a path. */
  errorIn(path: Path, sentence: string, part: string): ProfileError {
    const offset = offsetIn(this.#document, path);
    return this.#error('content', sentence, Math.max(offset, this.#marked.indexOf(part, offset)));
  }

  /** What the parser gives up on: aliases of aliases, and what is nested deeper than any profile. */
  #parsed<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      const why = error instanceof RangeError ? 'it is nested too deep' : withoutExcerpt((error as Error).message);
      throw this.#error('yaml', `this is no YAML of a profile: ${why}`, 0);
    }
  }

  /** All of them, as each might cost a pipeline else. */
  #missing(names: readonly string[], { range }: Node): ProfileError {
    const [name = ''] = names;
    const what = names.length === 1 ? `variable ${name} is` : `variables ${names.join(', ')} are`;
    const how = `export ${name}=... before the run, or ${name}_FILE with the name of a file that holds it`;
    const each = names.length === 1 ? '' : ', and so on';
    return this.#error('variable', `the environment ${what} not set; ${how}${each}`, range?.[0] ?? 0);
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

/** What mappings in mappings hold, by dotted paths. */
function nodesBelow(node: unknown, path = ''): readonly (readonly [path: string, node: Node])[] {
  const inner = isMap(node) ? node.items : [];
  const below = inner.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : '';
    return nodesBelow(value, path === '' ? name : `${path}.${name}`);
  });
  return path !== '' && isNode(node) ? [[path, node], ...below] : below;
}

/** Where a mapping names a key once more; undefined where none does. The parser would hold each key against each other, for minutes. */
function keyTwiceIn(document: Document): number | undefined {
  let found: number | undefined;
  visit(document, {
    Map: (_key, { items }) => {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value)) {
          found = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        names.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}

// To make the code of a schema shorter would take longer than to run it once. The schemas are our own.
const telling = { strict: false, validateSchema: false, code: { optimize: false }, allErrors: true, verbose: true };

const wording = { whole: 'the file', show: (value: unknown) => describe(value, 80) };

/** A rule as profiles speak of it. */
export interface NamedRule {
  readonly id: string;
  readonly needs: readonly Need[];
}

/** The content of the document as a profile. @throws {ProfileError} at the culprit: what was expected, what was found, the nearest key */
export function checkProfile(document: ProfileDocument, rules?: readonly NamedRule[]): Profile {
  const ids = rules?.map(({ id }) => id);
  assertOfService(document);
  const profile = withNamesChecked(document, checkBySchema<Profile>(document, profileSchema), ids);
  assertTls(document, profile);
  assertTargets(document, profile);
  assertTexts(document, profile);
  assertApart(document, profile);
  return withAbsentRoutes(profile, rules);
}

/** Whoever judges an extension host alone has a profile without a service. */
function assertOfService(document: ProfileDocument): void {
  const { content } = document;
  if (isObject(content) && content['extensionHost'] !== undefined && content['baseUrl'] === undefined)
    throw document.errorAt(
      ['extensionHost'],
      'this profile names an extension host and no service: svc-conformance check-extension --profile judges that; a service needs baseUrl',
    );
}

/** The content of the document where it is the profile of the package, which is known to be right. */
export function ownProfile(document: ProfileDocument): Profile {
  return document.content as Profile;
}

/** The same for a profile that an extension host alone is judged with. @throws {ProfileError} */
export function checkExtensionProfile(document: ProfileDocument, ruleIds?: readonly string[]): ExtensionProfile {
  const profile = withNamesChecked(
    document,
    checkBySchema<ExtensionProfile>(document, extensionProfileSchema),
    ruleIds,
  );
  assertTls(document, profile);
  return profile;
}

/** The content of any file in YAML, by the schema of it. @throws {ProfileError} */
export function checkBySchema<T>(document: ProfileDocument, schema: object): T {
  const { content } = document;
  // a schema that is asked once is quicker to follow than to compile
  if (Check(schema, content)) {
    assertPlaceholders(document, schema);
    return content as T;
  }
  const isRight = new (loadAjv().Ajv)(telling).compile<T>(schema);
  isRight(content);
  const { path, key, sentence } = misfitOf(isRight.errors ?? [], content, wording);
  throw document.errorAt(path, sentence, key);
}

/** What nothing replaces would be sent as it stands, or stumble in the middle of a run. */
function assertPlaceholders(document: ProfileDocument, schema: object): void {
  const unknown = placeholdersUnder(schema, document.content, []).next().value;
  if (unknown === undefined) return;
  const { path, found, known } = unknown;
  throw document.errorIn(
    path,
    `${path.join('.')} asks for ${found}, which is not known there${hintAt(found, known)}`,
    found,
  );
}

function withNamesChecked<T extends Pick<Profile, 'notSupported' | 'knownFailures'>>(
  document: ProfileDocument,
  content: T,
  ruleIds: readonly string[] | undefined,
): T {
  if (ruleIds !== undefined) {
    const rules = [...ruleIds, ...Object.keys(aliases)];
    assertNames(document, content, 'notSupported', [...Object.keys(needs), ...rules]);
    assertNames(document, content, 'knownFailures', rules);
  }
  assertDays(document, content);
  return content;
}

/** What cannot be used would end the run at its first request, without a place. */
function assertTls(document: ProfileDocument, { tls }: Pick<Profile, 'tls'>): void {
  if (tls === undefined) return;
  const lone = (['certificate', 'key'] as const).find((part) => tls[part] !== undefined);
  if (lone !== undefined && (tls.certificate === undefined || tls.key === undefined))
    throw document.errorAt(['tls', lone], `tls has its ${lone} alone; give certificate and key together, each in PEM`);
  for (const part of ['issuer', 'certificate', 'key'] as const) {
    if (tls[part] === undefined || /-----BEGIN [A-Z ]+-----/.test(tls[part])) continue;
    throw document.errorAt(
      ['tls', part],
      `tls.${part} is no PEM, which begins with -----BEGIN; give the text of the file and not its name`,
    );
  }
  try {
    secureContextOf(tls);
  } catch (error) {
    throw document.errorAt(
      ['tls'],
      `tls cannot be used (${messageOf(error)}); see that the key is that of the certificate, and the passphrase that of the key`,
    );
  }
}

/** A reference to nothing that the profile describes would leave the rules about references out without a word. */
function assertTargets(document: ProfileDocument, profile: Profile): void {
  const known = ['primary', 'second', ...softTypesOf(profile).map(({ definitionId }) => definitionId)];
  for (const name of ['primary', 'second'] as const) {
    const target = profile.softTypes?.[name]?.reference?.target;
    if (target === undefined || known.includes(target)) continue;
    const path = ['softTypes', name, 'reference', 'target'];
    throw document.errorAt(
      path,
      `${path.join('.')} is "${target}", and no SoftType of the profile${hintAt(target, known)}`,
    );
  }
}

/** Into the text member of an entry the suite writes what it likes: no filter and no model may go by it. */
function assertTexts(document: ProfileDocument, profile: Profile): void {
  const { filters, softTypes } = profile;
  const assertOther = (text: string | undefined, names: readonly string[], path: readonly string[]): void => {
    if (text === undefined || !names.includes(text)) return;
    throw document.errorAt(
      path,
      `${path.join('.')} names "${text}", the text of the array port, by which the suite tells entries apart; name another member in one of the two`,
    );
  };
  for (const name of ['primary', 'second'] as const) {
    const { text, mandatory = '' } = softTypes?.[name]?.arrayPort ?? {};
    assertOther(text, [mandatory], ['softTypes', name, 'arrayPort', 'mandatory']);
  }
  const text = filteredType(profile)?.arrayPort?.text;
  assertOther(text, [filters?.withValue?.member ?? ''], ['filters', 'withValue', 'member']);
  if (filters?.fixed !== undefined && Object.keys(filters.fixed.matching).length === 0)
    throw document.errorAt(
      ['filters', 'fixed', 'matching'],
      'filters.fixed.matching names no member, and entries that the filter admits are told by it; name one with a value that the filter admits',
    );
  for (const part of ['matching', 'other'] as const)
    assertOther(text, Object.keys(filters?.fixed?.[part] ?? {}), ['filters', 'fixed', part]);
}

function assertApart(document: ProfileDocument, { identities }: Profile): void {
  const twofold = twofoldIn(identities);
  if (twofold !== undefined)
    throw document.errorAt(['identities', twofold.name, 'username'], `${twofold.sentence}; take one of the two out`);
}

/** The area of the rules that are about a documented route and nothing else. */
const homes: readonly (readonly [DocumentedRoute, string])[] = [
  ['merge', 'patch.merge.'],
  ['operations', 'patch.'],
  ['batch', 'batch.'],
  ['multi-create', 'multi-create.'],
];

/** A route is not offered where each rule about it is declared as not supported: rules of other areas that only ride on it go without. */
function withAbsentRoutes(profile: Profile, rules: readonly NamedRule[] = []): Profile {
  const { notSupported = {} } = profile;
  const entries = Object.entries(notSupported);
  const declarationOf = (name: string) => entries.find(([entry]) => matches(entry, name));
  const absent = homes.flatMap(([need, home]) => {
    const about = rules.filter(({ id, needs: asked }) => id.startsWith(home) && asked.includes(need));
    const declared = about.map(({ id }) => declarationOf(id));
    const [first] = declared;
    if (declarationOf(need) !== undefined || first === undefined || declared.includes(undefined)) return [];
    return [[need, first[1]] as const];
  });
  return absent.length === 0
    ? profile
    : { ...profile, notSupported: { ...notSupported, ...Object.fromEntries(absent) } };
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
    throw document.errorAt(
      [list],
      `"${name}" under ${list} is no ${list === 'notSupported' ? 'need or rule' : 'rule'}${hintAt(name.replaceAll('*', ''), known)}`,
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

/** A placeholder of a template that nothing is known to replace. */
interface UnknownPlaceholder {
  readonly path: readonly (string | number)[];
  /** With its braces. */
  readonly found: string;
  readonly known: readonly string[];
}

function* placeholdersUnder(schema: unknown, content: unknown, path: Path): Generator<UnknownPlaceholder, undefined> {
  if (!isObject(schema) || content === undefined) return;
  const { placeholders, properties, items, anyOf } = schema;
  if (Array.isArray(placeholders)) {
    yield* unknownIn(content, path, placeholders.map(String));
    return;
  }
  if (Array.isArray(anyOf)) for (const each of anyOf) yield* placeholdersUnder(each, content, path);
  if (Array.isArray(content) && items !== undefined)
    for (const [index, item] of content.entries()) yield* placeholdersUnder(items, item, [...path, index]);
  if (isObject(content) && isObject(properties))
    for (const [name, value] of Object.entries(content))
      yield* placeholdersUnder(properties[name], value, [...path, name]);
}

function* unknownIn(content: unknown, path: Path, known: readonly string[]): Generator<UnknownPlaceholder, undefined> {
  if (typeof content === 'string') {
    for (const [found] of content.matchAll(patternFor(path, known)))
      if (!known.includes(found)) yield { path, found, known };
    return;
  }
  if (Array.isArray(content)) {
    const taken: string[] = [];
    for (const [index, item] of content.entries()) {
      yield* unknownIn(item, [...path, index], [...known, ...taken]);
      // what one request of several takes from its answer, those after it know
      if (isObject(item) && isObject(item['take']))
        taken.push(...Object.keys(item['take']).map((name) => `{{${name}}}`));
    }
    return;
  }
  if (isObject(content))
    for (const [name, value] of Object.entries(content)) yield* unknownIn(value, [...path, name], known);
}

/** In a path any braces mean a placeholder; in a body single ones are content. */
function patternFor(path: Path, known: readonly string[]): RegExp {
  const isPath = path.at(-1) === 'path' || known.every((name) => !name.startsWith('{{'));
  return isPath ? /\{+\w+\}+/g : /\{\{\w+\}\}/g;
}
