import { Argument } from 'commander';
import type { ClaimKeysOptions, ClaimOptions, ReportTableOptions, VerifyOptions } from '../options.ts';
import { argumentsOf, type CommandRow, flag } from './row.ts';

const claimKeys: CommandRow = {
  name: 'keys',
  summary: 'make a pair of keys to sign claims with',
  options: [
    flag('--out <file>', 'file of the private key; the public one is written beside it, with .pub').default(
      'claim.key',
    ),
  ],
  examples: ['svc-conformance claim keys --out claim.key'],
  run: async (command) => (await import('../claim.ts')).claimKeysCommand(command.opts<ClaimKeysOptions>()),
};

/** A run that others can check. */
export const claim: CommandRow = {
  name: 'claim',
  summary: 'sign what a run came to, with its cassette, so that others can check it; 1 where it would not hold',
  arguments: [
    new Argument('<report>', 'report.json of the run'),
    new Argument('<cassette>', 'what check --record has written in the same run'),
  ],
  options: [
    flag('--key <file>', 'private key that signs; the variable SVC_CLAIM_KEY may hold it instead'),
    flag('--implementation-version <text>', 'version of what was judged'),
    flag('--contact <text>', 'whom to ask about it'),
    flag('--out <file>', 'file to write').default('conformance.claim.json'),
  ],
  examples: [
    'svc-conformance claim svc-conformance-report/report.json run.cassette --key claim.key --implementation-version 4.2.0 --contact conformance@vendor.example',
  ],
  below: [claimKeys],
  run: async (command) =>
    (await import('../claim.ts')).claimCommand(...argumentsOf<[string, string]>(command), command.opts<ClaimOptions>()),
};

/** Whether it is what it says. */
export const verify: CommandRow = {
  name: 'verify',
  summary: 'judge a claim again, offline, and say whether it holds; 1 where it does not',
  arguments: [new Argument('<claim>', 'file that claim has written')],
  options: [flag('--key <file>', 'public key that has to have signed it')],
  examples: ['svc-conformance verify conformance.claim.json --key claim.key.pub'],
  run: async (command) =>
    (await import('../claim.ts')).verifyCommand(...argumentsOf<[string]>(command), command.opts<VerifyOptions>()),
};

/** Implementations and versions beside each other. */
export const reportTable: CommandRow = {
  name: 'table',
  summary: 'write a page that holds implementations and versions beside each other',
  arguments: [new Argument('<files...>', 'report.json of each run, or a claim')],
  options: [flag('--out <file>', 'file to write').default('table.html')],
  examples: ['svc-conformance report table ours/report.json theirs.claim.json --out table.html'],
  run: async (command) =>
    (await import('../report-table.ts')).reportTableCommand(
      ...argumentsOf<[readonly string[]]>(command),
      command.opts<ReportTableOptions>(),
    ),
};
