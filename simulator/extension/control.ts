import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clockwork, clockState, moveClock } from '../../clock/control.ts';
import { type ExtensionHostControl, extensionHostControl, mostEntries } from '../../contract/control/extension-host.ts';
import { assertKnownFaults } from '../../contract/control/faults.ts';
import { extensionHostControlDocument } from '../../contract/control/openapi.ts';
import {
  type ControlHandlers,
  type ControlRoute,
  type Order,
  OrderError,
  readOrder,
} from '../../contract/control/route.ts';
import { mediaTypes } from '../../contract/names.ts';
import { STATUS_CODES } from '../../contract/node-http.ts';
import { ended } from '../../contract/spelling.ts';
import { messageOf } from '../../contract/thrown.ts';
import { entryLine, textOf, type Entry } from './entry.ts';
import type { Journal } from './journal.ts';
import { bodyOf } from './receive.ts';
import type { Script } from './script.ts';
import { ScriptError, scriptFrom } from './script-file.ts';
import type { Site } from './site.ts';

/** Wrong hosts that the control routes may make of a host. */
interface HostFaults {
  set(): readonly string[];
  known(): readonly string[];
  /** These and no others. @param ids known ones */
  put(ids: readonly string[]): Promise<void>;
}

/** What the control routes show of the host they belong to, and do with it. */
interface Controlled {
  readonly token: string;
  /** Whether other machines may ask too. */
  readonly isOpenToOthers: boolean;
  readonly clockwork: Clockwork;
  readonly site: Site;
  readonly journal: Journal;
  readonly faults: HostFaults;
  /** Resolves when the host is as new. */
  reset(): Promise<void>;
}

/** A request that is refused, and why. */
class ControlRefusal extends Error {
  readonly code = 'CONTROL';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const prefix = '/_control/';

/** Serves the routes of `contract/control/extension-host.ts`. Returns whether the request was for one of that prefix. */
export function controlRoute(controlled: Controlled, request: IncomingMessage, response: ServerResponse): boolean {
  if (!(request.url ?? '').startsWith(prefix)) return false;
  void serve(controlled, request, response);
  return true;
}

async function serve(controlled: Controlled, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { status, type, headers, body } = await answerTo(controlled, request, gone.signal).catch(problemOf);
  const typed = body === undefined ? {} : { 'Content-Type': `${type ?? mediaTypes.json}; charset=utf-8` };
  response.writeHead(status, { 'Cache-Control': 'no-store', ...typed, ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

async function answerTo(controlled: Controlled, request: IncomingMessage, signal: AbortSignal): Promise<Answer> {
  const [name, route] = routeOf(request);
  requireAdmission(controlled, route, request);
  const { bytes } = await bodyOf(request);
  const [, query = ''] = (request.url ?? '').split('?', 2);
  const order = readOrder(
    route,
    new URLSearchParams(query),
    textOf(bytes) ?? '',
    'yaml' in Object(route.body) ? readScript : undefined,
  );
  const handle = handlersOf(controlled, signal)[name] as (order: object) => unknown;
  const body = await handle(order);
  return { status: route.answer.status, ...(route.answer.status !== 204 && { body }) };
}

function routeOf({ method, url = '' }: IncomingMessage): [keyof ExtensionHostControl, ControlRoute] {
  const [path = ''] = url.split('?', 1);
  const all = Object.entries<ControlRoute>(extensionHostControl) as [keyof ExtensionHostControl, ControlRoute][];
  const there = all.filter(([, route]) => route.path === path);
  const found = there.find(([, route]) => route.method === method);
  if (found !== undefined) return found;
  const allow = there.map(([, route]) => route.method).join(', ');
  if (allow === '') throw new ControlRefusal(404, `There is no control route ${path}.`);
  throw new ControlRefusal(405, `Expected ${allow} of ${path}, found ${method}.`, { Allow: allow });
}

function requireAdmission(
  { token, isOpenToOthers }: Controlled,
  { open, path }: ControlRoute,
  request: IncomingMessage,
): void {
  const address = request.socket.remoteAddress ?? '';
  if (!isOpenToOthers && !/^(?:::ffff:)?127\.|^::1$/.test(address))
    throw new ControlRefusal(
      403,
      `Expected a request from this machine for ${path}, found one from ${address}; a host that is started with --control any answers others too.`,
    );
  if (open === 'everybody') return;
  const [presented, right] = [Buffer.from(request.headers.authorization ?? ''), Buffer.from(`Bearer ${token}`)];
  if (presented.length === right.length && timingSafeEqual(presented, right)) return;
  const found = presented.length === 0 ? 'no Authorization header' : 'another credential';
  throw new ControlRefusal(401, `Expected the control token as bearer token, found ${found}.`, {
    'WWW-Authenticate': 'Bearer realm="control"',
  });
}

function handlersOf(controlled: Controlled, signal: AbortSignal): ControlHandlers<ExtensionHostControl, unknown> {
  const { clockwork, site, journal, faults } = controlled;
  const faultsNow = (): object => ({ set: faults.set(), known: faults.known() });
  const put = async (ids: readonly string[]): Promise<object> => {
    assertKnownFaults(ids, faults.known(), 'host');
    await faults.put([...new Set(ids)]);
    return faultsNow();
  };
  return {
    openapi: () => extensionHostControlDocument(),
    reset: () => controlled.reset(),
    clock: () => clockState(clockwork),
    moveClock: ({ body }) => moveClock(clockwork, body),
    faults: faultsNow,
    setFaults: ({ body }) => put(body.faults),
    clearFaults: () => put([]),
    script: () => ({ answers: answersOf(site) }),
    setScript: ({ body }) => {
      site.setScript(scriptOf(body));
      return { answers: answersOf(site) };
    },
    appendScript: ({ body }) => {
      answersOf(site);
      site.appendScript(scriptOf(body));
      return { answers: answersOf(site) };
    },
    clearScript: () => {
      site.setScript([]);
      return { answers: [] };
    },
    journal: ({ query }) => entriesOf(journal, query, signal),
    clearJournal: () => journal.clear(),
  };
}

/** A body is read with places, as a file is, and kept as what it was made into. */
function readScript(text: string): unknown {
  try {
    return { answers: scriptFrom(text, 'body') };
  } catch (error) {
    if (error instanceof ScriptError) throw new OrderError(ended(error.message), '');
    throw error;
  }
}

/** The answers of a body that `readScript` has made; the schema of the route says less of them. */
function scriptOf({ answers }: { readonly answers: readonly object[] }): Exclude<Script, Function> {
  return answers as Exclude<Script, Function>;
}

function answersOf({ script }: Site): Exclude<Script, Function> {
  if (typeof script !== 'function') return script;
  throw new ControlRefusal(
    409,
    'Expected a script of answers, found a function of a module; set one with PUT, which takes its place.',
  );
}

async function entriesOf(
  journal: Journal,
  { count = 1, awaitMs = 0, after = 0, ended: hasToBeOver, ...wanted }: Order<ExtensionHostControl['journal']>['query'],
  gone: AbortSignal,
): Promise<object> {
  const members = Object.entries(wanted);
  const fits = (entry: Entry): boolean =>
    entry.number > after &&
    (hasToBeOver === undefined || entry.endedAt !== undefined) &&
    members.every(([name, value]) => Reflect.get(entry, name) === value);
  const signal = awaitMs > 0 ? AbortSignal.any([gone, AbortSignal.timeout(awaitMs)]) : AbortSignal.abort();
  const found = await journal.await(fits, count, signal);
  const entries = found.slice(0, mostEntries).map((entry): unknown => JSON.parse(entryLine(entry)));
  return { entries, complete: found.length >= count };
}

function problemOf(error: unknown): Answer {
  const status = statusOf(error);
  const detail = messageOf(error);
  const pointer = error instanceof OrderError ? error.pointer : undefined;
  return {
    status,
    type: mediaTypes.problem,
    headers: error instanceof ControlRefusal ? error.headers : {},
    body: {
      type: 'about:blank',
      title: STATUS_CODES[status],
      status,
      detail,
      ...(pointer !== undefined && { pointer }),
    },
  };
}

function statusOf(error: unknown): number {
  if (error instanceof ControlRefusal) return error.status;
  return error instanceof OrderError ? 400 : 500;
}
