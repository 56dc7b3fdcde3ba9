import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { systemProgram } from '../../fixtures/system-program.ts';
import { createServer, type Server } from '../server.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

const browser = systemProgram('chromium');
const resumable = createRequire(import.meta.url).resolve('resumablejs/resumable.js');
const fileBytes = 5_000_000;
const chunkBytes = 1_048_576;
const authorization = 'Bearer svcpat-edda-7d1c0b9e5a';
const area = '/api/space/main/fs/file';

/** Everything that the page does: it uploads by the library as its users would, with the checksum of each chunk. */
async function upload(page: Page, target: string): Promise<void> {
  await page.evaluate(
    ({ target, authorization, chunkBytes, fileBytes }) => {
      const content = new Uint8Array(fileBytes).map((_, index) => (index * 31 + (index >> 8)) & 255);
      const checksums = new Map<number, string>();
      const state = Object.assign(globalThis, { progress: { done: false, succeeded: 0 } });
      const { Resumable, md5 } = globalThis as unknown as PageWorld;
      const uploader = new Resumable({
        target,
        chunkSize: chunkBytes,
        forceChunkSize: true,
        testChunks: false,
        simultaneousUploads: 2,
        chunkRetryInterval: 100,
        permanentErrors: [400, 404, 409, 413, 415],
        headers: (_file: unknown, chunk: Chunk) => ({
          Authorization: authorization,
          checksum: checksums.get(chunk.offset),
        }),
        preprocess: async (chunk: Chunk) => {
          const bytes = content.subarray(chunk.startByte, chunk.endByte);
          checksums.set(chunk.offset, await md5(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')));
          chunk.preprocessFinished();
        },
      });
      uploader.on('chunkingComplete', () => uploader.upload());
      uploader.on('fileProgress', () => {
        state.progress.succeeded = uploader.progress();
      });
      uploader.on('complete', () => {
        state.progress.done = true;
      });
      uploader.on('error', (message: string) => {
        throw new Error(message);
      });
      uploader.addFile(new File([content], 'film.bin', { type: 'video/example' }));
    },
    { target, authorization, chunkBytes, fileBytes },
  );
}

interface Chunk {
  readonly offset: number;
  readonly startByte: number;
  readonly endByte: number;
  preprocessFinished(): void;
}

interface PageWorld {
  readonly Resumable: new (options: object) => {
    on(event: string, heard: (message: string) => void): void;
    addFile(file: File): void;
    upload(): void;
    progress(): number;
  };
  md5(binary: string): Promise<string>;
}

async function started(files: string, store: ReturnType<typeof openSqliteStore>, port = 0): Promise<Server> {
  const server = createServer({ files, store });
  await server.listen({ port });
  return server;
}

test.skipIf(browser.path === undefined)(
  `a browser uploads 5 MB by resumable.js, over a lost connection and a restart of the server${browser.note}`,
  async () => {
    const files = makeFolder();
    const store = openSqliteStore(join(files, 'store.sqlite'));
    onTestFinished(() => store.close());
    let server = await started(join(files, 'areas'), store);
    onTestFinished(() => server.close());
    const { url, port } = server;

    const window = await chromium.launch({ executablePath: browser.path ?? '', args: ['--no-sandbox'], timeout: 0 });
    onTestFinished(() => window.close());
    const page = await window.newPage();
    page.setDefaultTimeout(0);
    const complaints: string[] = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    await page.route(`${url}/page`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>upload</title>' }),
    );
    let chunks = 0;
    await page.route(`${url}${area}*`, async (route) => {
      chunks += 1;
      if (chunks === 2) return route.abort('connectionreset');
      if (chunks === 4) {
        await server.close();
        server = await started(join(files, 'areas'), store, port);
      }
      return route.continue();
    });
    await page.exposeFunction('md5', (binary: string) => createHash('md5').update(binary, 'latin1').digest('hex'));
    await page.goto(`${url}/page`);
    await page.addScriptTag({ path: resumable });
    await upload(page, `${url}${area}`);
    await page.waitForFunction(
      () => (globalThis as unknown as { progress: { done: boolean } }).progress.done,
      undefined,
      { timeout: 0 },
    );

    expect(complaints).toEqual([]);
    expect(chunks).toBeGreaterThan(Math.ceil(fileBytes / chunkBytes));
    const reply = await fetch(`${url}${area}/film.bin`, { headers: { authorization } });
    expect(reply.status).toBe(200);
    const content = Buffer.from(await reply.arrayBuffer());
    const expected = Buffer.alloc(fileBytes, 0).map((_, index) => (index * 31 + (index >> 8)) & 255);
    expect(content.equals(expected)).toBe(true);
  },
);
