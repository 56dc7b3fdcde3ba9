import type { SomeCasesOf } from '../../judge/case.ts';
import { historyCase } from '../../judge/model/case.ts';
import type { EditCommand, Emphasis, Start } from '../../judge/model/command.ts';

/** Small objects, some of them old enough for a version of two digits, and every way to write, in order and out of it. */
const emphasis: Emphasis = {
  kinds: {
    merge: 3,
    put: 3,
    'replace scalar': 1,
    'add scalar': 1,
    'remove scalar': 1,
    'add object': 1,
    append: 2,
    'remove entry': 1,
    promote: 2,
    demote: 1,
    batch: 4,
  },
  objects: 3,
  entries: [0, 1, 3],
  second: [0],
  ages: [0, 8, 9],
  versions: { current: 9, stale: 1, older: 1, ahead: 1, cut: 1, absent: 1 },
  length: 14,
};

const plain: Start = { entries: 0, second: 0, age: 0, filled: true };

function merge(object: number, version: EditCommand['version']): EditCommand {
  return { kind: 'merge', object, at: 0, choice: 0, version };
}

function maturity(kind: 'promote' | 'demote'): EditCommand {
  return { ...merge(0, 'current'), kind };
}

export const sequenceCases = {
  'versioning.sequence.matches-model': historyCase(emphasis, {
    always: [
      {
        starts: [plain, plain],
        commands: [
          merge(0, 'stale'),
          merge(0, 'current'),
          merge(1, 'absent'),
          merge(1, 'current'),
          { ...merge(0, 'current'), kind: 'replace scalar' },
        ],
      },
      {
        starts: [plain],
        commands: [
          maturity('promote'),
          maturity('demote'),
          maturity('promote'),
          merge(0, 'stale'),
          merge(0, 'current'),
        ],
      },
    ],
    share: 0.9,
  }),
} satisfies SomeCasesOf<'versioning'>;
