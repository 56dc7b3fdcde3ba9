import { entriesPerPage } from './limits.ts';
import { pageNumberTemplate } from './names.ts';
import type { RuleId } from './rule.ts';

// Stands here because the judge and the traffic both judge reads. It is no data: the linter keeps the judged away from it.

type Json = Readonly<Record<string, unknown>>;

/** An answer with its body as JSON. */
export interface Answer {
  readonly status: number;
  readonly json: unknown;
}

/** What was read of one object at one time: the object, pages of its arrays, or both. */
export interface Read<A extends Answer> {
  readonly instance?: A;
  readonly pages?: readonly { readonly member: string; readonly number: number; readonly answer: A }[];
}

/** What has to be seen, as far as it is known. What is absent is not judged. */
export interface Known {
  readonly oid?: string;
  /** That of the last write that was acknowledged. */
  readonly version?: number;
  /** By member; null where it has no value. */
  readonly texts?: Texts;
  readonly inner?: { readonly member: string; readonly texts: Texts };
  readonly arrays?: readonly KnownArray[];
  /** Whether a filter or an output schema may leave members out or name them otherwise: then what is there is judged, and entries by their places. */
  readonly mayLack?: boolean;
  /** Whether it is judged what kinds of values stand around the content. */
  readonly envelope?: boolean;
}

type Texts = Readonly<Record<string, string | number | boolean | null>>;

export interface KnownArray {
  readonly port: PortNames;
  /** Of entries, on all pages. */
  readonly count: number;
  /** Members of each entry; without order where `inAnyOrder`. */
  readonly entries?: readonly Json[];
  readonly inAnyOrder?: boolean;
  /** Whether no other array of the object fills a page, so that a page link under whatever name is its own. */
  readonly isOnlyLong?: boolean;
  /** Entry id -> page on which it was seen before. */
  readonly seenOn?: ReadonlyMap<string, number>;
}

/** How an array is called. */
interface PortNames {
  readonly member: string;
  readonly portId: string;
  /** Member by which entries are told apart. */
  readonly text: string;
  readonly sectionPath?: string;
}

/** One thing that a read shows, beside what it has to be. */
export interface Point<A extends Answer = Answer> {
  readonly rule: RuleId;
  /** In words: `totalNumber of files`. */
  readonly what: string;
  readonly actual: unknown;
  readonly expected: unknown;
  readonly holds: boolean;
  /** Where it is seen. */
  readonly answer: A;
  /** What the writes so far have made it, where it is that: `$version`, a member, or the order of one. */
  readonly written: string | undefined;
}

export interface Entry {
  readonly entryId: string;
  readonly members: Json;
}

/** Returns whether the two are the same. */
type See = (rule: RuleId, what: string, actual: unknown, expected: unknown, written?: string) => boolean;

/** The rule of what the writes of an object make it. */
const writtenRule: RuleId = 'versioning.sequence.matches-model';

/** Holds a read against what is known of the object. Each point is filed under the rule that it breaks when it does not hold. */
export function judgeRead<A extends Answer>(read: Read<A>, known: Known): readonly Point<A>[] {
  const points: Point<A>[] = [];
  const seeIn =
    (answer: A): See =>
    (rule, what, actual, expected, written) => {
      const holds = isSame(actual, expected);
      points.push({ rule, what, actual, expected, holds, answer, written });
      return holds;
    };
  const { instance, pages = [] } = read;
  if (instance !== undefined && !judgeInstance(seeIn(instance), instance, known)) return points;
  for (const array of known.arrays ?? []) {
    const own = pages.filter(({ member }) => member === array.port.member);
    const judged = { seeIn, known, array };
    if (instance === undefined) for (const page of own) judgePage(judged, page);
    else judgeArray(judged, instance, own);
  }
  return points;
}

/** The id, written as the other one where only their capitals differ: both may lead to the object. */
function idLike(id: unknown, other: string): string {
  return String(id).toLowerCase() === other.toLowerCase() ? other : String(id);
}

/** Returns whether there is content to look at. */
function judgeInstance(
  see: See,
  { json }: Answer,
  { oid, version, texts = {}, inner, mayLack, envelope }: Known,
): boolean {
  const { data, version: shown, links, schema } = objectOf(json);
  const content = objectOf(data);
  const hasData = see('reading.body.data-is-object', 'the kind of data', kindOf(data), 'object');
  if (envelope === true) {
    see('reading.body.version-is-integer', 'the kind of version', kindOf(shown), 'integer');
    see('reading.body.links-is-array', 'the kind of links', kindOf(links), 'array');
    for (const link of Array.isArray(links) ? links : [])
      see('reading.body.links-is-array', 'the kind of an item of links', kindOf(link), 'object');
    see('reading.body.schema-is-object', 'the kind of schema', kindOf(schema), 'object');
  }
  if (!hasData) return false;
  see('reading.system.version-matches-top-level', '$version', content['$version'] ?? shown, shown);
  if (oid !== undefined) see('reading.system.oid-matches-route', '$oid', idLike(content['$oid'] ?? oid, oid), oid);
  if (version !== undefined) see(writtenRule, 'version', shown, version, '$version');
  for (const [name, text] of Object.entries(texts))
    if (mayLack !== true || typeof content[name] === 'string')
      see(writtenRule, name, content[name] ?? null, text, name);
  if (inner === undefined) return true;
  const found = objectOf(content[inner.member]);
  const innerTexts = Object.keys(inner.texts).map((name) => [name, found[name] ?? null]);
  see(writtenRule, inner.member, Object.fromEntries(innerTexts), inner.texts, inner.member);
  return true;
}

type PageRead<A extends Answer> = NonNullable<Read<A>['pages']>[number];

interface Judged<A extends Answer> {
  readonly seeIn: (answer: A) => See;
  readonly known: Known;
  readonly array: KnownArray;
}

function judgeArray<A extends Answer>(judged: Judged<A>, instance: A, pages: readonly PageRead<A>[]): void {
  const { seeIn, array } = judged;
  const { member } = array.port;
  const see = seeIn(instance);
  const first = firstEntries(instance, member);
  const whole = [...first, ...entriesBehind(pages)];
  const texts = isAllSeen(judged, pages) ? textsOf(array, whole) : undefined;
  const isLimited = judgeLimit(see, 'paging.instance-read.at-most-ten', `${member} in a read`, first);
  // what is wrong with the whole array shows when its last part is read
  const seeLast = seeIn(pages.at(-1)?.answer ?? instance);
  if (texts?.isSameSet === false && isLimited && !isCountedRight(instance, array, whole)) {
    seeLast(writtenRule, `texts of ${member}, in any order`, texts.shown, texts.written, member);
    return;
  }
  const isFull =
    isLimited &&
    see(
      'paging.instance-read.short-array-complete',
      `entries of ${member} in a read of ${array.count}`,
      first.length,
      Math.min(entriesPerPage, array.count),
    );
  judgeLinks(see, instance, array);
  const arePagesRight = pages.map((page) => judgePage(judged, page, instance));
  if (!isFull || arePagesRight.includes(false)) return;
  if (texts?.isSameSet === false) {
    seeLast('paging.pages.cover-array-once', `texts of ${member} on all pages`, texts.shown, texts.written);
    return;
  }
  if (texts === undefined) judgePlaces(see, first, 0, judged);
  else seeLast(writtenRule, `texts of ${member}`, texts.shown, texts.written, `order of ${member}`);
  judgeIds(see, whole, judged);
}

function judgeLimit(see: See, rule: RuleId, place: string, entries: readonly Entry[]): boolean {
  return see(rule, `entries beyond ten of ${place}`, Math.max(0, entries.length - entriesPerPage), 0);
}

/** Whether the entries are known and each page behind the first read was read. */
function isAllSeen<A extends Answer>({ known, array }: Judged<A>, pages: readonly PageRead<A>[]): boolean {
  if (array.entries === undefined || known.mayLack === true) return false;
  return pages.filter(({ number }) => number > 0).length >= pagesOf(array.count) - 1;
}

/** Texts of the entries, seen and known: sorted, unless they differ in their order alone and that counts. */
function textsOf({ port, entries = [], inAnyOrder }: KnownArray, whole: readonly Entry[]) {
  const [shown, written] = [whole.map(({ members }) => textOf(members, port)), entries.map((one) => textOf(one, port))];
  const sorted = { shown: shown.toSorted(), written: written.toSorted() };
  const isSameSet = isSame(sorted.shown, sorted.written);
  return { isSameSet, ...(isSameSet && inAnyOrder !== true ? { shown, written } : sorted) };
}

/** Where a link counts as many entries as there should be, and the pages do not show them, the pages are wrong and not the write. */
function isCountedRight(instance: Answer, { port, count }: KnownArray, whole: readonly Entry[]): boolean {
  const links = pageLinksOf(linksOf(instance), port, false);
  const isEachOnce = whole.length === count && new Set(whole.map(({ entryId }) => entryId)).size === count;
  return count > entriesPerPage && !isEachOnce && links.some(({ totalNumber }) => totalNumber === count);
}

/** Up to ten entries there need be no link; one that is there counts them as well. */
function judgeLinks(see: See, instance: Answer, { port, count, isOnlyLong = false }: KnownArray): void {
  if (count === 0) return;
  const all = linksOf(instance);
  const own = pageLinksOf(all, port, isOnlyLong);
  if (count > entriesPerPage)
    see(
      'paging.link.present-above-ten',
      `whether there is a page link of ${port.member}`,
      own.length > 0 || pageLinksOf(all, port).length > 0,
      true,
    );
  for (const { totalNumber, pages, href } of own) {
    see('paging.link.total-number', `totalNumber of ${port.member}`, totalNumber, count);
    see('paging.link.pages-count', `pages of ${port.member}`, pages, pagesOf(count));
    const isTemplate = String(href).includes(pageNumberTemplate);
    see(
      'paging.link.href-holds-template',
      `href of the page link of ${port.member}`,
      isTemplate ? pageNumberTemplate : href,
      pageNumberTemplate,
    );
  }
}

/** Returns whether the page by itself, and beside the first read, is right. */
function judgePage<A extends Answer>(judged: Judged<A>, { number, answer }: PageRead<A>, instance?: A): boolean {
  const { known, array } = judged;
  const see = judged.seeIn(answer);
  const place = `page ${number} of ${array.port.member}`;
  const { version, data } = objectOf(answer.json);
  if (!see('paging.page.documented-route-served', `status of ${place}`, answer.status, 200)) return false;
  const owner = instance === undefined ? known.version : objectOf(instance.json)['version'];
  if (owner !== undefined) see('paging.page-body.version-of-owner', `version of ${place}`, version, owner);
  if (!see('paging.page-body.data-is-array', `the kind of data of ${place}`, kindOf(data), 'array')) return false;
  const entries = entriesIn(data);
  const isRight = judgeLength(see, { entries, number, place }, judged, instance);
  if (instance !== undefined || !isRight) return isRight;
  judgePlaces(see, entries, number * entriesPerPage, judged);
  for (const { entryId } of entries) {
    const other = array.seenOn?.get(entryId);
    if (entryId !== '' && other !== undefined)
      see('paging.pages.cover-array-once', `page of the entry ${entryId}`, number, other);
  }
  judgeIds(see, entries, judged);
  return true;
}

function judgeLength<A extends Answer>(
  see: See,
  { entries, number, place }: { readonly entries: readonly Entry[]; readonly number: number; readonly place: string },
  { array: { port, count } }: Judged<A>,
  instance: A | undefined,
): boolean {
  const expected = Math.max(0, Math.min(entriesPerPage, count - number * entriesPerPage));
  const what = `entries on ${place}, which has ${count}`;
  if (!judgeLimit(see, 'paging.page.holds-at-most-ten', place, entries)) return false;
  const first = instance === undefined ? [] : firstEntries(instance, port.member).slice(0, entriesPerPage);
  if (instance !== undefined && number === 0) {
    const told = (list: readonly Entry[]): readonly string[] =>
      list.map(({ entryId, members }) => `${entryId} ${textOf(members, port)}`).toSorted();
    return see('paging.page-zero.equals-first-read', `entries on ${place}`, told(entries), told(first));
  }
  if (instance === undefined || number > 1) return see('paging.pages.cover-array-once', what, entries.length, expected);
  const ids = new Set(first.map(({ entryId }) => entryId));
  const repeated = entries.filter(({ entryId }) => entryId !== '' && ids.has(entryId)).length;
  return see(
    'paging.page-one.holds-the-rest',
    `${what}, and how many of them page 0 shows`,
    [entries.length, repeated],
    [expected, 0],
  );
}

/** What a part of the array shows is what was written there; a member that has no text here goes by another name. */
function judgePlaces<A extends Answer>(
  see: See,
  shown: readonly Entry[],
  from: number,
  { array: { port, entries = [] } }: Judged<A>,
): void {
  for (const [index, written] of entries.slice(from, from + shown.length).entries())
    for (const [name, text] of Object.entries(written)) {
      const found = shown[index]?.members[name];
      if (typeof text === 'string' && typeof found === 'string')
        see(writtenRule, `${name} of entry ${from + index} of ${port.member}`, found, text, port.member);
    }
}

function judgeIds<A extends Answer>(see: See, entries: readonly Entry[], { known, array }: Judged<A>): void {
  const { member } = array.port;
  const ids = entries.map(({ entryId }) => entryId).filter((entryId) => entryId !== '');
  const lacking = entries.length - ids.length;
  if (known.mayLack !== true)
    see('reading.entries.objects-carry-entry-id', `entries of ${member} without an $entryId`, lacking, 0);
  const different = new Set(ids).size;
  see('reading.entries.ids-unique-in-array', `different entry ids in ${member}`, different, ids.length);
}

/** A link as read; each of its members may be missing or of another type. */
export type LinkRead = Json;

/**
 * The page links of one array. Where nobody says how the array is named in `sectionPath`, a path that ends with the name of the
 * member or the port counts; without such a link the page links count whose href leads to no other port, since the only long
 * array may be named in any way while arrays that nobody knows may have links of their own.
 */
export function pageLinksOf(links: readonly LinkRead[], port: PortNames, onlyLongArray = true): readonly LinkRead[] {
  const ofPages = links.filter(({ rel }) => rel === 'page');
  if (port.sectionPath !== undefined) return ofPages.filter(({ sectionPath }) => sectionPath === port.sectionPath);
  const named = waysToName(port)
    .map((isName) => ofPages.filter(({ sectionPath }) => isName(String(sectionPath))))
    .find((links) => links.length > 0);
  return named ?? (onlyLongArray ? ofPages.filter((link) => !leadsElsewhere(link, port)) : []);
}

/** Whether the href has the shape of the documented page route, with another port in it. */
function leadsElsewhere({ href }: LinkRead, port: PortNames): boolean {
  const segment = /(?:^|\/)page\/[^/]+\/[^/]+\/([^/]+)\/[^/]+\/\{pageNumber\}/.exec(String(href))?.[1];
  return segment !== undefined && segment !== port.portId && segment !== encodeURIComponent(port.portId);
}

/** How a path may name the array, the surest way first: another one may differ from it in capitals alone. */
function waysToName({ member, portId }: PortNames): readonly ((path: string) => boolean)[] {
  const names = [member, portId];
  return [
    (path) => names.includes(path),
    (path) => names.some((name) => isPathTo(path, name)),
    (path) => names.some((name) => isPathTo(path.toLowerCase(), name.toLowerCase())),
  ];
}

/** Whether the path ends with the name, in front of which it does not stand as well: that is an array inside an entry. */
function isPathTo(path: string, name: string): boolean {
  const before = path.slice(0, -name.length);
  const holdsName = before.split(/[/.]/).includes(name);
  return path === name || (path.endsWith(name) && /[/.]$/.test(before) && !holdsName);
}

function linksOf({ json }: Answer): readonly LinkRead[] {
  const { links } = objectOf(json);
  return Array.isArray(links) ? links.filter((link) => kindOf(link) === 'object') : [];
}

function firstEntries({ json }: Answer, member: string): readonly Entry[] {
  return entriesIn(objectOf(objectOf(json)['data'])[member]);
}

/** The array as the first read and the pages behind page 0 show it together. */
export function wholeOf({ instance, pages = [] }: Read<Answer>, member: string): readonly Entry[] {
  const first = instance === undefined ? [] : firstEntries(instance, member);
  return [...first, ...entriesBehind(pages.filter((page) => page.member === member))];
}

function entriesBehind(pages: readonly PageRead<Answer>[]): readonly Entry[] {
  return pages.flatMap(({ number, answer }) => (number === 0 ? [] : entriesIn(objectOf(answer.json)['data'])));
}

/** The entries in a value, none where it is no array. */
export function entriesIn(value: unknown): readonly Entry[] {
  if (!Array.isArray(value)) return [];
  return value.map((item: unknown) => ({ entryId: entryIdOf(item), members: objectOf(item) }));
}

/** Empty where it has none. */
export function entryIdOf(entry: unknown): string {
  return isJsonObject(entry) && Object.hasOwn(entry, '$entryId') ? String(entry['$entryId'] ?? '') : '';
}

/** What tells the entry from others; null where it has none. */
export function textOf(members: Json, { text }: Pick<PortNames, 'text'>): string | null {
  const value = members[text];
  return value === undefined || value === null ? null : String(value);
}

/** How many pages so many entries have. */
export function pagesOf(count: number): number {
  return Math.ceil(count / entriesPerPage);
}

/** The own members of an object: a name such as `constructor` stands for nothing else. */
function objectOf(value: unknown): Json {
  return Object.assign(Object.create(null), isJsonObject(value) ? value : {});
}

function isJsonObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Of JSON values whose members stand in the same order. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other));
}
