import type { CheckOptions } from '../options.ts';
import { aliases } from '../../contract/aliases.ts';
import { UsageError } from '../usage.ts';
import type { Report } from '../../contract/schemas/report.ts';
import type { Ground } from '../../api/judging.ts';
import type { Gate } from '../../judge/outcome.ts';
import { readReport } from '../../reports/report-file.ts';

/** Which outcomes of a run on that ground count. @throws {UsageError} the earlier report stands on another */
export type CountedGate = (own: Ground) => Gate;

const grounds: readonly (readonly [keyof Ground, string])[] = [
  ['implementation', 'implementation'],
  ['suiteVersion', 'version of the suite'],
  ['profileDigest', 'profile (its digest)'],
];

/**
 * Which outcomes count, as the record of the run says it; undefined where everything does as usual.
 * @throws {ReportError} the report to compare with cannot be read
 */
export function gateOf({
  failOn,
  maxWarnings,
  require: classes,
  onlyChangedSince,
  sinceAny,
}: Pick<CheckOptions, 'failOn' | 'maxWarnings' | 'require' | 'onlyChangedSince' | 'sinceAny'>):
  | CountedGate
  | undefined {
  const plain: Gate = {
    ...(failOn === 'should' && { failOn }),
    ...(maxWarnings !== undefined && { maxWarnings }),
    ...(classes !== undefined && { require: classes }),
  };
  if (onlyChangedSince === undefined) return Object.keys(plain).length === 0 ? undefined : () => plain;
  const report = readReport(onlyChangedSince);
  return (own) => {
    if (sinceAny !== true) assertSameGround(onlyChangedSince, report, own);
    return { ...plain, since: { report: onlyChangedSince, states: statesIn(report) } };
  };
}

/** What failed elsewhere, or for another reason, excuses nothing here. */
function assertSameGround(file: string, report: Report, own: Ground): void {
  const other = grounds.find(([name]) => report[name] !== own[name]);
  if (other === undefined) return;
  const [name, words] = other;
  throw new UsageError(
    `--only-changed-since ${file}: the ${words} of that report is ${report[name] ?? 'not recorded'}, that of this run ${own[name] ?? 'not known'}; name a report of the same, or add --since-any`,
  );
}

function statesIn({ rules }: Report): Readonly<Record<string, string>> {
  const states = Object.fromEntries(
    rules.filter(({ state }) => state !== 'not-selected').map(({ id, state }): [string, string] => [id, state]),
  );
  const former = Object.entries(aliases).flatMap(([id, now]) => {
    const state = states[id];
    return state === undefined ? [] : now.map((rule) => [rule, state] as const);
  });
  return { ...Object.fromEntries(former), ...states };
}
