import type { Reply } from '../exchange.ts';
import { isObject } from '../json.ts';

/** The value of each cookie that an answer sets. */
const cookieValue = /(?:^|, )[\w.-]+=([^;, ]+)/g;

/** A shorter one is a word, not a secret: a language, a number, the `none` of a token that nobody may refresh. */
const shortestSecret = 12;

/** Tokens and cookies that an answer gives, which are as secret as those of the profile, and what to call them. */
export function givenIn(reply: Answered): readonly (readonly [name: string, secret: string])[] {
  return [...cookiesIn(reply).map((value) => ['COOKIE', value] as const), ...tokensIn(reply)];
}

type Answered = Pick<Reply, 'headers' | 'text' | 'json'>;

function cookiesIn({ headers }: Answered): readonly string[] {
  const values = [...(headers['set-cookie'] ?? '').matchAll(cookieValue)].map(([, value = '']) => value);
  return values.filter(({ length }) => length >= shortestSecret);
}

/** Text and JSON are decoded when they are asked for, and most answers are none of these. */
function tokensIn(answer: Answered): readonly (readonly [name: string, value: string])[] {
  if (!answer.headers['content-type']?.includes('json') || !answer.text.includes('_token"')) return [];
  const { json } = answer;
  if (!isObject(json)) return [];
  return ['access_token', 'refresh_token', 'id_token'].flatMap((name) => {
    const value = json[name];
    return typeof value === 'string' && value.length >= shortestSecret ? [[name.toUpperCase(), value] as const] : [];
  });
}
