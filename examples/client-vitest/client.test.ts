import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Client } from './client.ts';
import { startService, type Service } from './service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

const seed = { objects: [{ $id: 'doc-1', $softType: 'Document', data: { title: 'First' }, version: 3 }] };
beforeEach(async () => {
  await service.control('POST', 'reset');
  await service.control('POST', 'seed', seed);
});

const clientOf = (identity: string): Client => new Client(service.url, () => service.token(identity));

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
    return service.token('editor', { lifetimeSeconds: 60 });
  });
  await client.read('doc-1');
  await service.control('POST', 'clock', { by: 61_000 });
  expect(await client.read('doc-1')).toMatchObject({ data: { title: 'First' } });
  expect(logIns).toBe(2);
});

test('is told of no conflict by a service that breaks this rule on purpose', async () => {
  await service.control('PUT', 'faults', { faults: ['versioning.mismatch.lower-409'] });
  const client = clientOf('editor');
  const stale = await client.read('doc-1');
  await client.rename(stale, 'Once');
  await client.rename(await client.read('doc-1'), 'Twice');
  await client.rename(stale, 'Three times', 1);
  expect(await client.read('doc-1')).toMatchObject({ data: { title: 'Three times' } });
});
