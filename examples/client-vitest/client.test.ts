import { startServer, type Server } from 'svc-conformance';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Client } from './client.ts';

let service: Server;
beforeAll(async () => {
  service = await startServer();
});
afterAll(() => service.close());

beforeEach(async () => {
  await service.reset();
  await service.seed([{ $id: 'doc-1', $softType: 'Document', data: { title: 'First' }, version: 3 }]);
});

const clientOf = (identity: string): Client => new Client(service.url, () => service.tokens(identity));

test('renames a document that somebody else edited meanwhile', async () => {
  const [mine, theirs] = [clientOf('editor'), clientOf('secondEditor')];
  const read = await mine.read('doc-1');
  await theirs.rename(read, 'Theirs');

  await mine.rename(read, 'Mine');

  expect(await mine.read('doc-1')).toMatchObject({ data: { title: 'Mine' }, version: 5 });
});

test('gives up when it may not try again', async () => {
  const client = clientOf('editor');
  const stale = await client.read('doc-1');
  await client.rename(stale, 'Once');
  await expect(client.rename(stale, 'Twice', 1)).rejects.toMatchObject({ status: 409 });
});

test('logs in again when its token has run out', async () => {
  let logIns = 0;
  const client = new Client(service.url, () => {
    logIns += 1;
    return service.tokens('editor', { lifetimeSeconds: 60 });
  });
  await client.read('doc-1');
  await service.clock.advance({ seconds: 61 });
  expect(await client.read('doc-1')).toMatchObject({ data: { title: 'First' } });
  expect(logIns).toBe(2);
});

test('is told of no conflict by a service that breaks this rule on purpose', async () => {
  await service.faults.set(['versioning.mismatch.lower-409']);
  const client = clientOf('editor');
  const stale = await client.read('doc-1');
  await client.rename(stale, 'Once');
  await client.rename(await client.read('doc-1'), 'Twice');
  await client.rename(stale, 'Three times', 1);
  expect(await client.read('doc-1')).toMatchObject({ data: { title: 'Three times' } });
});
