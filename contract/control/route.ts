import type { Static, TSchema } from 'typebox';
import { messageOf } from '../thrown.ts';
import { fitting, pointerTo } from '../misfit.ts';
import { ended, unknownName } from '../spelling.ts';

/** What the path of every such route begins with. */
export const controlPrefix = '/_control/';

/** A route by which a test looks behind a simulated service or extension host, as it is documented and as it is served. */
export interface ControlRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** A few words. */
  readonly summary: string;
  readonly description: string;
  /** Who may do without the token: everybody, or those on the same machine. */
  readonly open?: 'everybody' | 'same machine';
  readonly query?: Readonly<Record<string, TSchema>>;
  readonly body?: { readonly schema: TSchema; readonly example: object; readonly yaml?: true };
  readonly answer: {
    readonly status: 200 | 201 | 204;
    readonly description: string;
    readonly type?: string;
    readonly schema?: TSchema;
  };
  /** Statuses besides 400, 401 and 403, with what each means. */
  readonly refusals?: Readonly<Record<number, string>>;
}

type BodyOf<R> = R extends { readonly body: { readonly schema: infer S extends TSchema } } ? Static<S> : undefined;

type QueryOf<R> = R extends { readonly query: infer Q extends Readonly<Record<string, TSchema>> }
  ? { readonly [Name in keyof Q]?: Static<Q[Name]> }
  : Readonly<Record<never, never>>;

/** What a request to a control route asks for. */
export interface Order<R extends ControlRoute> {
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
}

/** What is done about each route, with the content of its answer: a JSON value, a text of the type of the route, or nothing. */
export type ControlHandlers<Routes extends Readonly<Record<string, ControlRoute>>, Answer> = {
  readonly [Name in keyof Routes]: (order: Order<Routes[Name]>) => Promise<Answer> | Answer;
};

/** An order that cannot be followed. The message says what was expected and what was found. */
export class OrderError extends Error {
  readonly code = 'ORDER';
  override readonly name = 'OrderError';
  /** JSON Pointer into the body, or the name of a query parameter. */
  readonly pointer: string | undefined;

  constructor(message: string, pointer?: string) {
    super(message);
    this.pointer = pointer;
  }
}

const fewestTokenCharacters = 16;

/** What is wrong with a control token, without a word of it; undefined for one that can be used. */
export function controlTokenComplaint(token: string): string | undefined {
  const isVisible = /^[\x21-\x7e]*$/.test(token);
  if (isVisible && token.length >= fewestTokenCharacters) return undefined;
  const found = isVisible ? `${token.length} characters` : 'others among them';
  return `Expected a control token of ${fewestTokenCharacters} or more visible characters of ASCII, found ${found}.`;
}

const readers = new WeakMap<TSchema, ReturnType<typeof fitting<unknown>>>();

/**
 * Query and body of a request, as the route describes them. @param parse makes a value of the text of the body
 * @throws {OrderError} they are not what the route describes
 */
export function readOrder<R extends ControlRoute>(
  route: R,
  query: URLSearchParams,
  body: string,
  parse: (text: string) => unknown = parseJson,
): Order<R> {
  // the schemas of the route were asked, and it is they that the types are made of
  return { query: queryIn(route, query), body: bodyIn(route, body, parse) } as Order<R>;
}

function queryIn({ query: known = {} }: ControlRoute, query: URLSearchParams): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    const schema = Object.hasOwn(known, name) ? known[name] : undefined;
    if (schema === undefined) throw unknownParameter(name, Object.keys(known));
    const all = query.getAll(name);
    if (all.length > 1) throw new OrderError(`Expected ${name} once in the query, found it ${all.length} times.`, name);
    values[name] = held(schema, valueOf(schema, all[0] ?? ''), name);
  }
  return values;
}

function unknownParameter(name: string, known: readonly string[]): OrderError {
  const none = `Unknown query parameter "${name}"; this route takes none.`;
  return new OrderError(known.length === 0 ? none : unknownName('query parameter', name, known), name);
}

/** Of a query everything is text. */
function valueOf(schema: TSchema, text: string): unknown {
  const type: unknown = Reflect.get(schema, 'type');
  return type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}

function bodyIn({ body, method, path }: ControlRoute, text: string, parse: (text: string) => unknown): unknown {
  if (body === undefined) {
    if (text.trim() !== '') throw new OrderError(`Expected no body, as ${method} ${path} takes none.`, '');
    return undefined;
  }
  const example = JSON.stringify(body.example);
  if (text.trim() === '') throw new OrderError(`Expected a body as ${example}, found none.`, '');
  return held(body.schema, parse(text), 'the body');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OrderError(`Expected a body of JSON: ${messageOf(error)}.`, '');
  }
}

function held(schema: TSchema, value: unknown, whole: string): unknown {
  const read = readers.get(schema) ?? fitting<unknown>(schema, {}, whole);
  readers.set(schema, read);
  const fit = read(value);
  if ('value' in fit) return fit.value;
  const { sentence } = fit.misfit;
  const pointer = whole === 'the body' ? pointerTo(fit.misfit) : whole;
  throw new OrderError(ended(`${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`), pointer);
}
