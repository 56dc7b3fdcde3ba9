import { createHash, hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { chunkFrame, chunkMediaType } from '../simulator/traffic/content.ts';
import { editor, fileArea } from './harness/client.ts';
import { compare, type Contestant } from './harness/compare.ts';
import type { Figure } from './harness/load.ts';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { type Side, startSide } from './harness/side.ts';

/** Nominal size of a chunk, in bytes. Source: extensions, Limits */
const chunkBytes = 4 * 1024 * 1024;

const dispatcher = new Agent({ connections: 1 });

interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | Readable;
}

/** A file as the chunks of it tell. */
interface Chunked {
  /** Where the form goes. */
  readonly to: string;
  /** Relative path of the file. */
  readonly path: string;
  readonly totalBytes: number;
}

const sampleMs = 100;

/** Bytes that every block begins with anew, so that no block is like another one. */
const block = Buffer.from(Array.from({ length: chunkBytes }, (_, index) => (index * 31 + (index >> 8) * 7) & 0xff));

/** Uploads and downloads of 100 MB against bare node:http that does the same with a file; with `--large`, memory while `--gibibytes` (4) come and go. */
const megabyte = 1_000_000;
const totalBytes = 100 * megabyte;
const told = { goal: '>= 0.8', ratio: 'rate', unit: 'MB' } as const;

const { values } = parseArgs({
  options: { large: { type: 'boolean', default: false }, gibibytes: { type: 'string', default: '4' } },
  strict: false,
});
const largeBytes = Math.round(Number(values.gibibytes) * 1024 ** 3);
await using folder = await makeScratch();
await using bare = await startSide('bare-files', { folder: folder.file('.') });
await using reference = await startSide('reference', {
  file: folder.file('store.sqlite'),
  files: folder.file('files'),
  maxStreamBytes: Math.max(totalBytes, largeBytes),
});
if (values.large) await large(reference, largeBytes);
else await comparisons(randomBytes(totalBytes));
await dispatcher.close();

async function comparisons(content: Buffer): Promise<void> {
  const stream = { method: 'POST', headers: { checksum: md5(content) }, body: content } as const;
  await compare({
    title: 'stream upload of 100 MB against bare node:http, MD5 and fsync on both sides',
    baseline: contestant(bare, 'bare node:http', [{ ...stream, path: '/s' }], '/s'),
    subject: contestant(reference, 'reference server', [{ ...stream, path: `${fileArea}/stream/s` }], `${fileArea}/s`),
    ...told,
  });
  await compare({
    title:
      'upload of 100 MB in chunks of 4 MiB against bare node:http with the same form reader, MD5 and fsync of each chunk on both sides',
    baseline: contestant(bare, 'bare node:http', chunksOf(content, '/c'), '/c'),
    subject: contestant(reference, 'reference server', chunksOf(content, fileArea), `${fileArea}/c`),
    ...told,
  });
  await send(bare, { ...stream, path: '/s' });
  await send(reference, { ...stream, path: `${fileArea}/stream/s` });
  await compare({
    title: 'download of 100 MB against bare node:http',
    baseline: contestant(bare, 'bare node:http', [{ method: 'GET', path: '/s' }]),
    subject: contestant(reference, 'reference server', [{ method: 'GET', path: `${fileArea}/s` }]),
    ...told,
  });
}

function chunksOf(content: Buffer, to: string): readonly Sent[] {
  return Array.from({ length: Math.ceil(content.length / chunkBytes) }, (_, index) =>
    chunk(
      { to, path: 'c', totalBytes: content.length },
      index + 1,
      content.subarray(index * chunkBytes, (index + 1) * chunkBytes),
    ),
  );
}

/** A round is the requests once, whatever time they take; what they made goes outside of it. */
function contestant(side: Side, name: string, requests: readonly Sent[], made?: string): Contestant {
  return {
    name,
    async round() {
      const figure = await measured(side, requests);
      if (made !== undefined) await send(side, { method: 'DELETE', path: made });
      return figure;
    },
  };
}

async function measured(side: Side, requests: readonly Sent[]): Promise<Figure> {
  const cpuUs = await side.cpuUs();
  const startedAt = performance.now();
  for (const sent of requests) await send(side, sent);
  const seconds = (performance.now() - startedAt) / 1000;
  const megabytes = totalBytes / megabyte;
  return { perSecond: megabytes / seconds, cpuUs: ((await side.cpuUs()) - cpuUs) / megabytes, failures: 0 };
}

/** A file up by stream and in chunks, down again each time, and the memory of the server meanwhile. Content is made as it goes and told by its digest. */
async function large(side: Side, totalBytes: number): Promise<void> {
  const digest = digestOf(totalBytes);
  console.log(
    `${totalBytes / 1024 ** 3} GiB up and down; ${mebibytes(await side.residentBytes())} MiB resident before`,
  );
  const headers = { checksum: digest, 'content-length': String(totalBytes) };
  await phase(side, 'up by stream', totalBytes, () =>
    send(side, {
      method: 'POST',
      path: `${fileArea}/stream/streamed`,
      headers,
      body: Readable.from(blocksOf(totalBytes)),
    }),
  );
  await phase(side, 'down', totalBytes, () => arrives(side, 'streamed', digest));
  await phase(side, 'up in chunks of 4 MiB', totalBytes, () => inChunks(side, totalBytes));
  await phase(side, 'down', totalBytes, () => arrives(side, 'chunked', digest));
  console.log(`  ${machineLine()}`);
}

async function inChunks(side: Side, totalBytes: number): Promise<void> {
  let number = 0;
  for (const bytes of blocksOf(totalBytes))
    await send(side, chunk({ to: fileArea, path: 'chunked', totalBytes }, (number += 1), bytes));
}

/** Takes the file down, and away. @throws {Error} other content */
async function arrives(side: Side, name: string, digest: string): Promise<void> {
  const hash = createHash('md5');
  await send(side, { method: 'GET', path: `${fileArea}/${name}` }, (bytes) => void hash.update(bytes));
  if (hash.digest('hex') !== digest) throw new Error(`${name} came back with other content.`);
  await send(side, { method: 'DELETE', path: `${fileArea}/${name}` });
}

/** Prints how fast it went, the load generator included, and the most memory that was seen. */
async function phase(side: Side, name: string, totalBytes: number, work: () => Promise<void>): Promise<void> {
  const over = new AbortController();
  const peak = peakBytes(side, over.signal);
  const cpuBefore = process.cpuUsage().user;
  const startedAt = performance.now();
  await work().finally(() => over.abort());
  const seconds = (performance.now() - startedAt) / 1000;
  const ownSeconds = (process.cpuUsage().user - cpuBefore) / 1e6;
  const rate = Math.round(totalBytes / 1e6 / seconds);
  console.log(
    `  ${name.padEnd(24)} at most ${mebibytes(await peak)} MiB resident, ${seconds.toFixed(1)} s, ${rate} MB/s (${ownSeconds.toFixed(1)} s CPU of the client)`,
  );
}

async function peakBytes(side: Side, signal: AbortSignal): Promise<number> {
  let most = 0;
  while (!signal.aborted) {
    most = Math.max(most, await side.residentBytes());
    await sleep(sampleMs, undefined, { signal }).catch(() => undefined);
  }
  return most;
}

/** One buffer, filled anew for each block, would be changed while it is sent. */
function* blocksOf(totalBytes: number): Generator<Buffer> {
  for (let at = 0; at < totalBytes; at += chunkBytes) {
    const bytes = Buffer.from(block.subarray(0, Math.min(chunkBytes, totalBytes - at)));
    bytes.writeDoubleBE(at);
    yield bytes;
  }
}

function digestOf(totalBytes: number): string {
  const hash = createHash('md5');
  for (const bytes of blocksOf(totalBytes)) hash.update(bytes);
  return hash.digest('hex');
}

function mebibytes(bytes: number): string {
  return Math.round(bytes / 2 ** 20).toLocaleString('en');
}

/** Hands what comes back to `take`. @throws {Error} an answer other than 2xx */
async function send(
  { url }: Side,
  { method, path, headers, body }: Sent,
  take?: (bytes: Buffer) => void,
): Promise<void> {
  const answer = await request(url + path, {
    method,
    dispatcher,
    headers: { ...editor, ...headers },
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

function chunk({ to, path, totalBytes }: Chunked, number: number, bytes: Buffer): Sent {
  const [head, tail] = chunkFrame({ path, content: bytes, totalSize: totalBytes, chunkSize: chunkBytes, number });
  return {
    method: 'POST',
    path: to,
    headers: { checksum: md5(bytes), 'content-type': chunkMediaType },
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(tail)]),
  };
}

function md5(bytes: Uint8Array): string {
  return hash('md5', bytes);
}
