import { type Fit, fitting } from '../contract/misfit.ts';
import { readTextFile } from '../contract/named-file.ts';
import { outcomeSchema, runFooterSchema, runHeaderSchema } from '../contract/schemas/outcomes.ts';
import { jsonOf } from '../contract/json.ts';
import { messageOf } from '../contract/thrown.ts';
import type { Outcome, RunFooter, RunHeader } from '../judge/outcome.ts';
import type { Rule } from '../judge/rule.ts';
import { fileWithin, otherOfRun } from './file-within.ts';

/** What a report tells of a rule besides how it stands. */
export type ReportedRule = Pick<Rule, 'id' | 'area' | 'level' | 'side' | 'source' | 'statement' | 'fault'> & {
  readonly kind: Rule['test']['kind'];
};

/** What every report is made from: one run, with at most one outcome a rule. */
export interface Run {
  /** Every rule there is, selected or not, in the order of the catalogue. */
  readonly rules: readonly ReportedRule[];
  readonly header: RunHeader;
  readonly outcomes: readonly Outcome[];
  /** Absent when the run was cut off. */
  readonly footer?: RunFooter;
  /** What was odd about the file that the run was read from. */
  readonly notes?: readonly string[];
}

/** A file of outcomes that cannot be read; the message names file and line. */
export class OutcomesError extends Error {
  readonly code = 'OUTCOMES_UNREADABLE';
}

interface Line {
  readonly number: number;
  readonly text: string;
}

const headerFrom = fitting<RunHeader>(runHeaderSchema, {}, 'the line');
const outcomeFrom = fitting<Outcome>(outcomeSchema, {}, 'the line');
const footerFrom = fitting<RunFooter>(runFooterSchema, {}, 'the line');

/** Which line of a rule counts: the first is how its case ended by itself, the last how it stands beside those of other rules. */
type Counting = 'first' | 'last';

/** Reads an outcomes.ndjson. A last line that was cut off in the middle is left out and noted. @throws {OutcomesError} also where it names a rule that is none of these */
export async function readRun(file: string, rules: readonly ReportedRule[], counts: Counting = 'last'): Promise<Run> {
  return parseRun(textOf(file), file, rules, counts);
}

/** The run that the text of an outcomes.ndjson tells. `file` is for messages only. @throws {OutcomesError} */
export function parseRun(text: string, file: string, rules: readonly ReportedRule[], counts: Counting = 'last'): Run {
  const cut = !text.endsWith('\n');
  const lines = linesOf(text);
  const first = lines[0];
  if (first === undefined) throw new OutcomesError(`${file}: the file is empty; expected the line that starts a run`);
  const header = requireValid(headerFrom(parseLine(first, file)), first, file, 'the line that starts a run');
  const rest = lines.slice(1);
  const notes = cut && dropCutLine(rest) ? [`${file}: the last line is cut off and is left out`] : [];
  const { outcomes, footer } = outcomesIn(rest, file, counts);
  const known = new Set<string>(rules.map(({ id }) => id));
  // left out, it would count as one that was never asked for
  const foreign = header.selected.find((id) => !known.has(id));
  if (foreign !== undefined)
    throw lineError(file, first, `rule ${JSON.stringify(foreign)} is not in the catalogue of this version`);
  const unknown = outcomes.find(({ outcome }) => !known.has(outcome.rule));
  if (unknown !== undefined)
    throw lineError(
      file,
      unknown.line,
      `rule ${JSON.stringify(unknown.outcome.rule)} is not in the catalogue of this version`,
    );
  return {
    rules,
    header,
    outcomes: outcomes.map(({ outcome }) => outcome),
    ...(footer !== undefined && { footer }),
    ...(notes.length > 0 && { notes }),
  };
}

const mostBytes = 400 * 1024 * 1024;

function textOf(file: string): string {
  const refusal = (why: string): OutcomesError =>
    new OutcomesError(`${file}: cannot be read: ${why}${fileWithin(file, 'outcomes.ndjson')}`);
  const other = otherOfRun(file, 'outcomes.ndjson');
  if (other !== undefined) throw refusal(other);
  return readTextFile(file, refusal, mostBytes);
}

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .map((line, index) => ({ number: index + 1, text: line }))
    .filter((line) => line.text.trim() !== '');
}

function dropCutLine(lines: Line[]): boolean {
  const last = lines.at(-1);
  if (last === undefined || jsonOf(last.text) !== undefined) return false;
  lines.pop();
  return true;
}

/** The last line of a rule is how it ended: what a later case found out about an earlier outcome is appended, never overwritten. */
function outcomesIn(
  lines: readonly Line[],
  file: string,
  counts: Counting,
): { readonly outcomes: readonly { outcome: Outcome; line: Line }[]; readonly footer: RunFooter | undefined } {
  const outcomes = new Map<string, { outcome: Outcome; line: Line }>();
  let footer: RunFooter | undefined;
  for (const line of lines) {
    const value = parseLine(line, file);
    if (footer !== undefined) throw lineError(file, line, 'there is a line after the one that ends the run');
    const last = footerFrom(value);
    if ('value' in last) footer = last.value;
    else {
      const outcome = requireValid(
        outcomeFrom(value),
        line,
        file,
        'the outcome of a rule or the line that ends the run',
      );
      const earlier = outcomes.get(outcome.rule)?.outcome;
      if (earlier !== undefined && !mayFollow(earlier, outcome))
        throw lineError(
          file,
          line,
          `${outcome.rule} ended as ${earlier.verdict} before, and cannot end as ${outcome.verdict}: these are the lines of two runs`,
        );
      if (counts === 'last' || earlier === undefined) outcomes.set(outcome.rule, { outcome, line });
    }
  }
  return { outcomes: [...outcomes.values()], footer };
}

/** A verdict is said once, and may be taken back for what other rules did. */
function mayFollow(earlier: Outcome, { verdict }: Outcome): boolean {
  return verdict === earlier.verdict || verdict === 'blocked';
}

function parseLine(line: Line, file: string): unknown {
  try {
    return JSON.parse(line.text);
  } catch (error) {
    throw lineError(file, line, `expected a line of JSON: ${messageOf(error)}`);
  }
}

function requireValid<T>(read: Fit<T>, line: Line, file: string, expected: string): T {
  if ('value' in read) return read.value;
  throw lineError(file, line, `expected ${expected}: ${read.misfit.sentence}`);
}

function lineError(file: string, line: Line, message: string): OutcomesError {
  return new OutcomesError(`${file}:${line.number}: ${message}`);
}
