import type { Rule } from '../../judge/rule.ts';
import { variablesOf } from '../../judge/curl/variables.ts';
import type { Gate, RunHeader } from '../../judge/outcome.ts';
import type { LoadedProfile } from '../../judge/profile/load.ts';
import type { CheckOptions } from '../options.ts';
import { packageVersion } from '../version.ts';
import { commandLineOf } from './command-line.ts';
import { declaredOn } from './declarations.ts';
import { profileDigest } from './profile-digest.ts';

/** What the first line of a run's record says. */
interface Heading {
  readonly options: CheckOptions;
  readonly loaded: LoadedProfile;
  readonly rules: readonly Rule[];
  readonly seed: number;
  readonly runs: number;
  readonly gate?: Gate;
}

/** The first line of a run's record. */
export function headerOf({ options, loaded, rules, seed, runs, gate }: Heading): RunHeader {
  const { implementation, baseUrl } = loaded.profile;
  const startedAt = new Date().toISOString();
  return {
    schemaVersion: 1,
    kind: 'run',
    implementation,
    baseUrl,
    seed,
    runs,
    startedAt,
    suiteVersion: packageVersion(),
    command: commandLineOf(options, seed, runs),
    selected: rules.map((rule) => rule.id),
    ...declaredOn(startedAt.slice(0, 'YYYY-MM-DD'.length), loaded.profile),
    ...(gate !== undefined && { gate }),
    ...(options.shard !== undefined && { shard: options.shard }),
    profileDigest: profileDigest(loaded),
    variables: variablesOf(loaded),
  };
}
