import { expect, test } from 'vitest';
import { buffer } from 'node:stream/consumers';
import { contentOf } from './content.ts';
import type { GeneratedBody, HttpStep } from './step.ts';
import { packedRequestOf } from './wire.ts';

const setup = { authorizationOf: () => 'Bearer made.up.token' };
const place = { prefix: '/deep', host: 'localhost:1' };
const step = { kind: 'http', op: 'made up', method: 'POST', path: '/upload' } as const satisfies HttpStep;

test('a long body is streamed, and not held', async () => {
  const body: GeneratedBody = { kind: 'generated', seed: 3, length: 1024 * 1024 };
  const { bytes, stream } = packedRequestOf({ ...step, body }, setup, place);
  expect(bytes.length).toBeLessThan(300);
  expect(String(bytes)).toMatch(
    /^POST \/deep\/upload HTTP\/1.1\r\nHost: localhost:1\r\n[^]*Content-Length: 1048576\r\n\r\n$/,
  );
  expect(stream && (await buffer(stream)).equals(contentOf(body))).toBe(true);
});

test('the length of a text counts its bytes', () => {
  expect(String(packedRequestOf({ ...step, body: 'Größe' }, setup, place).bytes)).toMatch(
    /\r\nContent-Length: 7\r\n\r\nGröße$/,
  );
});

test.each([{ path: '/a\r\nX: y' }, { headers: { 'X-Made-Up': 'a\nb' } }, { as: { bearer: 'a\r\n\r\nGET /' } }])(
  'line ends cannot be sent: %j',
  (wrong) => {
    expect(() => packedRequestOf({ ...step, ...wrong }, setup, place)).toThrow('without line ends');
  },
);

test('whatever host a step names, it goes to the host under load', () => {
  const [head] = String(
    packedRequestOf({ ...step, path: 'http://elsewhere.example:9/deep/upload?x=1' }, setup, place).bytes,
  ).split('\r\n\r\n');
  expect(head).toContain('POST /deep/upload?x=1 HTTP/1.1\r\nHost: localhost:1\r\n');
  expect(head).not.toContain('elsewhere');
});
