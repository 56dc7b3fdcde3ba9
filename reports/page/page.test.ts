import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenCharacters } from '../hidden.fixture.ts';
import { allIds, hostileText, outcomeWith, runArbitrary, runWith } from '../run.fixture.ts';
import { differenceOf } from './evidence.ts';
import { exampleRun } from './example.fixture.ts';
import { elementsOf, hostileMarkup, hostileRun } from './hostile.fixture.ts';
import { writeHtml, writeHtmlOfAll } from '../formats.ts';
import { markup } from './markup.ts';

const mostBytes = 3_000_000;
const voidElements = new Set(['meta', 'input']);

describe('a template', () => {
  test('lets no text be anything but text', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(markup`${text}`.text).toMatch(/^(?:&#\d+;|[^<>&"'`])*$/);
        expect(markup`${[text, [text]]}`.text).toBe(markup`${text}${text}`.text);
      }),
    );
  });

  test('takes markup as it is and leaves out what is not there', () => {
    expect(markup`<b>${markup`<i>${'<'}</i>`}${undefined}${false}${0}</b>`.text).toBe('<b><i>&#60;</i>0</b>');
  });
});

describe('the difference of two texts', () => {
  const words = fc
    .array(fc.constantFrom('8', 'entries', ' ', '{', 'é', '\n'), { maxLength: 12 })
    .map((all) => all.join(''));

  test('keeps both texts, and what is not marked is the same in both', () => {
    fc.assert(
      fc.property(fc.oneof(words, hostileText), fc.oneof(words, hostileText), (left, right) => {
        const { expected, actual } = differenceOf(left, right);
        const join = (pieces: typeof expected, all: boolean) =>
          pieces
            .filter(({ differs }) => all || !differs)
            .map(({ text }) => text)
            .join('');
        const [kept, keptToo] = [join(expected, false), join(actual, false)];
        expect(kept).toBe(keptToo);
        if (left.isWellFormed() && right.isWellFormed())
          expect([join(expected, true), join(actual, true)]).toEqual([left, right]);
      }),
    );
  });

  test('marks the words that are not shared, in the middle as well', () => {
    const { expected, actual } = differenceOf('page 1 holds 8 entries of 18', 'page 1 holds 10 entries of 18');
    expect(expected.filter(({ differs }) => differs)).toEqual([{ text: '8', differs: true }]);
    expect(actual.filter(({ differs }) => differs)).toEqual([{ text: '10', differs: true }]);
  });

  test('is quick with long texts', () => {
    const { expected } = differenceOf('a b '.repeat(2000), 'c d '.repeat(2000));
    expect(expected[0]?.differs).toBe(true);
  });
});

describe('the page', () => {
  test('closes what it opens and hides nothing, whatever the run', () => {
    fc.assert(
      fc.property(runArbitrary, (run) => {
        const page = writeHtml(run);
        expect(page).not.toMatch(hiddenCharacters);
        for (const [name, count] of elementsOf(page)) {
          if (!voidElements.has(name)) expect([name, page.split(`</${name}>`).length - 1]).toEqual([name, count]);
        }
      }),
      { numRuns: 30 },
    );
    expect(writeHtml(hostileRun(hostileMarkup))).not.toContain('<script>window');
  });

  test('has each id once and leads nowhere but to itself, also with several runs', () => {
    const page = writeHtmlOfAll([exampleRun, runWith([])]);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => !ids.includes(id))).toEqual([]);
    expect(page).not.toMatch(/ (?:src|href)="(?!#)/);
  });

  test('stays under 3 MB even when everything fails with long texts', () => {
    const long = '<é|'.repeat(5000);
    const violation = { expected: long, actual: `${long}x`, curl: [long, long], counterexample: long };
    const label = long.slice(0, 200);
    const timeline = {
      title: label,
      zero: label,
      expected: Array.from({ length: 24 }, () => ({ label, fromMs: 0, calls: 1 })),
      seen: Array.from({ length: 40 }, (_, at) => ({ label, atMs: at, isOff: true })),
    };
    const more = {
      timelines: [timeline, timeline],
      violation,
      reason: long,
      missing: ['array-port'],
      remarks: [long],
      observations: [{ what: long, seen: long, key: long }],
    };
    for (const verdict of ['fail', 'blocked', 'broken', 'observed'] as const) {
      const page = writeHtml(runWith(allIds.map((id) => outcomeWith(id, verdict, more))));
      expect(Buffer.byteLength(page)).toBeLessThan(mostBytes);
      expect(page.match(/<details class="rule"/g)).toHaveLength(allIds.length);
      expect(page).toContain('the JSON report holds it');
    }
    expect(Buffer.byteLength(writeHtml(exampleRun))).toBeLessThan(500_000);
  });

  test('shows a breach with its evidence, its history and how to repeat it', () => {
    const page = writeHtml(exampleRun);
    expect(page).toContain('the <del>8</del> entries');
    expect(page).toContain(
      '<li>remove on object 1, at 10, choice 0</li></ol><p class="open">Found with seed 42, path 3:1:0</p>',
    );
    expect(page).toContain('EDITOR_TOKEN:?export it: password grant of the editor');
    expect(page).toContain('--rules paging.page-one.holds-the-rest --seed 42');
    expect(page).toContain(
      '<strong>needs demote-route</strong>, 1 rule: the path of the demote action; add routes.demote',
    );
    expect(page).toContain('<code>expect.unknownSpace</code>');
    expect(page).toContain('<dd>staging.yaml</dd>');
  });

  test('shows no password of an address', () => {
    const page = writeHtml(
      runWith([], {
        baseUrl: 'https://name:hunter2@host.example/api',
        command: "svc-conformance check-extension --url 'https://name:hunter2@host.example/x'",
      }),
    );
    expect(page).not.toContain('hunter2');
    expect(page).toContain('https://host.example/api');
  });
});
