import { Type } from 'typebox';
import { schemaVersion, verdictSchema } from './outcomes.ts';

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });
const ruleIds = Type.Array(Type.String());

const faultRow = Type.Object(
  {
    fault: Type.String({ description: 'Id of the rule that the server violates.' }),
    verdict: Type.Enum(['killed', 'killed-by-other', 'survived', 'unjudged']),
    own: verdictSchema,
    found: Type.String({ description: 'What the case of the rule found, or why it could not judge.' }),
    related: ruleIds,
    unrelated: ruleIds,
  },
  closed,
);

/** What `faults --json` prints. */
export const killMatrixSchema = Type.Object(
  {
    schemaVersion: Type.Literal(schemaVersion),
    kind: Type.Literal('kill-matrix'),
    mode: Type.Enum(['own', 'all']),
    seed: Type.Integer(),
    runs: count,
    durationMs: Type.Number({ minimum: 0 }),
    control: Type.Object(
      { cases: count, killedBy: Type.Array(Type.Object({ rule: Type.String(), verdict: verdictSchema, found: Type.String() }, closed)) },
      closed,
    ),
    faults: Type.Array(faultRow),
    counts: Type.Object({ killed: count, 'killed-by-other': count, survived: count, unjudged: count, unrelated: count }, closed),
  },
  { ...closed, $id: 'https://svc-conformance.example/schema/kill-matrix.json', title: 'Output of faults --json' },
);
