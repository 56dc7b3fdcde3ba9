import { describe, expect, it } from 'vitest';
import type { Report } from '../contract/schemas/report.ts';
import { writeJson } from './json.ts';
import { outcomeWith, runWith } from './run.fixture.ts';
import { writeTable } from './table.ts';

function reportOf(...[outcomes, header]: Parameters<typeof runWith>): Report {
  return JSON.parse(writeJson(runWith(outcomes, header)));
}

const rule = 'paging.link.pages-count';
const silence = 'paging.page.outside-range';
const seen = (value: string) => outcomeWith(silence, 'observed', { observations: [{ what: 'status', seen: value }] });

const ours = reportOf([seen('404')], { implementation: 'ours' });
const theirs = reportOf([seen('200'), outcomeWith(rule, 'fail')], { implementation: 'theirs' });

describe('a table', () => {
  it('shows where runs differ: in classes, areas, rules and silences', () => {
    const page = writeTable([
      { report: ours, version: '2.0', signedBy: 'sha256:0123456789abcdef' },
      { report: theirs },
    ]);
    expect(page).toContain('ours 2.0');
    expect(page).toContain('sha256:0123456789ab<');
    expect(page).toMatch(
      /<code>reader<\/code><\/th><td><strong>kept<\/strong> (\d+) of \1<\/td><td>partly \d+ of \1, 1 violated/,
    );
    expect(page).toMatch(
      /<th scope="row">paging<\/th><td>\d+ passed<\/td><td>\d+ passed, <strong>1 failed<\/strong><\/td>/,
    );
    expect(page).toMatch(/paging\.link\.pages-count<br>[^<]+<\/th><td>passed<\/td><td><strong>failed<\/strong><\/td>/);
    expect(page).toMatch(
      /Seen otherwise[^]*paging\.page\.outside-range: status<\/th><td><code>404<\/code><\/td><td><code>200<\/code>/,
    );
    expect(page).not.toContain('Over time');
  });

  it('says nothing of differences where there are none', () => {
    const page = writeTable([{ report: ours }, { report: { ...ours, implementation: 'mine' } }]);
    expect(page).not.toContain('do not stand alike');
    expect(page).not.toContain('Seen otherwise');
    expect(page).toContain('Seen alike');
  });

  it('shows several runs of one implementation in the order of time', () => {
    const before = { ...theirs, implementation: 'ours', startedAt: '2026-01-01T00:00:00.000Z' };
    const page = writeTable([{ report: ours }, { report: before }]);
    const trend = page.split('>Over time<').at(-1) ?? '';
    expect(trend).toMatch(/<td>2026-01-01T00[^]*<td>2026-07-01T08/);
    const drawing = Buffer.from(/base64,([^"]+)"/.exec(trend)?.[1] ?? '', 'base64').toString();
    expect(drawing).toMatch(/^<svg [^]*1: 1 failed[^]*2: 0 failed[^]*<\/svg>\n$/);
    expect(page).toContain('ours, 2026-01-01 (2)');
  });

  it('tells many runs over time only, and which rules go to and fro', () => {
    const nights = Array.from({ length: 60 }, (_, night) => {
      const outcomes = night % 20 === 7 ? [outcomeWith(rule, 'fail')] : [outcomeWith(rule, 'pass')];
      const startedAt = new Date(Date.UTC(2026, 0, 1 + night)).toISOString();
      return { report: { ...reportOf(outcomes, { implementation: 'ours' }), startedAt } };
    });
    const page = writeTable([...nights, { report: theirs }]);
    expect(page).toContain('Of 60 runs of ours the newest stands here');
    expect(page).toMatch(/<th scope="row">began<\/th><td>2026-03-01 00:00<\/td><td>[^<]*<\/td><\/tr>/);
    const trend = page.split('>Over time<').at(-1) ?? '';
    expect(trend).toMatch(
      /paging\.link\.pages-count<\/td><td[^>]*>6<\/td><td[^>]*>3<\/td><td>…, 1 × failed, 19 × passed, [^<]*12 × passed<\/td><td>2026-02-18</,
    );
    const drawing = Buffer.from(/base64,([^"]+)"/.exec(trend)?.[1] ?? '', 'base64').toString();
    expect(drawing).not.toContain('width="-');
    expect(drawing.match(/<text/g)?.length).toBe(10);
  });

  it('keeps the policy of the report page, and what a target sent is text', () => {
    const hostile = '</td><script>alert(1)</script>';
    const page = writeTable([{ report: { ...reportOf([seen(hostile)]), implementation: hostile } }, { report: ours }]);
    expect(page.replaceAll('&#39;', "'")).toMatch(
      /Content-Security-Policy" content="default-src 'none'; style-src 'sha256-[^']+'; (?:img-src data:; )?base-uri 'none'; form-action 'none'"/,
    );
    expect(page).not.toContain('<script');
  });
});
