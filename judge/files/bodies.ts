import { createCipheriv, createHash } from 'node:crypto';
import { partHere } from '../case/part.ts';

/** One call of a chunk upload; whatever is absent is what an orderly upload would send. Source: extensions, File routes, chunk table */
export interface Chunk {
  /** Path of the file below the area, as resumableRelativePath; not encoded. */
  readonly path: string;
  /** The whole file. */
  readonly file: Uint8Array;
  /** Nominal size in bytes. */
  readonly chunkSize: number;
  /** From 1. */
  readonly number: number;
  /** The bytes that are sent, where they are not those of the file. */
  readonly bytes?: Uint8Array;
  /** Text parts that are sent otherwise, by name; null leaves the part out. */
  readonly parts?: Readonly<Record<string, string | null>>;
  readonly fileName?: string;
  /** Order of the parts by name, `file` included; those left out follow. The text parts come first unless given. */
  readonly order?: readonly string[];
  /** Whether the form is spelled as other clients spell it, with the names of its parts in quotes or bare. */
  readonly isOtherwise?: true | 'bare';
}

const octets = 'application/octet-stream';

/** The bytes that a chunk call sends. */
export function bytesOfChunk({ file, chunkSize, number, bytes }: Chunk): Uint8Array {
  return bytes ?? file.subarray((number - 1) * chunkSize, number * chunkSize);
}

/** How many chunks an upload takes; an empty file one. Source: extensions, File routes, resumableTotalChunks */
export function chunkCount({ file, chunkSize }: Pick<Chunk, 'file' | 'chunkSize'>): number {
  return Math.max(1, Math.ceil(file.byteLength / chunkSize));
}

/** Body of a chunk call. Source: extensions, File routes, chunk table */
export function chunkForm(chunk: Chunk): Form {
  const texts = Object.entries({ ...textsOf(chunk), ...chunk.parts }).flatMap(([name, text]) =>
    text === null ? [] : [{ name, text }],
  );
  const bytes = bytesOfChunk(chunk);
  const file: FormPart = { name: 'file', fileName: chunk.fileName ?? lastSegment(chunk.path), type: octets, bytes };
  return formOf(inOrder([...texts, file], chunk.order ?? []), chunk.isOtherwise);
}

function textsOf(chunk: Chunk): Readonly<Record<string, string>> {
  const { path, file, chunkSize, number } = chunk;
  return {
    resumableTotalSize: String(file.byteLength),
    resumableChunkNumber: String(number),
    resumableChunkSize: String(chunkSize),
    resumableCurrentChunkSize: String(bytesOfChunk(chunk).byteLength),
    resumableTotalChunks: String(chunkCount(chunk)),
    resumableType: octets,
    resumableFilename: lastSegment(path),
    resumableRelativePath: path,
  };
}

function inOrder(parts: readonly FormPart[], order: readonly string[]): readonly FormPart[] {
  const named = order.flatMap((name) => parts.filter((part) => part.name === name));
  return [...named, ...parts.filter((part) => !order.includes(part.name))];
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** One part of a form: a text, or a file with its name. */
type FormPart =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly fileName: string; readonly type: string; readonly bytes: Uint8Array };

interface Form {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/**
 * Parts as multipart/form-data, spelled as browsers spell it. The same parts give the same bytes. Source: RFC 7578; HTML, multipart form data
 * @param isOtherwise with the boundary in quotes, header names in lower case and a type for each text, as other clients have it; or with bare names
 */
export function formOf(parts: readonly FormPart[], isOtherwise: Chunk['isOtherwise'] | false = false): Form {
  const boundary = boundaryFor(parts.flatMap((part) => [Buffer.from(headOf(part)), contentOf(part)]));
  const body = joined(parts, boundary, isOtherwise);
  return { contentType: `multipart/form-data; boundary=${isOtherwise === true ? `"${boundary}"` : boundary}`, body };
}

const pieces = new WeakMap<Uint8Array, readonly Uint8Array[]>();

/** What the body of a form was put together from; undefined for any other body. */
export function piecesOf(body: Uint8Array): readonly Uint8Array[] | undefined {
  return pieces.get(body);
}

/** Contents stay as they are, so that a report can say where they came from; what stands between them is one piece each. */
function joined(parts: readonly FormPart[], boundary: string, isOtherwise: Chunk['isOtherwise'] | false): Uint8Array {
  const made: Uint8Array[] = [];
  let between = '';
  for (const part of parts) {
    between += `--${boundary}\r\n${isOtherwise ? otherHeadOf(part, isOtherwise) : headOf(part)}`;
    if ('bytes' in part && part.bytes.byteLength > 0) {
      made.push(Buffer.from(between), part.bytes);
      between = '';
    } else if ('text' in part) between += part.text.toWellFormed();
    between += '\r\n';
  }
  made.push(Buffer.from(`${between}--${boundary}--\r\n`));
  const body = Buffer.concat(made);
  pieces.set(body, made);
  return body;
}

/** A boundary that does not occur in any of the contents, which are not put together for that: they may be large. */
function boundaryFor(contents: readonly Uint8Array[]): string {
  for (let attempt = 0; ; attempt += 1) {
    const hash = createHash('sha256').update(`${attempt} `);
    for (const content of contents) hash.update(content);
    const boundary = `----SvcConformance${hash.digest('hex').slice(0, 16)}`;
    if (!contents.some((content) => viewOf(content).includes(boundary))) return boundary;
  }
}

/** The same memory, as what can be searched. */
function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function headOf(part: FormPart): string {
  const disposition = `Content-Disposition: form-data; name="${escaped(part.name)}"`;
  if ('text' in part) return `${disposition}\r\n\r\n`;
  return `${disposition}; filename="${escaped(part.fileName)}"\r\nContent-Type: ${part.type}\r\n\r\n`;
}

function otherHeadOf(part: FormPart, isOtherwise: true | 'bare'): string {
  if (isOtherwise === 'bare') return headOf(part).replace(/; name="(\w+)"/, '; name=$1');
  const head = headOf(part).replaceAll(/^[\w-]+:/gm, (name) => name.toLowerCase());
  return 'text' in part ? head.replace(/\r\n$/, 'content-type: text/plain; charset=utf-8\r\n\r\n') : head;
}

function contentOf(part: FormPart): Uint8Array {
  return 'text' in part ? Buffer.from(part.text.toWellFormed()) : part.bytes;
}

function escaped(name: string): string {
  return name.toWellFormed().replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

const zeros = new Uint8Array(16 * 1024);

/** Keys of the bytes that were made here. */
const keys = new WeakMap<ArrayBufferLike, Buffer>();

/** So many bytes that look like chance, the same for the same text. @param length in bytes */
export function generatedBytes(seed: string, length: number): Uint8Array {
  const key = createHash('sha256').update(seed).digest().subarray(0, 16);
  const bytes = streamOf(key, length);
  keys.set(bytes.buffer, key);
  const { asides, name } = partHere();
  asides?.made(name, seed, length);
  return bytes;
}

/** A pipeline for a POSIX shell with openssl that prints these very bytes, a part of generated ones, where not more than some runs of zeros were put in; undefined for what came otherwise or was changed. */
export function recipeOf(bytes: Uint8Array): string | undefined {
  const { buffer, byteOffset, byteLength } = bytes;
  const key = keys.get(buffer);
  if (key === undefined) return undefined;
  const made = Buffer.from(streamOf(key, byteOffset + byteLength).buffer, byteOffset);
  const commands: string[] = [];
  for (let at = 0; at < byteLength;) {
    const zeroed = zerosAt(bytes, at);
    const isZeroed = zeroed >= leastZeros && zerosAt(made, at) < zeroed;
    const length = isZeroed ? zeroed : sameAt(bytes, made, at);
    if (length === 0 || commands.length >= mostRuns) return undefined;
    commands.push(isZeroed ? `head -c ${length} /dev/zero` : streamCommand(key, byteOffset + at, length));
    at += length;
  }
  return commands.length === 1 ? commands[0] : `{ ${commands.join('; ')}; }`;
}

const leastZeros = 64;
const mostRuns = 9;

function zerosAt(bytes: Uint8Array, from: number): number {
  const end = bytes.subarray(from).findIndex((byte) => byte !== 0);
  return end === -1 ? bytes.byteLength - from : end;
}

/** How far both are the same, up to the next run of zeros. */
function sameAt(bytes: Uint8Array, made: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.byteLength && bytes[at] === made[at] && (bytes[at] !== 0 || zerosAt(bytes, at) < leastZeros))
    at += 1;
  return at - from;
}

function streamCommand(key: Buffer, from: number, length: number): string {
  const end = from + length;
  const whole = `head -c ${end} /dev/zero | openssl enc -aes-128-ctr -K ${key.toString('hex')} -iv ${'0'.repeat(32)}`;
  return from === 0 ? whole : `${whole} | tail -c ${length}`;
}

/** Put together from pieces, so that nothing as large as the whole is made besides. */
function streamOf(key: Buffer, length: number): Uint8Array {
  const cipher = createCipheriv('aes-128-ctr', key, Buffer.alloc(16));
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += zeros.byteLength) bytes.set(cipher.update(zeros.subarray(0, length - at)), at);
  return bytes;
}
