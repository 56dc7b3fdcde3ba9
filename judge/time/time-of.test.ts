import { describe, expect, test } from 'vitest';
import { clockLimitsOf } from './time-of.ts';

describe('an order to the clock of a service', () => {
  test('may take as long as the profile lets a request take', () => {
    expect(clockLimitsOf({ limits: { requestTimeoutSeconds: 90 } })).toEqual({ requestTimeoutSeconds: 90 });
  });

  test.each([{}, { limits: {} }, { limits: { requestTimeoutSeconds: 2 } }])(
    'may take 30 s whatever %j says',
    (profile) => {
      expect(clockLimitsOf(profile)).toEqual({ requestTimeoutSeconds: 30 });
    },
  );
});
