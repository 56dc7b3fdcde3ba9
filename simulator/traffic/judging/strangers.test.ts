import { expect, test } from 'vitest';
import { Answers } from './answers.ts';
import { madeUp, madeUpGround, rulesIn } from './made-up.fixture.ts';
import { Violations } from './violations.ts';

const rule = 'auth.role.no-role-403';

/** What is found of somebody without a role who is answered that, in turn, with that token. */
function found(...answers: readonly (readonly [token: string, status: number])[]): readonly string[] {
  const violations = new Violations(0);
  let token = '';
  const judge = new Answers(madeUpGround, violations.complain, () => token);
  for (const [index, [next, status]] of answers.entries()) {
    token = next;
    judge.see(
      madeUp({
        status,
        sentAt: 10 * index,
        endedAt: 10 * index + 5,
        step: { as: 'noRole' },
        about: { kind: 'refused', rule, statuses: [403] },
      }),
    );
  }
  return rulesIn(violations);
}

test('401 is right for a token that has ended, and while another one is on its way', () => {
  expect(found(['one', 403], ['one', 401], ['one', 401])).toEqual([]);
  expect(found(['one', 403], ['one', 401], ['two', 401], ['two', 403], ['two', 503])).toEqual([]);
});

test('401 is wrong for a token that never was good for anything, or still is afterwards', () => {
  expect(found(['one', 401])).toEqual([rule]);
  expect(found(['one', 403], ['two', 401], ['two', 401])).toEqual([rule]);
  expect(found(['one', 403], ['one', 401], ['one', 403])).toEqual([rule]);
});

test('an object that is shown to them is wrong with any token', () => {
  expect(found(['one', 403], ['two', 200])).toEqual([rule]);
});
