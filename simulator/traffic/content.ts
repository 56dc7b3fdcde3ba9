import type { ChunkForm, GeneratedBody } from './step.ts';

/** The bytes of a generated body: byte i follows from the seed and i alone, so that a part of a file is made like the whole. */
export function contentOf({ seed, length, from = 0 }: GeneratedBody): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index += 1) bytes[index] = byteAt(seed, from + index);
  return bytes;
}

/** First bytes by which services guess what a file is, and may be led to alter it: marks of UTF-16 and UTF-8, gzip, ZIP, JSON, line ends. */
const beginnings: readonly (readonly number[])[] = [
  [],
  [0xff, 0xfe],
  [0xef, 0xbb, 0xbf],
  [0x1f, 0x8b, 8],
  [0x50, 0x4b, 3, 4],
  [0x7b, 0x22],
  [0x0d, 0x0a],
];

export function byteAt(seed: number, index: number): number {
  const told = index < 4 ? beginnings[(seed >>> 8) % beginnings.length]?.[index] : undefined;
  if (told !== undefined) return told;
  return (seed + Math.imul(index, 31) + (index >>> 8)) & 255;
}

/** Boundary of the form; it cannot stand in a content by chance more often than any other 40 characters. */
const boundary = 'svc-traffic-chunk-7d1c0b9e5a3f42688e2a4b6c';
export const chunkMediaType = `multipart/form-data; boundary=${boundary}`;

/** A chunk, of whose content the length is enough. */
type FramedChunk = Omit<ChunkForm, 'kind' | 'content'> & { readonly content: Pick<Uint8Array, 'length'> };

/** Everything of a chunk call before and behind its bytes. Source: extensions, File routes, chunk table */
export function chunkFrame({
  path,
  content,
  totalSize,
  chunkSize,
  number,
}: FramedChunk): readonly [head: string, tail: string] {
  const name = path.split('/').pop() ?? '';
  const parts: Readonly<Record<string, string | number>> = {
    resumableTotalSize: totalSize,
    resumableChunkNumber: number,
    resumableChunkSize: chunkSize,
    resumableCurrentChunkSize: content.length,
    resumableTotalChunks: Math.ceil(totalSize / chunkSize),
    resumableType: 'application/octet-stream',
    resumableFilename: name,
    resumableRelativePath: path,
  };
  const texts = Object.entries(parts).map(
    ([part, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${part}"\r\n\r\n${value}\r\n`,
  );
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return [texts.join('') + file, `\r\n--${boundary}--\r\n`];
}
