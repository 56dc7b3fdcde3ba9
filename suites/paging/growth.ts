import { historyCase } from '../../judge/model/case.ts';
import type { EditCommand, Emphasis, Start } from '../../judge/model/command.ts';
import { comparePaged } from '../../judge/model/paged.ts';

/** An array of any length that grows and shrinks by single operations. */
const emphasis: Emphasis = {
  kinds: { append: 2, 'remove entry': 2, 'remove mandatory': 1 },
  objects: 1,
  ports: 1,
  entries: [0, 1, 8, 9, 9, 10, 10, 11, 11, 12, 18, 19, 20, 20, 21, 21, 29, 30, 31, 45, 64],
  second: [0],
  ages: [0],
  versions: { current: 1 },
  length: 8,
};

const append: EditCommand = { kind: 'append', object: 0, at: 0, choice: 0, version: 'current' };
const removal: EditCommand = { ...append, kind: 'remove entry' };
const start: Start = { entries: 9, second: 0, age: 0, filled: false };

/** Both ways over the boundaries of a page, then at random; after each step pages and links are compared with the list of a client. */
export const growing = historyCase(emphasis, {
  compare: comparePaged,
  always: [
    { starts: [start], commands: [append, append, removal, removal] },
    { starts: [{ ...start, entries: 20 }], commands: [append, removal] },
  ],
});
