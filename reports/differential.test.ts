import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Differential, FoundBreach, FoundDifference, NamedParty } from '../judge/differential/result.ts';
import { hiddenCharacters } from './hidden.fixture.ts';
import { differentialReport } from './differential.ts';
import { markdownText } from './markdown.ts';
import { pageText } from './page/page.ts';
import { terminalText } from './terminal.ts';

/** What a target that wants to be seen elsewhere would send. */
const hostile = fc.oneof(
  fc.constantFrom(
    '<script>alert(1)</script>',
    '</pre><img src=x onerror=alert(1)>',
    '](javascript:alert(1))',
    '```\n# heading',
    '\u001B[2J',
    '\u202Eabc',
    'x'.repeat(50_000),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const party: fc.Arbitrary<NamedParty> = fc.record({
  implementation: hostile,
  baseUrl: hostile,
  variables: fc.dictionary(fc.constantFrom('EDITOR_TOKEN', 'CLIENT_SECRET'), fc.constant('export EDITOR_TOKEN=…')),
});
const lines = fc.array(hostile, { maxLength: 3 });
const breach: fc.Arbitrary<FoundBreach> = fc.record({
  rule: fc.constant('paging.page-one.holds-the-rest'),
  party: fc.constantFrom('first', 'second'),
  where: hostile,
  expected: hostile,
  actual: hostile,
  isShared: fc.boolean(),
  history: hostile,
  curl: lines,
});
const difference: fc.Arbitrary<FoundDifference> = fc.record({
  command: hostile,
  situation: hostile,
  aspect: hostile,
  first: hostile,
  second: hostile,
  seenIn: lines,
  history: hostile,
  curl: fc.record({ first: lines, second: lines }),
});
const differentials: fc.Arbitrary<Differential> = fc.record({
  schemaVersion: fc.constant(1),
  kind: fc.constant('differential'),
  suiteVersion: fc.constant('0.1.0'),
  first: party,
  second: party,
  seed: fc.nat(),
  runs: fc.nat(),
  command: hostile,
  startedAt: fc.constant('2026-07-01T08:00:00.000Z'),
  durationMs: fc.nat(),
  histories: fc.nat(),
  requests: fc.nat(),
  assumed: lines,
  leftOut: lines,
  breaches: fc.array(breach, { maxLength: 3 }),
  differences: fc.array(difference, { maxLength: 3 }),
  remains: fc.array(fc.record({ party: fc.constantFrom('first', 'second'), uri: hostile, reason: hostile }), {
    maxLength: 2,
  }),
});

const differentialPage = (found: Differential): string => pageText('title', [differentialReport(found)]);
const differentialText = (found: Differential): string => terminalText(differentialReport(found));
const differentialMarkdown = (found: Differential): string =>
  markdownText(differentialReport(found), { longestLine: 2000 });

/** What is preformatted is shown as it stands, and its tags are entities. */
function outsidePreformatted(markdown: string): string {
  return markdown.replaceAll(/<pre>\n[^<>]*\n<\/pre>/g, '');
}

describe('whatever two targets say', () => {
  test('is text in the page, on which nothing runs', () => {
    fc.assert(
      fc.property(differentials, (differential) => {
        const page = differentialPage(differential);
        expect(page).not.toMatch(/<(?:script|img|iframe|object|svg|a |form|link)/i);
        expect(page.match(/<main>/g)).toHaveLength(1);
        expect(page).toContain('content="default-src &#39;none&#39;');
      }),
    );
  });

  test('moves no cursor and turns no text round on a terminal', () => {
    fc.assert(
      fc.property(
        differentials,
        (differential) => void expect(differentialText(differential)).not.toMatch(hiddenCharacters),
      ),
    );
  });

  test('makes no tags and no headings in Markdown but ours', () => {
    fc.assert(
      fc.property(differentials, (differential) => {
        const text = outsidePreformatted(differentialMarkdown(differential));
        expect(text).not.toMatch(/<(?!\/?(?:details|summary|pre|code|br)>)[a-z!/]/i);
        expect(text).not.toMatch(/^# /m);
      }),
    );
  });

  test('every breach and difference is told in each form', () => {
    const [found] = fc.sample(differentials, { seed: 4, numRuns: 1 });
    const [one] = fc.sample(breach, { seed: 5, numRuns: 1 });
    const [other] = fc.sample(difference, { seed: 6, numRuns: 1 });
    if (found === undefined || one === undefined || other === undefined) throw new Error('nothing was generated');
    const told = {
      ...found,
      breaches: [{ ...one, expected: 'status 409', actual: 'status 204' }],
      differences: [{ ...other, aspect: 'header etag', first: 'weak', second: 'strong' }],
    };
    for (const form of [differentialPage, differentialText, differentialMarkdown])
      for (const words of [
        'paging.page-one.holds-the-rest',
        'status 409',
        'status 204',
        'header etag',
        'weak',
        'strong',
      ])
        expect(form(told)).toContain(words);
  });
});
