import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, describe, expect, test } from 'vitest';
import { listen } from '../../fixtures/listening.fixture.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { openSender } from '../../simulator/traffic/send.ts';
import type { HttpStep } from '../../simulator/traffic/step.ts';
import { authorityIn, hasOpenssl } from '../doctor/tls.fixture.ts';

const authority = hasOpenssl() ? authorityIn(makeFolder()) : undefined;
const trusted = getCACertificates();
afterAll(() => setDefaultCACertificates(trusted));

const step: HttpStep = { kind: 'http', op: 'x', method: 'POST', path: '/x', body: '{"a":"\u00fc"}' };
const long = 'z'.repeat(300 * 1024);

/** What three requests after one another come to, and over how many connections. */
async function sent(name: string): Promise<{ readonly found: readonly unknown[]; readonly connections: number }> {
  if (authority === undefined) throw new Error('no openssl');
  const { key, certificate: cert } = authority.sign({ name });
  let connections = 0;
  const server = createServer({ key, cert }, async (request, response) => {
    const bodies: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) bodies.push(piece);
    response.end(Buffer.concat(bodies).toString() + long);
  });
  server.on('secureConnection', () => (connections += 1));
  server.on('tlsClientError', () => undefined);
  await using target = await listen(server, 'https');
  await using sender = openSender({ baseUrl: target.url, authorizationOf: () => 'Bearer x', timeoutMs: 5000 }, 1);
  const found: unknown[] = [];
  for (let number = 0; number < 3; number += 1) {
    const { result, error } = await sender.send(step);
    found.push(error ?? (result.body === step.body + long ? result.status : 'another body'));
  }
  return { found, connections };
}

describe.skipIf(authority === undefined)('journeys over TLS (skipped without openssl)', () => {
  test('are sent on one connection to whom an authority vouches for, and to nobody else', async () => {
    const strange = await sent('IP:127.0.0.1');
    expect(strange.found).toEqual(Array(3).fill(expect.stringMatching(/SELF_SIGNED|UNABLE_TO|CERT/)));
    setDefaultCACertificates([...trusted, readFileSync(authority?.file ?? '', 'utf8')]);
    expect(await sent('IP:127.0.0.1')).toEqual({ found: [200, 200, 200], connections: 1 });
    expect((await sent('DNS:elsewhere.example')).found).toEqual(Array(3).fill('ERR_TLS_CERT_ALTNAME_INVALID'));
  });
});
