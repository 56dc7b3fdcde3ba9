import { randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Outcome, RunHeader } from '../../suites/engine/outcome.ts';
import { counted, cutTo, oneLine } from '../../reports/text.ts';
import { knownIn, KnownError, withKnown, type KnownChange } from './edit-known.ts';

const longestReason = 200;

/**
 * Writes the rules that failed in a run under knownFailures of the profile, and takes out those that are kept now; rules that the run did not
 * judge stay as they are, and so do entries with a last day, which is for people to move. Returns what was done, as a sentence.
 * @throws {KnownError} the file cannot be read, edited or written; it is as before then
 */
export function updateKnown(
  file: string,
  outcomes: readonly Outcome[],
  header: Pick<RunHeader, 'startedAt' | 'gate'>,
): string {
  const text = done(file, 'read', () => readFileSync(file, 'utf8'));
  const change = changeOf(knownIn(text), outcomes, header);
  const [added, removed] = [Object.keys(change.add).length, change.remove.length];
  if (added + removed === 0) return `${file}: the known failures are what they were`;
  replace(file, withKnown(text, change));
  return `${file}: ${counted(added, 'known failure')} written, ${removed} taken out; the next run accepts what is written`;
}

function changeOf(
  known: readonly string[],
  outcomes: readonly Outcome[],
  { startedAt, gate }: Pick<RunHeader, 'startedAt' | 'gate'>,
): KnownChange {
  const failed = outcomes.filter(
    ({ verdict }) => verdict === 'fail' || (verdict === 'warn' && gate?.failOn === 'should'),
  );
  const kept = new Set<string>(
    outcomes.filter(({ verdict }) => verdict === 'pass' || verdict === 'observed').map(({ rule }) => rule),
  );
  return {
    add: Object.fromEntries(
      failed.filter(({ rule }) => !known.includes(rule)).map((outcome) => [outcome.rule, reasonOf(outcome, startedAt)]),
    ),
    remove: known.filter((rule) => kept.has(rule)),
  };
}

function reasonOf({ violation }: Outcome, startedAt: string): string {
  const day = startedAt.slice(0, 'YYYY-MM-DD'.length);
  const found = violation === undefined ? 'fails' : `expected ${violation.expected}, found ${violation.actual}`;
  return `${cutTo(longestReason, oneLine(found))} (seen ${day})`;
}

/** Puts the text in the place of the file in one step, so that nobody ever reads half of it. */
function replace(named: string, text: string): void {
  const file = realpathSync(named);
  const beside = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  done(named, 'written', () => {
    try {
      writeFileSync(beside, text, { mode: statSync(file).mode, flag: 'wx' });
      renameSync(beside, file);
    } finally {
      rmSync(beside, { force: true });
    }
  });
}

function done<T>(file: string, what: 'read' | 'written', act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new KnownError(
      `--update-known: ${file} cannot be ${what}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
