import { createHash } from 'node:crypto';
import type { Reply, RequestSpec } from './exchange.ts';

/** Texts that a case made, by the mark that no others have; see `uniqueTexts`. */
const madeTexts = /[a-z]-[0-9a-f]{8}-\d+(?![0-9a-f-])/g;

/** Of SoftTypes, wherever they are listed, the documents promise no ETag. */
const softTypes = /"\$(?:softType|entryId)"/;

/**
 * What an ETag stood for when it was read: it stands for no JSON that holds other texts of this run, whose other values may be others each
 * time, such as when it was given, and for no file of another length. Source: core, Versioning 4
 */
export class KnownTags {
  readonly #seen = new Map<string, string>();

  /** @returns whether the ETag of a read is that of former data of the same address */
  isOfFormerData({ method, as, headers = {} }: RequestSpec, reply: Reply): boolean {
    const { etag, 'content-type': type = '' } = reply.headers;
    const isUsual = Object.keys(headers).every((name) => name.toLowerCase() === 'if-none-match');
    if (method !== 'GET' || reply.status !== 200 || !etag || !isUsual || softTypes.test(reply.text)) return false;
    const key = `${String(as)} ${reply.url} ${etag}`;
    // many servers tag a file by its length and the second of its last change
    const now = type.includes('json') ? textsIn(reply) : `${reply.bytes.length} bytes`;
    const before = this.#seen.get(key) ?? now;
    this.#seen.set(key, before);
    return before !== now;
  }
}

/** Those that the run made, in whatever order, as one short text. */
function textsIn(reply: Reply): string {
  const found = new Set(reply.text.match(madeTexts));
  return createHash('sha256')
    .update([...found].toSorted().join(' '))
    .digest('base64url');
}
