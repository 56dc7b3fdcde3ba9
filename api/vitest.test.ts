import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { conformance } from './vitest.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const broken = 'headers.uoi-version.on-create';
const slow = 'delivery.success.other-2xx';
const place = makeFolder();
/** To compile the package takes a process longer than the tests that use it. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };

/** Files that somebody runs together. */
const together = {
  violation: `conformance({ target: () => startServer({ faults: ['${broken}'] }), rules: ['headers.uoi-version.*'], seed: 7, runs: 2 });`,
  both: `conformance({ rules: ['${broken}', '${slow}'], runs: 5 });`,
  known: `conformance({
    rules: ['${broken}', 'metadata.host.*'],
    runs: 1,
    profile: async () => {
      const server = await startServer({ faults: ['${broken}'] });
      return { ...server.profile, knownFailures: { '${broken}': 'ticket 7' }, [Symbol.asyncDispose]: () => server.close() };
    },
  });`,
  mended: `conformance({
    rules: ['${broken}'],
    runs: 1,
    profile: async () => {
      const server = await startServer();
      return { ...server.profile, knownFailures: { '${broken}': 'ticket 7' }, [Symbol.asyncDispose]: () => server.close() };
    },
  });`,
  notOffered: `conformance({
    rules: ['batch.get.*', '${broken}'],
    runs: 1,
    profile: async () => {
      const server = await startServer();
      return { ...server.profile, notSupported: { batch: 'comes in spring' }, [Symbol.asyncDispose]: () => server.close() };
    },
  });`,
  undeclared: `conformance({
    rules: ['auth.role.reader-create-403', '${broken}'],
    runs: 1,
    profile: async () => {
      const server = await startServer();
      const { reader: _none, ...identities } = server.profile.identities;
      return { ...server.profile, identities, [Symbol.asyncDispose]: () => server.close() };
    },
  });`,
  expired: `conformance({
    rules: ['${broken}'],
    runs: 1,
    profile: async () => {
      const server = await startServer();
      const notSupported = { 'batch.*': { reason: 'soon', until: '2020-01-31' } };
      return { ...server.profile, notSupported, [Symbol.asyncDispose]: () => server.close() };
    },
  });`,
  stuck: `conformance({
    rules: ['${broken}'],
    runs: 1,
    profile: async () => {
      const server = await startServer();
      return { ...server.profile, limits: { caseSeconds: 0.001 }, [Symbol.asyncDispose]: () => server.close() };
    },
  });`,
  gone: `conformance({ rules: ['${broken}'], profile: async () => { const server = await startServer(); await server.close(); return server.profile; } });`,
};
let told: Readonly<Record<keyof typeof together, readonly Told[]>>;
let failedFiles: readonly string[];
let shown: string;

beforeAll(async () => {
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  // what is installed is imported as it is, and so is the package here: to have it transformed first takes longer than its tests
  writeFileSync(
    join(place, 'vitest.config.mjs'),
    String.raw`export default { test: { server: { deps: { external: [/\/api\/\w+\.ts$/] } } } };`,
  );
  for (const [name, text] of Object.entries(together)) writeTests(text, name);
  shown = await ran('run', '--no-isolate', '--maxWorkers=1', '--reporter=verbose');
  told = {
    violation: reported('violation'),
    both: reported('both'),
    known: reported('known'),
    mended: reported('mended'),
    notOffered: reported('notOffered'),
    undeclared: reported('undeclared'),
    expired: reported('expired'),
    stuck: reported('stuck'),
    gone: reported('gone'),
  };
  failedFiles = filesThatFailed();
});

interface Told {
  readonly fullName: string;
  readonly status: string;
  /** In ms. */
  readonly duration: number;
  readonly failureMessages: readonly string[];
}

/** What somebody's own vitest says of that file. */
async function runOf(text: string, ...flags: readonly string[]): Promise<readonly Told[]> {
  writeTests(text);
  await ran('run', 'some', ...flags);
  return reported();
}

/** Resolves with what it shows. */
const ran = (...command: readonly string[]): Promise<string> =>
  new Promise((resolve) =>
    execFile(process.execPath, vitest(...command), { cwd: place, env }, (_error, stdout) => resolve(stdout)),
  );

function writeTests(text: string, name = 'some'): void {
  writeFileSync(
    join(place, `${name}.test.ts`),
    `import { conformance } from '${root}api/vitest.ts';\nimport { startServer } from '${root}api/server.ts';\n${text}`,
  );
}

function vitest(...command: readonly string[]): readonly string[] {
  const report = join(place, 'report.json');
  return [join(root, 'node_modules/vitest/vitest.mjs'), ...command, '--reporter=json', `--outputFile=${report}`];
}

/** What is told of the files whose names begin so. */
function reported(name = ''): readonly Told[] {
  const { testResults } = JSON.parse(readFileSync(join(place, 'report.json'), 'utf8')) as {
    readonly testResults: readonly { readonly name: string; readonly assertionResults: readonly Told[] }[];
  };
  return testResults
    .filter((file) => basename(file.name).startsWith(name))
    .flatMap(({ assertionResults }) => assertionResults);
}

function filesThatFailed(): readonly string[] {
  const { testResults } = JSON.parse(readFileSync(join(place, 'report.json'), 'utf8')) as {
    readonly testResults: readonly { readonly name: string; readonly status: string }[];
  };
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => basename(name));
}

/** The tests of the next run that somebody's vitest makes by itself. */
async function nextRun(): Promise<readonly Told[]> {
  for (;;) {
    try {
      const told = reported();
      rmSync(join(place, 'report.json'));
      return told;
    } catch {
      await sleep(50);
    }
  }
}

const byStatus = (told: readonly Told[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(told, ({ status }) => status)].map(([status, tests]) => [status, tests.length]));

test('a violation reads like an assertion, at the line that asks for the rules, and says how to repeat it', () => {
  const [failed] = told.violation.filter(({ status }) => status === 'failed');
  expect(failed?.fullName).toContain(broken);
  const text = failed?.failureMessages.join('\n') ?? '';
  for (const part of [
    'Violation: ',
    'expected: ',
    'actual: ',
    'request: POST http://',
    'answer: 201',
    'curl ',
    `repeat: conformance({ rules: ['${broken}'], seed: 7, runs: 2 })`,
  ])
    expect(text).toContain(part);
  expect(text).toMatch(/violation\.test\.ts:3:/);
});

test('only the rules whose tests run are judged', async () => {
  const told = await runOf(`conformance({ runs: 1 });`, '-t', broken);
  const { passed = 0, skipped = 0, pending = 0 } = byStatus(told);
  expect([passed, skipped + pending > 300]).toEqual([1, true]);
});

test('what is watched is judged again when a file changes, on a target of its own', async () => {
  rmSync(join(place, 'report.json'), { force: true });
  const watched = join(place, 'faults.ts');
  writeFileSync(watched, 'export const faults = [];');
  writeTests(`
    import { faults } from './faults.ts';
    conformance({ target: () => startServer({ faults }), rules: ['${broken}'], runs: 1 });`);
  const child = spawn(process.execPath, vitest('watch', 'some'), {
    cwd: place,
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(child, 'exit');
  try {
    expect(byStatus(await nextRun())).toEqual({ passed: 1 });
    writeFileSync(watched, `export const faults = ['${broken}'];`);
    expect(byStatus(await nextRun())).toEqual({ failed: 1 });
    writeFileSync(watched, 'export const faults = [];');
    expect(byStatus(await nextRun())).toEqual({ passed: 1 });
  } finally {
    child.kill();
    await ended;
  }
});

test('a test ends with its own rule, not with the run', () => {
  const lasted = (rule: string): number => told.both.find(({ fullName }) => fullName.includes(rule))?.duration ?? 0;
  expect(byStatus(told.both)).toEqual({ passed: 2 });
  expect(lasted(broken)).toBeLessThan(lasted(slow));
});

test('tests that are given up end the run, and what it had opened', async () => {
  const told = await runOf(
    `
    import { appendFileSync } from 'node:fs';
    conformance({
      target: async () => {
        const server = await startServer({ faults: ['${broken}'] });
        return { ...server, profile: server.profile, [Symbol.asyncDispose]: async () => {
          await server.close();
          appendFileSync('closed', 'closed');
        } };
      },
      rules: ['headers.uoi-version.*', 'delivery.*'],
      runs: 1,
    });`,
    '--bail=1',
  );
  const { failed = 0, passed = 0 } = byStatus(told);
  expect([failed > 0, passed < told.length - failed]).toEqual([true, true]);
  expect(readFileSync(join(place, 'closed'), 'utf8')).toBe('closed');
});

test('known failures are expected to fail, and what is not offered is skipped', () => {
  const { known } = told;
  expect(known.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(known.find(({ fullName }) => fullName.includes(broken))?.status).toBe('passed');
  expect(
    known
      .filter(({ fullName }) => fullName.includes('metadata.host.'))
      .every(({ status }) => /skipped|pending/.test(status)),
  ).toBe(true);
});

test('a known failure that is none any more fails, as a test that was to fail and did not', () => {
  expect(byStatus(told.mended)).toEqual({ failed: 1 });
  expect(told.mended[0]?.failureMessages.join('')).toContain('Expect test to fail');
});

test('what is blocked is skipped with its reason, beside what passes', () => {
  const { passed, skipped = 0, pending = 0, ...others } = byStatus(told.notOffered);
  expect([passed, skipped + pending > 0, others]).toEqual([1, true, {}]);
  expect(shown).toContain('[the profile declares batch as not supported: comes in spring]');
});

test('what could not be judged is an error with its reason', () => {
  expect(byStatus(told.stuck)).toEqual({ failed: 1 });
  expect(told.stuck[0]?.failureMessages.join('')).toMatch(/could not be judged: .*0\.001 s/);
});

test('what is blocked without being declared is an error, as it is for the command', () => {
  expect(byStatus(told.undeclared)).toEqual({ failed: 1, passed: 1 });
  const [failed] = told.undeclared.filter(({ status }) => status === 'failed');
  expect(failed?.failureMessages.join('')).toContain('blocked without being declared');
});

test('an entry of the profile whose day is over is an error', () => {
  expect(byStatus(told.expired)).toEqual({ passed: 1 });
  expect(failedFiles).toContain('expired.test.ts');
});

test('a target that cannot be judged is an error, not a pass', () => {
  expect(byStatus(told.gone)).toEqual({ failed: 1 });
  expect(told.gone[0]?.failureMessages.join('')).toContain('nothing was judged: ');
});

test('what nothing is called is told, and not that there are no tests', () => {
  expect(() => conformance({ areas: ['pagging'] as never })).toThrow('did you mean "paging"?');
  expect(() => conformance({ area: ['paging'] } as object)).toThrow('did you mean "areas"?');
  expect(() => conformance({ rules: ['paging.*'], areas: ['files'] })).toThrow('no rule is in all parts');
});
