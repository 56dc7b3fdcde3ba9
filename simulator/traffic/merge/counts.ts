import type { Static } from 'typebox';
import { fitting } from '../../../contract/misfit.ts';
import { readTextFile } from '../../../contract/named-file.ts';
import { lastBucket } from './buckets.ts';
import { Type } from '../../../contract/type.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const counts = (description: string) => Type.Record(Type.String(), Type.Integer({ minimum: 0 }), { description });

const operation = Type.Closed({
  accepted: counts(`Answers that were no error, by latency bucket, 0 to ${lastBucket}.`),
  errors: counts('The others, by latency bucket.'),
  outcomes: counts('Answers by status, lost ones by reason.'),
  totalMs: Type.Number({ minimum: 0, description: 'All latencies together, in ms.' }),
  maxMs: Type.Number({ minimum: 0, description: 'The longest, in ms.' }),
});

export type OperationCounts = Static<typeof operation>;

/** What is the same in every segment of one run. */
const run = Type.Closed({
  implementation: Type.String(),
  target: Type.String({ description: 'Base URL.' }),
  mix: Type.String({ description: 'Digest of the mix.' }),
  seed: Type.Integer(),
  load: Type.Union([
    Type.Closed({ model: Type.Literal('closed'), users: Type.Integer({ minimum: 1 }) }),
    Type.Closed({ model: Type.Literal('open'), rate: Type.Number({ exclusiveMinimum: 0 }) }),
  ]),
  durationMs: Type.Number({ minimum: 0, description: 'As planned.' }),
  thresholds: Type.Array(Type.String()),
});

/** What one segment of a run counted, as the exported script writes it. Everything in it can be added up. */
export const countsSchema = Type.Closed(
  {
    schemaVersion: Type.Literal(1),
    kind: Type.Literal('traffic-counts'),
    run,
    segment: Type.String({
      pattern: '^\\d+(/[1-9]\\d*)?:\\d+(/[1-9]\\d*)?$',
      description: 'Part of the run, as 0:1/2.',
    }),
    sequence: Type.Union([Type.String(), Type.Null()], { description: 'Edges of all segments, as 0,1/2,1.' }),
    startedAt: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z$' }),
    durationMs: Type.Number({ minimum: 0, description: 'From the first journey to the last answer.' }),
    skipped: count('Journeys that could not begin, because too many were under way.'),
    operations: Type.Record(Type.String(), operation),
    journeys: Type.Record(
      Type.String(),
      Type.Closed({ begun: count('That came to an end, whole or not.'), whole: count('Without an error.') }),
    ),
    violations: counts('Times that a rule was seen broken, by its id.'),
    judged: count('Conditions of rules that were looked at.'),
  },
  { title: 'Counts of one segment of traffic', $id: 'https://svc-conformance.example/schema/traffic-counts.json' },
);

export type SegmentCounts = Static<typeof countsSchema>;

/** Files that are no segments of one run: says what was expected and found, and what to do. */
export class MergeError extends Error {
  readonly code = 'MERGE';
  override readonly name = 'MergeError';
}

const countsFrom = fitting<SegmentCounts>(countsSchema);

/** What a segment counted. @throws {MergeError} the file cannot be read, or holds something else */
export function readCounts(file: string): SegmentCounts {
  const read = countsFrom(valueIn(file));
  if ('misfit' in read)
    throw new MergeError(`Expected the counts of a segment in ${file}, but ${read.misfit.sentence}. ${advice}`);
  const { value } = read;
  for (const [op, { accepted, errors }] of Object.entries(value.operations))
    for (const bucket of [...Object.keys(accepted), ...Object.keys(errors)])
      if (!/^\d+$/.test(bucket) || Number(bucket) > lastBucket)
        throw new MergeError(
          `Expected latency buckets from 0 to ${lastBucket} in ${file}, found ${bucket} of ${op}. Export and merge by the same version.`,
        );
  return value;
}

const advice = 'Name the counts.json that the exported script wrote.';

const mostBytes = 64 * 1024 * 1024;

function valueIn(file: string): unknown {
  const refusal = (why: string): Error => new MergeError(`Cannot read ${file} (${why}); name an existing file.`);
  const text = readTextFile(file, refusal, mostBytes);
  try {
    return JSON.parse(text);
  } catch {
    throw new MergeError(
      `Expected JSON in ${file}, found ${text.length === 0 ? 'nothing' : 'something else'}. ${advice}`,
    );
  }
}
