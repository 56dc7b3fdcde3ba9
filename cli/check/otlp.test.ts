import { Clean } from '../outlet.ts';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { listen } from '../../fixtures/listening.fixture.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { startReference } from '../../api/deployment.ts';
import { secretsOf } from '../../judge/redact/profile-secrets.ts';
import { checkCommand } from '../check.ts';
import { captureOutput } from '../output.fixture.ts';
import { exportTraces, isExportWanted } from './otlp.ts';

const failing = 'caching.match.status-304';
const rules = [failing, 'auth.missing-token.answers-401', 'auth.grant.returns-access-token'] as const;

const out = makeFolder();
afterEach(() => vi.unstubAllEnvs());

type Field = { readonly number: number; readonly bytes: Buffer; readonly value: bigint };

/** The fields of a message of Protocol Buffers, as they stand. */
function fieldsOf(message: Buffer): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at] ?? 0;
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const key = Number(varint());
    const [number, kind] = [key >> 3, key & 7];
    const value = kind === 0 ? varint() : 0n;
    const length = kind === 2 ? Number(varint()) : ({ 1: 8, 5: 4 }[kind] ?? 0);
    fields.push({ number, value, bytes: message.subarray(at, at + length) });
    at += length;
  }
  return fields;
}

const all = (message: Buffer, ...path: readonly number[]): readonly Buffer[] =>
  path.reduce<readonly Buffer[]>(
    (messages, number) =>
      messages.flatMap((each) => fieldsOf(each).flatMap((field) => (field.number === number ? [field.bytes] : []))),
    [message],
  );

const attributesIn = (message: Buffer, number: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    all(message, number).map((pair) => {
      const [value] = all(pair, 2).flatMap(fieldsOf);
      return [String(all(pair, 1)[0]), value?.number === 1 ? String(value.bytes) : String(value?.value)];
    }),
  );

const spanIn = (span: Buffer) => ({
  trace: all(span, 1)[0]?.toString('hex'),
  id: all(span, 2)[0]?.toString('hex'),
  parent: all(span, 4)[0]?.toString('hex') ?? '',
  name: String(all(span, 5)[0]),
  took: Number((all(span, 8)[0]?.readBigUInt64LE() ?? 0n) - (all(span, 7)[0]?.readBigUInt64LE() ?? 0n)),
  attributes: attributesIn(span, 9),
  status: Number(
    all(span, 15)
      .flatMap(fieldsOf)
      .find(({ number }) => number === 3)?.value ?? 0n,
  ),
});

/** What arrives at a collector on this machine. */
async function openCollector(status = 200) {
  const messages: Buffer[] = [];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['content-type']} ${request.headers['x-key']}`);
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        messages.push(Buffer.concat(chunks));
        response.writeHead(status).end();
      });
  });
  return { ...(await listen(server)), messages, asked };
}

test('a run arrives at a collector: one span a rule, one an exchange, with the ids that the service was told, and no secret', async () => {
  await using collector = await openCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-key=k');
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=ci');
  await using target = await startReference({ faults: [failing] });
  const { exitCode, printed } = await captureOutput(() =>
    checkCommand({ out, rules, seed: 3 }, async () => ({ ...target, [Symbol.asyncDispose]: async () => undefined })),
  );
  expect([exitCode, printed]).toEqual([1, expect.not.stringContaining('export')]);
  expect(new Set(collector.asked)).toEqual(new Set(['POST /v1/traces application/x-protobuf k']));
  const spans = collector.messages.flatMap((message) => all(message, 1, 2, 2)).map(spanIn);
  const roots = spans.filter(({ parent }) => parent === '');
  expect(roots.map(({ name }) => name)).toEqual(expect.arrayContaining([...rules]));
  for (const { name, status, attributes } of roots) {
    expect(attributes['svc_conformance.verdict']).toBe(name === failing ? 'fail' : 'pass');
    expect(status).toBe(name === failing ? 2 : 1);
  }
  for (const root of roots) {
    const below = spans.filter(({ parent }) => parent === root.id);
    expect(below.length).toBeGreaterThan(0);
    for (const { trace, took, attributes } of below) {
      expect(trace).toBe(root.trace);
      expect(took).toBeGreaterThan(0);
      expect(attributes['url.full']).toContain(target.loaded.profile.baseUrl);
      expect(attributes['http.response.status_code']).toMatch(/^\d{3}$/);
    }
  }
  const [resource = Buffer.alloc(0)] = collector.messages.flatMap((message) => all(message, 1, 1));
  expect(attributesIn(resource, 1)).toMatchObject({
    'service.name': 'svc-conformance',
    'deployment.environment.name': 'ci',
  });
  const text = collector.messages.map((message) => message.toString('latin1')).join('');
  for (const { value } of secretsOf(target.loaded)) expect(text).not.toContain(value);
});

test.each([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9/v1/traces' }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_EXPORTER: 'none' }, false],
])('with %j it is asked for: %j', (environment, expected) => {
  expect(isExportWanted(environment)).toBe(expected);
});

const nothing = Clean.of<Parameters<typeof exportTraces>[0]['value']>({
  header: {
    schemaVersion: 1,
    kind: 'run',
    implementation: 'small',
    baseUrl: 'http://127.0.0.1:9',
    seed: 1,
    runs: 1,
    startedAt: '2026-01-01T00:00:00Z',
    suiteVersion: '1',
    command: '',
    selected: [],
    notSupported: {},
    knownFailures: {},
    variables: {},
  },
  outcomes: [
    { rule: failing, verdict: 'pass', observations: [], remarks: [], assertions: 1, exchanges: 1, durationMs: 1 },
  ],
  traces: [{ rule: failing, id: 'a'.repeat(32), rootSpanId: 'b'.repeat(16), startedAt: 1, endedAt: 2, spans: [] }],
});

test('a collector that refuses, and a protocol that is not there, are told in a sentence', async () => {
  await using collector = await openCollector(400);
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  expect(await exportTraces(nothing)).toEqual([expect.stringMatching(/^not every trace is exported: ./)]);
  expect(await exportTraces(nothing, { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' })).toEqual([
    expect.stringContaining('expected http/protobuf in OTEL_EXPORTER_OTLP_PROTOCOL, found grpc'),
  ]);
});

test('where the SDK is not installed, it is said what to install', async () => {
  const hide = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve: (name, context, next) => next(name.startsWith('@opentelemetry/') ? 'nobody-has-this' : name, context) });
  `;
  const script = `
    import { exportTraces } from ${JSON.stringify(new URL('./otlp.ts', import.meta.url).href)};
    console.log(await exportTraces(${JSON.stringify(nothing)}));
  `;
  const words = [
    '--import',
    `data:text/javascript,${encodeURIComponent(hide)}`,
    '--input-type=module',
    '--eval',
    script,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  expect(stdout).toContain('npm install @opentelemetry/api');
});
