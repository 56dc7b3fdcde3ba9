import { createHash } from 'node:crypto';
import type { Answer, Call } from '../http/call.ts';

const tagForm = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/;

const tagListForm = new RegExp(`^[ \\t,]*(?:${tagForm.source}[ \\t]*(?:,[ \\t,]*|$))+$`);

/** ETags, and answers without content for those who hold it already. */
export class Caching {
  /**
   * A 200 of data other than SoftTypes as the client needs it: with its ETag, or 304 when the client holds it already.
   * Source: core, Versioning 4
   */
  conditional(call: Call, answer: Answer): Answer {
    const etag = this.etagOf(answer.raw ?? JSON.stringify(answer.body));
    const headers = { ...answer.headers, ETag: etag, 'Cache-Control': 'private, no-cache' };
    const condition = call.headers['if-none-match'];
    const isHeld = condition !== undefined && this.ifNoneMatch(condition, etag);
    return isHeld ? this.notModified(headers) : { ...answer, headers };
  }

  /** A strong tag: the quoted hash of the bytes. @param representation the body as sent */
  etagOf(representation: string | Buffer): string {
    return `"${createHash('sha256').update(representation).digest('base64url')}"`;
  }

  /** Whether the header names the tag, compared weakly; what is no list names none. Source: RFC 9110 section 13.1.2 */
  ifNoneMatch(header: string, etag: string): boolean {
    if (header.trim() === '*') return true;
    if (!tagListForm.test(header)) return false;
    return header.matchAll(new RegExp(tagForm, 'g')).some(([, opaque]) => opaque === etag.replace(/^W\//, ''));
  }

  /** Without payload, and without the headers that describe one. Source: core, Errors 304; RFC 9110 section 15.4.5 */
  notModified({ 'Content-Type': _described, ...headers }: Readonly<Record<string, string>>): Answer {
    return { status: 304, headers };
  }
}
