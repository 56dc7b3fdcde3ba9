import { describe, expect, test } from 'vitest';
import { drawHistories, everyKind, stepKinds, type WorldHistory } from './step.ts';

const looks = Object.values(everyKind.looks).flatMap((values) => [...new Set<string>(values)]);
const size = { histories: 8, steps: 22 };

function pairsIn(histories: readonly WorldHistory[]): readonly string[] {
  return histories.flatMap(({ steps }) =>
    steps.flatMap(({ kind, look }, index) => [
      ...(index === 0 ? [] : [`${steps[index - 1]?.kind} then ${kind}`]),
      ...Object.values(look ?? {}).map((value) => `${kind} seen by ${value}`),
    ]),
  );
}

describe('drawn histories', () => {
  test('are the same for the same seed, and others for another', () => {
    expect(drawHistories(everyKind, size, 7)).toEqual(drawHistories(everyKind, size, 7));
    expect(drawHistories(everyKind, size, 7)).not.toEqual(drawHistories(everyKind, size, 8));
  });

  test('meet nearly every pair of steps, and of a step and a look, within a dozen runs', () => {
    const met = new Set(
      Array.from({ length: 12 }, (_run, seed) => pairsIn(drawHistories(everyKind, size, seed))).flat(),
    );
    const all = stepKinds.length * (stepKinds.length + looks.length);
    expect(met.size / all).toBeGreaterThan(0.95);
  });

  test('keep to what the target can follow', () => {
    const few = {
      steps: ['merge', 'append'],
      senders: { as: ['own'], taken: ['plain'] },
      looks: { by: ['pages'], filter: ['none'], as: ['reader'], sent: ['alone'], taken: ['packed'] },
    } as const;
    const drawn = drawHistories(few, size, 1).flatMap(({ steps }) => steps);
    expect(new Set(drawn.map(({ kind }) => kind))).toEqual(new Set(few.steps));
    expect(new Set(drawn.map(({ look }) => look?.by))).toEqual(new Set([undefined, 'pages']));
  });
});
