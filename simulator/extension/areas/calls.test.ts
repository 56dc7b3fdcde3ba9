import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startExtensionHost } from '../host.ts';
import { calling, playService } from '../service.fixture.ts';

const reading = (read: unknown) => ({ contentPayload: { read } });

describe('events', () => {
  test('that come again are acknowledged again and worked once', async () => {
    await using service = await playService();
    await using host = await startExtensionHost();
    const envelope = { id: 'a', accessToken: 't', baseAddress: service.url, payload: reading(['/x', '/y']) };
    const statuses = await Promise.all([1, 2, 3].map(async () => (await calling(host.url)('event', envelope)).status));
    expect(statuses).toEqual([200, 200, 200]);
    await expect.poll(() => service.callbacks.length).toBe(2);
    await calling(host.url)('event', { ...envelope, id: 'b' });
    await expect.poll(() => service.callbacks.length).toBe(4);
  });

  test('that a script refuses are not worked on', async () => {
    await using service = await playService();
    await using host = await startExtensionHost({ script: [{ steps: [{ status: 503 }] }] });
    const envelope = { id: 'a', accessToken: 't', baseAddress: service.url, payload: reading('/x') };
    expect((await calling(host.url)('event', envelope)).status).toBe(503);
    expect((await calling(host.url)('event', envelope)).status).toBe(200);
    await expect.poll(() => service.callbacks.length).toBe(1);
  });

  test('tell whoever runs the host of work that failed', async () => {
    const said: string[] = [];
    await using service = await playService('', (_callback, response) => (response.writeHead(500).end(), true));
    await using host = await startExtensionHost({ say: (problem) => said.push(problem) });
    await calling(host.url)('event', { id: 'a', accessToken: 't', baseAddress: service.url, payload: reading('/x') });
    await calling(host.url)('event', {
      id: 'b',
      accessToken: 't',
      baseAddress: 'file:///etc',
      payload: reading('passwd'),
    });
    await expect
      .poll(() => said.toSorted().map((text) => text.replace(service.url, '')))
      .toEqual(['Expected an address of http or https, found file:///etc/passwd', 'GET /x was answered 500']);
  });
});

describe('answers', () => {
  test('what is no call is 400 or 405, and ends nothing', async () => {
    await using host = await startExtensionHost();
    const status = async (body: string, method = 'POST') =>
      (await fetch(`${host.url}/event`, { method, ...(method !== 'GET' && { body }) })).status;
    for (const body of [
      '',
      '{',
      '[]',
      'null',
      '{"id":1,"payload":{}}',
      '{"id":"a"}',
      '{"id":"a","payload":[]}',
      '{"id":"","payload":{}}',
    ])
      expect(await status(body), body).toBe(400);
    expect([await status('', 'GET'), await status('{}', 'PUT')]).toEqual([405, 405]);
    expect(await status('{"id":"a","payload":{},"extra":1}')).toBe(200);
  });

  test('any payload of any kind gets an answer below 501', async () => {
    await using host = await startExtensionHost();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('event', 'validation', 'task', 'email', 'action'),
        fc.uuid(),
        fc.jsonValue(),
        fc.object(),
        async (kind, id, content, payload) => {
          const { status } = await calling(host.url)(kind, {
            id,
            accessToken: 'é\n',
            baseAddress: 'no address',
            payload: { contentPayload: content, ...payload },
          });
          expect(status).toBeLessThan(501);
        },
      ),
    );
    expect((await fetch(`${host.url}/svc/extension`)).status).toBe(200);
  });
});
