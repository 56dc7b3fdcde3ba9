import { gzipSync } from 'node:zlib';
import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as nodeRequest,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { CallbackError, type Incoming, type Outgoing } from '../../simulator/extension/client.ts';
import { isObject } from '../../simulator/extension/envelope.ts';
import { signatureOf } from '../../simulator/extension/signature.ts';
import { together } from './breaks.ts';
import { breaks, type Freedom, type HostVariant } from './choice.ts';

/** An answer as it is about to go out. */
interface WireAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  /** Without a length. */
  readonly isChunked?: boolean;
  readonly delayMs?: number;
  /** After the answer, unsaid. */
  readonly cutsConnection?: boolean;
}

const basePath = '/ext/v2';
const fewAnswers = 3;

/** How bytes may go over the wire, both ways. The first of two that stand together is nearer to the wire. */
export const wireFreedoms: readonly Freedom[] = [
  {
    open: 'HTTP: how the length of an answer is told',
    choices: [
      { meets: 'answers come in chunks', by: answers((answer) => ({ ...answer, isChunked: true })) },
      {
        meets: 'answers end with their connection and have no length',
        by: breaks('wire', 'pass', (right) => (request, response) => {
          right(request, response);
          response.shouldKeepAlive = false;
          response.useChunkedEncodingByDefault = false;
          changeAnswer(response, (answer) => ({ ...answer, isChunked: true }));
        }),
      },
    ],
  },
  {
    open: 'HTTP: compression of answers for those who take it, or do not say what they take',
    choices: [
      {
        meets: 'answers are compressed, also where nobody said what he takes',
        by: answers((answer) =>
          answer.body.length === 0
            ? answer
            : withHeaders({ ...answer, body: gzipSync(answer.body) }, { 'Content-Encoding': 'gzip' }),
        ),
      },
      {
        meets: 'answers are compressed where the service takes that',
        by: answers((answer, { headers }) =>
          /gzip|\*/.test(String(headers['accept-encoding'] ?? '')) && answer.body.length > 0
            ? withHeaders(
                { ...answer, body: gzipSync(answer.body) },
                { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' },
              )
            : answer,
        ),
      },
    ],
  },
  {
    open: 'HTTP: when connections end',
    choices: [
      {
        meets: 'each connection serves one request and says so',
        by: answers((answer) => withHeaders(answer, { Connection: 'close' })),
      },
      {
        meets: 'connections end after a few answers, without a word',
        by: breaks('wire', 'pass', (right) => {
          let turn = 0;
          return (request, response) => {
            right(request, response);
            turn += 1;
            const cutsConnection = turn % fewAnswers === 0;
            changeAnswer(response, (answer) => ({ ...answer, cutsConnection }));
          };
        }),
      },
      {
        meets: 'connections are kept for no longer than it tells',
        by: answers((answer) => withHeaders(answer, { 'Keep-Alive': 'timeout=1, max=2' })),
      },
    ],
  },
  {
    open: 'HTTP: spelling of header names',
    choices: [
      {
        meets: 'header names have small letters',
        by: answers((answer) => named(answer, (name) => name.toLowerCase())),
      },
      {
        meets: 'header names have capital letters',
        by: answers((answer) => named(answer, (name) => name.toUpperCase())),
      },
    ],
  },
  {
    open: 'HTTP: further headers',
    choices: [
      {
        meets: 'answers have cookies, tags and what browsers are told',
        by: answers((answer) =>
          withHeaders(answer, {
            'Set-Cookie': 'session=1; Path=/; HttpOnly',
            ETag: 'W/"1"',
            'Cache-Control': 'no-store',
            'Strict-Transport-Security': 'max-age=31536000',
            'X-Correlation-Id': 'own-1',
            Server: 'Kestrel',
          }),
        ),
      },
      {
        meets: 'answers have no Date',
        by: breaks('wire', 'pass', (right) => (request, response) => {
          right(request, response);
          response.sendDate = false;
        }),
      },
      {
        meets: 'the clock that answers tell is an hour ahead',
        by: answers((answer) => withHeaders(answer, { Date: new Date(Date.now() + 3_600_000).toUTCString() })),
      },
    ],
  },
  {
    open: 'HTTP: answers on the way to the last one',
    choices: [
      {
        meets: 'an early hint comes before each answer',
        by: breaks('wire', 'pass', (right) => (request, response) => {
          right(request, response);
          response.writeEarlyHints({ link: '</x.css>; rel=preload; as=style' });
        }),
      },
      {
        meets: 'it says that it is at work before it answers',
        by: breaks('wire', 'pass', (right) => (request, response) => {
          right(request, response);
          response.writeProcessing();
        }),
      },
    ],
  },
  {
    open: 'extensions: Limits, request timeout: at every moment within it',
    choices: [
      {
        meets: 'answers take up to a quarter of a second',
        by: breaks('wire', 'pass', (right) => {
          let turn = 0;
          return (request, response) => {
            right(request, response);
            turn += 1;
            const delayMs = (turn * 67) % 250;
            changeAnswer(response, (answer) => ({ ...answer, delayMs }));
          };
        }),
      },
    ],
  },
  {
    open: 'extensions: Metadata exchange: the notation of JSON and of its type',
    choices: [
      {
        meets: 'JSON is indented and goes by its type alone',
        by: answers((answer) =>
          typed(
            jsonAs(answer, (value) => `\n${JSON.stringify(value, undefined, '\t')}\n`),
            'application/json',
          ),
        ),
      },
      {
        meets: 'JSON is ASCII with escapes, and the type has capitals and quotes',
        by: answers((answer) =>
          typed(
            jsonAs(answer, (value) => asciiOf(value)),
            'Application/JSON;Charset="UTF-8"',
          ),
        ),
      },
      {
        meets: 'members come in the opposite order',
        by: answers((answer) => jsonAs(answer, (value) => JSON.stringify(turnedRound(value)))),
      },
    ],
  },
  {
    open: 'signature-refusal-status',
    choices: [
      {
        meets: 'wrong signatures are refused with 403 and JSON',
        by: breaks('signing', 'refusal', () => () => ({
          status: 403,
          json: { error: 'forbidden', errors: [{ message: 'no' }] },
        })),
        binding: (binding) => ({ ...binding, refusalStatus: 403 }),
      },
      {
        meets: 'wrong signatures are refused with a challenge and a page',
        by: breaks('signing', 'refusal', () => () => ({
          status: 401,
          text: '<html>Who are you?</html>',
          headers: { 'WWW-Authenticate': 'Bearer realm="host", error="invalid_token"', 'Content-Type': 'text/html' },
        })),
      },
      {
        meets: 'wrong signatures are refused with 404',
        by: breaks('signing', 'refusal', () => () => ({ status: 404, text: 'Not found' })),
      },
      {
        meets: 'wrong signatures are refused with 400 and the end of the connection',
        by: breaks('signing', 'refusal', () => () => ({ status: 400, json: [], headers: { Connection: 'close' } })),
      },
      {
        meets: 'wrong signatures end the connection',
        by: breaks('signing', 'refusal', () => () => ({ status: 401, cut: 'before-answer', how: 'close' })),
      },
      {
        meets: 'wrong signatures are sent to a page where one logs in',
        by: breaks('signing', 'refusal', () => () => ({ status: 302, headers: { Location: '/login' } })),
      },
    ],
  },
  {
    open: 'signature-host-base-path',
    choices: [
      {
        meets: 'hostUri has a path, which is not signed',
        by: belowPath(),
        binding: (binding) => ({ ...binding, hostUri: `${binding.hostUri}${basePath}/` }),
      },
      {
        meets: 'hostUri has a path, which is signed',
        by: together(
          belowPath(),
          breaks('signing', 'isAdmitted', (right, { surroundings: { apiKey = '' } }) => (entry) => {
            const path = entry.target.split('?')[0] ?? '';
            // keys are brought to the root
            if (path.startsWith('/keys/')) return right(entry);
            return entry.signature?.presented === signatureOf(apiKey, basePath + path);
          }),
        ),
        binding: (binding) => ({ ...binding, hostUri: `${binding.hostUri}${basePath}` }),
      },
    ],
  },
  {
    open: 'HTTP: how the requests of a host go over the wire',
    choices: [
      { meets: 'its requests have a connection each', by: sending({ keepAlive: false }) },
      { meets: 'its requests name the whole address, as through a proxy', by: sending({ isAbsolute: true }) },
      {
        meets: 'its requests wait for 100 before their body, which comes in chunks',
        by: sending({ expects: true, isChunked: true }),
      },
    ],
  },
  {
    open: 'HTTP: the headers of the requests of a host',
    choices: [
      {
        meets: 'its requests have small letters and further headers',
        by: requesting((outgoing) => ({
          ...outgoing,
          headers: {
            ...Object.fromEntries(Object.entries(outgoing.headers).map(([name, value]) => [name.toLowerCase(), value])),
            accept: 'application/json, text/plain, */*',
            'user-agent': 'python-requests/2.32.3',
            'accept-encoding': 'gzip, deflate, br',
            cookie: 'a=b',
          },
        })),
      },
      {
        meets: 'its requests have capital letters and a scheme in small ones',
        by: requesting((outgoing) => ({
          ...outgoing,
          headers: Object.fromEntries(
            Object.entries(outgoing.headers).map(([name, value]) => [
              name.toUpperCase(),
              value.replace(/^Bearer /, 'bearer  '),
            ]),
          ),
        })),
      },
    ],
  },
  {
    open: 'extensions: Call envelope, row id: what a request of the host carries of it',
    choices: [
      {
        meets: 'its requests have no correlation id',
        by: requesting((outgoing) => withoutHeader(outgoing, 'x-correlation-id')),
      },
      {
        meets: 'its requests have a correlation id each, and a trace',
        by: requesting((outgoing) => ({
          ...outgoing,
          headers: {
            ...withoutHeader(outgoing, 'x-correlation-id').headers,
            'X-Correlation-Id': '00000000-0000-4000-8000-000000000000',
            traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
          },
        })),
      },
    ],
  },
  {
    open: 'extensions: Callbacks, body: the notation of JSON',
    choices: [
      {
        meets: 'its JSON is indented, escaped and has a charset',
        by: requesting((outgoing) => {
          const isJson = outgoing.headers['Content-Type'] === 'application/json' && typeof outgoing.body === 'string';
          if (!isJson) return outgoing;
          const body = asciiOf(JSON.parse(String(outgoing.body)), ' ');
          return {
            ...outgoing,
            body,
            headers: { ...outgoing.headers, 'Content-Type': 'application/json; charset=UTF-8' },
          };
        }),
      },
    ],
  },
];

/** The choice that changes every request of the host. */
export function requesting(change: (outgoing: Outgoing) => Outgoing): HostVariant {
  return breaks('client', 'request', (right) => (outgoing, signal) => right(change(outgoing), signal));
}

export function withoutHeader(outgoing: Outgoing, left: string): Outgoing {
  const headers = Object.entries(outgoing.headers).filter(([name]) => name.toLowerCase() !== left);
  return { ...outgoing, headers: Object.fromEntries(headers) };
}

/** The choice that changes every answer of the host on the wire. */
export function answers(change: (answer: WireAnswer, request: IncomingMessage) => WireAnswer): HostVariant {
  return breaks('wire', 'pass', (right) => (request, response) => {
    right(request, response);
    changeAnswer(response, (answer) => change(answer, request));
  });
}

/** Takes the place of how the host writes its answer, which it does at once. */
function changeAnswer(response: ServerResponse, change: (answer: WireAnswer) => WireAnswer): void {
  const [writeHead, end] = [response.writeHead.bind(response), response.end.bind(response)];
  let head: Pick<WireAnswer, 'status' | 'headers'> = { status: 200, headers: [] };
  const hold = (status: number, given: Readonly<Record<string, unknown>> | readonly string[] = {}): ServerResponse => {
    head = { status, headers: pairsOf(given) };
    return response;
  };
  const release = (body: Buffer = Buffer.alloc(0), done: () => void = () => undefined): ServerResponse => {
    const answer = change({ ...head, body: Buffer.from(body) });
    const { status, isChunked = false, delayMs = 0, cutsConnection = false } = answer;
    const isBodyless = status === 204 || status === 304;
    const length = isChunked || isBodyless ? {} : { 'Content-Length': String(answer.body.length) };
    const { headers } = withHeaders(
      { ...answer, headers: answer.headers.filter(([name]) => name.toLowerCase() !== 'content-length') },
      length,
    );
    const send = (): void => {
      const { socket } = response;
      writeHead(status, headers.flat());
      end(answer.body, () => {
        done();
        if (cutsConnection) socket?.end();
      });
    };
    if (delayMs > 0) setTimeout(send, delayMs);
    else send();
    return response;
  };
  Reflect.set(response, 'writeHead', hold);
  Reflect.set(response, 'end', release);
}

function pairsOf(given: Readonly<Record<string, unknown>> | readonly string[]): WireAnswer['headers'] {
  if (!Array.isArray(given)) return Object.entries(given).map(([name, value]) => [name, String(value)]);
  const texts: readonly unknown[] = given;
  return texts.flatMap((text, index) => (index % 2 === 0 ? [[String(text), String(texts[index + 1])] as const] : []));
}

function withHeaders(answer: WireAnswer, more: Readonly<Record<string, string>>): WireAnswer {
  const names = Object.keys(more).map((name) => name.toLowerCase());
  const kept = answer.headers.filter(([name]) => !names.includes(name.toLowerCase()));
  return { ...answer, headers: [...kept, ...Object.entries(more)] };
}

function named(answer: WireAnswer, spell: (name: string) => string): WireAnswer {
  return { ...answer, headers: answer.headers.map(([name, value]) => [spell(name), value]) };
}

function jsonAs(answer: WireAnswer, write: (value: unknown) => string): WireAnswer {
  const isJson = answer.headers.some(([name, value]) => name.toLowerCase() === 'content-type' && /json/i.test(value));
  return isJson ? { ...answer, body: Buffer.from(write(JSON.parse(answer.body.toString()))) } : answer;
}

function typed(answer: WireAnswer, type: string): WireAnswer {
  const isJson = answer.headers.some(([name, value]) => name.toLowerCase() === 'content-type' && /json/i.test(value));
  return isJson ? withHeaders(answer, { 'Content-Type': type }) : answer;
}

function asciiOf(value: unknown, indent?: string): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function turnedRound(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnedRound);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, turnedRound(inner)]),
  );
}

/** What arrives below the path of hostUri arrives at the root, as behind a proxy. */
function belowPath(): HostVariant {
  return breaks('wire', 'pass', (right) => (request, response) => {
    request.url = (request.url ?? '').replace(new RegExp(`^${basePath}(?=/)`), '');
    right(request, response);
  });
}

interface Sending {
  readonly keepAlive?: boolean;
  readonly isAbsolute?: boolean;
  readonly expects?: boolean;
  readonly isChunked?: boolean;
}

/** Another client than the host has by itself. */
function sending({ keepAlive = true, isAbsolute = false, expects = false, isChunked = false }: Sending): HostVariant {
  return together(
    breaks('client', 'request', () => {
      const agent = new Agent({ keepAlive });
      return async (outgoing, signal) => {
        const { headers, body } = await bodyOf(outgoing);
        const length = body === undefined || isChunked ? {} : { 'Content-Length': String(body.length) };
        const none = body === undefined && ['PUT', 'POST'].includes(outgoing.method) ? { 'Content-Length': '0' } : {};
        const wait = expects && body !== undefined ? { Expect: '100-continue' } : {};
        const request = nodeRequest(outgoing.url, {
          agent,
          method: outgoing.method,
          headers: {
            ...withoutHeader({ ...outgoing, headers }, 'content-length').headers,
            ...length,
            ...none,
            ...wait,
          },
          signal,
          ...(isAbsolute && { path: outgoing.url }),
        });
        return answerTo(request, body, expects).catch((error: unknown) => {
          signal.throwIfAborted();
          throw new CallbackError(`${outgoing.method} failed (${String(error)})`);
        });
      };
    }),
  );
}

async function answerTo(request: ClientRequest, body: Buffer | undefined, waits: boolean): Promise<Incoming> {
  const { promise, resolve, reject } = Promise.withResolvers<Incoming>();
  request.on('error', reject);
  request.on('response', (response) =>
    resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, body: response }),
  );
  if (body !== undefined && waits) {
    request.flushHeaders();
    request.once('continue', () => request.end(body));
  } else request.end(body);
  return promise;
}

async function bodyOf({ headers, body }: Outgoing): Promise<{ headers: Outgoing['headers']; body?: Buffer }> {
  if (body === undefined) return { headers };
  if (typeof body === 'string' || body instanceof Uint8Array) return { headers, body: Buffer.from(body) };
  if (typeof body === 'function') return { headers, body: await buffer(body()) };
  const { Response } = await import('undici');
  const form = new Response(body);
  const type = form.headers.get('content-type') ?? '';
  return { headers: { ...headers, 'Content-Type': type }, body: Buffer.from(await form.arrayBuffer()) };
}
