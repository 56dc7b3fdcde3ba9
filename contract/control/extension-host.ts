import { commonRoutes } from './parts.ts';
import type { ControlRoute } from './route.ts';
import { Type } from '../type.ts';

/** Longest wait of one request for entries, in ms. */
const longestAwaitMs = 60_000;

/** Entries in one answer. */
export const mostEntries = 1000;

const kinds = ['metadata', 'event', 'validation', 'task', 'email', 'action', 'endpoint', 'other'] as const;

const filters = {
  kind: Type.Enum([...kinds], { description: 'What the request was to the host.' }),
  method: Type.String(),
  path: Type.String({ description: 'Path below hostUri, without query.' }),
  correlationId: Type.String({ description: 'Id of the envelope, else the X-Correlation-Id header.' }),
  recordId: Type.String({ description: 'Record of the metadata whose endpoint was called.' }),
  after: Type.Integer({ minimum: 0, description: 'Only entries with a greater number.' }),
};

const signature = Type.Object(
  {
    presented: Type.Optional(Type.String({ description: 'The bearer value; absent where there was none.' })),
    over: Type.Array(Type.Enum(['path', 'below-base', 'target']), { description: 'What it signs.' }),
    ok: Type.Boolean({ description: 'Whether that is the path, or its part below hostUri.' }),
  },
  { description: 'Only where the host has a key.' },
);

const entry = Type.Object({
  number: Type.Integer({ description: 'Order of arrival, from 1.' }),
  base: Type.String({ description: 'Path of hostUri; empty at the root.' }),
  kind: filters.kind,
  method: Type.String(),
  target: Type.String({ description: 'Path and query as on the request line.' }),
  path: filters.path,
  headers: Type.Array(Type.Array(Type.String()), { description: 'Name and value of each, as sent.' }),
  body: Type.Optional(Type.String({ description: 'Where it is UTF-8; else bodyBase64.' })),
  bodyBase64: Type.Optional(Type.String()),
  cutShort: Type.Boolean({ description: 'Whether the body was longer than the host keeps.' }),
  envelope: Type.Optional(Type.Object({})),
  correlationId: Type.Optional(Type.String()),
  recordId: Type.Optional(Type.String()),
  signature: Type.Optional(signature),
  arrivedAt: Type.Number({ description: 'In ms of the clock of the host.' }),
  arrivedWall: Type.String({ description: 'RFC 3339.' }),
  status: Type.Optional(Type.Integer({ description: 'What was answered.' })),
  endedAt: Type.Optional(Type.Number()),
  ending: Type.Optional(Type.String({ description: 'answered, cut or abandoned; absent while it is under way.' })),
});

const script = Type.Closed({
  answers: Type.Array(Type.Unsafe<object>({ type: 'object' }), {
    maxItems: 10_000,
    description: 'Each with `steps`, and `when`, `per` and `afterwards` if wanted. The first that fits decides.',
  }),
});

const example = { answers: [{ when: { kind: 'event' }, steps: [{ status: 503 }, { status: 200 }] }] };

export const extensionHostControl = {
  ...commonRoutes,
  reset: {
    method: 'POST',
    path: '/_control/reset',
    summary: 'Become as new',
    description:
      'The journal is empty, script, faults and clock are as at the start, work under way is given up, acquired keys are forgotten.',
    answer: { status: 204, description: 'Done.' },
  },
  script: {
    method: 'GET',
    path: '/_control/script',
    summary: 'How calls are answered',
    description: 'Without answers every call is answered right.',
    answer: { status: 200, description: 'The script.', type: 'application/json', schema: script },
    refusals: { 409: 'The script is a function of a module, which cannot be shown.' },
  },
  setScript: {
    method: 'PUT',
    path: '/_control/script',
    summary: 'Answer so',
    description: 'Takes the place of the script; steps are counted anew. YAML is taken as well as JSON.',
    body: { schema: script, example, yaml: true },
    answer: { status: 200, description: 'The script after that.', schema: script },
  },
  appendScript: {
    method: 'POST',
    path: '/_control/script',
    summary: 'Answer what is left so',
    description: 'Adds answers behind those that are there, whose counts go on.',
    body: { schema: script, example, yaml: true },
    answer: { status: 200, description: 'The script after that.', schema: script },
    refusals: { 409: 'The script is a function of a module, to which nothing can be added.' },
  },
  clearScript: {
    method: 'DELETE',
    path: '/_control/script',
    summary: 'Answer right',
    description: 'Every call gets the right answer for its kind again.',
    answer: { status: 200, description: 'The script after that.', schema: script },
  },
  journal: {
    method: 'GET',
    path: '/_control/journal',
    summary: 'What has arrived, or will',
    description: `The first ${mostEntries} entries that fit, oldest first. With \`awaitMs\` the answer comes when \`count\` of them have arrived, or after that time. Bodies and headers hold access tokens.`,
    query: {
      ...filters,
      count: Type.Integer({ minimum: 1, maximum: mostEntries, description: '1 unless given.' }),
      awaitMs: Type.Integer({ minimum: 0, maximum: longestAwaitMs, description: 'In real time; 0 unless given.' }),
      ended: Type.Enum(['true'], { description: 'Only entries whose request has ended.' }),
    },
    answer: {
      status: 200,
      description: 'The entries.',
      schema: Type.Object({
        entries: Type.Array(entry),
        complete: Type.Boolean({ description: 'Whether `count` of them are there.' }),
      }),
    },
  },
  clearJournal: {
    method: 'DELETE',
    path: '/_control/journal',
    summary: 'Forget what has arrived',
    description: 'Numbers go on. A journal file keeps what it has.',
    answer: { status: 204, description: 'Done.' },
  },
} as const satisfies Readonly<Record<string, ControlRoute>>;

export type ExtensionHostControl = typeof extensionHostControl;
