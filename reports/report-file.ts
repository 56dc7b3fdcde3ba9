import { rulesFormerly } from '../contract/aliases.ts';
import { fitting } from '../contract/misfit.ts';
import { readTextFile } from '../contract/named-file.ts';
import { schemaVersion } from '../contract/schemas/outcomes.ts';
import { reportSchema, type Report } from '../contract/schemas/report.ts';
import { messageOf } from '../contract/thrown.ts';
import { fileWithin, otherOfRun } from './file-within.ts';

/** A file that is no report.json of this version; the message is one sentence that names the file. */
export class ReportError extends Error {
  readonly code = 'REPORT_UNREADABLE';
}

const reportFrom = fitting<Report>(reportSchema);

/** Reads the report.json of one run. @throws {ReportError} */
export function readReport(file: string): Report {
  const content = parseJson(textOf(file), file);
  if (Array.isArray(content))
    throw new ReportError(
      `${file}: expected the report.json of one run, found a list of ${content.length}; give the file of each run`,
    );
  assertVersion(content, file);
  assertOfRules(content, file);
  const read = reportFrom(content);
  if ('value' in read) return withoutTwins(read.value, file);
  throw new ReportError(`${file}: expected a report.json as check writes it: ${read.misfit.sentence}`);
}

/** The last of two would be the only one that anybody sees. */
function withoutTwins(report: Report, file: string): Report {
  const ids = new Set<string>();
  for (const { id } of report.rules) {
    if (ids.has(id)) throw new ReportError(`${file}: ${id} is in it twice, which check never writes`);
    ids.add(id);
  }
  return report;
}

/** Every exchange of a full run may be in it. */
export const mostReportBytes = 400 * 1024 * 1024;

function textOf(file: string): string {
  const refusal = (why: string): ReportError =>
    new ReportError(`${file}: cannot be read: ${why}${fileWithin(file, 'report.json')}`);
  const other = otherOfRun(file, 'report.json');
  if (other !== undefined) throw refusal(other);
  const text = readTextFile(file, refusal, mostReportBytes);
  // a run empties what was there before it begins
  if (text === '') throw new ReportError(`${file}: is empty: the run that was to write it did not come to its end`);
  return text;
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ReportError(`${file}: expected a report.json: ${messageOf(error)}`);
  }
}

/** Told by itself: a report of another version would else be blamed for its first unknown member. */
function assertVersion(content: unknown, file: string): void {
  const found = typeof content === 'object' && content !== null ? Reflect.get(content, 'schemaVersion') : undefined;
  if (found === undefined || found === schemaVersion) return;
  throw new ReportError(
    `${file}: expected schema version ${schemaVersion}, found ${JSON.stringify(found)}; make the report anew with this version: svc-conformance report json outcomes.ndjson`,
  );
}

/** Both kinds of reports are compared, each by a command of its own. */
function assertOfRules(content: unknown, file: string): void {
  if (typeof content !== 'object' || content === null || Reflect.get(content, 'kind') !== 'traffic') return;
  throw new ReportError(
    `${file}: expected a report.json as check writes it, found a report of traffic; svc-conformance simulate compare takes two of these`,
  );
}

/** The report with the ids that its rules have today, which a report of before says otherwise. What it tells under both stays as the rule of today has it. */
export function withIdsOfToday(report: Report): Report {
  const own = new Set(report.rules.map(({ id }) => id));
  return {
    ...report,
    rules: report.rules.flatMap((rule) =>
      (rulesFormerly(rule.id) ?? [rule.id])
        .filter((id) => id === rule.id || !own.has(id))
        .map((id) => ({ ...rule, id })),
    ),
  };
}
