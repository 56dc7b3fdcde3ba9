import { timelineLimits } from '../limits.ts';
import { Type } from '../type.ts';

/** Farthest from zero, in ms: a hundred days. */
const farthestMs = 8_640_000_000;

const text = Type.String({ maxLength: timelineLimits.characters });
const time = Type.Integer({ minimum: -farthestMs, maximum: farthestMs, description: 'Milliseconds from zero.' });
const optionalTime = Type.Optional(time);
const count = Type.Integer({ minimum: 0, maximum: 10_000 });

const expected = Type.Object({
  label: text,
  fromMs: time,
  untilMs: optionalTime,
  calls: Type.Integer({ minimum: 0, maximum: 10_000, description: 'How many are due in that span; 0: none may come.' }),
  missing: Type.Optional(count),
});

const seen = Type.Object({
  label: text,
  atMs: time,
  untilMs: optionalTime,
  status: Type.Optional(Type.Integer({ minimum: 0, maximum: 999, description: 'What it was answered with.' })),
  isOff: Type.Optional(Type.Boolean({ description: 'Outside the span in which it was due, or not due at all.' })),
});

/** A schedule as the documents have it, and what came. */
const timelineSchema = Type.Object({
  title: text,
  zero: Type.String({ maxLength: timelineLimits.characters, description: 'What happened at 0 ms.' }),
  expected: Type.Array(expected, { maxItems: timelineLimits.expected }),
  seen: Type.Array(seen, { maxItems: timelineLimits.seen }),
  leftOut: Type.Optional(count),
});

export const timelinesSchema = Type.Array(timelineSchema, { maxItems: timelineLimits.timelines });
