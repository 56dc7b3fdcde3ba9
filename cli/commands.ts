import { Argument, type Command, InvalidArgumentError, type Option } from 'commander';
import { argumentsOf, controlFlags, type CommandRow, flag, listenFlags } from './commands/row.ts';
import { claim, reportTable, verify } from './commands/claim.ts';
import { documents } from './commands/documents.ts';
import { simulate } from './commands/simulate.ts';
import type { CompareOptions } from './compare.ts';
import type { DoctorOptions } from './doctor.ts';
import type { InitOptions } from './init/answers.ts';
import {
  type CheckExtensionOptions,
  type CheckOptions,
  type CleanOptions,
  type FaultsOptions,
  logLevels,
  reportFormats,
  cassetteFormats,
  type RejudgeOptions,
  type RulesOptions,
  type ServeOptions,
  shellNames,
  type ShellName,
  topicNames,
} from './options.ts';
import type { ReportOptions } from './report.ts';
import type { ReportMergeOptions } from './report-merge.ts';
import {
  areaList,
  classList,
  base64Key,
  baseAddress,
  duration,
  folderList,
  hostList,
  originList,
  idList,
  jsonObject,
  levelList,
  reportFormat,
  ruleId,
  shellName,
  pathList,
  reportList,
  rulePatternList,
  storeChoice,
  namedIdentity,
  variableName,
  wholeNumber,
} from './values.ts';
import type { RuleId } from '../contract/rule.ts';
import type { Shard } from '../judge/outcome.ts';
import type { CassetteFormatName } from '../reports/cassette/formats.ts';
import type { FormatName } from '../reports/formats.ts';

/** A first profile. */
const init: CommandRow = {
  name: 'init',
  summary: 'write a first profile of a deployment, as far as it can be found out',
  options: [
    flag('--url <url>', 'address of the deployment before /api').argParser(baseAddress),
    flag('--space <id>', 'space in which test objects may be made'),
    flag('--participant <id>', 'participant of that space'),
    flag('--token-url <url>', 'token endpoint; the usual places are tried unless given'),
    flag('--client-id <id>', 'client id for the token endpoint'),
    flag('--client-secret-env <name>', 'environment variable with the client secret')
      .argParser(variableName)
      .default('SVC_CLIENT_SECRET'),
    flag('--public-client', 'the client has no secret'),
    flag('--username <name>', 'user with an editor role in the space'),
    flag('--password-env <name>', 'environment variable with the password of the user')
      .argParser(variableName)
      .default('SVC_PASSWORD'),
    flag('--token-env <name>', 'environment variable with a ready access token, in the place of the grant').argParser(
      variableName,
    ),
    flag('--pat-env <name>', 'environment variable with a personal access token of the user').argParser(variableName),
    flag(
      '--identity <identity=username>',
      'further user: secondEditor, reader, outsider, noRole or administrator, with its password in SVC_SECOND_EDITOR_PASSWORD, SVC_READER_PASSWORD and so on; once for each',
    ).argParser(namedIdentity),
    flag('--admin-api-key-env <name>', 'environment variable with the administration API key in Base64').argParser(
      variableName,
    ),
    flag(
      '--issuer-env <name>',
      'environment variable with the certificate of whoever signed that of the service, in PEM',
    ).argParser(variableName),
    flag(
      '--client-certificate-env <name>',
      'environment variable with the certificate that a gateway asks for, in PEM',
    ).argParser(variableName),
    flag('--client-key-env <name>', 'environment variable with the key of that certificate, in PEM').argParser(
      variableName,
    ),
    flag('--proxy <url>', 'proxy through which the deployment is reached, as http://proxy.example:3128').argParser(
      baseAddress,
    ),
    flag('--host-directory <path>', 'directory on the disk of the service that bulk uploads may take files from'),
    flag('--name <text>', 'name of the implementation; the host unless given'),
    flag('--definition-id <id>', 'SoftType to test where no OpenAPI tells one, with the next two'),
    flag('--input-schema-id <id>', 'input schema of that SoftType'),
    flag('--output-schema-id <id>', 'output schema of that SoftType'),
    flag('--body <json>', 'smallest body that creates an object of it').argParser(jsonObject),
    flag('--out <file>', 'profile to write').default('profile.yaml'),
    flag('--force', 'replace the profile that is there'),
    flag('--yes', 'ask nothing: tell what is missing instead'),
  ],
  examples: [
    'svc-conformance init --url https://staging.example --space main',
    'svc-conformance init --yes --url http://localhost:8080 --space main --username edda --client-id conformance',
    'svc-conformance init --url https://staging.example --space main --token-env SVC_TOKEN --out staging.yaml',
    'svc-conformance init --url http://localhost:8080 --space main --identity reader=rita --identity administrator=cora',
  ],
  run: async (command) => (await import('./init.ts')).initCommand(command.opts<InitOptions>()),
};

/** A profile tried out. */
const doctor: CommandRow = {
  name: 'doctor',
  summary: 'try everything that a profile declares, and tell what is missing or fails',
  options: [
    flag('--profile <file>', 'profile of the deployment').makeOptionMandatory(),
    flag('--quiet', 'print only what fails and the result'),
  ],
  examples: ['svc-conformance doctor --profile staging.yaml', 'svc-conformance doctor --profile staging.yaml --quiet'],
  run: async (command) => (await import('./doctor.ts')).doctorCommand(command.opts<DoctorOptions>()),
};

/** Two runs, or two implementations, beside each other. */
const comparing: CommandRow = {
  name: 'compare',
  summary:
    'compare two runs: verdicts that changed, and silences of the documents where the two do different things; 1 where a kept rule is kept no longer, or a judged one is gone',
  arguments: [
    new Argument('<before>', 'report.json of the first run'),
    new Argument('<after>', 'report.json of the second run'),
  ],
  options: [
    flag('--markdown <file>', 'write the comparison as a page as well'),
    flag('--html <file>', 'the same as one file of HTML'),
    flag('--allow-gone', 'rules that the second run did not select are no regressions'),
  ],
  examples: [
    'svc-conformance compare main/report.json branch/report.json',
    'svc-conformance compare theirs.json ours.json --markdown comparison.md',
  ],
  run: async (command) =>
    (await import('./compare.ts')).compareCommand(
      ...argumentsOf<[string, string]>(command),
      command.opts<CompareOptions>(),
    ),
};

/** The parts of one run put together. */
const reportMerge: CommandRow = {
  name: 'merge',
  summary: 'put the parts of a run with --shard together, with the reports and the exit code of the whole',
  arguments: [new Argument('<files...>', 'outcomes.ndjson of every shard')],
  options: [
    flag('--out <dir>', 'folder of the outcomes and the reports').default('svc-conformance-report'),
    flag('--report <format=file...>', 'write one more report').argParser(reportList),
    flag('--quiet', 'print the summary only'),
  ],
  examples: ['svc-conformance report merge shard-1/outcomes.ndjson shard-2/outcomes.ndjson --out whole'],
  run: async (command) =>
    (await import('./report-merge.ts')).reportMergeCommand(
      ...argumentsOf<[readonly string[]]>(command),
      command.opts<ReportMergeOptions>(),
    ),
};

/** What failed, once more. */
const reportRerun: CommandRow = {
  name: 'rerun',
  summary: 'print the command that runs again what did not end well',
  arguments: [new Argument('<file>', 'outcomes.ndjson of the run')],
  options: [],
  examples: ['svc-conformance report rerun svc-conformance-report/outcomes.ndjson'],
  run: async (command) => (await import('./report-rerun.ts')).reportRerunCommand(...argumentsOf<[string]>(command)),
};

const clean: CommandRow = {
  name: 'clean',
  summary: 'delete what a run has left on a deployment; 3 where something stays',
  arguments: [
    new Argument('<report>', 'report.json of the run; made.ndjson beside it lists what killed runs have made'),
  ],
  options: [flag('--profile <file>', 'profile of the deployment').makeOptionMandatory()],
  examples: ['svc-conformance clean svc-conformance-report/report.json --profile staging.yaml'],
  run: async (command) =>
    (await import('./clean.ts')).cleanCommand(...argumentsOf<[string]>(command), command.opts<CleanOptions>()),
};

const mostWarnings = 100_000;

const areasFlag = flag('--areas <names>', 'areas to take, separated by commas').argParser(areaList);
const rulesFlag = flag('--rules <globs...>', 'rules to take, by id; * stands for any text').argParser(rulePatternList);
const seeds = { least: -(2 ** 31), most: 2 ** 31 - 1 };

/** A run judged again from its cassette. */
const rejudge: CommandRow = {
  name: 'rejudge',
  summary:
    'judge recorded runs again, without the target; 1 where a verdict is another one now, 3 where a cassette does not tell of a rule',
  arguments: [new Argument('<cassettes...>', 'files that check --record has written')],
  options: [areasFlag, rulesFlag, flag('--quiet', 'print the result only')],
  examples: ['svc-conformance rejudge run.cassette', "svc-conformance rejudge shelf/*.cassette --rules 'paging.*'"],
  run: async (command) =>
    (await import('./rejudge.ts')).rejudgeCommand(
      ...argumentsOf<[readonly string[]]>(command),
      command.opts<RejudgeOptions>(),
    ),
};

const check: CommandRow = {
  name: 'check',
  summary: 'judge a deployment; without a profile the bundled reference server and extension host',
  options: [
    flag('--profile <file>', 'profile of the deployment under test'),
    ...selectingFlags(),
    ...againstFlags(),
    ...startFlags(),
    flag('--record <file>', 'write a cassette, from which rejudge judges again without the target'),
    flag('--keep-data', 'leave what was created where it is'),
    flag(
      '--watch',
      'judge again on a key, when the profile changes or when the service was restarted, what failed first',
    ),
    flag(
      '--watch-path <path...>',
      'files and folders whose changes start another run of --watch, and what --start began anew before it',
    ).argParser(pathList),
    flag('--quiet', 'print the summary only'),
    flag('--json', 'print lines of JSON for tools: verdicts as they are final, findings with what to do next, the end'),
  ],
  examples: [
    'svc-conformance check',
    'svc-conformance check --profile staging.yaml --areas paging,patch',
    "svc-conformance check --rules 'paging.link.*' --seed 42 --runs 500",
    'svc-conformance check --profile staging.yaml --report junit=results.xml',
    "svc-conformance check --json --rules 'paging.*' | jq 'select(.event == \"finding\")'",
    'svc-conformance check --time real --areas delivery --time-budget 70s',
    'svc-conformance check --profile old.yaml --against new.yaml --seed 7',
    "svc-conformance check --profile staging.yaml --watch --watch-path src --rules 'paging.*'",
    "svc-conformance check --profile local.yaml --start 'npm start' --wait 60s",
    "svc-conformance check --profile local.yaml --start ./build-and-run --watch --watch-path src --rules 'paging.*'",
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
    ...startFlags(),
    flag('--quiet', 'print the summary only'),
    flag('--json', 'print lines of JSON for tools: verdicts as they are final, findings with what to do next, the end'),
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
    ...listenFlags(),
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
    flag(
      '--bulk-source <dir...>',
      'directories that bulk uploads may take files from; one of its own unless given',
    ).argParser(folderList),
    flag(
      '--allow-callee <host...>',
      'hosts that the server may call, each with its port where that is not the usual one; any unless given',
    ).argParser(hostList),
    flag(
      '--allow-origin <origin...>',
      'origins whose pages may read the answers in a browser, as http://localhost:5173, or *; none unless given',
    ).argParser(originList),
    flag(
      '--fault <id...>',
      'break these rules on purpose, or make these subtle faults; faults --list names both',
    ).argParser(idList),
    flag('--dialect <name>', 'differ where the documents leave it open, each name elsewhere').choices([
      'strange',
      'foreign',
      'peculiar',
    ]),
    ...controlFlags('open the control routes, to this machine unless any is said'),
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
  arguments: [new Argument('<id>', 'id of the rule').argParser(ruleId)],
  options: [],
  examples: ['svc-conformance rules explain paging.page-one.holds-the-rest'],
  run: async (command) => (await import('./rules.ts')).explainCommand(...argumentsOf<[RuleId]>(command)),
};

const coverage: CommandRow = {
  name: 'coverage',
  summary: 'print what the rules reach of the documents, which needs that takes, and what none does',
  options: [],
  examples: ['svc-conformance rules coverage'],
  run: async () => (await import('./rule-coverage.ts')).ruleCoverageCommand(),
};

const rules: CommandRow = {
  name: 'rules',
  summary: 'list the rules',
  options: [areasFlag, rulesFlag, flag('--json', 'as JSON')],
  examples: ['svc-conformance rules --areas versioning', 'svc-conformance rules --json'],
  below: [explain, coverage],
  run: async (command) => (await import('./rules.ts')).rulesCommand(command.opts<RulesOptions>()),
};

const faults: CommandRow = {
  name: 'faults',
  summary: 'the kill matrix: break the reference server rule by rule and see which cases notice',
  options: [
    areasFlag,
    rulesFlag,
    flag('--list', 'name the faults and try none: those of rules, and subtle ones where nothing is selected'),
    flag('--all', 'run every case under every fault, and hold what fails against the published matrix'),
    flag('--json', 'as JSON'),
    flag('--publish', 'accept what differs, and write the matrix to reports/published'),
    flag(
      '--mistakes [names...]',
      "try mistakes that are no rule's own, by id or section, * standing for any text, or those of the museum; one ends with its first kill unless --all is given",
    ).argParser(idList),
  ],
  examples: [
    'svc-conformance faults',
    'svc-conformance faults --areas paging',
    'svc-conformance faults --list',
    'svc-conformance faults --all --json',
    "svc-conformance faults --mistakes core/paging 'links.*'",
  ],
  run: async (command) => (await import('./faults.ts')).faultsCommand(command.opts<FaultsOptions>()),
};

const report: CommandRow = {
  name: 'report',
  summary: 'make a report from the outcomes of earlier runs',
  arguments: [
    new Argument('<format>', `${reportFormats.join(', ')}; of a cassette ${cassetteFormats.join(', ')}`).argParser(
      reportFormat,
    ),
    new Argument('<files...>', 'outcomes.ndjson of each run, or a cassette'),
  ],
  options: [flag('--out <file>', 'file to write; standard output unless given')],
  examples: [
    'svc-conformance report markdown svc-conformance-report/outcomes.ndjson',
    'svc-conformance report har run.cassette --out run.har',
  ],
  below: [reportMerge, reportRerun, reportTable],
  run: async (command) =>
    (await import('./report.ts')).reportCommand(
      ...argumentsOf<[FormatName | CassetteFormatName, readonly string[]]>(command),
      command.opts<ReportOptions>(),
    ),
};

/** Help about a command, or about what is none. */
const help: CommandRow = {
  name: 'help',
  summary: 'explain a command, or one of: ' + topicNames.join(', '),
  arguments: [new Argument('[topic...]', 'a topic, or the words of a command')],
  options: [],
  examples: ['svc-conformance help exit-codes', 'svc-conformance help rules explain'],
  run: async (command) =>
    (await import('./help.ts')).helpCommand(...argumentsOf<[readonly string[]]>(command), programAbove(command)),
};

const completion: CommandRow = {
  name: 'completion',
  summary: 'print a script by which a shell completes commands, flags, areas and rules',
  arguments: [new Argument('<shell>', shellNames.join(', ')).argParser(shellName)],
  options: [],
  examples: [
    'source <(svc-conformance completion bash)',
    'svc-conformance completion zsh > "${fpath[1]}/_svc-conformance"',
    'svc-conformance completion fish > ~/.config/fish/completions/svc-conformance.fish',
  ],
  run: async (command) =>
    (await import('./completion.ts')).completionCommand(...argumentsOf<[ShellName]>(command), programAbove(command)),
};

function programAbove(command: Command): Command {
  return command.parent === null ? command : programAbove(command.parent);
}

/** Every command, in the order of the help text. */
export const commandRows: readonly CommandRow[] = [
  init,
  doctor,
  check,
  checkExtension,
  serve,
  simulate,
  rules,
  documents,
  faults,
  report,
  clean,
  rejudge,
  claim,
  verify,
  comparing,
  help,
  completion,
];

/** Adds the command, with everything below it, to its parent; `ended` hears the exit code of the one that ran. */
export function addCommand(parent: Command, row: CommandRow, ended: (exitCode: number) => void): void {
  // what stands behind the name of a command is its own, flags that its parent has as well too
  const command = parent.command(row.name).description(row.summary).enablePositionalOptions();
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
    flag(
      '--time-budget <duration>',
      'longest real time of one schedule, as 70s or 20m: longer ones are blocked, and all begin together; what is no schedule takes its own time besides',
    ).argParser(duration),
    flag('--bail', 'stop at the first violation'),
    flag('--concurrency <n>', 'cases under way at once').argParser(wholeNumber(1, 256)),
    ...gateFlags(),
    flag(
      '--report <format=file...>',
      `write one more report: ${reportFormats.join(', ')}; - as file prints it, and what is watched goes to standard error`,
    ).argParser(reportList),
    flag('--out <dir>', 'folder of the outcomes and the reports').default('svc-conformance-report'),
  ];
}

/** Flags of a service that is started for the run. */
function startFlags(): readonly Option[] {
  return [
    flag(
      '--start <command>',
      'command that starts the service and stays until it is stopped: begun once nobody answers yet, ended with everything it started; what it prints goes to service.log in the folder of the run, the last 32 MiB and up to as many before them in service.log.1',
    ),
    flag(
      '--wait <duration>',
      'longest wait until the service answers, as 30s, which is what --start and --watch wait unless given',
    ).argParser(duration),
    flag('--reuse', 'where something answers already, judge that in the place of --start'),
  ];
}

/** Flags of a comparison with a second implementation. */
function againstFlags(): readonly Option[] {
  return [
    flag(
      '--against <profile-or-url>',
      'give a second implementation the same requests and list what it does differently; to a base URL the credentials of the first are sent; 1 where either breaks a rule',
    ),
    flag('--against-token <token>', 'access token of the editor there; the variable keeps it out of process lists').env(
      'SVC_AGAINST_TOKEN',
    ),
  ];
}

/** Flags of the judging commands about what counts, and about runs in parts. */
function gateFlags(): readonly Option[] {
  return [
    flag('--fail-on <level>', 'what a breach of ends with 1: must, or should to count guidelines as well').choices([
      'must',
      'should',
    ]),
    flag('--max-warnings <n>', 'guidelines that may be left unkept; more end with 1').argParser(
      wholeNumber(0, mostWarnings),
    ),
    flag(
      '--require <classes>',
      'classes that have to be kept, separated by commas (help classes); 1 where one is not',
    ).argParser(classList),
    flag(
      '--only-changed-since <report>',
      'report.json of an earlier run; rules that failed in it as well are shown and count for nothing',
    ),
    flag(
      '--since-any',
      'let --only-changed-since take a report of another implementation, profile or version of the suite',
    ),
    flag(
      '--update-known',
      'write what failed under knownFailures of the profile and take out what is kept now; the exit code stays that of the run',
    ),
    flag(
      '--shard <k/n>',
      'judge part k of n of the selected rules; report merge puts parts of one --seed together',
    ).argParser(shard),
  ];
}

/** Reads `2/4`: the second of four parts. */
function shard(text: string): Shard {
  const [, index = 0, of = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index >= 1 && index <= of) return { index, of };
  throw new InvalidArgumentError(`Expected a part as 2/4, from 1/4 to 4/4, found "${text}".`);
}
