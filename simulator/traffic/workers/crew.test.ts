import { describe, expect, test } from 'vitest';
import { madeUpSetup } from '../judging/made-up.fixture.ts';
import { openModel } from '../open-model.ts';
import { openCrew } from './crew.ts';
import type { LoadOrder } from './running-load.ts';
import { makeTogether } from './together.ts';

const at = (name: string): URL => new URL(`${name}.fixture.ts`, import.meta.url);

function orderUntil(signal: AbortSignal): LoadOrder {
  const setup = madeUpSetup({ baseUrl: 'http://127.0.0.1:9', signal, load: { model: 'open', rate: 1 } });
  return {
    setup,
    engine: openModel,
    judging: { ratio: 1, breachesOf: () => [] },
    see: () => undefined,
    made: () => undefined,
  };
}

const token = (text: string): ReadonlyMap<string, string> => new Map([['editor', text]]);

describe('a crew', () => {
  test('of which one breaks down ends early, and says who and why', async () => {
    await using crew = openCrew(3, at('breaking'));
    expect(await crew.ready).toBeUndefined();
    crew.renew(token('first'));
    const end = await makeTogether(crew, orderUntil(new AbortController().signal)).make();
    expect(end).toMatchObject({
      endedEarly: true,
      remarks: [
        'first',
        'Worker 2 of 3 broke down (out of everything), so the load ended early; what it had not told by then is not counted.',
      ],
    });
  });

  test('gets tokens that were renewed', async () => {
    await using crew = openCrew(1, at('breaking'));
    await crew.ready;
    const stop = new AbortController();
    crew.renew(token('first'));
    const made = makeTogether(crew, orderUntil(stop.signal)).make();
    crew.renew(token('second'));
    stop.abort();
    expect((await made).remarks).toEqual(['second']);
  });

  test('that does not hear is not waited for', async () => {
    await using crew = openCrew(2, at('mute'));
    expect(await crew.ready).toBeUndefined();
    const stop = new AbortController();
    crew.renew(token('first'));
    const made = makeTogether(crew, orderUntil(stop.signal)).make();
    stop.abort();
    expect((await made).remarks).toEqual([
      '2 of 2 workers did not end in time: what they had not told by then is not counted.',
    ]);
  });

  test('that cannot start says so', async () => {
    await using crew = openCrew(2, at('nowhere'));
    expect(await crew.ready).toContain('nowhere');
  });
});
