import { type AreaClasses, composeAreas, rightAreas } from '../areas.ts';
import { Outgoing } from '../ports/outgoing.ts';
import type { Configuration, Space, Template, User } from '../configuration.ts';
import { openFileStore } from '../ports/disk.ts';
import type { Call, Log } from '../http/call.ts';
import type { Areas } from '../areas.ts';
import { openSqliteStore } from '../ports/sqlite.ts';

/** A collection in memory that tests of access share: two spaces, one user for every way of having access or not. */
const template: Template = { id: 'bare', name: 'Bare', softTypes: new Map(), filters: new Map() };

function space(
  id: string,
  participants: Readonly<Record<string, Readonly<Record<string, string>>>>,
): readonly [string, Space] {
  const holders = Object.entries(participants).map(
    ([participant, roles]) => [participant, new Map(Object.entries(roles))] as const,
  );
  return [id, { id, name: id, template, participants: new Map(holders) }];
}

function user(name: string, collectionAdministrator = false): readonly [string, User] {
  return [
    name,
    { name, displayName: `The ${name}`, password: `${name}-password`, pat: `svcpat-${name}`, collectionAdministrator },
  ];
}

export function sampleConfiguration(): Configuration & { readonly users: Map<string, User> } {
  return {
    collection: { id: 'sample', name: 'Sample' },
    auth: {
      clientId: 'client',
      clientSecret: 'secret:with colon',
      signingKey: Buffer.alloc(64, 'a'),
      tokenLifetimeSeconds: 3600,
      idTokenIssuer: 'https://login.example',
      idTokenAudience: 'svc',
      idTokenKey: Buffer.alloc(64, 'b'),
    },
    templates: new Map([[template.id, template]]),
    spaces: new Map([
      space('main', { owner: { editor: 'editor', reader: 'reader' }, guest: { reader: 'writer' } }),
      space('depot', { keeper: { outsider: 'editor' } }),
    ]),
    users: new Map([user('editor'), user('reader'), user('outsider'), user('nobody'), user('administrator', true)]),
    roles: new Map([
      ['reader', new Set(['GET'])],
      ['writer', new Set(['POST'])],
      ['editor', new Set(['GET', 'POST', 'PUT', 'DELETE'])],
    ]),
  };
}

const log: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Time of a sample service, in ms since the epoch; tests move it. */
export interface SampleTime {
  nowMs: number;
}

export interface Sample {
  readonly service: Areas;
  readonly time: SampleTime;
  readonly configuration: ReturnType<typeof sampleConfiguration>;
}

/** @param classes those of its areas, the right ones unless given */
export function sample(classes: AreaClasses = rightAreas): Sample {
  const time = { nowMs: 1_700_000_000_500 };
  const clock = { now: () => time.nowMs, monotonic: () => time.nowMs, sleep: async () => undefined };
  const configuration = sampleConfiguration();
  return {
    service: composeAreas(classes, {
      store: openSqliteStore(),
      fileStore: openFileStore(),
      clock,
      configuration,
      log,
      outgoing: new Outgoing(),
    }),
    time,
    configuration,
  };
}

export interface Request {
  readonly method?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function callOf({ method = 'GET', params = {}, headers = {}, body }: Request = {}): Call {
  return {
    method,
    url: '/',
    params,
    query: new URLSearchParams(),
    headers,
    body: body === undefined ? undefined : Buffer.from(body),
    correlationId: '1',
    correlationGiven: false,
    log,
  };
}

export function bearer(token: string): Call {
  return callOf({ headers: { authorization: `Bearer ${token}` } });
}

export function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}
