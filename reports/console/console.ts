import type { Outcome } from '../../judge/outcome.ts';
import { assess } from '../assessment.ts';
import { exitWords } from '../exit.ts';
import type { Run } from '../run.ts';
import { counted, printable, seconds } from '../text.ts';
import { findingLines } from './findings.ts';
import { paintFor, type ConsoleStream } from './paint.ts';
import { startProgress } from './progress.ts';
import { summaryLines } from './summary.ts';

export interface ConsoleOptions {
  readonly stream: ConsoleStream;
  /** Only the summary and the last line are printed. */
  readonly quiet: boolean;
  /** Whether the stream is a terminal, on which one line can be written over and over. */
  readonly tty: boolean;
  /** Outcomes to come. */
  readonly total: number;
}

export interface RunConsole {
  /** Called once an outcome, as it comes. */
  readonly onOutcome: (outcome: Outcome) => void;
  /** Prints summary and findings. `exit` is the exit code of the process. */
  readonly finish: (run: Run, exit: number) => void;
}

/** Shows a run while it goes on, and what it found when it ends. Colours follow NO_COLOR, FORCE_COLOR and the stream. */
export function startConsole({ stream, quiet, tty, total }: ConsoleOptions): RunConsole {
  const progress = quiet ? undefined : startProgress(stream, tty, total);
  return {
    onOutcome: (outcome) => progress?.onOutcome(outcome),
    finish: (run, exit) => {
      progress?.clear();
      stream.write(`${consoleText(run, exit, stream, quiet)}\n`);
    },
  };
}

function consoleText(run: Run, exit: number, stream: ConsoleStream, quiet: boolean): string {
  const paint = paintFor(stream);
  const assessment = assess(run);
  return [
    ...summaryLines(run, assessment, paint),
    ...(quiet ? [] : findingLines(run, assessment, paint)),
    '',
    ...(run.notes ?? []).map((note) => `Note: ${printable(note)}`),
    closingLine(run),
    paint(exit === 0 ? 'good' : 'bad', `Exit ${exit}: ${printable(exitWords(run, exit))}.`),
  ].join('\n');
}

function closingLine({ footer }: Run): string {
  return footer === undefined
    ? 'The run was cut off: wall time unknown.'
    : `${counted(footer.requests, 'request')} in ${seconds(footer.durationMs)}.`;
}
