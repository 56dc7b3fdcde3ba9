import { randomBytes } from 'node:crypto';
import type { Reply } from '../../exchange.ts';
import { isObject } from '../json.ts';
import type { HostRecord } from '../records.ts';
import type { Arrival } from './arrival.ts';
import type { Acquired } from './installation.ts';

/** Sends the keys to the callback. */
export type Deliver = (tokenCallback: string, keys: object) => Promise<Reply>;

/** The API keys that the service that the suite plays gave out, for all installations of a run. */
export class Keys {
  readonly acquired: Acquired[] = [];
  /** Those for the bulk upload routes. */
  readonly administration = new Set<string>();
  readonly #learnt: (key: string) => void;

  /** @param learnt told each key, which is a secret */
  constructor(learnt: (key: string) => void) {
    this.#learnt = learnt;
  }

  /** Takes a request for keys. They go to the callback only where the metadata says so: nobody else is sent anything. */
  take(arrival: Arrival, records: readonly HostRecord[], deliver: Deliver): void {
    const recordId = decodeURIComponent(arrival.path.replace(/\/+$/, '').split('/').at(-1) ?? '');
    const permissions = records.find(({ id }) => id === recordId)?.permissions;
    const body = isObject(arrival.json) ? arrival.json : {};
    const { tokenCallback, permissions: names } = body;
    const isRight =
      permissions !== undefined &&
      tokenCallback === permissions.tokenCallback &&
      Array.isArray(names) &&
      names.every((name) => permissions.permissions.includes(name));
    const delivered = isRight
      ? deliver(permissions.tokenCallback, this.newKeys(names)).catch(() => undefined)
      : Promise.resolve(undefined);
    this.acquired.push({ arrival, recordId, delivered });
  }

  /** The object of the callback. Source: extensions, Acquiring API keys */
  newKeys(names: readonly string[]): object {
    return Object.fromEntries(names.map((name) => [name, { apiKey: this.#newKey(name) }]));
  }

  #newKey(name: string): string {
    const key = randomBytes(32).toString('base64');
    this.#learnt(key);
    if (name === 'AdministrationAPI') this.administration.add(key);
    return key;
  }
}
