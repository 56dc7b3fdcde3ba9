import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Answer, Call, Transport } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import { type Variant, together, replaces } from '../breaks.ts';
import {
  type Json,
  carriesJson,
  changingObjects,
  changingValues,
  isObject,
  jsonIn,
  mapped,
  withJson,
  withoutHeaders,
  type Choice,
} from './choice.ts';

/** JSON goes by a type of its own with the suffix, or with capitals and a parameter, by turns. */
export const otherJsonTypes: Variant = (classes) => {
  let turn = 0;
  const next = (): string =>
    ['application/vnd.strange+json', 'Application/JSON;Charset="UTF-8"'][(turn += 1) % 2] ?? '';
  return replaces('messages', 'finish', async (right, areas, call, answer) => {
    const finished = await right(areas, call, answer);
    if (!carriesJson(finished)) return finished;
    const { 'Content-Type': given = 'application/json', ...headers } = finished.headers ?? {};
    return { ...finished, headers: { ...headers, 'Content-Type': given === 'application/json' ? next() : given } };
  })(classes);
};

const further = {
  Server: 'strange',
  'X-Served-By': 'one of many',
  'API-Version': '3',
  'Set-Cookie': 'strange=1; Path=/; HttpOnly',
};

/** Members that are in every answer, and never null. */
const firm = new Set([
  'href',
  'data',
  'version',
  'links',
  'schema',
  'rel',
  'method',
  '$version',
  '$oid',
  '$softType',
  '$entryId',
]);

/** The OpenAPI document of a space tells of nulls, of arrays left out, and of the statuses and types that there are. */
export const describesItself: Variant = described('application/vnd.strange+json');

export const describesPlainJson: Variant = described(mediaTypes.json);

export const wireChoices: readonly Choice[] = [
  {
    meets: 'the version header on reads',
    silences: ['version-header-on-other-responses'],
    by: together(
      replaces('instances', 'readInstance', async (right, ...args) => versioned(await right(...args))),
      replaces('paging', 'readPage', async (right, ...args) => versioned(await right(...args))),
    ),
  },
  {
    meets: 'an OpenAPI document below the API root only',
    silences: ['openapi-path-prefix'],
    by: replaces('openApi', 'readDynamicOpenApi', async (right, areas, call) => {
      if (call.url.startsWith('/api/')) return right(areas, call);
      throw new Refusal(404, 'The document lies below /api.');
    }),
  },
  {
    meets: 'an OpenAPI document of its own media type',
    silences: ['openapi-version-and-media-type'],
    by: together(
      replaces('openApi', 'readDynamicOpenApi', async (right, ...args) => named(await right(...args))),
      replaces('openApi', 'readStaticOpenApi', async (right, ...args) => named(await right(...args))),
    ),
  },
  { meets: 'an OpenAPI document that tells of all this', silences: [], by: describesItself },
  /** URIs name the host, the one that the client asked: in bodies with the scheme, in Location without it. */
  {
    meets: 'URIs that name the host',
    silences: ['uri-absolute-or-relative'],
    by: together(
      changingObjects((object, call) =>
        typeof object['href'] === 'string' ? { ...object, href: absolute(call, object['href']) } : object,
      ),
      replaces('messages', 'finish', async (right, areas, call, answer) => {
        const finished = await right(areas, call, answer);
        const location = finished.headers?.['Location'];
        if (location === undefined) return finished;
        return {
          ...finished,
          headers: { ...finished.headers, Location: absolute(call, location).replace(/^http:/, '') },
        };
      }),
    ),
  },
  /** Members of objects stand in another order in each answer: the opposite one, from another member on by turns. */
  {
    meets: 'members in another order in each answer',
    silences: [],
    by: (classes) => {
      let turn = 0;
      return changingValues((value) => {
        turn += 1;
        return mapped(value, (object) => turnedRound(object, turn));
      })(classes);
    },
  },
  { meets: 'JSON types with suffix or parameter', silences: [], by: otherJsonTypes },
  {
    meets: 'indented JSON in ASCII',
    silences: [],
    by: replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = await right(areas, call, answer);
      const value = jsonIn(finished);
      if (value === undefined) return finished;
      return { ...typed(withJson(finished, undefined)), raw: asciiOf(JSON.stringify(value, undefined, ' \t')) };
    }),
  },
  /** Every text of JSON has its letters e and its slashes escaped, names of members included. */
  {
    meets: 'JSON with letters escaped',
    silences: [],
    by: replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = await right(areas, call, answer);
      if (!carriesJson(finished)) return finished;
      const text = finished.raw?.toString() ?? JSON.stringify(finished.body);
      return { ...typed(withJson(finished, undefined)), raw: escapedIn(text) };
    }),
  },
  /** Headers that nobody asked for; those about caching and correlation are left out. */
  {
    meets: 'other headers',
    silences: ['correlation-id-echo', 'cache-control', 'api-versioning-scheme'],
    by: replaces('messages', 'finish', async (right, areas, call, answer) => {
      const finished = withoutHeaders(await right(areas, call, answer), 'x-correlation-id', 'cache-control');
      return { ...finished, headers: { ...finished.headers, ...further } };
    }),
  },
  { meets: 'header names in capitals', silences: [], by: sending(() => ({ upperCaseHeaders: true })) },
  { meets: 'chunked bodies', silences: [], by: sending((turn) => ({ chunked: turn % 3 !== 0 })) },
  /** Every seventh answer takes 1 to 50 ms longer. */
  { meets: 'slow answers', silences: [], by: sending((turn) => (turn % 7 === 0 ? { delayMs: 1 + (turn % 50) } : {})) },
  /** Connections end after some answers, with and without saying so beforehand. */
  {
    meets: 'connections that end',
    silences: [],
    by: sending((turn) => {
      if (turn % 5 !== 0) return {};
      return { close: turn % 2 === 0 ? 'announced' : 'silent' };
    }),
  },
];

function described(mediaType: string): Variant {
  return replaces('openApi', 'dynamicDocument', (right, areas, space) => {
    const document = right(areas, space);
    const { components, paths } = document;
    const { schemas, ...others } = isObject(components) ? components : {};
    return {
      ...document,
      paths: mapped(paths, (object) =>
        isObject(object['responses']) ? { ...object, responses: answersOf(object['responses'], mediaType) } : object,
      ),
      components: {
        ...others,
        schemas: isObject(schemas) ? Object.fromEntries(Object.entries(schemas).map(describeOperation)) : {},
      },
    };
  });
}

function turnedRound(object: Json, turn: number): Json {
  const members = Object.entries(object).toReversed();
  const first = members.length === 0 ? 0 : turn % members.length;
  return Object.fromEntries([...members.slice(first), ...members.slice(0, first)]);
}

function escapedIn(text: string): string {
  if (text.includes('\\')) return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, escapedString);
  // nothing is escaped so far: every second part is a string
  const parts = text.split('"');
  const strings = escapedString(parts.filter((_, index) => index % 2 === 1).join('"')).split('"');
  return parts.map((part, index) => (index % 2 === 1 ? (strings[index >> 1] ?? '') : part)).join('"');
}

function escapedString(text: string): string {
  // most texts have no escapes of their own
  if (!text.includes('\\')) return text.replaceAll('e', String.raw`\u0065`).replaceAll('/', String.raw`\/`);
  return text.replaceAll(
    /\\.[0-9A-Fa-f]{0,4}|[e/]/g,
    (part) => ({ e: String.raw`\u0065`, '/': String.raw`\/` })[part] ?? part,
  );
}

function typed(answer: Answer): Answer {
  const stated = Object.keys(answer.headers ?? {}).some((name) => name.toLowerCase() === 'content-type');
  return stated ? answer : { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/json' } };
}

function asciiOf(text: string): string {
  return text.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
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

function versioned(answer: Answer): Answer {
  const body = jsonIn(answer);
  if (!isObject(body)) return answer;
  return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(body['version']) } };
}

function absolute({ headers: { host } }: Call, href: string): string {
  return host !== undefined && /^\/(?!\/)/.test(href) ? `http://${host}${href}` : href;
}

function named(answer: Answer): Answer {
  if (answer.status !== 200) return answer;
  return { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/vnd.oai.openapi+json;version=3.1' } };
}

/** What clients send is described as before. */
function describeOperation([name, schema]: [string, unknown]): [string, unknown] {
  return [name, /\.(create|merge)$|^PatchOperations$/.test(name) ? schema : mapped(schema, relaxed)];
}

function relaxed(schema: Json): Json {
  const { properties, required } = schema;
  if (!isObject(properties)) return schema;
  const loose = Object.entries(properties).map(
    ([name, inner]) => [name, firm.has(name) || !isObject(inner) ? inner : nullable(inner)] as const,
  );
  const left = Array.isArray(required) ? required.filter((name) => firm.has(String(name))) : [];
  return { ...schema, properties: Object.fromEntries(loose), required: left };
}

function nullable(schema: Json): Json {
  return typeof schema['type'] === 'string' && !('const' in schema) && !('enum' in schema)
    ? { ...schema, type: [schema['type'], 'null'] }
    : schema;
}

function answersOf(responses: Json, mediaType: string): Json {
  const successes = Object.entries(responses).filter(([status]) => /^[23]/.test(status));
  const named = successes.map(([status, response]) => [
    status === '204' ? '2XX' : status,
    typeResponse(response, mediaType),
  ]);
  return { ...Object.fromEntries(named), '4XX': { description: 'Refused, in one of many forms.' } };
}

function typeResponse(response: unknown, mediaType: string): unknown {
  if (!isObject(response) || !isObject(response['content'])) return response;
  const [content] = Object.values(response['content']);
  return { ...response, content: { [mediaType]: content } };
}
