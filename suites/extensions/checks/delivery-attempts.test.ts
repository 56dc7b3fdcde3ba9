import { expect, test } from 'vitest';
import type { Call } from '../../../judge/extension/call.ts';
import { withPromptEnds } from './delivery-attempts.ts';

function abandoned(arrivedAt: number, endedAt: number): Call {
  return { arrivedAt, endedAt, ending: 'abandoned' } as Call;
}

// seen at load 12: heard 86 s of moved time late, when the retry had come in its time
test('where time is moved an attempt may have ended long before it was heard', () => {
  const call = abandoned(314_000, 500_545);
  expect(withPromptEnds({ controlled: true }, [call], 100_000)).toEqual([
    { arrivedAt: 314_000, endedAt: 414_000, heardAt: 500_545 },
  ]);
  expect(withPromptEnds({ controlled: false }, [call], 100_000)).toEqual([
    { arrivedAt: 314_000, endedAt: 500_445, heardAt: 500_545 },
  ]);
});

test.each([true, false])('an attempt that ended before its time did (time moved: %s)', (controlled) => {
  expect(withPromptEnds({ controlled }, [abandoned(0, 90_000)], 100_000)).toEqual([
    { arrivedAt: 0, endedAt: 90_000, heardAt: 90_000 },
  ]);
});
