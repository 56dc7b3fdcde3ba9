import type { CTRFReport, Summary, Test, TestStatus } from 'ctrf';
import { assess } from './assessment.ts';
import { besidesOf } from './besides.ts';
import { entriesOf, type Entry } from './entries.ts';
import { evidenceLines } from './finding.ts';
import type { Run } from './run.ts';
import { printable, printableJson } from './text.ts';

/** Of the CTRF specification whose schema the document fits. */
const specVersion = '1.0.0';

/** As in JUnit: what makes the exit code other than 0 has failed. */
const statuses: Readonly<Record<Entry['kind'], TestStatus>> = {
  passed: 'passed',
  failure: 'failed',
  error: 'failed',
  skipped: 'skipped',
};

/** A rule that was selected, an entry of the profile or a gap of the run, and the run. */
interface Judged {
  readonly entry: Entry;
  readonly run: Run;
}

/** CTRF JSON of one run: a test a rule, a suite an area, the suite `profile` for its expired entries, and the suite `run` for what makes the whole incomplete. `rawStatus` is the verdict. */
export function writeCtrf(run: Run): string {
  return writeCtrfOfAll([run]);
}

/** The tests of several runs in one document, each under the name of its implementation. */
export function writeCtrfOfAll(runs: readonly Run[]): string {
  const judged = runs.flatMap((run): Judged[] => entriesOf(run, assess(run)).map((entry) => ({ entry, run })));
  const report: CTRFReport = {
    reportFormat: 'CTRF',
    specVersion,
    results: {
      tool: { name: 'svc-conformance', version: runs[0]?.header.suiteVersion ?? '' },
      summary: summaryOf(judged, runs),
      tests: judged.map((one) => testOf(one, runs.length > 1)),
      extra: {
        runs: runs.map((run) => ({
          implementation: printable(run.header.implementation),
          ...besidesOf(run, assess(run)),
        })),
      },
    },
  };
  return printableJson(report);
}

function summaryOf(judged: readonly Judged[], runs: readonly Run[]): Summary {
  const count = (status: TestStatus): number => judged.filter(({ entry }) => statuses[entry.kind] === status).length;
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

function testOf({ entry, run }: Judged, isOneOfSeveral: boolean): Test {
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
  return [standing.rule.statement, ...evidenceLines(standing, header)].join('\n');
}
