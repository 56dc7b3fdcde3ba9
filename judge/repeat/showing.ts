import { type Exchange, headerIn } from '../exchange.ts';
import { deeplyEqual, isObject, jsonOf, pointer } from '../json.ts';
import type { Claim, Statuses, ValueClaim, Violation } from '../violation.ts';
import { type Flow, markVariable, scalarsOf, type Step } from './flow.ts';
import type { Kind } from './kind.ts';
import { isOfBody, lacksBody, linesOf, sumOf, type Told } from './lines.ts';
import type { MeetingCheck } from './repetition.ts';
import { fill, type Template, type Values } from './template.ts';
import { rightLine } from './worked-out.ts';

/** What of the judged answer shows the violation, before secrets are taken out. */
export type Showing =
  | { readonly kind: 'status'; readonly expected: Statuses; readonly found: number }
  | { readonly kind: 'header'; readonly name: string; readonly status: number }
  | MeetingCheck
  | LinesShowing;

interface LinesShowing {
  readonly kind: 'lines';
  readonly status: number;
  readonly lines: readonly Template[];
  readonly expected?: Template;
  readonly count?: number;
  /** Only the lines of the body are counted. */
  readonly ofBody?: true;
  /** It shows by that number as well: where that is another one each time, nothing shows it. */
  readonly isCounted?: true;
  /** Of all lines of a long body, in place of them. */
  readonly sum?: string;
  /** Its body is to be told by a checksum, once it is known. */
  readonly lacksBody?: true;
}

export interface Judged {
  /** Of the step that is judged. */
  readonly at: number;
  readonly showing: Showing;
  /** What the answers before it told, where what was found may be made of several. */
  readonly others: ReadonlyMap<Step, Showing>;
}

const alone: Judged['others'] = new Map();

const mostLines = 2000;
/** So many stand for themselves, where none of them is another one each time. */
const longLines = 300;
/** A number of so many digits stands for itself, as a time does. */
const longNumber = 100_000;

/** Which answer shows a violation, and by what. */
export function judgedIn(
  flow: Flow,
  { claim, expected, actual }: Pick<Violation, 'claim' | 'expected' | 'actual'>,
  named: Exchange | undefined,
): Judged | undefined {
  const [, begins] = wordedBeginnings.find(([end]) => expected.endsWith(end)) ?? [];
  const at = flow.steps.findIndex(({ sent }) => sent.exchange === named);
  const value: Spelled | undefined =
    claim?.about === 'value' ? inTimesOf(flow.steps[at]?.told, { ...claim, begins }) : undefined;
  const ofMeeting = meetingIn(flow, claim);
  if (ofMeeting !== undefined) return { at, showing: ofMeeting, others: alone };
  const ofStatus = value && wordedStatusIn(flow, at, value, expected);
  if (ofStatus !== undefined) return { ...ofStatus, others: alone };
  // what no answer is named for shows in a call, where there are calls
  // what a read is asked for until it comes is in no call
  const isAwaited = value?.actual === 'none' && flow.steps.slice(-1).some(isRead);
  const isInCall =
    !isAwaited && flow.steps.some((step, index) => isCall(step) && (named === undefined || index === at));
  const workedOut = value && isInCall ? workedOutIn(flow, value) : undefined;
  if (workedOut !== undefined) return { ...workedOut, others: alone };
  const mayShow = isInCall ? isCall : (): boolean => true;
  const place = value === undefined ? at : placeOf(flow, value, at, mayShow);
  const last = flow.steps.findLastIndex((step) => step.told !== undefined && mayShow(step));
  const judged = place === -1 ? last : place;
  const { told, kind: judgedKind } = flow.steps[judged] ?? {};
  if (told === undefined) return undefined;
  if (judgedKind === 'look' && value?.lacks === true) return undefined;
  // what does not come is shown by no other call that does
  if (isInCall && told.status !== 404 && isNone.test(actual) && (claim ?? { about: 'calls' }).about === 'calls')
    return undefined;
  if (isInCall && told.status === 404)
    return isNone.test(actual)
      ? { at: judged, showing: { kind: 'status', expected: [200], found: 404 }, others: statusesBefore(flow, judged) }
      : undefined;
  const words = `${claim?.about === 'value' ? claim.name : ''} ${expected} ${actual}`.toLowerCase();
  const showing = showingOf({ flow, at: judged, told, isInCall, words }, value ?? claim);
  if (showing?.kind === 'lines' && showing.expected !== undefined && flow.isOfOnce(showing.expected)) return undefined;
  if (showing === undefined || !isMadeOfSeveral(showing)) return showing && { at: judged, showing, others: alone };
  // a number that is a time, and in no answer as such, is another one each time
  if (typeof value?.actual === 'number' && value.actual >= longNumber) return undefined;
  // what follows a head shows by itself
  const isBehindHead = judged === at && flow.steps[at]?.sent.request.raw === true;
  const isOfPlace =
    isBehindHead ||
    value?.shownBy !== undefined ||
    (value !== undefined && (placeNamed(value, told) !== undefined || isTold(value, told)));
  const others = isOfPlace ? alone : othersIn(flow, judged, words);
  const found = value?.actual;
  if (!isId(found)) return { at: judged, showing, others };
  const compared = [told, ...[...others.keys()].flatMap((step) => step.told ?? [])];
  // what is compared holds nothing of what was found, so that it is as it is where all is right
  if (!compared.some((one) => wholeLines(one, words).some((line) => line.includes(found)))) return undefined;
  return { at: judged, showing, others };
}

/** Whether a text is of the kind that stands in an answer as it is. */
function isId(value: unknown): value is string {
  return typeof value === 'string' && /^(?=.*\d)\S{8,}$/.test(value);
}

/** Times are compared as numbers, and told as texts: what should stand there is spelled as what does. */
function inTimesOf(told: Told | undefined, claim: Spelled): Spelled {
  const { actual, expected } = claim;
  const due = expected?.value;
  if (told === undefined || typeof actual !== 'number' || typeof due !== 'number' || actual < longNumber) return claim;
  const texts = [...scalarsOf(jsonOf(told.text))].flatMap(([, text]) => (typeof text === 'string' ? [text] : []));
  const [text, ...more] = texts.filter((one) => utcTime.test(one) && Date.parse(one) === actual);
  if (text === undefined || more.length > 0) return claim;
  return { ...claim, actual: text, expected: { value: new Date(due).toISOString() } };
}

const utcTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Of what was sent at one moment: how many were accepted, or the status that one should not have had. */
function meetingIn({ steps }: Flow, claim: Claim | undefined): MeetingCheck | undefined {
  const met = steps.filter(({ sent }) => sent.request.atOnce === true);
  const found = met.at(-1)?.told?.status;
  if (found === undefined) return undefined;
  if (claim?.about === 'status') return { kind: 'meeting', found: [found], least: 1 };
  const accepted = met.filter(({ told }) => isIn('2xx', told?.status ?? 0)).length;
  const isCounted = claim?.about === 'value' && claim.expected?.value === 1 && claim.actual === accepted;
  return isCounted ? { kind: 'meeting', found: '2xx', least: 2 } : undefined;
}

function isIn(statuses: Statuses, status: number): boolean {
  return statuses === '2xx' ? status >= 200 && status < 300 : statuses.includes(status as never);
}

/** What is answered otherwise may be why no call comes. */
function statusesBefore({ steps }: Flow, judged: number): Judged['others'] {
  const others = new Map<Step, Showing>();
  for (const step of steps.slice(0, judged))
    if (step.told !== undefined && (step.kind === 'request' || step.kind === 'look'))
      others.set(step, { kind: 'lines', status: step.told.status, lines: [] });
  return others;
}

function workedOutIn({ steps }: Flow, claim: Spelled): Shown | undefined {
  const line = rightLine(claim) ?? '';
  const [about = ''] = line.split(' ', 1);
  const isOdd = (text: string): boolean => text.startsWith(about) && text !== line;
  const at =
    line === '' ? -1 : steps.findLastIndex((step) => isCall(step) && step.told && linesOf(step.told).some(isOdd));
  return at === -1 ? undefined : { at, showing: { kind: 'lines', status: 200, lines: [], expected: [{ text: line }] } };
}

/** How cases say that no call came. */
const isNone = /^(?:none|nothing|0)$/;

/** How cases say which statuses they demand where no number stands for them. */
const wordedStatuses: readonly (readonly [end: string, Statuses])[] = [
  [' to be 400 or above', 'refused'],
  [' to be no 2xx', 'not 2xx'],
];

const wordedBeginnings: readonly (readonly [end: string, begins: Beginning])[] = [
  [' to be one JSON document', '{ or ['],
  [' to be an object', '{'],
  [' to be an array', '['],
];

/** The status of the answer, where that is what the assertion is about. */
function wordedStatusIn({ steps }: Flow, at: number, claim: Spelled, expected: string): Shown | undefined {
  const [, statuses] = wordedStatuses.find(([end]) => expected.endsWith(end)) ?? [];
  const told = steps[at]?.told;
  if (statuses === undefined || told === undefined || !isStatusOf(claim, told)) return undefined;
  return { at, showing: { kind: 'status', expected: statuses, found: told.status } };
}

/** The answer that tells what was found: the one that the assertion names, else the last one that does, else the last. */
function placeOf(flow: Flow, claim: Spelled, named: number, mayShow: (step: Step) => boolean): number {
  if (!isDistinct(claim.actual) && named !== -1) return isNamedRight(flow, claim, named) ? named : -1;
  const tells = (at: number): boolean => {
    const step = flow.steps[at];
    if (step?.told === undefined || !mayShow(step)) return false;
    if (!isDistinct(claim.actual)) return isCall(step) && placeIn(claim, step.told) !== undefined;
    return linesAbout(claim, step.told, linesOf(step.told)) !== undefined;
  };
  if (claim.shownBy !== undefined) return named;
  const [behind] = named === -1 ? [] : toldBehind(flow, claim, named, mayShow);
  if (behind !== undefined) return behind;
  if (named !== -1 && tells(named)) return named;
  const shows = flow.steps.findLastIndex(({ told }, at) => tells(at) && told && placesNamed(claim, told).length > 0);
  const telling = shows === -1 ? flow.steps.findLastIndex((_step, at) => tells(at)) : shows;
  return telling === -1 ? named : telling;
}

/**
 * Of a list of texts the answer that is named may tell the first, as a page does: what shows it are those behind it. The last one that tells one
 * of the rest; where something lacks, the last that was read then, which should tell it.
 */
function toldBehind(
  { steps }: Flow,
  { actual, expected }: Spelled,
  named: number,
  mayShow: (step: Step) => boolean,
): number[] {
  const all = Array.isArray(actual) ? textsIn(actual) : [];
  const rest = missingIn(steps[named]?.told, all);
  if (rest.length === 0) return [];
  const at = steps.findLastIndex(
    (step, index) => index > named && mayShow(step) && missingIn(step.told, rest).length < rest.length,
  );
  if (at === -1) return [];
  const isLacking = textsIn(expected?.value).some((text) => !all.includes(text));
  if (!isLacking) return [at];
  const next = steps.findIndex(
    ({ sent, told }, index) => index > at && (told === undefined || sent.request.method !== 'GET'),
  );
  return [(next === -1 ? steps.length : next) - 1];
}

/** Whether one call tells all of a list, by names of members as well. */
function isTold({ actual }: Spelled, told: Told): boolean {
  const texts = Array.isArray(actual) ? textsIn(actual) : [];
  return isOfCall(told) && texts.length > 0 && missingIn(told, texts).length === 0;
}

function isOfCall({ headers }: Told): boolean {
  return headerIn(headers, 'x-call-method') !== undefined;
}

function missingIn(told: Told | undefined, texts: readonly string[]): readonly string[] {
  return texts.filter((text) => told?.text.includes(JSON.stringify(text)) !== true);
}

/** What is read behind an answer shows more than that, unless the answer tells what was found. */
function isNamedRight({ steps }: Flow, { actual }: Spelled, named: number): boolean {
  const { sent, told } = steps[named] ?? {};
  if (sent === undefined || told === undefined) return false;
  const isScalar = typeof actual === 'number' || typeof actual === 'string';
  if (isScalar && (actual === told.status || placesOf(actual, told).length > 0)) return true;
  if (sent.request.method !== 'GET') return false;
  // a number that is read nowhere may be one of all that was read
  return typeof actual !== 'number' || steps.at(-1) === steps[named] || !steps.slice(named + 1).every(isRead);
}

function isRead({ kind, sent }: Step): boolean {
  return kind === 'request' && sent.request.method === 'GET';
}

/** Numbers, flags and what is empty stand in many places. */
function isDistinct(value: unknown): boolean {
  if (typeof value === 'string') return value.length > 2;
  if (typeof value === 'number') return value >= longNumber;
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

interface Spelled extends ValueClaim {
  /** How what should stand there begins, where that alone is known. */
  readonly begins?: Beginning | undefined;
}
type Beginning = '{' | '[' | '{ or [';
type Shown = Pick<Judged, 'at' | 'showing'>;

/** The answer that is judged. */
interface Telling {
  readonly flow: Flow;
  readonly at: number;
  readonly told: Told;
  readonly isInCall: boolean;
  /** Of the assertion, in lower case. */
  readonly words: string;
}

function showingOf(telling: Telling, claim: Claim | Spelled | undefined): Showing | undefined {
  const { flow, at, told, isInCall, words } = telling;
  const { status } = told;
  if (claim?.about === 'status') return { kind: 'status', expected: claim.expected, found: status };
  if (claim?.about === 'header') return { kind: 'header', name: claim.name, status };
  const value: Spelled | undefined = claim?.about === 'value' ? claim : undefined;
  if (!isInCall && value !== undefined && isStatusOf(value, told) && typeof value.expected?.value === 'number')
    return { kind: 'status', expected: [value.expected.value], found: status };
  if (value?.begins === '{ or [') return { kind: 'lines', status, lines: [], expected: [{ text: anyJson }] };
  const odd = value && oddMemberIn(flow, at, told, value);
  if (odd !== undefined) return { kind: 'lines', status, lines: [], expected: odd };
  if (isInCall && value !== undefined) return showingOfCall(telling, value);
  const known = (text: string): Template => flow.template(text, at + 1);
  const all = linesOf(told);
  const own = value && isInTexts(value) ? linesAbout(value, told, all.slice(0, mostLines)) : undefined;
  const isSame = (line: string): boolean =>
    !fleeting.test(line) && flow.template(line, at).every((piece) => 'text' in piece);
  const isLong = all.length > mostLines || (all.length > longLines && all.filter(isOfBody).every(isSame));
  // what shows it may stand behind the lines that are told
  if (own === undefined && isLong) return { kind: 'lines', status, lines: [], sum: sumOf(all) };
  if (value === undefined || own === undefined)
    return {
      ...wholeOf(flow, at, told, words),
      ...(lacksBody(told) && { lacksBody: true }),
      // what is not there shows by how much is
      ...(value !== undefined && value.actual === undefined && { isCounted: true }),
    };
  const expected = own.length === 1 ? expectedLine(own[0] ?? '', value) : undefined;
  const isPlace = placeIn(value, told) !== undefined;
  const more = expected === undefined ? { ...(!isPlace && countOf(all)) } : { expected: known(expected) };
  return { kind: 'lines', status, lines: own.map(known), ...more };
}

/**
 * What shows it in a call, which is another one each time in more than an answer is: what stands in the place of what was found, else all of it,
 * where none of it is fleeting.
 */
function showingOfCall({ flow, at, told }: Telling, claim: Spelled): Showing | undefined {
  const { status } = told;
  const all = linesOf(told);
  const count = all.length;
  if (count > mostLines) return undefined;
  const header = headerMissing(claim, told);
  if (header !== undefined) return { kind: 'header', name: header, status };
  const found = { about: 'value', name: claim.name ?? '', actual: claim.actual } as const;
  if (claim.shownBy !== undefined) return showingOfNamed({ flow, at, told }, claim, claim.shownBy.at);
  // a text may be a part of one, as the signature is of a header
  const texts = textsIn(claim.actual).filter((text) => text.length > 8);
  const own = linesAbout(found, told, all) ?? all.filter((line) => texts.some((text) => line.includes(text)));
  // what the call itself tells is no news about it
  const known = (text: string): Template => flow.template(text, at);
  if (own.length === 0) {
    // the form of a value that is another one each time is in no line
    const isForm = claim.name?.startsWith('parts of ') === true;
    if (isDistinct(claim.actual) || isForm || all.some((line) => fleeting.test(line))) return undefined;
    const lines = all.map((line) => flow.template(line, at + 1));
    return { kind: 'lines', status, lines, count, isCounted: true };
  }
  // a call that tells only some of it is another one
  const isTold = (text: string): boolean =>
    all.some((line) => line.includes(text) || line.includes(JSON.stringify(text).slice(1, -1)));
  if (placeIn(found, told) === undefined && !texts.every(isTold)) return undefined;
  const [member] = own.filter((line) => line.startsWith('/') || own.length === 1);
  const expected = member === undefined ? undefined : expectedLine(member, claim);
  const more = expected === undefined ? ({ count, isCounted: true } as const) : { expected: known(expected) };
  return { kind: 'lines', status, lines: own.map(known), ...more };
}

/** The member that is named, else all of the call. */
function showingOfNamed(
  { flow, at, told }: Pick<Telling, 'flow' | 'at' | 'told'>,
  claim: Spelled,
  place?: string,
): LinesShowing {
  const all = linesOf(told);
  const isOwn = (line: string): boolean => [' = ', '/'].some((next) => line.startsWith(place + next));
  const own = place === undefined ? [] : all.filter(isOwn);
  const [line = '', ...others] = own;
  // what is found may be told in other words than it stands there
  const isFound = others.length === 0 && line.endsWith(` = ${JSON.stringify(claim.actual)}`);
  const wanted = isFound ? expectedLine(line, claim) : undefined;
  const expected = wanted === undefined ? undefined : flow.template(wanted, at);
  const more = expected === undefined ? ({ count: all.length, isCounted: true } as const) : { expected };
  const lines = (own.length === 0 ? all : own).map((text) => flow.template(text, at));
  return { kind: 'lines', status: told.status, lines, ...more };
}

/** The header that the assertion names, where it is not there. */
function headerMissing({ name = '', actual, expected }: Spelled, { headers }: Told): string | undefined {
  const isToken = actual === 'none' && /\btoken .* carries$/.test(name);
  const [, header] = isToken ? ['', 'authorization'] : (/\bheader ([\w-]+)/.exec(name) ?? []);
  const isThere = header === undefined || headerIn(headers, header) !== undefined || (Boolean(actual) && !isToken);
  return isThere || expected === undefined || !expected.value ? undefined : header.toLowerCase();
}

function isCall({ kind }: Step): boolean {
  return kind === 'call';
}

/** Of values made of several, the line of the first that should be what an earlier answer told in its place. */
function oddMemberIn(flow: Flow, at: number, told: Told, { actual, expected }: Spelled): Template | undefined {
  const found = new Map(scalarsOf(actual));
  for (const [member, wanted] of scalarsOf(expected?.value)) {
    const other = found.get(member);
    if (member === '' || other === wanted || !isDistinct(other)) continue;
    // a case may compare ids as texts that are numbers on the wire
    const numbers = [Number(other), Number(wanted)].filter(isWhole);
    const [seen = other, due = wanted] =
      numbers.length === 2 && placesOf(numbers[0], told).length > 0 ? numbers : [other, wanted];
    const [place, ...more] = placesOf(seen, told);
    if (place === undefined || more.length > 0) continue;
    const line = flow.template(lineAt(place, due), at);
    if (line.some((piece) => 'variable' in piece && piece.variable !== markVariable)) return line;
  }
  return undefined;
}

function isStatusOf({ actual }: Spelled, told: Told): boolean {
  return actual === told.status && placesOf(actual, told).length === 0;
}

function isMadeOfSeveral(showing: Showing): boolean {
  return (
    showing.kind === 'lines' && (showing.count !== undefined || showing.sum !== undefined || showing.lacksBody === true)
  );
}

const silent: readonly Kind[] = ['pass', 'restart', 'file'];

function othersIn(flow: Flow, judged: number, words: string): Judged['others'] {
  const others = new Map<Step, Showing>();
  for (const [at, step] of flow.steps.slice(0, judged).entries()) {
    const { told, kind } = step;
    const later = flow.steps.slice(at + 1, judged + 1);
    if (told === undefined || silent.includes(kind) || isAskedAgain(later, step)) continue;
    const whole = wholeOf(flow, at, told, words);
    if (whole.lines.length > 0) others.set(step, whole);
  }
  return others;
}

function wholeOf(flow: Flow, at: number, told: Told, words: string): LinesShowing {
  const known = wholeLines(told, words).map((line) => flow.template(line, at + 1));
  return { kind: 'lines', status: told.status, lines: known, ...(!lacksBody(told) && countOf(linesOf(told))) };
}

/** All that stays the same of an answer. */
function wholeLines(told: Told, words: string): readonly string[] {
  const all = linesOf(told).slice(0, mostLines);
  return all.filter((line) => (isOfBody(line) ? !fleeting.test(line) : isNamedIn(words, line)));
}

function countOf(lines: readonly string[]) {
  return { count: lines.filter(isOfBody).length, ofBody: true } as const;
}

/** Whether words have one of the name of a header, or a part of one: what no assertion names is spelled, sent and left out as it comes. */
function isNamedIn(words: string, line: string): boolean {
  const name = line.slice(0, line.indexOf(':'));
  const isPart = (word: string): boolean => word.length > 3 && name.includes(word);
  return name.split('-').some((part) => words.includes(part)) || words.split(/\W+/).some(isPart);
}

/** Whether what is read is looked at until it is as it should be: how far it has come by then is a matter of time. */
function isAskedAgain(later: readonly Step[], { sent, told }: Step): boolean {
  if (sent.request.method !== 'GET') return false;
  return later.some((one) => one.sent.request.url === sent.request.url && one.told?.text !== told?.text);
}

/** What is about the form of the data, or is another in the next second. */
const fleeting = /^(?:\/schema|etag:|last-modified:|expires:)|\d{4}-\d\d-\d\dT\d\d:/;

/** The lines that tell what was found: its only place, else those with a text of what was found or expected. */
function linesAbout(claim: Spelled, told: Told, all: readonly string[]): string[] | undefined {
  const place = placeIn(claim, told);
  if (place !== undefined)
    return all.filter((line) => [' = ', '/', ': '].some((next) => line.startsWith(place + next)));
  const texts = [...textsIn(claim.actual), ...textsIn(claim.expected?.value)].filter((text) => text.length > 2);
  const own = all.filter((line) =>
    texts.some((text) => line.endsWith(` = ${JSON.stringify(text)}`) || line.endsWith(`: ${text}`)),
  );
  return own.length === 0 ? undefined : own;
}

/** Whether a text tells what was found from what is right: it may as well be a number or null. */
function isInTexts({ actual, expected }: Spelled): boolean {
  const right = textsIn(expected?.value);
  return right.length === 0 || !textsIn(actual).every((text) => right.includes(text));
}

/** Where what was found stands: its only place, else in a call the one that the assertion names. */
function placeIn(claim: Spelled, told: Told): string | undefined {
  const [place, ...more] = isDistinct(claim.actual) ? placesOf(claim.actual, told) : [];
  return more.length === 0 && place !== undefined ? place : placeNamed(claim, told);
}

function placeNamed(claim: Spelled, told: Told): string | undefined {
  const [place, ...more] = placesNamed(claim, told);
  return more.length === 0 ? place : undefined;
}

/** The members of a call by whose name the assertion begins, where they are what was found. */
function placesNamed({ actual, name = '' }: Spelled, told: Told): readonly string[] {
  const [first] = name.split(/[\s,]/, 1);
  return isOfCall(told) ? placesOf(actual, told).filter((one) => one.split('/').at(-1) === first) : [];
}

function textsIn(value: unknown): readonly string[] {
  return [...scalarsOf(value)].map(([, scalar]) => scalar).filter((scalar) => typeof scalar === 'string');
}

function expectedLine(found: string, { actual, expected, begins }: Spelled): string | undefined {
  const value = expected?.value;
  if (typeof actual === 'string' && typeof value === 'string' && found.startsWith('/')) {
    const [part, due] = [actual, value].map((text) => JSON.stringify(text).slice(1, -1));
    const isPart = part !== undefined && found.includes(part) && !found.endsWith(` = "${part}"`);
    if (isPart) return found.replace(part, () => due ?? '');
  }
  if (begins !== undefined && found.startsWith('/')) return `${found.slice(0, found.indexOf(' = '))} = ${begins}`;
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return lineAt(found.slice(0, found.indexOf(found.startsWith('/') ? ' = ' : ': ')), value);
}

function lineAt(place: string, value: string | number): string {
  return place.startsWith('/') ? `${place} = ${JSON.stringify(value)}` : `${place}: ${value}`;
}

/** Where in an answer a value stands: names of headers, and pointers. */
function placesOf(value: unknown, { headers, text }: Told): readonly string[] {
  const named = headers.filter(([, told]) => told === value || (typeof value === 'number' && told === String(value)));
  return [...named.map(([name]) => name.toLowerCase()), ...pointersTo(value, jsonOf(text), '')];
}

function pointersTo(value: unknown, json: unknown, place: string): readonly string[] {
  if (json !== undefined && place !== '' && deeplyEqual(value, json)) return [place];
  if (Array.isArray(json)) return json.flatMap((item, index) => pointersTo(value, item, place + pointer(index)));
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([name, member]) => pointersTo(value, member, place + pointer(name)));
}

/** Whether an answer shows the same again. */
export function isShownBy(showing: Showing, told: Told, values: Values): boolean {
  if (showing.kind === 'status') return told.status === showing.found;
  if (showing.kind === 'meeting')
    return (told.statuses ?? []).filter((status) => isIn(showing.found, status)).length >= showing.least;
  if (showing.kind === 'header')
    return told.status === showing.status && headerIn(told.headers, showing.name) === undefined;
  if (told.status !== showing.status) return false;
  const seen = linesOf(told);
  const own = new Set(seen);
  return (
    (showing.sum === undefined || sumOf(seen) === showing.sum) &&
    (showing.count === undefined || countIn(seen, showing) === showing.count) &&
    !spellingsOf(showing.expected).some((line) => own.has(fill(line, values) ?? '')) &&
    showing.lines.every((line) => own.has(fill(line, values) ?? ''))
  );
}

/** What is the same in another answer to the same requests; undefined where more differs than what differs each time. */
export function commonWith(showing: Showing, told: Told, values: Values): Showing | undefined {
  if (showing.kind !== 'lines') return isShownBy(showing, told, values) ? showing : undefined;
  if (told.status !== showing.status) return undefined;
  const seen = linesOf(told);
  const own = new Set(seen);
  const { count, lines, expected, ...rest } = showing;
  if (rest.sum !== undefined) return rest.sum === sumOf(seen) ? showing : undefined;
  const isSameCount = count === countIn(seen, showing);
  if (rest.isCounted === true && !isSameCount) return undefined;
  if (spellingsOf(expected).some((line) => own.has(fill(line, values) ?? ''))) return undefined;
  const [same, other] = [true, false].map((isSame) =>
    lines.filter((line) => own.has(fill(line, values) ?? '') === isSame),
  );
  const isEmpty = same === undefined || (same.length === 0 && lines.length > 0 && expected === undefined);
  if (isEmpty || other?.some((line) => !isPassing(line, rest.ofBody))) return undefined;
  return { ...rest, lines: same, ...(expected && { expected }), ...(count !== undefined && isSameCount && { count }) };
}

function countIn(seen: readonly string[], { ofBody }: LinesShowing): number {
  return ofBody ? countOf(seen).count : seen.length;
}

const anyJson = ' = { or [';

/** A value that an answer told is as right as a text as it is as a number, and a time with a fraction of a second or without. */
export function spellingsOf(line: Template = []): readonly Template[] {
  const [place, value, end, ...more] = line;
  const text = value === undefined && place !== undefined && 'text' in place ? place.text : '';
  if (text === anyJson) return [[{ text: ' = {' }], [{ text: ' = [' }]];
  if (/T[\d:]+\.000Z"$/.test(text)) return [line, [{ text: text.replace(/\.000Z"$/, 'Z"') }]];
  const [bare = ''] = place !== undefined && 'text' in place ? (/^.* = (?="?$)/.exec(place.text) ?? []) : [];
  const isWhole = end === undefined || (more.length === 0 && 'text' in end && end.text === '"');
  if (bare === '' || value === undefined || 'text' in value || !isWhole) return line.length === 0 ? [] : [line];
  const spelled = [
    [{ text: bare }, value],
    [{ text: `${bare}"` }, value, { text: '"' }],
  ];
  return end === undefined ? spelled : spelled.toReversed();
}

/** Whether a line tells something like an id or a time, that is another one each time. */
function isPassing(line: Template, isInBody = false): boolean {
  const [first] = line;
  const text = first !== undefined && 'text' in first ? first.text : '';
  // beside a body there are only headers that the assertion names
  if (text.startsWith('cksum: ') || (isInBody && !isOfBody(text))) return false;
  if (line.some((piece) => 'variable' in piece && piece.variable === markVariable)) return false;
  return line.some((piece) => 'text' in piece && / = .*\w{2}.*\d|: .*\d/.test(piece.text));
}

export function templatesIn(showing: Showing): readonly Template[] {
  if (showing.kind !== 'lines') return [];
  return showing.expected === undefined ? showing.lines : [...showing.lines, showing.expected];
}
