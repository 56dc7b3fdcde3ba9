import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import fc, { constantFrom, dictionary, record, string, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireRequest } from '../client/wire.ts';
import { curlLine } from './curl.ts';
import { variablesOf } from './variables.ts';
import { toPlainText } from '../describe.ts';
import { Secrets } from '../redact/redact.ts';
import { sendJson, smallProfile, smallService } from '../small-service.fixture.ts';

const hasCurl = existsSync('/usr/bin/curl');
const run = promisify(execFile);
const token = 'the "$ecret" `token` \\ of\'s editor';
const service = await smallService(({ url }, response) =>
  sendJson(url === '/token' ? { access_token: 'granted' } : {}, response),
);

/** What arrives when the line is run by a shell that knows the variables. */
async function arrivedBy(line: string, environment: Readonly<Record<string, string>> = {}) {
  await run('/bin/sh', ['-c', line], { env: { PATH: '/usr/bin:/bin', ...environment } });
  return service.arrived.at(-1);
}

const headerValue = string({ unit: constantFrom(...'abc XYZ019\'"$`\\;:,!*(){}[]&|<>~#%=@'), maxLength: 20 }).map(
  (text) => text.trim(),
);
const headerName = string({ unit: constantFrom(...'abcXYZ'), minLength: 1, maxLength: 8 }).map((name) => `X-${name}`);
const segment = string({ unit: constantFrom(...'abc.~{}[]$\'"!*();,+%2f'), maxLength: 12 }).map((text) =>
  text.replaceAll(/["%]/g, encodeURIComponent),
);
const requests = record({
  method: constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
  path: segment,
  headers: dictionary(headerName, headerValue, { maxKeys: 3 }),
  body: fc.option(
    fc.oneof(
      uint8Array({ maxLength: 60 }),
      string({ unit: 'binary', maxLength: 60 }).map((text) => Buffer.from(text)),
    ),
  ),
});

describe.runIf(hasCurl)('curlLine', () => {
  test('sends the same request again', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, path, headers, body }) => {
        const request: WireRequest = {
          method,
          url: `${service.url}/${path}`,
          headers: Object.entries(headers),
          ...(body && { body }),
        };
        const line = curlLine(request, new Secrets());
        expect(toPlainText(line)).toBe(line);
        const arrived = await arrivedBy(line);
        expect(arrived).toMatchObject({ method, url: `/${path}` });
        expect(Buffer.from(body ?? []).equals(arrived?.body ?? Buffer.alloc(0))).toBe(true);
        for (const [name, value] of Object.entries(headers)) expect(arrived?.headers).toContainEqual([name, value]);
      }),
      { numRuns: 40 },
    );
  });

  test('names secrets instead of showing them, and the shell puts them in', async () => {
    const secrets = new Secrets();
    secrets.add('EDITOR_TOKEN', token);
    const headers: WireRequest['headers'] = [
      ['Authorization', `Bearer ${token}`],
      ['X-Both', `it's ${token}!`],
    ];
    const request = { method: 'POST', url: `${service.url}/x`, headers, body: Buffer.from(`say ${token}`) };
    const line = curlLine(request, secrets);
    expect(line).not.toContain('ecret');
    const arrived = await arrivedBy(line, { EDITOR_TOKEN: token });
    expect(arrived?.headers).toEqual(expect.arrayContaining(headers.map((pair) => [...pair])));
    expect(arrived?.body.toString()).toBe(`say ${token}`);
  });

  test('writes Basic credentials and forms with their variables', async () => {
    const secrets = new Secrets();
    secrets.add('EDITOR_PAT', token);
    const basic = `Basic ${Buffer.from(`edda:${token}`).toString('base64')}`;
    const form = new URLSearchParams({ grant_type: 'password', password: token }).toString();
    const headers: WireRequest['headers'] = [
      ['Authorization', basic],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ];
    const line = curlLine({ method: 'POST', url: `${service.url}/x`, headers, body: Buffer.from(form) }, secrets);
    const arrived = await arrivedBy(line, { EDITOR_PAT: token });
    expect(arrived?.headers).toContainEqual(['Authorization', basic]);
    expect([...new URLSearchParams(arrived?.body.toString())]).toEqual([
      ['grant_type', 'password'],
      ['password', token],
    ]);
  });

  test('shows no body that tells a secret in a spelling of its own', () => {
    const secrets = new Secrets();
    secrets.add('EDITOR_PAT', 'svcpat-0815-4711');
    const request = (body: string) => ({
      method: 'POST',
      url: `${service.url}/x`,
      headers: [],
      body: Buffer.from(body),
    });
    expect(curlLine(request('\u0000 svcpat-0815-4711'), secrets)).toContain('--data-binary @body-of-18-bytes');
    expect(curlLine(request('\u0000 nothing-secret-in'), secrets)).toMatch(/^printf .* --data-binary @- /);
  });

  test('says how to get a token', async () => {
    const loaded = smallProfile(
      service.url,
      'auth: { tokenUrl: /token, clientId: id, clientSecret: the secret }',
      '{ username: it\'s me, password: "p&=" }',
    );
    const { EDITOR_TOKEN = '', ...stated } = variablesOf(loaded);
    expect(stated).toEqual({
      EDITOR_PASSWORD: '# identities.editor.password of the profile',
      CLIENT_SECRET: '# auth.clientSecret of the profile',
    });
    const { stdout } = await run('/bin/sh', ['-c', `${EDITOR_TOKEN}; printf %s "$EDITOR_TOKEN"`], {
      env: { PATH: '/usr/bin:/bin', CLIENT_SECRET: 'the secret', EDITOR_PASSWORD: 'p&=' },
    });
    expect(stdout).toBe('granted');
    expect(Object.fromEntries(new URLSearchParams(service.arrived.at(-1)?.body.toString()))).toEqual({
      grant_type: 'password',
      scope: 'All',
      username: "it's me",
      password: 'p&=',
    });
  });
});
