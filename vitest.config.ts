import { defineConfig } from 'vitest/config';

/** Unit and property tests only; the cases of the suites are run by the program itself. */
export default defineConfig({
  test: {
    include: ['{contract,fixtures,reference-server,variants,simulator,suites,reports,cli,bench}/**/*.test.ts'],
    globalSetup: ['cli/elsewhere/package-folder.fixture.ts'],
    testTimeout: 20_000,
    // it imports JSON in a way that Node does not take
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    // Runs that a test starts say nothing to the step of GitHub Actions in which the tests run.
    env: { GITHUB_ACTIONS: 'false', GITHUB_STEP_SUMMARY: '' },
  },
});
