import { commonRoutes } from './parts.ts';
import type { ControlRoute } from './route.ts';
import { serviceScript } from './script.ts';
import { Type } from '../type.ts';

const optional = Type.Optional;

/** Longest lifetime of a token that is asked for, in s: ten years. */
export const longestTokenSeconds = 315_360_000;

/** Objects that one seed may hold. */
export const mostSeedObjects = 1000;

/** Lines of the log that the server keeps: those of some thousand requests. Whoever asks gets all of them, so more would cost each time. */
export const mostLogLines = 5000;

/** Requests of clients that the server keeps. */
export const mostRequests = 1000;

const busy = { 409: 'A restart or a reset is under way.' };

const tokenOrder = Type.Closed({
  identity: Type.String({ description: 'Identity of the profile, as editor or reader, or the name of a user.' }),
  kind: optional(
    Type.Enum(['valid', 'expired', 'not-yet-valid', 'foreign', 'unknown-user'], {
      description: 'valid unless given; foreign: signed with another key.',
    }),
  ),
  lifetimeSeconds: optional(
    Type.Integer({
      minimum: 1,
      maximum: longestTokenSeconds,
      description: 'That of the token endpoint unless given.',
    }),
  ),
});

const seedObject = Type.Closed({
  $id: optional(
    Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
      description: 'Becomes the $oid; others of the seed refer to the object by it. Made up unless given.',
    }),
  ),
  $softType: Type.String({ description: 'Definition of the object.' }),
  data: optional(
    Type.Unknown({
      description:
        'Content, by the first input schema of the definition. Left out, what it has to hold is made up: readable, and the same each time.',
    }),
  ),
  version: optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: '1 unless given.' })),
});

const seedOrder = Type.Closed({
  space: optional(Type.String({ description: 'The space of the profile unless given.' })),
  objects: Type.Array(seedObject, { minItems: 1, maxItems: mostSeedObjects }),
});

const seeded = Type.Object({
  objects: Type.Array(Type.Object({ $oid: Type.String(), href: Type.String(), version: Type.Integer() }), {
    description: 'In the order of the request.',
  }),
});

const received = Type.Object({
  number: Type.Integer({ description: 'Order of arrival, from 1.' }),
  method: Type.String(),
  target: Type.String({ description: 'Path and query as on the request line.' }),
  path: Type.String({ description: 'Path without query.' }),
  headers: Type.Record(Type.String(), Type.String(), { description: 'By names in lower case.' }),
  correlationId: optional(Type.String()),
  status: optional(
    Type.Integer({
      description: 'What was answered; absent while it is under way, and where the connection broke before.',
    }),
  ),
});

const scriptExample = {
  answers: [{ when: { method: 'GET' }, steps: [{ status: 503, headers: { 'Retry-After': '1' } }] }],
};

export const serviceControl = {
  ...commonRoutes,
  profile: {
    method: 'GET',
    path: '/_control/profile.yaml',
    summary: 'Profile of this server',
    description:
      'What `check --profile` takes. A control token that was made up stands in it, one that was given does not. Without token for those on the same machine.',
    open: 'same machine',
    answer: { status: 200, description: 'A profile.', type: 'application/yaml' },
  },
  log: {
    method: 'GET',
    path: '/_control/log',
    summary: 'What the server wrote down',
    description: `The last ${mostLogLines} lines, oldest first, each an object of JSON.`,
    query: { correlationId: Type.String({ description: 'Lines of this request only; empty for all of them.' }) },
    answer: { status: 200, description: 'Lines of JSON.', type: 'text/plain' },
  },
  restart: {
    method: 'POST',
    path: '/_control/restart',
    summary: 'End and come back',
    description:
      'Ends as for an update and starts again at the same address, over the same data and with the same clock. Every connection ends.',
    answer: { status: 204, description: 'Requests are served again.' },
    refusals: busy,
  },
  reset: {
    method: 'POST',
    path: '/_control/reset',
    summary: 'Become as new',
    description:
      'Objects, files, registrations and what waits to be delivered are gone, log and journal are empty, faults, script and clock are as at the start. Address, tokens and connections stay.',
    answer: { status: 204, description: 'Requests are served again.' },
    refusals: busy,
  },
  script: {
    method: 'GET',
    path: '/_control/script',
    summary: 'What stands before the service',
    description: 'Without answers every request reaches the service, and every answer the client.',
    answer: { status: 200, description: 'The script.', schema: serviceScript },
  },
  setScript: {
    method: 'PUT',
    path: '/_control/script',
    summary: 'Answer so, late or not at all',
    description:
      'What a gateway does, or a bad line: other statuses, late answers, lost connections. Takes the place of the script; steps are counted anew. Control routes are left alone.',
    body: { schema: serviceScript, example: scriptExample },
    answer: { status: 200, description: 'The script after that.', schema: serviceScript },
  },
  appendScript: {
    method: 'POST',
    path: '/_control/script',
    summary: 'Answer what is left so',
    description: 'Adds answers behind those that are there, whose counts go on.',
    body: { schema: serviceScript, example: scriptExample },
    answer: { status: 200, description: 'The script after that.', schema: serviceScript },
  },
  clearScript: {
    method: 'DELETE',
    path: '/_control/script',
    summary: 'Leave the service alone',
    description: 'Every request reaches the service again. What is held back goes on to be.',
    answer: { status: 200, description: 'The script after that.', schema: serviceScript },
  },
  journal: {
    method: 'GET',
    path: '/_control/journal',
    summary: 'What clients have sent',
    description: `The last ${mostRequests} requests that fit, oldest first, without their bodies and without those to control routes. Headers hold access tokens.`,
    query: {
      method: Type.String(),
      path: Type.String({ description: 'Path without query; * stands for any text.' }),
      correlationId: Type.String({ description: 'X-Correlation-Id of the request.' }),
      after: Type.Integer({ minimum: 0, description: 'Only requests with a greater number.' }),
    },
    answer: { status: 200, description: 'The requests.', schema: Type.Object({ requests: Type.Array(received) }) },
  },
  clearJournal: {
    method: 'DELETE',
    path: '/_control/journal',
    summary: 'Forget what has arrived',
    description: 'Numbers go on.',
    answer: { status: 204, description: 'Done.' },
  },
  seed: {
    method: 'POST',
    path: '/_control/seed',
    summary: 'Put objects into a space',
    description:
      'All or none, without a user, extension or fault in between, with identifiers and versions of your choice. Items are those of the multi-create route; `instanceRef` leads to the `$id` of any object of the same seed.',
    body: {
      schema: seedOrder,
      example: { objects: [{ $id: 'doc-1', $softType: 'Document', data: { title: 'First' }, version: 3 }] },
    },
    answer: { status: 201, description: 'They are there.', schema: seeded },
    refusals: {
      404: 'There is no such space.',
      409: 'An object with such an identifier is there already.',
      422: 'The content does not fit the definition.',
    },
  },
  tokens: {
    method: 'POST',
    path: '/_control/tokens',
    summary: 'An access token',
    description: 'Of any identity, without its password; or one that has to be refused.',
    body: { schema: tokenOrder, example: { identity: 'editor', kind: 'expired' } },
    answer: {
      status: 201,
      description: 'The token.',
      schema: Type.Object({
        accessToken: Type.String(),
        user: Type.String({ description: 'Whom it names.' }),
        expiresAt: Type.Integer({ description: 'In s since the epoch.' }),
      }),
    },
  },
} as const satisfies Readonly<Record<string, ControlRoute>>;

export type ServiceControl = typeof serviceControl;
