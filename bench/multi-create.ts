import { instancesPerMultiCreate } from '../contract/limits.ts';
import { mediaTypes } from '../contract/names.ts';
import { routes } from '../contract/routes.ts';
import { Client, document, path } from './harness/client.ts';
import { compare } from './harness/compare.ts';
import { loaded, perItem, type Figure } from './harness/load.ts';
import { makeScratch } from './harness/scratch.ts';
import { startSide } from './harness/side.ts';

/** A multi-create of 50 against 50 creates one after another, into a durable store. */
await using folder = await makeScratch();
await using reference = await startSide('reference', { file: folder.file('store.sqlite') });
const client = await Client.of(reference.url);
const data = { title: 'Measured', note: 'a note' };
const items = Array.from({ length: instancesPerMultiCreate }, () => ({ $softType: document.definitionId, data }));

await compare({
  title: `multi-create of ${instancesPerMultiCreate} against single creates, one connection, durable`,
  baseline: { name: 'one object a request', round: (seconds) => created(seconds, routes.create, data) },
  subject: {
    name: `${instancesPerMultiCreate} objects a request`,
    round: async (seconds) => perItem(await created(seconds, routes.multiCreate, items), instancesPerMultiCreate),
  },
  goal: '>= 10',
  ratio: 'rate',
  unit: 'object',
});

function created(seconds: number, route: string, body: object): Promise<Figure> {
  const headers = { ...client.headers, 'content-type': mediaTypes.json };
  const request = { method: 'POST' as const, path: path(route, document), headers, body: JSON.stringify(body) };
  return loaded(reference, { connections: 1, seconds, requests: () => [request] });
}
