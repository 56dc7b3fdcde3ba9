import type { Static } from 'typebox';
import { areas } from '../areas.ts';
import { exchangeSchema, schemaVersion, traceSchema, verdictSchema } from './outcomes.ts';
import { likenessSchema, totalsSchema } from './report.ts';
import { optional } from '../schema-parts.ts';
import { Type } from '../type.ts';

const textList = Type.Array(Type.String());
const count = Type.Integer({ minimum: 0 });
const text = Type.String();

/** What a line says that a tool may do next. */
const nextSchema = Type.Closed(
  { do: Type.String({ description: 'One sentence.' }), command: optional(text) },
  { description: 'What to do next; the command shows whether it helped.' },
);

const runEvent = Type.Closed(
  {
    event: Type.Literal('run'),
    schemaVersion: Type.Literal(schemaVersion),
    implementation: text,
    baseUrl: text,
    seed: Type.Integer(),
    startedAt: text,
    suiteVersion: text,
    command: Type.String({ description: 'Repeats this run.' }),
    rules: Type.Integer({ minimum: 0, description: 'How many verdicts will come.' }),
  },
  { description: 'The first line.' },
);

const verdictEvent = Type.Closed(
  {
    event: Type.Literal('verdict'),
    rule: text,
    area: Type.Enum(areas),
    level: Type.Enum(['must', 'should', 'observe']),
    verdict: verdictSchema,
    reason: optional(text),
    standsOn: optional(Type.Array(Type.String(), { description: 'Violated rules that explain why this is blocked.' })),
    missing: optional(Type.Array(Type.String(), { description: 'Needs that the profile does not meet.' })),
    count: Type.Integer({ minimum: 1, description: 'Which of the verdicts of the run this is.' }),
  },
  { description: 'How a rule ended, once for each rule, as soon as nothing to come can change it.' },
);

const findingKinds = [
  'violation',
  'guideline',
  'stale',
  'broken',
  'blocked',
  'need',
  'expired',
  'incomplete',
  'left',
] as const;

const findingEvent = Type.Closed(
  {
    event: Type.Literal('finding'),
    kind: Type.Enum(findingKinds, {
      description:
        'violation: a must is broken; guideline: a should; stale: a known failure that passes; broken: the suite stumbled; blocked: the target did not do what the case needs; need: the profile lacks it; expired: an entry of the profile whose last day is over; incomplete: what the run did not come to; left: objects that are still on the target.',
    }),
    rule: optional(text),
    statement: optional(text),
    source: optional(Type.String({ description: 'Document, section, and which sentence of it.' })),
    expected: optional(text),
    actual: optional(text),
    reason: optional(text),
    trace: optional(traceSchema),
    smallest: optional(Type.String({ description: 'Smallest generated case that still fails.' })),
    exchange: optional(exchangeSchema),
    curl: optional(textList),
    script: optional(Type.String({ description: 'Shell script in the folder of the run that shows it again.' })),
    blocks: optional(Type.Array(Type.String(), { description: 'Rules that could not be judged for it.' })),
    need: optional(text),
    unlocks: optional(
      Type.Integer({
        minimum: 0,
        description: 'Rules that can be judged once this need and those told before are met.',
      }),
    ),
    lackedBy: optional(count),
    objects: optional(count),
    next: nextSchema,
  },
  { description: 'What needs a reader, the most urgent first, after the verdicts.' },
);

const endEvent = Type.Closed(
  {
    event: Type.Literal('end'),
    exitCode: Type.Enum([0, 1, 3]),
    meaning: Type.String({ description: 'The exit code in words.' }),
    totals: totalsSchema,
    findings: count,
    looksLike: optional(likenessSchema),
    report: optional(Type.String({ description: 'report.json, with everything.' })),
  },
  { description: 'The last line; without it the run was cut off.' },
);

/** A line of `check --json`. */
export const eventSchema = Type.Union([runEvent, verdictEvent, findingEvent, endEvent], {
  $id: 'https://svc-conformance.example/schema/event.json',
  title: 'Line of check --json',
});

export type RunEvent = Static<typeof eventSchema>;
export type FindingEvent = Static<typeof findingEvent>;
