import { type Arrival, headerOf } from '../../judge/host/arrival.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { HostCall } from '../../judge/host/host.ts';
import { isObject } from '../../judge/json.ts';
import { mediaTypes } from '../../contract/names.ts';
import { tellTypes } from './json-notation.ts';

/** Asserts that operations go by their type, by which alone they are known, as fields do by that of JSON, and are what operations have to be; those that a call brought are not the host's. Source: core, Endpoint table, Operations-based PATCH rules and Patch operation */
export function expectOperations(context: HostContext, requests: readonly Arrival[], calls: readonly HostCall[]): void {
  const { expect } = context;
  for (const request of requests.filter(({ method, json }) => method === 'PATCH' && Array.isArray(json)))
    expect(typeOf(request) ?? 'none', `the type of operations that PATCH ${request.path} sends`, request.seen).toEqual(
      mediaTypes.operations,
    );
  const brought = JSON.stringify(calls.map(({ envelope }) => envelope.payload));
  for (const { method, path, json, seen } of requests.filter((request) => isOfOperations(request)))
    if (!brought.includes(JSON.stringify(json)))
      expect(json, `what ${method} ${path} sends by the type of operations`, seen).toBeAnArray();
  for (const request of requests.filter(({ method, json }) => method === 'PATCH' && isObject(json)))
    expect(
      // who says none leaves it to be read by what comes
      headerOf(request, 'content-type') ?? mediaTypes.json,
      `the type of the fields that PATCH ${request.path} sends`,
      request.seen,
    ).toSatisfy('a type of JSON', (type) => /json/i.test(String(type)));
  tellTypes(context, requests);
  for (const request of requests)
    for (const operation of operationsIn(request).filter((own) => !brought.includes(JSON.stringify(own))))
      expect(
        lackOf(operation) ?? 'nothing',
        `what is wrong with an operation that ${request.method} ${request.path} sends, ${JSON.stringify(operation)}`,
        request.seen,
      ).toEqual('nothing');
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
