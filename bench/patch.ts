import { headerNames } from '../contract/names.ts';
import { Client } from './harness/client.ts';
import { compare } from './harness/compare.ts';
import { editedObject } from './harness/edited-object.ts';
import { loaded, type Load } from './harness/load.ts';
import { makeScratch } from './harness/scratch.ts';
import { startSide, storeSettings } from './harness/side.ts';

/** Merge PATCH into a durable store, every connection editing an object of its own, against a bare node:http POST. */
const connections = 50;
await using folder = await makeScratch();
await using reference = await startSide('reference', storeSettings({ file: folder.file('store.sqlite') }));
await using bare = await startSide('bare', { status: 204, headers: { [headerNames.version]: '1000' } });
const client = await Client.of(reference.url);
const objects = await Promise.all(Array.from({ length: connections }, () => editedObject(client)));

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
