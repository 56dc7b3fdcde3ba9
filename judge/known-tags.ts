import { createHash } from 'node:crypto';
import type { Reply, RequestSpec } from './exchange.ts';

/** Texts that a case made, by the mark that no others have; see `uniqueTexts`. */
const madeTexts = /[a-z]-[0-9a-f]{8}-\d+(?![0-9a-f-])/g;

interface Tagged {
  readonly texts: string;
  readonly length: number;
}

/** Of SoftTypes, wherever they are listed, the documents promise no ETag. */
const softTypes = /"\$(?:softType|entryId)"/;

/**
 * What an ETag stood for when it was read: it stands for no data that hold other texts of this run. What else an answer tells may be another
 * thing each time, such as when it was given. Source: core, Versioning 4
 */
export class KnownTags {
  readonly #seen = new Map<string, Tagged>();

  /** @returns whether the ETag of a read is that of former data of the same address */
  isOfFormerData({ method, as, headers = {} }: RequestSpec, reply: Reply): boolean {
    const { etag, 'content-type': type = '' } = reply.headers;
    const isUsual = Object.keys(headers).every((name) => name.toLowerCase() === 'if-none-match');
    if (method !== 'GET' || reply.status !== 200 || !etag || !isUsual) return false;
    const text = textOf(reply);
    if (softTypes.test(text)) return false;
    const key = `${String(as)} ${reply.url} ${etag}`;
    const now = { texts: textsIn(text), length: reply.bytes.length };
    const before = this.#seen.get(key) ?? now;
    this.#seen.set(key, before);
    // many servers tag a file by its length and the second of its last change
    return before.texts !== now.texts && (type.includes('json') || before.length !== now.length);
  }
}

/** JSON with every character as itself, whichever are escaped from time to time. What is looked for is ASCII, and a file may be long and no text. */
function textOf({ json, bytes }: Reply): string {
  if (json !== undefined) return JSON.stringify(json);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** Those that the run made, in whatever order, as one short text. */
function textsIn(text: string): string {
  const found = new Set(text.match(madeTexts));
  return createHash('sha256')
    .update([...found].toSorted().join(' '))
    .digest('base64url');
}
