import { Argument, type Command, type Option } from 'commander';
import { areas } from '../contract/areas.ts';
import type { FormatName } from '../reports/formats.ts';
import { againstFlags } from './commands/against-flags.ts';
import { comparing, reportMerge, reportRerun } from './commands/comparing.ts';
import { gateFlags } from './commands/gate-flags.ts';
import { doctor, init } from './commands/onboarding.ts';
import { flag, type CommandRow } from './commands/row.ts';
import { simulate } from './commands/simulate.ts';
import {
  logLevels,
  reportFormats,
  type CheckExtensionOptions,
  type CheckOptions,
  type FaultsOptions,
  type RulesOptions,
  type ServeOptions,
} from './options.ts';
import {
  areaList,
  base64Key,
  baseAddress,
  duration,
  folderList,
  idList,
  levelList,
  nameOf,
  pathList,
  reportList,
  rulePatternList,
  storeChoice,
  wholeNumber,
} from './values.ts';

const areasFlag = flag('--areas <names>', 'areas to take, separated by commas').argParser(areaList);
const rulesFlag = flag('--rules <globs...>', 'rules to take, by id; * stands for any text').argParser(rulePatternList);
const seeds = { least: -(2 ** 31), most: 2 ** 31 - 1 };

const check: CommandRow = {
  name: 'check',
  summary: 'judge a deployment; without a profile the bundled reference server and extension host',
  options: [
    flag('--profile <file>', 'profile of the deployment under test'),
    ...selectingFlags(),
    ...againstFlags(),
    flag('--keep-data', 'leave what was created where it is'),
    flag('--watch', 'judge again on a key or when the profile changes, what failed first'),
    flag('--watch-path <path...>', 'files and folders whose changes start another run of --watch').argParser(pathList),
    flag('--quiet', 'print the summary only'),
  ],
  examples: [
    'svc-conformance check',
    'svc-conformance check --profile staging.yaml --areas paging,patch',
    "svc-conformance check --rules 'paging.link.*' --seed 42 --runs 500",
    'svc-conformance check --profile staging.yaml --report junit=results.xml',
    'svc-conformance check --time real --areas delivery --time-budget 70s',
    'svc-conformance check --profile old.yaml --against new.yaml --seed 7',
    "svc-conformance check --profile staging.yaml --watch --watch-path src --rules 'paging.*'",
  ],
  run: async (command) => (await import('./check.ts')).checkCommand(command.opts<CheckOptions>()),
};

const checkExtension: CommandRow = {
  name: 'check-extension',
  summary: 'judge an extension host, the suite playing the service; without an address the bundled one',
  options: [
    flag('--url <url>', 'hostUri of the extension host').argParser(baseAddress),
    flag('--api-key <base64>', 'key that the host checks signatures with; the variable keeps it out of process lists')
      .env('EXTENSION_API_KEY')
      .argParser(base64Key),
    flag('--profile <file>', 'profile with samples, listener, time and what else the host needs'),
    ...selectingFlags(),
    flag('--quiet', 'print the summary only'),
  ],
  examples: [
    'svc-conformance check-extension',
    'EXTENSION_API_KEY=… svc-conformance check-extension --url http://localhost:8090',
    'svc-conformance check-extension --profile host.yaml --areas calls,tasks',
  ],
  run: async (command) =>
    (await import('./check-extension.ts')).checkExtensionCommand(command.opts<CheckExtensionOptions>()),
};

const serve: CommandRow = {
  name: 'serve',
  summary: 'start the reference server and print where it is found, as one line of JSON',
  options: [
    flag('--port <n>', 'port to listen on, 0 for a free one')
      .argParser(wholeNumber(0, 65_535))
      .default(0, 'a free one'),
    flag('--host <address>', 'address to listen on').default('127.0.0.1'),
    flag(
      '--base-address <url>',
      'address by which extensions reach the server; where it listens unless given',
    ).argParser(baseAddress),
    flag('--store <kind>', 'memory, sqlite:FILE or postgres://USER@HOST:PORT/DATABASE')
      .argParser(storeChoice)
      .default({ kind: 'memory' }, 'memory'),
    flag('--files <dir>', 'folder that the file areas are kept below; a temporary one unless given'),
    flag('--max-stream-bytes <n>', 'longest file that is taken in a stream')
      .argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER))
      .default(undefined, '64 MiB'),
    flag(
      '--administration-key <base64>',
      'key that opens bulk upload from the start, 16 bytes or more; the variable keeps it out of process lists',
    ).env('SVC_ADMINISTRATION_KEY'),
    flag('--bulk-source <dir...>', 'directories that bulk uploads may take files from; any unless given').argParser(
      folderList,
    ),
    flag('--fault <id...>', 'break these rules on purpose, or make these subtle faults').argParser(idList),
    flag('--dialect <name>', 'differ in everything that the documents leave open').choices(['strange']),
    flag('--control', 'open the control routes'),
    flag('--log <level>', 'log to standard error').choices(logLevels).default('warn'),
  ],
  examples: [
    'svc-conformance serve --port 8080',
    'svc-conformance serve --store sqlite:service.db --log info',
    'svc-conformance serve --fault paging.page-one.holds-the-rest',
  ],
  run: async (command) => (await import('./serve.ts')).serveCommand(command.opts<ServeOptions>()),
};

const explain: CommandRow = {
  name: 'explain',
  summary: 'print one rule: statement, source, how it is checked, its fault',
  arguments: [new Argument('<id>', 'id of the rule')],
  options: [],
  examples: ['svc-conformance rules explain paging.page-one.holds-the-rest'],
  run: async (command) => {
    const [id] = command.processedArgs as [string];
    return (await import('./rules.ts')).explainCommand(id);
  },
};

const rules: CommandRow = {
  name: 'rules',
  summary: 'list the rules',
  options: [flag('--json', 'as JSON'), flag('--area <name>', 'one area only').argParser(nameOf('area', areas))],
  examples: ['svc-conformance rules --area versioning', 'svc-conformance rules --json'],
  below: [explain],
  run: async (command) => (await import('./rules.ts')).rulesCommand(command.opts<RulesOptions>()),
};

const faults: CommandRow = {
  name: 'faults',
  summary: 'the kill matrix: break the reference server rule by rule and see which cases notice',
  options: [
    areasFlag,
    rulesFlag,
    flag('--all', 'run every case under every fault'),
    flag('--json', 'as JSON'),
    flag('--publish', 'write the matrix to reports/published as well'),
  ],
  examples: ['svc-conformance faults', 'svc-conformance faults --areas paging', 'svc-conformance faults --all --json'],
  run: async (command) => (await import('./faults.ts')).faultsCommand(command.opts<FaultsOptions>()),
};

const report: CommandRow = {
  name: 'report',
  summary: 'make a report from the outcomes of earlier runs',
  arguments: [
    new Argument('<format>', reportFormats.join(', ')).argParser(nameOf('report format', reportFormats)),
    new Argument('<files...>', 'outcomes.ndjson of each run'),
  ],
  options: [],
  examples: ['svc-conformance report markdown svc-conformance-report/outcomes.ndjson'],
  below: [reportMerge, reportRerun],
  run: async (command) => {
    const [format, files] = command.processedArgs as [FormatName, readonly string[]];
    return (await import('./report.ts')).reportCommand(format, files);
  },
};

/** Every command, in the order of the help text. */
export const commandRows: readonly CommandRow[] = [
  init,
  doctor,
  check,
  checkExtension,
  serve,
  simulate,
  rules,
  faults,
  report,
  comparing,
];

/** Adds the command, with everything below it, to its parent; `ended` hears the exit code of the one that ran. */
export function addCommand(parent: Command, row: CommandRow, ended: (exitCode: number) => void): void {
  const command = parent.command(row.name).description(row.summary);
  for (const argument of row.arguments ?? []) command.addArgument(argument);
  for (const option of row.options) command.addOption(option);
  for (const below of row.below ?? []) addCommand(command, below, ended);
  command.addHelpText('after', `\nExamples:\n${row.examples.map((line) => `  $ ${line}`).join('\n')}`);
  command.action(async () => ended(await row.run(command)));
}

/** Flags that the judging commands share: which rules, how, and what is written about it. */
function selectingFlags(): readonly Option[] {
  return [
    areasFlag,
    rulesFlag,
    flag('--level <levels>', 'levels to take: must, should, observe').argParser(levelList),
    flag(
      '--seed <n>',
      'seed of everything generated; the same seed sends the same requests, but for names of what is new',
    ).argParser(wholeNumber(seeds.least, seeds.most)),
    flag('--runs <n>', 'generated runs of each property').argParser(wholeNumber(1, 100_000)),
    flag('--time <kind>', 'how schedules pass; virtual where the clock of the service can be moved').choices([
      'real',
      'virtual',
    ]),
    flag('--time-budget <duration>', 'real time for schedules, as 70s or 20m; the others are blocked').argParser(
      duration,
    ),
    flag('--bail', 'stop at the first violation'),
    flag('--concurrency <n>', 'cases under way at once').argParser(wholeNumber(1, 256)),
    ...gateFlags(),
    flag('--report <format=file...>', `write one more report: ${reportFormats.join(', ')}`).argParser(reportList),
    flag('--out <dir>', 'folder of the outcomes and the reports').default('svc-conformance-report'),
  ];
}
