import { sequenceSchema } from '../../contract/control/steps.ts';
import type { Static } from 'typebox';
import { Type } from '../../contract/type.ts';

const optional = Type.Optional;

/**
 * What the host does with one request. Without `status` it is the right answer for the kind of call; with it, exactly what is stated,
 * without a body where none is.
 */
const stepSchema = Type.Closed({
  status: optional(Type.Integer({ minimum: 200, maximum: 599 })),
  headers: optional(Type.Record(Type.String(), Type.String())),
  json: optional(Type.Unknown({ description: 'Body, sent as JSON.' })),
  text: optional(Type.String({ description: 'Body, sent as it is: malformed JSON for example.' })),
  delayMs: optional(Type.Number({ minimum: 0, description: 'Time before the first byte of the answer.' })),
  dribbleMs: optional(
    Type.Number({ minimum: 0, description: 'Time over which the body is sent in pieces, after the head.' }),
  ),
  never: optional(Type.Literal(true, { description: 'Takes the request and never answers.' })),
  cut: optional(
    Type.Enum(['before-request-body', 'before-answer', 'in-status-line', 'before-body', 'in-body', 'after-body'], {
      description: 'Where the connection breaks.',
    }),
  ),
  how: optional(
    Type.Enum(['reset', 'close'], {
      description: 'How it breaks: reset (the default), or closed in order.',
    }),
  ),
});
export type Step = Static<typeof stepSchema>;

const pattern = Type.Closed({
  kind: optional(
    Type.Unsafe<string>(
      Type.Enum(['metadata', 'event', 'validation', 'task', 'email', 'action', 'endpoint', 'other'], {
        description: 'What the request is to the host.',
      }),
    ),
  ),
  method: optional(Type.String()),
  path: optional(Type.String({ description: 'Path below the base; * stands for any text.' })),
  correlationId: optional(Type.String()),
  recordId: optional(Type.String()),
  objectId: optional(Type.String({ description: 'objectId of the payload.' })),
  contains: optional(Type.String({ description: 'Text that the body holds.' })),
});
/** Which requests an answer is for; everything that is stated has to fit. The metadata exchange is meant only where `kind` says so. */
export type Pattern = Static<typeof pattern>;

const answerSchema = sequenceSchema(stepSchema, pattern, 'the right answer');
/** A sequence of steps for the requests that fit. */
export type ScriptedAnswer = Static<typeof answerSchema>;

/** A script as a file holds it. The first answer that fits a request decides. */
export const scriptSchema = Type.Closed({ answers: Type.Array(answerSchema, { maxItems: 10_000 }) });
