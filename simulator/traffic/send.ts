import { Pool, type Dispatcher } from 'undici';
import type { EngineSetup } from './engine.ts';
import type { Send } from './drive.ts';
import type { HttpStep } from './step.ts';
import { pathPrefixOf, wireRequestOf } from './wire.ts';

/** Longest answer that is taken; what comes beyond is an error of its own. */
const mostBodyBytes = 64 * 1024 * 1024;

/** A sender over undici's dispatch, on connections of its own. */
export interface Sender extends AsyncDisposable {
  readonly send: Send;
}

/** @param connections most connections at once */
export function openSender(setup: Pick<EngineSetup, 'baseUrl' | 'authorizationOf' | 'informationFilter' | 'timeoutMs'>, connections: number): Sender {
  const { origin } = new URL(setup.baseUrl);
  const { timeoutMs } = setup;
  const pool = new Pool(origin, { connections, pipelining: 1, connectTimeout: timeoutMs, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  return {
    send: (step) => sent(pool, origin, step, setup),
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

function sent(pool: Pool, origin: string, step: HttpStep, setup: Parameters<typeof openSender>[0]): ReturnType<Send> {
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<Send>>>();
  const { method, path, headers, body } = wireRequestOf(step, setup);
  let sentAt = performance.now();
  let status = 0;
  let head: Record<string, string> = {};
  const chunks: Buffer[] = [];
  let length = 0;
  const ended = (error?: string): void => {
    const binary = step.about?.kind === 'download';
    const text = Buffer.concat(chunks).toString(binary ? 'latin1' : 'utf8');
    resolve({
      result: { status: error === undefined ? status : 0, headers: head, body: error === undefined ? text : '' },
      sentAt,
      endedAt: performance.now(),
      ...(error !== undefined && { error }),
    });
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: () => {
      sentAt = performance.now();
    },
    onResponseStart: (_controller, statusCode, received) => {
      status = statusCode;
      head = flat(received);
    },
    onResponseData: (controller, chunk) => {
      length += chunk.length;
      if (length > mostBodyBytes) controller.abort(new Error(`the answer is longer than ${mostBodyBytes} bytes`));
      else chunks.push(chunk);
    },
    onResponseEnd: () => ended(),
    onResponseError: (_controller, error) => ended(wordsFor(error)),
  };
  try {
    pool.dispatch({ origin, path: pathPrefixOf(setup.baseUrl) + path, method, headers, ...(body !== undefined && { body }) }, handler);
  } catch (error) {
    ended(wordsFor(error));
  }
  return promise;
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]])),
  );
}

function wordsFor(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
