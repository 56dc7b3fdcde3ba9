import { areas } from '../contract/areas.ts';
import type { Options } from '../contract/option.ts';
import type { CheckExtensionHostOptions, CheckOptions, CheckSelection } from './check.ts';

/** What every run takes, whatever it judges. */
export const selectionOptions: Options<CheckSelection> = {
  rules: 'list',
  areas: { each: areas },
  levels: { each: ['must', 'should', 'observe'] },
  seed: 'number',
  runs: 'number',
  concurrency: 'number',
  time: { words: { real: true } },
  timeBudget: 'number',
  bail: 'boolean',
  keepData: 'boolean',
  signal: 'any',
  onStart: 'function',
  onOutcome: 'function',
  onNote: 'function',
};

export const checkOptions: Options<CheckOptions & CheckExtensionHostOptions> = {
  ...selectionOptions,
  target: 'any',
  profile: 'any',
};
