import { isDeepStrictEqual } from 'node:util';
import { isMap, isNode, isScalar, parseDocument, Pair, Scalar, type Document } from 'yaml';

/** What becomes of the known failures of a profile. */
export interface KnownChange {
  /** Rule -> why it fails. */
  readonly add: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
  /** Pattern -> the rules that take its place, with its reason; none takes it out. */
  readonly narrow?: Readonly<Record<string, readonly string[]>>;
}

/** A profile that cannot be edited; the message says what is in the way. */
export class KnownError extends Error {
  readonly code = 'KNOWN_FAILURES';
}

const list = 'knownFailures';
// As long as what they stand for; the braces of a variable would end a value inside a YAML flow mapping.
const [opening, closing] = ['\uE000\uE000', '\uE001'];

/** The rules and patterns under knownFailures in the YAML text of a profile. @throws {KnownError} */
export function knownIn(text: string): readonly string[] {
  const entries = documentOf(marked(text)).get(list);
  return isMap(entries) ? entries.items.map(nameOf) : [];
}

/** The text of a profile with its known failures changed; everything outside that list stays as it is, to the letter. @throws {KnownError} */
export function withKnown(text: string, { add, remove, narrow = {} }: KnownChange): string {
  const before = marked(text);
  const document = documentOf(before);
  for (const rule of remove) if (document.hasIn([list, rule])) document.deleteIn([list, rule]);
  for (const [pattern, rules] of Object.entries(narrow)) narrowIn(document, pattern, rules);
  for (const [rule, reason] of Object.entries(add)) addTo(document, rule, reason);
  const entries = document.get(list);
  if (isMap(entries) && entries.items.length === 0) document.delete(list);
  const wanted: unknown = document.toJS();
  const edited = document.toString({ lineWidth: 0 });
  const spliced = splicedFrom(before, edited);
  const whole = isDeepStrictEqual(parseDocument(spliced).toJS(), wanted) ? spliced : edited;
  return whole.replaceAll(new RegExp(`${opening}(\\w+)${closing}`, 'g'), '${$1}');
}

function documentOf(text: string): Document.Parsed {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new KnownError(`the profile is no YAML any more: ${error.message}`);
  if (!isMap(document.contents)) throw new KnownError('expected a profile, found no mapping');
  return document;
}

function nameOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key);
}

/** The rules stand where the pattern stood; comments before and behind it stay at the first and the last of them. */
function narrowIn(document: Document, pattern: string, rules: readonly string[]): void {
  const entries = document.get(list);
  if (!isMap(entries)) return;
  const index = entries.items.findIndex((pair) => nameOf(pair) === pattern);
  const pair = entries.items[index];
  if (pair === undefined) return;
  const last = rules.length - 1;
  const pairs = rules.map((rule, place) => pairLike(pair, rule, { isFirst: place === 0, isLast: place === last }));
  entries.items.splice(index, 1, ...pairs);
}

function pairLike(
  { key, value }: Pair,
  rule: string,
  { isFirst, isLast }: Readonly<Record<'isFirst' | 'isLast', boolean>>,
): Pair {
  const name = new Scalar(rule);
  if (isFirst && isNode(key)) Object.assign(name, { commentBefore: key.commentBefore, spaceBefore: key.spaceBefore });
  const reason: unknown = isNode(value) ? value.clone() : value;
  if (!isLast && isNode(reason)) delete reason.comment;
  return new Pair(name, reason);
}

function addTo(document: Document, rule: string, reason: string): void {
  const entries = document.get(list);
  if (isMap(entries)) entries.flow = false;
  else document.set(list, document.createNode({}));
  document.setIn([list, rule], reason);
}

/** The text as it was, with the list as it is in the edited text. */
function splicedFrom(before: string, edited: string): string {
  const newline = before.includes('\r\n') ? '\r\n' : '\n';
  const [start, end] = placeIn(before) ?? [before.length, before.length];
  const [from, to] = placeIn(edited) ?? [edited.length, edited.length];
  const gap = start === end && start > 0 && !before.endsWith('\n') ? newline : '';
  return before.slice(0, start) + gap + edited.slice(from, to).replaceAll('\n', newline) + before.slice(end);
}

/** Where the list stands in a text, from its key to the end of its last entry, as offsets. */
function placeIn(text: string): readonly [number, number] | undefined {
  const { contents } = documentOf(text);
  const pair = isMap(contents) ? contents.items.find(({ key }) => isScalar(key) && key.value === list) : undefined;
  return pair === undefined ? undefined : rangeOf(pair);
}

function rangeOf({ key, value }: Pair): readonly [number, number] | undefined {
  const start = isNode(key) ? key.range?.[0] : undefined;
  const end = isNode(value) ? value.range?.[1] : undefined;
  return start === undefined || end === undefined ? undefined : [start, end];
}

function marked(text: string): string {
  return text.replaceAll(/\$\{(\w+)\}/g, `${opening}$1${closing}`);
}
