import type { Request } from 'autocannon';
import { headerNames, mediaTypes } from '../contract/names.ts';
import { routes } from '../contract/routes.ts';
import { Client, document, path } from './harness/client.ts';
import { compare } from './harness/compare.ts';
import { loaded, type Load } from './harness/load.ts';
import { scratch } from './harness/scratch.ts';
import { startSide } from './harness/side.ts';
import { storeSettings } from './harness/store-option.ts';

/** Merge PATCH into a durable store, every connection editing an object of its own, against a bare node:http POST. */
const connections = 50;
await using folder = await scratch();
await using reference = await startSide('reference', storeSettings({ file: folder.file('store.sqlite') }));
await using bare = await startSide('bare', { status: 204, headers: { [headerNames.version]: '1000' } });
const client = await Client.of(reference.url);
const objects = await Promise.all(Array.from({ length: connections }, editedObject));

const load = (seconds: number, method: 'PATCH' | 'POST'): Load => ({
  connections,
  seconds,
  requests: (connection) => [objects[connection]?.edits(method) ?? {}],
});
await compare({
  title: `merge PATCH, durable, ${connections} connections`,
  baseline: { name: 'bare node:http POST', round: (seconds) => loaded(bare, load(seconds, 'POST')) },
  subject: {
    name: 'reference server',
    async round(seconds) {
      await Promise.all(objects.map((object) => object.catchUp()));
      return loaded(reference, load(seconds, 'PATCH'));
    },
  },
  goal: '>= 0.20',
  ratio: 'rate',
});

interface EditedObject {
  /** Reads the version: a round that ends cuts off a request whose answer would have told it. */
  catchUp(): Promise<void>;
  /** One edit after the other, each for the version that the answer before it named. */
  edits(method: 'PATCH' | 'POST'): Request;
}

async function editedObject(): Promise<EditedObject> {
  const objectId = await client.createDocument(10);
  let version = 1;
  return {
    async catchUp() {
      // change sets are taken in their order, so those that were cut off are through when this one is
      await client.createDocument(0);
      const answer = await client.send('GET', path(routes.instanceShort, { ...document, objectId }));
      ({ version } = (await answer.json()) as { readonly version: number });
    },
    edits: (method) => ({
      method,
      path: path(routes.merge, { ...document, objectId }),
      setupRequest: (request) => ({
        ...request,
        headers: { ...client.headers, 'content-type': mediaTypes.json, [headerNames.version]: String(version) },
        body: JSON.stringify({ note: `edited ${version} times`, remark: 'measured', dimensions: { width: '10', height: '20' } }),
      }),
      onResponse(_status, _body, _context, headers) {
        version = Number(versionIn(headers) ?? version);
      },
    }),
  };
}

/** Header names come as the server spells them. */
function versionIn(headers: object | undefined): unknown {
  const name = headerNames.version.toLowerCase();
  return Object.entries(headers ?? {}).find(([key]) => key.toLowerCase() === name)?.[1];
}
