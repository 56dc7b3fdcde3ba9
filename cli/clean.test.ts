import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { check, render, startServer } from '../api/index.ts';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { cleanCommand } from './clean.ts';
import { captureOutput } from './output.fixture.ts';
import { run as runCommand } from './run.ts';
import { serve } from './served.fixture.ts';
import { UsageError } from './usage.ts';

const folder = makeFolder();

test('what a run has left is gone, and only where the profile leads to it', async () => {
  await using server = await startServer();
  const run = await check({ target: server, rules: ['headers.uoi-version.*'], keepData: true, seed: 7 });
  const left = run.footer.remains.length;
  expect(left).toBeGreaterThan(0);
  const [report, profile] = [join(folder, 'report.json'), join(folder, 'profile.yaml')];
  writeFileSync(report, render('json', run));
  writeFileSync(profile, JSON.stringify(server.profile));

  const first = await captureOutput(() => cleanCommand(report, { profile }));
  expect([first.exitCode, first.stdout]).toEqual([0, `${left} of ${left} objects gone.\n`]);
  const headers = { Authorization: `Bearer ${await server.tokens('editor')}`, 'Svc-InformationFilter': btoa('{}') };
  for (const { uri } of run.footer.remains) expect((await fetch(uri, { headers })).status).toBe(404);

  server.script.set([{ when: { method: 'DELETE' }, steps: [{ status: 403 }], afterwards: 'last' }]);
  const again = await captureOutput(() => cleanCommand(report, { profile }));
  expect(again.exitCode).toBe(3);
  expect(again.stdout).toContain('(DELETE was answered with 403)\n');

  const right = readFileSync(report, 'utf8');
  for (const [from, to] of [
    [server.url, 'http://elsewhere.example'],
    [server.url, server.url.replace('//', '//127.0.0.1@elsewhere.example#')],
    ['/api/space/main/', '/api/space/production/'],
    ['/api/space/main/', '/api/space/main/%2e%2e/production/'],
    ['/api/space/main/', '/api/space/%zz/'],
  ] as const) {
    writeFileSync(report, right.replaceAll(from, to));
    await expect(cleanCommand(report, { profile }), to).rejects.toThrow(UsageError);
  }
});

test('what a run that was killed has left is not told, so that nothing counts as gone', async () => {
  await using server = await startServer();
  const { footer: _never, ...killed } = await check({ target: server, rules: ['headers.uoi-version.*'], seed: 7 });
  const [report, profile] = [join(folder, 'killed.json'), join(folder, 'profile.yaml')];
  writeFileSync(report, render('json', killed as never));
  writeFileSync(profile, JSON.stringify(server.profile));
  const { exitCode, stdout } = await captureOutput(() => cleanCommand(report, { profile }));
  expect([exitCode, stdout]).toEqual([3, expect.stringContaining('did not end')]);
});

describe('of runs that were killed', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url));
  const linesIn = (file: string): readonly string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];

  test('all that they made is gone, the callee that they registered as well, and the next run says that it is there', async () => {
    const served = await serve();
    const [out, profile] = [mkdtempSync(join(folder, 'out-')), join(folder, 'served.yaml')];
    writeFileSync(profile, served.profile);
    const args = (rule: string): string[] => ['check', '--profile', profile, '--rules', rule, '--out', out];
    const made = join(out, 'made.ndjson');
    for (let runs = 0; runs < 2; runs += 1) {
      const child = spawn(process.execPath, [main, ...args('calls.validation.*')], { stdio: 'ignore' });
      const ended = once(child, 'exit');
      const isUnderWay = (lines: readonly string[]): boolean =>
        lines[0] === `{"process":${child.pid}}` && lines.some((line) => line.includes('/api/admin/'));
      while (child.exitCode === null && !isUnderWay(linesIn(made))) await sleep(2);
      const early = await captureOutput(() => runCommand(['clean', join(out, 'report.json'), '--profile', profile]));
      expect([early.exitCode, early.stderr]).toEqual([2, expect.stringContaining('goes on')]);
      child.kill('SIGKILL');
      await ended;
    }
    const second = linesIn(made).length;
    const next = await captureOutput(() => runCommand(args('headers.uoi-version.on-create')));
    expect([next.exitCode, next.stderr]).toEqual([
      0,
      expect.stringContaining('of runs that did not come to their end'),
    ]);
    expect([existsSync(made), second < linesIn(join(out, 'former/made.ndjson')).length]).toEqual([false, true]);

    const clean = (): ReturnType<typeof captureOutput> =>
      captureOutput(() => runCommand(['clean', join(out, 'former/report.json'), '--profile', profile]));
    const { exitCode, stdout } = await clean();
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^(\d+) of \1 objects gone\.\n$/)]);
    expect(linesIn(join(out, 'former/made.ndjson'))).toEqual([]);
    const quiet = await captureOutput(() => runCommand(args('headers.uoi-version.on-create')));
    expect([quiet.exitCode, quiet.stderr]).toEqual([0, '']);
  });

  test('what is of another deployment stays in the list, and is deleted by nobody', async () => {
    await using server = await startServer();
    const { footer: _never, ...killed } = await check({ target: server, rules: ['headers.uoi-version.*'], seed: 7 });
    const report = join(mkdtempSync(join(folder, 'out-')), 'report.json');
    const profile = join(folder, 'another.yaml');
    writeFileSync(report, render('json', killed as never));
    writeFileSync(profile, JSON.stringify(server.profile));
    const own = `${server.url}/api/space/main/softtype/none`;
    const others = [
      'http://127.0.0.1:1/api/space/main/softtype/o',
      `${server.url}/api/space/main/%2e%2e/other/x`,
      'no',
    ];
    const made = join(dirname(report), 'made.ndjson');
    const lines = [own, ...others].map((uri) => `${JSON.stringify({ made: uri, as: 'nobody' })}\n`);
    writeFileSync(made, `[]\n{"made":4}\n${lines.join('')}{"made":"${own}/gone"}\n{"gone":"${own}/gone"}\n{"made":"ht`);
    const { exitCode, stdout } = await captureOutput(() => cleanCommand(report, { profile }));
    expect([exitCode, stdout]).toEqual([3, expect.stringMatching(/(?:Not deleted: .*\n){3}1 of 4 objects gone\.\n$/)]);
    expect(linesIn(made).map((line) => JSON.parse(line).made)).toEqual(others);
  });
});
