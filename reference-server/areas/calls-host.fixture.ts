import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { smallest } from './metadata-sample.fixture.ts';
import { createServer, type Server, type ServerOptions } from '../server.ts';
import { listen, type Listening } from '../../fixtures/listening.fixture.ts';

/** A request as a host gets it. */
export interface Arrived {
  readonly method: string;
  /** Path with query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface HostAnswer {
  readonly status: number;
  readonly body?: string;
}

/** A service of the bundled configuration that listens, with one host outside that a test plays. */
export interface Stage {
  readonly server: Server;
  readonly hostUrl: string;
  /** All that the host got, the exchange of metadata left out. */
  readonly arrived: Arrived[];
  /** How the host answers calls from now on. */
  answer: (request: Arrived) => HostAnswer | Promise<HostAnswer>;
  /** Registers the host with these records and resolves with the id of the registration. */
  register(records: readonly object[], more?: object): Promise<string>;
  /** A request as somebody of the seed; a body is sent as JSON. */
  ask(
    who: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** Resolves when the host got that many calls. */
  calls(count: number): Promise<readonly Arrived[]>;
}

export const hostKey = Buffer.alloc(64, 3).toString('base64');

const pats: Readonly<Record<string, string>> = {
  edda: 'svcpat-edda-7d1c0b9e5a',
  emil: 'svcpat-emil-2f8a6c4d1b',
  cora: 'svcpat-cora-6f8b0d2e4a',
};

export async function onStage(work: (stage: Stage) => Promise<void>, options: ServerOptions = {}): Promise<void> {
  await using host = await openedHost();
  const server = createServer(options);
  await server.listen();
  try {
    await work(stageOf(server, host));
  } finally {
    await server.close();
  }
}

interface Host extends Listening {
  readonly arrived: Arrived[];
  records: readonly object[];
  answer: Stage['answer'];
  waiting: { readonly count: number; resolve(): void } | undefined;
}

async function openedHost(): Promise<Host> {
  const host: Omit<Host, keyof Listening> = {
    arrived: [],
    records: [],
    answer: () => ({ status: 200 }),
    waiting: undefined,
  };
  const http = createHttpServer((request, response) => void serve(host, request, response));
  return Object.assign(host, await listen(http));
}

async function serve(
  host: Omit<Host, keyof Listening>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url: target = '', headers } = request;
  const body = await text(request);
  if (method === 'GET' && target.endsWith('/svc/extension')) return void response.end(JSON.stringify(host.records));
  const arrived = { method, target, headers, body };
  host.arrived.push(arrived);
  const answer = await host.answer(arrived);
  response.writeHead(answer.status).end(answer.body ?? '');
  if (host.waiting !== undefined && host.arrived.length >= host.waiting.count) host.waiting.resolve();
}

function stageOf(server: Server, host: Host): Stage {
  const ask: Stage['ask'] = (who, method, path, body, headers = {}) =>
    fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${pats[who]}`,
        'content-type': 'application/json',
        'svc-informationfilter': btoa('{}'),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return Object.assign(host, {
    server,
    hostUrl: host.url,
    ask,
    async register(records: readonly object[], more: object = {}) {
      host.records = records;
      const made = await ask('cora', 'POST', '/api/admin/svcExtension', {
        hostUri: host.url,
        apiKey: hostKey,
        tokenLifeTime: 5,
        ...more,
      });
      return String(((await made.json()) as { id: unknown }).id);
    },
    calls: (count: number) =>
      new Promise<readonly Arrived[]>((resolve) => {
        const done = (): void => resolve(host.arrived);
        if (host.arrived.length >= count) done();
        else host.waiting = { count, resolve: done };
      }),
  });
}

/** A record of that type, whose endpoint is `/t/` and its id. */
export function record(id: string, extensionType: string, more: object = {}): object {
  return { ...smallest, id, extensionType, endpoint: `/t/${id}`, ...more };
}

export interface ArrivedEnvelope {
  readonly id: string;
  readonly accessToken: string;
  readonly informationFilter: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Decoder of a call to an extension. */
export function envelopeIn(arrived: Arrived | undefined): ArrivedEnvelope {
  return JSON.parse(arrived?.body ?? '');
}
