import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { neededBy } from './judging.ts';
import { check, checkExtensionHost, type Outcome, render, rules, startExtensionHost, startServer } from './index.ts';

const few = ['headers.uoi-version.*'];

test('a server of this process is judged, outcomes come one by one, and nothing is left on it', async () => {
  await using server = await startServer({ faults: ['headers.uoi-version.on-create'] });
  const heard: Outcome[] = [];
  const seeds: number[] = [];
  const run = check({
    target: server,
    rules: few,
    seed: 7,
    runs: 2,
    onStart: ({ seed }) => seeds.push(seed),
    onOutcome: (outcome) => heard.push(outcome),
  });
  const read: Outcome[] = [];
  for await (const outcome of run) read.push(outcome);
  const result = await run;
  expect(read).toEqual(heard);
  expect(seeds).toEqual([7]);
  // each once, and as it stays
  expect(new Set(read)).toEqual(new Set(result.outcomes));
  expect(read).toHaveLength(result.outcomes.length);
  expect([result.verdict, result.exitCode]).toEqual(['violated', 1]);
  const [failed] = result.outcomes.filter(({ verdict }) => verdict === 'fail');
  expect(failed).toMatchObject({ rule: 'headers.uoi-version.on-create' });
  expect(failed?.violation?.exchange?.request.method).toBe('POST');
  expect(result.header.command).toBe("check({ target, rules: ['headers.uoi-version.*'], seed: 7, runs: 2 })");
  expect(result.footer.remains.map(({ reason }) => reason)).toEqual([
    'the case of headers.uoi-version.on-create did not pass',
  ]);
  expect((await check({ target: server, rules: ['headers.uoi-version.on-create'], runs: 2 })).verdict).toBe('violated');
});

test('without target and profile the bundled pair is judged, and every format tells of it', async () => {
  const result = await check({ rules: ['metadata.host.*', 'tasks.host.final-status', ...few], runs: 2 });
  expect(result.footer.remains).toEqual([]);
  expect(result.verdict, render('text', result)).toBe('conforms');
  for (const format of ['text', 'json', 'junit', 'markdown', 'html', 'sarif', 'ctrf', 'badge', 'badge-json'] as const) {
    expect(render(format, result).length).toBeGreaterThan(50);
    expect(render(format, [result, result]).length).toBeGreaterThan(50);
  }
  // @ts-expect-error there is no such format
  expect(() => render('junitt', result)).toThrow('did you mean "junit"');
  // @ts-expect-error nothing was judged
  expect(() => render('junit')).toThrow('render needs what a check came to');
});

test('a profile is a file, an address or an object', async () => {
  await using server = await startServer();
  const options = { rules: ['headers.uoi-version.on-create'], runs: 1 };
  for (const profile of [
    server.profile,
    `${server.url}/_control/profile.yaml`,
    new URL('/_control/profile.yaml', server.url),
  ])
    expect((await check({ ...options, profile })).verdict).toBe('conforms');
});

test.each([
  [{ rules: ['headers.uio-version.on-create'] }, { code: 'SELECTION', message: /did you mean "headers\./ }],
  [{ profile: 'no/such/file.yaml' }, { code: 'unreadable', message: /there is no such file/ }],
  [{ profile: { profileVersion: 1 } }, { code: 'content', message: /^the profile:\d+:\d+: / }],
  [{ area: ['paging'] }, { code: 'OPTION', message: /^check has no option "area"; did you mean "areas"\?$/ }],
  [{ areas: ['pagging'] }, { code: 'OPTION', message: /"pagging"; did you mean "paging"\?$/ }],
  [{ areas: 'paging' }, { code: 'OPTION', message: /^Expected a list as areas of check, found "paging"\.$/ }],
  [{ target: 'http://127.0.0.1:9' }, { code: 'OPTION', message: /named by its profile\.$/ }],
  [
    { rules: ['paging.*'], areas: ['files'] },
    { code: 'SELECTION', message: /^nothing to judge: no rule/ },
  ],
] as const)('%j is refused with a sentence', async (options, { code, message }) => {
  const run = check(options as object);
  await expect(run).rejects.toMatchObject({ message: expect.stringMatching(message) });
  await expect(run).rejects.toHaveProperty('code', code);
  await expect(run[Symbol.asyncIterator]().next()).rejects.toThrow(message);
});

test('who stops reading, and a signal, end the run', async () => {
  await using server = await startServer();
  const run = check({ target: server, areas: ['headers', 'paging'], runs: 1, concurrency: 1 });
  for await (const _ of run) break;
  const left = await run;
  expect(left.verdict).toBe('incomplete');
  expect(left.footer.aborted).toMatch(/interrupted/);
  const stopped = await check({ target: server, rules: few, signal: AbortSignal.abort() });
  expect([stopped.exitCode, stopped.outcomes]).toEqual([3, []]);
  // what nobody cleaned up could be told by its handles
  for (let turns = 0; turns < 5; turns += 1) await turn();
});

test('an extension host of this process, or any other, is judged', async () => {
  await using host = await startExtensionHost({ faults: ['tasks.host.callback-token'] });
  const wrong = await checkExtensionHost({ target: host, areas: ['tasks'], runs: 1 });
  expect(wrong.verdict).toBe('violated');
  await using right = await startExtensionHost();
  const { url, apiKey } = right;
  expect(
    (await checkExtensionHost({ target: { url, apiKey }, areas: ['metadata'], runs: 1 })).outcomes.length,
  ).toBeGreaterThan(3);
});

test('rules are a list to choose from', () => {
  expect(rules.length).toBeGreaterThan(300);
  expect(rules.filter(({ area }) => area === 'paging').every(({ id }) => id.startsWith('paging.'))).toBe(true);
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
});

test('SoftTypes are looked at where a rule stands on one that needs them', () => {
  expect(neededBy(['delivery.validation.retry-gaps'])).toContain('soft-type');
  expect(neededBy(['files.stream.empty-file'])).not.toContain('soft-type');
});
