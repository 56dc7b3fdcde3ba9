import { routes } from '../contract/routes.ts';
import { Client, document, path } from './harness/client.ts';
import { compare } from './harness/compare.ts';
import { loaded } from './harness/load.ts';
import { startSide, storeSettings } from './harness/side.ts';

/** GET of an object with 10 entries, token checked, against bare node:http answering the same bytes. */
await using reference = await startSide('reference', storeSettings());
const client = await Client.of(reference.url);
const objectId = await client.createDocument(10);
const target = path(routes.instanceShort, { ...document, objectId });
const answer = await client.send('GET', target);
await using bare = await startSide('bare', await copyOf(answer));

const load = (seconds: number) => ({
  connections: 50,
  seconds,
  requests: () => [{ method: 'GET' as const, path: target, headers: client.headers }],
});
await compare({
  title: 'GET of an object with 10 entries, token checked, 50 connections',
  baseline: { name: 'bare node:http, same bytes', round: (seconds) => loaded(bare, load(seconds)) },
  subject: { name: 'reference server', round: (seconds) => loaded(reference, load(seconds)) },
  goal: '>= 0.5',
  ratio: 'rate',
});

async function copyOf(response: Response): Promise<object> {
  const {
    date: _date,
    connection: _connection,
    'keep-alive': _keep,
    ...headers
  } = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: await response.text() };
}
