import type { Reading, StoredObject, Writing } from '../ports/store.ts';
import type { Answer, Call, SpaceCall, UserCall } from './call.ts';

interface Place {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Template with {names}; `softtype` in it also answers to `SoftType`, and `{name*}` at its end stands for one or more segments. */
  readonly path: string;
}

/** What a request has to be and to bring, whatever object it is about. */
interface RequestNeeds {
  /** Media types that the body may have; none where a body is not even looked at. */
  readonly mediaTypes?: readonly string[];
  readonly filter?: true;
  /** A JSON body, or what is read from one. @throws {Refusal} 400, 422 */
  readonly json?: true | ((json: unknown) => unknown);
  /** Whether the body may be left out, whatever its type would have to be. */
  readonly bodyOptional?: true;
}

/** What a request needs whose path names an object. */
interface ObjectNeeds extends RequestNeeds {
  readonly object: true;
  /** What the path names besides. @throws {Refusal} 404 */
  place?(call: SpaceCall, reading: Reading, object: StoredObject): unknown;
  /** That nobody else has locked the object. */
  readonly unlocked?: true;
  /** That the request was made for the version that the object has. */
  readonly version?: 'required' | 'when given';
}

/** What a request needs whose path names no object. */
interface OtherNeeds<C extends Call> extends RequestNeeds {
  readonly object?: never;
  /** What the path names. @throws {Refusal} 404 */
  place?(call: C, reading: Reading): unknown;
  readonly unlocked?: never;
  readonly version?: never;
}

/** What a request needs beyond access before its handler runs; it is looked for in one order, whatever the route. */
export type Needs<C extends Call = SpaceCall> = ObjectNeeds | OtherNeeds<C>;

/** What was found of the needs; undefined is what the route does not need. */
export interface Found {
  readonly object: StoredObject | undefined;
  readonly place: unknown;
  readonly json: unknown;
}

/** The same, as the handler of a route with these needs gets it beside the call. */
export interface FoundFor<N extends Needs<never>> {
  readonly object: N extends { readonly object: true } ? StoredObject : undefined;
  readonly place: N extends { readonly place: (...args: never[]) => infer Place } ? Awaited<Place> : undefined;
  readonly json: N extends { readonly json: (json: unknown) => infer Json } ? Json : unknown;
}

/** What the handler of a route about an object gets. */
export interface FoundObject<Place = unknown, Json = unknown> extends Found {
  readonly object: StoredObject;
  readonly place: Place;
  readonly json: Json;
}

/** What the handler of a route about no object gets. */
export interface FoundContent<Place = unknown, Json = unknown> {
  readonly place: Place;
  readonly json: Json;
}

/**
 * Who may call: `public` anybody, `user` any valid identity, `collection` a Collection Administrator, `space` an identity whose
 * role on a participant of the space allows the method, `participant` one with any such role, whatever the method: its operations
 * are judged one by one. A route that knows its callers by something else tells how; what that finds is `admitted`. It is seen to
 * before anything else.
 */
type Access = 'public' | 'user' | 'collection' | 'space' | 'participant' | Admits;

/** @throws {Refusal} 401, 403, 404 */
type Admits = (call: Call) => Promise<unknown>;

/** A call that a route admitted by itself. */
export interface AdmittedCall<Admitted = unknown> extends Call {
  readonly admitted: Admitted;
}

/** A call as access leaves it. */
type CallOf<A extends Access> = A extends 'space' | 'participant'
  ? SpaceCall
  : A extends 'user' | 'collection'
    ? UserCall
    : A extends (call: Call) => Promise<infer Admitted>
      ? AdmittedCall<Admitted>
      : Call;

/** What a route does beyond its own reads and writes: calling out, it opens them itself, as none may stay open while somebody else is waited for. */
type Effect = 'read' | 'write' | 'outside';

/** `handle` is a method, which lets one list hold routes of all needs; `readingRoute` and its like see that needs and handler fit. */
type Served<A extends Access, C extends Call, N extends Needs<never> | Needs<C>> = Place & {
  readonly access: A;
  readonly needs: N;
} & (
    | { readonly effect: 'read'; handle(call: C & Found, reading: Reading): Promise<Answer> }
    | {
        readonly effect: 'write';
        handle(call: C & Found, writing: Writing): Promise<Answer>;
        /** Runs ahead of the change set, for what has to be asked outside; the call it returns is the one that `handle` gets. */
        readonly before?: (call: C) => Promise<C>;
      }
    | {
        readonly effect: 'outside';
        handle(call: C & Found): Promise<Answer>;
        /** Gets the body as a stream, and need not read it to its end. */
        readonly streams?: true;
      }
  );

export type SpaceRoute = Served<'space' | 'participant', SpaceCall, Needs>;

/** A route below none. */
export type OuterRoute = Served<Exclude<Access, 'space' | 'participant'>, Call, OtherNeeds<Call>>;

export type Route = SpaceRoute | OuterRoute;

interface Declared<
  E extends Effect,
  A extends Access,
  N extends Needs<CallOf<A>>,
  Ports extends readonly unknown[],
> extends Place {
  readonly access: A;
  readonly effect: E;
  readonly needs: N;
  readonly handle: (call: CallOf<A> & FoundFor<N>, ...ports: Ports) => Promise<Answer>;
}

/** A route that reads, whose handler gets what it needs. */
export function readingRoute<const A extends Access, const N extends Needs<CallOf<A>>>(
  route: Declared<'read', A, N, readonly [Reading]>,
): Route;
export function readingRoute(route: Route): Route {
  return route;
}

/** A route that writes, whose handler gets what it needs. */
export function writingRoute<const A extends Access, const N extends Needs<CallOf<A>>>(
  route: Declared<'write', A, N, readonly [Writing]> & { readonly before?: (call: CallOf<A>) => Promise<CallOf<A>> },
): Route {
  return route as unknown as Route;
}

/** A route that calls out, whose handler gets what it needs. */
export function callingRoute<const A extends Access, const N extends Needs<CallOf<A>>>(
  route: Declared<'outside', A, N, readonly []> & { readonly streams?: true },
): Route {
  return route as Route;
}
