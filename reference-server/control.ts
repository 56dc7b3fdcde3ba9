import { readFileSync, readdirSync, rmSync, mkdtempSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceControlDocument } from '../contract/control/openapi.ts';
import {
  type ControlHandlers,
  type ControlRoute,
  type Order,
  OrderError,
  readOrder,
} from '../contract/control/route.ts';
import { assertStatuses, type ServiceAnswer } from '../contract/control/script.ts';
import { type ServiceControl, serviceControl } from '../contract/control/service.ts';
import type { Areas } from './areas.ts';
import { sameSecret } from './areas/tokens.ts';
import type { Configuration } from './configuration.ts';
import { type Clockwork, clockState, moveClock } from '../clock/control.ts';
import type { FaultSwitch } from './control/faults.ts';
import type { IssuedToken, TokenOrder } from './control/issued-tokens.ts';
import { putSeed } from './control/seed.ts';
import type { Answer, Call } from './http/call.ts';
import type { Journal, ReceivedRequest } from './http/journal.ts';
import { parseJsonText } from './http/json-text.ts';
import { Refusal } from './http/refusal.ts';
import { type Route, callingRoute } from './http/route.ts';
import { fits, type Script, type ScriptChange } from './http/script.ts';
import type { LogRing } from './log.ts';
import { messageOf } from '../contract/thrown.ts';

const profileFile = new URL('../fixtures/profile.yaml', import.meta.url);

/** Variable that a profile names where its server was given a token. */
const tokenVariable = '${SVC_CONTROL_TOKEN}';

/** Who may use the control routes: this machine only, or whoever reaches the server. */
type ControlReach = 'same machine' | 'any';

/** What the control routes show of the server they belong to, and do with it. */
export interface Controlled {
  readonly token: string;
  /** Whether the token was given, and is no business of a profile. */
  readonly tokenIsGiven: boolean;
  readonly reach: ControlReach;
  readonly ring: LogRing;
  readonly hostDirectory: HostDirectory;
  readonly configuration: Configuration;
  /** Resolves when the server is back. */
  restart(): Promise<void>;
  /** Resolves when the server is as new. */
  reset(): Promise<void>;
  readonly faults: FaultSwitch;
  readonly script: Script;
  readonly journal: Journal;
  /** Areas without a fault, for what is put into the store from outside. */
  rightAreas(): Areas;
  /** @throws {RangeError} there is nobody of that name */
  issueToken(order: TokenOrder): Promise<IssuedToken>;
  /** Absent where time cannot be moved. */
  readonly clockwork?: Clockwork;
  /** Base URL of the server; known once it listens. */
  baseUrl(): string;
}

/** What a handler answers with: a JSON value, or a text of the type that the route states. */
type Content = Pick<Answer, 'body' | 'raw'>;

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

  /** Takes away what is in it. */
  empty(): void {
    const path = this.#path;
    if (path === undefined) return;
    for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true, force: true });
  }

  /** Takes it away with all that is in it. */
  remove(): void {
    if (this.#path !== undefined) rmSync(this.#path, { recursive: true, force: true });
    this.#path = undefined;
  }
}

const ownLine = /^( *adminApiKey: )(\S+)$/m;

/** Routes by which a suite or a test looks behind the service. Served only where `control` is on, and never logged. */
export function controlRoutes(controlled: Controlled): readonly Route[] {
  const handlers = handlersOf(controlled);
  const names = Object.keys(serviceControl) as (keyof ServiceControl)[];
  return names
    .filter((name) => controlled.clockwork !== undefined || serviceControl[name].path !== serviceControl.clock.path)
    .map((name) => routeOf(controlled, serviceControl[name], handlers[name] as AnyHandler));
}

type AnyHandler = (order: object) => Promise<Content> | Content;

/** What a route does waits for calls and for change sets, so it must not stand in a read of the store itself. */
function routeOf(controlled: Controlled, route: ControlRoute, handle: AnyHandler): Route {
  return callingRoute({
    method: route.method,
    path: route.path,
    access: 'public',
    effect: 'outside',
    needs: {},
    handle: async (call) => {
      requireAdmission(controlled, route, call);
      const content = await followed(() =>
        handle(readOrder(route, call.query, call.body?.toString() ?? '', parseText)),
      );
      const type = content.raw === undefined ? undefined : route.answer.type;
      const typed = type === undefined ? {} : { 'Content-Type': `${type}; charset=utf-8` };
      return { status: route.answer.status, headers: { 'Cache-Control': 'no-store', ...typed }, ...content };
    },
  });
}

function handlersOf(controlled: Controlled): ControlHandlers<ServiceControl, Content> {
  const { ring, faults, script, journal, clockwork } = controlled;
  return {
    openapi: () => ({ body: serviceControlDocument() }),
    profile: () => ({ raw: profileText(controlled) }),
    log: ({ query }) => ({ raw: ring.text(query.correlationId || undefined) }),
    restart: () => controlled.restart().then(() => ({})),
    reset: () => controlled.reset().then(() => ({})),
    clock: () => ({ body: clockState(clockworkIn(clockwork)) }),
    moveClock: async ({ body }) => ({ body: await moveClock(clockworkIn(clockwork), body) }),
    faults: async () => ({ body: await faults.state() }),
    setFaults: async ({ body }) => ({ body: await faults.put(body.faults, 1) }),
    clearFaults: async () => ({ body: await faults.put([], 1) }),
    script: () => ({ body: { answers: script.answers } }),
    setScript: ({ body }) => ({ body: scripted(script, 'set', body.answers) }),
    appendScript: ({ body }) => ({ body: scripted(script, 'append', body.answers) }),
    clearScript: () => ({ body: scripted(script, 'set', []) }),
    journal: ({ query }) => ({ body: { requests: requestsIn(journal, query) } }),
    clearJournal: () => {
      journal.clear();
      return {};
    },
    seed: async ({ body }) => ({ body: await putSeed(controlled.rightAreas(), body) }),
    tokens: async ({ body }) => ({ body: await controlled.issueToken(body).catch(refuseIdentity) }),
  };
}

/** @throws {OrderError} an answer without a status */
function scripted(script: Script, how: ScriptChange, answers: readonly ServiceAnswer[]): object {
  assertStatuses(answers);
  script[how](answers);
  return { answers: script.answers };
}

function requestsIn(
  journal: Journal,
  { after = 0, ...pattern }: Order<ServiceControl['journal']>['query'],
): readonly ReceivedRequest[] {
  return journal.requests().filter((request) => request.number > after && fits(pattern, request));
}

/** @throws {Refusal} 400 */
function refuseIdentity(error: unknown): never {
  if (error instanceof RangeError) throw new Refusal(400, error.message, { pointer: '/identity' });
  throw error;
}

/** Without it the routes that ask for it are not served. */
function clockworkIn(clockwork: Clockwork | undefined): Clockwork {
  if (clockwork === undefined) throw new Refusal(404, 'The clock of this server cannot be moved.');
  return clockwork;
}

/** @throws {Refusal} 400, an order that cannot be followed */
async function followed(follow: () => Promise<Content> | Content): Promise<Content> {
  try {
    return await follow();
  } catch (error) {
    if (!(error instanceof OrderError)) throw error;
    throw new Refusal(400, error.message, error.pointer === undefined ? {} : { pointer: error.pointer });
  }
}

function parseText(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    throw new OrderError(`Expected a body of JSON: ${messageOf(error)}`, '');
  }
}

/** @throws {Refusal} 401, 403 */
function requireAdmission({ token, reach }: Controlled, { open, path }: ControlRoute, call: Call): void {
  const isNear = isSameMachine(call.remoteAddress);
  if (reach !== 'any' && !isNear)
    throw new Refusal(
      403,
      `Expected a request from this machine for ${path}, found one from ${call.remoteAddress}; a server that is started with --control any answers others too.`,
    );
  if (open === 'everybody' || (open === 'same machine' && isNear && isAskedByName(call))) return;
  if (sameSecret(call.headers['authorization'] ?? '', `Bearer ${token}`)) return;
  throw new Refusal(401, `Expected the control token as bearer token, found ${presented(call)}.`, {
    headers: { 'WWW-Authenticate': 'Bearer realm="control"' },
  });
}

function presented({ headers }: Call): string {
  return headers['authorization'] === undefined ? 'no Authorization header' : 'another credential';
}

/** Where no connection stands behind a call, it was made in this very process. */
function isSameMachine(address: string | undefined): boolean {
  return address === undefined || address === '::1' || /^(?:::ffff:)?127\./.test(address);
}

const ownName = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Whether it was meant for this machine: no page of another site asks, whose name leads here, and nobody hands on what others ask. */
function isAskedByName({ remoteAddress, headers }: Call): boolean {
  if (remoteAddress === undefined) return true;
  const { host = '', origin } = headers;
  const isOfPage = origin !== undefined && !isOwnName(String(origin).replace(/^https?:\/\//, ''));
  const isHandedOn = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via'].some((name) => name in headers);
  return isOwnName(host) && !isOfPage && !isHandedOn && headers['sec-fetch-site'] !== 'cross-site';
}

function isOwnName(host: string): boolean {
  return ownName.test(host) || host.replace(/:\d+$/, '').toLowerCase() === hostname().toLowerCase();
}

/** The bundled profile as YAML, bound to a server with its probes and its clock. */
export function profileText(controlled: Controlled): string {
  const { baseUrl, hostDirectory, clockwork, configuration } = controlled;
  const base = baseUrl();
  const { baseAddress = base, administrationKey } = configuration;
  const profile = withKeyFromEnvironment(readFileSync(profileFile, 'utf8'), administrationKey)
    .replace('baseAddress: ${BASE_URL}', () => `baseAddress: ${baseAddress}`)
    .replaceAll('${BASE_URL}', base)
    .replaceAll('${HOST_DIRECTORY}', () => JSON.stringify(hostDirectory.path));
  const token = controlled.tokenIsGiven ? tokenVariable : controlled.token;
  const at = (path: string): object => ({ url: `${base}${path}`, token });
  const time =
    clockwork === undefined ? { mode: 'real' } : { mode: 'controlled', control: at(serviceControl.clock.path) };
  const probe = at(`${serviceControl.log.path}?correlationId={correlationId}`);
  const restarting = at(serviceControl.restart.path);
  return `${profile}probes:\n  log: ${JSON.stringify(probe)}\ntime: ${JSON.stringify(time)}\nrestart: ${JSON.stringify(restarting)}\n`;
}

/** The bundled profile for a server with another administration key: where to find it is told, not the key itself. @param key undefined for the bundled one */
export function withKeyFromEnvironment(profile: string, key: string | undefined): string {
  return profile.replace(ownLine, (line, member: string, bundled: string) =>
    key === undefined || key === bundled ? line : `${member}\${SVC_ADMINISTRATION_KEY}`,
  );
}
