import { createHmac } from 'node:crypto';
import { jsonOf } from '../../contract/json.ts';
import type { Answer, Call, Transport } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, replaces, together } from '../breaks.ts';
import { carriesJson, changingObjects, isObject, mapped, withJson, type Choice } from './choice.ts';

export const interimAnswers: Variant = sending((turn) => ({ interim: turn % 3 === 0 }));

/** No answer has a date, and none the usual words behind its status: others, or none. */
export const datelessAnswers: Variant = sending((turn) => ({
  dateless: true,
  reason: turn % 2 === 0 ? '' : 'So it is',
}));

/** Tokens name the key by which they are signed, and those that do not are none. */
export const keysNamed: Variant = together(
  replaces('tokens', 'signClaims', async (_right, areas, claims) => {
    const [header, payload] = [{ kid: 'key', alg: 'HS512' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const key = areas.tokens.signingKeysOf().access;
    return `${header}.${payload}.${createHmac('sha512', key).update(`${header}.${payload}`).digest('base64url')}`;
  }),
  replaces('tokens', 'verifyToken', async (right, areas, token) => {
    const header = jsonOf(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    if (!isObject(header) || header['kid'] !== 'key') throw areas.tokens.unusableToken('The token names no key.');
    return right(areas, token);
  }),
);

export const peculiarWire: readonly Choice[] = [
  /** Paths of a definition are told below the API root, which its server names. */
  {
    meets: 'paths below the server of a definition',
    silences: [],
    by: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const document = right(areas, space);
      const paths = isObject(document['paths']) ? Object.entries(document['paths']) : [];
      const told = paths.map(([path, item]) =>
        path.startsWith('/api/')
          ? ([path.slice('/api'.length), item] as const)
          : ([path, isObject(item) ? { ...item, servers: [{ url: '/' }] } : item] as const),
      );
      return { ...document, servers: [{ url: '/api' }], paths: Object.fromEntries(told) };
    }),
  },
  /** Paths tell their server themselves, schemas have ids and examples of objects that have one, and members are those of answers or of requests alone. */
  {
    meets: 'a definition in parts',
    silences: [],
    by: replaces('openApi', 'dynamicDocument', (right, areas, space) => {
      const { paths, components, ...document } = right(areas, space);
      const isBelowApi = JSON.stringify(document['servers'])?.includes('"/api"') === true;
      const told = Object.entries(isObject(paths) ? paths : {}).map(([path, item]) => {
        const whole = isBelowApi ? `/api${path}` : path;
        const [, root, rest] = /^(\/api\/space\/[^/]+)(\/.+)$/.exec(whole) ?? [];
        if (root === undefined || rest === undefined || !isObject(item) || 'servers' in item)
          return [path, item] as const;
        return [rest, { ...item, servers: [{ url: root }] }] as const;
      });
      const named = { type: 'object', properties: { $id: { type: 'string' } }, example: { $id: 'one' } };
      const note = {
        $id: 'https://svc.example/note',
        $defs: { text: { type: 'string' } },
        type: 'object',
        properties: { text: { $ref: '#/$defs/text' } },
      };
      const known = Object.entries(
        isObject(components) && isObject(components['schemas']) ? components['schemas'] : {},
      );
      const schemas = Object.fromEntries(known.map(([name, schema]) => [name, withMarks(name, schema)]));
      return {
        ...document,
        'x-origin': { $ref: '#/nowhere' },
        paths: Object.fromEntries(told),
        components: {
          ...(isObject(components) && components),
          schemas: { ...schemas, Item: named, Other: named, Note: note },
        },
      };
    }),
  },
  /** A correlation id is that of one write, which may be sent again, and of no more than 128 characters. */
  {
    meets: 'correlation ids of one write each',
    silences: [],
    by: (classes) => {
      const seen = new Map<string, string>();
      return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
        if (!call.correlationGiven || call.method === 'GET') return right(areas, route, call);
        const request = `${call.method} ${call.url} ${call.body?.toString() ?? ''}`;
        const other = seen.get(call.correlationId) ?? request;
        if (other !== request || call.correlationId.length > 128)
          throw new Refusal(400, 'A correlation id is a short one, and that of one request.');
        seen.set(call.correlationId, request);
        return right(areas, route, call);
      })(classes);
    },
  },
  { meets: 'tokens that name their key', silences: ['token-claims-and-lifetime'], by: keysNamed },
  /** A token is granted with more than is asked for, its end as a text, and for bearers in small letters. */
  {
    meets: 'grants in text',
    silences: ['token-response-members'],
    by: replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
      const answer = right(areas, form, token);
      const body = mapped(answer.body, (object) => ({
        ...object,
        token_type: 'bearer',
        expires_in: String(object['expires_in']),
        refresh_token: 'none',
        scope: 'All',
      }));
      return { ...answer, body };
    }),
  },
  /** What a URI may hold as it is, it holds encoded: dashes and underscores of ids. */
  {
    meets: 'URIs with dashes encoded',
    silences: [],
    by: changingUris((path) => {
      const [plain = '', ...query] = path.split('?');
      return [plain.replaceAll('-', '%2D').replaceAll('_', '%5F'), ...query].join('?');
    }),
  },
  /** URIs are relative to what was asked for; those in a batch, which asks for much, to the host. */
  {
    meets: 'URIs relative to the request',
    silences: ['uri-absolute-or-relative'],
    by: changingUris((path, call) =>
      isOperation(call) || call.url.endsWith('/batch') ? path : relativeTo(call.url, path),
    ),
  },
  /** What refuses an edit says at which version the object is; what takes one says where it is. */
  {
    meets: 'place and version told of edits',
    silences: ['version-header-on-other-responses'],
    by: replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = await right(areas, call, answer);
      const { spaceId, objectId } = call.params;
      const isEdit = call.method === 'PUT' || call.method === 'PATCH';
      if (!isEdit || isOperation(call) || spaceId === undefined || objectId === undefined) return finished;
      const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
      if (object === undefined) return finished;
      const isRefused = finished.status === 409 || finished.status === 412;
      if (isRefused) return withHeaders(finished, { 'Svc-UOIVersion': String(object.version) });
      const place = areas.objects.locationOf(spaceId, objectId);
      return finished.status < 300 ? withHeaders(finished, { 'Content-Location': place, Location: place }) : finished;
    }),
  },
  {
    meets: 'whole numbers with a fraction',
    silences: [],
    by: changingTexts((text) =>
      text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (part) => (/^-?\d+$/.test(part) ? `${part}.0` : part)),
    ),
  },
  { meets: 'blanks around JSON', silences: [], by: changingTexts((text) => `\r\n\t ${text}\n\n`) },
  /** Now and then a body has no length: it ends with its connection. */
  {
    meets: 'bodies that end with their connection',
    silences: [],
    by: sending((turn) => (turn % 6 === 0 ? { close: 'with the body' } : {})),
  },
  { meets: 'interim answers', silences: [], by: interimAnswers },
  { meets: 'answers without date', silences: [], by: datelessAnswers },
];

/** Whether the call is an operation of a batch. */
export function isOperation(call: Call): boolean {
  return 'isChangedHere' in call;
}

/** What the end of a base and a path have in common is left out of the path. */
export function relativeTo(base: string, path: string): string {
  const from = (base.split('?', 1)[0] ?? '').split('/').slice(0, -1);
  const to = path.split('/');
  const common = to.findIndex((segment, index) => segment !== from[index] || index === to.length - 1);
  const relative = [...from.slice(common).map(() => '..'), ...to.slice(common)].join('/');
  // a colon in the first segment would make it a scheme
  return /^[^/?]*:/.test(relative) || relative === '' || relative.startsWith('?') ? `./${relative}` : relative;
}

/** Every URI of an answer that is a path, in JSON and in Location. */
export function changingUris(change: (path: string, call: Call) => string): Variant {
  const changed = (uri: string, call: Call): string => (/^\/(?!\/)/.test(uri) ? change(uri, call) : uri);
  return together(
    changingObjects((object, call) =>
      typeof object['href'] === 'string' ? { ...object, href: changed(object['href'], call) } : object,
    ),
    replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = await right(areas, call, answer);
      const location = finished.headers?.['Location'];
      return location === undefined ? finished : withHeaders(finished, { Location: changed(location, call) });
    }),
  );
}

/** The JSON of every answer as it is written; what an operation answers is written with its batch. */
export function changingTexts(change: (text: string) => string): Variant {
  return replaces('messages', 'finish', async (right, areas, call, answer) => {
    const finished = await right(areas, call, answer);
    if (isOperation(call) || !carriesJson(finished)) return finished;
    const text = finished.raw?.toString() ?? JSON.stringify(finished.body);
    const isTyped = Object.keys(finished.headers ?? {}).some((name) => name.toLowerCase() === 'content-type');
    const typed = isTyped ? finished : withHeaders(finished, { 'Content-Type': 'application/json' });
    return { ...withJson(typed, undefined), raw: change(text) };
  });
}

function withHeaders(answer: Answer, headers: Readonly<Record<string, string>>): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Answers are sent in another way by turns; `turn` counts from 1. */
function sending(transportOf: (turn: number) => Transport): Variant {
  return (classes) => {
    let turn = 0;
    return replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = await right(areas, call, answer);
      turn += 1;
      return { ...finished, transport: { ...finished.transport, ...transportOf(turn) } };
    })(classes);
  };
}

/** What is created needs nothing that answers alone have, and what is read nothing that requests alone have. */
function withMarks(name: string, schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema['properties'])) return schema;
  const { properties, required } = schema;
  const isInput = name.endsWith('.create');
  if (!isInput && !name.endsWith('.data')) return schema;
  const member = isInput ? 'stamp' : 'reason';
  const marked = { type: 'string', [isInput ? 'readOnly' : 'writeOnly']: true };
  return {
    ...schema,
    properties: { ...properties, [member]: marked },
    required: [...(Array.isArray(required) ? required : []), member],
  };
}
