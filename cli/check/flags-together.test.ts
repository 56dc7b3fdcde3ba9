import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { run } from '../run.ts';
import { captureOutput } from '../output.fixture.ts';

const folder = makeFolder();
afterAll(() => vi.unstubAllEnvs());

const nobody = 'http://127.0.0.1:9';
const against = `--against ${nobody}`;
const check = 'check --rules headers.uoi-version.on-create';

test.each([
  [`check ${against} --watch`, '--watch is about'],
  [`${check} --report badge-json=DIR/outcomes.ndjson`, 'have one name'],
  [`${check} --report junit=DIR/report.json`, 'have one name'],
  [`${check} --report junit=gone/x --report sarif=./gone/x`, 'have one name'],
  [`${check} --record DIR/report.md`, 'have one name'],
  [`check ${against} --watch-path cli`, '--watch-path does nothing with --against'],
  [`check ${against} --quiet`, '--quiet does nothing with --against'],
  [`check ${against} --shard 1/2`, '--shard is about'],
  [`check ${against} --update-known`, '--update-known is about'],
  [`check ${against} --areas paging`, '--areas is about'],
  [`check ${against} --rules paging.*`, '--rules is about'],
  [`check ${against} --level must`, '--level is about'],
  [`check ${against} --fail-on must`, '--fail-on is about'],
  [`check ${against} --max-warnings 1`, '--max-warnings is about'],
  [`check ${against} --only-changed-since report.json`, '--only-changed-since is about'],
  [`check ${against} --bail`, '--bail is about'],
  [`check ${against} --time real`, '--time is about'],
  [`check ${against} --time-budget 9s`, '--time-budget is about'],
  [`check ${against} --concurrency 2`, '--concurrency is about'],
  [`check ${against} --report junit=x.xml`, '--report junit is about'],
  [`check-extension ${against}`, 'Unknown flag "--against"'],
  [`${check} --against-token secret`, '--against-token is about the second implementation'],
  [`${check} --watch-path cli`, 'add --watch'],
  [
    `${check} --profile fixtures/profile.yaml --watch --update-known`,
    '--update-known writes into the profile that --watch looks at',
  ],
  [`${check} --update-known`, '--update-known writes into the profile, and needs one'],
  [`check-extension --update-known`, '--update-known writes into the profile, and needs one'],
  [`${check} --shard 1/2 --seed 7`, '--shard 1/2 of 1 selected rules'],
  [`${check} --shard 1/2`, '--shard needs --seed'],
  [`${check} --fail-on should --max-warnings 3`, '--max-warnings does nothing with --fail-on should'],
  [`check-extension --fail-on should --max-warnings 3`, '--max-warnings does nothing with --fail-on should'],
  [`${check} --time virtual --time-budget 9s`, '--time-budget is real time'],
  [`${check} --json --quiet`, '--quiet does nothing with --json'],
  [`${check} --json --report json=-`, '--json prints its events where'],
  [`${check} --json --watch`, '--watch is for people'],
  [`check ${against} --json`, '--json is about a run by itself'],
  [`check ${against} --report json=-`, '--report with - does nothing with --against'],
  [`${check} --report json=- junit=-`, '--report prints one document'],
  [`${check} --keep-data`, '--keep-data does nothing without --profile'],
  ['simulate traffic --rate 2 --users 2', 'not both'],
  ['simulate traffic --export DIR', '--export needs --profile'],
  ['simulate traffic --export DIR --workers 2', '--workers does nothing with --export'],
  ['simulate traffic --export DIR --judge off', '--judge does nothing with --export'],
  ['simulate traffic --export DIR --report svg=x.svg', '--report does nothing with --export'],
  ['simulate traffic --export DIR --yes-load staging.example', '--yes-load does nothing with --export'],
  ['simulate traffic --export DIR --quiet', '--quiet does nothing with --export'],
])('%s ends with 2, and nothing is done', async (line, sentence) => {
  const out = join(folder, 'out');
  const words = line.replace('DIR', out).split(' ');
  const { exitCode, printed } = await captureOutput(() =>
    run(words[0] === 'simulate' ? words : [...words, '--out', out]),
  );
  expect(printed).toContain(sentence);
  expect(printed).not.toContain('secret');
  expect(exitCode).toBe(2);
  expect(readdirSync(folder)).toEqual([]);
});

test('a variable that is set for other runs is no flag', async () => {
  vi.stubEnv('SVC_AGAINST_TOKEN', 'a-token');
  const out = join(folder, 'out');
  const { exitCode, printed } = await captureOutput(() => run([...check.split(' '), '--quiet', '--out', out]));
  expect(exitCode, printed).toBe(0);
});
