import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { differentialMarkdown } from '../../reports/compare/differential/markdown.ts';
import { differentialPage } from '../../reports/compare/differential/page.ts';
import { differentialText } from '../../reports/compare/differential/plain.ts';
import { printable, printableJson } from '../../reports/text.ts';
import type { Differential } from '../../judge/differential/result.ts';
import { ProfileError } from '../../judge/profile/profile-error.ts';
import { onInterrupt } from '../check/interrupt.ts';
import { openDeployment, startReference, type Deployment } from '../check/deployment.ts';
import type { CheckOptions } from '../options.ts';
import { UsageError } from '../usage.ts';
import { givenTheSame } from './given-the-same.ts';
import { openSecond } from './second.ts';

const defaultRuns = 20;
const exitCodes = { alike: 0, violation: 1, usage: 2, incomplete: 3 } as const;

/** Documents that two implementations beside each other can be made into. */
const writers: Readonly<Record<string, (differential: Differential) => string>> = {
  json: printableJson,
  markdown: differentialMarkdown,
  html: differentialPage,
};

/**
 * Gives the deployment of the profile, or the bundled reference server, and a second one the same requests, and prints what is different.
 * Resolves with 1 where either breaks a rule, 2 where options or a profile cannot be used, 3 where either cannot be reached, else 0.
 */
export async function againstCommand(
  options: CheckOptions,
  against: string,
  open: () => Promise<Deployment> = () => firstOf(options.profile),
): Promise<number> {
  try {
    assertUsable(options);
    using interrupt = onInterrupt();
    await using first = await open();
    const { loaded, assumed } = await openSecond(against, first.loaded, options.againstToken);
    const { seed = randomInt(2 ** 31), runs = defaultRuns } = options;
    const differential = await givenTheSame({
      first,
      second: loaded,
      assumed,
      seed,
      runs,
      command: commandOf(options, against, seed, runs),
      keepData: options.keepData === true,
      signal: interrupt.signal,
    });
    write(options, differential);
    process.stdout.write(differentialText(differential));
    return exitCodeOf(differential);
  } catch (error) {
    if (!(error instanceof ProfileError || error instanceof UsageError)) throw error;
    process.stderr.write(printable(`svc-conformance: ${error.message}\n`));
    return exitCodes.usage;
  }
}

async function firstOf(profile: string | undefined): Promise<Deployment> {
  return profile === undefined ? startReference() : openDeployment(profile);
}

/** @throws {UsageError} what selects rules or counts verdicts says nothing about two implementations */
function assertUsable(options: CheckOptions): void {
  const {
    areas,
    rules,
    level,
    shard,
    failOn,
    maxWarnings,
    onlyChangedSince,
    updateKnown,
    bail,
    time,
    timeBudget,
    watch,
    concurrency,
    report = [],
  } = options;
  const others = {
    areas,
    rules,
    level,
    shard,
    'fail-on': failOn,
    'max-warnings': maxWarnings,
    'only-changed-since': onlyChangedSince,
    'update-known': updateKnown,
    bail,
    time,
    'time-budget': timeBudget,
    watch,
    concurrency,
  };
  const stated = Object.entries(others).find(([, value]) => value !== undefined);
  if (stated !== undefined)
    throw new UsageError(
      `--${stated[0]} is about the rules of one implementation and does not go with --against; leave it out`,
    );
  const format = report.find((request) => writers[request.format] === undefined)?.format;
  if (format !== undefined)
    throw new UsageError(
      `--report ${format} is about one implementation; with --against there are ${Object.keys(writers).join(', ')}`,
    );
}

function write({ out, report = [] }: CheckOptions, differential: Differential): void {
  const always = [
    { format: 'json', file: join(out, 'against.json') },
    { format: 'markdown', file: join(out, 'against.md') },
    { format: 'html', file: join(out, 'against.html') },
  ];
  for (const { format, file } of [...always, ...report]) {
    const text = writers[format]?.(differential);
    if (text === undefined) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function exitCodeOf({ aborted, breaches }: Differential): number {
  if (aborted !== undefined) return exitCodes.incomplete;
  return breaches.some(({ known }) => known === undefined) ? exitCodes.violation : exitCodes.alike;
}

/** The command that does it again; the token is not in it. */
function commandOf({ profile }: CheckOptions, against: string, seed: number, runs: number): string {
  const quoted = (word: string): string =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const first = profile === undefined ? [] : ['--profile', quoted(profile)];
  return [
    'svc-conformance check',
    ...first,
    '--against',
    quoted(against),
    '--seed',
    String(seed),
    '--runs',
    String(runs),
  ].join(' ');
}
