import { messageOf } from '../contract/thrown.ts';
import { oneLine } from '../reports/text.ts';
import { run } from './run.ts';
import { complain, incompleteExitCode, isViolationSeen, violatedExitCode } from './exit-codes.ts';

/** Longest time in which what is left ends by itself. */
const mostAfterwardsMs = 5000;

/**
 * Carries out the command line of this process and sets its exit code. Whatever goes wrong in it or with its output ends with a sentence and never
 * with 0; a violation that was seen stays a 1.
 */
export async function runProcess(argv: readonly string[]): Promise<void> {
  let unwritten: string | undefined;
  // what was not printed is told at the end: a run goes on to its record and its reports
  process.stdout.on('error', (error: NodeJS.ErrnoException) => (unwritten ??= error.code ?? error.message));
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', endAtOnce);
  process.on('unhandledRejection', endAtOnce);
  // where nothing is left to wait for, Node ends a process in the middle, and calls that well
  const sayUnfinished = (): void => endAtOnce(new Error('it waits for what nobody will answer'));
  process.once('beforeExit', sayUnfinished);
  const code = await run(argv).finally(() => process.off('beforeExit', sayUnfinished));
  // what is on its way fails before that call is answered
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  // whoever stops to read, as head does, has enough
  if (unwritten !== undefined && unwritten !== 'EPIPE')
    complain(`standard output could not be written (${unwritten})`, incompleteExitCode);
  process.exitCode = unwritten !== undefined && code === 0 ? incompleteExitCode : code;
  if (code === incompleteExitCode && isViolationSeen()) process.exitCode = violatedExitCode;
  // what broke off in the middle may have left timers and threads that nobody stops any more
  setTimeout(() => process.exit(), mostAfterwardsMs).unref();
}

function endAtOnce(error: unknown): void {
  const exitCode = isViolationSeen() ? violatedExitCode : incompleteExitCode;
  process.exit(complain(`the suite stumbled: ${oneLine(messageOf(error))}`, exitCode));
}
