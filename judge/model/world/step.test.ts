import { describe, expect, test } from 'vitest';
import { drawHistories, lookKinds, stepKinds, type WorldHistory } from './step.ts';

const kinds = { steps: stepKinds, looks: lookKinds };
const size = { histories: 8, steps: 22 };

function pairsIn(histories: readonly WorldHistory[]): readonly string[] {
  return histories.flatMap(({ steps }) =>
    steps.flatMap(({ kind, look }, index) => [
      ...(index === 0 ? [] : [`${steps[index - 1]?.kind} then ${kind}`]),
      ...(look === undefined ? [] : [`${kind} seen by ${look.kind}`]),
    ]),
  );
}

describe('drawn histories', () => {
  test('are the same for the same seed, and others for another', () => {
    expect(drawHistories(kinds, size, 7)).toEqual(drawHistories(kinds, size, 7));
    expect(drawHistories(kinds, size, 7)).not.toEqual(drawHistories(kinds, size, 8));
  });

  test('meet nearly every pair of steps, and of a step and a look, within a dozen runs', () => {
    const met = new Set(Array.from({ length: 12 }, (_run, seed) => pairsIn(drawHistories(kinds, size, seed))).flat());
    const all = stepKinds.length * (stepKinds.length + lookKinds.length);
    expect(met.size / all).toBeGreaterThan(0.95);
  });

  test('keep to what the target can follow', () => {
    const few = { steps: ['merge', 'append'], looks: ['pages'] } as const;
    const drawn = drawHistories(few, size, 1).flatMap(({ steps }) => steps);
    expect(new Set(drawn.map(({ kind }) => kind))).toEqual(new Set(few.steps));
    expect(new Set(drawn.map(({ look }) => look?.kind))).toEqual(new Set([undefined, 'pages']));
  });
});
