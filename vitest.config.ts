import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Long enough for any test on a machine that does much else; a test that hangs ends all the same. */
const limitMs = 600_000;

/** What takes longest, though the files are short: begun last, it would keep one core waiting. */
const longest =
  /lean-profile|guides|broken-deployments|cli\/traffic\.test|published\/published|dialect|differential|histories|queue/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => Number(longest.test(other.moduleId)) - Number(longest.test(one.moduleId)));
  }
}

/** Unit and property tests only; the cases of the suites are run by the program itself. */
export default defineConfig({
  test: {
    include: [
      '{contract,fixtures,clock,reference-server,simulator,variants,judge,suites,reports,api,cli,bench,examples}/**/*.test.ts',
    ],
    sequence: { sequencer: LongestFirst },
    testTimeout: limitMs,
    hookTimeout: limitMs,
    // Most files take longer to load than to run: threads that keep what they have loaded do that once.
    pool: 'threads',
    isolate: false,
    expect: { poll: { timeout: 60_000 } },
    maxWorkers: availableParallelism(),
    // it imports JSON in a way that Node does not take
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    // Runs that a test starts say nothing to the step of GitHub Actions in which the tests run.
    env: {
      GITHUB_ACTIONS: 'false',
      GITHUB_STEP_SUMMARY: '',
      // what the examples find installed elsewhere
      SVC_CONFORMANCE: `${process.execPath} ${join(import.meta.dirname, 'cli/main.ts')}`,
    },
  },
});
