import addFormats from 'ajv-formats';
import { fitting } from '../../contract/misfit.ts';
import { type TrafficReport, trafficReportSchema } from '../../contract/schemas/traffic.ts';
import { readTextFile } from '../../contract/named-file.ts';
import { UsageError } from '../usage.ts';

const mostBytes = 400 * 1024 * 1024;
const reportFrom = fitting<TrafficReport>(trafficReportSchema, {
  formats: { 'date-time': addFormats.default.get('date-time') },
});

/** A report of traffic as `--report json=FILE` writes it. @throws {UsageError} */
export function readTrafficReport(file: string): TrafficReport {
  const value = valueIn(file);
  if (Reflect.get(Object(value), 'kind') === 'report')
    throw new UsageError(
      `Expected a report of traffic in ${file}, found a report.json as check writes it; svc-conformance compare takes two of these.`,
    );
  const read = reportFrom(value);
  if ('value' in read) return read.value;
  throw new UsageError(
    `Expected a report of traffic in ${file}, but ${read.misfit.sentence}. Name a file that simulate traffic --report json=FILE wrote.`,
  );
}

function valueIn(file: string): unknown {
  const text = readTextFile(
    file,
    (why) => new UsageError(`Cannot read ${file} (${why}); name an existing file.`),
    mostBytes,
  );
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`Expected JSON in ${file}, found ${text.length === 0 ? 'nothing' : 'something else'}.`);
  }
}
