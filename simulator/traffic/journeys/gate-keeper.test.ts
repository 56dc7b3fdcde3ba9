import { expect, test } from 'vitest';
import { randomFrom } from '../chance.ts';
import { madeUpGround } from '../judging/made-up.fixture.ts';
import { gateKeeper } from './gate-keeper.ts';

/** What the journey writes into the data, where a read shows that body. */
function writtenOver(body: string): string {
  const change = { method: 'PUT', path: '/profile', as: 'editor', body: { name: '{{unique}}' } } as const;
  const { grant: _grant, ...rest } = madeUpGround;
  const ground = { ...rest, objects: [], conditional: { path: '/profile', as: 'editor', change } } as const;
  const steps = gateKeeper({ user: 0, iteration: 0, now: () => 0, random: randomFrom(1), ground });
  const answer = { status: 200, headers: { etag: '"1"' }, body };
  for (let next = steps.next(); next.done !== true; next = steps.next(answer))
    if (next.value.kind === 'http' && next.value.op === 'conditional change') return String(next.value.body);
  throw new Error('The journey changed nothing.');
}

test('a change names the version that was read, and may come too late', () => {
  const change = {
    method: 'PUT',
    path: '/p',
    as: 'editor',
    headers: { 'If-Version': '{{version}}' },
    body: {},
  } as const;
  const ground = { ...madeUpGround, objects: [], conditional: { path: '/p', as: 'editor', change } } as const;
  const steps = gateKeeper({ user: 0, iteration: 0, now: () => 0, random: randomFrom(1), ground });
  const sent = [];
  for (let next = steps.next(); next.done !== true;) {
    if (next.value.kind === 'http' && next.value.op === 'conditional change') sent.push(next.value);
    next = steps.next({ status: 200, headers: { etag: '"1"' }, body: '{"version":7}' });
  }
  expect(sent).toMatchObject([{ headers: { 'If-Version': '7' }, accept: expect.arrayContaining([202, 409]) }]);
});

test('what a run with the same seed has left is not written once more, for it would change nothing', () => {
  const first = writtenOver('{"name":"of nobody"}');
  expect(writtenOver('{"name":"of nobody"}')).toBe(first);
  expect(writtenOver(first)).not.toBe(first);
});
