import { createServer } from 'node:http';
import { listen } from '../../fixtures/listening.fixture.ts';
import { answerParent, settingsOf } from '../harness/parent.ts';

/** The baseline: reads the body, then answers the same bytes to everything. */
export interface BareSettings {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

const { status, headers, body } = settingsOf<BareSettings>();

const server = createServer((request, response) => {
  const answer = (): void => void response.writeHead(status, headers).end(body);
  if (request.method === 'GET') return answer();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', answer);
});
const { url, [Symbol.asyncDispose]: close } = await listen(server);
answerParent(url, close);
