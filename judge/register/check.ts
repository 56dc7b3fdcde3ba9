import type { ReadOperation, RegisterHistory, WriteOperation } from './history.ts';
import { Versions } from './versions.ts';

export type BreachKind =
  /** Two writes were accepted at one version. */
  | 'two-writers'
  /** A version came about without a write. */
  | 'missing-writer'
  /** The answer to a write names another version than the next one. */
  | 'wrong-answer'
  /** A read shows, or an accepted write states, a version that nobody wrote. */
  | 'unwritten-version'
  /** A read shows another value than was written at its version. */
  | 'foreign-value'
  /** A read shows a version that was over before it began. */
  | 'stale-read'
  /** A read shows a version before it can have been there. */
  | 'early-read'
  /** A write was answered before the one on which it stands was sent. */
  | 'disorder'
  /** A write was refused although its version was the current one all along. */
  | 'needless-conflict';

/** What no register with versions can have done. */
export interface Breach {
  readonly kind: BreachKind;
  readonly version: number;
  /** In words, with processes and times. */
  readonly found: string;
}

export type Report = (kind: BreachKind, version: number, found: string) => void;

const mostBreaches = 20;

/**
 * Whether one register can have answered so, that accepts a write only at its version and raises it by one each time: whether there is an
 * order of all operations, in agreement with real time, which explains every answer. The versions give that order, so the time is linear
 * in the number of operations. Source: core, Versioning 1 to 3; Errors rule 1.
 * @returns the first breaches; none where all is in order
 */
export function breachesOf(history: RegisterHistory): readonly Breach[] {
  const breaches: Breach[] = [];
  const report: Report = (kind, version, found) => {
    if (breaches.length < mostBreaches) breaches.push({ kind, version, found });
  };
  const versions = new Versions(history, report);
  for (const operation of history.operations) {
    if (operation.kind === 'read') checkRead(versions, operation, report);
    else if (operation.result === 'accepted') checkAccepted(versions, operation, report);
    else if (operation.result === 'conflict') checkConflict(versions, operation, report);
  }
  return breaches;
}

function checkRead(
  versions: Versions,
  { version, value, process, invokedAt, respondedAt }: ReadOperation,
  report: Report,
): void {
  if (!versions.has(version))
    return report('unwritten-version', version, `process ${process} read version ${version}, which nobody wrote`);
  if (!versions.mayHold(version, value))
    report('foreign-value', version, `process ${process} read '${value}' at version ${version}`);
  if (respondedAt < versions.from(version))
    report(
      'early-read',
      version,
      `process ${process} had read version ${version} at ${respondedAt} ms; it was not there before ${versions.from(version)} ms`,
    );
  if (invokedAt > versions.until(version))
    report(
      'stale-read',
      version,
      `process ${process} began to read at ${invokedAt} ms and saw version ${version}, which was over at ${versions.until(version)} ms`,
    );
}

function checkAccepted(
  versions: Versions,
  { stated, version, process, respondedAt }: WriteOperation,
  report: Report,
): void {
  const made = stated + 1;
  if (version !== undefined && version !== made)
    report('wrong-answer', made, `process ${process} wrote at version ${stated} and was told ${version}`);
  if (versions.has(made) && respondedAt < versions.from(made))
    report(
      'disorder',
      made,
      `process ${process} was told of version ${made} at ${respondedAt} ms; one of those before it began at ${versions.from(made)} ms`,
    );
}

/** A conflict needs another version than the one stated at some moment between invocation and response. */
function checkConflict(
  versions: Versions,
  { stated, process, invokedAt, respondedAt }: WriteOperation,
  report: Report,
): void {
  if (!versions.has(stated)) return;
  const isThereBefore = versions.until(stated - 1) < invokedAt;
  const isOverAfter = versions.from(stated + 1) > respondedAt;
  if (isThereBefore && isOverAfter)
    report(
      'needless-conflict',
      stated,
      `process ${process} was refused between ${invokedAt} and ${respondedAt} ms, when version ${stated} was the current one all along`,
    );
}
