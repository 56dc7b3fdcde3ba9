import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { createServer } from 'node:tls';
import { parse, stringify } from 'yaml';
import { afterAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { listen } from '../fixtures/listening.fixture.ts';
import { type Authority, authorityIn, hasOpenssl } from './doctor/tls.fixture.ts';
import { startExtensionHost } from '../simulator/extension/host.ts';

const main = new URL('main.ts', import.meta.url).pathname;
const folder = makeFolder();
const apiKey = randomBytes(64).toString('base64');
const local = { name: 'IP:127.0.0.1' };
const children: ChildProcess[] = [];

afterAll(async () => {
  for (const child of children) {
    const ended = once(child, 'exit');
    if (child.kill('SIGTERM')) await ended;
  }
});

/** The command in a process that trusts the authority. */
function spawned({ file }: Authority, words: readonly string[]) {
  return spawn(process.execPath, [main, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: file },
  });
}

/** What a command that goes on running announces in its first line. */
async function announced(authority: Authority, ...words: readonly string[]): Promise<Record<string, unknown>> {
  const child = spawned(authority, words);
  children.push(child);
  for await (const line of createInterface(child.stdout)) return JSON.parse(line) as Record<string, unknown>;
  throw new Error(`Expected an announcement of ${words[0]}, found none.`);
}

/** The reference server, and the profile that it has of itself. */
async function served(authority: Authority): Promise<{ readonly own: object; readonly url: string }> {
  const { profile, url } = await announced(authority, 'serve', '--control');
  return { own: parse(await (await fetch(String(profile))).text()) as object, url: String(url) };
}

async function ended(authority: Authority, ...words: readonly string[]) {
  const child = spawned(authority, [...words, '--out', mkdtempSync(join(folder, 'out-'))]);
  const exit = once(child, 'exit');
  const [said, told] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { printed: said + told, exitCode: (await exit)[0] as unknown };
}

function written(profile: object): string {
  const file = join(mkdtempSync(join(folder, 'profile-')), 'profile.yaml');
  writeFileSync(file, stringify(profile));
  return file;
}

describe('over TLS', () => {
  const isMissing = !hasOpenssl();
  const authority = isMissing ? undefined : authorityIn(folder);
  const listener = (tls: object) => ({ bind: '127.0.0.1:0', publicUrl: 'https://127.0.0.1:{port}', tls });

  test.runIf(isMissing && process.env['CI'] === 'true')('needs openssl to make certificates', () => {
    expect.fail('openssl is not installed, and CI=true: install it, so that TLS is tried');
  });

  test.skipIf(authority === undefined)(
    'a service calls extensions of the suite (skipped without openssl)',
    async () => {
      if (authority === undefined) return;
      const { own } = await served(authority);
      const file = written({ ...own, listener: listener(authority.sign(local)) });
      const rules = ['registration.simple.*', 'signing.extension-call.*', 'calls.envelope.*'].flatMap((each) => [
        '--rules',
        each,
      ]);
      const { printed, exitCode } = await ended(authority, 'check', '--profile', file, ...rules);
      expect(printed).toContain('Exit 0');
      expect(exitCode).toBe(0);
    },
  );

  test.skipIf(authority === undefined)(
    'a service behind TLS is known by its own name, whatever Host a request names (skipped without openssl)',
    async () => {
      if (authority === undefined) return;
      const { own, url } = await served(authority);
      const { key, certificate } = authority.sign(local);
      const before = createServer({ key, cert: certificate }, (secure) => {
        const plain = connect(Number(new URL(url).port), '127.0.0.1');
        for (const [from, to] of [
          [secure, plain],
          [plain, secure],
        ] as const)
          from.on('error', () => to.destroy()).pipe(to);
      });
      await using gateway = await listen(before, 'https');
      const file = written({ ...own, baseUrl: gateway.url });
      const { printed, exitCode } = await ended(
        authority,
        'check',
        '--profile',
        file,
        '--rules',
        'calls.envelope.base-address',
      );
      expect(printed).toContain('Exit 0');
      expect(exitCode).toBe(0);
    },
  );

  test.skipIf(authority === undefined)('the suite calls an extension host (skipped without openssl)', async () => {
    if (authority === undefined) return;
    await using host = await startExtensionHost({ apiKey, listen: { tls: authority.sign(local) } });
    expect(host.url).toMatch(/^https:/);
    const { printed, exitCode } = await ended(
      authority,
      'check-extension',
      '--url',
      host.url,
      '--api-key',
      apiKey,
      '--rules',
      'signing.extension-host.*',
    );
    expect(printed).toContain('Exit 0');
    expect(exitCode).toBe(0);
  });

  test.skipIf(authority === undefined)(
    'a host that is not trusted is told as one (skipped without openssl)',
    async () => {
      if (authority === undefined) return;
      await using host = await startExtensionHost({ apiKey, listen: { tls: authority.sign(local) } });
      const nobody = { ...authority, file: '' };
      const { printed, exitCode } = await ended(nobody, 'check-extension', '--url', host.url, '--api-key', apiKey);
      expect(printed).toMatch(/tls\.issuer in the profile, or set NODE_EXTRA_CA_CERTS, or correct its address \(--url/);
      expect(printed).not.toMatch(/nothing answers|did not answer/);
      expect(exitCode).toBe(3);
    },
  );

  test.skipIf(authority === undefined)('an extension host calls the suite (skipped without openssl)', async () => {
    if (authority === undefined) return;
    const { profile } = await announced(authority, 'simulate', 'extension', '--api-key', apiKey);
    const file = written({ profileVersion: 1, ...(profile as object), listener: listener(authority.sign(local)) });
    const { printed, exitCode } = await ended(
      authority,
      'check-extension',
      '--profile',
      file,
      '--rules',
      'calls.host.uses-base-address',
    );
    expect(printed).toContain('Exit 0');
    expect(exitCode).toBe(0);
  });

  test.skipIf(authority === undefined)(
    'a key that is none is told with its place (skipped without openssl)',
    async () => {
      if (authority === undefined) return;
      const { own } = await served(authority);
      const file = written({ ...own, listener: listener({ ...authority.sign(local), key: 'no key' }) });
      const { printed, exitCode } = await ended(
        authority,
        'check',
        '--profile',
        file,
        '--rules',
        'registration.simple.*',
      );
      expect(printed).toContain('correct listener.tls in the profile');
      expect(exitCode).toBe(3);
    },
  );
});
