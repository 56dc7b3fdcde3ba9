import { assert, boolean, constantFrom, integer, property, record, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CalleeKind } from './call-history/history.ts';
import { drawRegistrations, ofCallees, type RegistrationScope, tellRegistrations } from './registration-history.ts';

const kinds = ['event', 'mail', 'simple endpoint', 'trusted endpoint'] as const;

const scopes = record({
  kinds: uniqueArray(constantFrom<CalleeKind>(...kinds)).map((some) => new Set(some)),
  updates: boolean(),
  removals: boolean(),
  keys: boolean(),
  strangers: uniqueArray(constantFrom('editor' as const, 'reader' as const)),
});

const whole: RegistrationScope = { kinds: new Set(kinds), updates: true, removals: true, keys: true, strangers: [] };

describe('a history of registrations', () => {
  test('follows from its seed', () => {
    expect(drawRegistrations(7, whole)).toEqual(drawRegistrations(7, whole));
    expect(drawRegistrations(7, whole)).not.toEqual(drawRegistrations(8, whole));
  });

  test('holds nothing that the target does not offer', () => {
    assert(
      property(integer(), scopes, (seed, scope) => {
        const { callees, steps } = drawRegistrations(seed, scope);
        expect(callees.filter(({ kind }) => !scope.kinds.has(kind))).toEqual([]);
        const told = new Set(steps.flatMap((step) => [step.kind, ...(step.kind === 'flawed' ? [step.of] : [])]));
        expect(told.has('update') && !scope.updates).toBe(false);
        expect((told.has('remove') || told.has('register anew')) && !scope.removals).toBe(false);
        expect(told.has('ask for keys') && !scope.keys).toBe(false);
        const isOther = steps.some((step) => 'stated' in step && step.stated.isTrusted !== undefined);
        const hasBoth = scope.kinds.has('simple endpoint') && scope.kinds.has('trusted endpoint');
        expect(isOther && !(hasBoth && scope.removals)).toBe(false);
      }),
    );
  });

  test('of one registration is told by what happens to it', () => {
    const alone = ofCallees(drawRegistrations(1, whole), [2]);
    expect(alone.callees.map(({ kind }) => kind)).toEqual(['simple endpoint']);
    expect(tellRegistrations(alone)).toMatch(/^1 is a callee of kind simple endpoint with .*; 1: a trigger; 1: /);
  });
});
