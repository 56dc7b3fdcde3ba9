import { stderr, stdout } from './outlet.ts';
import { assess, isWorthRepeating } from '../reports/assessment.ts';
import { replayCommand } from '../reports/finding.ts';
import type { Run } from '../reports/run.ts';
import { readRecord } from './check/outcomes-file.ts';
import { listedRules } from './rule-list.ts';

/**
 * Prints the command that runs again what did not end well, with the seed and the profile of the run; nothing where all did. Resolves with 0.
 * @throws {UsageError} a file that is no record of a run
 */
export async function reportRerunCommand(file: string): Promise<number> {
  const run = await readRecord(file);
  const rules = rulesToRepeat(run);
  if (rules.length === 0)
    stderr.write('svc-conformance: nothing to run again: every rule was kept, or is accounted for by the profile\n');
  else stdout.write(`${replayCommand(oneWord(patternsOf(rules)), run.header)}\n`);
  return 0;
}

/** Violated rules and guidelines, what could not be judged for what happened, and what the run did not come to; known failures are as they should be. */
function rulesToRepeat(run: Run): readonly string[] {
  const { standings, known } = assess(run);
  const excused = new Set(known.filter(({ status }) => status === 'fails').map(({ rule }) => rule));
  return standings
    .filter((standing) => standing.state === 'not-run' || isWorthRepeating(standing))
    .filter(({ rule }) => !excused.has(rule.id))
    .map(({ rule }) => rule.id);
}

/** A whole topic or area as a pattern, where all of its rules are meant: the command stays one that people can read. */
function patternsOf(ids: readonly string[]): readonly string[] {
  const wanted = new Set(ids);
  const patternFor = (id: string): string => {
    const parts = id.split('.');
    const prefixes = parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('.')}.`);
    const whole = prefixes.find((prefix) => isWhole(prefix, wanted));
    return whole === undefined ? id : `${whole}*`;
  };
  return [...new Set(ids.map(patternFor))];
}

function isWhole(prefix: string, wanted: ReadonlySet<string>): boolean {
  const all = listedRules.filter(({ id }) => id.startsWith(prefix));
  return all.length > 1 && all.every(({ id }) => wanted.has(id));
}

function oneWord(patterns: readonly string[]): string {
  const list = patterns.join(',');
  return list.includes('*') ? `'${list}'` : list;
}
