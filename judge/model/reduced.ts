import { PreconditionFailed } from '../violation.ts';
import type { Failed } from './case.ts';
import type { Command, History, Start } from './command.ts';
import { shortest, simplest } from './shortest.ts';

type Try = (history: History, closely: boolean) => Promise<Failed | undefined>;

const longestMs = 6000;

/**
 * The shortest history that still fails, found by leaving out commands, then objects, then what they begin with.
 * @param reached index of the command at which the whole history failed: what comes behind it is not needed
 */
export async function reduced(
  history: History,
  reached: number,
  attempt: Try,
): Promise<{ readonly history: History; readonly violation?: Failed['violation'] }> {
  const until = performance.now() + longestMs;
  let violation: Failed['violation'] | undefined;
  const fails = async (candidate: History, closely = true): Promise<boolean> => {
    const failed = performance.now() > until ? undefined : await settled(attempt(candidate, closely));
    if (failed === undefined) return false;
    ({ violation } = failed);
    return true;
  };
  const commands = await shortest(history.commands.slice(0, reached + 1), (less) =>
    fails({ ...history, commands: less }),
  );
  const small = await simplest({ ...history, commands }, changesOf(history), (candidate) => fails(candidate));
  await fails(small, false);
  return { history: small, ...(violation && { violation }) };
}

/** A candidate that the service does not let us try is none. */
async function settled(attempt: Promise<Failed | undefined>): Promise<Failed | undefined> {
  return attempt.catch((error: unknown) => {
    if (error instanceof PreconditionFailed) return undefined;
    throw error;
  });
}

function changesOf({ starts }: History): readonly ((history: History) => History)[] {
  const indexes = [...starts.keys()].toReversed();
  const plain: readonly Partial<Start>[] = [{ second: 0 }, { age: 0 }, { filled: false }, { entries: 0 }];
  return [
    ...indexes.map(withoutObject),
    ...indexes.flatMap((index) => plain.map((change) => withStart(index, change))),
  ];
}

function withStart(index: number, change: Partial<Start>): (history: History) => History {
  return (history) => ({
    ...history,
    starts: history.starts.map((start, at) => (at === index ? { ...start, ...change } : start)),
  });
}

/** Without an object; commands to it go to none, those to later ones follow. */
function withoutObject(index: number): (history: History) => History {
  return ({ starts, commands }) => ({
    starts: starts.toSpliced(index, 1),
    commands: commands.map((command) => renumbered(command, index)),
  });
}

function renumbered(command: Command, gone: number): Command {
  if (command.kind === 'batch')
    return { ...command, parts: command.parts.map((part) => ({ ...part, object: moved(part.object, gone) })) };
  return { ...command, object: moved(command.object, gone) };
}

function moved(object: number, gone: number): number {
  return object > gone ? object - 1 : object;
}
