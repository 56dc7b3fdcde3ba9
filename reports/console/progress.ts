import type { Outcome, Verdict } from '../../judge/outcome.ts';
import { counted } from '../text.ts';
import type { ConsoleStream } from './paint.ts';

interface Progress {
  readonly onOutcome: (outcome: Outcome) => void;
  /** Takes the line away that was written over and over. */
  readonly clear: () => void;
}

const widthUnlessKnown = 80;
const startOfLine = '\r\u001B[2K';

/** One updating line on a terminal, else a line every tenth of the run. */
export function startProgress(stream: ConsoleStream, tty: boolean, total: number): Progress {
  const step = tty ? 1 : Math.max(10, Math.ceil(total / 10));
  const seen = new Map<Verdict, number>();
  let done = 0;
  return {
    onOutcome: ({ rule, verdict }) => {
      done += 1;
      seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
      if (done % step !== 0 && done !== total) return;
      stream.write(
        tty ? updating(`${stateOf(done, total, seen)}  ${rule}`, stream) : `${stateOf(done, total, seen)}\n`,
      );
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
  const alarms = (['fail', 'warn', 'broken', 'blocked'] as const).flatMap((verdict) => {
    const count = seen.get(verdict) ?? 0;
    return count === 0 ? [] : [`${count} ${alarmWords[verdict]}`];
  });
  return [`${done} of ${counted(total, 'rule')}`, ...alarms].join(', ');
}

const alarmWords = { fail: 'failed', warn: 'warned', broken: 'broken', blocked: 'blocked' } as const;
