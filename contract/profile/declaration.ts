import type { Static } from 'typebox';
import { optional, text } from '../schema-parts.ts';
import { Type } from '../type.ts';

/** Why something is not supported or known to fail: in words alone, or with the last day (UTC) on which that may be so. */
export const declaration = Type.Union([
  text('Why.'),
  Type.Closed({
    reason: text('Why.'),
    until: optional(
      Type.String({
        description: 'Last day on which the entry holds, as 2027-01-31, UTC; for ever unless given.',
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
      }),
    ),
  }),
]);

export type Declaration = Static<typeof declaration>;
