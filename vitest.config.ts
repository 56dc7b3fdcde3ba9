import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type Reporter, type TestModule, type TestSpecification } from 'vitest/node';

/** Long enough for any test on a machine that does much else; a test that hangs ends all the same. */
const limitMs = 600_000;

/** A hook may judge a whole service: two minutes on an idle machine. */
const hookLimitMs = 3 * limitMs;

/** What takes longest, longest first: begun last, it would keep one core waiting. The size of a file says little of it. */
const longest = [
  'cli/dialect',
  'cli/published/published',
  'suites/hosts/mistakes',
  'cli/lean-profile',
  'bench/repeat/prove',
  'suites/core/habits',
  'bench/swarm/hosts',
  'cli/guides',
  'suites/subtle-faults',
  'suites/hosts/task-mistakes',
  'variants/mistakes/mistakes',
  'cli/package',
  'cli/traffic',
  'cli/claim/claim',
  'cli/rejudge',
  'suites/hosts/answer-mistakes',
  'cli/tls',
  'examples/examples',
  'cli/start/start-service',
  'cli/doctor/broken-deployments',
  'cli/gate',
  'api/examples',
  'cli/ci-files',
  'bench/torture/torture',
  'bench/repeat/peers',
  'api/vitest',
  'cli/check',
  'cli/check/place',
  'cli/secrets-stay',
  'reports/page/browser',
  'variants/dialect/foreign-extensions',
  'cli/check-extension',
  'judge/host/host',
  'simulator/traffic/k6/k6',
  'cli/traffic/interrupt',
  'simulator/traffic/different',
].map((name) => join(import.meta.dirname, `${name}.test.ts`));

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const turnOf = ({ moduleId }: TestSpecification): number => longest.toReversed().indexOf(moduleId);
    return sorted.toSorted((one, other) => turnOf(other) - turnOf(one));
  }
}

/** Says at the end what passed only when it was tried again: a race of the test, or of what it tests, that somebody has to look into. */
const namesOfRetried: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const retried = modules.flatMap((module) =>
      [...module.children.allTests()].filter((test) => test.diagnostic()?.flaky),
    );
    for (const test of retried)
      process.stderr.write(
        `Passed at the second try only: ${test.module.relativeModuleId} > ${test.fullName}\n  ${String(test.result().errors?.[0]?.message)}\n`,
      );
  },
};

/** Unit and property tests only; the cases of the suites are run by the program itself. */
export default defineConfig({
  test: {
    include: [
      '{contract,fixtures,clock,reference-server,simulator,variants,judge,suites,reports,api,cli,bench,examples}/**/*.test.ts',
    ],
    setupFiles: ['judge/run/threads.setup.ts', 'cli/outlet.setup.ts'],
    sequence: { sequencer: LongestFirst },
    testTimeout: limitMs,
    hookTimeout: hookLimitMs,
    // A machine that stands still for a second may turn a test red that is right; never a property, whose next seed is another one.
    retry: process.env['CI'] === 'true' ? { count: 1, condition: /^(?!Property failed)/ } : 0,
    reporters: ['default', namesOfRetried],
    // Most files take longer to load than to run: threads that keep what they have loaded do that once, and Node does it fastest.
    pool: 'threads',
    isolate: false,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: [`--import=${pathToFileURL(join(import.meta.dirname, 'cli/modules.setup.ts')).href}`],
    expect: { poll: { timeout: 60_000 } },
    // Half of the time of a test goes by in waiting: for a load, a timeout, a process, a schedule.
    maxWorkers: 2 * availableParallelism(),
    // Runs that a test starts say nothing to the step of GitHub Actions in which the tests run.
    env: {
      GITHUB_ACTIONS: 'false',
      GITHUB_STEP_SUMMARY: '',
    },
  },
});
