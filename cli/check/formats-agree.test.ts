import { Clean } from '../outlet.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { states } from '../../contract/schemas/report.ts';
import { schemaVersion } from '../../contract/schemas/outcomes.ts';
import { someRules } from '../../judge/run/outcome.fixture.ts';
import { outcomesArbitrary, standsOnArbitrary } from '../../judge/run/outcomes.fixture.ts';
import { settle } from '../../judge/run/settle.ts';
import { exitOf } from '../../reports/exit.ts';
import { formats } from '../../reports/formats.ts';
import { allRules, runWith } from '../../reports/run.fixture.ts';
import { OutcomesError, parseRun, type Run } from '../../reports/run.ts';
import { announceOnGithub } from './reports.ts';

const reasons = fc.dictionary(fc.constantFrom<string>(...someRules), fc.constant('a reason'));
const gates = fc.record(
  {
    expired: fc.constant([{ list: 'knownFailures', entry: 'paging.*', reason: 'ticket 7', until: '2026-01-31' }]),
    gate: fc.record(
      {
        failOn: fc.constant('should' as const),
        maxWarnings: fc.nat(3),
        since: fc.record({
          report: fc.constant('a.json'),
          states: fc.dictionary(fc.constantFrom<string>(...someRules), fc.constantFrom<string>(...states)),
        }),
      },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
);

/** The lines of a whole record, as a run writes them. */
const records = fc
  .record({ raw: outcomesArbitrary, standsOn: standsOnArbitrary, notSupported: reasons, knownFailures: reasons, gates })
  .map(({ raw, standsOn, gates: more, ...declared }) => {
    const settled = settle(raw, standsOn);
    const header = { ...runWith([], { selected: raw.map(({ rule }) => rule), ...declared }).header, ...more };
    const later = settled.filter((outcome, index) => outcome !== raw[index]);
    return { header: { ...header, schemaVersion }, lines: [...raw, ...later].map((line) => JSON.stringify(line)) };
  });

const footer = JSON.stringify({ kind: 'end', durationMs: 1, remains: [], requests: 1 });

/** What may happen to a record between two machines. */
const damage = fc.record({
  dropped: fc.array(fc.nat(20), { maxLength: 3 }),
  twice: fc.array(fc.nat(20), { maxLength: 3 }),
  order: fc.option(fc.infiniteStream(fc.nat(1000)), { nil: undefined }),
  isCut: fc.boolean(),
});

interface Damage {
  readonly dropped: readonly number[];
  readonly twice: readonly number[];
  readonly order: Iterable<number> | undefined;
  readonly isCut: boolean;
}

function damaged(lines: readonly string[], { dropped, twice, order }: Damage): readonly string[] {
  const kept = lines.filter((_line, index) => !dropped.includes(index));
  const swollen = kept.flatMap((line, index) => (twice.includes(index) ? [line, line] : [line]));
  if (order === undefined) return swollen;
  const ranks = order[Symbol.iterator]();
  return swollen
    .map((line) => [Number(ranks.next().value), line] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, line]) => line);
}

/** How a format says that a run ended: whether it is green, and its exit code where it has one. */
const ends: Readonly<Record<keyof typeof formats, (text: string) => boolean | number>> = {
  json: (text) => (JSON.parse(text) as { exitCode: number }).exitCode,
  markdown: (text) => Number(/\*\*Exit (\d)\*\*/.exec(text)?.[1]),
  html: (text) => Number(/Exit (\d)</.exec(text)?.[1]),
  junit: (text) => !/<(?:failure|error)\b/.test(text),
  ctrf: (text) => (JSON.parse(text) as { results: { summary: { failed: number } } }).results.summary.failed === 0,
  sarif: (text) =>
    (JSON.parse(text) as { runs: { invocations: { exitCode: number }[] }[] }).runs[0]?.invocations[0]?.exitCode ?? -1,
  badge: (text) =>
    ({ '#116329': 0, '#a40e26': 1, '#7d4e00': 3 })[/#(?:116329|a40e26|7d4e00)/.exec(text)?.[0] ?? ''] ?? -1,
  'badge-json': (text) => !(JSON.parse(text) as { isError: boolean }).isError,
};

function annotations(run: Run): number {
  let text = '';
  announceOnGithub(Clean.of(run), {
    env: { GITHUB_ACTIONS: 'true' },
    write: (more) => (text += more.value),
    complain: () => undefined,
  });
  return text.split('::error ').length - 1;
}

/** Undefined where the record is refused, which ends with 2 and makes no report. */
function read(text: string): Run | undefined {
  try {
    return parseRun(text, 'outcomes.ndjson', allRules);
  } catch (error) {
    if (error instanceof OutcomesError) return undefined;
    throw error;
  }
}

test('whatever happened to a record, every format and the exit code come to the same end, and no damage makes it green', () => {
  fc.assert(
    fc.property(records, damage, ({ header, lines }, how) => {
      const text = (body: readonly string[], isCut: boolean): string =>
        [JSON.stringify(header), ...body, ...(isCut ? [] : [footer])].map((line) => `${line}\n`).join('');
      const whole = read(text(lines, false));
      const run = read(text(damaged(lines, how), how.isCut));
      if (run === undefined) return;
      const { code } = exitOf(run);
      for (const [name, end] of Object.entries(ends)) {
        const said = end(formats[name as keyof typeof formats].write(run));
        expect([name, said]).toEqual([name, typeof said === 'boolean' ? code === 0 : code]);
      }
      expect(annotations(run) > 0).toBe(code !== 0);
      if (code === 0) expect(whole === undefined ? -1 : exitOf(whole).code).toBe(0);
    }),
    { numRuns: 300 },
  );
});
