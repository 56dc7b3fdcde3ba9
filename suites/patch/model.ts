import { historyCase } from '../../judge/model/case.ts';
import type { EditCommand, Emphasis } from '../../judge/model/command.ts';

/** Single operations on arrays that stand at the end of a page, right ones and wrong ones mixed. */
const emphasis: Emphasis = {
  kinds: {
    append: 3,
    'remove entry': 4,
    'remove mandatory': 2,
    'replace text': 6,
    'remove text': 1,
    'add text': 1,
    'add scalar': 2,
    'replace scalar': 1,
    'remove scalar': 2,
    'add object': 1,
    'replace object': 1,
    'remove object': 1,
    'replace inside object': 1,
    'replace in unknown entry': 1,
    put: 2,
    batch: 3,
  },
  objects: 2,
  entries: [0, 1, 9, 10, 11, 11, 12, 12, 20, 21, 21, 21],
  second: [0, 0, 1, 10, 11],
  ages: [0],
  versions: { current: 1 },
  length: 13,
};

function single(kind: EditCommand['kind'], at = 0): EditCommand {
  return { kind, object: 0, at, choice: 0, version: 'current' };
}

/** Random runs of operations; acceptance and everything that can be seen are compared with the model after each. */
export const sequenceOfOperations = historyCase(emphasis, {
  always: [
    {
      starts: [{ entries: 2, second: 0, age: 0, filled: true }],
      commands: [single('remove entry'), single('append'), single('append'), single('replace text', 1)],
    },
    {
      starts: [{ entries: 1, second: 0, age: 0, filled: true }],
      commands: [single('remove scalar'), single('add scalar'), single('remove text'), single('add text')],
    },
    { starts: [{ entries: 1, second: 0, age: 0, filled: true }], commands: [single('append'), single('put')] },
  ],
});
