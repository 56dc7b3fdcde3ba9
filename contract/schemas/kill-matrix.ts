import { Type } from 'typebox';
import { schemaVersion, verdictSchema } from './outcomes.ts';
import { closed } from '../schema-parts.ts';

const count = Type.Integer({ minimum: 0 });

const row = Type.Object(
  {
    fault: Type.String({ description: 'Rule that the server breaks.' }),
    verdict: Type.Enum(['killed', 'killed-by-other', 'survived', 'unjudged']),
    own: verdictSchema,
    found: Type.String({ description: 'What the case of the rule found, or why it could not judge.' }),
    related: Type.Array(Type.String(), {
      description: 'Rules that failed as they should, because they say the same or stand on each other.',
    }),
    unrelated: Type.Array(Type.Object({ rule: Type.String(), found: Type.String() }, closed), {
      description: 'Rules that failed although the fault does not touch them, and what their cases found.',
    }),
  },
  closed,
);

/** What `faults --json` prints. */
export const killMatrixSchema = Type.Object(
  {
    schemaVersion: Type.Literal(schemaVersion),
    kind: Type.Literal('kill-matrix'),
    mode: Type.Enum(['own', 'all'], { description: 'Whether each fault met the case of its rule or every case.' }),
    seed: Type.Integer(),
    runs: count,
    durationMs: count,
    control: Type.Object(
      {
        cases: count,
        killedBy: Type.Array(
          Type.Object({ rule: Type.String(), verdict: verdictSchema, found: Type.String() }, closed),
        ),
      },
      closed,
    ),
    faults: Type.Array(row),
    counts: Type.Object(
      { killed: count, 'killed-by-other': count, survived: count, unjudged: count, unrelated: count },
      closed,
    ),
  },
  { ...closed, $id: 'https://svc-conformance.example/schema/kill-matrix.json', title: 'Output of faults --json' },
);
