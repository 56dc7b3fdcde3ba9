import { createHash } from 'node:crypto';
import type { FormData } from 'undici';
import { messageOf } from '../../../contract/thrown.ts';
import { callbackHeaders } from '../call.ts';
import { HostArea } from '../surroundings.ts';
import { fileUrlOf, linkOf } from '../task/links.ts';
import type { Spool } from '../task/spool.ts';
import type { Task, Upload } from '../task/task.ts';

export interface Chunk {
  /** From 1. */
  readonly number: number;
  readonly chunks: number;
  readonly chunkSize: number;
  /** Of the whole file. */
  readonly size: number;
  readonly bytes: Buffer;
}

/** Size from which chunks are the better way. Source: extensions, File routes, stream upload */
const streamBytes = 100_000;

/** Files that tasks leave at the service. Source: extensions, File routes */
export class Uploads extends HostArea {
  /** Sends a file by the link that suits its size, or the one that the settings ask for. @throws {CallbackError | OutOfTimeError} */
  async send(task: Task, file: Upload, content: Spool, signal: AbortSignal): Promise<void> {
    const has = (id: string): boolean => task.links.some((link) => link.id === id);
    const { upload } = task.settings;
    const wantsChunks = upload === undefined ? content.size >= streamBytes : upload === 'chunks';
    const byChunks = content.size > 0 && has('uploadFile') && (wantsChunks || !has('uploadFileStream'));
    if (byChunks) await this.#sendChunks(task, file, content, signal);
    else await this.#sendStream(task, file, content, signal);
  }

  /** Sends a text by stream. @throws {CallbackError | OutOfTimeError} */
  async sendText(task: Task, file: Upload, text: string, signal: AbortSignal): Promise<void> {
    const body = Buffer.from(text);
    await this.surroundings.client.demand({ ...this.#streamRequest(task, file, md5Of(body)), body }, signal);
  }

  /** The checksum of what is sent, MD5 as lower-case hexadecimal. */
  checksumHeader(checksum: string): Readonly<Record<string, string>> {
    return { checksum };
  }

  async #sendStream(task: Task, file: Upload, content: Spool, signal: AbortSignal): Promise<void> {
    const request = this.#streamRequest(task, file, content.checksum());
    const headers = { ...request.headers, 'Content-Length': String(content.size) };
    await this.surroundings.client.demand({ ...request, headers, body: () => content.stream() }, signal);
  }

  #streamRequest(task: Task, { directory, name, type }: Upload, checksum: string) {
    const link = linkOf(task.links, 'uploadFileStream');
    return {
      method: link.method,
      url: fileUrlOf(link, directory + name, name),
      headers: {
        ...callbackHeaders(task.id, task.token),
        ...this.checksumHeader(checksum),
        'Content-Type': type,
      },
    };
  }

  /** One call a chunk, in order; what an interruption leaves stays in the parts of the task. Source: extensions, File routes, chunk upload */
  async #sendChunks(task: Task, file: Upload, content: Spool, signal: AbortSignal): Promise<void> {
    const { chunkSize } = task.settings;
    const chunks = Math.ceil(content.size / chunkSize);
    task.parts.add(file);
    await this.sendAll(chunks, async (number) => {
      const bytes = await this.surroundings.activity.work(() =>
        content.slice((number - 1) * chunkSize, Math.min(chunkSize, content.size)),
      );
      await this.#sendChunk(task, file, { number, chunks, chunkSize, size: content.size, bytes }, signal);
    });
    task.parts.delete(file);
  }

  /** Sends the chunks from 1 to `chunks`, one after the other. */
  async sendAll(chunks: number, sendOne: (number: number) => Promise<void>): Promise<void> {
    for (let number = 1; number <= chunks; number += 1) await sendOne(number);
  }

  /** Source: extensions, File routes, chunk table */
  async formOf({ directory, name, type }: Upload, chunk: Chunk): Promise<FormData> {
    const { number, chunks, chunkSize, size, bytes } = chunk;
    const { FormData } = await import('undici');
    const form = new FormData();
    const fileName = name.slice(name.lastIndexOf('/') + 1);
    const parts = {
      resumableTotalSize: size,
      resumableChunkNumber: number,
      resumableChunkSize: chunkSize,
      resumableCurrentChunkSize: bytes.length,
      resumableTotalChunks: chunks,
      resumableType: type,
      resumableFilename: fileName,
      resumableRelativePath: directory + name,
    };
    for (const [part, value] of Object.entries(parts)) form.append(part, String(value));
    form.append('file', new File([new Uint8Array(bytes)], fileName, { type }));
    return form;
  }

  async #sendChunk(task: Task, file: Upload, chunk: Chunk, signal: AbortSignal): Promise<void> {
    const { method, url } = linkOf(task.links, 'uploadFile');
    const headers = { ...callbackHeaders(task.id, task.token), ...this.checksumHeader(md5Of(chunk.bytes)) };
    await this.surroundings.client.demand({ method, url, headers, body: await this.formOf(file, chunk) }, signal);
  }

  /** As far as the service lets it. Source: extensions, File routes, chunk upload */
  async deletePart(task: Task, { directory, name }: Upload, signal: AbortSignal): Promise<void> {
    const link = task.links.find(({ id }) => id === 'content');
    if (link === undefined) return;
    const url = fileUrlOf(link, directory + name, directory + name);
    const headers = callbackHeaders(task.id, task.token);
    await this.surroundings.client.send({ method: 'DELETE', url, headers }, signal).catch((error: unknown) => {
      task.log.push(`The part of ${name} that was sent stays there: ${messageOf(error)}`);
    });
  }
}

function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
