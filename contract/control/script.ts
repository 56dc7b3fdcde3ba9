import { sequenceSchema } from './steps.ts';
import type { Static } from 'typebox';
import { OrderError } from './route.ts';
import { Type } from '../type.ts';

const optional = Type.Optional;

const step = Type.Closed({
  status: optional(
    Type.Integer({
      minimum: 200,
      maximum: 599,
      description:
        'Answered in the place of the service, which does not see the request. Without it the service answers.',
    }),
  ),
  headers: optional(
    Type.Record(Type.String(), Type.String(), { description: 'Of that answer, as Retry-After; only with a status.' }),
  ),
  json: optional(Type.Unknown({ description: 'Body of that answer, sent as JSON; only with a status.' })),
  text: optional(
    Type.String({ description: 'Body of that answer, sent as it is: HTML, or malformed JSON; only with a status.' }),
  ),
  delayMs: optional(
    Type.Number({
      minimum: 0,
      maximum: 600_000,
      description: 'Time before the answer, in real time. Without a status the work is done before it passes.',
    }),
  ),
  never: optional(
    Type.Literal(true, { description: 'Takes the request and never answers; the service does not see it.' }),
  ),
  cut: optional(
    Type.Enum(['before-request-body', 'before-answer', 'in-body'], {
      description:
        'Where the connection breaks: before the service sees anything, when the work is done and the answer would come, or in the middle of its body.',
    }),
  ),
});
/** What becomes of one request to the service; the table in [docs/control.md](control.md#a-gateway-that-is-busy-a-line-that-is-bad) says of each kind what the client sees. */
export type ServiceStep = Static<typeof step>;

const pattern = Type.Closed({
  method: optional(Type.String()),
  path: optional(Type.String({ description: 'Path without query, from the root on; * stands for any text.' })),
  correlationId: optional(Type.String({ description: 'X-Correlation-Id of the request.' })),
});

const answer = sequenceSchema(step, pattern, 'the service');
/** Steps for the requests that fit; everything that is stated has to. */
export type ServiceAnswer = Static<typeof answer>;

/** What stands between the clients and the service. The first answer that fits a request decides. */
export const serviceScript = Type.Closed({ answers: Type.Array(answer, { maxItems: 10_000 }) });

/** @throws {OrderError} a step that says what is answered, and not with which status */
export function assertStatuses(answers: readonly ServiceAnswer[]): void {
  for (const [index, { steps }] of answers.entries())
    for (const [at, { status, headers, json, text }] of steps.entries()) {
      if (status !== undefined) continue;
      const [name] = Object.entries({ headers, json, text }).find(([, value]) => value !== undefined) ?? [];
      if (name === undefined) continue;
      throw new OrderError(
        `Expected a status beside ${name}, as without one the service itself answers.`,
        `/answers/${index}/steps/${at}`,
      );
    }
}
