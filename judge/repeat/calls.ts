import { isDeepStrictEqual } from 'node:util';
import { basePathOf } from '../../contract/address.ts';
import { calleePath, mediaTypes } from '../../contract/names.ts';
import { handedBack, type Stage } from '../../simulator/extension/callee.ts';
import { defaultAnswer } from '../../simulator/extension/default-answer.ts';
import { type Entry, isCallOfKind } from '../../simulator/extension/entry.ts';
import type { Journal } from '../../simulator/extension/journal.ts';
import { objectIdOf } from '../../simulator/extension/script.ts';
import type { Site } from '../../simulator/extension/site.ts';
import type { Step } from '../../simulator/extension/step.ts';
import type { Sent, WireRequest } from '../client/wire.ts';

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
}

/** Seconds for which a script waits for a call. */
const waitSeconds = 10;

/** Requests to the target, with the orders between them by which a script states whom the service calls, and gets the calls that came. */
interface Staged {
  readonly history: readonly Sent[];
  /** Last segments of the addresses that are called. */
  readonly bases: readonly string[];
}

/** Undefined where no script can play what was called. @param isSetOff whether the case asked for a call: where none came, that shows */
export function stagedWith(history: readonly Sent[], called: readonly Called[], isSetOff: boolean): Staged | undefined {
  const own = called.map((one) => ({ ...one, entries: entriesOf(one) }));
  if (own.some(({ isShared }) => !isShared)) return undefined;
  const sites = own.map(siteOf);
  const known = sites.filter((site) => site !== undefined);
  const [first] = own;
  if (first === undefined || known.length < sites.length) return undefined;
  const listenerUrl = first.url.slice(0, first.url.length - ownPath(first).length);
  const stage: Stage = { sites: known };
  const staged = [
    order(listenerUrl, { method: 'PUT', path: calleePath, body: JSON.stringify(stage) }, { status: 204 }),
  ];
  const sentAt = (sent: Sent): number => performance.timeOrigin + sent.exchange.sentAt;
  const calls = own
    .flatMap((one) => callsOf(one, listenerUrl))
    .map(({ at, token, sent }) => {
      // ms of arrival are whole ones: what names the token was sent behind the call that brought it
      const user = token === undefined ? undefined : history.find(({ request }) => isNaming(request, token));
      return { at: Math.min(at + 1, user === undefined ? Infinity : sentAt(user) - 0.001), sent };
    });
  if (calls.length === 0 && !isSetOff) return undefined;
  if (calls.length === 0) calls.push({ at: Infinity, sent: silenceAt(first, listenerUrl) });
  // a call is asked for behind the last request that was sent before it
  const timed = [...history.map((sent) => ({ at: sentAt(sent), sent })), ...calls].toSorted(
    (one, other) => one.at - other.at,
  );
  return {
    history: [...staged, ...timed.map(({ sent }) => sent)],
    bases: own.map((one) => ownPath(one).split('/').at(-1) ?? ''),
  };
}

function entriesOf({ site, listener, isForeign }: Called): readonly Entry[] {
  return listener.journal.entriesAt(site.base).filter((entry) => !isForeign(entry));
}

/** Its path below that of the listener. */
function ownPath({ site, url }: Called): string {
  const [path = ''] = /\/x\/[^/]+$/.exec(url) ?? [site.base.slice(basePathOf(url).length)];
  return path;
}

type WithEntries = Called & { readonly entries: readonly Entry[] };

/** Undefined where what was answered is for the calls of one case alone. */
function siteOf(called: WithEntries): Stage['sites'][number] | undefined {
  const { site, entries } = called;
  const byKind = Map.groupBy(entries, ({ kind, path }) => `${kind} ${path}`);
  // what the suite did first and what it did then belong together
  const scripted = [...byKind.values()].filter((alike) => alike.some((entry) => !isUsual(entry, site)));
  if (scripted.flat().some(({ kind, step }) => kind === 'validation' || step === undefined)) return undefined;
  const answers = scripted.map((alike) => ({
    when: { kind: alike[0]?.kind ?? 'other', path: alike[0]?.path ?? '' },
    steps: alike.map(({ step }): Step => step ?? {}),
    afterwards: 'last' as const,
  }));
  const isEndpoint = site.records.length === 0 && entries.every(({ kind }) => kind === 'endpoint');
  return {
    base: ownPath(called),
    ...(!isEndpoint && { records: [...site.records] }),
    ...(answers.length > 0 && { answers }),
  };
}

function isUsual(entry: Entry, { records }: Site): boolean {
  return isDeepStrictEqual(entry.step, defaultAnswer(entry, records));
}

interface TimedCall {
  /** Wall time in ms. */
  readonly at: number;
  readonly token: string | undefined;
  readonly sent: Sent;
}

function callsOf(called: WithEntries, listenerUrl: string): TimedCall[] {
  const counts = new Map<string, number>();
  return called.entries
    .filter(({ kind }) => isCallOfKind(kind))
    .map((entry) => {
      // whoever validates is asked about the objects of others as well
      const about = entry.kind === 'validation' ? (objectIdOf(entry) ?? '') : '';
      const number = (counts.get(about) ?? 0) + 1;
      counts.set(about, number);
      const { status, headers, bytes } = handedBack(entry);
      const path = callPath(called, number, about);
      const sent = order(
        listenerUrl,
        { method: 'GET', path },
        { status, headers, body: Buffer.from(bytes).toString() },
      );
      return { at: Date.parse(entry.arrivedWall), token: entry.envelope?.accessToken, sent };
    });
}

function isNaming({ url, headers }: WireRequest, text: string): boolean {
  return url.includes(text) || headers.some(([, value]) => value.includes(text));
}

function silenceAt(called: Called, listenerUrl: string): Sent {
  return order(listenerUrl, { method: 'GET', path: callPath(called, 1) }, { status: 404 });
}

function callPath(called: Called, number: number, about = ''): string {
  const query = about === '' ? '' : `&about=${encodeURIComponent(about)}`;
  return `${calleePath}/${number}${ownPath(called)}?within=${waitSeconds}${query}`;
}

function order(
  listenerUrl: string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: string },
  {
    status,
    headers = [],
    body: told = '',
  }: { readonly status: number; readonly headers?: WireRequest['headers']; readonly body?: string },
): Sent {
  const request: WireRequest = {
    method,
    url: listenerUrl + path,
    headers: body === undefined ? [] : [['Content-Type', mediaTypes.json]],
    ...(body !== undefined && { body: Buffer.from(body) }),
  };
  const shown = { method, url: request.url, headers: request.headers, ...(body !== undefined && { body }) };
  return {
    request,
    exchange: { request: shown, response: { status, headers, body: told }, sentAt: 0, durationMs: 0 },
  };
}

/** Whether a step is an order to whoever plays what the service calls. */
export function isOrder(request: Pick<WireRequest, 'url'>): boolean {
  return request.url.includes(`${calleePath}/`) || request.url.endsWith(calleePath);
}
