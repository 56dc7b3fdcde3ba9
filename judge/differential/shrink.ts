import { shortest, simplest } from '../model/shortest.ts';
import type { Start } from '../model/command.ts';
import type { PlayedCommand, PlayedHistory } from './history.ts';

type Shows = (history: PlayedHistory) => Promise<boolean>;

/** Less to begin with, the least first. */
const simpler: readonly ((start: Start) => Start)[] = [
  () => ({ entries: 0, second: 0, age: 0, filled: false }),
  (start) => ({ ...start, second: 0, age: 0 }),
  (start) => ({ ...start, entries: 0 }),
  (start) => ({ ...start, entries: Math.min(1, start.entries) }),
  (start) => ({ ...start, entries: Math.min(11, start.entries) }),
  (start) => ({ ...start, filled: false }),
];

/**
 * The shortest history found that still shows the same: the beginning or one command alone where that does, else with every command and every
 * object left out that can go; with as little in the objects as will do.
 * @param culprit the command at which it showed
 */
export async function shrunk(
  history: PlayedHistory,
  culprit: PlayedCommand | undefined,
  shows: Shows,
): Promise<PlayedHistory> {
  const short = (await alone(history, culprit, shows)) ?? (await fewer(history, shows));
  const changes = short.starts.flatMap((_start, index) => simpler.map((change) => withStart(index, change)));
  return simplest(short, changes, shows);
}

/** No command, or the one at which it showed, at an object of its own. */
async function alone(
  { starts }: PlayedHistory,
  culprit: PlayedCommand | undefined,
  shows: Shows,
): Promise<PlayedHistory | undefined> {
  const begun = { starts: starts.slice(0, 1), commands: [] };
  if (await shows(begun)) return begun;
  if (culprit === undefined || culprit.kind === 'batch') return undefined;
  const start = starts[culprit.object % Math.max(1, starts.length)];
  const candidate = { starts: start === undefined ? [] : [start], commands: [{ ...culprit, object: 0 }] };
  return (await shows(candidate)) ? candidate : undefined;
}

async function fewer(history: PlayedHistory, shows: Shows): Promise<PlayedHistory> {
  const commands = await shortest(history.commands, (less) => shows({ ...history, commands: less }));
  const without = [...history.starts.keys()].toReversed().map(withoutObject);
  return simplest({ ...history, commands }, without, shows);
}

function withStart(index: number, change: (start: Start) => Start): (history: PlayedHistory) => PlayedHistory {
  return (history) => ({
    ...history,
    starts: history.starts.map((start, at) => (at === index ? change(start) : start)),
  });
}

/** Without an object, and without what was done to it alone; commands to later ones follow. */
function withoutObject(index: number): (history: PlayedHistory) => PlayedHistory {
  const moved = (object: number): number => (object > index ? object - 1 : object);
  return ({ starts, commands }) => ({
    starts: starts.toSpliced(index, 1),
    commands: commands.map((command): PlayedCommand => {
      if (command.kind !== 'batch') return { ...command, object: moved(command.object) };
      return { ...command, parts: command.parts.map((part) => ({ ...part, object: moved(part.object) })) };
    }),
  });
}
