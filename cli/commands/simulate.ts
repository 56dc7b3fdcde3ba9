import { Argument } from 'commander';
import {
  trafficReportFormats,
  type MergeOptions,
  type SimulateCalleeOptions,
  type SimulateExtensionOptions,
  type TrafficCompareOptions,
  type TrafficOptions,
} from '../options.ts';
import {
  base64Key,
  duration,
  judgedShare,
  moment,
  percentage,
  permissionList,
  positiveNumber,
  ruleIdList,
  segmentOfLoad,
  stageList,
  trafficReportList,
  wholeNumber,
} from '../values.ts';
import { argumentsOf, controlFlags, flag, listenFlags, type CommandRow } from './row.ts';

const mostSeed = 2 ** 31 - 1;
/** As many as a machine that is worth it has processors; beyond, the one thread that puts everything together is what limits. */
export const mostWorkers = 64;

const simulateExtension: CommandRow = {
  name: 'extension',
  summary: 'play an extension host: serve metadata, check signatures, answer and work on calls, keep a journal',
  options: [
    ...listenFlags(),
    flag('--script <file>', 'how calls are answered: YAML, or a module that exports script'),
    flag('--api-key <base64>', 'key of the signatures; without one they are not checked').argParser(base64Key),
    flag('--journal <file>', 'append every call as a line of JSON, access tokens included'),
    flag(
      '--permissions <list>',
      'API keys to acquire from each service that calls, as AdministrationAPI,SnapshotAPI',
    ).argParser(permissionList),
    flag('--fault <rule-id...>', 'break these rules about extension hosts on purpose').argParser(ruleIdList),
    ...controlFlags('open the control routes, to this machine unless any is said: journal, script, clock, faults'),
  ],
  examples: [
    'svc-conformance simulate extension --port 8090',
    'svc-conformance simulate extension --script failing.yaml --journal calls.ndjson',
  ],
  run: async (command) =>
    (await import('../simulate.ts')).simulateExtensionCommand(command.opts<SimulateExtensionOptions>()),
};

const simulateCallee: CommandRow = {
  name: 'callee',
  summary:
    'play what the service calls in the script of a finding, which says how it answers and gets the calls that came',
  options: listenFlags(),
  examples: ['svc-conformance simulate callee', 'svc-conformance simulate callee --host 0.0.0.0 --port 8090'],
  run: async (command) => (await import('../simulate.ts')).simulateCalleeCommand(command.opts<SimulateCalleeOptions>()),
};

const trafficReports = flag(
  '--report <format=file...>',
  `write a report, as html=load.html or html for traffic.html: ${trafficReportFormats.join(', ')}`,
).argParser(trafficReportList);
const allowWorse = flag(
  '--allow-worse <limits...>',
  "by how much figures may be worse than then, as 'p99<10%', or 10% for p50 and p99; exit code 3 when both runs are too short to tell",
);

const simulateTraffic: CommandRow = {
  name: 'traffic',
  summary:
    'load a deployment with journeys and hold the answers against the rules; without a profile the reference server',
  options: [
    flag('--profile <file>', 'profile of the deployment to load'),
    flag('--mix <file>', 'which journeys, how often, how loaded; the bundled mix unless given'),
    flag('--rate <n>', 'journeys that begin per second, whatever the answers take').argParser(positiveNumber),
    flag('--users <n>', 'users that begin a journey when the one before has ended').argParser(wholeNumber(1, 10_000)),
    flag('--duration <duration>', 'how long, as 90s, 20m or 2h').argParser(duration),
    flag('--ramp <duration>', 'time over which the load rises').argParser(duration),
    flag(
      '--stage <time:target...>',
      'rise or fall to a rate, as 30s:50, or to users, as 30s:50users, in that time; several after one another',
    ).argParser(stageList),
    flag('--arrivals <kind>', 'at even distances, or each by chance').choices(['even', 'poisson']),
    flag('--workers <n>', 'threads that make the load together').argParser(wholeNumber(1, mostWorkers)).default(1),
    flag(
      '--segment <part>',
      'make this part of the load only, as 2/4 on the second of four machines; needs --seed, and simulate merge adds up the JSON reports',
    ).argParser(segmentOfLoad),
    flag(
      '--start-at <time>',
      'begin the load then, as 2027-01-31T12:00:00Z, when what it needs is there; the same for all segments',
    ).argParser(moment),
    flag('--judge <share>', 'all, off, or the share of journeys and objects that is judged, as 0.1').argParser(
      judgedShare,
    ),
    flag('--threshold <limits...>', "limits to keep, as 'p99<200ms' or 'read:errors<1%'"),
    flag(
      '--find-limit <limit>',
      "look for the highest rate that keeps it, as 'p99<200ms', by loads of that --duration each (10s unless given), from --rate on",
    ),
    flag(
      '--stop-at-errors <percent>',
      'end the load when more than this of the requests of ten seconds are errors, as 20%',
    ).argParser(percentage),
    trafficReports,
    flag(
      '--metrics-port <n>',
      'tell the figures so far as OpenMetrics, to this machine at /metrics, while the load is made; 0 for a free port',
    ).argParser(wholeNumber(0, 65_535)),
    flag('--compare <file>', 'JSON report of an earlier run of the same load: say what became of each figure since'),
    allowWorse,
    flag('--seed <n>', 'seed of everything that is made up').argParser(wholeNumber(0, mostSeed)),
    flag('--yes-load <host>', 'load this host although it is not this machine'),
    flag('--export <dir>', 'write the same load for k6 instead, for several machines or a cluster'),
    flag('--quiet', 'print the result only'),
  ],
  examples: [
    'svc-conformance simulate traffic',
    'svc-conformance simulate traffic --rate 200 --duration 2m --threshold p99<200ms',
    'svc-conformance simulate traffic --users 50 --duration 30s --report svg=latency.svg',
    'svc-conformance simulate traffic --stage 30s:50 --stage 2m:200 --stage 10s:0 --arrivals poisson',
    "svc-conformance simulate traffic --find-limit 'p99<200ms' --rate 20 --report html=limit.html",
    'svc-conformance simulate traffic --rate 2000 --workers 4',
    'svc-conformance simulate traffic --segment 2/4 --seed 7 --start-at 2027-01-31T12:00:00Z --rate 2000 --report json=segment-2.json',
    "svc-conformance simulate traffic --rate 200 --duration 2m --compare before.json --allow-worse 'p99<10%'",
    'svc-conformance simulate traffic --profile staging.yaml --yes-load staging.example --rate 20',
  ],
  run: async (command) => (await import('../traffic.ts')).trafficCommand(command.opts<TrafficOptions>()),
};

const simulateMerge: CommandRow = {
  name: 'merge',
  summary: 'add up what the segments of a run of traffic counted',
  arguments: [new Argument('<files...>', 'JSON report of each segment, or the counts.json that an exported run wrote')],
  options: [trafficReports],
  examples: [
    'svc-conformance simulate merge segment-1.json segment-2.json --report html=traffic.html',
    'svc-conformance simulate merge counts-1.json counts-2.json --report markdown=traffic.md',
  ],
  run: async (command) =>
    (await import('../merge.ts')).mergeCommand(
      ...argumentsOf<[readonly string[]]>(command),
      command.opts<MergeOptions>(),
    ),
};

const simulateCompare: CommandRow = {
  name: 'compare',
  summary: 'say what became of each figure from one run of traffic to another',
  arguments: [
    new Argument('<before>', 'JSON report of the earlier run'),
    new Argument('<after>', 'JSON report of the later run'),
  ],
  options: [allowWorse, trafficReports],
  examples: ["svc-conformance simulate compare before.json after.json --allow-worse 'p99<10%'"],
  run: async (command) =>
    (await import('../compare-traffic.ts')).compareTrafficCommand(
      ...argumentsOf<[string, string]>(command),
      command.opts<TrafficCompareOptions>(),
    ),
};

/** Playing the world around a service, with everything below. */
export const simulate: CommandRow = {
  name: 'simulate',
  summary: 'play the world around a service',
  options: [],
  examples: ['svc-conformance simulate traffic', 'svc-conformance simulate extension'],
  below: [simulateTraffic, simulateMerge, simulateCompare, simulateExtension, simulateCallee],
  run: async (command) => command.help({ error: true }),
};
