import type { Static } from 'typebox';
import { Type } from '../type.ts';

const ms = (description: string) => Type.Number({ minimum: 0, description: `${description} In ms.` });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const histogram = Type.Optional(
  Type.String({
    description:
      'Every latency to 0.1 %: sum and longest in µs, then how far each bucket that holds something is from the one before, * and its count where that is not 1. µs below 2048 have a bucket each, each doubling above has 1024.',
  }),
);

/** Latencies at the upper end are those that users wait for, so the last parts of a percent are told apart. */
const latencies = {
  p50Ms: ms('Median.'),
  p90Ms: ms('90th percentile.'),
  p95Ms: ms('95th percentile.'),
  p99Ms: ms('99th percentile.'),
  p999Ms: ms('99.9th percentile.'),
  p9999Ms: ms('99.99th percentile.'),
  maxMs: ms('Longest.'),
  histogram,
} as const;

const failure = Type.Object({
  outcome: Type.String({ description: 'Status, or why no answer came.' }),
  requests: count('That ended so and were errors.'),
  first: Type.Object({
    second: count('In which the first of them ended, from the start of the load.'),
    request: Type.String({ description: 'Method and path, without the query.' }),
    says: Type.Optional(Type.String({ description: 'What its answer said, cut.' })),
  }),
});
export type FailureSummary = Static<typeof failure>;

const operation = Type.Object({
  op: Type.String({ description: 'Name of the operation; `all` for everything.' }),
  requests: count('Requests that ended.'),
  errors: count('Without an answer, or with a status that the journey calls an error.'),
  outcomes: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'Answers by status, lost ones by reason.',
  }),
  failures: Type.Optional(Type.Array(failure, { description: 'The errors among them, with the first of each kind.' })),
  meanMs: ms('Mean latency, from the time a request was due to the end of its answer.'),
  ...latencies,
  raw: Type.Optional(
    Type.Object(latencies, {
      description:
        'The same from the time a request was sent: what a tool shows that waits for the answer before, and does not count the wait.',
    }),
  ),
});
export type OperationSummary = Static<typeof operation>;
export type Latencies = NonNullable<OperationSummary['raw']>;

const second = Type.Object({
  second: count('From the start of the load.'),
  requests: count('That ended in this second.'),
  errors: count('Among them.'),
  p50Ms: ms('Median latency.'),
  p90Ms: ms('90th percentile.'),
  p99Ms: ms('99th percentile.'),
  maxMs: ms('Longest.'),
  histogram,
  violations: Type.Optional(
    count(
      'Times that a rule was broken that the profile does not explain; where only the history of an object shows it, in the second of the last answer about that version.',
    ),
  ),
});
export type SecondSummary = Static<typeof second>;

const minute = Type.Object({
  minute: count('From the start of the load.'),
  requests: count('That ended in this minute.'),
  errors: count('Among them.'),
  p50Ms: ms('Median latency.'),
  p99Ms: ms('99th percentile.'),
  maxMs: ms('Longest.'),
});
export type MinuteSummary = Static<typeof minute>;

const drift = Type.Object({
  minutes: count('Whole minutes that it was found from.'),
  perHourPercent: Type.Number({
    description: 'By how much p99 rose in an hour, the median of all slopes (Theil and Sen).',
  }),
  chance: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'That it comes out so without a drift (Mann and Kendall).',
  }),
});
export type Drift = Static<typeof drift>;

const journey = Type.Object({
  journey: Type.String(),
  begun: count('That came to an end, whole or not.'),
  whole: count('Without an error.'),
  steps: Type.Optional(Type.Array(operation, { description: 'What it asked for, by operation.' })),
});
export type JourneySummary = Static<typeof journey>;

const violation = Type.Object({
  rule: Type.String({ description: 'Id in the catalogue.' }),
  expected: Type.String(),
  actual: Type.String(),
  count: Type.Integer({ minimum: 1, description: 'How often the rule was broken; the first time is shown.' }),
  curl: Type.Optional(
    Type.String({ description: 'The request that shows it, secrets replaced by names of variables.' }),
  ),
  answer: Type.Optional(
    Type.String({ description: 'What came back: status, headers, and the beginning of the body.' }),
  ),
});
export type TrafficViolation = Static<typeof violation>;

const explained = Type.Object({
  ...violation.properties,
  reason: Type.String({ description: 'What the profile says.' }),
});

const threshold = Type.Object({ text: Type.String(), met: Type.Boolean(), found: Type.String() });
export type ThresholdResult = Static<typeof threshold>;

const behindSecond = Type.Object({
  worker: Type.Integer({ minimum: 1 }),
  second: count('From the start of the load, by when journeys were due.'),
  due: count('Journeys that this worker had to begin in it.'),
  late: count('Among them, those that it began more than 50 ms late.'),
  skipped: count('Among them, those that it could not begin, because too many were under way.'),
  maxMs: ms('Longest delay.'),
});
export type BehindSecond = Static<typeof behindSecond>;

const lateness = Type.Object({
  p50Ms: ms('Median.'),
  p99Ms: ms('99th percentile.'),
  maxMs: ms('Longest.'),
  skipped: count('Journeys that could not begin, because too many were under way.'),
  histogram,
  behind: Type.Optional(
    Type.Array(behindSecond, {
      description: 'Where the generator did not keep its rate: more than 1 % of the journeys of a worker in a second.',
    }),
  ),
});
export type Lateness = Static<typeof lateness>;

const deliveries = Type.Object({
  triggered: count('Events that the service accepted.'),
  arrived: count('Of them, those that arrived at the extension.'),
  p50Ms: ms('Median time from the answer to the trigger to the arrival.'),
  p99Ms: ms('99th percentile.'),
  maxMs: ms('Longest.'),
  histogram,
});
export type DeliverySummary = Static<typeof deliveries>;

const compared = Type.Object({
  figure: Type.String({ description: 'p50, p90, p99, p99.9, mean or rate, of all operations together.' }),
  unit: Type.Union([Type.Literal('ms'), Type.Literal('/s')]),
  before: Type.Number(),
  after: Type.Number(),
  ratio: Type.Number({ description: 'After by before.' }),
  low: Type.Number({ description: 'Lower end of the interval that holds the ratio.' }),
  high: Type.Number({ description: 'Upper end of it.' }),
  limit: Type.Optional(
    Type.Object({
      percent: Type.Number({ description: 'By how much it may be worse.' }),
      verdict: Type.Union([Type.Literal('kept'), Type.Literal('missed'), Type.Literal('undecided')], {
        description: 'kept and missed where the whole interval says so; undecided where the limit lies in it.',
      }),
    }),
  ),
});
export type ComparedFigure = Static<typeof compared>;

const comparison = Type.Object({
  with: Type.Object({
    startedAt: Type.String(),
    implementation: Type.String(),
    target: Type.String(),
    durationMs: Type.Number(),
  }),
  method: Type.String({ description: 'How the intervals were made.' }),
  figures: Type.Array(compared),
});
export type TrafficComparison = Static<typeof comparison>;

/** What a run of the traffic simulator came to, as `--report json=FILE` writes it. */
export const trafficReportSchema = Type.Object(
  {
    schemaVersion: Type.Literal(1),
    kind: Type.Literal('traffic'),
    implementation: Type.String(),
    target: Type.String({ description: 'Base URL.' }),
    startedAt: Type.String({ format: 'date-time' }),
    seed: Type.Integer(),
    load: Type.Union([
      Type.Object({ model: Type.Literal('closed'), users: Type.Integer({ minimum: 1 }) }),
      Type.Object({
        model: Type.Literal('open'),
        rate: Type.Number({ exclusiveMinimum: 0, description: 'Journeys that begin per second.' }),
        arrivals: Type.Optional(
          Type.Literal('poisson', { description: 'Each by chance; at even distances unless given.' }),
        ),
      }),
    ]),
    stages: Type.Optional(
      Type.Array(Type.Object({ seconds: Type.Number(), to: Type.Number() }), {
        description: 'How the load rose and fell: factor of the full one at the end of each.',
      }),
    ),
    workers: Type.Integer({ minimum: 1, description: 'Threads, or segments, that made the load together.' }),
    segment: Type.Optional(
      Type.Object(
        {
          number: Type.Integer({ minimum: 1 }),
          of: Type.Integer({ minimum: 1 }),
          startAt: Type.Optional(Type.String({ description: 'When all segments were to begin.' })),
        },
        { description: 'Part of the load that this report is about; the load itself is told as a whole.' },
      ),
    ),
    durationMs: ms('From the first request of the load to the last answer.'),
    interrupted: Type.Optional(Type.Boolean()),
    endedEarly: Type.Optional(
      Type.Boolean({ description: 'The engine gave up before the time was over; a remark says why.' }),
    ),
    requestsPerSecond: Type.Number({ minimum: 0 }),
    all: operation,
    operations: Type.Array(operation),
    journeys: Type.Array(journey),
    seconds: Type.Array(second),
    minutes: Type.Optional(Type.Array(minute, { description: 'Of a run of several minutes; whole ones.' })),
    drift: Type.Optional(drift),
    lateness: Type.Optional(lateness),
    judged: Type.Object({
      ratio: Type.Number({ minimum: 0, maximum: 1 }),
      exchanges: count('Answers that were looked at.'),
    }),
    violations: Type.Array(violation),
    declared: Type.Optional(
      Type.Array(explained, {
        description:
          'Rules that were broken, and that the profile declares as not supported or as known failures; they do not count for the exit code.',
      }),
    ),
    deliveries: Type.Optional(deliveries),
    thresholds: Type.Array(threshold),
    tried: Type.Optional(
      Type.Array(
        Type.Object({
          rate: Type.Number({ description: 'Journeys that begin per second.' }),
          verdict: Type.Union([Type.Literal('kept'), Type.Literal('missed'), Type.Literal('not made')]),
          found: Type.String(),
          p50Ms: ms('Median latency.'),
          p99Ms: ms('99th percentile.'),
        }),
        {
          description: 'Rates that were tried to find the highest one that keeps a limit; this report is of that one.',
        },
      ),
    ),
    compared: Type.Optional(comparison),
    remarks: Type.Array(Type.String(), {
      description: 'What the engine cannot do or count, and why the figures may say less than they seem.',
    }),
  },
  { title: 'Traffic report', $id: 'https://svc-conformance.example/schema/traffic.json' },
);
export type TrafficReport = Static<typeof trafficReportSchema>;
