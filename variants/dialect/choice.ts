import type { Areas } from '../../reference-server/areas.ts';
import type { Answer, Call } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, replaces } from '../breaks.ts';

/** One thing that the documents leave open, taken another way than the server takes it by itself; no rule is broken by it. */
export interface Choice {
  /** What a client meets. */
  readonly meets: string;
  /** Ids of the silences that leave it open; none where the documents do not even touch on it. */
  readonly silences: readonly string[];
  readonly by: Variant;
}

export type Json = Readonly<Record<string, unknown>>;

/** Throws on what was refused, under another status where the table has one: for the `catch` of a method. */
export function restateRefusal(statuses: Readonly<Record<number, number>>): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Refusal)) throw error;
    const { pointer, headers } = error;
    throw new Refusal(statuses[error.status] ?? error.status, error.message, {
      ...(pointer !== undefined && { pointer }),
      headers,
    });
  };
}

/** As restated, for work that does not wait. */
export function restateRefusalOf<T>(statuses: Readonly<Record<number, number>>, work: () => T): T {
  try {
    return work();
  } catch (error) {
    return restateRefusal(statuses)(error);
  }
}

/** Media type that a request declares, in lower case and without parameters. */
export function mediaTypeOf(call: Call): string | undefined {
  return call.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

/** The answer without the headers of these names, in whatever spelling. */
export function withoutHeaders(answer: Answer, ...names: readonly string[]): Answer {
  const left = Object.entries(answer.headers ?? {}).filter(([name]) => !names.includes(name.toLowerCase()));
  return { ...answer, headers: Object.fromEntries(left) };
}

/** The choice that changes the JSON value of every answer. */
export function changingValues(change: (value: unknown, call: Call, areas: Areas) => unknown): Variant {
  return replaces('messages', 'finish', async (right, areas, call, answer) => {
    const finished = await right(areas, call, answer);
    const value = jsonIn(finished);
    return value === undefined ? finished : withJson(finished, change(value, call, areas));
  });
}

/** The choice that changes every JSON object of every answer, inner ones first. */
export function changingObjects(change: (object: Json, call: Call, areas: Areas) => Json): Variant {
  return changingValues((value, call, areas) => mapped(value, (object) => change(object, call, areas)));
}

/** The JSON value that an answer carries, be it serialised already or not. */
export function jsonIn(answer: Answer): unknown {
  if (answer.raw === undefined) return answer.body;
  return carriesJson(answer) ? JSON.parse(answer.raw.toString()) : undefined;
}

/** Whether it carries any, which need not be read for that. */
export function carriesJson({ body, raw, headers = {} }: Answer): boolean {
  if (raw === undefined) return body !== undefined;
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return /json/i.test(type);
}

/** The answer with another JSON value. */
export function withJson({ raw: _text, ...answer }: Answer, body: unknown): Answer {
  return { ...answer, body };
}

/** The value with each object in it changed, inner ones first. */
export function mapped(value: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (!isObject(value)) return value;
  return change(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapped(inner, change)])));
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
