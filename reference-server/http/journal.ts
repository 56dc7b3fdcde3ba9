import type { IncomingMessage, ServerResponse } from 'node:http';
import { mostRequests } from '../../contract/control/service.ts';
import { headerNames } from '../../contract/names.ts';

const correlationHeader = headerNames.correlationId.toLowerCase();

/** A request that arrived at a service. */
export interface ReceivedRequest {
  /** Order of arrival, from 1. */
  readonly number: number;
  readonly method: string;
  /** Path and query as on the request line; tokens in it included. */
  readonly target: string;
  /** Path without query. */
  readonly path: string;
  /** As sent, by names in lower case; tokens included. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its header X-Correlation-Id. */
  readonly correlationId?: string;
  /** What was answered; absent while it is under way, and where the connection broke before. */
  status?: number;
}

/** What arrived at a service, oldest first. */
export class Journal {
  #requests: ReceivedRequest[] = [];
  #arrived = 0;

  add(request: IncomingMessage, response: ServerResponse): void {
    this.#arrived += 1;
    const received = receivedOf(request, this.#arrived);
    this.#requests.push(received);
    if (this.#requests.length > mostRequests) this.#requests.shift();
    response.once('close', () => {
      if (response.headersSent) received.status = response.statusCode;
    });
  }

  requests(): readonly ReceivedRequest[] {
    return this.#requests;
  }

  /** Forgets what has arrived; numbers go on. */
  clear(): void {
    this.#requests = [];
  }
}

function receivedOf({ method = '', url = '/', headers: sent }: IncomingMessage, number: number): ReceivedRequest {
  const headers = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, String(value)]));
  const [path = ''] = url.split('?', 1);
  const correlationId = headers[correlationHeader];
  return { number, method, target: url, path, headers, ...(correlationId !== undefined && { correlationId }) };
}
