import type { Chunk } from './files.ts';
import { formOf, type Form, type FormPart } from './form.ts';

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
  return formOf(ordered([...texts, file], chunk.order ?? []));
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

function ordered(parts: readonly FormPart[], order: readonly string[]): readonly FormPart[] {
  const named = order.flatMap((name) => parts.filter((part) => part.name === name));
  return [...named, ...parts.filter((part) => !order.includes(part.name))];
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
