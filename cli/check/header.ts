import type { Rule } from '../../contract/rules.ts';
import { variablesOf } from '../../suites/engine/curl/variables.ts';
import type { RunHeader } from '../../suites/engine/outcome.ts';
import type { LoadedProfile } from '../../suites/engine/profile/load.ts';
import type { CheckOptions } from '../options.ts';
import { packageVersion } from '../version.ts';
import { commandLineOf } from './command-line.ts';

/** The first line of a run's record. */
export function headerOf(options: CheckOptions, loaded: LoadedProfile, rules: readonly Rule[], seed: number, runs: number): RunHeader {
  const { implementation, baseUrl, notSupported = {}, knownFailures = {} } = loaded.profile;
  return {
    schemaVersion: 1,
    kind: 'run',
    implementation,
    baseUrl,
    seed,
    runs,
    startedAt: new Date().toISOString(),
    suiteVersion: packageVersion(),
    command: commandLineOf(options, seed, runs),
    selected: rules.map((rule) => rule.id),
    notSupported,
    knownFailures,
    variables: variablesOf(loaded),
  };
}
