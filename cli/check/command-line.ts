import type { CheckOptions } from '../options.ts';

/** The command that repeats a run, with the seed and the number of runs that it had. */
export function commandLineOf(options: CheckOptions, seed: number, runs: number): string {
  const {
    profile,
    areas,
    rules,
    level,
    time,
    timeBudget,
    bail,
    concurrency,
    extension,
    shard,
    failOn,
    maxWarnings,
    onlyChangedSince,
  } = options;
  const words = [
    ...(extension === undefined
      ? ['svc-conformance check']
      : ['svc-conformance check-extension', ...(extension.url === undefined ? [] : ['--url', quoted(extension.url)])]),
    ...(profile === undefined ? [] : ['--profile', quoted(profile)]),
    ...(areas === undefined ? [] : ['--areas', areas.join(',')]),
    ...(rules === undefined ? [] : ['--rules', ...rules.map(quoted)]),
    ...(level === undefined ? [] : ['--level', level.join(',')]),
    ...(time === undefined ? [] : ['--time', time]),
    ...(timeBudget === undefined ? [] : ['--time-budget', `${timeBudget}s`]),
    ...(bail === true ? ['--bail'] : []),
    ...(concurrency === undefined ? [] : ['--concurrency', String(concurrency)]),
    ...(failOn === 'should' ? ['--fail-on', failOn] : []),
    ...(maxWarnings === undefined ? [] : ['--max-warnings', String(maxWarnings)]),
    ...(onlyChangedSince === undefined ? [] : ['--only-changed-since', quoted(onlyChangedSince)]),
    ...(shard === undefined ? [] : ['--shard', `${shard.index}/${shard.of}`]),
  ];
  return [...words, '--seed', String(seed), '--runs', String(runs)].join(' ');
}

/** As one word of a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
