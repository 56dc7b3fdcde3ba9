import { describe, expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import { choices } from '../../variants/dialect/dialects.ts';
import { drawParts, partOf, textOf } from './draw.ts';
import { drawHabits, judgeHabits } from './habits.ts';
import { findingsOf, judgeParts } from './judge.ts';
import { carelessProfile, keysOf } from './profile.ts';
import { drawable, rivalsOf, serviceOf } from './service.ts';

const profile = await (async () => {
  await using target = await startReference();
  return target.loaded.profile;
})();
const keys = keysOf(profile);
const seeds = Array.from({ length: 50 }, (_, index) => index);

describe('a lot', () => {
  test('is the same for a seed, and another for the next', () => {
    expect(drawParts(1, keys)).toEqual(drawParts(1, keys));
    expect(drawParts(1, keys)).not.toEqual(drawParts(2, keys));
  });

  test('draws every choice, and needs and keys, sooner or later', () => {
    const drawn = seeds.flatMap((seed) => drawParts(seed, keys));
    const names = new Set(drawn.map(({ name }) => name));
    expect(drawable.filter(({ meets }) => !names.has(meets))).toEqual([]);
    expect(new Set(drawn.map(({ kind }) => kind))).toEqual(new Set(['choice', 'need', 'key']));
  });

  test('mixes both dialects, and takes nothing for one silence by both', () => {
    const strange = new Set(choices.strange.map(({ meets }) => meets));
    let mixed = 0;
    for (const seed of seeds) {
      const names = drawParts(seed, []).flatMap(({ kind, name }) => (kind === 'choice' ? [name] : []));
      expect(names.filter((name) => rivalsOf(name).some((rival) => names.includes(rival)))).toEqual([]);
      if (names.some((name) => strange.has(name)) && names.some((name) => !strange.has(name))) mixed += 1;
    }
    expect(mixed).toBeGreaterThan(seeds.length / 2);
  });

  test('is told as text and read from it', () => {
    for (const part of drawParts(3, keys)) expect(partOf(textOf(part))).toEqual(part);
    expect(() => partOf('a choice')).toThrow(RangeError);
    expect(() => serviceOf(['what nobody chooses'])).toThrow(RangeError);
  });
});

describe('a careless profile', () => {
  test('lacks what is left out, and nothing that it could not be a profile without', () => {
    expect(carelessProfile(profile, { needs: [], keys: ['maturity.stateMember'] }).maturity).not.toHaveProperty(
      'stateMember',
    );
    expect(carelessProfile(profile, { needs: [], keys: ['maturity.processId'] })).toEqual(profile);
    expect(carelessProfile(profile, { needs: ['batch'], keys: [] }).notSupported).toHaveProperty('batch');
    const nameless = carelessProfile(profile, {
      needs: [],
      keys: ['identities.editor.username', 'identities.editor.pat'],
    });
    expect([nameless.identities.editor.username, nameless.identities.editor.pat]).toEqual([
      undefined,
      expect.anything(),
    ]);
  });

  test('keeps who edits, where, and how time is told', () => {
    expect(keys).toContain('triggers.event');
    for (const key of ['baseUrl', 'time', 'identities', 'identities.editor', 'limits.caseSeconds'])
      expect(keys).not.toContain(key);
  });
});

test('a right service by lot keeps a rule, and what does not hold of a whole profile is found', async () => {
  const rule = 'reading.create.status-201';
  const parts = drawParts(7, []);
  const { outcomes } = await judgeParts({ parts, rules: [rule], seed: 7 });
  expect(outcomes.map(({ rule, verdict }) => [rule, verdict])).toEqual([[rule, 'pass']]);
  expect(findingsOf(outcomes, parts)).toEqual([]);
  const [outcome] = outcomes;
  if (outcome === undefined) return;
  const blocked = { ...outcome, verdict: 'blocked' } as const;
  expect(findingsOf([blocked], [])).toEqual([blocked]);
  expect(findingsOf([blocked], [{ kind: 'key', name: 'maturity' }])).toEqual([]);
  const failed = { ...outcome, verdict: 'fail' } as const;
  expect(findingsOf([failed], [{ kind: 'key', name: 'maturity' }])).toEqual([failed]);
});

test('what a run tries out before its cases has texts of its own: no need is left out where no two objects may have one title', async () => {
  const parts = [partOf('choice no two objects with one title')];
  const rule = 'calls.query-token.validation';
  const { outcomes } = await judgeParts({ parts, rules: [rule], seed: 7 });
  expect(outcomes.map(({ verdict }) => verdict)).toEqual(['pass']);
});

test('habits by lot are four to eight, now and then in a dialect, and keep a rule', async () => {
  const lots = seeds.map((seed) => drawHabits(seed));
  expect(lots.filter((lot) => lot.some(({ kind }) => kind === 'dialect')).length).toBeGreaterThan(5);
  for (const lot of lots) expect([4, 5, 6, 7, 8]).toContain(lot.filter(({ kind }) => kind === 'habit').length);
  const rule = 'maturity.demote.version-plus-one';
  const parts = [...drawHabits(7), partOf('habit unversionedDemotes')];
  const { outcomes } = await judgeHabits({ parts, rules: [rule, 'reading.create.status-201'], seed: 7 });
  // a guideline that the habit does not follow is no finding
  expect(outcomes.map(({ rule, verdict }) => [rule, verdict])).toEqual([['reading.create.status-201', 'pass']]);
  const unknown = judgeHabits({ parts: [partOf('habit none')], rules: [rule], seed: 7 });
  await expect(unknown).rejects.toThrow(RangeError);
});
