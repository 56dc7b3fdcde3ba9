import type { Request } from 'autocannon';
import { headerNames, mediaTypes } from '../contract/names.ts';
import { routes } from '../contract/routes.ts';
import { Client, document, path } from './harness/client.ts';
import { compare } from './harness/compare.ts';
import { loaded, type Figure } from './harness/load.ts';
import { startSide } from './harness/side.ts';

/** Removing the first entry of 100,000, again and again, against removing the last one. */
const entries = 100_000;
await using reference = await startSide('reference');
const client = await Client.of(reference.url);

await compare({
  title: `removing the first of ${entries.toLocaleString('en')} entries against the last, one connection, one by one`,
  baseline: { name: 'the last', round: (seconds) => removed(seconds, (done) => entries - done) },
  subject: { name: 'the first', round: (seconds) => removed(seconds, (done) => done + 1) },
  goal: '<= 1.2 (ours)',
  ratio: 'time',
});

/** @param idAfter id of the entry to remove when so many are gone; a fresh array has the ids 1 to `entries` in order */
async function removed(seconds: number, idAfter: (done: number) => number): Promise<Figure> {
  const objectId = await client.createDocument(entries);
  const figure = await loaded(reference, { connections: 1, seconds, requests: () => [removal(objectId, idAfter)] });
  await client.send('DELETE', path(routes.instanceShort, { ...document, objectId }));
  return figure;
}

function removal(objectId: string, idAfter: (done: number) => number): Request {
  let done = 0;
  return {
    method: 'PATCH',
    path: path(routes.operations, { ...document, objectId }),
    setupRequest: (request) => ({
      ...request,
      headers: { ...client.headers, 'content-type': mediaTypes.operations, [headerNames.version]: String(done + 1) },
      body: JSON.stringify([{ op: 'remove', path: `/files/${idAfter(done)}/` }]),
    }),
    onResponse() {
      done += 1;
    },
  };
}
