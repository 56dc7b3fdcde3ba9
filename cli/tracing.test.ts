import { readFileSync } from 'node:fs';
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listen } from '../fixtures/listening.fixture.ts';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { startReference } from '../api/deployment.ts';
import type { Deployment } from '../api/deployment.ts';
import type { RuleId } from '../contract/rule.ts';
import { checkCommand } from './check.ts';
import { captureOutput } from './output.fixture.ts';

const failing = 'caching.match.status-304';
const rules: readonly RuleId[] = [failing, 'headers.correlation-id.optional', 'headers.correlation-id.any-text'];
const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/;

const folder = makeFolder();

/** Notes the headers of everything that goes through it, and answers 431 to what it does not let pass. */
async function openGateway(target: Deployment, lets: (headers: IncomingHttpHeaders) => boolean) {
  const seen: IncomingHttpHeaders[] = [];
  const { baseUrl } = target.loaded.profile;
  const server = createServer((asked, answer) => {
    seen.push(asked.headers);
    if (!lets(asked.headers)) return void asked.resume().on('end', () => answer.writeHead(431).end());
    const { method = '', url = '', headers } = asked;
    const passed = request(new URL(url, baseUrl), { method, headers }, (told) => {
      answer.writeHead(told.statusCode ?? 0, told.rawHeaders);
      told.pipe(answer);
    });
    asked.pipe(passed);
  });
  const listening = await listen(server);
  const profile = JSON.parse(JSON.stringify(target.loaded.profile).replaceAll(baseUrl, listening.url));
  return { ...listening, seen, profile };
}

async function judged(name: string, tracing: boolean | undefined, lets: (headers: IncomingHttpHeaders) => boolean) {
  await using target = await startReference({ faults: [failing] });
  await using gateway = await openGateway(target, lets);
  const out = join(folder, name);
  const profile = { ...gateway.profile, ...(tracing !== undefined && { tracing }) };
  const deployment = { ...target, loaded: { ...target.loaded, profile }, [Symbol.asyncDispose]: async () => undefined };
  const { exitCode, printed: output } = await captureOutput(() =>
    checkCommand({ out, rules, seed: 3 }, async () => deployment),
  );
  const outcomes = readFileSync(join(out, 'outcomes.ndjson'), 'utf8').trim().split('\n').slice(1, -1);
  return { seen: gateway.seen, exitCode, output, out, outcomes: outcomes.map((line) => JSON.parse(line)) };
}

test('every request of a case names its trace and, where the case leaves it alone, its rule', async () => {
  const { seen, exitCode, output, out, outcomes } = await judged('named', undefined, () => true);
  expect(exitCode, output).toBe(1);
  const { trace } = outcomes.find(({ rule }) => rule === failing);
  const own = seen.filter((headers) => traceparent.exec(String(headers['traceparent']))?.[1] === trace.id);
  expect(trace).toEqual({ id: expect.stringMatching(/^[0-9a-f]{32}$/), correlation: `${failing}.` });
  expect(own.length).toBe(outcomes.find(({ rule }) => rule === failing).exchanges);
  const ids = own.map((headers) => String(headers['x-correlation-id']));
  expect(new Set(ids).size).toBe(ids.length);
  for (const [index, id] of ids.entries())
    expect(id).toBe(`${failing}.${traceparent.exec(String(own[index]?.['traceparent']))?.[2]}`);
  const others = seen.flatMap((headers) => traceparent.exec(String(headers['traceparent']))?.[1] ?? []);
  // the preflight has one as well, and what a failed rule stands on
  expect(new Set(others).size).toBeGreaterThan(rules.length);
  // a case that is about the header leaves it out as well
  const unnamed = seen.filter(
    (headers) => headers['traceparent'] !== undefined && headers['x-correlation-id'] === undefined,
  );
  expect(unnamed.length).toBeGreaterThan(0);
  for (const file of ['report.md', 'report.html', `repeat/${failing}.sh`, `repeat/${failing}.hurl`])
    for (const text of [trace.id, `X-Correlation-Id ${failing}.`])
      expect(readFileSync(join(out, file), 'utf8')).toContain(text);
});

test('nothing does where the profile says so', async () => {
  const { seen, exitCode, outcomes } = await judged('off', false, () => true);
  expect(exitCode).toBe(1);
  expect(seen.filter((headers) => headers['traceparent'] !== undefined)).toEqual([]);
  expect(outcomes.find(({ rule }) => rule === failing).trace).toBeUndefined();
});

test.each([
  ['traceparent', ({ traceparent: trace }: IncomingHttpHeaders) => trace === undefined],
  [
    'ids that are none',
    (headers: IncomingHttpHeaders) => !String(headers['x-correlation-id'] ?? '').includes('preflight'),
  ],
])('a target that refuses %s is judged without, and that is told', async (name, lets) => {
  const { exitCode, output, outcomes } = await judged(name, undefined, lets);
  expect(exitCode, output).toBe(1);
  expect(output).toContain('tracing: false in the profile says so');
  expect(outcomes.filter(({ verdict }) => verdict === 'pass').length).toBe(2);
});
