import type { ControlRoute } from './route.ts';
import { Type } from '../type.ts';

const optional = Type.Optional;

const timer = Type.Object({
  at: Type.Number({ description: 'Due time, in ms since the epoch.' }),
  tag: Type.String({ description: 'What waits.' }),
});

const timers = Type.Array(timer, { description: 'What waits for time, in the order in which it is due.' });

const clockState = Type.Object({
  now: Type.Number({ description: 'In ms since the epoch.' }),
  running: Type.Boolean({ description: 'Whether time passes by itself. It stands still from the first move on.' }),
  timers,
  calls: Type.Integer({ description: 'Requests to other hosts that are under way.' }),
});

const clockMoved = Type.Object({
  ...clockState.properties,
  fired: Type.Array(timer, { description: 'What fell due on the way.' }),
});

/** At most one of by, to, next and run. */
const clockOrder = Type.Closed({
  by: optional(Type.Number({ minimum: 0, description: 'Moves time on, in ms; 0 just stops it.' })),
  to: optional(Type.Number({ description: 'Moves time on to this, in ms since the epoch.' })),
  next: optional(Type.Literal(true, { description: 'Moves time on to the earliest timer.' })),
  run: optional(Type.Boolean({ description: 'true lets time pass by itself, from where it stands; false stops it.' })),
  held: optional(
    Type.Integer({ minimum: 0, description: 'Requests to other hosts that the client keeps open meanwhile.' }),
  ),
});

const faultsState = Type.Object({
  set: Type.Array(Type.String(), { description: 'Rules that are broken now.' }),
  known: Type.Array(Type.String(), { description: 'Rules that can be broken.' }),
});

const faultsOrder = Type.Closed({
  faults: Type.Array(Type.String(), { maxItems: 100, description: 'Ids of rules, as `rules` lists them.' }),
});

/** What the control routes of service and extension host have in common. */
export const commonRoutes = {
  openapi: {
    method: 'GET',
    path: '/_control/openapi.json',
    summary: 'This description',
    description: 'The description of the control routes in OpenAPI 3.1.',
    open: 'everybody',
    answer: { status: 200, description: 'An OpenAPI document.', type: 'application/json', schema: Type.Object({}) },
  },
  clock: {
    method: 'GET',
    path: '/_control/clock',
    summary: 'How time stands',
    description: 'Time passes by itself until it is moved.',
    answer: { status: 200, description: 'The clock.', schema: clockState },
  },
  moveClock: {
    method: 'POST',
    path: '/_control/clock',
    summary: 'Move time, stop it, or let it run',
    description:
      'One of `by`, `to`, `next` and `run`, or none of them with `held` alone. A move goes from timer to timer, does at each what is due, and answers when nothing goes on any more but what waits for time.',
    body: { schema: clockOrder, example: { by: 60_000 } },
    answer: { status: 200, description: 'The clock after the move.', schema: clockMoved },
  },
  faults: {
    method: 'GET',
    path: '/_control/faults',
    summary: 'Which rules are broken',
    description: 'What is broken on purpose, and what could be.',
    answer: { status: 200, description: 'The faults.', schema: faultsState },
  },
  setFaults: {
    method: 'PUT',
    path: '/_control/faults',
    summary: 'Break these rules and no others',
    description: 'Takes the place of whatever was set before. Data, clock and address stay.',
    body: { schema: faultsOrder, example: { faults: ['paging.page-one.holds-the-rest'] } },
    answer: { status: 200, description: 'The faults after that.', schema: faultsState },
  },
  clearFaults: {
    method: 'DELETE',
    path: '/_control/faults',
    summary: 'Break nothing',
    description: 'Data, clock and address stay.',
    answer: { status: 200, description: 'The faults after that.', schema: faultsState },
  },
} as const satisfies Readonly<Record<string, ControlRoute>>;
