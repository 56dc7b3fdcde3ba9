import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { areas } from './areas.ts';
import { hintAt, nearNames, unknownName } from './spelling.ts';

describe('names that are near', () => {
  test.each<readonly [found: string, known: readonly string[], nearest: string | undefined]>([
    ['pagin', areas, 'paging'],
    ['AREAS', ['areas'], 'areas'],
    ['raed', ['all', 'read'], 'read'],
    ['--aeras', ['--help', '--areas'], '--areas'],
    ['explain', ['init', 'rules explain'], 'rules explain'],
    ['explain', ['init', 'doctor', 'check'], undefined],
    ['{{job}}', ['{{spaceId}}', '{{jobId}}'], '{{jobId}}'],
    [
      'paging.page-one',
      ['paging.link.pages-count', 'paging.page-one.holds-the-rest'],
      'paging.page-one.holds-the-rest',
    ],
    ['paging.page-on.holds-the-rets', ['paging.page-one.holds-the-rest'], 'paging.page-one.holds-the-rest'],
    ['patch.remove.null', ['patch.add', 'patch.remove.with-null-refused'], 'patch.remove.with-null-refused'],
    ['remove.patch.null', ['patch.remove.with-null-refused'], undefined],
    ['age', ['paging'], undefined],
    ['x', ['y', 'x-ray'], undefined],
    ['', ['init'], undefined],
    ['***', ['init'], undefined],
  ])('%j of %j', (found, known, nearest) => {
    expect(nearNames(found, known)[0]).toBe(nearest);
  });

  const name = fc.stringMatching(/^[a-z][a-z-]{3,20}$/).filter((text) => /[a-z]{4}/.test(text));

  test('one wrong letter is near, and every known name is nearest to itself', () => {
    fc.assert(
      fc.property(name, fc.nat(), fc.uniqueArray(name), (right, place, others) => {
        const at = place % right.length;
        fc.pre(/[a-z]/.test(right.charAt(at)));
        expect(nearNames(`${right.slice(0, at)}9${right.slice(at + 1)}`, [right])).toEqual([right]);
        expect(nearNames(right, [...others, right])[0]?.replaceAll('-', '')).toBe(right.replaceAll('-', ''));
      }),
    );
  });

  test('nothing is near that shares no letter', () => {
    const other = fc.stringMatching(/^[0-9]{1,12}$/);
    fc.assert(
      fc.property(other, fc.array(name), (found, known) => {
        expect(nearNames(found, known)).toEqual([]);
      }),
    );
  });
});

test('a hint asks about the near one, lists few, and is silent about many', () => {
  expect(hintAt('chek', ['check', 'init'])).toBe('; did you mean "check"?');
  expect(hintAt('install', ['check', 'rules'])).toBe('; known are check, rules');
  expect(
    hintAt(
      'x',
      Array.from({ length: 31 }, (_, index) => `name-${index}`),
    ),
  ).toBe('');
  expect(hintAt('x', [])).toBe('');
  expect(unknownName('command', 'install', ['check'])).toBe('Unknown command "install"; known are check.');
  expect(unknownName('command', 'chek', ['check'])).toBe('Unknown command "chek"; did you mean "check"?');
});
