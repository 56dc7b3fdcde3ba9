import { Argument } from 'commander';
import type { CompareOptions } from '../compare.ts';
import type { ReportMergeOptions } from '../report-merge.ts';
import { reportList } from '../values.ts';
import { flag, type CommandRow } from './row.ts';

/** Two runs, or two implementations, beside each other. */
export const comparing: CommandRow = {
  name: 'compare',
  summary:
    'compare two runs: verdicts that changed, and silences of the documents where the two do different things; 1 where a kept rule is kept no longer',
  arguments: [
    new Argument('<before>', 'report.json of the first run'),
    new Argument('<after>', 'report.json of the second run'),
  ],
  options: [
    flag('--markdown <file>', 'write the comparison as a page as well'),
    flag('--html <file>', 'the same as one file of HTML'),
  ],
  examples: [
    'svc-conformance compare main/report.json branch/report.json',
    'svc-conformance compare theirs.json ours.json --markdown comparison.md',
  ],
  run: async (command) => {
    const [before, after] = command.processedArgs as [string, string];
    return (await import('../compare.ts')).compareCommand(before, after, command.opts<CompareOptions>());
  },
};

/** The parts of one run put together. */
export const reportMerge: CommandRow = {
  name: 'merge',
  summary: 'put the parts of a run with --shard together, with the reports and the exit code of the whole',
  arguments: [new Argument('<files...>', 'outcomes.ndjson of every shard')],
  options: [
    flag('--out <dir>', 'folder of the outcomes and the reports').default('svc-conformance-report'),
    flag('--report <format=file...>', 'write one more report').argParser(reportList),
    flag('--quiet', 'print the summary only'),
  ],
  examples: ['svc-conformance report merge shard-1/outcomes.ndjson shard-2/outcomes.ndjson --out whole'],
  run: async (command) => {
    const [files] = command.processedArgs as [readonly string[]];
    return (await import('../report-merge.ts')).reportMergeCommand(files, command.opts<ReportMergeOptions>());
  },
};

/** What failed, once more. */
export const reportRerun: CommandRow = {
  name: 'rerun',
  summary: 'print the command that runs again what did not end well',
  arguments: [new Argument('<file>', 'outcomes.ndjson of the run')],
  options: [],
  examples: ['svc-conformance report rerun svc-conformance-report/outcomes.ndjson'],
  run: async (command) => {
    const [file] = command.processedArgs as [string];
    return (await import('../report-rerun.ts')).reportRerunCommand(file);
  },
};
