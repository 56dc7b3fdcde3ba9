import { Area } from '../area.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import type { Answer, SpaceCall } from '../http/call.ts';
import type { Dispatcher } from '../http/dispatcher.ts';
import { pointerBelow } from '../http/json-text.ts';
import { Outdated, Refusal, Undone } from '../http/refusal.ts';
import type { Route, SpaceRoute } from '../http/route.ts';
import { type Found, Router, pathsOf } from '../http/router.ts';
import type { Content, Writing } from '../ports/store.ts';
import type { Auth } from './auth.ts';
import { found, isContent } from './content.ts';
import type { Messages, RequestHeaders } from './messages.ts';
import type { Objects } from './objects.ts';

/** An operation with the route that carries it out. */
interface PreparedOperation {
  readonly call: SpaceCall;
  readonly route: OperationRoute;
}

/** An operation and what came of it. */
interface OperationOutcome {
  readonly call: SpaceCall;
  readonly answer: Answer;
  /** Whether it was refused for what happened since the batch was prepared. */
  readonly isOutdated?: boolean;
}

/** What the operations of a batch made and changed. */
class Footprints {
  readonly #operations = new Map<string, number>();
  readonly #changed = new Set<string>();

  /** The port of one operation, which notes what it creates and changes. */
  noting(writing: Writing, index: number): Writing {
    return {
      ...writing,
      insertObject: async (object) => {
        await writing.insertObject(object);
        this.#operations.set(object.oid, index);
        this.#changed.add(object.oid);
      },
      updateObject: async (spaceId, oid, version, content) => {
        await writing.updateObject(spaceId, oid, version, content);
        this.#changed.add(oid);
      },
    };
  }

  /** Whether another operation than this one created the object. */
  isSibling(oid: string, index: number): boolean {
    const born = this.#operations.get(oid);
    return born !== undefined && born !== index;
  }

  isChanged(oid: string): boolean {
    return this.#changed.has(oid);
  }
}

/** Source: core, Batch operation */
interface BatchOperation {
  readonly method: string;
  readonly href: string;
  /** Names as they were sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON value; undefined where the operation has none. */
  readonly body: unknown;
}

const methods: ReadonlySet<unknown> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Members of the language, not of the document; whoever sends them means no good. */
const polluting = ['__proto__', 'constructor', 'prototype'];

/** Source: RFC 9110 sections 5.1 and 5.5 */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

const longestShown = 80;

/** Headers that an operation has from the batch request, whatever it says itself. Source: core, Batch operation, headers; ledger batch-correlation-id */
const inherited = [
  'authorization',
  headerNames.informationFilter.toLowerCase(),
  headerNames.correlationId.toLowerCase(),
  'host',
];

const absoluteHref = /^(https?):\/\/([^/?#]*)/i;

/** A route whose requests may be operations of a batch. */
export type OperationRoute = Extract<SpaceRoute, { readonly effect: 'read' | 'write' }>;

/** Those of a space that call nobody. */
export function isOperationRoute(route: Route): route is OperationRoute {
  return route.access === 'space' && route.effect !== 'outside';
}

export type OperationRoutes = Router<OperationRoute>;

/** Those of them that a batch may hold, found as the server finds them for requests of their own. */
export function operationRoutesOf(served: readonly Route[]): OperationRoutes {
  const router: OperationRoutes = new Router();
  for (const route of served.filter(isOperationRoute))
    for (const path of pathsOf(route)) router.add(route.method, path, route);
  return router;
}

/** Source: core, Batch result */
interface BatchResult {
  readonly statusCode: number;
  /** What the operation read, or `href` and `version` of what it wrote, or why it failed. */
  readonly body?: unknown;
}

interface Needs {
  readonly auth: Auth;
  readonly dispatcher: Dispatcher;
  readonly messages: Messages;
  readonly objects: Objects;
}

/** Many operations by one request. */
export class Batch extends Area<Needs> {
  /**
   * Runs the operations in order inside the change set of the batch, so that each sees what those before it wrote; the first that fails
   * ends and undoes it. Source: core, Batch rules; ledger batch-read-after-write.
   * @throws {Undone} with the answer of a batch that failed
   */
  async runBatch(
    call: SpaceCall & { readonly json: readonly unknown[] },
    writing: Writing,
    table: OperationRoutes,
  ): Promise<Answer> {
    const operations = call.json;
    const footprints = new Footprints();
    const results: BatchResult[] = [];
    for (const [index, operation] of operations.entries()) {
      const batch = {
        ...call,
        isSibling: (oid: string) => footprints.isSibling(oid, index),
        isChangedHere: (oid: string) => footprints.isChanged(oid),
      };
      const outcome = await this.runOperation(batch, footprints.noting(writing, index), table, operation, index);
      const result = this.operationResult(outcome.call, outcome.answer);
      results.push(result);
      if (this.failsBatch(outcome)) {
        return this.undoBatch(this.resultsOfUndone(call, operations.length, index, result), outcome.isOutdated);
      }
    }
    return this.batchAnswer(results);
  }

  /** Answers as the route would have answered alone. Never rejects. */
  async runOperation(
    batch: SpaceCall,
    writing: Writing,
    table: OperationRoutes,
    operation: unknown,
    index: number,
  ): Promise<OperationOutcome> {
    const prepared = preparedOr(() => this.prepareOperation(batch, table, operation, index));
    if (prepared instanceof Refusal)
      return { call: batch, answer: await this.needs.dispatcher.answer(batch, () => Promise.reject(prepared)) };
    const { call } = prepared;
    let isOutdated = false;
    const answer = await this.needs.dispatcher.answer(call, async () => {
      try {
        return await this.carryOutOperation(prepared, writing);
      } catch (error) {
        isOutdated = error instanceof Outdated;
        throw error;
      }
    });
    return { call, answer, isOutdated };
  }

  /** @throws {Refusal} 400 for what is no operation, and for routes that a batch does not know, those of other spaces among them */
  prepareOperation(batch: SpaceCall, table: OperationRoutes, value: unknown, index: number): PreparedOperation {
    const operation = this.batchOperationFrom(value, index);
    const path = this.pathOfHref(batch, operation.href);
    if (path === undefined) throw refuseUnsupported(index, 'its href leads to another host');
    const found = this.operationRouteOf(table, operation.method, path.split('?', 1)[0] ?? '');
    if (found === undefined) throw refuseUnsupported(index, `a batch knows no ${operation.method} of such a route`);
    if (found.params.spaceId !== batch.space.id)
      throw refuseUnsupported(index, `its href leads out of the space ${batch.space.id}`);
    return { route: found.place, call: this.operationCall(batch, operation, path, found.params) };
  }

  /** Access first, then the work of the route in the change set of the batch. Source: core, Authentication 6 and 7 @throws {Refusal} */
  async carryOutOperation({ route, call }: PreparedOperation, writing: Writing): Promise<Answer> {
    this.needs.auth.authorize(call.user, route.access, call);
    return this.needs.dispatcher.carryOutWrite(route, call, writing);
  }

  /** Whether the batch fails with this operation; a read counts as much as a write. Source: core, Batch rules 1 */
  failsBatch({ answer }: OperationOutcome): boolean {
    return answer.status >= 400;
  }

  /** Rolls the change set back. Source: core, Batch rules 1 @throws {Undone} always */
  private undoBatch(results: readonly BatchResult[], isOutdated = false): Answer {
    throw new Undone(this.batchAnswer(results), isOutdated);
  }

  /** The operations as they were sent, in order. There is no limit to their number. @throws {Refusal} 400 for a body that is no array */
  batchOperationsOf(body: unknown): readonly unknown[] {
    if (Array.isArray(body)) return body;
    throw new Refusal(400, `Expected an array of operations, found ${found(body)}.`, { pointer: '' });
  }

  /** One operation; members that the document does not name are passed over. @throws {Refusal} 400 with the index of the operation */
  batchOperationFrom(value: unknown, index: number): BatchOperation {
    const at = pointerBelow('', index);
    if (!isContent(value)) throw refuseMalformed(index, `to be an object, found ${found(value)}`, at);
    refusePolluting(value, index, at);
    const { method, href, headers = {}, body } = value;
    if (typeof method !== 'string' || !methods.has(method)) {
      throw refuseMalformed(
        index,
        `to have a method of ${[...methods].join(', ')}, found ${shown(method)}`,
        pointerBelow(at, 'method'),
      );
    }
    if (typeof href !== 'string' || href === '') {
      throw refuseMalformed(
        index,
        `to have the URI of a request as href, found ${shown(href)}`,
        pointerBelow(at, 'href'),
      );
    }
    return { method, href, headers: headersFrom(headers, index, pointerBelow(at, 'headers')), body };
  }

  /** The request that the operation stands for. */
  private operationCall(
    batch: SpaceCall,
    operation: BatchOperation,
    path: string,
    params: SpaceCall['params'],
  ): SpaceCall {
    const queryAt = path.indexOf('?');
    return {
      ...batch,
      method: operation.method,
      url: path,
      params,
      query: new URLSearchParams(queryAt < 0 ? '' : path.slice(queryAt)),
      headers: this.operationHeaders(batch, operation),
      body: operation.body === undefined ? undefined : Buffer.from(JSON.stringify(operation.body)),
    };
  }

  /** Source: core, Batch operation, headers; ledger batch-content-type-of-operation, batch-authorization-in-operation */
  operationHeaders(batch: SpaceCall, { headers }: BatchOperation): RequestHeaders {
    const own = this.needs.messages.headersOf(Object.entries(headers).flat());
    const given = Object.fromEntries(inherited.map((name) => [name, batch.headers[name]]));
    return { 'content-type': mediaTypes.json, ...own, ...given };
  }

  /**
   * Path with query of an href, which may start with scheme and host or at the API root; undefined for another origin than that of the
   * batch request. Source: core, Batch operation, href; ledger batch-href-form
   */
  pathOfHref(batch: SpaceCall, href: string): string | undefined {
    const [origin = '', scheme = '', authority = ''] = absoluteHref.exec(href) ?? [];
    if (origin !== '' && !sameOrigin(scheme, authority, batch.headers.host ?? '')) return undefined;
    return href.slice(origin.length).split('#', 1)[0] ?? '';
  }

  /** The route that an operation asks for; undefined for one that a batch does not know. Source: core, Batch rules 2 */
  operationRouteOf(table: OperationRoutes, method: string, path: string): Found<OperationRoute> | undefined {
    return table.find(method, path);
  }

  /** 200 or 500 with a result for each operation. Source: core, Batch rules 3 */
  batchAnswer(results: readonly BatchResult[]): Answer {
    return { status: this.batchStatus(results), body: results };
  }

  batchStatus(results: readonly BatchResult[]): number {
    return results.some(({ statusCode }) => statusCode >= 400) ? 500 : 200;
  }

  /** Source: core, Batch result; Batch rules 6; ledger batch-result-body-of-failure, batch-result-body-of-read */
  operationResult(call: SpaceCall, answer: Answer): BatchResult {
    const isWrite = call.method !== 'GET' && answer.status < 400;
    const body = isWrite ? this.writtenBody(call, answer) : contentOf(answer);
    return { statusCode: answer.status, ...(body === undefined ? {} : { body }) };
  }

  /** What stands for the headers of an accepted write; a multi-create, which has many objects, names them itself. Source: core, Batch result, body */
  writtenBody(call: SpaceCall, answer: Answer): unknown {
    const { objectId } = call.params;
    const href = answer.headers?.Location ?? (objectId && this.needs.objects.locationOf(call.space.id, objectId));
    const version = answer.headers?.[headerNames.version];
    if (href === undefined) return contentOf(answer);
    return { href, ...(version === undefined ? {} : { version: Number(version) }) };
  }

  /** One result for each operation, of which one failed. Source: core, Batch rules 3 */
  resultsOfUndone(batch: SpaceCall, count: number, failedIndex: number, failed: BatchResult): readonly BatchResult[] {
    const undone = this.siblingResult(batch, `Undone, because operation ${failedIndex} failed.`);
    const unbegun = this.siblingResult(batch, `Not begun, because operation ${failedIndex} failed.`);
    const before = Array.from({ length: failedIndex }, () => undone);
    const behind = Array.from({ length: count - failedIndex - 1 }, () => unbegun);
    return [...before, failed, ...behind];
  }

  /** The result of an operation that another one took along. Source: RFC 4918 section 11.4; ledger batch-sibling-statuses */
  siblingResult(batch: SpaceCall, detail: string): BatchResult {
    const answer = this.needs.messages.problemAnswer(batch, new Refusal(424, detail));
    const body = contentOf(answer);
    return { statusCode: answer.status, ...(body === undefined ? {} : { body }) };
  }
}

function preparedOr(prepare: () => PreparedOperation): PreparedOperation | Refusal {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

function refuseUnsupported(index: number, why: string): Refusal {
  return new Refusal(400, `Operation ${index} cannot be carried out: ${why}.`, { pointer: `/${index}/href` });
}

function headersFrom(headers: unknown, index: number, at: string): Readonly<Record<string, string>> {
  if (!isContent(headers)) throw refuseMalformed(index, `to have an object as headers, found ${found(headers)}`, at);
  refusePolluting(headers, index, at);
  const pairs = Object.entries(headers).map(([name, value]) => {
    const text = typeof value === 'number' ? String(value) : value;
    if (headerName.test(name) && typeof text === 'string' && headerValue.test(text))
      return [name, text.trim()] as const;
    throw refuseMalformed(
      index,
      `to have headers with a name and a text that HTTP allows, found ${shown(name)} with ${shown(value)}`,
      pointerBelow(at, name),
    );
  });
  return Object.fromEntries(pairs);
}

function refusePolluting(value: Content, index: number, at: string): void {
  const name = polluting.find((candidate) => Object.hasOwn(value, candidate));
  if (name !== undefined) throw refuseMalformed(index, `to have no member ${name}`, pointerBelow(at, name));
}

function refuseMalformed(index: number, expected: string, pointer: string): Refusal {
  return new Refusal(400, `Expected operation ${index} of the batch ${expected}.`, { pointer });
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, longestShown)) : found(value);
}

/** A gateway may have taken TLS away, so the scheme is that of the href. */
function sameOrigin(scheme: string, authority: string, host: string): boolean {
  const [one, other] = [`${scheme}://${authority}`, `${scheme}://${host}`].map((text) =>
    URL.canParse(text) ? new URL(text).origin : undefined,
  );
  return one !== undefined && one === other;
}

/** The JSON value of an answer, or its text where that is none. */
function contentOf({ body, raw }: Answer): unknown {
  if (raw === undefined) return body;
  const text = raw.toString();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
