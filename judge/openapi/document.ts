import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'yaml';
import { jsonOf } from '../json.ts';
import type { CaseContext } from '../case.ts';
import type { Reply } from '../exchange.ts';
import { PreconditionFailed } from '../violation.ts';
import { isObject } from '../answer.ts';
import { valueAt } from '../json-pointer.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The dynamic document with the answer it came in. */
export interface Definition {
  readonly document: Json;
  readonly reply: Reply;
}

/** The document under the path as written or, where that is not served, below the API root. */
export async function fetchDefinition({ service }: CaseContext, space?: string): Promise<Reply> {
  const request = service.requests.openApi();
  const path = space === undefined ? request.url : inSpace(request.url, space);
  const written = await service.send({ ...request, url: path });
  return written.status === 200 ? written : service.send({ ...request, url: otherForm(path) });
}

/** As fetchDefinition, parsed; where there is none the rule about its being served judges that. */
export async function definitionOf(context: CaseContext, space?: string): Promise<Definition> {
  const reply = await fetchDefinition(context, space);
  const document = reply.status === 200 ? parsed(reply.text) : undefined;
  if (document === undefined)
    throw new PreconditionFailed('an OpenAPI document', reply, [
      'openapi.dynamic.is-served',
      'openapi.dynamic.valid-document',
    ]);
  return { document, reply };
}

/** The same path with the `api` prefix put before it or taken away. */
export function otherForm(url: string): string {
  return url.includes('/api/space/') ? url.replace('/api/space/', '/space/') : url.replace('/space/', '/api/space/');
}

export function inSpace(url: string, space: string): string {
  return url.replace(/\/space\/[^/]+\//, `/space/${encodeURIComponent(space)}/`);
}

/** A JSON or YAML text that holds an object, or undefined. */
export function parsed(text: string): Json | undefined {
  if (text === last?.text) return last.document;
  // every JSON text is YAML as well, but is read many times faster as what it is
  const content = jsonOf(text) ?? yamlOf(text);
  const document = isObject(content) ? content : undefined;
  last = { text, document };
  return document;
}

/** Case after case is given the same one. */
let last: { readonly text: string; readonly document: Json | undefined } | undefined;

function yamlOf(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 });
  } catch {
    return undefined;
  }
}

/** It keeps the schemas that it has compiled, which takes longer than everything else about a document. */
const validator = new Validator();

/** What the published schema of the declared version finds wrong, in one line each. */
export async function structureErrors(document: Json): Promise<readonly string[]> {
  const declared = String(document['openapi'] ?? document['swagger'] ?? '');
  if (!/^(2\.0|3\.[012](\.|$))/.test(declared))
    return [`no known version of OpenAPI is declared, found ${JSON.stringify(declared)}`];
  const result = await validator.validate(structuredClone(document));
  return Array.isArray(result.errors)
    ? result.errors.slice(0, 5).map((error) => `${error.instancePath} ${error.message ?? ''}`)
    : [];
}

/** Internal references that lead nowhere. */
export function danglingReferences(document: Json): readonly string[] {
  return referencesIn(document).filter(
    (reference) => reference.startsWith('#') && resolved(document, reference) === undefined,
  );
}

const opaque = new Set(['example', 'examples', 'default', 'const', 'enum']);

function referencesIn(value: unknown, inNames = false): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => referencesIn(item));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === '$ref' && typeof inner === 'string' && !inNames) return [inner];
    return opaque.has(name) && !inNames ? [] : referencesIn(inner, name === 'properties' && !inNames);
  });
}

/** The value behind an internal reference, or undefined. */
export function resolved(document: Json, reference: string): unknown {
  return valueAt(document, decodeURIComponent(reference));
}

/** The value with an internal reference at its top followed, however many there are in a row. */
export function dereferenced(document: Json, value: unknown, depth = 0): unknown {
  if (!isObject(value) || typeof value['$ref'] !== 'string' || depth > 20) return value;
  return dereferenced(document, resolved(document, value['$ref']), depth + 1);
}
