import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineLine } from '../harness/machine.ts';
import type { Side } from '../harness/side.ts';
import { area, chunk, chunkBytes, send } from './requests.ts';

const sampleMs = 100;
/** Bytes that every block begins with anew, so that no block is like another one. */
const block = Buffer.from(Array.from({ length: chunkBytes }, (_, index) => (index * 31 + (index >> 8) * 7) & 0xff));

/** A file up by stream and in chunks, down again each time, and the memory of the server meanwhile. Content is made as it goes and told by its digest. */
export async function large(side: Side, totalBytes: number): Promise<void> {
  const digest = digestOf(totalBytes);
  console.log(
    `${totalBytes / 1024 ** 3} GiB up and down; ${mebibytes(await side.residentBytes())} MiB resident before`,
  );
  const headers = { checksum: digest, 'content-length': String(totalBytes) };
  await phase(side, 'up by stream', totalBytes, () =>
    send(side, { method: 'POST', path: `${area}/stream/streamed`, headers, body: Readable.from(blocksOf(totalBytes)) }),
  );
  await phase(side, 'down', totalBytes, () => arrives(side, 'streamed', digest));
  await phase(side, 'up in chunks of 4 MiB', totalBytes, () => inChunks(side, totalBytes));
  await phase(side, 'down', totalBytes, () => arrives(side, 'chunked', digest));
  console.log(`  ${machineLine()}`);
}

async function inChunks(side: Side, totalBytes: number): Promise<void> {
  let number = 0;
  for (const bytes of blocksOf(totalBytes))
    await send(side, chunk({ to: area, path: 'chunked', totalBytes }, (number += 1), bytes));
}

/** Takes the file down, and away. @throws {Error} other content */
async function arrives(side: Side, name: string, digest: string): Promise<void> {
  const hash = createHash('md5');
  await send(side, { method: 'GET', path: `${area}/${name}` }, (bytes) => void hash.update(bytes));
  if (hash.digest('hex') !== digest) throw new Error(`${name} came back with other content.`);
  await send(side, { method: 'DELETE', path: `${area}/${name}` });
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
