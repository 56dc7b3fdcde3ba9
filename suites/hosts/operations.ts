import { type Arrival, headerOf } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { HostCall } from '../../judge/host/host.ts';
import { isSuccess } from '../../judge/exchange.ts';
import { isObject, jsonOf, objectsIn } from '../../judge/json.ts';
import { instancesPerMultiCreate } from '../../contract/limits.ts';
import { headerNames, mediaTypes } from '../../contract/names.ts';
import { tellTypes } from './json-notation.ts';

/** Asserts that operations go by their type, by which alone they are known, as fields do by that of JSON, and are what operations have to be; those that a call brought are not the host's. Source: core, Endpoint table, Operations-based PATCH rules and Patch operation */
export function expectOperations(context: HostContext, requests: readonly Arrival[], calls: readonly HostCall[]): void {
  const { expect, notes } = context;
  for (const request of requests.filter(({ method, json }) => method === 'PATCH' && Array.isArray(json)))
    expect(typeOf(request) ?? 'none', `the type of operations that PATCH ${request.path} sends`, request.seen).toEqual(
      mediaTypes.operations,
    );
  const brought = JSON.stringify(calls.map(({ envelope }) => envelope.payload));
  for (const { method, path, json, seen } of requests.filter((request) => isOfOperations(request)))
    if (!brought.includes(JSON.stringify(json)))
      expect(json, `what ${method} ${path} sends by the type of operations`, seen).toBeAnArray();
  for (const request of requests.filter(({ method, json }) => method === 'PATCH' && isObject(json))) {
    // who says none leaves it to be read by what comes
    const type = typeOf(request) ?? mediaTypes.json;
    expect(type, `the type of the fields that PATCH ${request.path} sends`, request.seen).toSatisfy(
      'a type of JSON',
      (shown) => /json/i.test(String(shown)),
    );
    if (type !== mediaTypes.json && type !== mediaTypes.operations)
      notes.remark(`PATCH ${request.path} sends fields by the type ${type}, which the documents do not show`);
  }
  const all = withThoseOfBatches(requests);
  for (const { method, path, text, seen } of all.filter((request) => isMaturityAction(request))) {
    if (brought.includes(path)) continue;
    if (text.trim() !== '') notes.remark(`${method} ${path} sends a body, which a maturity action has not`);
    expect(method, `method of the maturity action ${path}`, seen).toEqual('PUT');
  }
  for (const { method, path, seen } of all)
    // a client fills in the number of the page that it wants
    expect(/(?:\{|%7B)pageNumber(?:\}|%7D)/i.test(path), `a template in the path of ${method} ${path}`, seen).toEqual(
      false,
    );
  tellTypes(context, requests);
  tellRoutes(context, all, brought);
  for (const kind of groups) expectGroups(context, requests, brought, kind);
  for (const request of requests)
    for (const operation of operationsIn(request).filter((own) => !brought.includes(JSON.stringify(own))))
      expect(
        lackOf(operation) ?? 'nothing',
        `what is wrong with an operation that ${request.method} ${request.path} sends, ${JSON.stringify(operation)}`,
        request.seen,
      ).toEqual('nothing');
}

/** Requests and what batches among them hold, each as it would be sent by itself; a type that its headers need not tell is that of its body. Source: core, Batch operation */
export function withThoseOfBatches(requests: readonly Arrival[]): readonly Arrival[] {
  return requests.flatMap((request) => {
    const { method, path, json } = request;
    const isBatch = method === 'POST' && batchRoute.test(path) && Array.isArray(json);
    const items = isBatch ? (json as readonly unknown[]).filter(isObject) : [];
    return [request, ...items.flatMap((item) => requestIn(request, item))];
  });
}

/**
 * Remarks on a batch that failed as a whole of which only a part came again: what else it held was rolled back with it. Why a host leaves that
 * out nobody knows. Source: core, Batch 1
 */
export function tellPartsOfBatches({ notes }: HostContext, requests: readonly Arrival[]): void {
  for (const [index, batch] of requests.entries()) {
    if (isSuccess(batch.seen.status)) continue;
    const [, ...held] = withThoseOfBatches([batch]).filter(({ method }) => method !== 'GET');
    const later = withThoseOfBatches(requests.slice(index + 1).filter(({ seen }) => isSuccess(seen.status)));
    const left = held.filter((one) => !later.some(({ method, path }) => method === one.method && path === one.path));
    const [first] = left;
    if (first !== undefined && left.length < held.length)
      notes.remark(
        `of a batch that failed as a whole ${held.length - left.length} of ${held.length} writes came again, and not ${first.method} ${first.path}`,
      );
  }
}

function requestIn(batch: Arrival, { method, href, body }: Readonly<Record<string, unknown>>): readonly Arrival[] {
  if (typeof method !== 'string' || typeof href !== 'string') return [];
  const target = href.replace(/^(?:https?:\/\/[^/?#]+)?\/?/i, '/');
  const type = Array.isArray(body) && method === 'PATCH' ? mediaTypes.operations : mediaTypes.json;
  return [
    {
      ...batch,
      method,
      target,
      path: target.replace(/[?#].*/s, ''),
      headers: [['Content-Type', type]],
      text: body === undefined ? '' : JSON.stringify(body),
      json: body,
    },
  ];
}

/** Operations lead into a schema by their paths and have none in their route, where fields have theirs; instances that are created at once have a route without the prefix of the others. A service may take them elsewhere. Source: core, Endpoint table, rows PATCH and POST */
function tellRoutes({ notes }: HostContext, requests: readonly Arrival[], brought: string): void {
  for (const { what, isMeant, route } of ownRoutes) {
    const isElsewhere = ({ path }: Arrival): boolean =>
      shownRoute.test(path) && !route.test(path) && !brought.includes(path);
    const found = requests.find((request) => isMeant(request) && isElsewhere(request));
    if (found !== undefined)
      notes.remark(`${found.method} ${found.path} sends ${what} to a route that is none of theirs`);
  }
  const bare = requests.find(({ path }) => bareRoute.test(path) && !brought.includes(path));
  if (bare !== undefined) notes.remark(`${bare.method} ${bare.path} lacks the /api before its route`);
}

const batchRoute = /\/space\/[^/]+\/batch\/?$/i;

/** A route that is told with a prefix, without one: those of instances that are created at once and of the definitions have none. */
const bareRoute = /(?<!\/api)\/space\/[^/]+\/(?:batch|maturityAction\/|softtype\/(?!dynamic\/))/i;

/** Those of demotes are not shown. */
const shownRoute = /\/softtype(?:\/|$)|\/maturityAction\/promote(?:\/|$)/i;

interface OwnRoute {
  readonly what: string;
  readonly isMeant: (request: Arrival) => boolean;
  readonly route: RegExp;
}

const ownRoutes: readonly OwnRoute[] = [
  { what: 'operations', isMeant: isOfOperations, route: /\/softtype\/[^/]+\/[^/]+\/?$/i },
  {
    what: 'fields',
    isMeant: (request) => request.method === 'PATCH' && !isOfOperations(request),
    route: /\/softtype\/[^/]+\/[^/]+\/[^/]+\/?$/i,
  },
  {
    what: 'instances',
    isMeant: ({ method, json }) => method === 'POST' && Array.isArray(json),
    route: /(?<!\/api)\/space\/[^/]+\/softtype\/?$/i,
  },
  {
    what: 'an instance',
    isMeant: ({ method, json }) => method === 'POST' && !Array.isArray(json),
    route: /\/softtype\/[^/]+\/[^/]+\/?$/i,
  },
  {
    what: 'a promote',
    isMeant: ({ method, path }) => method === 'PUT' && path.includes('/maturityAction/'),
    route: /\/maturityAction\/promote\/[^/]+\/[^/]+\/[^/]+\/?$/i,
  },
];

/** Reads of the route are nobody's business. Source: core, Endpoint table, rows of maturityAction */
function isMaturityAction({ method, path }: Arrival): boolean {
  return /\/maturityAction\/(?:promote|demote)\//.test(path) && !['GET', 'HEAD', 'OPTIONS'].includes(method);
}

function isOfOperations(request: Arrival): boolean {
  return request.method === 'PATCH' && typeOf(request) === mediaTypes.operations;
}

/** Media type of a body, without parameters. */
function typeOf(request: Arrival): string | undefined {
  return headerOf(request, 'content-type')
    ?.replace(/\s*;.*/s, '')
    .toLowerCase();
}

/** Those of a request by itself, and of the requests in a batch. */
function operationsIn({ method, json }: Arrival): readonly unknown[] {
  if (!Array.isArray(json)) return [];
  if (method === 'PATCH') return json;
  return (json as readonly unknown[]).flatMap((item) =>
    isObject(item) && item['method'] === 'PATCH' && Array.isArray(item['body']) ? item['body'] : [],
  );
}

function lackOf(operation: unknown): string | undefined {
  if (!isObject(operation)) return 'it is no object';
  const { op, path, value } = operation;
  if (typeof op !== 'string' || !['add', 'replace', 'remove'].includes(op)) return 'its op';
  if (typeof path !== 'string' || !path.startsWith('/')) return 'its path is no pointer to a member';
  if (op === 'remove') return 'value' in operation ? 'a value of what is removed' : undefined;
  if (!('value' in operation)) return 'it has no value';
  return op === 'replace' && (isObject(value) || Array.isArray(value))
    ? 'it replaces by an object or array'
    : undefined;
}

/** What is sent as an array, of what the core does in one change set. */
interface Group {
  readonly name: string;
  readonly route: RegExp;
  readonly most: number;
  /** What is wrong with an item among all. */
  readonly lackOf: (item: Readonly<Record<string, unknown>>, items: readonly unknown[]) => string | undefined;
  /** What no service need take. */
  readonly strangenessOf: (item: unknown) => string | undefined;
}

/** Source: core, Endpoint table, Batch operation and Multi-create rules */
const groups: readonly Group[] = [
  {
    name: 'batch',
    route: batchRoute,
    most: Infinity,
    lackOf: lackOfRequest,
    strangenessOf: repeatedHeadersOf,
  },
  {
    name: 'multi-create',
    route: /\/space\/[^/]+\/softtype\/?$/i,
    most: instancesPerMultiCreate,
    lackOf: lackOfInstance,
    strangenessOf: membersBesideData,
  },
];

/** Asserts that batches and multi-creates have their form; what a call brought is not the host's. */
function expectGroups(
  { expect, notes }: HostContext,
  requests: readonly Arrival[],
  brought: string,
  group: Group,
): void {
  const { name, route, most, lackOf: lackOfItem, strangenessOf } = group;
  for (const { method, path, json, text, seen } of requests.filter(
    (request) => request.method === 'POST' && route.test(request.path),
  )) {
    const isBrought = (value: unknown): boolean => brought.includes(JSON.stringify(value) ?? text);
    if (isBrought(json)) continue;
    expect(json, `the ${name} that ${method} ${path} sends`, seen).toBeAnArray();
    const items = Array.isArray(json) ? (json as readonly unknown[]) : [];
    expect(items.length, `number of items of the ${name} that ${method} ${path} sends`, seen).toSatisfy(
      `${most} at most`,
      (count) => count <= most,
    );
    for (const item of items.filter((own) => !isBrought(own)))
      expect(
        (isObject(item) ? lackOfItem(item, items) : 'it is no object') ?? 'nothing',
        `what is wrong with an item of the ${name} that ${method} ${path} sends, ${JSON.stringify(item)}`,
        seen,
      ).toEqual('nothing');
    const strange = items.map(strangenessOf).find((found) => found !== undefined);
    if (strange !== undefined) notes.remark(strange);
  }
}

function lackOfRequest({ method, href, body }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof method !== 'string' || !/^(?:GET|POST|PUT|PATCH|DELETE)$/.test(method)) return 'its method';
  // what a create without a body makes is not said
  if (['PUT', 'PATCH'].includes(method) && body === undefined && /\/softtype\//i.test(String(href)))
    return `the ${method} has no body`;
  // nothing that the core takes is a text
  if (typeof body === 'string' && typeof jsonOf(body) === 'object') return 'its body is written as a text';
  // those of locks are not shown
  if (typeof href === 'string' && /\/space\/[^/]+\/(?:.*\/)?(?:fs|dx)\//i.test(href))
    return 'its route, which no batch takes';
  // from where on it is told is not said
  return typeof href === 'string' && /(?:^|\/)space\//i.test(href) ? undefined : 'its href is no full address';
}

function lackOfInstance(item: Readonly<Record<string, unknown>>, items: readonly unknown[]): string | undefined {
  if (typeof item['$softType'] !== 'string') return 'its $softType';
  if ('$id' in item && typeof item['$id'] !== 'string') return 'its $id is no text';
  if ('data' in item && !isObject(item['data'])) return 'its data are no object';
  for (const { reference, isValue } of referencesIn(item['data'])) {
    const { instanceRef, softTypeId } = reference;
    if (!isValue)
      return `its reference to ${JSON.stringify(instanceRef)}, which is not the value of an entry with an id`;
    const [target, ...others] = objectsIn(items).filter(({ $id }) => $id === instanceRef);
    if (target === undefined || others.length > 0)
      return `its reference to ${JSON.stringify(instanceRef)}, which ${target === undefined ? 'no item is' : 'several items are'}`;
    if (softTypeId !== target['$softType']) return `the softTypeId of its reference to ${JSON.stringify(instanceRef)}`;
  }
  return undefined;
}

interface Reference {
  readonly reference: Readonly<Record<string, unknown>>;
  /** Whether it is the value of an entry with an id. */
  readonly isValue: boolean;
}

/** What leads to items of the same request, inside of data. Source: core, Multi-create item */
function referencesIn(data: unknown, holder?: Readonly<Record<string, unknown>>): readonly Reference[] {
  if (Array.isArray(data)) return data.flatMap((item: unknown) => referencesIn(item));
  if (!isObject(data)) return [];
  if ('instanceRef' in data)
    return [{ reference: data, isValue: typeof holder?.['id'] === 'string' && holder['value'] === data }];
  return Object.values(data).flatMap((inner) => referencesIn(inner, data));
}

function repeatedHeadersOf(operation: unknown): string | undefined {
  const headers = isObject(operation) ? Object.keys(Object(operation['headers']) as object) : [];
  const isRepeated = headers.some((name) =>
    [headerNames.informationFilter, 'Authorization'].some((own) => own.toLowerCase() === name.toLowerCase()),
  );
  return isRepeated
    ? 'an operation of a batch repeats the Authorization or the information filter of the batch'
    : undefined;
}

/** The content of an instance is its data. Source: core, Multi-create item */
function membersBesideData(item: unknown): string | undefined {
  const own = isObject(item) ? Object.keys(item).filter((name) => !['$id', '$softType', 'data'].includes(name)) : [];
  return own.length === 0 ? undefined : `an item of a multi-create has ${own.join(', ')} beside its data`;
}
