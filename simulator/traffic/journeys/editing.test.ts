import { expect, test } from 'vitest';
import { randomFrom } from '../chance.ts';
import { madeUpGround } from '../judging/made-up.fixture.ts';
import { editEntries } from './editing.ts';

test('ids of entries hold signs that stand for others in a pointer', () => {
  const arrayPort = { member: 'rows/~', portId: 'rows', text: 'a/b' };
  const ground = { ...madeUpGround, softType: { ...madeUpGround.softType, arrayPort } };
  const env = { user: 0, iteration: 0, now: () => 0, random: randomFrom(1), ground };
  const ids = Array.from({ length: 12 }, () => 's~1/b');
  const entries = ids.map(() => ({}));
  const pathsOf = (number: number) => editEntries(env, number, { entries, ids }).operations;
  expect(pathsOf(2)).toMatchObject([{ op: 'remove', path: '/rows~1~0/s~01~1b/' }]);
  expect(pathsOf(3)).toMatchObject([
    { op: 'replace', path: '/rows~1~0/s~01~1b/a~1b' },
    { op: 'add', path: '/rows~1~0/-' },
  ]);
});
