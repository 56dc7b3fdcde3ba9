import { describe, expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { journeyNames } from '../../simulator/traffic/journey.ts';
import { ProfileError } from '../../judge/profile/document.ts';
import { UsageError } from '../usage.ts';
import { loadMix } from './mix-file.ts';

const folder = makeFolder();

/** A mix of one reader with these further lines. */
function loaded(lines: string, journeys = '  reader: { weight: 1 }'): ReturnType<typeof loadMix> {
  const file = join(folder, 'mix.yaml');
  writeFileSync(file, `mixVersion: 1\njourneys:\n${journeys}\n${lines}\n`);
  return loadMix(file);
}

test('the bundled mix has every journey', () => {
  expect(Object.keys(loadMix().journeys).toSorted()).toEqual([...journeyNames].toSorted());
});

describe('each limit is right on one side and wrong on the other', () => {
  test.each<[string, number | string, number | string, number]>([
    ['load: { users: X }', 1, 0, 4],
    ['load: { users: X }', 10_000, 10_001, 4],
    ['load: { rate: X }', 0.001, 0, 4],
    ['load: { rate: X }', 1_000_000, 1_000_001, 4],
    ['load: { rate: X }', 1, '.inf', 4],
    ['rampSeconds: X', 0, -1, 4],
    ['rampSeconds: X', 604_800, 604_801, 4],
    ['durationSeconds: X', 0.001, 0, 4],
    ['durationSeconds: X', 604_800, 604_801, 4],
    ['durationSeconds: X', 30, '"30s"', 4],
    ['objects: X', 1, 0, 4],
    ['objects: X', 100_000, 100_001, 4],
    ['objects: X', 2, 2.5, 4],
    ['stages: [{ seconds: X, to: 1 }]', 0.001, 0, 4],
    ['stages: [{ seconds: X, to: 1 }]', 604_800, 604_801, 4],
    ['stages: [{ seconds: 1, to: 1 }, { seconds: 1, to: X }]', 0, -0.1, 4],
    ['stages: [{ seconds: 1, to: X }]', 100, 100.1, 4],
    ['stages: [X]', '{ seconds: 1, to: 1 }', '', 4],
    ['mixVersion: 1\njourneys: { reader: { weight: X } }', 1_000_000, 1_000_001, 2],
    ['mixVersion: 1\njourneys: { author: { weight: 1 }, reader: { weight: X } }', 0, -1, 2],
    ['mixVersion: 1\njourneys: { reader: { weight: 1, thinkMs: [0, X] } }', 3_600_000, 3_600_001, 2],
    ['mixVersion: 1\njourneys: { reader: { weight: 1, thinkMs: [X, 5] } }', 0, -1, 2],
    ['mixVersion: 1\njourneys: { reader: { weight: 1, thinkMs: [X, 5] } }', 5, 6, 2],
    ['mixVersion: 1\njourneys: { reader: { weight: 1, thinkMs: [X] } }', '0, 5', '5', 2],
    ['mixVersion: X\njourneys: { reader: { weight: 1 } }', 1, 2, 1],
  ])('%s', (lines, right, wrong, line) => {
    const file = join(folder, 'whole.yaml');
    const load = (value: number | string): unknown => {
      const text = lines.replace('X', String(value));
      if (!lines.startsWith('mixVersion')) return loaded(text);
      writeFileSync(file, `${text}\n`);
      return loadMix(file);
    };
    expect(() => load(right)).not.toThrow();
    expect(() => load(wrong)).toThrow(ProfileError);
    expect(() => load(wrong)).toThrow(new RegExp(`yaml:${line}:\\d+: .*(must|lacks)`));
  });
});

describe('what is wrong is named with file, line, column and what was meant', () => {
  test.each<[string, string, string | undefined, string]>([
    [
      'a key of the file',
      'durationSecond: 3',
      undefined,
      'mix.yaml:4:1: unknown key "durationSecond" in the file; did you mean "durationSeconds"?',
    ],
    [
      'a journey',
      '',
      '  editorpair: { weight: 1 }',
      'mix.yaml:3:3: unknown key "editorpair" in journeys; did you mean "editor-pair"?',
    ],
    [
      'a key of a journey',
      '',
      '  reader: { weight: 1, thinkMS: [0, 1] }',
      'mix.yaml:3:24: unknown key "thinkMS" in journeys.reader; did you mean "thinkMs"?',
    ],
    ['a key of the load', 'load: { rates: 3 }', undefined, 'mix.yaml:4:9: unknown key "rates" in load'],
    [
      'users and a rate',
      'load: { users: 3, rate: 3 }',
      undefined,
      'mix.yaml:4:7: load must be users of a closed loop or a rate of an open model, found both',
    ],
    ['a load of nothing', 'load: {}', undefined, 'found neither'],
    [
      'a key of a stage',
      'stages: [{ second: 1, to: 1 }]',
      undefined,
      'unknown key "second" in stages.0; did you mean "seconds"?',
    ],
    ['a journey without a weight', '', '  reader: {}', 'mix.yaml:3:11: journeys.reader lacks "weight"'],
    [
      'journeys that never begin',
      '',
      '  reader: { weight: 0 }',
      'mix.yaml:3:3: journeys must hold one of a weight above 0',
    ],
    ['stages that never rise', 'stages: [{ seconds: 1, to: 0 }]', undefined, 'mix.yaml:4:9: stages must rise above 0'],
    [
      'stages and a duration',
      'stages: [{ seconds: 1, to: 1 }]\ndurationSeconds: 3',
      undefined,
      'mix.yaml:5:1: durationSeconds cannot stand beside stages',
    ],
    [
      'stages and a ramp',
      'rampSeconds: 3\nstages: [{ seconds: 1, to: 1 }]',
      undefined,
      'mix.yaml:4:1: rampSeconds cannot stand beside stages',
    ],
    [
      'pauses the wrong way round',
      '',
      '  reader: { weight: 1, thinkMs: [9, 3] }',
      'mix.yaml:3:33: journeys.reader.thinkMs must be the shortest pause and then the longest, found 9 and 3',
    ],
    [
      'a threshold that is none',
      "thresholds: ['errors<1%', 'p98<1ms']",
      undefined,
      "mix.yaml:4:27: Expected one of p50, p90, p95, p99, p99.9, p99.99, mean, max, errors, rate, < or >, and a number with its unit in the threshold 'p98<1ms'",
    ],
    [
      'a unit that is another one',
      "thresholds: ['p99<1%']",
      undefined,
      'mix.yaml:4:14: Expected the unit of p99 to be ms',
    ],
    [
      'an operation that there is not',
      "thresholds: ['raed:p99<1ms']",
      undefined,
      'mix.yaml:4:14: thresholds.0 names the operation "raed", which no journey of the mix has; did you mean "read"?',
    ],
    ['no YAML', 'objects: [', undefined, 'this is no YAML'],
  ])('%s', (_what, lines, journeys, expected) => {
    expect(() => loaded(lines, journeys)).toThrow(ProfileError);
    expect(() => loaded(lines, journeys)).toThrow(expected);
  });

  test('a file that is not there', () => {
    expect(() => loadMix(join(folder, 'none.yaml'))).toThrow(UsageError);
  });
});

test('thresholds of what the mix does, and of all, are right', () => {
  expect(loaded("thresholds: ['read:p99<1ms', 'all:errors<1%', 'rate>1/s']").thresholds).toHaveLength(3);
});
