import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ServiceAnswer, ServiceStep } from '../../contract/control/script.ts';
import { isLike, Progress } from '../../contract/control/steps.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Answer } from './call.ts';
import { messageOf } from './wire.ts';

const correlationHeader = headerNames.correlationId.toLowerCase();

/** Takes the place of what was there, or goes behind it. */
export type ScriptChange = 'set' | 'append';

/** What a test has put between the clients and the service: answers of its own, late ones, lost ones. */
export class Script {
  readonly #clock: Clock;
  #answers: readonly ServiceAnswer[] = [];
  readonly #progress = new Progress<ServiceStep>();
  #ended = new AbortController();

  /** @param clock time that answers take on their way */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get answers(): readonly ServiceAnswer[] {
    return this.#answers;
  }

  /** Takes the place of what was there; steps are counted anew. */
  set(answers: readonly ServiceAnswer[]): void {
    this.#answers = answers;
    this.#progress.clear();
  }

  /** Behind those that are there, whose counts go on. */
  append(answers: readonly ServiceAnswer[]): void {
    this.#answers = [...this.#answers, ...answers];
  }

  /** Breaks the connections that it holds. */
  release(): void {
    this.#ended.abort();
    this.#ended = new AbortController();
  }

  /** What becomes of a request, which counts by that; undefined where the service is left alone. */
  next(request: IncomingMessage): ServiceStep | undefined {
    if (this.#answers.length === 0) return undefined;
    const asked = askedBy(request);
    const answer = this.#answers.find(({ when = {} }) => fits(when, asked));
    return answer && this.#progress.next(answer, asked);
  }

  /** Does what a step says in the place of the service. Never rejects. */
  async perform(step: ServiceStep, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const isBefore = step.cut === 'before-request-body';
    if (!isBefore) request.resume();
    const isThere = await this.holdBack(step, response);
    if (!isThere || isBefore || step.cut === 'before-answer') return breakOff(request);
    // who sends while it is answered may never see the answer
    if (!request.complete) await finished(request).catch(() => undefined);
    send(step, response);
  }

  /** Lets the time of a step pass. Resolves with whether somebody is still there to be answered. */
  async holdBack({ never, delayMs = 0 }: ServiceStep, response: ServerResponse): Promise<boolean> {
    const left = new AbortController();
    const leave = (): void => left.abort();
    response.once('close', leave);
    try {
      const signal = AbortSignal.any([left.signal, this.#ended.signal]);
      await this.#clock.sleep(never ? Number.MAX_SAFE_INTEGER : delayMs, { signal, tag: 'scripted answer' });
      return !response.closed;
    } catch {
      return false;
    } finally {
      response.off('close', leave);
    }
  }
}

/** Whether the service does not see a request of which this becomes. */
export function isInstead({ status, never, cut }: ServiceStep): boolean {
  return status !== undefined || never === true || cut === 'before-request-body';
}

/** Ends a connection as a lost one ends, whatever is on its way. */
export function breakOff({ socket }: IncomingMessage): void {
  // one within this process is no socket, and knows no reset
  if ('resetAndDestroy' in socket) socket.resetAndDestroy();
  else (socket as IncomingMessage['socket']).destroy();
}

/** The same answer, whose connection breaks when half of its body is sent. */
export function broken(answer: Answer): Answer {
  const { status, headers, content } = messageOf(answer);
  const { size, content: whole } = answer.stream ?? {
    size: Buffer.byteLength(content ?? ''),
    content: Readable.from([Buffer.from(content ?? '')]),
  };
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return {
    status,
    headers: Object.fromEntries(texts),
    stream: { size, content: Readable.from(half(whole, Math.ceil(size / 2)), { objectMode: false }) },
    ...(answer.transport && { transport: answer.transport }),
  };
}

async function* half(content: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const piece of content) {
    // the memory of a piece is the reader's until the next one
    yield Buffer.from(piece.subarray(0, left));
    left -= piece.length;
    if (left <= 0) throw new Error('the script breaks the connection here');
  }
  throw new Error('the script breaks the connection here');
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly correlationId?: string | undefined;
}

function askedBy({ method = '', url = '/', headers }: IncomingMessage): Asked {
  const [path = ''] = url.split('?', 1);
  const correlationId = headers[correlationHeader];
  return { method, path, correlationId: typeof correlationId === 'string' ? correlationId : undefined };
}

/** Whether a request is meant: everything that is stated has to fit. */
export function fits({ method, path, correlationId }: NonNullable<ServiceAnswer['when']>, asked: Asked): boolean {
  return (
    (method === undefined || method.toUpperCase() === asked.method) &&
    (correlationId === undefined || correlationId === asked.correlationId) &&
    (path === undefined || isLike(path, asked.path))
  );
}

function send({ status = 200, headers, json, text, cut }: ServiceStep, response: ServerResponse): void {
  const body = Buffer.from(text ?? (json === undefined ? '' : JSON.stringify(json)));
  const typed = json === undefined || text !== undefined ? {} : { 'Content-Type': mediaTypes.json };
  const length = status === 204 || status === 304 ? {} : { 'Content-Length': body.length };
  response.writeHead(status, { ...typed, ...length, ...headers });
  if (cut === undefined) return void response.end(body);
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => breakOff(response.req));
}
