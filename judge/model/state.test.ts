import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyEdit, type Edit, type EntryState, freshState, isSaid, type ObjectState } from './state.ts';

const text = fc.string({ minLength: 1, maxLength: 3 });
const texts = fc.dictionary(fc.constantFrom('note', 'remark'), text);
const scalar = fc.oneof(text, fc.constantFrom('', 0, false));
const scalars = fc.dictionary(fc.constantFrom('note', 'remark'), scalar);
const entry: fc.Arbitrary<EntryState> = fc.record({
  key: text,
  text: fc.option(text, { nil: undefined }),
  admitted: fc.boolean(),
  inside: fc.array(text, { maxLength: 11 }),
  values: fc.dictionary(fc.constantFrom('size', 'final'), fc.oneof(fc.nat({ max: 1 }), fc.boolean())),
});
const content = fc.record({
  scalars,
  inner: fc.option(texts, { nil: undefined }),
  arrays: fc.tuple(fc.array(entry, { maxLength: 5 }), fc.array(entry, { maxLength: 5 })),
});
const at = fc.nat({ max: 6 });
const port = fc.nat({ max: 1 });
const name = fc.constantFrom('note', 'remark');
const edits: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('merge' as const), scalars }),
  fc.record({ kind: fc.constant('put' as const), content }),
  fc.record({ kind: fc.constantFrom('add scalar' as const, 'replace scalar' as const), name, value: scalar }),
  fc.record({ kind: fc.constant('remove scalar' as const), name }),
  fc.record({ kind: fc.constantFrom('add object' as const, 'replace object' as const), inner: texts }),
  fc.record({ kind: fc.constant('remove object' as const) }),
  fc.record({ kind: fc.constant('append' as const), port, entry, marker: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('add text' as const, 'replace text' as const), port, at, text }),
  fc.record({
    kind: fc.constant('replace value' as const),
    port,
    at,
    name: fc.constantFrom('size', 'final'),
    value: scalar,
  }),
  fc.record({
    kind: fc.constantFrom('remove text' as const, 'remove mandatory' as const, 'remove entry' as const),
    port,
    at,
  }),
  fc.record({ kind: fc.constant('append inside' as const), port, at, text, marker: fc.boolean() }),
  fc.record({ kind: fc.constant('replace inside entry' as const), port, at, item: at, text }),
  fc.record({ kind: fc.constant('remove inside entry' as const), port, at, item: at }),
  fc.record({ kind: fc.constant('replace in unknown entry' as const), port, text }),
  fc.record({ kind: fc.constantFrom('promote' as const, 'demote' as const) }),
);
const states: fc.Arbitrary<ObjectState> = fc
  .tuple(content, fc.array(edits, { maxLength: 8 }))
  .map(([start, history]) => history.reduce(followed, freshState(start)));

function followed(state: ObjectState, edit: Edit): ObjectState {
  return isSaid(state, edit) ? (applyEdit(state, edit) ?? state) : state;
}

describe('after', () => {
  test('raises the version by one and leaves the state it was given alone', () => {
    fc.assert(
      fc.property(states, edits, (state, edit) => {
        const before = structuredClone(state);
        const next = isSaid(state, edit) ? applyEdit(state, edit) : undefined;
        if (next !== undefined) expect(next.version).toBe(state.version + 1);
        expect(state).toEqual(before);
      }),
    );
  });

  test('accepts an add exactly where it refuses a replace of the same member', () => {
    fc.assert(
      fc.property(states, name, scalar, (state, member, value) => {
        const [added, replaced] = (['add scalar', 'replace scalar'] as const).map((kind) =>
          applyEdit(state, { kind, name: member, value }),
        );
        expect(added === undefined).toBe(replaced !== undefined);
        expect((added ?? replaced)?.scalars[member]).toBe(value);
      }),
    );
  });

  test('a member may be called as what every object inherits', () => {
    const fresh = freshState({ scalars: {}, inner: {}, arrays: [] });
    const add: Edit = { kind: 'add scalar', name: 'constructor', value: 'one' };
    expect(isSaid(fresh, { kind: 'remove scalar', name: 'constructor' })).toBe(false);
    expect(isSaid(fresh, { kind: 'replace inside object', name: 'constructor', value: 'one' })).toBe(false);
    expect(applyEdit(fresh, add)?.scalars).toEqual({ constructor: 'one' });
    expect(applyEdit(fresh, { ...add, kind: 'replace scalar' })).toBeUndefined();
  });

  test('an end marker is said only for an array that holds something', () => {
    fc.assert(
      fc.property(states, entry, (state, fresh) => {
        const [marked, plain] = [true, false].map((marker) =>
          isSaid(state, { kind: 'append', port: 0, entry: fresh, marker }),
        );
        expect([marked, plain]).toEqual([(state.arrays[0] ?? []).length > 0, true]);
      }),
    );
  });

  test('an appended entry is the last one, and its removal brings the array back', () => {
    fc.assert(
      fc.property(
        states,
        entry,
        fc.boolean(),
        fc.constantFrom('remove entry' as const, 'remove mandatory' as const),
        (state, fresh, marker, kind) => {
          const longer = applyEdit(state, { kind: 'append', port: 0, entry: fresh, marker });
          expect(longer?.arrays[0]?.at(-1)).toEqual(fresh);
          const back =
            longer &&
            applyEdit(longer, { kind, port: 0, at: longer.arrays[0]?.length ? longer.arrays[0].length - 1 : 0 });
          expect(back?.arrays).toEqual(state.arrays);
        },
      ),
    );
  });

  test('what is appended inside an entry is the last there, and its removal brings the entry back', () => {
    fc.assert(
      fc.property(states, at, text, fc.boolean(), (state, place, told, marker) => {
        const edit = { kind: 'append inside', port: 0, at: place, text: told, marker } as const;
        fc.pre(isSaid(state, edit));
        const longer = applyEdit(state, edit);
        const inside = longer?.arrays[0]?.[place]?.inside ?? [];
        expect(inside.at(-1)).toBe(told);
        const removal = { kind: 'remove inside entry', port: 0, at: place, item: inside.length - 1 } as const;
        expect(longer && isSaid(longer, removal) && applyEdit(longer, removal)?.arrays).toEqual(state.arrays);
      }),
    );
  });

  test('a PUT leaves nothing of what was before but the maturity level', () => {
    fc.assert(
      fc.property(states, content, (state, stated) => {
        expect(applyEdit(state, { kind: 'put', content: stated })).toMatchObject({ ...stated, level: state.level });
      }),
    );
  });

  test('an edit of one entry leaves the others and the other array alone', () => {
    fc.assert(
      fc.property(states, edits, (state, edit) => {
        fc.pre('at' in edit && isSaid(state, edit));
        const next = applyEdit(state, edit);
        if (next === undefined || !('at' in edit)) return;
        expect(next.arrays[1 - edit.port]).toEqual(state.arrays[1 - edit.port]);
        const others = (entries: readonly EntryState[] = []): readonly EntryState[] =>
          entries.filter((_entry, index) => index !== edit.at);
        const gone = edit.kind === 'remove entry' || edit.kind === 'remove mandatory';
        expect(gone ? next.arrays[edit.port] : others(next.arrays[edit.port])).toEqual(others(state.arrays[edit.port]));
      }),
    );
  });
});
