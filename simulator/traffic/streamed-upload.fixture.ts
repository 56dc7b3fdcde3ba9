import { createServer } from 'node:http';
import { listen } from '../../fixtures/listening.fixture.ts';
import { openSender } from './send.ts';
import type { HttpStep } from './step.ts';

// Uploads so many bytes to itself and prints, as JSON, what was received and how much memory the process held at most meanwhile: a process
// of its own, because other tests hold memory too.
const length = Number(process.argv[2]);
const upload: HttpStep = {
  kind: 'http',
  op: 'upload',
  method: 'POST',
  path: '/file',
  body: { kind: 'generated', seed: 1, length },
};
const held = (): number => process.memoryUsage().heapUsed + process.memoryUsage().external;
let [received, most] = [0, 0];
const server = createServer((request, response) => {
  request.on('data', ({ length: piece }: Buffer) => {
    received += piece;
    most = Math.max(most, held());
  });
  request.on('end', () => response.end());
});
await using target = await listen(server);
const before = held();
await using sender = openSender(
  { baseUrl: target.url, authorizationOf: () => 'Bearer made.up.token', timeoutMs: 600_000 },
  1,
);
const { result, error } = await sender.send(upload);
process.stdout.write(JSON.stringify({ status: result.status, error, received, grown: most - before }));
