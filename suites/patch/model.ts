import { historyCase } from '../model/case.ts';
import type { EditCommand, Emphasis } from '../model/command.ts';

/** Single operations on arrays that stand at the end of a page, right ones and wrong ones mixed. */
const emphasis: Emphasis = {
  kinds: [
    'append',
    'append',
    'append',
    'remove entry',
    'remove entry',
    'remove entry',
    'remove entry',
    'remove mandatory',
    'remove mandatory',
    'replace text',
    'replace text',
    'replace text',
    'replace text',
    'remove text',
    'add text',
    'add scalar',
    'add scalar',
    'replace scalar',
    'remove scalar',
    'remove scalar',
    'add object',
    'replace object',
    'remove object',
    'replace inside object',
    'replace in unknown entry',
    'put',
    'put',
    'batch',
    'batch',
  ],
  objects: 2,
  entries: [0, 1, 9, 10, 11, 11, 12, 12, 20, 21, 21, 21],
  second: [0, 0, 1, 10, 11],
  ages: [0],
  versions: ['current'],
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
  ],
});
