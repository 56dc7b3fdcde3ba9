import { expect, test } from 'vitest';
import type { Line } from './lines.ts';
import { Player } from './player.ts';

const part = 'a.b.c#0';

/** Tells when what is set comes about. */
function timesOf(lines: readonly Line[], set: (player: Player) => void): readonly number[] {
  const times: number[] = [];
  const time = {
    now: 50,
    at: (at: number) => {
      times.push(at);
      return () => undefined;
    },
  };
  set(new Player(lines, time));
  return times;
}

test.each<[string, Omit<Extract<Line, { kind: 'timer' }>, 'kind' | 'part' | 'ms'>, number]>([
  ['was reached is reached when it was then, by a machine that took its time', { at: 190, fired: true }, 190],
  ['was not reached is not reached before what came then', { at: 190 }, 190],
  ['was not reached is reached where what came then does not come now', { at: 90 }, 150],
  ['was open at the end of the run is reached in time', {}, 150],
])('a limit that %s', (_what, then, now) => {
  const line = { kind: 'timer', part, ms: 100, ...then } as const;
  expect(timesOf([line], (player) => player.timer(part, 100, () => undefined))).toEqual([now]);
});

test('of several limits alike the first is that of the first', () => {
  const lines = [170, 300].map((at) => ({ kind: 'timer', part, ms: 100, at, fired: true }) as const);
  const times = timesOf(lines, (player) => {
    player.timer(part, 200, () => undefined);
    for (let count = 0; count < 3; count += 1) player.timer(part, 100, () => undefined);
  });
  expect(times).toEqual([250, 170, 300, 150]);
});

test('what a part read then it reads now, and reads anew what it did not', () => {
  const lines = [1, 2].map((value) => ({ kind: 'reading', part, what: 'time', value }) as const);
  const read: number[] = [];
  timesOf(lines, (player) => {
    read.push(player.reading(part, 'clock', () => 7));
    for (let count = 0; count < 3; count += 1) read.push(player.reading(part, 'time', () => 8));
  });
  expect(read).toEqual([7, 1, 2, 8]);
});
