import { createHmac } from 'node:crypto';
import type { Reply } from '../exchange.ts';
import { isObject } from '../json.ts';
import type { Part } from '../case/part.ts';
import { signatureOver } from '../service/signature.ts';
import { withoutSlash } from '../../contract/address.ts';
import { metadataPath } from '../../contract/names.ts';
import type { Arrival } from './arrival.ts';
import type { AskingRecord } from './records.ts';

/** A key is bytes, of which some that take it for a text lose the ends, or all behind a zero. Source: extensions, Authentication 2 */
const keyStart = Buffer.from('\n\0 ');
const keyEnd = Buffer.from(' \0\n');

/** A request for API keys and what became of it. */
export interface Acquired {
  readonly arrival: Arrival;
  /** Id in the path. */
  readonly recordId: string;
  /** Answer of the callback to the POST of the keys, or the failure of that; undefined where the request does not fit the metadata, so that none was sent. */
  readonly delivered: Promise<Reply | undefined>;
}

/** Sends the keys to the callback. */
export type Deliver = (tokenCallback: string, keys: object) => Promise<Reply>;

/** The API keys that the service that the suite plays gave out, for all installations of a run. */
export class Keys {
  readonly acquired: Acquired[] = [];
  /** Those for the bulk upload routes. */
  readonly administration = new Set<string>();
  readonly #learnt: (key: string) => void;

  /** Signs the tokens of all installations. */
  readonly signingKey: Uint8Array;

  /** @param learnt told each key, which is a secret */
  constructor(learnt: (key: string) => void, signingKey: Uint8Array) {
    this.signingKey = signingKey;
    this.#learnt = learnt;
  }

  /** Takes a request for keys. They go to the callback only where the metadata says so: nobody else is sent anything. */
  take(
    arrival: Arrival,
    part: Part,
    { asking, deliver }: { readonly asking: readonly AskingRecord[]; readonly deliver: Deliver },
  ): void {
    const recordId = decodeURIComponent(withoutSlash(arrival.path).split('/').at(-1) ?? '');
    const permissions = asking.find(({ id }) => id === recordId)?.permissions;
    const body = isObject(arrival.json) ? arrival.json : {};
    const { tokenCallback, permissions: names } = body;
    const isRight =
      permissions !== undefined &&
      tokenCallback === permissions.tokenCallback &&
      Array.isArray(names) &&
      names.every((name) => permissions.permissions.includes(name));
    const delivered = isRight
      ? deliver(permissions.tokenCallback, this.newKeys(names, part))
      : Promise.resolve(undefined);
    // a case may never ask what became of it
    delivered.catch(() => undefined);
    this.acquired.push({ arrival, recordId, delivered });
  }

  /** The object of the callback. Source: extensions, Acquiring API keys */
  newKeys(names: readonly string[], part: Part): object {
    return Object.fromEntries(names.map((name) => [name, { apiKey: this.#newKey(name, part) }]));
  }

  #newKey(name: string, part: Part): string {
    const key = part.key(32, (drawn) => Buffer.concat([keyStart, drawn, keyEnd])).toString('base64');
    this.#learnt(key);
    if (name === 'AdministrationAPI') this.administration.add(key);
    return key;
  }
}

/** What a request is signed over with one of the keys in the place of its path, where it is one of what is mistaken for that. Source: extensions, Authentication 2 */
export function mistakenPathOf({ path, target, token, seen }: Arrival, keys: Iterable<string>): string | undefined {
  const [, authority = ''] = /^https?:\/\/([^/]*)/i.exec(seen.url) ?? [];
  const mistaken = {
    'its address': [`http://${authority}${path}`, `https://${authority}${path}`],
    'its address without the scheme': [`${authority}${path}`],
    'its path with the query': target === path ? [] : [target],
    'its path without the slash before it': [path.slice(1)],
    'its path with a slash behind it': [`${path}/`],
    'its path in small letters': [path.toLowerCase()].filter((other) => other !== path),
    'its path below /api': [`/api${path}`],
    'a part of its path': beginningsOf(path),
    'a route with the name of a parameter': ['/{spaceId}', '/{spaceId}/{participantId}'].map(
      (parameters) => `${path.replace(/(?<=\/admin\/fileupload).*/, '')}${parameters}`,
    ),
    'the path of the metadata': [metadataPath],
  };
  const isSigned = (text: string): boolean => [...keys].some((key) => token?.text === signatureOver(key, text));
  const found = Object.entries(mistaken).find(([, texts]) => texts.some(isSigned))?.[0];
  return found ?? [...keys].map((key) => mistakenFormOf(token?.text, key, path)).find((form) => form !== undefined);
}

/** What stands before each slash of a path, but for the first. */
function beginningsOf(path: string): readonly string[] {
  const segments = path.split('/');
  return segments.slice(2).map((_segment, index) => segments.slice(0, index + 2).join('/'));
}

/** How the path is signed otherwise than it should be, where it is one of what is mistaken for that. */
function mistakenFormOf(text: string | undefined, key: string, path: string): string | undefined {
  const right = Buffer.from(signatureOver(key, path), 'base64url');
  const cut = cutKeysOf(Buffer.from(key, 'base64').toString('latin1'));
  const forms = {
    'its path, with a key that lacks white space or zeros at its ends, or what stands behind one': cut.map((bytes) =>
      signatureOver(Buffer.from(bytes, 'latin1').toString('base64'), path),
    ),
    'its path, with the text of the key': [signatureOver(Buffer.from(key).toString('base64'), path)],
    'its path, by SHA-256': [createHmac('sha256', Buffer.from(key, 'base64')).update(path).digest('base64url')],
    'its path, in hexadecimal': [right.toString('hex'), right.toString('hex').toUpperCase()],
    'its path, in Base64 as it stands': [right.toString('base64')],
  };
  if (text === undefined) return undefined;
  const found = Object.entries(forms).find(([, texts]) => texts.includes(text))?.[0];
  const isOtherwiseSpelled = text !== right.toString('base64url') && Buffer.from(text, 'base64').equals(right);
  return found ?? (isOtherwiseSpelled ? 'its path, with padding or in the other alphabet' : undefined);
}

/** What is left of a key where it is taken for a text. */
function cutKeysOf(key: string): readonly string[] {
  const trims = [
    /^[\0- ]+|[\0- ]+$/g,
    /^[\t-\r ]+|[\t-\r ]+$/g,
    /[\0- ]+$/,
    /[\t-\r ]+$/,
    /^[\0- ]+/,
    /^[\t-\r ]+/,
    /\0.*$/s,
  ];
  return trims.map((trim) => key.replace(trim, '')).filter((left) => left !== key);
}

/** Whether a request is signed over its path with one of the keys. */
export function isSignedWith(arrival: Arrival, keys: Iterable<string>): boolean {
  return [...keys].some((key) => arrival.token?.text === signatureOver(key, arrival.path));
}
