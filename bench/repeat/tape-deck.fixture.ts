import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../fixtures/listening.fixture.ts';
import type { RecordedExchange } from '../../judge/cassette/exchanges.ts';

/** A request as it arrived, with the headers that were recorded. */
interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What stands for a credential in the files that are made of a cassette. */
export const credential = 'a-credential';

/** A service that answers one request after the other as it was recorded, and notes what was sent. */
export async function startTapeDeck(recorded: readonly RecordedExchange[]) {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, answer) => {
    const { request: asked, response } = recorded[arrived.length] ?? {};
    const names = asked?.headers.map(([name]) => name.toLowerCase()) ?? [];
    const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]));
    const body = (await buffer(request)).toString('latin1');
    arrived.push({ method: request.method ?? '', url: request.url ?? '', headers, body });
    answer.sendDate = false;
    const kept = response?.headers.filter(([name]) => !hopByHop.test(name)) ?? [];
    answer.writeHead(response?.status ?? 599, kept.flat());
    answer.end(response?.body);
  });
  return { ...(await listen(server)), arrived };
}

const hopByHop = /^(?:connection|keep-alive|transfer-encoding|content-length)$/i;

/** The same as it has to arrive. */
export function sentBy({ request, variable }: RecordedExchange): Arrived {
  const { method, url, headers, body = new Uint8Array() } = request;
  const { pathname, search } = new URL(url);
  const sent = headers.map(([name, value]): [string, string] => {
    const isKnown = variable !== undefined && name.toLowerCase() === 'authorization';
    return [name.toLowerCase(), isKnown ? value.replace(/\S+$/, credential) : value];
  });
  const text = Buffer.from(body).toString('latin1');
  return { method, url: pathname + search, headers: Object.fromEntries(sent), body: text };
}
