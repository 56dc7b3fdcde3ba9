import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenCharacters } from './hidden.fixture.ts';
import { allIds, hostileText, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';
import { writeMarkdown, writeMarkdownOfAll } from './formats.ts';
import { inline, preformat } from './markdown.ts';

const stepSummaryBytes = 1024 * 1024;
const ownTags = /<\/?(?:details|summary|code|pre|br)>/g;

/** Lines outside the blocks that show a text as it stands. */
function linesOf(page: string): string[] {
  return page.replaceAll(/<pre>\n[\s\S]*?\n<\/pre>/g, '').split('\n');
}

describe('the page', () => {
  test('keeps its tables whole: every row has as many cells as its head', () => {
    fc.assert(
      fc.property(runArbitrary, (run) => {
        let head = 0;
        for (const line of linesOf(writeMarkdown(run))) {
          const cells = line.startsWith('|') ? line.split('|').length : 0;
          if (head > 0 && cells > 0) expect(cells).toBe(head);
          head = cells;
        }
      }),
    );
  });

  test('carries no tag but its own, closes all of them, and hides nothing', () => {
    fc.assert(
      fc.property(runArbitrary, (run) => {
        const page = writeMarkdown(run);
        expect(page.replaceAll(ownTags, '')).not.toMatch(/</);
        for (const tag of ['details', 'pre', 'code', 'summary'])
          expect(page.split(`<${tag}>`)).toHaveLength(page.split(`</${tag}>`).length);
        expect(page).not.toMatch(hiddenCharacters);
      }),
    );
  });

  test('fits a step summary whatever the target says, and announces what it leaves out', () => {
    const long = '<é|'.repeat(5000);
    const violation = { expected: long, actual: long, curl: [long] };
    const all = runWith(
      allIds.map((id) =>
        outcomeWith(id, 'fail', { violation, remarks: [long], observations: [{ what: long, seen: long }] }),
      ),
    );
    for (const page of [writeMarkdown(all), writeMarkdownOfAll([all, all, all])]) {
      expect(Buffer.byteLength(page)).toBeLessThan(stepSummaryBytes);
      expect(page).toContain('This page is cut to its size limit. Left out: the violation of ');
      expect(page).toContain('| **total** |');
    }
    expect(writeMarkdown(runWith([]))).not.toContain('Left out');
  });

  test('shows a breach with its evidence and how to replay it', () => {
    const [rule] = allIds;
    if (rule === undefined) throw new Error('no rule is built');
    const violation = {
      expected: '8 entries',
      actual: '<b>10</b>',
      curl: ["curl -H 'Authorization: Bearer $EDITOR_TOKEN'"],
    };
    const page = writeMarkdown(runWith([outcomeWith(rule, 'fail', { violation })]));
    expect(page).toContain('### Violations (1)');
    expect(page).toContain('&#60;b&#62;10&#60;/b&#62;');
    expect(page).toContain(`--rules ${rule} --seed 42`);
    expect(page).toContain(violation.curl[0]);
  });
});

test('a schedule that was not kept has a line for each attempt', () => {
  const timeline = {
    title: 'attempts',
    zero: 'the first attempt',
    expected: [
      { label: 'attempt 1', fromMs: 0, untilMs: 0, calls: 1 },
      { label: 'attempt 2', fromMs: 2000, untilMs: 2250, calls: 1 },
    ],
    seen: [
      { label: 'attempt 1', atMs: 0 },
      { label: 'attempt 2', atMs: 1000, status: 503, isOff: true },
    ],
  };
  const page = writeMarkdown(
    runWith(
      allIds
        .slice(0, 1)
        .map((id) =>
          outcomeWith(id, 'fail', { violation: { expected: 'a', actual: 'b', curl: [] }, timelines: [timeline] }),
        ),
    ),
  );
  expect(page).toContain('| ✗ | attempt 2 | 2.000 s to 2.250 s | 1.000 s | early by 1.000 s | 503 |');
});

test('no text is anything but text', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      expect(inline(text)).toMatch(/^(?:&#\d+;|[^<>&|`\n])*$/);
      expect(preformat(text).split('</pre>')).toHaveLength(2);
    }),
  );
});

test('what was observed is told with the key that binds it', () => {
  const [id] = allIds;
  if (id === undefined) throw new Error('no rule is built');
  const observations = [
    { what: 'a status', seen: '400', key: 'malformedJson' },
    { what: 'another', seen: '1', key: 'auth.basicOnCoreRoutes' },
  ];
  const text = writeMarkdown(runWith([outcomeWith(id, 'observed', { observations })]));
  expect(text).toContain('| a status | <code>400</code> | <code>expect.malformedJson</code> |');
  expect(text).toContain('| another | <code>1</code> | <code>auth.basicOnCoreRoutes</code> |');
});
