import { isDeepStrictEqual } from 'node:util';
import { basePathOf } from '../../contract/address.ts';
import { calleePath, mediaTypes, metadataPath } from '../../contract/names.ts';
import { handedBack, type Stage } from '../../simulator/extension/callee.ts';
import { defaultAnswer } from '../../simulator/extension/default-answer.ts';
import { type Entry, isCallOfKind } from '../../simulator/extension/entry.ts';
import type { Journal } from '../../simulator/extension/journal.ts';
import { objectIdOf } from '../../simulator/extension/script.ts';
import type { Site } from '../../simulator/extension/site.ts';
import type { Step } from '../../simulator/extension/step.ts';
import type { Sent, WireRequest } from '../client/wire.ts';
import type { Exchange } from '../exchange.ts';
import { jsonOf, valueAt } from '../json.ts';
import { callOf } from '../extension/call.ts';
import type { CallsClaim } from '../violation.ts';
import { answered, kindOf, type TimedSent } from './kind.ts';
import { type Passing, withPasses } from './passing.ts';
import type { Check } from './repetition.ts';

/** Something of the suite's own that a case let the service call. */
export interface Called {
  readonly site: Site;
  /** Without a slash at its end. */
  readonly url: string;
  readonly listener: { readonly journal: Journal };
  /** Calls that belong to other cases. */
  readonly isForeign: (entry: Entry) => boolean;
  /** Not on a port of its own, which may be shut. */
  readonly isShared: boolean;
  readonly looks: {
    /** What the case looked for here last, and when, in ms of `performance.now`. */
    last?: { readonly marker: string; readonly at: number };
    /** What the suite answered one after the other. */
    readonly scripts: Scripted[];
  };
}

/** From a moment on, in ms of `performance.now`, until there is another. */
interface Scripted {
  readonly at: number;
  /** What one more call like one that came would have been answered then, where that can be told. */
  readonly upcoming: ReturnType<Site['upcoming']>;
}

/** In ms of `performance.now`, without its end. */
interface Span {
  readonly from: number;
  readonly until: number;
}

/** Seconds for which a script waits for a call; for one that should not be there. */
const waitSeconds = 10;
const quietSeconds = 1;
const [leastSettlingMs, longestSettlingMs] = [250, 4000];

/** Requests to the target, with the orders between them by which a script states whom the service calls, and gets the calls that came. */
interface Staged {
  readonly history: readonly Sent[];
  /** Last segments of the addresses that are called. */
  readonly bases: readonly string[];
  /** What the last order shows, where the violation is about the number of calls. */
  readonly showing?: Check & { readonly kind: 'status' };
  /** An order that has to be answered with a call, or what is missing says nothing. */
  readonly guard?: Sent;
  /** What gets the call that is named. */
  readonly named?: Exchange;
  /** Whether who is called takes time for an answer, which is that of his machine. */
  readonly isSlow: boolean;
}

interface Played {
  readonly called: readonly Called[];
  /** Whether the case asked for a call: where none came, that shows. */
  readonly isSetOff: boolean;
  /** Whether an answer of the service shows it, and no call. */
  readonly isAnswered: boolean;
  /** Whether what is asserted is about requests for metadata. */
  readonly isOfMetadata: boolean;
  /** What was asserted of the number of calls. */
  readonly claim: CallsClaim | undefined;
  /** The call that is known to show it. */
  readonly shownBy: object | undefined;
  /** How time passed in between, where the case let it pass. */
  readonly passing: Passing | undefined;
}

/** Undefined where no script can play what was called. */
export function stagedWith(history: readonly TimedSent[], played: Played): Staged | undefined {
  const { called, isSetOff, isAnswered, isOfMetadata, claim, shownBy, passing } = played;
  const own = called
    .filter(({ site: { base } }) => history.some(({ sent }) => isNaming(sent.request, base)))
    .map((one) => ({ ...one, entries: entriesOf(one, shownBy), apiKey: keyIn(history, one) }));
  const stageIn = (span?: Span): Stage => ({
    sites: own.map((one) => siteOf(one, span)).filter((site) => site !== undefined),
  });
  const [first] = own;
  if (first === undefined || stageIn().sites.length < own.length) return undefined;
  const listenerUrl = first.url.slice(0, first.url.length - ownPath(first).length);
  const counted = claim && countOf(claim, own, listenerUrl);
  if (claim !== undefined && counted === undefined && passing !== undefined) return undefined;
  const calls = own.flatMap((one) => callsOf(one, listenerUrl, { isOfMetadata, shownBy }));
  const [shown] = calls.filter(({ of }) => shownBy !== undefined && of === shownBy);
  if (shownBy !== undefined && shown === undefined) return undefined;
  const isAlone = calls.length === 0 && counted === undefined;
  // a registration may be refused where nobody answers for its host
  if (isAlone && !isSetOff && !isAnswered) return undefined;
  if (isAlone && isSetOff) {
    const sent = callOrder(listenerUrl, { number: 1, ...whereIsDue(history, own, first) }, { status: 404 });
    calls.push({ at: Infinity, sent, of: undefined });
  }
  const timed = [...settling(history, own), ...calls].toSorted((one, other) => one.at - other.at);
  const names = (sent: Sent): boolean => own.some((one) => isNaming(sent.request, one.site.base));
  const named = timed.findIndex(({ sent }) => names(sent));
  // where calls are counted, they are by one stage
  const changesAt = isAnswered ? own.flatMap(({ looks }) => looks.scripts.map((script) => script.at)) : undefined;
  const staged = withStages(timed, Math.max(0, named), { stageIn, changesAt, listenerUrl });
  if (staged === undefined) {
    // what is counted at one shows without the others
    const [meant] = called.length === 1 ? [] : own.filter((one) => ownPath(one) === counted?.base);
    return meant && stagedWith(history, { ...played, called: [meant] });
  }
  return {
    history:
      passing === undefined
        ? [...staged.map(({ sent }) => sent), ...(counted?.sent ?? [])]
        : withPasses(staged, passing, counted && { ...counted, by: claim?.by ?? 0 }),
    bases: own.map((one) => ownPath(one).split('/').at(-1) ?? ''),
    isSlow: own.some(({ entries }) =>
      entries.some(({ step }) => step?.delayMs !== undefined || step?.dribbleMs !== undefined),
    ),
    ...(counted && { showing: counted.showing }),
    ...(counted?.guard && { guard: counted.guard }),
    ...(shown && { named: shown.sent.exchange }),
  };
}

interface Staging {
  /** Whom the service calls, with what he answers then; whenever it is unless given. */
  readonly stageIn: (span?: Span) => Stage;
  /** When he begins to answer otherwise; undefined where that has to be by the calls that came. */
  readonly changesAt: readonly number[] | undefined;
  readonly listenerUrl: string;
}

/** Who is called stands there when he is registered; what he answers about an object he is told when that is made, unless he was called by then. */
function withStages(
  timed: readonly TimedSent[],
  from: number,
  { stageIn, changesAt, listenerUrl }: Staging,
): readonly TimedSent[] | undefined {
  const asked = stageIn().sites.flatMap(({ answers = [] }) => answers);
  const ids = asked.flatMap(({ when }) => when?.objectId ?? []);
  const madeAt = new Map(ids.map((id) => [id, timed.findIndex(({ sent }) => isTelling(sent, id)) + 1]));
  const changes = asked.length === 0 ? [] : (changesAt ?? []).map((at) => timed.findIndex((one) => one.at >= at));
  const places = new Set([from, ...[...madeAt.values(), ...changes].filter((index) => index > from)]);
  const last = Math.max(...places);
  const isCall = ({ sent }: TimedSent): boolean => kindOf(sent.request) === 'call';
  if ([...madeAt.values()].includes(0)) return undefined;
  if (changesAt === undefined && last > from && timed.slice(0, last).some(isCall)) return undefined;
  let stated = '';
  const stagedAt = (index: number): readonly TimedSent[] => {
    const at = timed[index]?.at ?? 0;
    const until = Math.min(Infinity, ...(changesAt ?? []).filter((change) => change > at));
    // what was answered by then is not answered again
    const { sites } = stageIn(changesAt === undefined ? undefined : { from: index === from ? 0 : at, until });
    const known = sites.map(({ answers = [], ...site }) => {
      const told = answers.filter(({ when }) => (madeAt.get(when?.objectId ?? '') ?? 0) <= index);
      return { ...site, ...(told.length > 0 && { answers: told }) };
    });
    const text = JSON.stringify({ sites: known });
    if (text === stated) return [];
    stated = text;
    return [{ at, sent: stageOrder(listenerUrl, text) }];
  };
  // the count of calls begins anew
  return timed.flatMap((one, index) => [
    ...(places.has(index) ? stagedAt(index) : []),
    ...(index < last && isCall(one) ? [] : [one]),
  ]);
}

function entriesOf({ site, listener, isForeign }: Called, shownBy: object | undefined): readonly Entry[] {
  return listener.journal.entriesAt(site.base).filter((entry) => !isForeign(entry) || callOf(entry) === shownBy);
}

/** Its path below that of the listener. */
function ownPath({ site, url }: Called): string {
  const [path = ''] = /\/x\/[^/]+$/.exec(url) ?? [site.base.slice(basePathOf(url).length)];
  return path;
}

type WithEntries = Called & {
  readonly entries: readonly Entry[];
  /** With which its calls should be signed, as it was registered last. */
  readonly apiKey: string | undefined;
};

function keyIn(history: readonly TimedSent[], { site: { base } }: Called): string | undefined {
  const keys = history
    .filter(({ sent }) => isNaming(sent.request, base))
    .flatMap(({ sent }) => valueAt(jsonOf(Buffer.from(sent.request.body ?? '').toString()), '/apiKey') ?? []);
  const key = keys.at(-1);
  return typeof key === 'string' ? key : undefined;
}

/** Where a call should have come: one that brings keys, to the place that the last request names. */
function whereIsDue(history: readonly TimedSent[], own: readonly WithEntries[], first: WithEntries) {
  const { body = '' } = history.at(-1)?.sent.request ?? {};
  const place = valueAt(jsonOf(Buffer.from(body).toString()), '/tokenCallback');
  const isText = typeof place === 'string';
  const holder = own.find(({ url }) => isText && place.startsWith(`${url}/`));
  if (holder === undefined || !isText) return { base: ownPath(first) };
  return { base: ownPath(holder), at: `POST ${place.slice(holder.url.length)}` };
}

/** Where metadata came behind the answer to a registration, the case waited until they were put to use. */
function settling(history: readonly TimedSent[], own: readonly WithEntries[]): readonly TimedSent[] {
  return history.map((one, index) => {
    const { at, sent } = one;
    const answeredAt = at + sent.exchange.durationMs;
    const cameAt = own
      .filter(({ site: { base } }) => sent.request.method === 'POST' && isNaming(sent.request, base))
      .flatMap(({ entries, listener: { journal } }) =>
        entries.filter(({ kind }) => kind === 'metadata').map((entry) => journal.addedAt(entry)),
      );
    const [first = 0] = cameAt.filter((moment) => moment >= at).toSorted((one, other) => one - other);
    if (first <= answeredAt) return one;
    const waitedMs = (history[index + 1]?.at ?? answeredAt) - answeredAt;
    const settlesMs = Math.min(longestSettlingMs, Math.max(leastSettlingMs, Math.ceil(waitedMs)));
    return { at, sent: { ...sent, request: { ...sent.request, settlesMs } } };
  });
}

const always: Span = { from: 0, until: Infinity };

/** With the answers that it gave in that time; undefined where what was answered is for the calls of one case alone. */
function siteOf(called: WithEntries, span = always): Stage['sites'][number] | undefined {
  const { site, entries, apiKey, looks } = called;
  const byKind = Map.groupBy(entries, (entry) => `${entry.kind} ${entry.path} ${aboutOf(entry)}`);
  const isOther = (entry: Entry, step: Step | undefined): boolean =>
    !isDeepStrictEqual(step, defaultAnswer(entry, site.records));
  const isScripted = (entry: Entry): boolean =>
    isOther(entry, entry.step) ||
    looks.scripts.some(({ upcoming }) => {
      const next = upcoming(entry);
      return next !== undefined && isOther(entry, next);
    });
  // what the suite did first and what it did then belong together
  const scripted = [...byKind.values()].filter((alike) => alike.some(isScripted));
  const isOpen = (entry: Entry): boolean =>
    entry.step === undefined || (entry.kind === 'validation' && aboutOf(entry) === '');
  if (scripted.flat().some(isOpen)) return undefined;
  const answers = scripted.map((alike) => {
    const [entry] = alike as [Entry];
    const { kind, path } = entry;
    const objectId = aboutOf(entry);
    return {
      when: { kind, path, ...(objectId !== '' && { objectId }) },
      steps: stepsIn(span, alike, called),
      afterwards: 'last' as const,
    };
  });
  const isEndpoint = site.records.length === 0 && entries.every(({ kind }) => kind === 'endpoint');
  return {
    base: ownPath(called),
    ...(!isEndpoint && { records: [...site.records] }),
    ...(apiKey !== undefined && { apiKey }),
    ...(answers.length > 0 && { answers }),
  };
}

/** What came then was answered so; a right service may call once more. */
function stepsIn({ from, until }: Span, alike: readonly Entry[], { looks, listener }: Called): Step[] {
  const came = alike.filter((entry) => {
    const at = listener.journal.addedAt(entry);
    return at >= from && at < until;
  });
  const last = alike.at(-1);
  const { upcoming } = looks.scripts.findLast(({ at }) => at < until) ?? {};
  const next = last && upcoming?.(last);
  const steps = came.map(({ step }): Step => step ?? {});
  if (steps.length === 0) return [next ?? last?.step ?? {}];
  return next === undefined || isDeepStrictEqual(next, steps.at(-1)) ? steps : [...steps, next];
}

/** Whoever validates is asked about the objects of others as well. */
function aboutOf(entry: Entry): string {
  return entry.kind === 'validation' ? (objectIdOf(entry) ?? '') : '';
}

function callsOf(
  called: WithEntries,
  listenerUrl: string,
  { isOfMetadata, shownBy }: Pick<Played, 'isOfMetadata' | 'shownBy'>,
): (TimedSent & { readonly of: object | undefined })[] {
  const counts = new Map<string, number>();
  const calls = called.entries.filter(
    (entry) =>
      isCallOfKind(entry.kind) ||
      entry.method === 'POST' ||
      (isOfMetadata && entry.kind === 'metadata') ||
      callOf(entry) === shownBy,
  );
  // those to several places may come in another order, and no record tells where keys are brought
  const isAtSeveral = new Set(calls.map(({ path }) => path)).size > 1 || calls.some(({ kind }) => !isCallOfKind(kind));
  return calls.map((entry) => {
    const about = aboutOf(entry);
    const at = isAtSeveral ? `${entry.method} ${entry.path}` : '';
    const holding = ownNameOf(entry, calls);
    const number = (counts.get(at + about + holding) ?? 0) + 1;
    counts.set(at + about + holding, number);
    const { status, headers, bytes } = handedBack(entry, called.apiKey);
    const told = { status, headers, body: Buffer.from(bytes).toString() };
    const sent = callOrder(listenerUrl, { number, base: ownPath(called), about, holding, at }, told);
    return { at: called.listener.journal.addedAt(entry), sent, of: callOf(entry) };
  });
}

/** A name that the case made up, and that all of some calls hold and none of the others does; '' where there are no others, or no such name. */
function nameOfAll(some: readonly Counted[], all: readonly Counted[]): string {
  const isSome = new Set(some.map(({ entry }) => entry));
  const others = all.filter(({ entry }) => !isSome.has(entry));
  const [first, ...more] = some;
  if (first === undefined || others.length === 0) return '';
  const isIn = (name: string, { entry }: Counted): boolean => Buffer.from(entry.body).includes(name);
  const names = namesIn(first.entry).filter((name) => !others.some((one) => isIn(name, one)));
  return names.find((name) => more.every((one) => isIn(name, one))) ?? '';
}

interface Counted {
  readonly one: WithEntries;
  readonly entry: Entry;
}

function namesIn({ body }: Entry): readonly string[] {
  return (
    Buffer.from(body)
      .toString()
      .match(/[\w-]+-[0-9a-f]{8}-\d+(?![\w-])/g) ?? []
  );
}

/** A name that the case gave to what set the call off, and to nothing that set off all others: calls for several come in any order. */
function ownNameOf(entry: Entry, calls: readonly Entry[]): string {
  const names = namesIn(entry);
  const counted = names.map((name) => ({
    name,
    count: calls.filter((call) => Buffer.from(call.body).includes(name)).length,
  }));
  const [rarest] = counted.toSorted((one, other) => one.count - other.count);
  return rarest === undefined || rarest.count === calls.length ? '' : rarest.name;
}

/** What asks for the call that is one too many, or that is missing; undefined where it is not known which calls are meant. */
function countOf(claim: CallsClaim, own: readonly WithEntries[], listenerUrl: string) {
  const isAmong = new Set(claim.among);
  const isOfMetadata = own.some(({ entries }) =>
    entries.some((entry) => entry.kind === 'metadata' && isAmong.has(callOf(entry))),
  );
  const isCounted = ({ kind }: Entry): boolean => (isOfMetadata ? kind === 'metadata' : isCallOfKind(kind));
  const all = own.flatMap((one) => one.entries.filter(isCounted).map((entry) => ({ one, entry })));
  const timeOf = ({ entry }: { readonly entry: Entry }): number =>
    (claim.ends ? entry.endedAt : entry.arrivedAt) ?? Infinity;
  const known = all.filter(({ entry }) => isAmong.has(callOf(entry)));
  if (claim.is === 'missing' && claim.among.length === 0) {
    const due = lookedFor(own);
    if (due !== undefined) return orderedBy(listenerUrl, { ...due, number: 1, within: waitSeconds }, [200, 404]);
  }
  const named = known.length > 0 ? known : all.filter((one) => timeOf(one) === claim.at);
  if (claim.at !== undefined && named.length === 0) return undefined;
  const [only, ...others] = named.length === 0 ? own : new Set(named.map(({ one }) => one));
  // what is missing at one may have come to another
  if (only === undefined || others.length > 0) return undefined;
  const ofOne = all.filter(({ one }) => one === only);
  const [about = '', ...more] = new Set((known.length > 0 ? known : ofOne).map(({ entry }) => aboutOf(entry)));
  const meant = ofOne.filter(({ entry }) => aboutOf(entry) === about);
  const isExtra = claim.is === 'extra';
  const inTime = meant.filter((one) => timeOf(one) <= (isExtra ? (claim.at ?? claim.by) : claim.by));
  // beside those that lack one there may be others, which make up for none
  const holding = isExtra ? '' : nameOfAll(known, inTime);
  const came = holding === '' ? inTime.length : known.length;
  const number = isExtra ? came : came + 1;
  if (more.length > 0 || number === 0) return undefined;
  const within = isExtra ? quietSeconds : waitSeconds;
  const base = ownPath(only);
  const [expected, found] = isExtra ? [404, 200] : [200, 404];
  const ends = claim.ends === true;
  const at = isOfMetadata ? `GET ${metadataPath}` : '';
  // where those before it do not come, something else went wrong
  const before = ends ? number : number - 1;
  const guard =
    isExtra || before === 0
      ? undefined
      : callOrder(listenerUrl, { number: before, base, about, holding, at, within }, { status: 200 });
  return orderedBy(listenerUrl, { number, base, about, holding, at, within, ends }, [expected, found], guard);
}

function orderedBy(
  listenerUrl: string,
  order: CallOrder,
  [expected, found]: readonly [expected: number, found: number],
  guard?: Sent,
) {
  const showing = { kind: 'status' as const, expected: [expected], found };
  const judged = callOrder(listenerUrl, order, { status: found });
  return { base: order.base, sent: guard === undefined ? [judged] : [guard, judged], showing, guard };
}

/** Of what was set off, what the case looked for last, where it did not come. */
function lookedFor(own: readonly WithEntries[]): Pick<CallOrder, 'base' | 'holding'> | undefined {
  const looks = own.flatMap((one) => (one.looks.last === undefined ? [] : { one, ...one.looks.last }));
  const [last] = looks.toSorted((one, other) => other.at - one.at);
  const isThere = last?.one.entries.some(({ body }) => Buffer.from(body).includes(last.marker)) ?? true;
  return last === undefined || isThere ? undefined : { base: ownPath(last.one), holding: last.marker };
}

function isNaming({ url, body = new Uint8Array() }: WireRequest, text: string): boolean {
  return url.includes(text) || Buffer.from(body).toString().includes(text);
}

function isTelling({ exchange: { response } }: Sent, text: string): boolean {
  return (
    response !== undefined &&
    [response.body, ...response.headers.map(([, value]) => value)].some((one) => one.includes(text))
  );
}

interface CallOrder {
  readonly number: number;
  readonly base: string;
  readonly about?: string;
  /** A text in the body. */
  readonly holding?: string;
  /** Method and path. */
  readonly at?: string;
  readonly within?: number;
  readonly ends?: boolean;
}

/** What gets a call from whoever plays what the service calls. */
export function callOrder(
  listenerUrl: string,
  { number, base, about = '', holding = '', at = '', within = waitSeconds, ends = false }: CallOrder,
  told: Parameters<typeof answered>[1],
): Sent {
  const wanted = Object.entries({ about, holding, at }).filter(([, value]) => value !== '');
  const query = wanted.map(([name, value]) => `&${name}=${encodeURIComponent(value).replaceAll('%2F', '/')}`).join('');
  const path = `${calleePath}/${number}${base}?within=${within}${query}${ends ? '&ended' : ''}`;
  return answered({ method: 'GET', url: listenerUrl + path, headers: [] }, told);
}

/** What states whom the service calls. */
export function stageOrder(listenerUrl: string, stage: string): Sent {
  const headers = [['Content-Type', mediaTypes.json]] as const;
  const request = { method: 'PUT', url: listenerUrl + calleePath, headers, body: Buffer.from(stage) };
  return answered(request, { status: 204 });
}
