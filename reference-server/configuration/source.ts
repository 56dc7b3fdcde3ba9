import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { readFileSync } from 'node:fs';
import { isNode, LineCounter, parseDocument, type Document } from 'yaml';

/** What is wrong with a configuration file, and where. Line and column count from 1. */
export class ConfigurationError extends Error {
  readonly code = 'CONFIGURATION';

  constructor(place: Place, complaint: string) {
    super(`${place.file}:${place.line}:${place.column}: ${complaint}`);
  }
}

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A configuration file whose content fits its schema, with the way back from a path to its line. */
export interface Source<T> {
  readonly content: T;
  /** @param path keys from the root on */
  error(path: readonly string[], complaint: string): ConfigurationError;
}

/** Compiles a schema for `sourceFrom`; the type is the one that the schema describes. */
export function compiled<T>(schema: object): ValidateFunction<T> {
  const options = { discriminator: true, strict: true, strictTypes: false, strictRequired: false };
  // The schema is one of ours: compiling the schema of schemas to check it takes 30 ms, a quarter of the first start.
  return new Ajv({ ...options, validateSchema: false }).compile<T>(schema);
}

/** @throws {ConfigurationError} no YAML, or not what the schema says */
export function readSource<T>(file: string, validate: ValidateFunction<T>): Source<T> {
  return sourceFrom(file, readFileSync(file, 'utf8'), validate);
}

/** @throws {ConfigurationError} */
export function sourceFrom<T>(file: string, text: string, validate: ValidateFunction<T>): Source<T> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [error] = document.errors;
  if (error)
    throw new ConfigurationError(
      { file, ...linePosition(lines, error.pos[0]) },
      error.message.split('\n', 1)[0] ?? error.code,
    );
  const complain = (path: readonly string[], complaint: string): ConfigurationError =>
    new ConfigurationError({ file, ...linePosition(lines, offsetOf(document, path)) }, complaint);
  const content: unknown = document.toJS();
  if (validate(content)) return { content, error: complain };
  const [first] = validate.errors ?? [];
  throw first ? complain(pathOf(first), complaintOf(first)) : complain([], 'does not fit its schema');
}

function linePosition(lines: LineCounter, offset: number): { readonly line: number; readonly column: number } {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

/** Offset of the deepest node on the path that exists. */
function offsetOf(document: Document, path: readonly string[]): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function pathOf({ instancePath, params }: ErrorObject): readonly string[] {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  const extra: unknown = params['additionalProperty'];
  return typeof extra === 'string' ? [...path, extra] : path;
}

function complaintOf({ instancePath, message, params }: ErrorObject): string {
  const extra: unknown = params['additionalProperty'];
  const allowed: unknown = params['allowedValues'];
  const detail = typeof extra === 'string' ? `: ${extra}` : '';
  const choice = Array.isArray(allowed) ? `: ${allowed.join(', ')}` : '';
  return `${instancePath || 'the file'} ${message ?? 'is wrong'}${detail}${choice}`;
}
