import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../../reference-server/server.ts';
import { startExtensionHost } from '../../simulator/extension/host.ts';
import { extensionHostControl } from './extension-host.ts';
import { extensionHostControlDocument, serviceControlDocument } from './openapi.ts';
import type { ControlRoute } from './route.ts';
import { serviceControl } from './service.ts';

const described = [
  ['the service', serviceControlDocument, serviceControl],
  ['the extension host', extensionHostControlDocument, extensionHostControl],
] as const;

let close: () => Promise<void>;
const at: Record<string, { readonly url: string; readonly token: string }> = {};
beforeAll(async () => {
  const [server, host] = [createServer({ control: true }), await startExtensionHost({ control: true })];
  await server.listen();
  at['the service'] = { url: server.url, token: server.controlToken };
  at['the extension host'] = { url: host.url, token: host.control?.token ?? '' };
  close = async () => void (await Promise.all([server.close(), host.close()]));
});
afterAll(() => close());

/** What an answer holds that its description does not allow, or does not know of. */
function misfitsOf(document: object, { method, path, answer }: ControlRoute, body: unknown): readonly unknown[] {
  const place = ['paths', path, method.toLowerCase(), 'responses', String(answer.status), 'content'];
  const content = place.reduce<unknown>((part, key) => Reflect.get(Object(part), key), document);
  const { schema } = Reflect.get(Object(content), 'application/json') as { readonly schema: object };
  const fits = new Ajv2020({ strict: false, allErrors: true }).compile(closed(schema));
  return fits(body) ? [] : (fits.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Without room for members that nobody has described. */
function closed(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) =>
    Object.keys(Object(Reflect.get(Object(value), 'properties'))).length > 0
      ? { additionalProperties: false, ...(value as object) }
      : value,
  ) as object;
}

test('a journal with calls in it is as it is described', async () => {
  await using host = await startExtensionHost({ control: true, apiKey: btoa('a key of the test') });
  const { journal } = extensionHostControl;
  const body = { id: 'one', payload: { text: 'hello' } };
  await fetch(`${host.url}/event`, { method: 'POST', body: JSON.stringify(body) });
  await fetch(`${host.url}/svc/extension?x=1`);
  await fetch(`${host.url}/event`, { method: 'POST', body: Buffer.from([255, 254]) });
  const answer = await fetch(`${host.url}${journal.path}?count=3&awaitMs=1000`, {
    headers: { authorization: `Bearer ${host.control?.token}` },
  });
  const told = (await answer.json()) as { readonly entries: readonly object[] };
  expect(told.entries).toHaveLength(3);
  expect(misfitsOf(extensionHostControlDocument(), journal, told)).toEqual([]);
});

describe.each(described)('the control routes of %s', (name, documentOf, routes) => {
  const send = (method: string, path: string, body?: object): Promise<Response> => {
    const { url, token } = at[name] ?? { url: '', token: '' };
    return fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  };

  test('are described as OpenAPI 3.1 has it', async () => {
    expect(await new Validator().validate(structuredClone(documentOf()) as Record<string, unknown>)).toMatchObject({
      valid: true,
    });
  });

  test('serve their description', async () => {
    expect(await (await send('GET', '/_control/openapi.json')).json()).toEqual(documentOf());
  });

  test.each(Object.entries(routes))('%s is served, and answers its example as it is described', async (_, route) => {
    const body = 'body' in route ? (route.body.example as object) : undefined;
    const sent = 'faults' in Object(body) ? { faults: [] } : body;
    const answer = await send(route.method, route.path, sent);
    expect(answer.status).toBe(route.answer.status);
    const type: string = 'type' in route.answer ? route.answer.type : 'application/json';
    const text = await answer.text();
    if (route.answer.status === 204) return expect(text).toBe('');
    expect(answer.headers.get('content-type')).toContain(type);
    if (type === 'application/json') expect(misfitsOf(documentOf(), route, JSON.parse(text))).toEqual([]);
  });

  test('are none but those', async () => {
    for (const path of new Set(Object.values(routes).map((route) => route.path))) {
      const known = Object.values(routes).flatMap((route) => (route.path === path ? [route.method] : []));
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (known.some((each) => each === method)) continue;
        const { status, headers } = await send(method, path);
        expect([method, path, status]).toEqual([method, path, 405]);
        expect(headers.get('allow')).toContain(known[0]);
      }
    }
    expect((await send('GET', '/_control/nope')).status).toBe(404);
  });

  test('open to nobody without the token but where that is described', async () => {
    for (const route of Object.values(routes)) {
      if ('open' in route) continue;
      const { url } = at[name] ?? { url: '' };
      expect([route.path, (await fetch(url + route.path, { method: route.method })).status]).toEqual([route.path, 401]);
    }
  });
});
