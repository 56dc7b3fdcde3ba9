import type { Headers } from '../exchange.ts';
import { bytesOf } from './content.ts';
import { type About, contentIn, readTape } from './file.ts';
import type { AskLine } from './lines.ts';

/** A request of a recorded run with what came of it, for who wants to use it elsewhere. Whatever was secret is something else of the same form. */
export interface RecordedExchange {
  /** Rule and attempt, or `run` for what was asked around the cases. */
  readonly part: string;
  /** ms since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: Headers;
    readonly body?: Uint8Array;
  };
  /** The variable that stands for the credential of the request, where it is a known one. */
  readonly variable?: string;
  readonly response?: { readonly status: number; readonly headers: Headers; readonly body: Uint8Array };
  /** Why there is no response. */
  readonly error?: string;
}

/** A recorded run as others use it. */
export interface RecordedRun {
  readonly about: About;
  readonly exchanges: readonly RecordedExchange[];
}

/** Every exchange of the suite on a tape, in the order in which they began. */
export function exchangesOn(tape: Uint8Array): readonly RecordedExchange[] {
  const { head, lines } = readTape(tape);
  const asks = lines.flatMap((line) => (line.kind === 'ask' ? [line] : []));
  const answers = asks.filter(({ content }) => content !== undefined);
  return asks.map((line) => exchangeOn(line, answers, head.timeOrigin));
}

function exchangeOn(line: AskLine, answers: readonly AskLine[], timeOrigin: number): RecordedExchange {
  const { part, at, method, url, headers, body, credential, endedAt = at, status, answered = [], failure } = line;
  const variable = /\$(\w+)$/.exec(credential ?? '')?.[1];
  return {
    part,
    startedAt: timeOrigin + at,
    durationMs: endedAt - at,
    request: { method, url, headers, ...(body !== undefined && { body: bytesOf(body) }) },
    ...(variable !== undefined && { variable }),
    ...(status !== undefined && {
      response: { status, headers: answered, body: bytesOf(contentIn(answers, line)) },
    }),
    ...(failure !== undefined && { error: failure.message }),
  };
}
