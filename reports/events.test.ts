import { jsonLine } from './text.ts';
import { Ajv } from 'ajv';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventSchema } from '../contract/schemas/events.ts';
import type { Outcome } from '../judge/outcome.ts';
import { assess } from './assessment.ts';
import { startEvents } from './events.ts';
import { exitOf } from './exit.ts';
import { hiddenCharacters } from './hidden.fixture.ts';
import { allIds, outcomeWith, runArbitrary, runWith } from './run.fixture.ts';
import type { Run } from './run.ts';

const isEvent = new Ajv({ allErrors: true }).compile(eventSchema);

interface Line {
  readonly event: string;
  readonly [member: string]: unknown;
}

/** What is written of a run whose outcomes come in that order, and become final as `settled` says. */
function linesOf(
  run: Run,
  settled: (outcome: Outcome) => readonly Outcome[] = (outcome) => [outcome],
): readonly Line[] {
  let text = '';
  const tell = (event: object): void => void (text += jsonLine(event));
  const view = startEvents({ tell, header: run.header, rules: run.rules, settled, report: 'out/report.json' });
  for (const outcome of run.outcomes) view.onOutcome(outcome);
  view.finish(run);
  expect(text).not.toMatch(hiddenCharacters);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

test('any run is told in lines that the schema describes: its start, every verdict once, findings, and an end that agrees with the exit code', () => {
  fc.assert(
    fc.property(runArbitrary, fc.boolean(), (run, late) => {
      const lines = linesOf(run, (outcome) => (late ? [] : [outcome]));
      for (const line of lines) {
        isEvent(line);
        expect(isEvent.errors).toBeNull();
      }
      const verdicts = lines.filter(({ event }) => event === 'verdict');
      expect(verdicts.map(({ rule }) => rule)).toEqual(run.outcomes.map(({ rule }) => rule));
      expect(lines.map(({ event }) => event)).toEqual(
        lines.map(({ event }) => event).toSorted((one, other) => order.indexOf(one) - order.indexOf(other)),
      );
      expect(lines.at(-1)).toMatchObject({ event: 'end', exitCode: exitOf(run).code });
      if (exitOf(run).code !== 0) expect(lines.filter(({ event }) => event === 'finding')).not.toEqual([]);
      const { failures } = assess(run);
      expect(lines.filter(({ kind }) => kind === 'violation').map(({ rule }) => rule)).toEqual(
        failures.map(({ rule }) => rule.id),
      );
    }),
    { numRuns: 60 },
  );
});

const order = ['run', 'verdict', 'finding', 'end'];

test('a violation says what it blocks and what to run, a need how many rules it unlocks', () => {
  const [one, two, three] = allIds;
  if (one === undefined || two === undefined || three === undefined)
    throw new Error('fewer than three rules are built');
  const findings = linesOf(
    runWith([
      outcomeWith(one, 'fail', { violation: { expected: 'a', actual: 'b', curl: [] } }),
      outcomeWith(two, 'blocked', { reason: `stands on ${one}, which failed`, standsOn: [one] }),
      outcomeWith(three, 'blocked', { reason: 'the profile does not meet openapi: add openApi', missing: ['openapi'] }),
    ]),
  ).filter(({ event }) => event === 'finding');
  expect(findings).toEqual([
    expect.objectContaining({
      kind: 'violation',
      rule: one,
      blocks: [two],
      next: expect.objectContaining({ command: expect.stringContaining(`--rules ${one} --seed 42`) }),
    }),
    expect.objectContaining({ kind: 'need', need: 'openapi', unlocks: 1, lackedBy: 1 }),
  ]);
});
