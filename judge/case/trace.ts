import { randomBytes } from 'node:crypto';
import { headerNames } from '../../contract/names.ts';
import type { Need } from '../../contract/needs.ts';
import { type Headers, type RequestSpec, statedHeader } from '../exchange.ts';
import type { TraceName } from '../outcome.ts';
import type { Sent, WireRequest } from '../client/wire.ts';

/** One request of a case, for who follows what a run did; times in ms since the epoch. */
export interface ExchangeSpan {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly status?: number;
  /** Why there is no answer. */
  readonly error?: string;
  readonly startedAt: number;
  readonly durationMs: number;
}

/**
 * What the requests of one rule say of where they come from, so that one search in the log of the service finds all of them: a trace as W3C Trace
 * Context has it, and the rule in X-Correlation-Id, unless the case itself says what stands there, or looks at what becomes of it.
 * A correlation id is unique per request, so that the rule is its beginning.
 */
export class Trace {
  /** 32 hexadecimal digits. */
  readonly id = randomBytes(16).toString('hex');
  /** Of the span that all requests are below. */
  readonly rootSpanId: string;
  readonly #rule: string | undefined;
  readonly #sends: boolean;
  readonly #prefix = randomBytes(4).toString('hex');
  readonly #sent: { readonly spanId: string; readonly sent: Sent }[] | undefined;
  #count = 0;

  /** Sends nothing of it where it is only kept, for `spans`. */
  constructor(
    rule: { readonly id: string; readonly needs: readonly Need[] },
    { sends, keeps }: { readonly sends: boolean; readonly keeps: boolean },
  ) {
    this.#sends = sends;
    this.rootSpanId = this.#nextId();
    this.#rule = rule.needs.some(looksAtCorrelation) ? undefined : rule.id;
    this.#sent = keeps ? [] : undefined;
  }

  /** Undefined where nobody is told. */
  get name(): TraceName | undefined {
    if (!this.#sends) return undefined;
    return { id: this.id, ...(this.#rule !== undefined && { correlation: `${this.#rule}.` }) };
  }

  /** The request as it is to go out, with another span each time. */
  on(request: WireRequest): WireRequest {
    if (!this.#sends) return request;
    const spanId = this.#nextId();
    const traceparent = ['traceparent', `00-${this.id}-${spanId}-01`] as const;
    const isOwn = this.#rule === undefined || request.ownsCorrelation === true;
    return {
      ...request,
      trace: isOwn ? [traceparent] : [traceparent, [headerNames.correlationId, `${this.#rule}.${spanId}`]],
    };
  }

  note(sent: Sent): void {
    if (sent.request.arrived !== true) this.#sent?.push({ spanId: spanIdOf(sent.request) ?? this.#nextId(), sent });
  }

  /** @param openedAt from when on exchanges tell their times, in ms since the epoch */
  spans(openedAt: number): readonly ExchangeSpan[] {
    return (this.#sent ?? []).map(({ spanId, sent: { exchange } }) => ({
      id: spanId,
      method: exchange.request.method,
      url: exchange.request.url,
      ...(exchange.response && { status: exchange.response.status }),
      ...(exchange.error !== undefined && { error: exchange.error }),
      startedAt: openedAt + exchange.sentAt,
      durationMs: exchange.durationMs,
    }));
  }

  #nextId(): string {
    this.#count += 1;
    return this.#prefix + this.#count.toString(16).padStart(8, '0');
  }
}

/** Whoever is called because of a request, or keeps a log of it, gets its correlation id, and the case looks there. */
function looksAtCorrelation(need: Need): boolean {
  return need === 'log-probe' || need.startsWith('extension-') || need.startsWith('trigger-');
}

function spanIdOf({ trace = [] }: WireRequest): string | undefined {
  return trace.find(([name]) => name === 'traceparent')?.[1].split('-')[2];
}

/** Whether a case says itself what stands in the header, or that it is absent. */
export function ownsCorrelation(headers: RequestSpec['headers']): boolean {
  return statedHeader(headers, headerNames.correlationId) !== undefined;
}

/** The headers of an answer without those that hand back what the request said of its trace. */
export function withoutEchoes(headers: Headers, { trace = [] }: WireRequest): Headers {
  return trace.length === 0 ? headers : headers.filter(([, value]) => !trace.some(([, sent]) => sent === value));
}
