import type { Segment } from '../simulator/traffic/engine.ts';
import type { Area } from '../contract/areas.ts';
import type { ClassName } from '../contract/classes.ts';
import type { permissionNames } from '../contract/names.ts';
import type { Level, RuleId } from '../contract/rule.ts';
import type { StoreChoice } from '../api/open-store.ts';
import type { LogLevel } from '../reference-server/log.ts';
import type { ExtensionHostOptions as HostOptions } from '../simulator/extension/host.ts';
import type { CassetteFormatName } from '../reports/cassette/formats.ts';
import type { FormatName } from '../reports/formats.ts';
import type { TrafficFormatName } from '../reports/traffic-formats.ts';
import type { Shard } from '../judge/outcome.ts';

/** Documents that can be made from the outcomes of a run; `outcomes.ndjson` itself is always written. */
export const reportFormats: readonly FormatName[] = [
  'json',
  'junit',
  'markdown',
  'html',
  'badge',
  'badge-json',
  'sarif',
  'ctrf',
];

/** Documents that a cassette can be made into. */
export const cassetteFormats: readonly CassetteFormatName[] = ['har', 'hurl', 'http', 'nock'];

/** Documents that a run of traffic can be made into. */
export const trafficReportFormats: readonly TrafficFormatName[] = [
  'json',
  'junit',
  'openmetrics',
  'hgrm',
  'html',
  'markdown',
  'svg',
];

/** What `help` explains beside commands. */
export const topicNames = [
  'profile',
  'needs',
  'verdicts',
  'classes',
  'exit-codes',
  'time',
  'secrets',
  'gate',
  'reports',
] as const;
export type TopicName = (typeof topicNames)[number];

export const shellNames = ['bash', 'zsh', 'fish'] as const;
export type ShellName = (typeof shellNames)[number];

export const logLevels: readonly LogLevel[] = ['silent', 'error', 'warn', 'info'];

/** A document asked for by `--report FORMAT=FILE`. */
export interface ReportRequest {
  readonly format: FormatName;
  readonly file: string;
}

/** Which rules a command is about; everything absent means all of them. */
export interface Selection {
  readonly areas?: readonly Area[];
  /** Rule ids, `*` standing for any text. */
  readonly rules?: readonly string[];
}

export interface CheckOptions extends Selection {
  /** Absent: the bundled profile, and the reference server is started for the run. */
  readonly profile?: string;
  readonly level?: readonly Level[];
  readonly seed?: number;
  /** Generated runs of each property. */
  readonly runs?: number;
  /** Virtual where the profile says that the clock of the service can be moved, else real. */
  readonly time?: 'real' | 'virtual';
  /** Real time for schedules, in seconds. */
  readonly timeBudget?: number;
  readonly bail?: true;
  /** Cases under way at once. */
  readonly concurrency?: number;
  readonly report?: readonly ReportRequest[];
  /** Folder of `outcomes.ndjson` and of the reports. */
  readonly out: string;
  /** Cassette to write. */
  readonly record?: string;
  readonly keepData?: true;
  /** An extension host is judged, and no service. */
  readonly extension?: ExtensionOptions;
  readonly quiet?: true;
  /** Lines of events on standard output, in the place of what a person watches. */
  readonly json?: true;
  /** The part of the selected rules that is judged. */
  readonly shard?: Shard;
  /** Whether guidelines count for the exit code; only rules do unless given. */
  readonly failOn?: 'must' | 'should';
  /** Guidelines that may be left unkept. */
  readonly maxWarnings?: number;
  /** Classes that have to be kept. */
  readonly require?: readonly ClassName[];
  /** report.json of an earlier run: rules that failed in it as well count for nothing. */
  readonly onlyChangedSince?: string;
  /** Whether that report may be about another implementation, profile or version of the suite. */
  readonly sinceAny?: true;
  /** Writes what failed into the profile, and takes out what no longer does. */
  readonly updateKnown?: true;
  /** Judges again on a key, or when the profile or a watched path changes. */
  readonly watch?: true;
  /** Files and folders whose changes start another run. */
  readonly watchPath?: readonly string[];
  /** Command of a shell that starts the service, which is stopped in the end. */
  readonly start?: string;
  /** How long the service may take until it answers, in seconds. */
  readonly wait?: number;
  /** Whether a service that answers already is judged in the place of one that is started. */
  readonly reuse?: true;
  /** Profile or address of a second implementation, which is given the same requests. */
  readonly against?: string;
  /** Access token of its editor. */
  readonly againstToken?: string;
}

/** Where the extension host under test is; absent: the bundled one, started for the run. */
export interface ExtensionOptions {
  readonly url?: string;
  /** Base64. */
  readonly apiKey?: string;
}

export type CheckExtensionOptions = Omit<CheckOptions, 'extension' | 'keepData'> & ExtensionOptions;

export interface ServeOptions {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** Where extensions reach the server, without a slash at its end; where it listens unless given. */
  readonly baseAddress?: string;
  readonly store: StoreChoice;
  /** Folder of the file areas; a temporary one unless given. */
  readonly files?: string;
  /** Longest stream upload, in bytes. */
  readonly maxStreamBytes?: number;
  /** Base64. */
  readonly administrationKey?: string;
  readonly bulkSource?: readonly string[];
  /** Any unless given. */
  readonly allowCallee?: readonly string[];
  /** Origins whose pages may read the answers; none unless given. */
  readonly allowOrigin?: readonly string[];
  /** Ids of rules or of subtle faults, not checked yet. */
  readonly fault?: readonly string[];
  readonly dialect?: 'strange' | 'foreign' | 'peculiar';
  /** `any`: not to this machine only. */
  readonly control?: true | 'any';
  /** Made up unless given. */
  readonly controlToken?: string;
  readonly log: LogLevel;
}

export interface SimulateCalleeOptions {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
}

export interface SimulateExtensionOptions extends Pick<HostOptions, 'apiKey' | 'journal' | 'controlToken'> {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** YAML, or a module that exports `script`. */
  readonly script?: string;
  /** Opens the control routes; `any`: not to this machine only. */
  readonly control?: true | 'any';
  /** API keys that the metadata asks for. */
  readonly permissions?: readonly (typeof permissionNames)[number][];
  /** Rules about extension hosts to break. */
  readonly fault?: readonly RuleId[];
}

export interface TrafficReportRequest {
  readonly format: TrafficFormatName;
  /** `traffic`, with the extension of the format, in this folder unless given. */
  readonly file?: string;
}

export interface MergeOptions {
  readonly report?: readonly TrafficReportRequest[];
}

export interface TrafficCompareOptions {
  readonly allowWorse?: readonly string[];
  readonly report?: readonly TrafficReportRequest[];
}

/** A part of the run, by `--stage TIME:TARGET`. */
export interface StageOption {
  readonly seconds: number;
  readonly model: 'open' | 'closed';
  /** Journeys a second, or users, at its end. */
  readonly to: number;
}

export interface TrafficOptions {
  /** Absent: the bundled profile, and the reference server is started in a process of its own. */
  readonly profile?: string;
  /** Absent: the bundled mix. */
  readonly mix?: string;
  /** Journeys that begin per second. */
  readonly rate?: number;
  readonly users?: number;
  /** In seconds. */
  readonly duration?: number;
  /** In seconds. */
  readonly ramp?: number;
  /** Parts of the run, in the place of a rate or users, a ramp and a duration. */
  readonly stage?: readonly StageOption[];
  /** A threshold: the highest rate that keeps it is looked for, in the place of one load. */
  readonly findLimit?: string;
  /** Share of errors, in percent, beyond which the load ends. */
  readonly stopAtErrors?: number;
  /** Of a rate; even unless given. */
  readonly arrivals?: 'even' | 'poisson';
  /** Of users: this one as fast as it can, without pauses. */
  /** Threads that make the load. */
  readonly workers?: number;
  /** The part of the load that this process makes. */
  readonly segment?: Segment;
  /** When it begins, in ms of Unix time. */
  readonly startAt?: number;
  /** Share that is judged. */
  readonly judge?: number;
  readonly threshold?: readonly string[];
  readonly report?: readonly TrafficReportRequest[];
  readonly seed?: number;
  /** Of this machine, where figures are told while the load is made; 0 for a free one. */
  readonly metricsPort?: number;
  /** JSON report of an earlier run of the same load. */
  readonly compare?: string;
  /** By how much figures may be worse than then. */
  readonly allowWorse?: readonly string[];
  /** Host that may be loaded although it is not this machine. */
  readonly yesLoad?: string;
  /** Folder to write for k6, in the place of a load. */
  readonly export?: string;
  readonly quiet?: true;
}

export interface RulesOptions extends Selection {
  readonly json?: true;
}

export interface CleanOptions {
  readonly profile: string;
}

export interface ReportTableOptions {
  readonly out: string;
}

export interface ClaimOptions {
  /** File of the private key; the environment has it unless given. */
  readonly key?: string;
  readonly implementationVersion?: string;
  readonly contact?: string;
  readonly out: string;
}

export interface ClaimKeysOptions {
  readonly out: string;
}

export interface VerifyOptions {
  /** File of the public key that has to have signed. */
  readonly key?: string;
}

export interface DocumentsDiffOptions {
  readonly json?: true;
}

export interface RejudgeOptions extends Selection {
  readonly quiet?: true;
}

export interface FaultsOptions extends Selection {
  /** Names the faults, and tries none. */
  readonly list?: true;
  /** Runs every case under every fault, not only the case of its rule. */
  readonly all?: true;
  readonly json?: true;
  /** Accepts what differs from the published matrix, and writes it to `reports/published`. */
  readonly publish?: true;
  /** Ids or sections of mistakes that are tried in the place of the faults of rules, or `museum`; all of them where none is named. */
  readonly mistakes?: true | readonly string[];
}
