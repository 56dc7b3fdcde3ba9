import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Report } from '../contract/schemas/report.ts';
import type { Outcome } from '../judge/outcome.ts';
import { hiddenCharacters } from './hidden.fixture.ts';
import { writeJson } from './json.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';
import type { Run } from './run.ts';
import { compare, comparisonReport } from './comparison.ts';
import { markdownText } from './markdown.ts';
import { withoutChance } from './observed.ts';
import { pageText } from './page/page.ts';
import { fingerprint, lastingResult } from './published-results.ts';
import { terminalText } from './terminal.ts';

const [one, two, three] = allIds;
if (one === undefined || two === undefined || three === undefined) throw new Error('fewer than three rules are built');
const ownTags = /<\/?(?:code|br|details|summary|pre)>/g;

const pageTags =
  /<(?:!doctype html|html lang="en"|meta [^<>]*|td|tr|article|header|dl class="facts"|dl|dt|dd|div|div class="scroll" role="group" aria-label="[^"<>]*" tabindex="0"|th scope="col"|\/?(?:html|head|body|main|title|article|header|h1|h2|p|strong|section|table|thead|tbody|tr|td|th|code|dl|dt|dd|div))>/g;

const reportOf = (run: Run): Report => JSON.parse(writeJson(run)) as Report;

describe('verdicts', () => {
  test.each([
    ['pass', 'fail', 'regressions'],
    ['pass', 'warn', 'regressions'],
    ['observed', 'broken', 'regressions'],
    ['pass', 'blocked', 'regressions'],
    ['fail', 'pass', 'repairs'],
    ['blocked', 'observed', 'repairs'],
    ['blocked', 'fail', 'others'],
    ['fail', 'broken', 'lost'],
    ['fail', 'blocked', 'lost'],
  ] as const)('%s, then %s, is among the %s and nowhere else', (before, after, kind) => {
    const {
      differences: _,
      before: _one,
      after: _two,
      ...kinds
    } = compare(reportOf(runWith([outcomeWith(one, before)])), reportOf(runWith([outcomeWith(one, after)])));
    const named = Object.entries(kinds).filter(([, changes]) => changes.length > 0);
    expect(named).toEqual([[kind, [expect.objectContaining({ rule: one, before, after })]]]);
  });

  test('a violated rule that is blocked by another violation is told with that one, and not lost', () => {
    const first = reportOf(runWith([outcomeWith(one, 'fail'), outcomeWith(two, 'fail')]));
    const blocked = { ...outcomeWith(one, 'blocked'), standsOn: [two] };
    const second = reportOf(runWith([blocked, outcomeWith(two, 'fail')]));
    expect(compare(first, second)).toMatchObject({ lost: [], others: [{ rule: one, behind: two }] });
  });

  test('a rule that was kept and is not reached any more is a regression, one that was not selected is gone', () => {
    const whole = reportOf(runWith([]));
    const cut = reportOf({ ...runWith([]), outcomes: [] });
    expect(compare(whole, cut).regressions).toHaveLength(allIds.length);
    const narrow = reportOf({ ...runWith([], { selected: [one] }), outcomes: [outcomeWith(one, 'pass')] });
    expect(compare(whole, narrow)).toMatchObject({ regressions: [], gone: { length: allIds.length - 1 } });
    expect(compare(narrow, whole)).toMatchObject({ regressions: [], added: { length: allIds.length - 1 } });
  });

  test('a rule that was judged as the ground of another is not gone when it is not asked for again', () => {
    const judged = (outcomes: readonly Outcome[]): Report =>
      reportOf({ ...runWith([], { selected: [one] }), outcomes: [...outcomes] });
    const first = judged([outcomeWith(one, 'fail'), outcomeWith(two, 'pass')]);
    expect(compare(first, judged([outcomeWith(one, 'pass')]))).toMatchObject({ gone: [], repairs: { length: 1 } });
  });

  test('a report beside itself shows nothing, and both ways round repairs are regressions', () => {
    fc.assert(
      fc.property(runArbitrary, runArbitrary, (first, second) => {
        const [a, b] = [reportOf(first), reportOf(second)];
        const same = compare(a, a);
        expect([
          ...same.regressions,
          ...same.repairs,
          ...same.others,
          ...same.added,
          ...same.gone,
          ...same.differences,
        ]).toEqual([]);
        const [forth, back] = [compare(a, b), compare(b, a)];
        const backwards = back.repairs.filter(({ rule }) => forth.regressions.every((change) => change.rule !== rule));
        expect(backwards).toEqual([]);
      }),
    );
  });
});

describe('silences', () => {
  const seeing = (...seen: readonly [string, string, string?][]): Report =>
    reportOf(
      runWith([
        outcomeWith(one, 'pass', {
          observations: seen.map(([what, saw, key]) => ({ what, seen: saw, ...(key !== undefined && { key }) })),
        }),
      ]),
    );

  test('what was seen under one name is compared whatever the order and however often', () => {
    const before = seeing(['a status', '400'], ['a status', '422'], ['another', 'x', 'malformedJson']);
    expect(
      compare(
        before,
        seeing(['another', 'x', 'malformedJson'], ['a status', '422'], ['a status', '400'], ['a status', '400']),
      ).differences,
    ).toEqual([]);
    expect(compare(before, seeing(['a status', '400'])).differences).toEqual([
      { rule: one, name: 'a status', before: ['400', '422'], after: ['400'] },
      { rule: one, name: 'malformedJson: another', before: ['x'], after: [] },
    ]);
  });

  test('ids, times, hosts and counts of the machine are no difference', () => {
    const before = seeing(
      ['href', 'http://127.0.0.1:4711/api/8ce9b221-1d27-4ee9-a064-65c67358eb1b at 2026-07-01T08:00:00.000Z'],
      ['rounds in which the requests overlapped', '4'],
    );
    const after = seeing([
      'href',
      'http://localhost:80/api/de454469-253c-4b20-b4f4-181b5ed14257 at 2027-01-31T00:00:00Z',
    ]);
    expect(compare(before, after).differences).toEqual([]);
    expect(withoutChance('page 2147483648 is 404, timeout 600')).toBe('page 2147483648 is 404, timeout 600');
    expect(withoutChance('{"from":"/tmp/host-r96vkj/dir-2ziuaU"} of /api/tmp/x')).toBe(
      '{"from":"(path)"} of /api/tmp/x',
    );
  });

  test('a rule that was violated differs in what was seen, and not in what it did not come to', () => {
    const before = seeing(['a status', '400'], ['another', '404']);
    const observations = [{ what: 'a status', seen: '422' }];
    const after = reportOf(runWith([outcomeWith(one, 'fail', { observations })]));
    const differences = [{ rule: one, name: 'a status', before: ['400'], after: ['422'] }];
    expect(compare(before, after).differences).toEqual(differences);
    expect(compare(after, before).differences).toMatchObject([{ name: 'a status' }]);
  });

  test('a rule that was not judged says nothing about a silence', () => {
    expect(
      compare(seeing(['a status', '400']), reportOf(runWith([outcomeWith(one, 'blocked', { reason: 'no route' })])))
        .differences,
    ).toEqual([]);
  });
});

const elsewhere = 'violated, and told elsewhere';

/** Rules that a cell tells of. */
function sizeOf(cell: string): number {
  const [, several] = /(\d+) rules: /.exec(cell) ?? [];
  return several === undefined ? Number(cell.includes('"as":"code"')) : Number(several);
}

describe('as text', () => {
  const comparison = compare(
    reportOf(
      runWith([
        outcomeWith(two, 'blocked'),
        outcomeWith(three, 'pass', { observations: [{ what: 'a status', seen: '400' }] }),
      ]),
    ),
    reportOf(
      runWith([
        outcomeWith(one, 'fail', { violation: { expected: '8 entries', actual: '10 | entries', curl: [] } }),
        outcomeWith(three, 'pass', { observations: [{ what: 'a status', seen: '422' }] }),
      ]),
    ),
  );

  test('regressions come first, then repairs, then silences, and the sentence that counts', () => {
    const parts = [
      `${one}  pass -> fail`,
      'expected 8 entries, found 10 | entries',
      `${two}  blocked -> pass`,
      'first   400',
      'second  422',
      '1 regression, 1 repair',
    ];
    const places = parts.map((part) => terminalText(comparisonReport(comparison)).indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(markdownText(comparisonReport(comparison))).toContain('10 &#124; entries');
  });

  test('what is merely blocked stands in the line of its cause', () => {
    const blocked = [two, three].map((id) =>
      outcomeWith(id, 'blocked', { reason: `stands on ${one}, which failed`, standsOn: [one] }),
    );
    const broken = outcomeWith(one, 'fail', { violation: { expected: '1', actual: '2', curl: [] } });
    const text = terminalText(
      comparisonReport(compare(reportOf(runWith([])), reportOf(runWith([broken, ...blocked])))),
    );
    expect(text).toContain('Regressions: kept before, and no longer  1 by themselves, 2 blocked (3)');
    expect(text).toContain(`    blocks  2 rules: ${two}, ${three}`);
    expect(text).toContain('3 regressions, 2 of them merely blocked');
    expect(text).not.toContain('-> blocked');
  });

  test('every change is in one line of its section, by name or in a count', () => {
    fc.assert(
      fc.property(runArbitrary, runArbitrary, (first, second) => {
        const comparison = compare(reportOf(first), reportOf(second));
        for (const block of comparisonReport(comparison).body) {
          if (block.kind !== 'section' || block.aside === undefined) continue;
          const [table] = block.blocks;
          const cells = table?.kind === 'table' ? table.rows.flatMap((row) => [row[0], row[3]]) : [];
          const sizes = cells.map((cell) => sizeOf(typeof cell === 'string' ? cell : JSON.stringify(cell ?? '')));
          const strangers = table?.kind === 'table' ? table.rows.filter((row) => row[1] === elsewhere).length : 0;
          expect(sizes.reduce((sum, size) => sum + size, 0) - strangers).toBe(block.count);
        }
      }),
    );
  });

  test('nothing that a target says becomes structure or moves a cursor', () => {
    fc.assert(
      fc.property(runArbitrary, runArbitrary, (first, second) => {
        const either = compare(reportOf(first), reportOf(second));
        const report = comparisonReport(either);
        const pages = [markdownText(report), fingerprint(reportOf(first)), lastingResult(first)];
        for (const page of pages) expect(page.replaceAll(ownTags, '')).not.toMatch(/</);
        const page = pageText(report.title, [report]);
        expect(page.replace(/<style>[^]*<\/style>/, '').replaceAll(pageTags, '')).not.toMatch(/</);
        for (const text of [...pages, page, terminalText(report)]) expect(text).not.toMatch(hiddenCharacters);
      }),
      { numRuns: 30 },
    );
  });
});

test('results worth keeping hold no time, no address and nothing that was sent twice', () => {
  const outcome = outcomeWith(one, 'pass', {
    retries: ['the token had run out'],
    durationMs: 4711,
    observations: [{ what: 'href', seen: 'http://127.0.0.1:4711/x' }],
  });
  const run = runWith([outcome]);
  const page = lastingResult(run) + fingerprint(reportOf(run));
  for (const word of ['4711', 'run out', run.header.startedAt, run.header.baseUrl]) expect(page).not.toContain(word);
  expect(page).toContain('1 answer of 1 rule');
});
