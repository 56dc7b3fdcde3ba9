import type { Gate } from '../../judge/outcome.ts';
import { readReport } from '../../reports/compare/report-file.ts';
import type { CheckOptions } from '../options.ts';

/**
 * Which outcomes count, as the record of the run says it; undefined where everything does as usual.
 * @throws {ReportError} the report to compare with cannot be read
 */
export function gateOf({
  failOn,
  maxWarnings,
  onlyChangedSince,
}: Pick<CheckOptions, 'failOn' | 'maxWarnings' | 'onlyChangedSince'>): Gate | undefined {
  const gate: Gate = {
    ...(failOn === 'should' && { failOn }),
    ...(maxWarnings !== undefined && { maxWarnings }),
    ...(onlyChangedSince !== undefined && { since: { report: onlyChangedSince, states: statesIn(onlyChangedSince) } }),
  };
  return Object.keys(gate).length === 0 ? undefined : gate;
}

function statesIn(file: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readReport(file)
      .rules.filter(({ state }) => state !== 'not-selected')
      .map(({ id, state }) => [id, state]),
  );
}
