import crypto from 'k6/crypto';
import http from 'k6/http';
import { headerNames } from '../../../contract/names.ts';
import { chunkFrame, chunkMediaType, contentOf } from '../content.ts';
import type { HttpStep, Result } from '../step.ts';
import { baseUrlOf, variable } from './environment.ts';
import type { Plan } from './plan.ts';

/** An answer, and how long it took, in ms. */
export interface Answer {
  readonly result: Result;
  readonly ms: number;
}

/** With what a step goes out. */
export interface Sending {
  readonly plan: Plan;
  readonly authorization?: string;
}

/** Sends a step and waits for the answer, as k6 does. */
export function answerTo(step: HttpStep, { plan, authorization }: Sending): Answer {
  const { headers, body } = wireOf(step);
  const response = http.request(step.method, urlOf(plan, step.path), body, {
    headers: {
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(plan.informationFilter !== undefined && { [headerNames.informationFilter]: plan.informationFilter }),
      ...step.headers,
      ...headers,
    },
    // one name for all paths of an operation: k6 keeps figures of every name
    tags: { op: step.op, name: step.op },
    redirects: 0,
    timeout: plan.timeoutMs,
    responseType: step.about?.kind === 'download' ? 'binary' : 'text',
    responseCallback: expectedFor(step.accept),
  });
  return {
    result: { status: response.status, headers: lowerCaseNames(response.headers), body: textOf(response.body) },
    ms: response.timings.duration,
  };
}

function urlOf(plan: Plan, path: string): string {
  return /^https?:/.test(path) ? path : baseUrlOf(plan) + path;
}

type ExpectedStatuses = ReturnType<typeof http.expectedStatuses>;

const expected = new Map<string, ExpectedStatuses>();

function expectedFor(accept: HttpStep['accept']): ExpectedStatuses {
  const key = String(accept);
  const known =
    expected.get(key) ??
    (accept === undefined ? http.expectedStatuses({ min: 200, max: 299 }) : http.expectedStatuses(...accept));
  expected.set(key, known);
  return known;
}

/** Body with the headers that follow from it. Source: extensions, File routes */
function wireOf({ body }: HttpStep): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ArrayBuffer | null;
} {
  if (body === undefined) return { headers: {}, body: null };
  if (typeof body === 'string') return { headers: {}, body: fillVariables(body) };
  const content = contentOf(body.kind === 'chunk' ? body.content : body);
  const checksum = crypto.md5(bufferOf(content), 'hex');
  if (body.kind === 'generated') return { headers: { checksum }, body: bufferOf(content) };
  const [head, tail] = chunkFrame(body).map((text) => new TextEncoder().encode(text));
  return {
    headers: { checksum, 'Content-Type': chunkMediaType },
    body: joinBytes([head ?? new Uint8Array(), content, tail ?? new Uint8Array()]),
  };
}

/** The form of a grant, credentials in the places that the export left. */
function fillVariables(body: string): string {
  return body.replace(/\{\{(TRAFFIC_[A-Z_]+)\}\}/g, (_, name: string) => encodeURIComponent(variable(name)));
}

function joinBytes(parts: readonly Uint8Array[]): ArrayBuffer {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return bufferOf(whole);
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  const buffer = new ArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

/** k6 writes names as Go does: Content-Type, Etag. */
function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Characters that are made of bytes at once. */
const pieceLength = 8192;

/** Text as it is; of bytes one character each. */
function textOf(body: string | ArrayBuffer | null): string {
  if (body === null || typeof body === 'string') return body ?? '';
  const bytes = new Uint8Array(body);
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += pieceLength)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + pieceLength)));
  return pieces.join('');
}
