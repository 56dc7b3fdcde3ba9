import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Static } from 'typebox';
import { Type } from '../../contract/type.ts';
import { fitting } from '../../contract/misfit.ts';
import { jsonOf } from '../../contract/json.ts';
import { calleePath, mediaTypes } from '../../contract/names.ts';
import { type Entry, headerValues, isCallOfKind, textOf } from './entry.ts';
import { envelopeOf, isObject } from './envelope.ts';
import { Listener, type ListenerOptions, nameOf } from './listener.ts';
import { bodyOf } from './receive.ts';
import { objectIdOf } from './script.ts';
import { checkSignature } from './signature.ts';
import { Site } from './site.ts';
import { type ScriptedAnswer, scriptSchema } from './step.ts';

const stageSchema = Type.Closed({
  sites: Type.Array(
    Type.Closed({
      base: Type.String({ pattern: '^/', description: 'Path of hostUri, or of the address of an endpoint.' }),
      records: Type.Optional(Type.Array(Type.Unknown(), { description: 'Metadata; none at an endpoint.' })),
      apiKey: Type.Optional(Type.String({ description: 'Base64; of a call is told whether it is signed with it.' })),
      answers: Type.Optional(scriptSchema.properties.answers),
    }),
    { maxItems: 100 },
  ),
});
/** Those whom a service calls, as a script of a finding states them. */
export type Stage = Static<typeof stageSchema>;

/** An answer to an order of a script. */
export interface Handed {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly bytes: Uint8Array;
}

/** An order of a script: what it is sent with, and the longest wait for a call, in ms. */
interface Order {
  readonly method: string;
  readonly target: string;
  readonly body: Uint8Array;
  readonly mostMs: number;
}

/** The n-th call that came there, of those about an object where one is named. */
interface Wanted {
  /** Anywhere unless given. */
  readonly base: string | undefined;
  readonly number: number;
  readonly about: string;
  /** Only those count whose body holds this text. */
  readonly holding: string;
  /** Method and path of those that count, whatever their kind; undefined for all calls. */
  readonly at: string | undefined;
  /** Only those that have ended count. */
  readonly ended: boolean;
}

/** Of the connection alone: what a call is handed back with has its own. */
const ofConnection = /^(?:host|connection|keep-alive|content-length|transfer-encoding|expect)$/i;
const readStage = fitting<Stage>(stageSchema, {}, 'the body');
const orderPath = new RegExp(`^(.*?)${calleePath}(?=/|$)(.*)$`);
const usualWithin = 10;
const longestWithin = 60;

/** Somebody whom a service calls: does as a script of a finding says, and hands the calls that came back to it. */
export class Callee {
  readonly #listener: Pick<Listener, 'mount' | 'unmount' | 'journal'>;
  #sites: readonly Site[] = [];
  readonly #bases = new Set<string>();
  /** Number of the last call before they stood there. */
  #after = 0;

  constructor(listener: Pick<Listener, 'mount' | 'unmount' | 'journal'>) {
    this.#listener = listener;
  }

  take(order: Order): Promise<Handed> | undefined {
    const [path = '', query = ''] = order.target.split('?', 2);
    const [, prefix, rest = ''] = orderPath.exec(path) ?? [];
    if (prefix === undefined) return undefined;
    if (rest === '') return Promise.resolve(order.method === 'PUT' ? this.#stage(prefix, order.body) : told(405));
    const [, number = '', base] = /^\/([1-9]\d{0,4})(\/.*)?$/.exec(rest) ?? [];
    if (number === '' || order.method !== 'GET') return Promise.resolve(told(404));
    const asked = new URLSearchParams(query);
    const seconds = Number(asked.get('within') ?? usualWithin);
    const withinMs = 1000 * Math.min(longestWithin, Number.isFinite(seconds) ? seconds : usualWithin);
    const wanted = {
      base: base === undefined ? undefined : prefix + base,
      number: Number(number),
      about: asked.get('about') ?? '',
      holding: asked.get('holding') ?? '',
      at: asked.get('at') ?? undefined,
      ended: asked.has('ended'),
    };
    return this.#call(wanted, Math.min(withinMs, order.mostMs));
  }

  /** Whether a request came to somebody who was played here, now or before. */
  isTold({ base }: Pick<Entry, 'base'>): boolean {
    return this.#bases.has(base);
  }

  /** Forgets those before. */
  clear(): void {
    for (const site of this.#sites) this.#listener.unmount(site);
    this.#sites = [];
  }

  #stage(prefix: string, body: Uint8Array): Handed {
    const read = readStage(jsonOf(textOf(body) ?? ''));
    if ('misfit' in read) return told(400, `${read.misfit.sentence}.`);
    this.clear();
    this.#after = this.#listener.journal.entries().at(-1)?.number ?? 0;
    this.#sites = read.value.sites.map(
      ({ base, records, apiKey, answers = [] }) =>
        new Site(prefix + base, {
          ...(apiKey !== undefined && { apiKey }),
          // anything is served as it stands
          ...(records && { records: records as NonNullable<ConstructorParameters<typeof Site>[1]['records']> }),
          script: answers as readonly ScriptedAnswer[],
        }),
    );
    for (const site of this.#sites) {
      this.#bases.add(site.base);
      this.#listener.mount(site);
    }
    return told(204);
  }

  async #call({ base, number, about, holding, at, ended }: Wanted, mostMs: number): Promise<Handed> {
    const after = this.#after;
    const bases = new Set(base === undefined ? this.#sites.map((site) => site.base) : [base]);
    const fits = (entry: Entry): boolean =>
      bases.has(entry.base) &&
      entry.number > after &&
      (at === undefined ? isCallOfKind(entry.kind) : at === `${entry.method} ${entry.path}`) &&
      (!ended || entry.endedAt !== undefined) &&
      (about === '' || objectIdOf(entry) === about) &&
      (holding === '' || Buffer.from(entry.body).includes(holding));
    const found = await this.#listener.journal.await(fits, number, AbortSignal.timeout(Math.max(1, mostMs)));
    const entry = found[number - 1];
    return entry === undefined
      ? told(
          404,
          `Call ${number} at ${[...bases].join(', ')} did not come within ${mostMs / 1000} s; ${found.length} came.`,
        )
      : handedBack(entry, this.#sites.find((site) => site.base === entry.base)?.apiKey);
  }
}

type Called = Pick<Entry, 'base' | 'method' | 'target' | 'headers' | 'body'>;

/**
 * A call as the answer to whoever asks for it: its headers and its body, with the method and the target beside them, and what a shell cannot
 * work out of it. @param apiKey with which it should be signed, where that is known
 */
export function handedBack(call: Called, apiKey?: string): Handed {
  const { method, target, headers, body } = call;
  return {
    status: 200,
    headers: [
      ['X-Call-Method', method],
      ['X-Call-Target', target],
      ...(apiKey === undefined
        ? []
        : [['X-Call-Signed', isSigned(call, apiKey) ? 'for its path' : 'otherwise'] as const]),
      ...workedOut(call),
      ...headers.filter(([name]) => !ofConnection.test(name)),
    ],
    bytes: body,
  };
}

function isSigned({ target, base, headers }: Called, apiKey: string): boolean {
  return checkSignature(apiKey, target, base, headerValues({ headers }, 'Authorization')).ok;
}

/** Names of the parameters, parts of the token, and whether the information filter is what it should be. */
function workedOut({ target, body }: Called): Handed['headers'] {
  const query = new URLSearchParams(target.split('?').slice(1).join('?'));
  const { accessToken = query.get('access_token') ?? '', informationFilter = '' } =
    envelopeOf(jsonOf(textOf(body) ?? '')) ?? {};
  const filter = jsonOf(Buffer.from(informationFilter, 'base64').toString());
  return [
    ['X-Call-Query', [...query.keys()].map(encodeURIComponent).join(' ') || 'none'],
    ...(accessToken === '' ? [] : [['X-Call-Token-Parts', String(accessToken.split('.').length)] as const]),
    ...(informationFilter === '' ? [] : [['X-Call-Filter', isObject(filter) ? 'an object' : 'no object'] as const]),
  ];
}

/** Answers what is an order of a script, from this machine alone. Returns whether the request was one. */
function serveOrder(callee: Callee, request: IncomingMessage, response: ServerResponse): boolean {
  const { method = '', url: target = '' } = request;
  if (!(target.split('?', 1)[0] ?? '').includes(calleePath)) return false;
  void (async () => {
    const { remoteAddress = '', localAddress } = request.socket;
    const isNear = remoteAddress === localAddress || /^(?:::ffff:)?127\.|^::1$/.test(remoteAddress);
    const { bytes: body } = await bodyOf(request);
    const order = { method, target, body, mostMs: 1000 * longestWithin };
    const { status, headers, bytes } = isNear
      ? await (callee.take(order) ?? told(404))
      : told(403, 'Expected an order from this machine.');
    response.writeHead(status, headers.flat()).end(bytes);
  })().catch(() => response.destroy());
  return true;
}

function told(status: number, detail?: string): Handed {
  if (detail === undefined) return { status, headers: [], bytes: new Uint8Array() };
  const body = JSON.stringify({ type: 'about:blank', status, detail });
  return { status, headers: [['Content-Type', mediaTypes.problem]], bytes: Buffer.from(body) };
}

/** A callee that listens by itself. */
export interface ListeningCallee extends AsyncDisposable {
  readonly url: string;
}

/** @throws the system's error where it cannot listen */
export async function startCallee(listen: Pick<ListenerOptions, 'host' | 'port'> = {}): Promise<ListeningCallee> {
  const listener: Listener = new Listener({ ...listen, before: (...message) => serveOrder(callee, ...message) });
  const callee = new Callee(listener);
  await listener.listen();
  return {
    url: `http://${nameOf(listen.host)}:${listener.port}`,
    [Symbol.asyncDispose]: () => listener.close(),
  };
}
