import nock from 'nock';
import type { Service } from 'svc-conformance';
import { nockService } from 'svc-conformance/nock';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { PatientClient } from './client.ts';

const origin = 'https://svc.example';

let service: Service;
beforeEach(async () => {
  service = await nockService(origin);
  await service.seed([{ $id: 'doc-1', $softType: 'Document', data: { title: 'First' } }]);
});
afterEach(() => service.close());
afterAll(() => nock.restore());

const client = new PatientClient(() => service.tokens('editor'), 1);

test('reads again when the connection broke, and when the service was busy', async () => {
  nock(origin).get(/doc-1/).replyWithError('cut');
  nock(origin).get(/doc-1/).reply(503);
  expect(await client.title('doc-1')).toBe('First');
});

test('gives up after its last try', async () => {
  nock(origin).get(/doc-1/).times(3).replyWithError('cut');
  await expect(client.title('doc-1')).rejects.toThrow();
  expect(await client.title('doc-1')).toBe('First');
});

test('does not try again what will not pass', async () => {
  await expect(client.title('doc-2')).rejects.toThrow('answered 404');
});
