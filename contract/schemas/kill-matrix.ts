import { schemaVersion, verdictSchema } from './outcomes.ts';
import { Type } from '../type.ts';

const count = Type.Integer({ minimum: 0 });

const faultVerdict = Type.Enum(['killed', 'killed-by-other', 'survived', 'unjudged']);

const row = Type.Closed({
  fault: Type.String({ description: 'Rule that the server breaks.' }),
  verdict: faultVerdict,
  own: verdictSchema,
  found: Type.String({ description: 'What the case of the rule found, or why it could not judge.' }),
  collateral: Type.Array(Type.String(), { description: 'Other rules that fail with the fault.' }),
  appeared: Type.Array(Type.Closed({ rule: Type.String(), found: Type.String(), repeated: Type.Boolean() }), {
    description:
      'Rules that failed and are not published as collateral, what their cases found, and whether they failed in a second try too.',
  }),
  vanished: Type.Array(Type.String(), {
    description: 'Rules that are published as collateral and failed in neither try.',
  }),
  stumbled: Type.Array(Type.Closed({ rule: Type.String(), found: Type.String() }), {
    description: 'Rules whose case is broken with the fault each time it is tried, and where.',
  }),
});

/** What `faults --json` prints. */
export const killMatrixSchema = Type.Closed(
  {
    schemaVersion: Type.Literal(schemaVersion),
    kind: Type.Literal('kill-matrix'),
    mode: Type.Enum(['own', 'all'], { description: 'Whether each fault met the case of its rule or every case.' }),
    seed: Type.Integer(),
    runs: count,
    durationMs: count,
    control: Type.Closed({
      cases: count,
      killedBy: Type.Array(Type.Closed({ rule: Type.String(), verdict: verdictSchema, found: Type.String() })),
    }),
    faults: Type.Array(row),
    counts: Type.Closed({
      killed: count,
      'killed-by-other': count,
      survived: count,
      unjudged: count,
      strayed: count,
      stumbled: count,
    }),
  },
  { $id: 'https://svc-conformance.example/schema/kill-matrix.json', title: 'Output of faults --json' },
);

/** What `faults --publish` keeps in the repository: what became of each fault, and what fails with it. */
export const publishedMatrixSchema = Type.Closed({
  schemaVersion: Type.Literal(schemaVersion),
  kind: Type.Literal('published-kill-matrix'),
  faults: Type.Record(
    Type.String(),
    Type.Closed({ verdict: faultVerdict, found: Type.String(), collateral: Type.Array(Type.String()) }),
  ),
});
