import { pointerBelow } from '../patch/pointer.ts';
import { found, isContent } from '../patch/scalars.ts';
import { Refusal } from '../problem.ts';
import type { Call, Service } from '../service.ts';
import type { Content } from '../store/store.ts';

/** Source: core, Batch operation */
export interface BatchOperation {
  readonly method: string;
  readonly href: string;
  /** Names as they were sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value; undefined where the operation has none. */
  readonly body: unknown;
}

const methods: ReadonlySet<unknown> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
/** Members of the language, not of the document; whoever sends them means no good. */
const polluting = ['__proto__', 'constructor', 'prototype'];
/** Source: RFC 9110 sections 5.1 and 5.5 */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The operations as they were sent, in order. There is no limit to their number. @throws {Refusal} 400 for a body that is no array */
export function batchOperationsOf(service: Service, call: Call): readonly unknown[] {
  const body = service.behaviours.jsonBodyOf(service, call);
  if (Array.isArray(body)) return body;
  throw new Refusal(400, `Expected an array of operations, found ${found(body)}.`, { pointer: '' });
}

/** One operation; members that the document does not name are passed over. @throws {Refusal} 400 with the index of the operation */
export function batchOperationFrom(value: unknown, index: number): BatchOperation {
  const at = pointerBelow('', index);
  if (!isContent(value)) throw malformed(index, `to be an object, found ${found(value)}`, at);
  refusePolluting(value, index, at);
  const { method, href, headers = {}, body } = value;
  if (typeof method !== 'string' || !methods.has(method)) {
    throw malformed(
      index,
      `to have a method of ${[...methods].join(', ')}, found ${shown(method)}`,
      pointerBelow(at, 'method'),
    );
  }
  if (typeof href !== 'string' || href === '') {
    throw malformed(index, `to have the URI of a request as href, found ${shown(href)}`, pointerBelow(at, 'href'));
  }
  return { method, href, headers: headersFrom(headers, index, pointerBelow(at, 'headers')), body };
}

function headersFrom(headers: unknown, index: number, at: string): Readonly<Record<string, string>> {
  if (!isContent(headers)) throw malformed(index, `to have an object as headers, found ${found(headers)}`, at);
  refusePolluting(headers, index, at);
  const pairs = Object.entries(headers).map(([name, value]) => {
    const text = typeof value === 'number' ? String(value) : value;
    if (headerName.test(name) && typeof text === 'string' && headerValue.test(text))
      return [name, text.trim()] as const;
    throw malformed(
      index,
      `to have headers with a name and a text that HTTP allows, found ${shown(name)} with ${shown(value)}`,
      pointerBelow(at, name),
    );
  });
  return Object.fromEntries(pairs);
}

function refusePolluting(value: Content, index: number, at: string): void {
  const name = polluting.find((candidate) => Object.hasOwn(value, candidate));
  if (name !== undefined) throw malformed(index, `to have no member ${name}`, pointerBelow(at, name));
}

function malformed(index: number, expected: string, pointer: string): Refusal {
  return new Refusal(400, `Expected operation ${index} of the batch ${expected}.`, { pointer });
}

const longestShown = 80;

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, longestShown)) : found(value);
}
