import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import type { Side } from '../harness/side.ts';

/** Base path of the files of a space. */
export const area = '/api/space/main/fs/file';
/** Nominal size of a chunk, in bytes. Source: extensions, Limits */
export const chunkBytes = 4 * 1024 * 1024;
const credentials = { authorization: 'Bearer svcpat-edda-7d1c0b9e5a' };
const dispatcher = new Agent({ connections: 1 });

export interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | Readable;
}

/** Hands what comes back to `take`. @throws {Error} an answer other than 2xx */
export async function send(
  { url }: Side,
  { method, path, headers, body }: Sent,
  take?: (bytes: Buffer) => void,
): Promise<void> {
  const answer = await request(url + path, {
    method,
    dispatcher,
    headers: { ...credentials, ...headers },
    ...(body && { body }),
  });
  const text: Buffer[] = [];
  for await (const bytes of answer.body) {
    if (answer.statusCode >= 300) text.push(bytes);
    else take?.(bytes);
  }
  if (answer.statusCode >= 300)
    throw new Error(`${method} ${path} was answered ${answer.statusCode}: ${Buffer.concat(text).toString()}`);
}

/** Ends the connection to the sides. */
export async function hangUp(): Promise<void> {
  await dispatcher.close();
}

/** A file as the chunks of it tell. */
export interface Chunked {
  /** Where the form goes. */
  readonly to: string;
  /** Relative path of the file. */
  readonly path: string;
  readonly totalBytes: number;
}

/** Chunk `number`, from 1. */
export function chunk({ to, path, totalBytes }: Chunked, number: number, bytes: Buffer): Sent {
  const parts = {
    resumableTotalSize: totalBytes,
    resumableChunkNumber: number,
    resumableChunkSize: chunkBytes,
    resumableCurrentChunkSize: bytes.length,
    resumableTotalChunks: Math.ceil(totalBytes / chunkBytes),
    resumableType: 'application/octet-stream',
    resumableFilename: path,
    resumableRelativePath: path,
  };
  const head = (name: string): string => `--edge\r\nContent-Disposition: form-data; name="${name}"`;
  const texts = Object.entries(parts).map(([name, value]) => `${head(name)}\r\n\r\n${value}\r\n`);
  const before = Buffer.from(
    `${texts.join('')}${head('file')}; filename="${path}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  return {
    method: 'POST',
    path: to,
    headers: { checksum: md5(bytes), 'content-type': 'multipart/form-data; boundary=edge' },
    body: Buffer.concat([before, bytes, Buffer.from('\r\n--edge--\r\n')]),
  };
}

export function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
