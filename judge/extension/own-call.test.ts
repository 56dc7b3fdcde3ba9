import { expect, test } from 'vitest';
import { type Call, type CallFilter, fits } from './call.ts';
import type { Reached } from './extension.ts';
import { ownCall } from './own-call.ts';

const callWith = (text: string): Call => ({ kind: 'email', text, payload: {}, envelope: {} }) as unknown as Call;

/** Somebody to whom these calls have come. */
const reachedBy = (calls: readonly Call[]): Reached =>
  ({ arrived: async (filter: CallFilter) => calls.find((call) => fits(call, filter)) }) as unknown as Reached;

const template = (text: string) => ({ method: 'POST', path: '/mail', body: { text } });
const named = template('{{recordId}} {{subject}}');
const unnamed = template('{{subject}}');
const [old, foreign, mine, mangled] = ['before', 'somebody-1', 'about mine-1', 'm.i.n.e'].map(callWith) as [
  Call,
  Call,
  Call,
  Call,
];
const own = { kind: 'email', before: [old], marks: ['mine-1'] } as const;

test('is found among those of others by what was sent', async () => {
  const reached = reachedBy([old, foreign, mine]);
  for (const one of [named, unnamed]) expect(await ownCall(reached, { ...own, template: one })).toBe(mine);
});

test('is no further attempt at what had come before', async () => {
  const [first, again] = [1, 2].map(() => ({ ...callWith('job 1'), envelope: { id: '1' } }));
  if (first === undefined || again === undefined) return;
  const own = { kind: 'email', before: [first], marks: ['job 2'], template: named } as const;
  expect(await ownCall(reachedBy([first, again, mangled]), own)).toBe(mangled);
  expect(await ownCall(reachedBy([first, again]), own)).toBeUndefined();
});

test('that does not show what was sent is known by the name of the extension alone', async () => {
  const reached = reachedBy([old, mangled]);
  expect(await ownCall(reached, { ...own, template: named })).toBe(mangled);
  expect(await ownCall(reached, { ...own, template: unnamed })).toBeUndefined();
});

test('is the next one where the profile fixes what is sent', async () => {
  expect(await ownCall(reachedBy([old, foreign]), { ...own, marks: [], template: unnamed })).toBe(foreign);
  expect(await ownCall(reachedBy([old]), { ...own, marks: [], template: unnamed })).toBeUndefined();
});
