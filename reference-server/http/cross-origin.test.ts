import { expect, test } from 'vitest';
import { createServer } from '../server.ts';

const page = 'http://localhost:5173';
const asks = {
  Origin: page,
  'Access-Control-Request-Method': 'PATCH',
  'Access-Control-Request-Headers': 'authorization,svc-uoiversion',
};

async function told(allowOrigins: readonly string[] | undefined, init: RequestInit): Promise<Response> {
  const server = createServer({ control: true, ...(allowOrigins && { allowOrigins }) });
  server.changeScript('set', [{ when: { path: '/late' }, steps: [{ status: 503 }], afterwards: 'last' }]);
  await server.listen();
  try {
    return await fetch(`${server.url}/late`, init);
  } finally {
    await server.close();
  }
}

const toOrigin = ({ headers }: Response): string | null => headers.get('access-control-allow-origin');

test('a page of an origin that is named may ask and read, an answer of the script as well', async () => {
  const before = await told([page], { method: 'OPTIONS', headers: asks });
  expect([before.status, toOrigin(before), before.headers.get('vary')]).toEqual([204, page, 'Origin']);
  expect(before.headers.get('access-control-allow-methods')).toBe('PATCH');
  expect(before.headers.get('access-control-allow-headers')).toBe('authorization,svc-uoiversion');
  const after = await told([page], { headers: { Origin: page } });
  expect([after.status, toOrigin(after), after.headers.get('access-control-expose-headers')]).toEqual([503, page, '*']);
});

test('any page may where any is said', async () => {
  expect(toOrigin(await told(['*'], { headers: { Origin: page } }))).toBe('*');
});

test('no other page may, and none where nothing is said', async () => {
  expect(toOrigin(await told(['http://localhost:1'], { headers: { Origin: page } }))).toBe(null);
  expect(toOrigin(await told(undefined, { headers: { Origin: page } }))).toBe(null);
  expect(toOrigin(await told([page], {}))).toBe(null);
});
