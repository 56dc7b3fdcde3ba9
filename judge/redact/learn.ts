import type { Reply } from '../exchange.ts';
import { isObject } from '../json.ts';
import type { Secrets } from '../redact.ts';

/** The value of each cookie that an answer sets. */
const cookieValue = /(?:^|, )[\w.-]+=([^;, ]+)/g;

/** A shorter one is a choice, not a secret: a language, a number. */
const shortestCookie = 12;

/** Tokens and cookies that an answer gives are as secret as those of the profile. */
export function learnFrom(reply: Answered, secrets: Secrets): void {
  for (const value of cookiesIn(reply)) secrets.add('COOKIE', value);
  for (const [name, value] of tokensIn(reply)) secrets.add(name, value);
}

/** The same of what no case is given, so that none sends it. */
export function hideFrom(reply: Answered, secrets: Secrets): void {
  for (const value of cookiesIn(reply)) secrets.hide('COOKIE', value);
  for (const [name, value] of tokensIn(reply)) secrets.hide(name, value);
}

type Answered = Pick<Reply, 'headers' | 'text' | 'json'>;

function cookiesIn({ headers }: Answered): readonly string[] {
  const values = [...(headers['set-cookie'] ?? '').matchAll(cookieValue)].map(([, value = '']) => value);
  return values.filter(({ length }) => length >= shortestCookie);
}

function tokensIn({ headers, text, json }: Answered): readonly (readonly [name: string, value: string])[] {
  if (!headers['content-type']?.includes('json') || !text.includes('_token"') || !isObject(json)) return [];
  return ['access_token', 'refresh_token', 'id_token'].flatMap((name) => {
    const value = json[name];
    return typeof value === 'string' ? [[name.toUpperCase(), value] as const] : [];
  });
}
