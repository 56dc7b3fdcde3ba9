import { replacing, type Fault } from '../faults/fault.ts';
import type { Answer, Call, Service } from '../service.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The choice that changes every JSON object of every answer, inner ones first. */
export function changingObjects(change: (object: Json, call: Call, service: Service) => Json): Fault {
  return replacing('finish', (right) => async (service, call, answer) => {
    const finished = await right(service, call, answer);
    const value = jsonIn(finished);
    return value === undefined
      ? finished
      : withJson(
          finished,
          mapped(value, (object) => change(object, call, service)),
        );
  });
}

/** The JSON value that an answer carries, be it serialised already or not. */
export function jsonIn({ body, raw, headers = {} }: Answer): unknown {
  if (raw === undefined) return body;
  const type = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return /json/i.test(type) ? JSON.parse(raw.toString()) : undefined;
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
