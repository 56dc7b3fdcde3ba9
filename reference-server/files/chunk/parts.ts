import { Refusal } from '../../problem.ts';
import type { Service } from '../../service.ts';
import { unknownType } from '../kept.ts';
import { noContent, type FormContent, type FormPart } from './form.ts';

/** A chunk as its form tells. Source: extensions, File routes, chunk table */
export interface Chunk extends FormContent {
  /** Of the whole file, in bytes. */
  readonly totalSize: number;
  /** From 1. */
  readonly number: number;
  /** Nominal, in bytes. */
  readonly chunkSize: number;
  readonly totalChunks: number;
  /** Media type of the file. */
  readonly type: string;
  readonly fileName: string;
  readonly relativePath: string;
}

const textNames = [
  'resumableTotalSize',
  'resumableChunkNumber',
  'resumableChunkSize',
  'resumableCurrentChunkSize',
  'resumableTotalChunks',
  'resumableType',
  'resumableFilename',
  'resumableRelativePath',
] as const;
type TextName = (typeof textNames)[number];

/** Safe as a number, and enough for any disk. */
const integerForm = /^(?:0|[1-9]\d{0,14})$/;
/** RFC 9110 section 8.3.1, parameters as any visible text. */
const mediaTypeForm = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+[ \t]*(?:;[\x20-\x7e\t]*)?$/;

/** The chunk that the parts tell of, in any order; parts of other names are passed over. @throws {Refusal} 400 */
export function chunkOf(service: Service, parts: readonly FormPart[]): Chunk {
  const texts = textsOf(parts);
  const chunk = {
    totalSize: integerOf(texts, 'resumableTotalSize'),
    number: integerOf(texts, 'resumableChunkNumber'),
    chunkSize: integerOf(texts, 'resumableChunkSize'),
    totalChunks: integerOf(texts, 'resumableTotalChunks'),
    type: typeOf(texts.resumableType),
    fileName: texts.resumableFilename,
    relativePath: texts.resumableRelativePath,
    ...contentOf(parts),
  };
  service.behaviours.assertChunk(service, chunk, integerOf(texts, 'resumableCurrentChunkSize'));
  return chunk;
}

function textsOf(parts: readonly FormPart[]): Readonly<Record<TextName, string>> {
  return Object.fromEntries(textNames.map((name) => [name, textOf(parts, name)])) as Record<TextName, string>;
}

function textOf(parts: readonly FormPart[], name: TextName): string {
  const part = onlyPart(parts, name);
  return 'text' in part ? part.text : '';
}

function contentOf(parts: readonly FormPart[]): FormContent {
  const part = onlyPart(parts, 'file');
  return 'content' in part ? part.content : noContent;
}

function onlyPart(parts: readonly FormPart[], name: string): FormPart {
  const [part, ...more] = parts.filter((candidate) => candidate.name === name);
  if (part === undefined) throw refused(name, 'Expected a part', 'found none');
  if (more.length > 0) throw refused(name, 'Expected one part', `found ${more.length + 1}`);
  return part;
}

function integerOf(texts: Readonly<Record<TextName, string>>, name: TextName): number {
  const text = texts[name];
  if (!integerForm.test(text))
    throw refused(name, 'Expected an integer from 0 on as part', `found ${JSON.stringify(text.slice(0, 80))}`);
  return Number(text);
}

/** A browser that does not know the type of a file sends an empty one. */
function typeOf(text: string): string {
  if (text === '') return unknownType;
  if (mediaTypeForm.test(text)) return text;
  throw refused('resumableType', 'Expected a media type as part', `found ${JSON.stringify(text.slice(0, 80))}`);
}

/** @throws {Refusal} 400 */
export function refused(name: string, expected: string, found: string): Refusal {
  return new Refusal(400, `${expected} ${name}, ${found}.`, { pointer: name });
}
