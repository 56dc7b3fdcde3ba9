import { readFileSync } from 'node:fs';
import { createHash, timingSafeEqual } from 'node:crypto';
import { clockState, moveClock, type Clockwork } from './control/clock.ts';
import type { Configuration } from './configuration.ts';
import type { HostDirectory } from './control/host-directory.ts';
import { withKeyFromEnvironment } from './control/profile-key.ts';
import type { LogRing } from './log-ring.ts';
import { Refusal } from './problem.ts';
import type { Route } from './route.ts';
import type { Answer, Call } from './service.ts';

const clockPath = '/_control/clock';
const restartPath = '/_control/restart';
const profileFile = new URL('../fixtures/profile.yaml', import.meta.url);

/** What the control routes show of the server they belong to. */
export interface Controlled {
  readonly token: string;
  readonly ring: LogRing;
  readonly hostDirectory: HostDirectory;
  /** Resolves when the server is back. */
  restart(): Promise<void>;
  /** Absent where time cannot be moved. */
  readonly clockwork?: Clockwork;
  /** Base URL of the server; known once it listens. */
  baseUrl(): string;
}

/** Routes by which a suite looks behind the service. Served only where `control` is on, and never logged. */
export function controlRoutes(controlled: Controlled): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/_control/log',
      access: 'public',
      effect: 'read',
      handle: async (_service, call) => readLog(controlled, call),
    },
    {
      method: 'GET',
      path: '/_control/profile.yaml',
      access: 'public',
      effect: 'read',
      handle: async ({ configuration }) => readProfile(controlled, configuration),
    },
    {
      method: 'POST',
      path: restartPath,
      access: 'public',
      effect: 'outside',
      handle: async (_service, call) => restart(controlled, call),
    },
    ...(controlled.clockwork === undefined ? [] : clockRoutes(controlled.token, controlled.clockwork)),
  ];
}

/** A move waits for calls and for change sets, so it must not stand in a read of the store itself. */
function clockRoutes(token: string, clockwork: Clockwork): readonly Route[] {
  return [
    {
      method: 'GET',
      path: clockPath,
      access: 'public',
      effect: 'outside',
      handle: async (_service, call) => {
        requireToken(token, call);
        return clockState(clockwork);
      },
    },
    {
      method: 'POST',
      path: clockPath,
      access: 'public',
      effect: 'outside',
      handle: async (_service, call) => {
        requireToken(token, call);
        return moveClock(clockwork, call);
      },
    },
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
function readProfile(controlled: Controlled, configuration: Configuration): Answer {
  return { status: 200, headers: { 'Content-Type': 'application/yaml' }, raw: profileText(controlled, configuration) };
}

function profileText({ token, baseUrl, hostDirectory, clockwork }: Controlled, configuration: Configuration): string {
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
