import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { HttpStep } from './step.ts';
import { packedRequestOf, placeOf } from './wire.ts';

const megabyte = 1024 * 1024;
const length = 200 * megabyte;
const authorizationOf = (): string => 'Bearer made.up.token';
const upload: HttpStep = {
  kind: 'http',
  op: 'upload',
  method: 'POST',
  path: '/file',
  body: { kind: 'generated', seed: 1, length },
};

test('a stream upload is made while it is sent: its length says nothing about memory', async () => {
  const script = fileURLToPath(new URL('streamed-upload.fixture.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(length)]);
  const { grown, ...end }: { grown: number } = JSON.parse(stdout);
  expect(end).toEqual({ status: 200, received: length });
  expect(grown).toBeLessThan(length / 2);
});

test('a stream upload of the closed model is pulled piece by piece', async () => {
  const { bytes, stream } = packedRequestOf(upload, { authorizationOf }, placeOf('http://x'));
  expect(bytes.length).toBeLessThan(1024);
  let pulled = 0;
  for await (const piece of stream ?? []) {
    pulled += Buffer.from(piece).length;
    expect(stream?.readableLength).toBeLessThan(megabyte);
    if (pulled > 2 * megabyte) break;
  }
  expect(pulled).toBeLessThan(3 * megabyte);
});
