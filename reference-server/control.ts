import { createHash, timingSafeEqual } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Configuration } from './configuration.ts';
import type { Answer, Call } from './http/call.ts';
import { JsonTextError, parseJsonText } from './http/json-text.ts';
import { Refusal } from './http/refusal.ts';
import { type Route, callingRoute, readingRoute } from './http/route.ts';
import type { LogRing } from './log.ts';
import type { Activity } from './ports/clock.ts';
import type { ControlledClock, Timer } from './ports/controlled-clock.ts';

const clockPath = '/_control/clock';

const restartPath = '/_control/restart';

const profileFile = new URL('../fixtures/profile.yaml', import.meta.url);

/** What the control routes show of the server they belong to. */
interface Controlled {
  readonly token: string;
  readonly ring: LogRing;
  readonly hostDirectory: HostDirectory;
  readonly configuration: Configuration;
  /** Resolves when the server is back. */
  restart(): Promise<void>;
  /** Absent where time cannot be moved. */
  readonly clockwork?: Clockwork;
  /** Base URL of the server; known once it listens. */
  baseUrl(): string;
}

/** The clock of a server and what may keep it from resting. */
export interface Clockwork {
  readonly clock: ControlledClock;
  readonly activity: Activity;
}

/** What a client asks of the clock: one move at most, and how many calls of the service it keeps open meanwhile. */
interface Order {
  readonly move?: (clock: ControlledClock) => Promise<readonly Timer[]>;
  readonly held?: number;
}

/** A directory on the disk of this host that a suite may fill, for bulk uploads. */
export class HostDirectory {
  readonly #parent: string;
  #path: string | undefined;

  /** @param parent where it is made */
  constructor(parent = tmpdir()) {
    this.#parent = parent;
  }

  /** Made when it is first asked for. */
  get path(): string {
    this.#path ??= mkdtempSync(join(this.#parent, 'svc-conformance-host-'));
    return this.#path;
  }

  /** Takes it away with all that is in it. */
  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
    this.#path = undefined;
  }
}

const ownLine = /^( *adminApiKey: )(\S+)$/m;

/** Routes by which a suite looks behind the service. Served only where `control` is on, and never logged. */
export function controlRoutes(controlled: Controlled): readonly Route[] {
  return [
    readingRoute({
      method: 'GET',
      path: '/_control/log',
      access: 'public',
      effect: 'read',
      needs: {},
      handle: async (call) => readLog(controlled, call),
    }),
    readingRoute({
      method: 'GET',
      path: '/_control/profile.yaml',
      access: 'public',
      effect: 'read',
      needs: {},
      handle: async () => readProfile(controlled),
    }),
    callingRoute({
      method: 'POST',
      path: restartPath,
      access: 'public',
      effect: 'outside',
      needs: {},
      handle: async (call) => restart(controlled, call),
    }),
    ...(controlled.clockwork === undefined ? [] : clockRoutes(controlled.token, controlled.clockwork)),
  ];
}

/** A move waits for calls and for change sets, so it must not stand in a read of the store itself. */
function clockRoutes(token: string, clockwork: Clockwork): readonly Route[] {
  return [
    callingRoute({
      method: 'GET',
      path: clockPath,
      access: 'public',
      effect: 'outside',
      needs: {},
      handle: async (call) => {
        requireToken(token, call);
        return clockState(clockwork);
      },
    }),
    callingRoute({
      method: 'POST',
      path: clockPath,
      access: 'public',
      effect: 'outside',
      needs: {},
      handle: async (call) => {
        requireToken(token, call);
        return moveClock(clockwork, call);
      },
    }),
  ];
}

/** Ends the server as SIGTERM does, and answers when it listens again, on the same port and over the same store. @throws {Refusal} 401, 409 */
async function restart(controlled: Controlled, call: Call): Promise<Answer> {
  requireToken(controlled.token, call);
  await controlled.restart();
  return { status: 204 };
}

/** Log lines as text, one JSON entry a line. @throws {Refusal} 401 */
function readLog({ token, ring }: Controlled, call: Call): Answer {
  requireToken(token, call);
  const raw = ring.text(call.query.get('correlationId') || undefined);
  return { status: 200, headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }, raw };
}

/** The bundled profile, bound to this server. */
function readProfile(controlled: Controlled): Answer {
  return { status: 200, headers: { 'Content-Type': 'application/yaml' }, raw: profileText(controlled) };
}

/** The bundled profile as YAML, bound to a server with its probes and its clock. */
export function profileText({
  token,
  baseUrl,
  hostDirectory,
  clockwork,
  configuration,
}: Pick<Controlled, 'token' | 'baseUrl' | 'hostDirectory' | 'clockwork' | 'configuration'>): string {
  const base = baseUrl();
  const { baseAddress = base, administrationKey } = configuration;
  const profile = withKeyFromEnvironment(readFileSync(profileFile, 'utf8'), administrationKey)
    .replace('baseAddress: ${BASE_URL}', () => `baseAddress: ${baseAddress}`)
    .replaceAll('${BASE_URL}', base)
    .replaceAll('${HOST_DIRECTORY}', () => JSON.stringify(hostDirectory.path));
  const probe = { url: `${base}/_control/log?correlationId={correlationId}`, token };
  const time =
    clockwork === undefined ? { mode: 'real' } : { mode: 'controlled', control: { url: `${base}${clockPath}`, token } };
  const restarting = { url: `${base}${restartPath}`, token };
  return `${profile}probes:\n  log: ${JSON.stringify(probe)}\ntime: ${JSON.stringify(time)}\nrestart: ${JSON.stringify(restarting)}\n`;
}

function requireToken(token: string, call: Call): void {
  const given = call.headers['authorization'] ?? '';
  if (timingSafeEqual(digest(given), digest(`Bearer ${token}`))) return;
  throw new Refusal(401, 'Expected the control token as bearer token.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="control"' },
  });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** `now` in ms since the epoch; `running` until the first move; timers in the order in which they fire; `calls` on their way. */
function clockState({ clock, activity }: Clockwork): Answer {
  return answerOf({ now: clock.now(), running: clock.running, timers: clock.timers(), calls: activity.calls });
}

/**
 * `{ by: ms }`, `{ to: ms since the epoch }` or `{ next: true }` moves time from timer to timer, never past one, and answers when all that
 * fired, calls to other hosts included, has come to rest. `held`, with a move or alone, is the number of calls that the client keeps open:
 * they are not waited for. A client that does not tell waits a while for each call that it holds.
 * @throws {Refusal} 400
 */
async function moveClock(clockwork: Clockwork, call: Call): Promise<Answer> {
  const { move, held } = orderOf(call);
  if (held !== undefined) clockwork.activity.hold(held);
  const fired = move === undefined ? [] : await moved(clockwork.clock, move);
  const { clock, activity } = clockwork;
  return answerOf({ now: clock.now(), running: clock.running, fired, timers: clock.timers(), calls: activity.calls });
}

async function moved(clock: ControlledClock, move: NonNullable<Order['move']>): Promise<readonly Timer[]> {
  try {
    return await move(clock);
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal(400, error.message);
    throw error;
  }
}

/** @throws {Refusal} 400 */
function orderOf(call: Call): Order {
  const { held, ...moves } = bodyOf(call);
  const names = Object.keys(moves);
  if (names.length > 1) throw new Refusal(400, `Expected one of by, to and next, found ${names.join(', ')}.`);
  if (held !== undefined && !isCount(held))
    throw new Refusal(400, 'Expected held to be a number of calls.', { pointer: '/held' });
  const [name] = names;
  return {
    ...(name !== undefined && { move: moveOf(name, moves[name]) }),
    ...(held !== undefined && { held }),
  };
}

function moveOf(name: string, value: unknown): NonNullable<Order['move']> {
  if (name === 'next' && value === true) return (clock) => clock.advanceNext();
  if (name === 'by' && typeof value === 'number') return (clock) => clock.advanceBy(value);
  if (name === 'to' && typeof value === 'number') return (clock) => clock.advanceTo(value);
  throw new Refusal(400, 'Expected { "by": ms }, { "to": ms since the epoch } or { "next": true }.', {
    pointer: `/${name}`,
  });
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function bodyOf(call: Call): Readonly<Record<string, unknown>> {
  const body = parseText(call.body?.toString() ?? '');
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'Expected a JSON object.');
  return { ...body };
}

function parseText(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    if (error instanceof JsonTextError) throw new Refusal(400, `Expected a JSON object: ${error.message}`);
    throw error;
  }
}

function answerOf(body: object): Answer {
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, body };
}

/** The bundled profile for a server with another administration key: where to find it is told, not the key itself. @param key undefined for the bundled one */
export function withKeyFromEnvironment(profile: string, key: string | undefined): string {
  return profile.replace(ownLine, (line, member: string, bundled: string) =>
    key === undefined || key === bundled ? line : `${member}\${SVC_ADMINISTRATION_KEY}`,
  );
}
