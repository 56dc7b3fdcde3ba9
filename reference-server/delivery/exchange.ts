import type { Dispatcher } from 'undici';
import type { CallOutcome } from './delivery.ts';

/** Largest body of an answer that is read. Source: ledger response-size-limits */
const longestBodyBytes = 1024 * 1024;

type Controller = Dispatcher.DispatchController;

/** One request on its way, and what comes of it. The first end counts: of the answer, of the connection, of the time, or of the server. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #outcome = Promise.withResolvers<CallOutcome>();
  readonly #chunks: Buffer[] = [];
  #sizeBytes = 0;
  #status = 0;
  #ended = false;
  #controller: Controller | undefined;

  /** Rejects when the server closes first. */
  get outcome(): Promise<CallOutcome> {
    return this.#outcome.promise;
  }

  expire(waitedMs: number): void {
    this.#end({ kind: 'timeout', waitedMs, phase: this.#controller === undefined ? 'connection' : 'response' });
    this.#abort();
  }

  fail(error: unknown): void {
    this.#end({ kind: 'failed', reason: reasonOf(error) });
  }

  interrupt(): void {
    this.#ended = true;
    this.#outcome.reject(new Error('The server closes.'));
    this.#abort();
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#ended) this.#abort();
  }

  /** Called for informational answers as well, and then again. */
  onResponseStart(_controller: Controller, status: number): void {
    this.#status = status;
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#sizeBytes += chunk.length;
    if (this.#sizeBytes <= longestBodyBytes) {
      this.#chunks.push(chunk);
      return;
    }
    this.#end({ kind: 'answered', status: this.#status, body: '', oversized: true });
    this.#abort();
  }

  onResponseEnd(): void {
    this.#end({ kind: 'answered', status: this.#status, body: Buffer.concat(this.#chunks).toString() });
  }

  onResponseError(_controller: Controller, error: Error): void {
    this.fail(error);
  }

  #end(outcome: CallOutcome): void {
    this.#ended = true;
    this.#outcome.resolve(outcome);
  }

  #abort(): void {
    this.#controller?.abort(new Error('The call was given up.'));
  }
}

/** Name of the failure with what the platform says about it. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code}: ` : '';
  return `${code}${error.message || 'no connection'}`;
}
