import { Clean, writeNew } from '../outlet.ts';
import { randomBytes } from 'node:crypto';
import { realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { readTextFile } from '../../contract/named-file.ts';
import { messageOf } from '../../contract/thrown.ts';
import type { Outcome, RunHeader } from '../../judge/outcome.ts';
import { isKept } from '../../reports/assessment.ts';
import { counted, cutTo, foundInWords, oneLine } from '../../reports/text.ts';
import { rulesNamedBy, standsForOthers } from '../../api/declarations.ts';
import { knownIn, KnownError, withKnown, type KnownChange } from './edit-known.ts';

const longestReason = 200;

/**
 * Writes the rules that failed in a run under knownFailures of the profile, and takes out those that are kept now; rules that the run did not
 * judge stay as they are, and so do last days, which are for people to move. A pattern of which some rules are kept gives way to the others,
 * rule by rule. Returns what was done, as a sentence.
 * @throws {KnownError} the file cannot be read, edited or written; it is as before then
 */
export function updateKnown(
  file: string,
  outcomes: readonly Outcome[],
  header: Pick<RunHeader, 'startedAt' | 'gate'>,
): string {
  const text = readTextFile(file, (why) => new KnownError(`--update-known: ${file} cannot be read: ${why}`));
  const change = changeOf(knownIn(text), outcomes, header);
  const [added, removed] = [Object.keys(change.add).length, change.remove.length];
  const narrowed = Object.keys(change.narrow).length;
  if (added + removed + narrowed === 0) return `${file}: the known failures are what they were`;
  replace(file, withKnown(text, change));
  const aboutPatterns = narrowed === 0 ? '' : `, ${counted(narrowed, 'pattern')} narrowed to what is left of it`;
  return `${file}: ${counted(added, 'known failure')} written, ${removed} taken out${aboutPatterns}; the next run accepts what is written`;
}

function changeOf(
  known: readonly string[],
  outcomes: readonly Outcome[],
  { startedAt, gate }: Pick<RunHeader, 'startedAt' | 'gate'>,
): Required<KnownChange> {
  const failed = outcomes.filter(
    ({ verdict }) => verdict === 'fail' || (verdict === 'warn' && gate?.failOn === 'should'),
  );
  const kept = new Set<string>(outcomes.filter(({ verdict }) => isKept(verdict)).map(({ rule }) => rule));
  const covered = new Set(known.flatMap(rulesNamedBy));
  const [patterns, rules] = [known.filter(standsForOthers), known.filter((entry) => !standsForOthers(entry))];
  const stale = patterns.filter((pattern) => rulesNamedBy(pattern).some((rule) => kept.has(rule)));
  return {
    add: Object.fromEntries(
      failed.filter(({ rule }) => !covered.has(rule)).map((outcome) => [outcome.rule, reasonOf(outcome, startedAt)]),
    ),
    remove: rules.filter((rule) => kept.has(rule)),
    narrow: Object.fromEntries(
      stale.map((pattern, index) => [
        pattern,
        leftOf(pattern, kept, [...rules, ...stale.slice(0, index).flatMap(rulesNamedBy)]),
      ]),
    ),
  };
}

/** Rules of a pattern that are not kept, as far as no other entry names them. */
function leftOf(pattern: string, kept: ReadonlySet<string>, elsewhere: readonly string[]): readonly string[] {
  const named = new Set(elsewhere);
  return rulesNamedBy(pattern).filter((rule) => !kept.has(rule) && !named.has(rule));
}

function reasonOf({ violation }: Outcome, startedAt: string): string {
  const day = startedAt.slice(0, 'YYYY-MM-DD'.length);
  return `${cutTo(longestReason, oneLine(foundInWords(violation) ?? 'fails'))} (seen ${day})`;
}

/** Puts the text in the place of the file in one step, so that nobody ever reads half of it. */
function replace(named: string, text: string): void {
  const file = realpathSync(named);
  const beside = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeNew(beside, Clean.own(text), { mode: statSync(file).mode, flag: 'wx' });
    renameSync(beside, file);
  } catch (error) {
    const why = messageOf(error);
    throw new KnownError(`--update-known: ${named} cannot be written: ${why}`);
  } finally {
    rmSync(beside, { force: true });
  }
}
