import type { Static } from 'typebox';
import { Type } from '../../contract/type.ts';

const optional = Type.Optional;
/** Without limits a slip of the pen makes a run that never ends, or a timer that rings at once. */
const [mostWeight, mostThinkMs, mostUsers, mostRate, mostSeconds, mostFactor] = [
  1_000_000, 3_600_000, 10_000, 1_000_000, 604_800, 100,
];
const time = Type.Number({ minimum: 0, maximum: mostThinkMs });
const range = (description: string) => optional(Type.Tuple([time, time], { description }));

/** Objects that are made before the load begins, unless the mix says how many. */
export const usualObjects = 50;

const weightOf = Type.Number({
  minimum: 0,
  maximum: mostWeight,
  description: 'Share of the journeys that begin, relative to the others.',
});
const thinkOf = range('Shortest and longest pause between two requests of a user, in ms.');

/** How often a journey is begun, and how. */
const journey = optional(Type.Closed({ weight: weightOf, thinkMs: thinkOf }));

/** One of both, which `assertMix` sees to: of a union of closed objects a wrong number would be called an unknown key. */
const load = Type.Unsafe<{ readonly users: number } | { readonly rate: number }>(
  Type.Closed({
    users: optional(Type.Integer({ minimum: 1, maximum: mostUsers, description: 'Users of a closed loop.' })),
    rate: optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: mostRate,
        description: 'Journeys that begin per second (open model).',
      }),
    ),
  }),
);

/** What traffic consists of, as a YAML file says it. */
export const mixSchema = Type.Closed(
  {
    mixVersion: Type.Literal(1),
    journeys: Type.Closed({
      reader: journey,
      author: journey,
      'editor-pair': journey,
      importer: journey,
      approver: journey,
      'file-user': journey,
      'extension-life': journey,
      'gate-keeper': journey,
      'bulk-loader': journey,
      'task-runner': journey,
      'key-holder': journey,
    }),
    own: optional(
      Type.Closed(
        {
          module: Type.String({
            minLength: 1,
            description:
              'File in TypeScript or JavaScript, from the folder of the mix on, that exports `journeys`: by name, what one user does.',
          }),
          journeys: Type.Record(
            Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$' }),
            Type.Closed({ weight: weightOf, thinkMs: thinkOf }),
            { additionalProperties: false, minProperties: 1, description: 'Which of them are begun, and how often.' },
          ),
        },
        { description: 'Journeys of your own, beside those above or in their place.' },
      ),
    ),
    load: optional(load),
    arrivals: optional(
      // a union of literals would be told of as two errors
      Type.Unsafe<'even' | 'poisson'>(
        Type.String({
          enum: ['even', 'poisson'],
          description:
            'Of a rate: at even distances, or each by chance, as those of users who do not know of each other; even unless given.',
        }),
      ),
    ),
    stages: optional(
      Type.Array(
        Type.Closed({
          seconds: Type.Number({ exclusiveMinimum: 0, maximum: mostSeconds }),
          to: Type.Number({
            minimum: 0,
            maximum: mostFactor,
            description: 'Load at the end of the stage, as a factor of the full one.',
          }),
        }),
        { minItems: 1, description: 'Takes the place of rampSeconds and durationSeconds.' },
      ),
    ),
    rampSeconds: optional(Type.Number({ minimum: 0, maximum: mostSeconds })),
    durationSeconds: optional(Type.Number({ exclusiveMinimum: 0, maximum: mostSeconds })),
    objects: optional(
      Type.Integer({
        minimum: 1,
        maximum: 100_000,
        description: `Objects that are made before the load begins; ${usualObjects} unless given.`,
      }),
    ),
    thresholds: optional(
      Type.Array(
        Type.String({ description: "As p99<200ms, errors<1%, rate>100/s; 'read:p95<50ms' for one operation." }),
      ),
    ),
  },
  { title: 'Mix of journeys', $id: 'https://svc-conformance.example/schema/mix.json' },
);

export type Mix = Static<typeof mixSchema>;
export type JourneyName = keyof Mix['journeys'];
