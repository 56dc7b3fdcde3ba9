import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { check, render, startServer } from '../api/index.ts';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { cleanCommand } from './clean.ts';
import { captureOutput } from './output.fixture.ts';
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
