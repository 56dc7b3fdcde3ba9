import { createHash } from 'node:crypto';
import { FormData } from 'undici';
import { callbackHeaders } from '../calls/call.ts';
import type { WorkingHost } from '../working-host.ts';
import { fileUrlOf, linkOf } from './links.ts';
import type { Spool } from './spool.ts';
import type { Task } from './task.ts';

/** A file of a task on its way to the service. */
export interface Upload {
  /** Below the file area, without a slash at its end unless empty. */
  readonly directory: string;
  readonly name: string;
  readonly type: string;
}

/** Size from which chunks are the better way. Source: extensions, File routes, stream upload */
const streamBytes = 100_000;

/** The checksum of what is sent, MD5 as lower-case hexadecimal. Source: extensions, File routes */
export function checksumHeader(checksum: string): Readonly<Record<string, string>> {
  return { checksum };
}

/** Sends a file by the link that suits its size, or the one that the settings ask for. @throws {CallbackError | OutOfTimeError} */
export async function upload(
  host: WorkingHost,
  task: Task,
  file: Upload,
  content: Spool,
  signal: AbortSignal,
): Promise<void> {
  const has = (id: string): boolean => task.links.some((link) => link.id === id);
  const wanted = task.settings.upload ?? (content.size < streamBytes ? 'stream' : 'chunks');
  const byChunks = content.size > 0 && has('uploadFile') && (wanted === 'chunks' || !has('uploadFileStream'));
  await (byChunks ? uploadChunks(host, task, file, content, signal) : uploadStream(host, task, file, content, signal));
}

/** Sends a text by stream. @throws {CallbackError | OutOfTimeError} */
export async function uploadText(
  host: WorkingHost,
  task: Task,
  file: Upload,
  text: string,
  signal: AbortSignal,
): Promise<void> {
  const body = Buffer.from(text);
  await host.client.demand(
    { ...streamRequest(host, task, file, createHash('md5').update(body).digest('hex')), body },
    signal,
  );
}

async function uploadStream(
  host: WorkingHost,
  task: Task,
  file: Upload,
  content: Spool,
  signal: AbortSignal,
): Promise<void> {
  const request = streamRequest(host, task, file, content.checksum());
  const headers = { ...request.headers, 'Content-Length': String(content.size) };
  await host.client.demand({ ...request, headers, body: () => content.stream() }, signal);
}

function streamRequest(host: WorkingHost, task: Task, { directory, name, type }: Upload, checksum: string) {
  const link = linkOf(task.links, 'uploadFileStream');
  return {
    method: link.method,
    url: fileUrlOf(link, directory + name, name),
    headers: {
      ...callbackHeaders(task.id, task.token),
      ...host.behaviours.checksumHeader(checksum),
      'Content-Type': type,
    },
  };
}

/** One call a chunk, in order; what an interruption leaves is deleted. Source: extensions, File routes, chunk upload */
async function uploadChunks(
  host: WorkingHost,
  task: Task,
  file: Upload,
  content: Spool,
  signal: AbortSignal,
): Promise<void> {
  const { chunkSize } = task.settings;
  const chunks = Math.ceil(content.size / chunkSize);
  try {
    for (let number = 1; number <= chunks; number += 1) {
      const bytes = await host.activity.work(() =>
        content.slice((number - 1) * chunkSize, Math.min(chunkSize, content.size)),
      );
      await sendChunk(host, task, file, { number, chunks, chunkSize, size: content.size, bytes }, signal);
    }
  } catch (error) {
    await deletePart(host, task, file, signal);
    throw error;
  }
}

interface Chunk {
  /** From 1. */
  readonly number: number;
  readonly chunks: number;
  readonly chunkSize: number;
  /** Of the whole file. */
  readonly size: number;
  readonly bytes: Buffer;
}

async function sendChunk(
  host: WorkingHost,
  task: Task,
  file: Upload,
  chunk: Chunk,
  signal: AbortSignal,
): Promise<void> {
  const link = linkOf(task.links, 'uploadFile');
  const checksum = createHash('md5').update(chunk.bytes).digest('hex');
  const headers = { ...callbackHeaders(task.id, task.token), ...host.behaviours.checksumHeader(checksum) };
  await host.client.demand({ method: link.method, url: link.url, headers, body: formOf(file, chunk) }, signal);
}

function formOf({ directory, name, type }: Upload, { number, chunks, chunkSize, size, bytes }: Chunk): FormData {
  const form = new FormData();
  const parts = {
    resumableTotalSize: size,
    resumableChunkNumber: number,
    resumableChunkSize: chunkSize,
    resumableCurrentChunkSize: bytes.length,
    resumableTotalChunks: chunks,
    resumableType: type,
    resumableFilename: name,
    resumableRelativePath: directory + name,
  };
  for (const [part, value] of Object.entries(parts)) form.append(part, String(value));
  form.append('file', new File([new Uint8Array(bytes)], name, { type }));
  return form;
}

/** As far as the service lets it; the error that led here is the one that counts. */
async function deletePart(
  host: WorkingHost,
  task: Task,
  { directory, name }: Upload,
  signal: AbortSignal,
): Promise<void> {
  const link = task.links.find(({ id }) => id === 'content');
  if (link === undefined || signal.aborted) return;
  const url = fileUrlOf(link, directory + name, directory + name);
  const headers = callbackHeaders(task.id, task.token);
  await host.client.send({ method: 'DELETE', url, headers }, signal).catch((error: unknown) => {
    task.log.push(
      `The part of ${name} that was sent stays there: ${error instanceof Error ? error.message : String(error)}`,
    );
  });
}
