import { exchangeOf } from '../../client/exchange-of.ts';
import type { WireRequest } from '../../client/wire.ts';
import type { Exchange, Reply } from '../../exchange.ts';

const startedAt = performance.now();

/** A request of the host with the answer of the suite, as reports show an exchange. */
export class ArrivedReply implements Reply {
  readonly request: WireRequest;
  readonly headers: Reply['headers'] = {};
  readonly bytes = new Uint8Array();
  readonly json = undefined;
  readonly url: string;
  status = 0;
  text = '';
  readonly exchange: Exchange & { response?: Exchange['response']; durationMs: number };

  constructor(request: WireRequest) {
    this.request = request;
    this.url = request.url;
    this.exchange = { ...exchangeOf(request, { sentAt: performance.now() - startedAt, durationMs: 0 }) };
  }

  answered(status: number, body: string): void {
    this.status = status;
    this.text = body;
    Object.assign(this.exchange, {
      response: { status, headers: [], body: body.slice(0, 4000) },
      durationMs: performance.now() - startedAt - this.exchange.sentAt,
    });
  }
}
