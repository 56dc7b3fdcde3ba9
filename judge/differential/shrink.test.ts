import { expect, test } from 'vitest';
import type { PlayedCommand, PlayedHistory } from './history.ts';
import { shrinkHistory } from './differential.ts';

const start = { entries: 20, second: 11, age: 9, filled: true };
const edit = (kind: 'merge' | 'append' | 'put', object: number): PlayedCommand => ({
  kind,
  object,
  at: 0,
  choice: 0,
  version: 'current',
});
const history: PlayedHistory = {
  starts: [start, start],
  commands: [edit('merge', 0), edit('append', 1), edit('put', 0), edit('merge', 1), edit('append', 0)],
};
const kinds = ({ commands }: PlayedHistory): readonly string[] => commands.map(({ kind }) => kind);

test('what the beginning shows needs no command, and nothing in its object', async () => {
  expect(await shrinkHistory(history, undefined, async ({ starts }) => starts.length > 0)).toEqual({
    starts: [{ entries: 0, second: 0, age: 0, filled: false }],
    commands: [],
  });
});

test('one command that shows it alone stands alone, at the first object', async () => {
  const small = await shrinkHistory(history, edit('append', 1), async (candidate) =>
    kinds(candidate).includes('append'),
  );
  expect(small).toEqual({ starts: [{ entries: 0, second: 0, age: 0, filled: false }], commands: [edit('append', 0)] });
});

test('commands that need each other stay, in order, and as many entries as it takes', async () => {
  const shows = async (candidate: PlayedHistory): Promise<boolean> =>
    /merge.*put/.test(kinds(candidate).join()) && (candidate.starts[0]?.entries ?? 0) > 10;
  const small = await shrinkHistory(history, edit('put', 0), shows);
  expect(kinds(small)).toEqual(['merge', 'put']);
  expect(small.starts).toEqual([{ entries: 11, second: 0, age: 0, filled: false }]);
});
