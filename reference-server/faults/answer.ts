import type { Answer } from '../service.ts';

/** A JSON object, as far as a fault looks into it. */
export type Json = Readonly<Record<string, unknown>>;

/** The answer with its JSON body changed, whether it was serialised already or not; an answer without one stays as it is. */
export function withBody(answer: Answer, change: (body: Json) => unknown): Answer {
  const { raw, body: given, ...rest } = answer;
  const body: unknown = raw === undefined ? given : JSON.parse(String(raw));
  return isJson(body) ? { ...rest, body: change(body) } : answer;
}

/** The answer with these headers; undefined takes one away. */
export function withHeaders(answer: Answer, headers: Readonly<Record<string, string | undefined>>): Answer {
  const entries = Object.entries({ ...answer.headers, ...headers }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return { ...answer, headers: Object.fromEntries(entries) };
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
