import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';
import { compare, type Contestant } from './harness/compare.ts';
import type { Figure } from './harness/load.ts';
import { machineLine } from './harness/machine.ts';
import { scratch } from './harness/scratch.ts';
import { startSide, type Side } from './harness/side.ts';

/** Uploads and downloads against bare node:http that does the same to a file; with `--large`, memory while 4 GB come and go. */
const megabyte = 1_000_000;
const streamBytes = 60 * megabyte;
const chunkedBytes = 100 * megabyte;
const chunkBytes = 4 * 1024 * 1024;
const largeBytes = 4 * 1024 ** 3;
const area = '/api/space/main/fs/file';
const credentials = { authorization: 'Bearer svcpat-edda-7d1c0b9e5a' };
const dispatcher = new Agent({ connections: 1 });
const content = randomBytes(chunkedBytes);
const told = { goal: '>= 0.8', ratio: 'rate', unit: 'MB' } as const;

interface Sent {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
}

const { values } = parseArgs({ options: { large: { type: 'boolean', default: false } }, strict: false });
await using folder = await scratch();
await using bare = await startSide('bare-files', { folder: folder.file('.') });
await using reference = await startSide('reference', { file: folder.file('store.sqlite'), files: folder.file('files') });
if (values.large) await large();
else await comparisons();
await dispatcher.close();

async function comparisons(): Promise<void> {
  const stream = content.subarray(0, streamBytes);
  await compare({
    title: 'stream upload of 60 MB against bare node:http, MD5 and fsync on both sides',
    baseline: contestant(bare, 'bare node:http', streamBytes, [{ method: 'POST', path: '/s', headers: { checksum: md5(stream) }, body: stream }], '/s'),
    subject: contestant(reference, 'reference server', streamBytes, [{ method: 'POST', path: `${area}/stream/s`, headers: { checksum: md5(stream) }, body: stream }], `${area}/s`),
    ...told,
  });
  const pieces = Array.from({ length: Math.ceil(chunkedBytes / chunkBytes) }, (_, index) => index + 1);
  const bareChunks = pieces.map((number) => bareChunk(number, '/c'));
  const chunks = pieces.map((number) => chunk(number, 'c', chunkedBytes, pieceOf(number)));
  await compare({
    title: 'upload of 100 MB in chunks of 4 MiB against bare node:http, which gets them without a form',
    baseline: contestant(bare, 'bare node:http', chunkedBytes, bareChunks, '/c'),
    subject: contestant(reference, 'reference server', chunkedBytes, chunks, `${area}/c`),
    ...told,
  });
  await sendAll(bare, bareChunks);
  await sendAll(reference, chunks);
  await compare({
    title: 'download of 100 MB against bare node:http',
    baseline: contestant(bare, 'bare node:http', chunkedBytes, [{ method: 'GET', path: '/c' }]),
    subject: contestant(reference, 'reference server', chunkedBytes, [{ method: 'GET', path: `${area}/c` }]),
    ...told,
  });
}

/** A round is the requests once, whatever time they take; what they made goes outside of it. */
function contestant(side: Side, name: string, bytes: number, requests: readonly Sent[], made?: string): Contestant {
  return {
    name,
    async round() {
      const figure = await measured(side, bytes, requests);
      if (made !== undefined) await send(side, { method: 'DELETE', path: made });
      return figure;
    },
  };
}

async function measured(side: Side, bytes: number, requests: readonly Sent[]): Promise<Figure> {
  const cpuUs = await side.cpuUs();
  const startedAt = performance.now();
  await sendAll(side, requests);
  const seconds = (performance.now() - startedAt) / 1000;
  const sizeMb = bytes / megabyte;
  return { perSecond: sizeMb / seconds, cpuUs: ((await side.cpuUs()) - cpuUs) / sizeMb, failures: 0 };
}

async function sendAll(side: Side, requests: readonly Sent[]): Promise<void> {
  for (const sent of requests) await send(side, sent);
}

/** @throws {Error} an answer other than 2xx */
async function send({ url }: Side, { method, path, headers, body }: Sent): Promise<number> {
  const answer = await request(url + path, { method, dispatcher, headers: { ...credentials, ...headers }, ...(body && { body }) });
  let size = 0;
  for await (const bytes of answer.body) size += bytes.length;
  if (answer.statusCode >= 300) throw new Error(`${method} ${path} was answered ${answer.statusCode}.`);
  return size;
}

function pieceOf(number: number): Buffer {
  return content.subarray((number - 1) * chunkBytes, number * chunkBytes);
}

function bareChunk(number: number, path: string): Sent {
  const body = pieceOf(number);
  return { method: 'POST', path: `${path}?at=${(number - 1) * chunkBytes}`, headers: { checksum: md5(body) }, body };
}

function chunk(number: number, path: string, totalBytes: number, bytes: Buffer): Sent {
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
  const before = Buffer.from(`${texts.join('')}${head('file')}; filename="${path}"\r\nContent-Type: application/octet-stream\r\n\r\n`);
  return {
    method: 'POST',
    path: area,
    headers: { checksum: md5(bytes), 'content-type': 'multipart/form-data; boundary=edge' },
    body: Buffer.concat([before, bytes, Buffer.from('\r\n--edge--\r\n')]),
  };
}

/** Chunk by chunk, then back as one. */
async function large(): Promise<void> {
  const before = await reference.residentBytes();
  const bytes = pieceOf(1);
  let most = before;
  for (let number = 1; number <= largeBytes / chunkBytes; number += 1) {
    await send(reference, chunk(number, 'large', largeBytes, bytes));
    if (number % 64 === 0) most = Math.max(most, await reference.residentBytes());
  }
  const arrived = await send(reference, { method: 'GET', path: `${area}/large` });
  const after = await reference.residentBytes();
  console.log(`memory while ${largeBytes / 1024 ** 3} GiB come in chunks of 4 MiB and ${arrived / 1024 ** 3} GiB go`);
  console.log(`  ${mebibytes(before)} MiB before, at most ${mebibytes(most)} MiB, ${mebibytes(after)} MiB after the download`);
  console.log(`  ${machineLine()}`);
}

function mebibytes(bytes: number): string {
  return Math.round(bytes / 2 ** 20).toLocaleString('en');
}

function md5(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}
