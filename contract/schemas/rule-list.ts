import type { Static } from 'typebox';
import { areas } from '../areas.ts';
import { needs } from '../needs.ts';
import { schemaVersion } from './outcomes.ts';
import { optional } from '../schema-parts.ts';
import { Type } from '../type.ts';

const count = Type.Integer({ minimum: 0 });

const listedRule = Type.Closed({
  id: Type.String(),
  area: Type.Enum(areas),
  side: Type.Enum(['service', 'extension']),
  level: Type.Enum(['must', 'should', 'observe']),
  kind: Type.Enum(['scenario', 'property', 'model', 'race', 'schedule']),
  source: Type.String(),
  statement: Type.String(),
  fault: optional(Type.String({ description: 'The smallest wrong implementation that breaks this rule alone.' })),
  needs: Type.Array(Type.String({ enum: Object.keys(needs) })),
  seconds: optional(Type.Number({ minimum: 0, description: 'Service time of a schedule rule.' })),
  after: optional(Type.Array(Type.String(), { description: 'Rules that it stands on.' })),
});

/** What `rules --json` prints. */
export const ruleListSchema = Type.Closed(
  {
    schemaVersion: Type.Literal(schemaVersion),
    kind: Type.Literal('rules'),
    totals: Type.Closed({ rules: count, must: count, should: count, observe: count }),
    rules: Type.Array(listedRule),
  },
  { $id: 'https://svc-conformance.example/schema/rules.json', title: 'Output of rules --json' },
);

export type RuleList = Static<typeof ruleListSchema>;
