import { Busboy } from '@fastify/busboy';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { listen } from '../../fixtures/listening.fixture.ts';
import { answerParent, settingsOf } from '../harness/parent.ts';

/** The baseline of file routes: bodies go to a file with their MD5 taken, and are on the disk when the answer goes; GET gives the file back. A form is a chunk of it. */
export interface BareFilesSettings {
  readonly folder: string;
}

const { folder } = settingsOf<BareFilesSettings>();

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.writeHead(500).end());
});
const { url, [Symbol.asyncDispose]: close } = await listen(server);
answerParent(url, close);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const file = join(folder, (request.url ?? '/').replaceAll('/', '_'));
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-length': (await stat(file)).size });
    return pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), response);
  }
  if (request.method === 'DELETE') await rm(file);
  else if (request.headers['content-type']?.startsWith('multipart/form-data')) await storeForm(request, file);
  else await store(request, request, file, 0);
  response.writeHead(204).end();
}

/** The numbers of a chunk come before its bytes. */
async function storeForm(request: IncomingMessage, path: string): Promise<void> {
  const form = new Busboy({ headers: { 'content-type': request.headers['content-type'] ?? '' } });
  const numbers = new Map<string, number>();
  const stored: Promise<void>[] = [];
  form.on('field', (name, value) => numbers.set(name, Number(value)));
  form.on('file', (_name, content) => {
    const [number = 1, size = 0] = [numbers.get('resumableChunkNumber'), numbers.get('resumableChunkSize')];
    stored.push(store(request, content, path, (number - 1) * size));
  });
  await pipeline(request, form);
  await Promise.all(stored);
}

async function store(
  { headers }: IncomingMessage,
  content: AsyncIterable<Buffer>,
  path: string,
  at: number,
): Promise<void> {
  const hash = createHash('md5');
  const taken = async function* (): AsyncGenerator<Buffer> {
    for await (const bytes of content) {
      hash.update(bytes);
      yield bytes;
    }
  };
  await pipeline(taken, createWriteStream(path, { flags: at === 0 ? 'w' : 'r+', start: at, flush: true }));
  if (hash.digest('hex') !== headers['checksum']) throw new Error('Another MD5.');
}
