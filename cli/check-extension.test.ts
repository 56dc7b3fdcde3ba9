import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { listen } from '../fixtures/listening.fixture.ts';
import { parseRun, type Run } from '../reports/run.ts';
import { listedRules } from './rule-list.ts';
import { plainRecord, startOtherHost } from '../judge/host/other-host.fixture.ts';
import { checkExtensionCommand } from './check-extension.ts';
import { checkCommand } from './check.ts';
import type { CheckExtensionOptions } from './options.ts';
import { captureOutput } from './output.fixture.ts';

const apiKey = randomBytes(48).toString('base64');
const host = await startOtherHost(apiKey);
const folder = makeFolder();
afterAll(() => host[Symbol.asyncDispose]());

interface Judged {
  readonly exitCode: number;
  /** What was printed, both streams. */
  readonly printed: string;
  readonly run: () => Run;
}

async function printing(run: (out: string) => Promise<number>): Promise<Judged> {
  const out = mkdtempSync(join(folder, 'out-'));
  const { exitCode, printed } = await captureOutput(() => run(out));
  return {
    exitCode,
    printed,
    run: () => parseRun(readFileSync(join(out, 'outcomes.ndjson'), 'utf8'), 'outcomes.ndjson', listedRules),
  };
}

function judging(options: Partial<CheckExtensionOptions>): Promise<Judged> {
  return printing((out) => checkExtensionCommand({ out, seed: 7, quiet: true, ...options }));
}

function profileOf(text: string): string {
  const file = join(mkdtempSync(join(folder, 'profile-')), 'host.yaml');
  writeFileSync(file, text);
  return file;
}

test("somebody's host is judged by its address and key, which no output shows", async () => {
  const { exitCode, printed, run } = await judging({
    url: host.url,
    apiKey,
    rules: ['metadata.host.*', 'signing.extension-host.*'],
  });
  expect(printed).toContain('Exit 0');
  expect(exitCode).toBe(0);
  const { header } = run();
  expect(header.command).toContain(`check-extension --url ${host.url}`);
  expect(header.variables).toHaveProperty('EXTENSION_API_KEY');
  expect(JSON.stringify(run()) + printed).not.toContain(apiKey);
});

test('what the metadata of a host do not announce needs no declaration, a sample that is missing does', async () => {
  const { exitCode, run } = await judging({
    url: host.url,
    apiKey,
    rules: ['api-keys.host.*', 'calls.host.validation-*', 'calls.host.event-acknowledged'],
  });
  const verdicts = Object.fromEntries(run().outcomes.map(({ rule, verdict }) => [rule, verdict]));
  expect(verdicts).toMatchObject({
    'api-keys.host.callback-accepted': 'blocked',
    'calls.host.event-acknowledged': 'pass',
    'calls.host.validation-outcome': 'blocked',
  });
  expect(run().header.notSupported).toEqual({ 'extension-permissions': expect.stringContaining('permissions') });
  expect(run().outcomes.find(({ rule }) => rule === 'calls.host.validation-outcome')?.reason).toContain(
    'extensionHost.samples.validation',
  );
  expect(exitCode).toBe(3);
});

const callsNobody = `notSupported:
  calls.host.uses-envelope-token: It calls nobody.
  calls.host.uses-base-address: It calls nobody.
  calls.host.uses-core-headers: It calls nobody.
  calls.host.correlation-id-used: It calls nobody.
`;

test.each([
  ['one plain record', [plainRecord], callsNobody],
  // what nobody calls need not say that it calls nobody because of that
  ['a record that no document tells how to call', [{ ...plainRecord, extensionType: 'ExternalView' }], ''],
  ['no record', [], ''],
])('a host that announces %s and nothing optional is judged to the end', async (_what, metadata, declared) => {
  await using plain = await startOtherHost(apiKey, metadata);
  const profile = profileOf(`profileVersion: 1
extensionHost: { hostUri: '${plain.url}', apiKey: ${apiKey} }
${declared}`);
  const { exitCode, printed } = await judging({ profile });
  expect(printed).not.toContain('not exercised');
  expect(exitCode).toBe(0);
});

test('a profile names the host, its samples and what it does not do', async () => {
  const profile = profileOf(`profileVersion: 1
implementation: Other
extensionHost:
  hostUri: ${host.url}
  apiKey: ${apiKey}
  samples:
    validation: { valid: { objectId: good }, invalid: { objectId: bad } }
notSupported: { calls.host.uses-envelope-token: It calls nobody. }
`);
  const { exitCode, run } = await judging({ profile, rules: ['calls.host.validation-*'] });
  expect(run().header).toMatchObject({ implementation: 'Other', baseUrl: host.url });
  expect(exitCode).toBe(0);
});

test.each([
  [
    'profileVersion: 1\nextensionHots: {}\n',
    /host\.yaml:2:1: unknown key "extensionHots" in the file; did you mean "extensionHost"/,
  ],
  ['profileVersion: 1\nspace: main\n', /host\.yaml:2:1: unknown key "space"/],
  [
    'profileVersion: 1\nextensionHost:\n  hostUri: localhost:1\n',
    /host\.yaml:3:12: extensionHost\.hostUri must be text of the form/,
  ],
  [
    'profileVersion: 1\nextensionHost:\n  hostUri: http://localhost:1\n',
    /host\.yaml:3:3: the key of the extension host is missing; give --api-key/,
  ],
  [
    'profileVersion: 1\nextensionHost: { hostUri: "http://localhost:1", apiKey: "no base64!" }\n',
    /host\.yaml:2:\d+: extensionHost\.apiKey must be Base64/,
  ],
  [
    'profileVersion: 1\nextensionHost: { hostUri: "http://localhost:1", apiKey: "${NO_SUCH_VARIABLE_HERE}" }\n',
    /the environment variable NO_SUCH_VARIABLE_HERE is not set/,
  ],
])('a profile that cannot be used is told with its place', async (text, message) => {
  const { exitCode, printed } = await judging({ profile: profileOf(text) });
  expect(printed).toMatch(message);
  expect(exitCode).toBe(2);
});

test('a wrong key ends the run before its first case', async () => {
  const { exitCode, printed } = await judging({ url: host.url, apiKey: 'AAECAw==' });
  expect(printed).toMatch(
    /^svc-conformance: nothing was judged: the metadata exchange at \S+ was answered with 403, though it was signed: correct the key[^\n]* or how the host makes the signature[^\n]*\n$/,
  );
  expect(exitCode).toBe(3);
});

test.each([
  [404, /: correct the address \(--url/],
  [302, /: name the address that the host itself serves/],
  [304, /, though nothing in it asks for what has changed: let the extension host answer with its metadata/],
  [500, /: see the log of the extension host/],
])('a metadata exchange that is answered with %d ends the run, and what to change is said', async (status, advice) => {
  await using served = await listen(createServer((_request, response) => void response.writeHead(status).end()));
  const { exitCode, printed } = await judging({ url: served.url, apiKey });
  expect(printed).toMatch(new RegExp(`nothing was judged: .* was answered with ${status}`));
  expect(printed).toMatch(advice);
  expect(exitCode).toBe(3);
});

test('nobody at the address ends the run before its first case', async () => {
  const { exitCode, printed } = await judging({ url: 'http://127.0.0.1:9', apiKey });
  expect(printed).toMatch(
    /^svc-conformance: nothing was judged: nothing answers at http:\/\/127\.0\.0\.1:9 \(ECONNREFUSED\): start the extension host[^\n]*\n$/,
  );
  expect(exitCode).toBe(3);
});

test('rules about the service are none about a host', async () => {
  const { exitCode, printed } = await judging({ url: host.url, apiKey, rules: ['paging.*'] });
  expect(printed).toMatch(/no rule about extension hosts is in all parts of the selection/);
  expect(exitCode).toBe(3);
});

test('check judges both sides of what is bundled', async () => {
  const { exitCode, run } = await printing((out) =>
    checkCommand({ out, seed: 7, quiet: true, rules: ['metadata.host.required-fields', 'reading.create.status-201'] }),
  );
  expect(
    run()
      .outcomes.map(({ rule, verdict }) => [rule, verdict])
      .sort(),
  ).toEqual([
    ['metadata.host.required-fields', 'pass'],
    ['reading.create.status-201', 'pass'],
  ]);
  expect(exitCode).toBe(0);
});
