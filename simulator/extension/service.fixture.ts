import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen, type Listening } from '../../fixtures/listening.fixture.ts';
import type { ExtensionHost } from './host.ts';
import { signatureOf } from './signature.ts';

/** A request of the host, as the service got it. */
export interface Callback {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Answers a request, or leaves it to the usual answer by returning undefined. */
export type Reaction = (callback: Callback, response: ServerResponse) => true | undefined;

/** A service as far as hosts call it back: it takes everything, serves `input`, and remembers. */
export interface PlayedService extends Listening {
  readonly callbacks: readonly Callback[];
  /** Those whose method and target fit. */
  matching(pattern: RegExp): readonly Callback[];
}

export async function playService(
  input: string | Buffer = '',
  reaction: Reaction = () => undefined,
): Promise<PlayedService> {
  const callbacks: Callback[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: target = '', headers } = request;
    const callback = { method, target, headers, body: await buffer(request) };
    callbacks.push(callback);
    if (reaction(callback, response) === true) return;
    if (method === 'GET') response.writeHead(200).end(input);
    else response.writeHead(204).end();
  };
  const server = createServer((request, response) => void take(request, response).catch(() => response.destroy()));
  return {
    ...(await listen(server)),
    callbacks,
    matching: (pattern) => callbacks.filter(({ method, target }) => pattern.test(`${method} ${target}`)),
  };
}

/** The links of a task of that service, as the documents list them. */
export function linksAt(
  url: string,
  job: string,
  token: string,
): readonly { id: string; method: string; url: string }[] {
  const space = `${url}/api/space/main`;
  return [
    { id: 'inputDir', method: 'GET', url: `${space}/fs/dir/in` },
    { id: 'inputFile', method: 'GET', url: `${space}/fs/file/in/list%20%C3%A9.csv?token=${token}` },
    { id: 'taskStatus', method: 'PUT', url: `${space}/dx/${job}/status/{status}` },
    { id: 'taskProgress', method: 'PUT', url: `${space}/dx/${job}/progress` },
    { id: 'uploadFileStream', method: 'POST', url: `${space}/fs/file/stream/in` },
    { id: 'uploadFile', method: 'POST', url: `${space}/fs/file` },
    { id: 'content', method: 'GET', url: `${space}/fs/file/{path}` },
    { id: 'downloadFile', method: 'GET', url: `${space}/fs/file/{path}?token=` },
  ];
}

/** What a control route of a host says. */
export interface ControlReply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Asks the control routes of a host, with its token. */
export function controlling({ url, control }: Pick<ExtensionHost, 'url' | 'control'>) {
  return async (method: string, path: string, body?: unknown, type = 'application/json'): Promise<ControlReply> => {
    const answer = await fetch(`${url}/_control/${path}`, {
      method,
      headers: { authorization: `Bearer ${control?.token}`, 'content-type': type },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
  };
}

/** A call with its envelope, signed where there is a key. */
export function calling(hostUrl: string, apiKey?: string) {
  return (kind: string, envelope: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${hostUrl}/${kind}`, {
      method: 'POST',
      headers: {
        ...(apiKey !== undefined && { authorization: `Bearer ${signatureOf(apiKey, `/${kind}`)}` }),
        ...headers,
      },
      body: JSON.stringify(envelope),
    });
}
