import { describe, expect, test } from 'vitest';
import { readConducts } from './conducts.ts';
import { catalogue } from '../suites/catalogue.ts';

const advice = 'npm run publish:reports writes it';

describe('what each case did', () => {
  const conducts = readConducts();

  test('is known of every rule and of nothing else', () => {
    expect(Object.keys(conducts).toSorted(), advice).toEqual([...catalogue.ids].toSorted());
  });

  test('is an assertion at least, or an observation where the rule only records', () => {
    const idle = catalogue.all.filter(({ id, level }) => {
      const { assertions = [], observations = [] } = conducts[id] ?? {};
      return (level === 'observe' ? observations : assertions).length === 0;
    });
    expect(
      idle.map(({ id }) => id),
      advice,
    ).toEqual([]);
  });

  test('took time of the service in schedules alone, and where calls are made again behind all others', () => {
    const timed = catalogue.all
      .filter(({ id, test: made }) => conducts[id]?.seconds !== undefined && !('looksBack' in made))
      .map(({ id }) => id);
    const schedules = catalogue.all.filter(({ test: { kind } }) => kind === 'schedule').map(({ id }) => id);
    expect(timed, advice).toEqual(schedules);
  });
});
