import { assert, boolean, constantFrom, integer, property, record, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawHistory, type Scope } from './draw.ts';
import { type CalleeKind, ofCallee, tellCallee } from './history.ts';

const kinds = ['event', 'mail', 'task', 'simple endpoint', 'trusted endpoint', 'validation', 'action'] as const;

const scopes = record({
  kinds: uniqueArray(constantFrom<CalleeKind>(...kinds), { minLength: 1 }).map((some) => new Set(some)),
  updates: boolean(),
  deletes: boolean(),
  deletesOfEndpoints: boolean(),
  jumps: boolean(),
  alone: boolean(),
});

const whole: Scope = {
  kinds: new Set(kinds),
  updates: true,
  deletes: true,
  deletesOfEndpoints: true,
  jumps: true,
  alone: true,
};

describe('a history', () => {
  test('follows from its seed', () => {
    expect(drawHistory(7, whole)).toEqual(drawHistory(7, whole));
    expect(drawHistory(7, whole)).not.toEqual(drawHistory(8, whole));
  });

  test('holds nothing that the target does not offer, and happens in order', () => {
    assert(
      property(integer(), scopes, (seed, scope) => {
        const { callees, happenings } = drawHistory(seed, scope);
        expect(callees.filter(({ kind }) => !scope.kinds.has(kind))).toEqual([]);
        const told = new Set(happenings.map(({ kind }) => kind));
        expect(told.has('update') && !scope.updates).toBe(false);
        expect(told.has('delete') && !scope.deletes).toBe(false);
        const times = happenings.map(({ at }) => at);
        expect(times).toEqual(times.toSorted((one, other) => one - other));
        expect(scope.jumps || times.every((at) => at <= 80_000)).toBe(true);
      }),
    );
  });

  test('of one callee is told by what happens to it', () => {
    const history = drawHistory(1, whole);
    const alone = ofCallee(history, 1);
    expect(alone.callees).toEqual([history.callees[1]]);
    expect(tellCallee(alone, 0)).toMatch(/^a callee of kind mail with .*; at 0 s a trigger, answered /);
  });
});
