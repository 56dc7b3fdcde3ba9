import { closest } from 'fastest-levenshtein';
import { schemaVersion } from '../contract/schemas/outcomes.ts';
import type { Report, RuleResult } from '../contract/schemas/report.ts';
import type { Outcome, RunHeader } from '../judge/outcome.ts';
import { apartCounts } from './apart.ts';
import { assess, type Standing } from './assessment.ts';
import { entriesOf, type Entry } from './entries.ts';
import { exitOf } from './exit.ts';
import { writeHtml, writeHtmlOfAll } from './html/html.ts';
import { writeJunit, writeJunitOfAll } from './junit.ts';
import { writeMarkdown, writeMarkdownOfAll } from './markdown/markdown.ts';
import { replayCommand } from './replay.ts';
import type { Run } from './run.ts';
import { writeSarif, writeSarifOfAll } from './sarif.ts';
import { counted, printable, printableJson } from './text.ts';
import { factsOf } from './violation.ts';
import { element, xmlText } from './xml.ts';

const untouched = { observations: [], remarks: [], assertions: 0, exchanges: 0, durationMs: 0 };

/** What a badge says: `color` is that of the exit code, as #rrggbb with white text readable on it. */
interface Badge {
  readonly label: string;
  readonly message: string;
  readonly color: string;
  readonly isError: boolean;
}

const colors = { 0: '#116329', 1: '#a40e26', 3: '#7d4e00' } as const;

const gap = 6;

/** Of a character of the font, on average, in px. */
const characterWidth = 6.6;

/** Of the CTRF specification whose schema the document fits. */
const specVersion = '1.0.0';

/** As in JUnit: what makes the exit code other than 0 has failed. */
const statuses = { passed: 'passed', failure: 'failed', error: 'failed', skipped: 'skipped' } as const;

/** A rule that was selected, an entry of the profile or a gap of the run, and the run. */
interface Judged {
  readonly entry: Entry;
  readonly run: Run;
}

export interface Format {
  /** Of its files, without the dot. */
  readonly extension: string;
  readonly write: (run: Run) => string;
  /** One document about several runs. */
  readonly writeAll: (runs: readonly Run[]) => string;
}

/** Documents that a run, or the outcomes of an earlier one, can be made into. */
export const formats = {
  json: { extension: 'json', write: writeJson, writeAll: writeJsonOfAll },
  junit: { extension: 'xml', write: writeJunit, writeAll: writeJunitOfAll },
  markdown: { extension: 'md', write: writeMarkdown, writeAll: writeMarkdownOfAll },
  html: { extension: 'html', write: writeHtml, writeAll: writeHtmlOfAll },
  badge: { extension: 'svg', write: writeBadge, writeAll: writeBadgeOfAll },
  'badge-json': { extension: 'json', write: writeBadgeJson, writeAll: writeBadgeJsonOfAll },
  sarif: { extension: 'sarif', write: writeSarif, writeAll: writeSarifOfAll },
  ctrf: { extension: 'json', write: writeCtrf, writeAll: writeCtrfOfAll },
} as const satisfies Record<string, Format>;

export type FormatName = keyof typeof formats;

/** A format that is asked for and does not exist. */
export class UnknownFormat extends Error {
  readonly code = 'UNKNOWN_FORMAT';
}

/** The format of that name. @throws {UnknownFormat} names the nearest one. */
export function formatOf(name: string): Format {
  const found = Object.entries(formats).find(([known]) => known === name);
  if (found !== undefined) return found[1];
  throw new UnknownFormat(`Unknown report format "${name}"; the nearest is "${closest(name, Object.keys(formats))}".`);
}

/** What a badge server asks an endpoint for: the schema of shields.io, version 1. */
export function writeBadgeJson(run: Run): string {
  return writeBadgeJsonOfAll([run]);
}

/** One badge for all runs together. */
function writeBadgeJsonOfAll(runs: readonly Run[]): string {
  const { label, message, color, isError } = badgeOf(runs);
  return printableJson({ schemaVersion: 1, label, message, color, isError });
}

/** CTRF JSON of one run: a test a rule, a suite an area, the suite `profile` for its expired entries, and the suite `run` for what makes the whole incomplete. `rawStatus` is the verdict. */
export function writeCtrf(run: Run): string {
  return writeCtrfOfAll([run]);
}

/** The tests of several runs in one document, each under the name of its implementation. */
export function writeCtrfOfAll(runs: readonly Run[]): string {
  const judged = runs.flatMap((run): Judged[] => entriesOf(run, assess(run)).map((entry) => ({ entry, run })));
  return printableJson({
    reportFormat: 'CTRF',
    specVersion,
    results: {
      tool: { name: 'svc-conformance', version: runs[0]?.header.suiteVersion ?? '' },
      summary: summaryOf(judged, runs),
      tests: judged.map((one) => testOf(one, runs.length > 1)),
    },
  });
}

function summaryOf(judged: readonly Judged[], runs: readonly Run[]) {
  const count = (status: string): number => judged.filter(({ entry }) => statuses[entry.kind] === status).length;
  const starts = runs.map(startOf);
  const stops = runs.map((run) => startOf(run) + Math.round(run.footer?.durationMs ?? 0));
  return {
    tests: judged.length,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    pending: 0,
    other: 0,
    start: Math.min(...(runs.length === 0 ? [0] : starts)),
    stop: Math.max(0, ...stops),
  };
}

/** Milliseconds of the epoch; 0 where the text is no time. */
function startOf({ header }: Run): number {
  const at = Date.parse(header.startedAt);
  return Number.isNaN(at) ? 0 : at;
}

function testOf({ entry, run }: Judged, isOneOfSeveral: boolean) {
  const { name, group, standing, kind, type, message } = entry;
  return {
    name: printable(name),
    status: statuses[kind],
    duration: Math.round(standing?.outcome?.durationMs ?? 0),
    suite: [...(isOneOfSeveral ? [printable(run.header.implementation)] : []), group],
    rawStatus: type,
    tags: standing === undefined ? [group] : [standing.rule.level, standing.rule.side, standing.rule.kind],
    ...(kind !== 'passed' && { message: printable(message) }),
    ...(statuses[kind] === 'failed' && { trace: traceOf(entry, run) }),
    ...(standing?.outcome?.retries !== undefined && { retries: standing.outcome.retries.length }),
  };
}

function traceOf({ standing, message }: Entry, { header }: Run): string {
  if (standing === undefined) return printable(message);
  return [standing.rule.statement, ...factsOf(standing, header).map(({ label, text }) => `${label}: ${text}`)].join(
    '\n',
  );
}

/** The badge of the runs together: violations win over incompleteness, as in the exit code. */
export function badgeOf(runs: readonly Run[]): Badge {
  const assessments = runs.map((run) => ({ assessment: assess(run), code: exitOf(run).code }));
  const sum = (count: (of: (typeof assessments)[number]['assessment']) => number): number =>
    assessments.reduce((total, { assessment }) => total + count(assessment), 0);
  const failed = sum(({ failures }) => failures.length);
  const kept = sum(({ totals }) => totals.pass + totals.observed);
  const judged = sum(({ totals }) => totals.pass + totals.observed + totals.fail + totals.warn);
  const codes = assessments.map(({ code }) => code);
  const badge = (code: keyof typeof colors, message: string): Badge => ({
    label: 'conformance',
    message,
    color: colors[code],
    isError: code !== 0,
  });
  if (codes.includes(1))
    return badge(1, failed > 0 ? `${failed} of ${counted(judged, 'rule')} violated` : 'stale known failures');
  if (codes.includes(3) || codes.length === 0) return badge(3, `incomplete, ${counted(judged, 'rule')} judged`);
  return badge(0, `${kept} of ${counted(judged, 'judged rule')} kept`);
}

/** An SVG of 20 px height that reads well at any width of its font. */
export function writeBadge(run: Run): string {
  return writeBadgeOfAll([run]);
}

/** One badge for all runs together. */
function writeBadgeOfAll(runs: readonly Run[]): string {
  const { label, message, color } = badgeOf(runs);
  const [left, right] = [widthOf(label), widthOf(message)];
  const width = left + right;
  const names = [...new Set(runs.map(({ header }) => header.implementation))].join(', ');
  const text = (words: string, x: number, wide: number): string =>
    element('text', { x, y: 14, textLength: wide - 2 * gap }, xmlText(words));
  const content = [
    element('title', { id: 'title' }, xmlText(`${label}: ${message}`)),
    element('desc', { id: 'desc' }, xmlText(`What a run of svc-conformance found out about ${names.slice(0, 200)}.`)),
    element('clipPath', { id: 'round' }, element('rect', { width, height: 20, rx: 3 })),
    element(
      'g',
      { 'clip-path': 'url(#round)' },
      `${element('rect', { width: left, height: 20, fill: '#3d444d' })}${element('rect', { x: left, width: right, height: 20, fill: color })}`,
    ),
    element(
      'g',
      { fill: '#fff', 'font-family': 'Verdana, DejaVu Sans, sans-serif', 'font-size': 11 },
      `${text(label, gap, left)}${text(message, left + gap, right)}`,
    ),
  ];
  return `${element('svg', { xmlns: 'http://www.w3.org/2000/svg', width, height: 20, viewBox: `0 0 ${width} 20`, role: 'img', 'aria-labelledby': 'title desc' }, `\n${content.join('\n')}\n`)}\n`;
}

function widthOf(words: string): number {
  return Math.round(words.length * characterWidth) + 2 * gap;
}

/** report.json of one run. Schema: contract/schemas/report.ts. */
export function writeJson(run: Run): string {
  return printableJson(reportOf(run));
}

/** One report for one run, an array of them for several. */
export function writeJsonOfAll(runs: readonly Run[]): string {
  return printableJson(runs.map(reportOf));
}

function reportOf(run: Run): Report {
  const assessment = assess(run);
  const exit = exitOf(run, assessment);
  return {
    schemaVersion,
    kind: 'report',
    ...headerOf(run.header),
    exitCode: exit.code,
    meaning: exit.words,
    ...endOf(run),
    notes: [...(run.notes ?? [])],
    totals: { ...assessment.totals },
    areas: assessment.areas.map((area) => ({ ...area })),
    rules: assessment.standings.map((standing) => ruleResult(standing, run.header)),
    known: assessment.known.map((known) => ({ ...known })),
    apart: apartCounts(run, assessment),
  };
}

function headerOf(header: RunHeader) {
  const {
    implementation,
    baseUrl,
    seed,
    runs,
    startedAt,
    suiteVersion,
    command,
    notSupported,
    knownFailures,
    variables,
  } = header;
  return {
    implementation,
    baseUrl,
    seed,
    runs,
    startedAt,
    suiteVersion,
    command,
    notSupported,
    knownFailures,
    variables,
    ...gatesOf(header),
  };
}

function gatesOf({ expired, gate, shard, profileDigest }: RunHeader) {
  return {
    ...(expired !== undefined && { expired: expired.map((entry) => ({ ...entry })) }),
    ...(gate !== undefined && { gate }),
    ...(shard !== undefined && { shard }),
    ...(profileDigest !== undefined && { profileDigest }),
  };
}

function endOf({ footer }: Run): Pick<Report, 'complete' | 'aborted' | 'durationMs' | 'requests' | 'remains'> {
  if (footer === undefined) return { complete: false, remains: [] };
  const { durationMs, requests, remains, aborted } = footer;
  return {
    complete: aborted === undefined,
    ...(aborted !== undefined && { aborted }),
    durationMs,
    requests,
    remains: remains.map(({ uri, reason }) => ({ uri, reason })),
  };
}

function ruleResult({ rule, state, outcome }: Standing, header: RunHeader): RuleResult {
  const { id, area, level, statement, source } = rule;
  const replayed = state === 'fail' || state === 'warn' || state === 'broken';
  return {
    id,
    area,
    level,
    statement,
    source,
    state,
    ...(replayed && { replay: replayCommand(id, header) }),
    ...(outcome === undefined ? untouched : membersOf(outcome)),
  };
}

function membersOf(outcome: Outcome) {
  const {
    reason,
    standsOn,
    missing,
    violation,
    retries,
    timelines,
    observations,
    remarks,
    assertions,
    exchanges,
    durationMs,
  } = outcome;
  return {
    ...(reason !== undefined && { reason }),
    ...(standsOn !== undefined && { standsOn: [...standsOn] }),
    ...(missing !== undefined && { missing: [...missing] }),
    ...(violation !== undefined && { violation: violationOf(violation) }),
    observations: [...observations],
    remarks: [...remarks],
    ...(timelines !== undefined && {
      timelines: timelines.map((timeline) => ({
        ...timeline,
        expected: [...timeline.expected],
        seen: [...timeline.seen],
      })),
    }),
    assertions,
    exchanges,
    ...(retries !== undefined && { retries: [...retries] }),
    durationMs,
  };
}

function violationOf({ expected, actual, curl, exchange, counterexample }: NonNullable<Outcome['violation']>) {
  return {
    expected,
    actual,
    curl: [...curl],
    ...(exchange !== undefined && { exchange: exchangeOf(exchange) }),
    ...(counterexample !== undefined && { counterexample }),
  };
}

function exchangeOf({
  request,
  response,
  error,
  sentAt,
  durationMs,
}: NonNullable<NonNullable<Outcome['violation']>['exchange']>) {
  return {
    request: { ...request, headers: pairsOf(request.headers) },
    ...(response !== undefined && { response: { ...response, headers: pairsOf(response.headers) } }),
    ...(error !== undefined && { error }),
    sentAt,
    durationMs,
  };
}

function pairsOf(headers: readonly (readonly [string, string])[]): [string, string][] {
  return headers.map(([name, value]) => [name, value]);
}
