import { timelinesSchema } from './timeline.ts';
import { optional } from '../schema-parts.ts';
import { Type } from '../type.ts';

/** Version of every shape in this folder; it rises when a member is taken away or changes its meaning. */
export const schemaVersion = 1;

const textList = Type.Array(Type.String());
const count = Type.Integer({ minimum: 0 });
const duration = Type.Number({ minimum: 0, description: 'Milliseconds.' });
const text = Type.String();
const reasons = Type.Record(text, text);
const headerPairs = Type.Array(Type.Tuple([Type.String(), Type.String()]));

const verdicts = ['pass', 'fail', 'warn', 'observed', 'blocked', 'broken'] as const;

export const verdictSchema = Type.Enum(verdicts);

export const exchangeSchema = Type.Object({
  request: Type.Object({
    method: Type.String(),
    url: Type.String(),
    headers: headerPairs,
    body: optional(Type.String()),
  }),
  response: optional(Type.Object({ status: Type.Integer(), headers: headerPairs, body: Type.String() })),
  error: optional(Type.String()),
  sentAt: Type.Number(),
  durationMs: duration,
});

type Scripted =
  | { readonly text: string }
  | { readonly variable: string }
  | { readonly base64: readonly Scripted[] }
  | { readonly command: string; readonly of: string };

const scriptText = Type.Array(
  Type.Unsafe<Scripted>({
    type: 'object',
    description: 'One of `text`, `variable`, of such parts `base64`, and the `command` of a shell, made of a variable.',
  }),
);
const scriptPairs = Type.Array(Type.Tuple([text, scriptText]));
const bodyPart = Type.Union([Type.Object({ parts: scriptText }), Type.Object({ command: text })]);

const linesCheck = Type.Object({
  kind: Type.Literal('lines'),
  status: Type.Integer(),
  lines: Type.Array(scriptText),
  expected: optional(scriptText),
  count: optional(count),
});

const scriptStep = Type.Object({
  method: text,
  url: scriptText,
  headers: scriptPairs,
  body: optional(Type.Array(bodyPart)),
  form: optional(scriptPairs),
  signature: optional(Type.String({ description: 'Line of a POSIX shell that makes SIGNATURE.' })),
  status: Type.Integer(),
  captures: Type.Array(
    Type.Object({ variable: text, header: optional(text), pointer: optional(text), piece: optional(count) }),
    { description: 'Variables that the answer gives, for the requests behind it.' },
  ),
  found: optional(linesCheck),
  exchange: exchangeSchema,
});

const statuses = Type.Union([Type.Array(Type.Integer()), Type.Enum(['2xx', 'refused', 'not 2xx'])]);

const scriptCheck = Type.Union([
  Type.Object({
    kind: Type.Literal('status'),
    expected: statuses,
    found: Type.Integer(),
  }),
  Type.Object({ kind: Type.Literal('header'), name: text, status: Type.Integer() }),
  Type.Object({
    kind: Type.Literal('meeting', { description: 'Of the answers to what is sent at one moment, so many at least.' }),
    found: statuses,
    least: count,
  }),
  linesCheck,
]);

const repetitionSchema = Type.Union([
  Type.Object(
    {
      steps: Type.Array(scriptStep),
      afterwards: optional(Type.Array(scriptStep, { description: 'Take back what would go on to act.' })),
      check: scriptCheck,
      baseUrl: text,
      recorded: count,
      shown: Type.Boolean({ description: 'Whether it was played to the target and showed the same again.' }),
    },
    { description: 'The last request shows the violation; the others make what it needs.' },
  ),
  Type.Object({ reason: Type.String({ description: 'Why no script shows it.' }) }),
]);

const violationSchema = Type.Object({
  expected: Type.String(),
  actual: Type.String(),
  curl: Type.Array(Type.String(), {
    description: 'The last line shows the violation; secrets stand as names of variables.',
  }),
  exchange: optional(exchangeSchema),
  counterexample: optional(
    Type.String({ description: 'Smallest generated value that still fails, and the path that leads to it.' }),
  ),
  repetition: optional(repetitionSchema),
});

/** By what the requests of a case are found in the log of the service. */
export const traceSchema = Type.Object({
  id: Type.String({ description: 'Of the trace in traceparent, 32 hexadecimal digits.' }),
  correlation: optional(
    Type.String({ description: 'With what each X-Correlation-Id begins, where the suite sends one.' }),
  ),
});

const observationSchema = Type.Object({
  what: Type.String(),
  seen: Type.String(),
  key: optional(Type.String({ description: 'Key of the profile that binds it.' })),
});

/** Members of an outcome besides its rule and verdict. */
export const outcomeMembers = {
  reason: optional(Type.String()),
  standsOn: optional(textList),
  byItself: optional(
    Type.Enum(verdicts, {
      description: 'Verdict that its case came to, where it was taken back because of a rule that it stands on.',
    }),
  ),
  missing: optional(textList),
  precondition: optional(
    Type.String({ description: 'What the case needed of the target and did not get, so that it could not judge.' }),
  ),
  violation: optional(violationSchema),
  trace: optional(traceSchema),
  observations: Type.Array(observationSchema),
  remarks: textList,
  timelines: optional(timelinesSchema),
  assertions: count,
  exchanges: count,
  retries: optional(textList),
  durationMs: duration,
};

const expiredEntry = Type.Object({
  list: Type.Enum(['knownFailures', 'notSupported']),
  entry: text,
  reason: text,
  until: Type.String({ description: 'Last day on which it held, UTC.' }),
});

const gateSchema = Type.Object(
  {
    failOn: optional(Type.Literal('should')),
    maxWarnings: optional(count),
    require: optional(Type.Array(text, { description: 'Classes that have to be kept.' })),
    since: optional(
      Type.Object(
        { report: text, states: reasons },
        { description: 'Verdicts of an earlier report: what is the same now does not count.' },
      ),
    ),
  },
  {
    description:
      'Which outcomes count for the exit code; absent: every breach of a rule, and what could not be judged.',
  },
);

/** Members that the first line of outcomes.ndjson and a report share. */
export const headerMembers = {
  implementation: Type.String(),
  baseUrl: Type.String(),
  seed: Type.Integer(),
  runs: count,
  startedAt: Type.String({
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}',
    description: 'UTC, ISO 8601.',
  }),
  suiteVersion: Type.String(),
  command: Type.String({ description: 'Repeats this run.' }),
  notSupported: reasons,
  knownFailures: reasons,
  claims: optional(Type.Array(Type.String(), { description: 'Classes that the profile claims.' })),
  split: optional(
    Type.Record(text, text, { description: 'Rules of knownFailures that were one rule before, each with its id.' }),
  ),
  expired: optional(
    Type.Array(expiredEntry, {
      description: 'Entries of these two lists whose last day is over: they explain nothing.',
    }),
  ),
  gate: optional(gateSchema),
  shard: optional(Type.Object({ index: Type.Integer({ minimum: 1 }), of: Type.Integer({ minimum: 1 }) })),
  profileDigest: optional(
    Type.String({ description: 'Same for the same profile, whatever its secrets, hosts and ports.' }),
  ),
  variables: reasons,
};

const reachedSchema = Type.Object(
  {
    facts: Type.Array(text, { description: 'As `merge 409 editor`, `merge sends json`, `merge with Svc-UOIVersion`.' }),
    conditions: Type.Array(text, {
      description:
        'Of requests about SoftTypes, a digit a factor: the place of its value in contract/coverage/factors.ts.',
    }),
    keys: Type.Array(text, { description: 'Keys that the profile has.' }),
  },
  { description: 'What the requests of the run reached of the documents.' },
);

export const remainsSchema = Type.Array(Type.Object({ uri: Type.String(), reason: Type.String() }));

/** First line of outcomes.ndjson. */
export const runHeaderSchema = Type.Object(
  { schemaVersion: Type.Literal(schemaVersion), kind: Type.Literal('run'), ...headerMembers, selected: textList },
  { $id: 'https://svc-conformance.example/schema/run-header.json', title: 'First line of outcomes.ndjson' },
);

/** Every line of outcomes.ndjson between the first and the last: how the case of one rule ended. The last line of a rule counts. */
export const outcomeSchema = Type.Object(
  { rule: Type.String({ minLength: 1 }), verdict: verdictSchema, ...outcomeMembers },
  { $id: 'https://svc-conformance.example/schema/outcome.json', title: 'Line of outcomes.ndjson' },
);

/** Last line of outcomes.ndjson; missing when the run was cut off. */
export const runFooterSchema = Type.Object(
  {
    kind: Type.Literal('end'),
    durationMs: duration,
    remains: remainsSchema,
    aborted: optional(Type.String()),
    requests: count,
    reached: optional(reachedSchema),
  },
  { $id: 'https://svc-conformance.example/schema/run-footer.json', title: 'Last line of outcomes.ndjson' },
);
