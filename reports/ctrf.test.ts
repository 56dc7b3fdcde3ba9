import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenCharacters } from './hidden.fixture.ts';
import { writeCtrf, writeCtrfOfAll } from './ctrf.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';

const integer = { type: 'integer' } as const;
const text = { type: 'string', minLength: 1 } as const;
const closed = (properties: Record<string, object>, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
const counts = ['tests', 'passed', 'failed', 'skipped', 'pending', 'other', 'start', 'stop'];

/** The members of CTRF 1.0 that are written here, closed. */
const isCtrf = new Ajv().compile(
  closed({
    reportFormat: { const: 'CTRF' },
    specVersion: { type: 'string', pattern: String.raw`^\d+\.\d+\.\d+$` },
    results: closed({
      extra: closed({
        runs: {
          type: 'array',
          items: closed({ implementation: { type: 'string' }, looksLike: text, reached: text }, [
            'looksLike',
            'reached',
          ]),
        },
      }),
      tool: closed({ name: text, version: { type: 'string' } }),
      summary: closed(Object.fromEntries(counts.map((name) => [name, integer]))),
      tests: {
        type: 'array',
        items: closed(
          {
            name: text,
            status: { enum: ['passed', 'failed', 'skipped', 'pending', 'other'] },
            duration: integer,
            suite: { type: 'array', minItems: 1, items: { type: 'string' } },
            rawStatus: { type: 'string' },
            tags: { type: 'array', items: text },
            message: { type: 'string' },
            trace: { type: 'string' },
            retries: integer,
          },
          ['message', 'trace', 'retries'],
        ),
      },
    }),
  }),
);

interface Document {
  readonly results: {
    readonly summary: Readonly<Record<string, number>>;
    readonly tests: readonly {
      readonly name: string;
      readonly status: string;
      readonly rawStatus: string;
      readonly message?: string;
      readonly suite: readonly string[];
    }[];
  };
}

function parsed(document: string): Document {
  return JSON.parse(document) as Document;
}

describe('CTRF', () => {
  test('any run has the members of the schema, and counts that add up', () => {
    fc.assert(
      fc.property(runArbitrary, (run) => {
        const document = writeCtrf(run);
        expect(isCtrf(JSON.parse(document)), JSON.stringify(isCtrf.errors)).toBe(true);
        expect(document).not.toMatch(hiddenCharacters);
        const { summary, tests } = parsed(document).results;
        expect(tests.filter(({ suite }) => suite[0] !== 'run')).toHaveLength(
          run.header.selected.length + run.outcomes.filter(({ rule }) => !run.header.selected.includes(rule)).length,
        );
        for (const status of ['passed', 'failed', 'skipped'])
          expect(summary[status]).toBe(tests.filter((one) => one.status === status).length);
      }),
      { numRuns: 40 },
    );
  });

  test('of no run is valid too', () => {
    expect(isCtrf(JSON.parse(writeCtrfOfAll([])))).toBe(true);
  });

  test('several runs are told apart by their suites', () => {
    const { tests, summary } = parsed(
      writeCtrfOfAll([runWith([]), runWith([], { implementation: 'another' })]),
    ).results;
    expect(summary['tests']).toBe(2 * allIds.length);
    expect(new Set(tests.map(({ suite }) => suite[0]))).toEqual(new Set(['somebody', 'another']));
  });

  const [rule] = allIds;
  if (rule === undefined) throw new Error('no rule is built');
  const violation = { expected: 'right', actual: 'wrong', curl: [] };
  test.each([
    ['fail', { violation }, {}, { status: 'failed', rawStatus: 'fail', message: 'expected right, found wrong' }],
    ['warn', { violation }, {}, { status: 'passed', rawStatus: 'warn' }],
    ['broken', { reason: 'no token' }, {}, { status: 'failed', rawStatus: 'broken', message: 'no token' }],
    [
      'blocked',
      { reason: 'no port' },
      {},
      { status: 'failed', rawStatus: 'blocked', message: 'blocked without being declared under notSupported: no port' },
    ],
    ['fail', { violation }, { [rule]: 'ticket' }, { status: 'skipped', rawStatus: 'known-failure' }],
    ['pass', {}, { [rule]: 'ticket' }, { status: 'failed', rawStatus: 'stale-known-failure' }],
  ] as const)('%s %#', (verdict, more, knownFailures, expected) => {
    const { tests } = parsed(writeCtrf(runWith([outcomeWith(rule, verdict, more)], { knownFailures }))).results;
    expect(tests.find(({ name }) => name === rule)).toMatchObject(expected);
  });

  test('blocked for a reason on record is skipped', () => {
    const run = runWith([outcomeWith(rule, 'blocked', { reason: 'no port' })], { notSupported: { [rule]: 'planned' } });
    const { tests } = parsed(writeCtrf(run)).results;
    expect(tests.find(({ name }) => name === rule)).toMatchObject({
      status: 'skipped',
      rawStatus: 'blocked',
      message: 'no port',
    });
  });
});
