import type { SoftTypeProfile } from '../../contract/profile.ts';
import { isObject } from '../answer.ts';
import { dereferenced, type Json } from './document.ts';

/** An operation of the document that matches a concrete path. */
export interface Operation {
  readonly definition: Json;
  readonly template: string;
}

/** The operation whose path, with servers and path parameters expanded, matches this concrete path. Fixed segments win over parameters. */
export function operationFor(document: Json, method: string, path: string): Operation | undefined {
  const matching = pathsOf(document).filter(
    ({ pattern, item }) => pattern.test(path) && isObject(item[method.toLowerCase()]),
  );
  matching.sort((a, b) => a.parameters - b.parameters);
  const [first] = matching;
  const definition = first?.item[method.toLowerCase()];
  return first !== undefined && isObject(definition) ? { definition, template: first.template } : undefined;
}

interface PathItem {
  readonly template: string;
  readonly item: Json;
  readonly pattern: RegExp;
  readonly parameters: number;
}

/** A document is asked about many operations. */
const knownPaths = new WeakMap<Json, readonly PathItem[]>();

function pathsOf(document: Json): readonly PathItem[] {
  const paths = knownPaths.get(document) ?? readPaths(document);
  knownPaths.set(document, paths);
  return paths;
}

function readPaths(document: Json): readonly PathItem[] {
  const paths = isObject(document['paths']) ? document['paths'] : {};
  const prefixes = serverPaths(document);
  return Object.entries(paths).flatMap(([template, value]) => {
    const item = dereferenced(document, value);
    if (!isObject(item)) return [];
    const pattern = prefixes.map((prefix) => patternOf(document, item, prefix + template)).join('|');
    return [{ template, item, pattern: new RegExp(`^(?:${pattern})$`), parameters: template.split('{').length - 1 }];
  });
}

/** Path prefixes of the servers (3.x) or of basePath (2.0); none at all is always tried too, and so is a leading `api`. */
function serverPaths(document: Json): readonly string[] {
  const servers = Array.isArray(document['servers']) ? document['servers'] : [];
  const urls = servers.map((server: unknown) => (isObject(server) ? String(server['url'] ?? '') : ''));
  const paths = [...urls, String(document['basePath'] ?? '')].map((url) =>
    url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/\/+$/, ''),
  );
  return [...new Set(['', '/api', ...paths])];
}

function patternOf(document: Json, item: Json, template: string): string {
  const methods = Object.values(item).filter(isObject);
  const parameters = [item, ...methods].flatMap((holder) =>
    Array.isArray(holder['parameters']) ? holder['parameters'] : [],
  );
  return template
    .split('/')
    .map((segment) =>
      /^\{[^}]+\}$/.test(segment) ? alternatives(document, parameters, segment.slice(1, -1)) : fixed(segment),
    )
    .join('/');
}

/** A parameter matches what its enum or const lists, or anything. */
function alternatives(document: Json, parameters: readonly unknown[], name: string): string {
  const parameter = parameters
    .map((entry) => dereferenced(document, entry))
    .find((entry) => isObject(entry) && entry['name'] === name);
  const schema = isObject(parameter) ? dereferenced(document, parameter['schema'] ?? parameter) : undefined;
  const values = isObject(schema) && Array.isArray(schema['enum']) ? schema['enum'] : [];
  const constant = isObject(schema) && schema['const'] !== undefined ? [schema['const']] : values;
  return constant.length === 0
    ? '[^/]+'
    : `(?:${constant.map((value) => fixed(encodeURIComponent(String(value)))).join('|')})`;
}

function fixed(segment: string): string {
  return /^softtype$/i.test(segment) ? '[sS]oft[tT]ype' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Whether the document lists create, edit and read routes of a SoftType by its own ids, not by a parameter that takes anything. */
export function missingRoutes(document: Json, space: string, type: SoftTypeProfile): readonly string[] {
  return routesOf(space, type)
    .filter(({ method, path }) => operationFor(document, method, path) === undefined)
    .map(({ method, path }) => `${method} ${path}`);
}

export function routesOf(
  space: string,
  {
    definitionId,
    inputSchemaId,
    outputSchemaId,
  }: Pick<SoftTypeProfile, 'definitionId' | 'inputSchemaId' | 'outputSchemaId'>,
) {
  const [definition, input, output] = [definitionId, inputSchemaId, outputSchemaId].map(encodeURIComponent);
  const root = `/api/space/${encodeURIComponent(space)}/softtype`;
  return [
    { method: 'POST', path: `${root}/${definition}/${input}` },
    { method: 'PATCH', path: `${root}/${definition}/${input}/1` },
    { method: 'GET', path: `${root}/${definition}/${output}/1` },
  ] as const;
}

/** Whether every id would match: then the document speaks of definitions by a parameter only. */
export function matchesAnything(document: Json, space: string): boolean {
  const invented = {
    definitionId: 'no-such-definition',
    inputSchemaId: 'no-such-input',
    outputSchemaId: 'no-such-output',
  };
  return routesOf(space, invented).some(({ method, path }) => operationFor(document, method, path) !== undefined);
}
