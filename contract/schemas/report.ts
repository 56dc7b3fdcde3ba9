import type { Static } from 'typebox';
import { areas } from '../areas.ts';
import { type ClassName, classNames } from '../classes.ts';
import { cellKinds } from '../coverage/cells.ts';
import { headerMembers, outcomeMembers, remainsSchema, schemaVersion } from './outcomes.ts';
import { Type } from '../type.ts';

const reportId = 'https://svc-conformance.example/schema/report.json';
const count = Type.Integer({ minimum: 0 });
const areaSchema = Type.Enum(areas);
const levelSchema = Type.Enum(['must', 'should', 'observe']);

/** How a rule stands in a report: a verdict, or why there is none. */
export const states = ['pass', 'fail', 'warn', 'observed', 'blocked', 'broken', 'not-run', 'not-selected'] as const;
export type State = (typeof states)[number];

const stateSchema = Type.Enum(states);
const counts = {
  rules: count,
  pass: count,
  fail: count,
  warn: count,
  observed: count,
  blocked: count,
  broken: count,
  'not-run': count,
  'not-selected': count,
};

export const totalsSchema = Type.Closed(counts);

const ruleResult = Type.Closed({
  id: Type.String(),
  area: areaSchema,
  level: levelSchema,
  statement: Type.String(),
  source: Type.String(),
  state: stateSchema,
  ground: Type.Optional(
    Type.Literal(true, {
      description: 'Nobody selected it: it was judged because a selected rule that stands on it does not hold.',
    }),
  ),
  replay: Type.Optional(Type.String({ description: 'Command that runs this rule again with the same requests.' })),
  ...outcomeMembers,
});

const knownFailure = Type.Closed({
  rule: Type.String(),
  reason: Type.String(),
  status: Type.Enum(['fails', 'stale', 'not-judged']),
});

const coverageSchema = Type.Closed(
  {
    kinds: Type.Array(
      Type.Closed({ kind: Type.Enum(cellKinds), reached: count, reachable: count, never: count, excluded: count }),
      { description: 'Counts of what there is to reach, by kind.' },
    ),
    triples: Type.Closed(
      { reached: count, possible: count },
      { description: 'Combinations of three conditions of requests about SoftTypes.' },
    ),
    reached: Type.Array(Type.String(), {
      description: 'As `merge 409 editor`, `merge sends json`, `merge with Svc-UOIVersion`; pairs are left out.',
    }),
    empty: Type.Array(
      Type.Closed({ state: Type.Enum(['reachable', 'never']), why: Type.String(), cells: Type.Array(Type.String()) }),
      { description: 'What was not reached: within reach of rules at the bundled pair, or of none, with the reason.' },
    ),
  },
  { description: 'What the requests of the run reached of the documents, and what they did not.' },
);

export const likenessSchema = Type.Array(
  Type.Closed({ fault: Type.String(), likeness: Type.Number({ minimum: 0, maximum: 1 }) }),
  {
    description:
      'Known faults, each by the rule that it breaks, with which most nearly the same rules fail and pass, the nearest first: a hint, no verdict.',
  },
);

/** How a class stands in a run. */
const classStates = ['kept', 'partly', 'not-offered', 'not-judged'] as const;
export type ClassState = (typeof classStates)[number];

const classResult = Type.Closed(
  {
    name: Type.Unsafe<ClassName>(Type.Enum([...classNames])),
    claimed: Type.Boolean({ description: 'Whether the profile claims it.' }),
    state: Type.Enum(classStates),
    rules: count,
    kept: count,
    violated: count,
    declared: Type.Integer({ minimum: 0, description: 'Blocked, for a reason on record.' }),
    open: Type.Integer({ minimum: 0, description: 'Neither judged nor declared.' }),
  },
  { description: 'A class and how it stands, counted in rules whose breach fails.' },
);

/** One run as report.json shows it. `exitCode` and `meaning` are those of the run, worked out from its outcomes. */
export const reportSchema = Type.Closed(
  {
    schemaVersion: Type.Literal(schemaVersion),
    kind: Type.Literal('report'),
    ...headerMembers,
    exitCode: Type.Enum([0, 1, 3]),
    meaning: Type.String({ description: 'The exit code in words.' }),
    complete: Type.Boolean({ description: 'False when the run was cut off or ended early.' }),
    aborted: Type.Optional(Type.String()),
    durationMs: Type.Optional(Type.Number({ minimum: 0 })),
    requests: Type.Optional(count),
    notes: Type.Array(Type.String(), { description: 'What was odd about the file that the report was rebuilt from.' }),
    totals: totalsSchema,
    areas: Type.Array(Type.Closed({ area: areaSchema, ...counts })),
    rules: Type.Array(ruleResult),
    classes: Type.Optional(Type.Array(classResult)),
    known: Type.Array(knownFailure),
    looksLike: Type.Optional(likenessSchema),
    coverage: Type.Optional(coverageSchema),
    apart: Type.Optional(
      Type.Closed(
        { known: count, declared: count, stale: count, expired: count },
        { description: 'What the profile accounts for, counted by itself.' },
      ),
    ),
    remains: remainsSchema,
  },
  { $id: reportId, title: 'report.json' },
);

/** Several runs in one file: an array of reports. */
export const reportListSchema = Type.Array(Type.Ref(reportId), {
  $id: 'https://svc-conformance.example/schema/report-list.json',
  title: 'report.json of several runs',
});

export type Report = Static<typeof reportSchema>;
export type ClassResult = Readonly<Static<typeof classResult>>;
export type RuleResult = Static<typeof ruleResult>;
