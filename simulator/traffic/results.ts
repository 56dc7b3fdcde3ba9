import { headerNames } from '../../contract/names.ts';
import type { Envelope } from '../extension/envelope.ts';
import type { HttpStep, Result } from './step.ts';

/** What a journey gets back where no answer came. */
export const noAnswer: Result = { status: 0, headers: {}, body: '' };

/** What `accept` of a step begins with, where more than a success is no error. */
export const anySuccess: readonly number[] = Array.from({ length: 100 }, (_, index) => 200 + index);

/** Whether a status is no error. */
export function isAcceptedStatus({ accept }: Pick<HttpStep, 'accept'>, status: number): boolean {
  return accept?.includes(status) ?? (status >= 200 && status < 300);
}

/** The JSON object of an answer; empty where it is none. */
export function objectIn(result: Result): Readonly<Record<string, unknown>> {
  const value = jsonIn(result);
  return isObject(value) ? value : {};
}

/** Judges and the journey look at one answer after the other, each at the same one: parsing it once is enough. */
let last: { readonly result: Result | undefined; readonly value: unknown } = { result: undefined, value: undefined };

/** The JSON value of an answer, to be looked at only; undefined where it is none. */
export function jsonIn(result: Result): unknown {
  if (last.result !== result) last = { result, value: parseBody(result) };
  return last.value;
}

function parseBody({ body }: Result): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a JSON Pointer leads to; undefined where nothing is. */
export function valueAt(value: unknown, pointer: string): unknown {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replace(/~1/g, '/').replace(/~0/g, '~'));
  return names.reduce<unknown>(
    (place, name) => (typeof place === 'object' && place !== null ? Reflect.get(place, name) : undefined),
    value,
  );
}

/** Version in the header of an answer to an accepted write; undefined where there is none. */
export function versionIn({ status, headers }: Result): number | undefined {
  const text = isAnsweredWell(status) ? headers[headerNames.version.toLowerCase()] : undefined;
  return text === undefined || !/^\d+$/.test(text) ? undefined : Number(text);
}

/** Id of what an accepted create made; undefined without a Location. */
export function oidIn({ status, headers }: Result): string | undefined {
  return isAnsweredWell(status) ? lastSegment(headers['location']) : undefined;
}

/** 2xx. A refusal may carry the same headers, and tells of no effect. */
export function isAnsweredWell(status: number): boolean {
  return status >= 200 && status < 300;
}

const mostSaid = 200;

/** What an answer says in words, on one line: title and detail of a problem, or how the text begins. Undefined where it says nothing. */
export function saidIn(result: Result): string | undefined {
  const { title, detail } = objectIn(result);
  const words = [title, detail].filter((text) => typeof text === 'string' && text !== '');
  const text = (words.length > 0 ? words.join(': ') : result.body).slice(0, mostSaid).replaceAll(/\s+/g, ' ').trim();
  return text === '' ? undefined : text;
}

const tooManyRequests = 429;

/**
 * Whether that is a refusal, by any status but a success unless one of these is asked for. A service in trouble, or that lets nobody in for now,
 * may say so before it looks at anything else.
 */
export function isRefusal(status: number, statuses?: readonly number[]): boolean {
  return status >= 500 || status === tooManyRequests || (statuses?.includes(status) ?? !isAnsweredWell(status));
}

/** What an event brings, also where its trigger has it inside a text. */
export function eventContentOf(envelope: Envelope | undefined): Readonly<Record<string, unknown>> | undefined {
  const content = envelope?.payload?.['contentPayload'];
  const found = typeof content === 'string' ? jsonIn({ body: content, headers: {}, status: 200 }) : content;
  return isObject(found) ? found : undefined;
}

export function lastSegment(uri: string | undefined): string | undefined {
  const segment = uri?.split(/[?#]/)[0]?.split('/').pop();
  return segment === undefined || segment === '' ? undefined : decodeSegment(segment);
}

/** What is no percent-encoding stays as it is. */
function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
