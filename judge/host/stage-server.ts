import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { listenOn, serverSpeaking, shut, type Tls } from '../../simulator/extension/listener.ts';
import { headersOf } from '../../simulator/extension/receive.ts';
import { exchangeOf } from '../client/exchange-of.ts';
import type { WireRequest } from '../client/wire.ts';
import type { Exchange, Reply } from '../exchange.ts';
import type { StageMessage, Tape } from '../cassette/tape.ts';
import { type Arrival, kindOf, tokenOf } from './arrival.ts';
import { jsonOf } from '../json.ts';
import { PreconditionFailed } from '../violation.ts';

/** An answer of the service that the suite plays. */
export interface StageAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  /** The connection ends before the last byte. */
  readonly isCut?: boolean;
  /** It ends without an answer. */
  readonly isLost?: boolean;
}

/** What takes the requests of a server. */
export type Take = (arrival: Arrival) => Promise<StageAnswer>;

/** Longest body that is taken, in bytes. */
const mostBytes = 64 * 1024 * 1024;

export interface StageServerOptions {
  /** ms of the clock of the host. */
  readonly now: () => number;
  readonly tls?: Tls | undefined;
  /** By which a cassette knows it. */
  readonly name: string;
  /** Where the run is recorded, or played from. */
  readonly tape?: Tape | undefined;
}

/** A listener of the service that the suite plays. Knows how many requests are open, so that time does not pass under them. */
export class StageServer {
  heldChanged: (held: number) => void = () => undefined;
  readonly #server: Server;
  readonly #take: Take;
  readonly #now: () => number;
  #open = 0;
  #held = 0;
  readonly #name: string;
  readonly #tape: Tape | undefined;
  #port = 0;

  constructor(take: Take, { now, tls, name, tape }: StageServerOptions) {
    this.#name = name;
    this.#tape = tape;
    this.#take = take;
    this.#now = now;
    this.#server = serverSpeaking(
      tls,
      { keepAliveTimeout: 65_000 },
      (request, response) => void this.#answer(request, response),
    );
    this.#server.on('clientError', (_error, socket) => socket.destroy());
  }

  get port(): number {
    return this.#port;
  }

  /** ms of the clock of the host. */
  now(): number {
    return this.#now();
  }

  /** Requests being taken or answered, without those that are withheld. */
  get busy(): number {
    return this.#open - this.#held;
  }

  get held(): number {
    return this.#held;
  }

  /** @throws {PreconditionFailed} the address cannot be listened on */
  async listen(host: string, port: number): Promise<void> {
    const played = this.#tape?.portOf(this.#name);
    this.#tape?.staged(this.#name, (message) => void this.#play(message).catch(() => undefined));
    if (played !== undefined) {
      this.#port = played;
      return;
    }
    this.#port = await listenOn(this.#server, host, port).catch((error: Error) => {
      throw new PreconditionFailed(
        `to listen on ${host}:${port} (${error.message}): correct listener.bind in the profile, or end what listens there`,
      );
    });
    this.#tape?.listens(this.#name, this.#port);
  }

  close(): Promise<void> {
    return shut(this.#server);
  }

  /** Waits for what the suite lets the host wait for, or for the host to give it up: then it waits for nothing any more, and does something else. */
  async withhold({ gone }: Pick<Arrival, 'gone'>, until: Promise<void>): Promise<void> {
    this.#hold(1);
    await Promise.race(gone === undefined ? [until] : [until, gone]).finally(() => this.#hold(-1));
  }

  #hold(more: number): void {
    this.#held += more;
    this.heldChanged(this.#held);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#open += 1;
    try {
      const bytes = await bodyOf(request);
      const { method = '', url: target = '' } = request;
      const message = { method, target, headers: headersOf(request), bytes, arrivedAt: this.#now() };
      this.#tape?.stageMessage(this.#name, message);
      const gone = new Promise<void>((resolve) => response.once('close', resolve));
      const { answer, seen } = await this.#taken(message, gone);
      seen.answered(answer.status, send(response, answer));
    } catch {
      response.destroy();
    } finally {
      this.#open -= 1;
    }
  }

  /** Takes what was sent when the run was recorded. */
  async #play(message: StageMessage): Promise<void> {
    const { answer, seen } = await this.#taken(message);
    seen.answered(answer.status, '');
  }

  async #taken(
    message: StageMessage,
    gone?: Promise<void>,
  ): Promise<{ readonly answer: StageAnswer; readonly seen: ArrivedReply }> {
    const { arrival, seen } = this.#arrivalOf(message);
    return { answer: await this.#take({ ...arrival, ...(gone && { gone }) }), seen };
  }

  #arrivalOf({ method, target, headers, bytes, arrivedAt }: StageMessage): {
    readonly arrival: Arrival;
    readonly seen: ArrivedReply;
  } {
    const [, host = `127.0.0.1:${this.#port}`] = headers.find(([name]) => name.toLowerCase() === 'host') ?? [];
    const path = target.split('?')[0] ?? '';
    const text = new TextDecoder().decode(bytes);
    const seen = new ArrivedReply({
      method,
      url: `http://${host}${target}`,
      headers,
      ...(bytes.length > 0 && { body: bytes }),
      arrived: true,
    });
    const arrival = {
      kind: kindOf(method, path),
      method,
      target,
      path,
      headers,
      text,
      bytes,
      json: jsonOf(text),
      seen,
      arrivedAt,
      token: tokenOf(headers, target),
      callId: undefined,
      isAllowed: false,
      port: this.#port,
    };
    return { arrival, seen };
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) throw new RangeError('the body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the body as text. */
function send(response: ServerResponse, { status, headers = {}, body, isCut = false, isLost }: StageAnswer): string {
  if (isLost) {
    response.destroy();
    return '';
  }
  const isRaw = body instanceof Uint8Array;
  const content = isRaw || body === undefined ? body : JSON.stringify(body);
  const type = isRaw ? 'application/octet-stream' : 'application/json';
  // where nothing tells the length, the end of a connection of HTTP/1.0 is that of the body
  const length = isCut && { 'Content-Length': Buffer.byteLength(content ?? '') };
  response.writeHead(status, { ...(content !== undefined && { 'Content-Type': type }), ...length, ...headers });
  if (isCut) cut(response, content ?? '');
  else response.end(content);
  return isRaw ? `${body.byteLength} bytes` : (content?.toString() ?? '');
}

/** Half of it, and then the end of the connection. */
function cut(response: ServerResponse, content: Uint8Array | string): void {
  const bytes = Buffer.from(content);
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => setImmediate(() => response.destroy()));
}

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
