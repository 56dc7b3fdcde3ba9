import { zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Secrets } from '../redact/redact.ts';
import { smallProfile } from '../small-service.fixture.ts';
import { Recorder } from './recorder.ts';

test('a secret that a target hands back as the name of a header is none on the cassette', async () => {
  const secret = 'opaque-t0ken-4711';
  const secrets = new Secrets();
  secrets.add('EDITOR_TOKEN', secret);
  const recorder = new Recorder();
  recorder.know(secrets);
  const headers = [
    [`X-${secret}`, 'a'],
    ['Set-Cookie', secret],
  ] as const;
  recorder
    .ask('a.b.c#0', { method: 'GET', url: 'http://host/', headers: [] })
    .end({ received: { status: 200, headers, bytes: Buffer.from(secret) }, sentAt: 0 });
  const loaded = smallProfile('http://host');
  const tape = zstdDecompressSync(await recorder.finish({ loaded, seed: 1, runs: 1 })).toString();
  expect(tape).toContain('Set-Cookie');
  expect(tape).not.toContain(secret);
});
