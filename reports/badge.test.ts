import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { badgeOf, writeBadge, writeBadgeJson } from './badge.ts';
import { hiddenCharacters } from './hidden.fixture.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';

const [first, second] = allIds;
if (first === undefined || second === undefined) throw new Error('no rule is built');
const all = allIds.length;
const violation = { expected: 'right', actual: 'wrong', curl: [] };
const good = runWith([]);
const bad = runWith([outcomeWith(first, 'fail', { violation })]);
const stale = runWith([], { knownFailures: { [first]: 'ticket' } });
const incomplete = runWith([outcomeWith(first, 'broken', { reason: 'no token' })]);
const excused = runWith([outcomeWith(first, 'fail', { violation })], { knownFailures: { [first]: 'ticket' } });

describe('a badge', () => {
  test.each([
    ['all kept', [good], `${all} of ${all} judged rules kept`, false],
    ['a violation', [bad], `1 of ${all} rules violated`, true],
    ['a failure that is known', [excused], `${all - 1} of ${all} judged rules kept`, false],
    ['a known failure that passes', [stale], 'entries of the profile out of date', true],
    ['a stumble', [incomplete], `incomplete, ${all - 1} rules judged`, true],
    ['two runs, of which one is bad', [good, bad], `1 of ${2 * all} rules violated`, true],
    ['no run', [], 'incomplete, 0 rules judged', true],
  ] as const)('of %s', (_name, runs, message, isError) => {
    expect(badgeOf(runs)).toMatchObject({ label: 'conformance', message, isError });
  });

  test('is read by those who do not see it, and is well formed whatever the run', async () => {
    expect(writeBadge(good)).toContain(`<title id="title">conformance: ${all} of ${all} judged rules kept</title>`);
    expect(writeBadge(good)).toMatch(/^<svg [^>]*role="img" aria-labelledby="title desc">/);
    await fc.assert(
      fc.asyncProperty(runArbitrary, async (run) => {
        const svg = writeBadge(run);
        expect(svg).not.toMatch(hiddenCharacters);
        expect(svg).not.toMatch(/<(?!\/?(?:svg|title|desc|clipPath|rect|g|text)\b)/);
        expect(
          (await validateXML({ xml: { fileName: 'badge.svg', contents: svg }, normalization: 'format' })).errors,
        ).toEqual([]);
      }),
      { numRuns: 10 },
    );
  });

  test('as JSON has what the endpoint schema asks for and nothing else', () => {
    fc.assert(
      fc.property(runArbitrary, (run) => {
        const badge: unknown = JSON.parse(writeBadgeJson(run));
        expect(badge).toEqual({
          schemaVersion: 1,
          label: 'conformance',
          message: expect.stringMatching(/./),
          color: expect.stringMatching(/^#[0-9a-f]{6}$/),
          isError: expect.any(Boolean),
        });
      }),
    );
  });
});
