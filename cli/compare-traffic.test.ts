import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { Histogram } from '../contract/histogram.ts';
import { createVariant } from '../variants/create-variant.ts';
import { captureOutput, type Output } from './output.fixture.ts';
import { run } from './run.ts';

const folder = makeFolder();
const at = (name: string): string => join(folder, name);

const usual = ['--quiet', '--users', '2', '--duration', '11s', '--seed', '1'];

function traffic(url: string, ...argv: readonly string[]): Promise<Output> {
  const target = ['--profile', `${url}/_control/profile.yaml`, '--mix', at('mix.yaml')];
  return captureOutput(() => run(['simulate', 'traffic', ...target, ...usual, ...argv]));
}

/** A run beside the reference server. */
async function served(...argv: readonly string[]): Promise<Output> {
  const server = createVariant({ control: true });
  const url = await server.listen();
  return traffic(url, ...argv).finally(() => server.close());
}

beforeAll(async () => {
  writeFileSync(at('mix.yaml'), 'mixVersion: 1\nobjects: 4\njourneys: { reader: { weight: 1, thinkMs: [40, 60] } }\n');
  const { exitCode } = await served('--report', `json=${at('before.json')}`);
  expect(exitCode).toBe(0);
});

/** The report with each second as the first one, so that no noise of this machine is in it, and each latency so many times longer. */
function slowed(factor: number, name: string): string {
  const text = readFileSync(at('before.json'), 'utf8');
  const report: { seconds: { histogram: string }[] } = JSON.parse(text);
  const [{ histogram: first } = { histogram: '' }] = report.seconds;
  for (const second of report.seconds) {
    const slow = new Histogram();
    for (const [ms, times] of Histogram.of(first).buckets())
      for (let number = 0; number < times; number += 1) slow.record(ms * factor);
    second.histogram = slow.text();
  }
  writeFileSync(at(name), JSON.stringify(report));
  return at(name);
}

test('a run beside an earlier one says what became of each figure', async () => {
  const compared = [
    '--compare',
    at('before.json'),
    '--allow-worse',
    'rate<900%',
    '--report',
    `json=${at('after.json')}`,
    `html=${at('after.html')}`,
  ];
  const { exitCode, stdout, stderr } = await served(...compared);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/Since the run of .*\n(?:.*\n)*? *p99\.9 /);
  expect(stdout).toContain('Threshold rate at most 900% worse than before was kept');
  expect(readFileSync(at('after.html'), 'utf8')).toContain('a jackknife over five and ten parts of each run');
  expect(JSON.parse(readFileSync(at('after.json'), 'utf8'))).toMatchObject({ compared: { figures: { length: 6 } } });
});

test('two reports are compared without another run: 1 where the later one is worse than allowed, 2 where they do not go together', async () => {
  const comparing = (before: string, after: string, ...argv: readonly string[]): Promise<Output> =>
    captureOutput(() => run(['simulate', 'compare', before, after, ...argv]));
  const before = slowed(1, 'steady.json');
  expect(await comparing(before, before, '--allow-worse', '50%')).toMatchObject({
    exitCode: 0,
  });
  expect(await comparing(before, slowed(100, 'slow.json'), '--allow-worse', '10%')).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining('Threshold p50 at most 10% worse than before was missed'),
  });
  expect(await comparing(before, slowed(100, 'slow.json'))).toMatchObject({ exitCode: 0 });
  expect(await comparing(before, at('mix.yaml'))).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Expected JSON'),
  });
  expect(await comparing(before, before, '--allow-worse', 'p98<1%')).toMatchObject({ exitCode: 2 });
  writeFileSync(at('other.json'), '{"kind":"check"}');
  expect(await comparing(at('other.json'), before)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Expected a report of traffic in'),
  });
});

test('what would be too short to compare is refused before a load is made', async () => {
  const before = slowed(1, 'earlier.json');
  expect(await traffic('http://127.0.0.1:1', '--compare', before, '--duration', '2s')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('found --duration 2s'),
  });
});

test('limits without an earlier run are refused', async () => {
  expect(await traffic('http://127.0.0.1:1', '--allow-worse', '10%')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--compare'),
  });
});
