import { expect, test } from 'vitest';
import type { Sent } from '../client/wire.ts';
import { callOrder } from './calls.ts';
import { Flow } from './flow.ts';
import { answered } from './kind.ts';

const baseUrl = 'http://service';

function flowOf(history: readonly Sent[]): Flow {
  return new Flow(history, { baseUrl, values: {}, variables: [], isHost: false, known: '' });
}

/** A call of a task whose link is where another task has its own, as long as the files of both lie in one directory. */
function callOfTask(number: number, accessToken: string): Sent {
  const body = JSON.stringify({ accessToken, payload: { links: [{ url: `${baseUrl}/files/stream` }] } });
  return callOrder('http://listener', { number, base: '/x/one' }, { status: 200, body });
}

test.each([
  ['first', 'token-1', 0],
  ['second', 'token-2', 1],
])('a link that two calls told is that of the %s, whose token goes with it', (_which, token, step) => {
  const headers = [['Authorization', `Bearer ${token}`]] as const;
  const upload = answered({ method: 'POST', url: `${baseUrl}/files/stream/name.bin`, headers }, { status: 201 });
  const { steps } = flowOf([callOfTask(1, 'token-1'), callOfTask(2, 'token-2'), upload]);
  expect(steps.map(({ captures }) => captures.length)).toEqual([0, 1].map((at) => (at === step ? 2 : 0)).concat(0));
});
