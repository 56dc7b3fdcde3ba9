import { Type, type Static } from 'typebox';

const closed = { additionalProperties: false } as const;
const optional = Type.Optional;
const range = (description: string) =>
  optional(Type.Tuple([Type.Number({ minimum: 0 }), Type.Number({ minimum: 0 })], { description }));

/** How often a journey is begun, and how. */
const journey = optional(
  Type.Object(
    {
      weight: Type.Number({ minimum: 0, description: 'Share of the journeys that begin, relative to the others.' }),
      thinkMs: range('Shortest and longest pause between two requests of a user, in ms.'),
    },
    closed,
  ),
);

/** What traffic consists of, as a YAML file says it. */
export const mixSchema = Type.Object(
  {
    mixVersion: Type.Literal(1),
    journeys: Type.Object(
      {
        reader: journey,
        author: journey,
        'editor-pair': journey,
        importer: journey,
        approver: journey,
        'file-user': journey,
        'extension-life': journey,
        'gate-keeper': journey,
      },
      { ...closed, minProperties: 1 },
    ),
    load: optional(
      Type.Union([
        Type.Object({ users: Type.Integer({ minimum: 1, description: 'Users of a closed loop.' }) }, closed),
        Type.Object({ rate: Type.Number({ exclusiveMinimum: 0, description: 'Journeys that begin per second (open model).' }) }, closed),
      ]),
    ),
    stages: optional(
      Type.Array(
        Type.Object(
          {
            seconds: Type.Number({ exclusiveMinimum: 0 }),
            to: Type.Number({ minimum: 0, description: 'Load at the end of the stage, as a factor of the full one.' }),
          },
          closed,
        ),
        { description: 'Takes the place of ramp and duration.' },
      ),
    ),
    rampSeconds: optional(Type.Number({ minimum: 0 })),
    durationSeconds: optional(Type.Number({ exclusiveMinimum: 0 })),
    objects: optional(Type.Integer({ minimum: 1, maximum: 100_000, description: 'Objects that are made before the load begins; 50 unless given.' })),
    thresholds: optional(Type.Array(Type.String({ description: "As p99<200ms, errors<1%, rate>100/s; 'read:p95<50ms' for one operation." }))),
  },
  { ...closed, title: 'Mix of journeys', $id: 'https://svc-conformance.example/schema/mix.json' },
);

export type Mix = Static<typeof mixSchema>;
export type JourneyName = keyof Mix['journeys'];
