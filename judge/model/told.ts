import type { Command, EditCommand, History, Start } from './command.ts';

/** A history in words, for a report. */
export function told({ starts, commands }: History): string {
  return [...starts.map(toldStart), ...commands.map(toldCommand)].join('; ');
}

function toldStart({ entries, second, age, filled }: Start, index: number): string {
  const arrays = second === 0 ? `${entries} entries` : `${entries} and ${second} entries`;
  return `object ${index + 1} with ${arrays}${filled ? ', scalars' : ''}${age === 0 ? '' : ` and ${age} edits`}`;
}

function toldCommand(command: Command): string {
  if (command.kind !== 'batch') return toldEdit(command);
  const failing = command.failing === undefined ? '' : ` with a failing one at ${command.failing}`;
  return `batch of (${command.parts.map(toldEdit).join(', ')})${failing}`;
}

function toldEdit({ kind, object, at, choice, version }: EditCommand): string {
  return `${kind} on object ${object + 1}, at ${at}, choice ${choice}${version === 'current' ? '' : `, ${version} version`}`;
}
