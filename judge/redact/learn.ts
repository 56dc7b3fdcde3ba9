import type { Reply } from '../exchange.ts';
import type { Secrets } from '../redact.ts';

/** The value of each cookie that an answer sets. */
const cookieValue = /(?:^|, )[\w.-]+=([^;, ]+)/g;

/** A shorter one is a choice, not a secret: a language, a number. */
const shortestCookie = 12;

/** Tokens and cookies that an answer gives are as secret as those of the profile. */
export function learnFrom(reply: Pick<Reply, 'headers' | 'text' | 'json'>, secrets: Secrets): void {
  for (const [, value = ''] of (reply.headers['set-cookie'] ?? '').matchAll(cookieValue))
    if (value.length >= shortestCookie) secrets.add('COOKIE', value);
  if (!reply.headers['content-type']?.includes('json') || !reply.text.includes('_token"')) return;
  for (const name of ['access_token', 'refresh_token', 'id_token']) {
    const value: unknown =
      typeof reply.json === 'object' && reply.json !== null ? Reflect.get(reply.json, name) : undefined;
    if (typeof value === 'string') secrets.add(name.toUpperCase(), value);
  }
}
