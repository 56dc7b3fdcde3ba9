import type { Outcome, Verdict } from '../judge/outcome.ts';
import { wordOf } from './assessment.ts';
import { quietSummary, runSummary } from './run-summary.ts';
import type { Run } from './run.ts';
import { terminalText } from './terminal.ts';
import { counted, numbersIn } from './text.ts';

/** Where the console goes; `columns` as terminals know it. */
interface ConsoleStream {
  readonly columns?: number | undefined;
  readonly hasColours?: boolean;
  write(text: string): unknown;
}

interface Progress {
  readonly onOutcome: (outcome: Outcome) => void;
  readonly onCleanUp: (objects: number) => void;
  /** Takes the line away that was written over and over. */
  readonly clear: () => void;
}

const widthUnlessKnown = 80;

const startOfLine = '\r\u001B[2K';

const alarming: readonly Verdict[] = ['fail', 'warn', 'broken', 'blocked'];

export interface ConsoleOptions {
  readonly stream: ConsoleStream;
  /** Only the summary and the last line are printed. */
  readonly quiet: boolean;
  /** Whether the stream is a terminal, on which one line can be written over and over. */
  readonly tty: boolean;
  /** Outcomes to come. */
  readonly total: number;
  /** Those that are final with this one: only they are counted. Each is unless given. */
  readonly settled?: (outcome: Outcome) => readonly Outcome[];
  readonly folder?: string;
}

export interface RunConsole {
  /** Called once an outcome, as it comes. */
  readonly onOutcome: (outcome: Outcome) => void;
  /** Called before what the run created is removed. */
  readonly onCleanUp?: (objects: number) => void;
  /** Prints summary and findings. */
  readonly finish: (run: Run) => void;
}

/** Shows a run while it goes on, and what it found when it ends. */
export function startConsole({ stream, quiet, folder, ...options }: ConsoleOptions): RunConsole {
  const progress = quiet ? undefined : startProgress(stream, options);
  return {
    onOutcome: (outcome) => progress?.onOutcome(outcome),
    onCleanUp: (objects) => progress?.onCleanUp(objects),
    finish: (run) => {
      progress?.clear();
      const summary = quiet ? quietSummary : runSummary;
      stream.write(terminalText(summary(run, folder), stream.hasColours));
    },
  };
}

/** One updating line on a terminal, else a line every tenth of the run. */
function startProgress(
  stream: ConsoleStream,
  { tty, total, settled = (outcome) => [outcome] }: Omit<ConsoleOptions, 'stream' | 'quiet'>,
): Progress {
  const step = tty ? 1 : Math.max(10, Math.ceil(total / 10));
  const seen = new Map<Verdict, number>();
  let done = 0;
  return {
    onOutcome: (outcome) => {
      const { rule } = outcome;
      done += 1;
      for (const { verdict } of settled(outcome)) seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
      if (done % step !== 0 && done !== total) return;
      stream.write(
        tty ? updating(`${stateOf(done, total, seen)}  ${rule}`, stream) : `${stateOf(done, total, seen)}\n`,
      );
    },
    onCleanUp: (objects) => {
      const text = `clearing up: ${counted(objects, 'object')} that the run created`;
      stream.write(tty ? updating(text, stream) : `${text}\n`);
    },
    clear: () => {
      if (tty && done > 0) stream.write(startOfLine);
    },
  };
}

function updating(text: string, stream: ConsoleStream): string {
  const width = stream.columns ?? widthUnlessKnown;
  return `${startOfLine}${text.slice(0, Math.max(0, width - 1))}`;
}

function stateOf(done: number, total: number, seen: ReadonlyMap<Verdict, number>): string {
  const alarms = numbersIn(alarming.map((verdict) => [seen.get(verdict) ?? 0, wordOf(verdict)]));
  const open = done - [...seen.values()].reduce((sum, count) => sum + count, 0);
  const waiting = open === 0 ? [] : [`${open} open until what they stand on is judged`];
  // rules that nobody selected are judged last, where selected ones stand on them
  const below = done <= total ? [] : [`${done - total} that they stand on`];
  return [`${Math.min(done, total)} of ${counted(total, 'rule')}`, ...below, ...alarms, ...waiting].join(', ');
}
