import { startCluster } from '../reference-server/ports/postgres.fixture.ts';
import { Client } from './harness/client.ts';
import { compare, type Contestant } from './harness/compare.ts';
import { editedObject, type EditedObject } from './harness/edited-object.ts';
import { loaded, type Figure } from './harness/load.ts';
import { startSide, type Side } from './harness/side.ts';

/** Two hosts of one PostgreSQL database against one of them: merge PATCH, and GET of an object with 10 entries. */
const connections = 48;
await using cluster = await startCluster();
await using first = await startSide('reference', { database: cluster.url });
await using second = await startSide('reference', { database: cluster.url });
const client = await Client.of(first.url);
const objects = await Promise.all(Array.from({ length: connections }, () => editedObject(client)));

for (const method of ['PATCH', 'GET'] as const)
  await compare({
    title: `${method}, ${connections} connections to two hosts of one database against as many to one`,
    baseline: contestant('one host', method, [first]),
    subject: contestant('two hosts', method, [first, second]),
    goal: 'none',
    ratio: 'rate',
  });

function contestant(name: string, method: 'PATCH' | 'GET', hosts: readonly Side[]): Contestant {
  const share = connections / hosts.length;
  return {
    name,
    async round(seconds) {
      await Promise.all(objects.map((object) => object.catchUp()));
      const figures = await Promise.all(
        hosts.map((host, index) => round(host, method, seconds, objects.slice(index * share, (index + 1) * share))),
      );
      return together(figures);
    },
  };
}

function round(host: Side, method: 'PATCH' | 'GET', seconds: number, edited: readonly EditedObject[]): Promise<Figure> {
  const requests = (connection: number) => [
    (method === 'GET' ? edited[connection]?.read() : edited[connection]?.edits(method)) ?? {},
  ];
  return loaded(host, { connections: edited.length, seconds, requests });
}

function together(figures: readonly Figure[]): Figure {
  const perSecond = figures.reduce((sum, figure) => sum + figure.perSecond, 0);
  const cpu = figures.reduce((sum, figure) => sum + figure.cpuUs * figure.perSecond, 0);
  return { perSecond, cpuUs: cpu / perSecond, failures: figures.reduce((sum, { failures }) => sum + failures, 0) };
}
