import { routes } from '../../contract/routes.ts';
import type { Areas } from '../../reference-server/areas.ts';
import { type ArrayItem, isContent, itemsOf } from '../../reference-server/areas/content.ts';
import { type Extension, Misfit } from '../../reference-server/areas/records.ts';
import { registrationsOf } from '../../reference-server/areas/registry.ts';
import type { Answer, Call, SpaceCall } from '../../reference-server/http/call.ts';
import { Refusal } from '../../reference-server/http/refusal.ts';
import type { Route } from '../../reference-server/http/route.ts';
import type { OutgoingRequest } from '../../reference-server/ports/deliveries.ts';
import type { FilePlace } from '../../reference-server/ports/file-store.ts';
import type { Content } from '../../reference-server/ports/store.ts';
import { type AreaName, breaks, type MethodName, replaces, Step, together, type Variant } from '../breaks.ts';

/** Every text in a value, changed. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isContent(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)]));
}

/** The members of every object in a value, changed. */
export function mapMembers(
  value: unknown,
  change: (members: readonly (readonly [string, unknown])[]) => readonly (readonly [string, unknown])[],
): unknown {
  if (Array.isArray(value)) return value.map((item) => mapMembers(item, change));
  if (!isContent(value)) return value;
  return Object.fromEntries(change(Object.entries(value)).map(([name, member]) => [name, mapMembers(member, change)]));
}

/** What is written, with the entries of each array changed. */
export function mapEntries<Input extends { readonly arrays: ReadonlyMap<string, readonly ArrayItem[]> }>(
  input: Input,
  change: (entries: readonly ArrayItem[], port: string) => readonly ArrayItem[],
): Input {
  return { ...input, arrays: new Map([...input.arrays].map(([port, entries]) => [port, change(entries, port)])) };
}

/** The arrays of entries in an entry, changed. */
export function withInner(
  content: Content,
  change: (items: readonly Content[], name: string) => readonly Content[],
): Content {
  return Object.fromEntries(
    Object.entries(content).map(([name, value]) => {
      const items = itemsOf(content, name);
      return [name, items.length === 0 ? value : change(items, name)];
    }),
  );
}

/** Without the members of that value. */
export function withoutValue(content: Content, value: unknown): Content {
  return Object.fromEntries(Object.entries(content).filter(([, member]) => member !== value));
}

/** Without the members by which serialisers tell of types and references. */
export function withoutMarks(value: unknown): unknown {
  return mapMembers(value, (members) => members.filter(([name]) => !['$id', '$ref', '$type'].includes(name)));
}

/** With one of those members whose names differ in the case of letters alone. */
export function withoutAlikes(value: unknown): unknown {
  return mapMembers(value, (members) => [
    ...new Map(members.map((member) => [member[0].toLowerCase(), member])).values(),
  ]);
}

/** Outgoing requests with something else made of them. */
export function wrapsRequest(wrong: (request: OutgoingRequest) => OutgoingRequest): Variant {
  return replaces('requests', 'requestFor', async (right, areas, reading, delivery, attempt) => {
    const request = await right(areas, reading, delivery, attempt);
    return request && wrong(request);
  });
}

/** An item is a reference where its value leads to an object. */
export function leadsTo({ content }: ArrayItem): unknown {
  return isContent(content['value']) ? content['value']['$oid'] : undefined;
}

/** Makes the wrong result of the right one, of the server, and of what the method was told. */
type Change<Method> = Method extends (...args: infer Args) => Promise<infer Result>
  ? (result: Result, areas: Areas, ...args: Args) => Result | Promise<Result>
  : Method extends (...args: infer Args) => infer Result
    ? (result: Result, areas: Areas, ...args: Args) => Result
    : never;

/** The variant that makes something else of what a method answers. */
export function changes<Name extends AreaName, Method extends MethodName<Name>>(
  name: Name,
  method: Method,
  change: Change<Areas[Name][Method]>,
): Variant {
  const work: (...args: never[]) => unknown = change;
  const make = (...args: unknown[]): unknown => work(...(args as never[]));
  const wrong =
    (right: (...args: unknown[]) => unknown) =>
    (areas: Areas, ...args: unknown[]) => {
      const result = right(areas, ...args);
      return result instanceof Promise
        ? result.then((value) => make(value, areas, ...args))
        : make(result, areas, ...args);
    };
  return breaks(name, method, wrong as never);
}

/** What is wrong while a method does its work: it is told by the step whether it does. */
export function during<Name extends AreaName, Method extends MethodName<Name>>(
  name: Name,
  method: Method,
  wrong: (step: Step) => Variant,
): Variant {
  const step = new Step();
  const working =
    (right: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) =>
      step.run(() => right(...args));
  return together(breaks(name, method, working as never), wrong(step));
}

export function forgive(error: unknown): void {
  if (!(error instanceof Refusal)) throw error;
}

/** Every edit leaves the version that it made in the object, but not what the method does. */
export function stampsAllBut(method: MethodName<'maturity'>): Variant {
  return during('maturity', method, (step) =>
    replaces('versioning', 'storeEdit', (right, areas, writing, object, version, content) =>
      right(areas, writing, object, version, step.isOn() ? content : { ...content, $stamp: version }),
    ),
  );
}

/** The extension that was the first to be registered at its host. */
export async function firstAtItsHost(areas: Areas, extension: Extension): Promise<Extension> {
  const all = await areas.store.read((reading) => registrationsOf(reading, 'svcExtension'));
  const first = all.find((one) => one.kind === 'svcExtension' && one.hostUri === extension.hostUri);
  return first?.kind === 'svcExtension' ? first : extension;
}

/** Refuses a place below a directory that is there, of whose other directories more than one is missing. */
export async function assertOneMissing(areas: Areas, { area, segments }: FilePlace): Promise<void> {
  const directories = segments.slice(0, -1);
  let found = 0;
  while (found < directories.length && (await areas.fileStore.list({ area, segments: segments.slice(0, found + 1) })))
    found += 1;
  if (found > 0 && directories.length > found + 1) throw new Refusal(404, 'There is no such directory.');
}

/** Who writes a file below the name of one that was deleted is refused. */
export function keepsNamesOfDeleted(
  writing: (assertFree: (areas: Areas, place: FilePlace) => void) => Variant,
): Variant {
  const deleted = new WeakMap<object, Set<string>>();
  const namesOf = ({ fileStore }: Areas): Set<string> => {
    const names = deleted.get(fileStore) ?? new Set();
    deleted.set(fileStore, names);
    return names;
  };
  return together(
    changes('files', 'deleteFile', (isDeleted, areas, place) => {
      if (isDeleted) namesOf(areas).add(keyOf(place));
      return isDeleted;
    }),
    writing((areas, place) => {
      const { area, segments } = place;
      const above = segments.map((_name, index) => keyOf({ area, segments: segments.slice(0, index) }));
      if (above.some((key) => namesOf(areas).has(key))) throw areas.fileAreas.placeTaken(place);
    }),
  );
}

export function keyOf({ area, segments }: FilePlace): string {
  return JSON.stringify([area, segments]);
}

/** Answers a call of a method as the first one with its key was, unless that was refused; one without a key is done anew. */
export function keeps<Name extends AreaName, Method extends MethodName<Name>>(
  name: Name,
  method: Method,
  keyOf: (...args: ArgumentsOf<Areas[Name][Method]>) => string | undefined,
): Variant {
  const wrong = (right: (...args: unknown[]) => unknown) => {
    const kept = new Map<string, unknown>();
    return (areas: Areas, ...args: never[]) => {
      const key = keyOf(...(args as unknown as ArgumentsOf<Areas[Name][Method]>));
      if (key === undefined) return right(areas, ...args);
      if (!kept.has(key)) kept.set(key, right(areas, ...args));
      const result = kept.get(key);
      if (result instanceof Promise) result.catch(() => kept.delete(key));
      return result;
    };
  };
  return breaks(name, method, wrong as never);
}

/** Records that are left out, right as they are. */
export function leavesOut(isMeant: (record: Readonly<Record<string, unknown>>) => boolean): Variant {
  return replaces('metadata', 'recordFrom', (right, areas, item) => {
    const isLeftOut = typeof item === 'object' && item !== null && isMeant({ ...item });
    return isLeftOut ? new Misfit('', 'must be another one') : right(areas, item);
  });
}

export function isRefusal(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof Refusal && statuses.includes(error.status);
}

/** Longer than any array. */
export const whole = { from: 0, to: 1_000_000 };

export function decodeIfEncoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

export type EntryOut = Readonly<Record<string, unknown>> & { readonly $entryId: number | string };

export function stampOf(content: Readonly<Record<string, unknown>>, version: number): number {
  if (typeof content['$stamp'] === 'number') return content['$stamp'];
  return Math.min(version, 1);
}

export async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** All that comes, in one piece. */
export async function wholeOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Content that streams are said to be for. */
export const smallBytes = 100_000;

export type ArgumentsOf<Method> = Method extends (...args: infer Args) => unknown ? Args : never;

/** Attempts that a delivery has had, where it comes from the queue. */
export function attemptsOf(delivery: object): number {
  return 'attempts' in delivery ? Number(delivery.attempts) : 0;
}

/** Whose requests a refusal is wrong about. */
interface Refused {
  readonly status: number;
  readonly method: Route['method'];
  /** In the path of the route. */
  readonly path: string;
  /** As who it would be done. */
  readonly by?: 'alma' | 'cora';
}

/** Refuses as it should, and carries the request out as if somebody had sent it who may. */
export function doesThough(refused: Refused): Variant {
  return behindRefusal(refused, async (again) => void (await again().catch(forgive)));
}

/** Refuses as it should, and tells in the refusal what would have been the answer to somebody who may. */
export function tellsThough(refused: Refused): Variant {
  return behindRefusal(refused, async (again, refusal) => {
    const { stream, raw, body } = await again();
    const told = stream === undefined ? (raw ?? JSON.stringify(body)) : await wholeOf(stream.content);
    throw new Refusal(refusal.status, `${refusal.message} ${told.toString()}`, { headers: refusal.headers });
  });
}

function behindRefusal(
  { status, method, path, by = 'alma' }: Refused,
  then: (again: () => Promise<Answer>, refusal: Refusal) => Promise<void>,
): Variant {
  return replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    try {
      return await right(areas, route, call);
    } catch (error) {
      const isMeant = route.method === method && route.path.includes(path);
      if (!(error instanceof Refusal) || error.status !== status || !isMeant) throw error;
      const authorization = `Bearer ${areas.configuration.users.get(by)?.pat}`;
      await then(() => right(areas, route, { ...call, headers: { ...call.headers, authorization } }), error);
      throw error;
    }
  });
}

/** The personal access token that a request came with, where it came with one. */
export function patOf(call: Call): string | undefined {
  return /^Bearer (svcpat\S+)/.exec(call.headers['authorization'] ?? '')?.[1];
}

/** Long enough for two requests that are sent at the same time to meet. */
const meetingMs = 15;

/** Those who read at the same moment share one answer, where they have one key; without a key a read is done by itself. */
export function sharesReads(
  keyOf: (route: Pick<Route, 'method' | 'path'>, call: SpaceCall) => string | undefined,
): Variant {
  return breaks('dispatcher', 'carryOutRead', (right) => {
    const pending = new Map<string, Promise<Answer>>();
    return (areas, route, call, reading) => {
      const key = keyOf(route, call);
      if (key === undefined) return right(areas, route, call, reading);
      const shared = pending.get(key) ?? right(areas, route, call, reading);
      if (!pending.has(key)) {
        pending.set(key, shared);
        setTimeout(() => pending.delete(key), meetingMs);
      }
      return shared;
    };
  });
}

export function isInstanceRead({ method, path }: Pick<Route, 'method' | 'path'>): boolean {
  return method === 'GET' && [routes.instanceShort, routes.instanceLong].some((each) => each === path);
}

/** Something that one server keeps, for variants of several methods. */
export function perServer<T>(make: () => T): (areas: Areas) => T {
  return keptBy(({ store }) => store, make);
}

/** The same of one run of a server: the next run, over the same store, begins without it. */
export function perRun<T>(make: () => T): (areas: Areas) => T {
  return keptBy(({ tokens }) => tokens, make);
}

function keptBy<T>(holderOf: (areas: Areas) => object, make: () => T): (areas: Areas) => T {
  const all = new WeakMap<object, T>();
  return (areas) => {
    const holder = holderOf(areas);
    const kept = all.get(holder) ?? make();
    all.set(holder, kept);
    return kept;
  };
}

/** Of each user, answers to reads that are meant are kept until he writes. */
export function keptUntilOwnWrite(
  isMeant: (route: Pick<Route, 'method' | 'path'>, call: SpaceCall) => boolean,
): Variant {
  const keptIn = perServer(() => new Map<string, Map<string, Answer>>());
  return together(
    replaces('dispatcher', 'carryOutRead', async (right, areas, route, call, reading) => {
      if (!isMeant(route, call)) return right(areas, route, call, reading);
      const all = keptIn(areas);
      const own = all.get(call.user.name) ?? new Map<string, Answer>();
      all.set(call.user.name, own);
      const answer = own.get(call.url) ?? (await right(areas, route, call, reading));
      own.set(call.url, answer);
      return answer;
    }),
    replaces('dispatcher', 'carryOutWrite', (right, areas, route, call, writing) => {
      keptIn(areas).delete(call.user.name);
      return right(areas, route, call, writing);
    }),
  );
}
