import type { Option } from 'commander';
import { shard } from '../shard-value.ts';
import { wholeNumber } from '../values.ts';
import { flag } from './row.ts';

const mostWarnings = 100_000;

/** Flags of the judging commands about what counts, and about runs in parts. */
export function gateFlags(): readonly Option[] {
  return [
    flag('--fail-on <level>', 'what a breach of ends with 1: must, or should to count guidelines as well').choices([
      'must',
      'should',
    ]),
    flag('--max-warnings <n>', 'guidelines that may be left unkept; more end with 1').argParser(
      wholeNumber(0, mostWarnings),
    ),
    flag(
      '--only-changed-since <report>',
      'report.json of an earlier run; rules whose verdict is the same are shown and count for nothing',
    ),
    flag(
      '--update-known',
      'write what failed under knownFailures of the profile and take out what is kept now; the exit code stays that of the run',
    ),
    flag('--shard <k/n>', 'judge part k of n of the selected rules; report merge puts the parts together').argParser(
      shard,
    ),
  ];
}
