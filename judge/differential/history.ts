import { array, constantFrom, integer, nat, record, type Arbitrary } from 'fast-check';
import { type Command, type Emphasis, histories, type Start, tellHistory } from '../model/command.ts';
import type { Shape } from '../model/object.ts';

/** A request whose outcome the documents decide in part or not at all; which one, by its name. */
interface ProbeCommand {
  readonly kind: 'probe';
  readonly name: string;
  readonly object: number;
}

export type PlayedCommand = Command | ProbeCommand;

/** What both are given: objects by their number, entries by their position, so that either does it with ids and versions of its own. */
export interface PlayedHistory {
  readonly starts: readonly Start[];
  readonly commands: readonly PlayedCommand[];
}

const emphasis: Emphasis = {
  kinds: {
    merge: 3,
    put: 1,
    'add scalar': 1,
    'replace scalar': 1,
    'remove scalar': 1,
    'add object': 1,
    'replace object': 1,
    'remove object': 1,
    'replace inside object': 1,
    append: 3,
    'add text': 1,
    'replace text': 2,
    'replace value': 1,
    'remove text': 1,
    'remove mandatory': 1,
    'remove entry': 3,
    'replace in unknown entry': 1,
    promote: 1,
    demote: 1,
    batch: 3,
  },
  objects: 2,
  entries: [0, 1, 9, 10, 11, 12, 20, 21],
  second: [0, 0, 1, 11],
  ages: [0, 0, 1, 9],
  versions: { current: 8, stale: 1, older: 1, ahead: 1, cut: 1, absent: 1 },
  length: 10,
};

/** Generated histories: writes, and among them requests of those names. */
export function playedHistories(shape: Shape, probes: readonly string[]): Arbitrary<PlayedHistory> {
  const names = probes.length === 0 ? ['none'] : probes;
  const probe = record({ kind: constantFrom('probe' as const), name: constantFrom(...names), object: nat({ max: 1 }) });
  const inserted = array(record({ at: integer({ min: 0, max: 10 }), probe }), {
    maxLength: probes.length === 0 ? 0 : 5,
  });
  return record({ written: histories(emphasis, shape), inserted }).map(({ written, inserted: more }) => ({
    starts: written.starts,
    commands: [...written.commands.keys(), written.commands.length].flatMap((index) => [
      ...more.filter(({ at }) => Math.min(at, written.commands.length) === index).map((one) => one.probe),
      ...written.commands.slice(index, index + 1),
    ]),
  }));
}

export function tellPlayed({ starts, commands }: PlayedHistory): string {
  return [tellHistory({ starts, commands: [] }), ...commands.map(toldCommand)].join('; ');
}

function toldCommand(command: PlayedCommand): string {
  if (command.kind === 'probe') return `${command.name} (object ${command.object + 1})`;
  return tellHistory({ starts: [], commands: [command] });
}
