import { Argument, Option, type Command } from 'commander';
import { areas } from '../contract/areas.ts';
import type { FormatName } from '../reports/formats.ts';
import {
  logLevels,
  reportFormats,
  type CheckExtensionOptions,
  type CheckOptions,
  type FaultsOptions,
  type RulesOptions,
  type ServeOptions,
  trafficReportFormats,
  type SimulateExtensionOptions,
  type MergeOptions,
  type TrafficOptions,
} from './options.ts';
import {
  areaList,
  base64Key,
  baseAddress,
  duration,
  judgedShare,
  folderList,
  idList,
  levelList,
  nameOf,
  permissionList,
  positiveNumber,
  reportList,
  ruleIdList,
  rulePatternList,
  storeChoice,
  trafficReportList,
  wholeNumber,
} from './values.ts';

/** One command: what it is called with, and the file that carries it out, loaded only when it is asked for. */
interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly options: readonly Option[];
  readonly examples: readonly string[];
  readonly below?: readonly CommandRow[];
  /** @returns the exit code */
  readonly run: (command: Command) => Promise<number>;
}

const areasFlag = flag('--areas <names>', 'areas to take, separated by commas').argParser(areaList);
const rulesFlag = flag('--rules <globs...>', 'rules to take, by id; * stands for any text').argParser(rulePatternList);
const seeds = { least: -(2 ** 31), most: 2 ** 31 - 1 };

const check: CommandRow = {
  name: 'check',
  summary: 'judge a deployment; without a profile the bundled reference server and extension host',
  options: [
    flag('--profile <file>', 'profile of the deployment under test'),
    ...selectingFlags(),
    flag('--keep-data', 'leave what was created where it is'),
    flag('--quiet', 'print the summary only'),
  ],
  examples: [
    'svc-conformance check',
    'svc-conformance check --profile staging.yaml --areas paging,patch',
    "svc-conformance check --rules 'paging.link.*' --seed 42 --runs 500",
    'svc-conformance check --profile staging.yaml --report junit=results.xml',
    'svc-conformance check --time real --areas delivery --time-budget 70s',
  ],
  run: async (command) => (await import('./check.ts')).checkCommand(command.opts<CheckOptions>()),
};

const checkExtension: CommandRow = {
  name: 'check-extension',
  summary: 'judge an extension host, the suite playing the service; without an address the bundled one',
  options: [
    flag('--url <url>', 'hostUri of the extension host').argParser(baseAddress),
    flag('--api-key <base64>', 'key that the host checks signatures with; the variable keeps it out of process lists').env('EXTENSION_API_KEY').argParser(base64Key),
    flag('--profile <file>', 'profile with samples, listener, time and what else the host needs'),
    ...selectingFlags(),
    flag('--quiet', 'print the summary only'),
  ],
  examples: [
    'svc-conformance check-extension',
    'EXTENSION_API_KEY=… svc-conformance check-extension --url http://localhost:8090',
    'svc-conformance check-extension --profile host.yaml --areas calls,tasks',
  ],
  run: async (command) => (await import('./check-extension.ts')).checkExtensionCommand(command.opts<CheckExtensionOptions>()),
};

const serve: CommandRow = {
  name: 'serve',
  summary: 'start the reference server and print where it is found, as one line of JSON',
  options: [
    flag('--port <n>', 'port to listen on, 0 for a free one')
      .argParser(wholeNumber(0, 65_535))
      .default(0, 'a free one'),
    flag('--host <address>', 'address to listen on').default('127.0.0.1'),
    flag('--base-address <url>', 'address by which extensions reach the server; where it listens unless given').argParser(baseAddress),
    flag('--store <kind>', 'memory, sqlite:FILE or postgres://USER@HOST:PORT/DATABASE').argParser(storeChoice).default({ kind: 'memory' }, 'memory'),
    flag('--files <dir>', 'folder that the file areas are kept below; a temporary one unless given'),
    flag('--max-stream-bytes <n>', 'longest file that is taken in a stream').argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)).default(undefined, '64 MiB'),
    flag('--administration-key <base64>', 'key that opens bulk upload from the start, 16 bytes or more; the variable keeps it out of process lists').env(
      'SVC_ADMINISTRATION_KEY',
    ),
    flag('--bulk-source <dir...>', 'directories that bulk uploads may take files from; any unless given').argParser(folderList),
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
  run: async (command) => {
    const [format, files] = command.processedArgs as [FormatName, readonly string[]];
    return (await import('./report.ts')).reportCommand(format, files);
  },
};

const simulateExtension: CommandRow = {
  name: 'extension',
  summary: 'play an extension host: serve metadata, check signatures, answer and work on calls, keep a journal',
  options: [
    flag('--port <n>', 'port to listen on, 0 for a free one')
      .argParser(wholeNumber(0, 65_535))
      .default(0, 'a free one'),
    flag('--host <address>', 'address to listen on').default('127.0.0.1'),
    flag('--script <file>', 'how calls are answered: YAML, or a module that exports script'),
    flag('--api-key <base64>', 'key of the signatures; without one they are not checked').argParser(base64Key),
    flag('--journal <file>', 'append every call as a line of JSON, access tokens included'),
    flag('--permissions <list>', 'API keys to acquire from each service that calls, as AdministrationAPI,SnapshotAPI').argParser(permissionList),
    flag('--fault <rule-id...>', 'break these rules about extension hosts on purpose').argParser(ruleIdList),
    flag('--control', 'open the routes that move the clock of the host'),
  ],
  examples: [
    'svc-conformance simulate extension --port 8090',
    'svc-conformance simulate extension --script failing.yaml --journal calls.ndjson',
  ],
  run: async (command) => (await import('./simulate.ts')).simulateExtensionCommand(command.opts<SimulateExtensionOptions>()),
};

const simulateTraffic: CommandRow = {
  name: 'traffic',
  summary: 'load a deployment with journeys and hold the answers against the rules; without a profile the reference server',
  options: [
    flag('--profile <file>', 'profile of the deployment to load'),
    flag('--mix <file>', 'which journeys, how often, how loaded; the bundled mix unless given'),
    flag('--rate <n>', 'journeys that begin per second, whatever the answers take').argParser(positiveNumber),
    flag('--users <n>', 'users that begin a journey when the one before has ended').argParser(wholeNumber(1, 10_000)),
    flag('--duration <duration>', 'how long, as 90s, 20m or 2h').argParser(duration),
    flag('--ramp <duration>', 'time over which the load rises').argParser(duration),
    flag('--judge <share>', 'all, off, or the share of journeys and objects that is judged, as 0.1').argParser(judgedShare),
    flag('--threshold <limits...>', "limits to keep, as 'p99<200ms' or 'read:errors<1%'"),
    flag('--report <format=file...>', `write a report: ${trafficReportFormats.join(', ')}`).argParser(trafficReportList),
    flag('--seed <n>', 'seed of everything that is made up').argParser(wholeNumber(0, seeds.most)),
    flag('--yes-load <host>', 'load this host although it is not this machine'),
    flag('--export <dir>', 'write the same load for k6 instead, for several machines or a cluster'),
    flag('--quiet', 'print the result only'),
  ],
  examples: [
    'svc-conformance simulate traffic',
    'svc-conformance simulate traffic --rate 200 --duration 2m --threshold p99<200ms',
    'svc-conformance simulate traffic --users 50 --duration 30s --report svg=latency.svg',
    'svc-conformance simulate traffic --profile staging.yaml --yes-load staging.example --rate 20',
  ],
  run: async (command) => (await import('./traffic.ts')).trafficCommand(command.opts<TrafficOptions>()),
};

const simulateMerge: CommandRow = {
  name: 'merge',
  summary: 'add up what the segments of an exported run of traffic counted',
  arguments: [new Argument('<files...>', 'counts.json of each segment')],
  options: [flag('--report <format=file...>', `write a report: ${trafficReportFormats.join(', ')}`).argParser(trafficReportList)],
  examples: ['svc-conformance simulate merge counts-1.json counts-2.json --report markdown=traffic.md'],
  run: async (command) => {
    const [files] = command.processedArgs as [readonly string[]];
    return (await import('./merge.ts')).mergeCommand(files, command.opts<MergeOptions>());
  },
};

const simulate: CommandRow = {
  name: 'simulate',
  summary: 'play the world around a service',
  options: [],
  examples: ['svc-conformance simulate traffic', 'svc-conformance simulate extension'],
  below: [simulateTraffic, simulateMerge, simulateExtension],
  run: async (command) => command.help({ error: true }),
};

/** Every command, in the order of the help text. */
export const commandRows: readonly CommandRow[] = [check, checkExtension, serve, simulate, rules, faults, report];

/** Adds the command, with everything below it, to its parent; `ended` hears the exit code of the one that ran. */
export function addCommand(parent: Command, row: CommandRow, ended: (exitCode: number) => void): void {
  const command = parent.command(row.name).description(row.summary);
  for (const argument of row.arguments ?? []) command.addArgument(argument);
  for (const option of row.options) command.addOption(option);
  for (const below of row.below ?? []) addCommand(command, below, ended);
  command.addHelpText('after', `\nExamples:\n${row.examples.map((line) => `  $ ${line}`).join('\n')}`);
  command.action(async () => ended(await row.run(command)));
}

function flag(flags: string, description: string): Option {
  return new Option(flags, description);
}

/** Flags that the judging commands share: which rules, how, and what is written about it. */
function selectingFlags(): readonly Option[] {
  return [
    areasFlag,
    rulesFlag,
    flag('--level <levels>', 'levels to take: must, should, observe').argParser(levelList),
    flag('--seed <n>', 'seed of everything generated; the same seed sends the same requests').argParser(
      wholeNumber(seeds.least, seeds.most),
    ),
    flag('--runs <n>', 'generated runs of each property').argParser(wholeNumber(1, 100_000)),
    flag('--time <kind>', 'how schedules pass; virtual where the clock of the service can be moved').choices(['real', 'virtual']),
    flag('--time-budget <duration>', 'real time for schedules, as 70s or 20m; the others are blocked').argParser(duration),
    flag('--bail', 'stop at the first violation'),
    flag('--concurrency <n>', 'cases under way at once').argParser(wholeNumber(1, 256)),
    flag('--report <format=file...>', `write one more report: ${reportFormats.join(', ')}`).argParser(reportList),
    flag('--out <dir>', 'folder of the outcomes and the reports').default('svc-conformance-report'),
  ];
}
