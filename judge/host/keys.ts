import { createHmac } from 'node:crypto';
import type { Reply } from '../exchange.ts';
import { isObject } from '../json.ts';
import type { Part } from '../case/part.ts';
import { decodeSegment } from '../service/requests.ts';
import { mistakenFor, signatureOver } from '../service/signature.ts';
import { withoutSlash } from '../../contract/address.ts';
import type { Arrival } from './arrival.ts';
import type { AskingRecord } from './records.ts';

/** A key is bytes, of which some that take it for a text lose the ends, or all behind a zero. Source: extensions, Authentication 2 */
const keyStart = Buffer.from('\n\0 ');
const keyEnd = Buffer.from(' \0\n');

/** Bytes between them: how long a key is is not said, nor that the next ones are as long. Those are as long as what SHA512 gives. */
const keySizes = { first: 32, next: 58 } as const;

/** A request for API keys and what became of it. */
export interface Acquired {
  readonly arrival: Arrival;
  /** Id in the path. */
  readonly recordId: string;
  /** Answer of the callback to the POST of the keys, or the failure of that; undefined where the request does not fit the metadata, so that none was sent. */
  readonly delivered: Promise<Reply | undefined>;
}

/** Keys by their permission. */
type KeysByName = Readonly<Record<string, { readonly apiKey: string }>>;

/** Sends the keys to the callback. */
export type Deliver = (tokenCallback: string, keys: object) => Promise<Reply>;

/** The API keys that the service that the suite plays gave out, for all installations of a run. */
export class Keys {
  readonly acquired: Acquired[] = [];
  /** Those for the bulk upload routes. */
  readonly administration = new Set<string>();
  /** Those of the other permissions. */
  readonly others = new Set<string>();
  /** Those that were given while nobody else had asked and nobody brought others, by the port of who gave them: the host knows whose they are. */
  readonly #apart = new Map<string, number>();
  /** Requests whose keys are under way. */
  readonly #underWay = new Set<{ isAlone: boolean }>();
  /** Parts of cases that have keys. */
  readonly #given = new WeakSet<Part>();
  readonly #learnt: (key: string) => void;

  /** Signs the tokens of all installations. */
  readonly #signingKey: Uint8Array;

  /** @param learnt told each key, which is a secret */
  constructor(learnt: (key: string) => void, signingKey: Uint8Array) {
    this.#signingKey = signingKey;
    this.#learnt = learnt;
  }

  /** Takes a request for keys. They go to the callback only where the metadata says so: nobody else is sent anything. */
  take(
    arrival: Arrival,
    part: Part,
    { asking, deliver }: { readonly asking: readonly AskingRecord[]; readonly deliver: Deliver },
  ): void {
    const recordId = recordIdOf(arrival.path);
    const permissions = asking.find(({ id }) => id === recordId)?.permissions;
    const body = isObject(arrival.json) ? arrival.json : {};
    const { tokenCallback, permissions: names } = body;
    const isRight =
      arrival.method === 'POST' &&
      permissions !== undefined &&
      tokenCallback === permissions.tokenCallback &&
      Array.isArray(names) &&
      names.every((name) => permissions.permissions.includes(name));
    const delivered = isRight
      ? this.#bring(this.#made(this.#inTurn(names), part), arrival.port, (keys) =>
          deliver(permissions.tokenCallback, keys),
        )
      : Promise.resolve(undefined);
    // a case may never ask what became of it
    delivered.catch(() => undefined);
    this.acquired.push({ arrival, recordId, delivered });
  }

  /** The members of an object have no order: who goes by their places is wrong about every other answer, the first among them. */
  #inTurn(names: readonly string[]): readonly string[] {
    return this.acquired.length % 2 === 0 ? names.toReversed() : names;
  }

  /** Whether a request is signed over its path with a key of the service at that port, of which the host knows whose it is. */
  isSignedFor(arrival: Arrival, port: number): boolean {
    const own = [...this.#apart].filter(([, given]) => given === port).map(([key]) => key);
    return isSignedWith(arrival, own);
  }

  async #bring(keys: KeysByName, port: number, send: (keys: KeysByName) => Promise<Reply>): Promise<Reply> {
    this.#disturb();
    const bringing = { isAlone: this.#underWay.size === 0 };
    this.#underWay.add(bringing);
    try {
      const reply = await send(keys);
      if (bringing.isAlone) for (const { apiKey } of Object.values(keys)) this.#apart.set(apiKey, port);
      return reply;
    } finally {
      this.#underWay.delete(bringing);
    }
  }

  #disturb(): void {
    for (const bringing of this.#underWay) bringing.isAlone = false;
  }

  /** The object of a callback that nobody asked for. Source: extensions, Acquiring API keys */
  newKeys(names: readonly string[], part: Part): KeysByName {
    this.#disturb();
    return this.#made(names, part);
  }

  #made(names: readonly string[], part: Part): KeysByName {
    const size = this.#given.has(part) ? keySizes.next : keySizes.first;
    this.#given.add(part);
    return Object.fromEntries(names.map((name) => [name, { apiKey: this.#newKey(name, part, size) }]));
  }

  /** A JWT of the service that the suite plays, for one call. Source: core, Authentication 2. @param id that nothing else has; @param now ms since the epoch */
  newToken(id: string, now: number, seconds: number): string {
    const at = Math.floor(now / 1000);
    const claims = {
      jti: id,
      sub: 'conformance',
      unique_name: 'conformance',
      nbf: at - 60,
      iat: at,
      exp: at + seconds,
    };
    const content = `${encoded({ alg: 'HS512', typ: 'JWT' })}.${encoded(claims)}`;
    return `${content}.${createHmac('sha512', this.#signingKey).update(content).digest('base64url')}`;
  }

  #newKey(name: string, part: Part, size: number): string {
    const key = part.key(size, (drawn) => Buffer.concat([keyStart, drawn, keyEnd])).toString('base64');
    this.#learnt(key);
    (name === 'AdministrationAPI' ? this.administration : this.others).add(key);
    return key;
  }
}

/** All that stands behind the route: an id that holds a slash unencoded, or none, is one that no record has. */
function recordIdOf(path: string): string {
  const [, id = ''] = /\/acquireAccessToken\/?(.*)$/.exec(withoutSlash(path)) ?? [];
  return decodeSegment(id);
}

/** What a request is signed over with one of the keys in the place of its path, where it is one of what is mistaken for that. */
export function mistakenPathOf({ path, target, token, seen }: Arrival, keys: Iterable<string>): string | undefined {
  const [, authority = ''] = /^https?:\/\/([^/]*)/i.exec(seen.url) ?? [];
  return mistakenFor(token?.text, { path, target, authority }, keys);
}

/** Whether a request is signed over its path with one of the keys. */
export function isSignedWith(arrival: Arrival, keys: Iterable<string>): boolean {
  return [...keys].some((key) => arrival.token?.text === signatureOver(key, arrival.path));
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
