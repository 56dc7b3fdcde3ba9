import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { large } from './files/large.ts';
import { area, chunk, chunkBytes, hangUp, md5, send, type Sent } from './files/requests.ts';
import { compare, type Contestant } from './harness/compare.ts';
import type { Figure } from './harness/load.ts';
import { scratch } from './harness/scratch.ts';
import { startSide, type Side } from './harness/side.ts';

/** Uploads and downloads of 100 MB against bare node:http that does the same with a file; with `--large`, memory while `--gibibytes` (4) come and go. */
const megabyte = 1_000_000;
const totalBytes = 100 * megabyte;
const told = { goal: '>= 0.8', ratio: 'rate', unit: 'MB' } as const;

const { values } = parseArgs({
  options: { large: { type: 'boolean', default: false }, gibibytes: { type: 'string', default: '4' } },
  strict: false,
});
const largeBytes = Number(values.gibibytes) * 1024 ** 3;
await using folder = await scratch();
await using bare = await startSide('bare-files', { folder: folder.file('.') });
await using reference = await startSide('reference', {
  file: folder.file('store.sqlite'),
  files: folder.file('files'),
  maxStreamBytes: Math.max(totalBytes, largeBytes),
});
if (values.large) await large(reference, largeBytes);
else await comparisons(randomBytes(totalBytes));
await hangUp();

async function comparisons(content: Buffer): Promise<void> {
  const stream = { method: 'POST', headers: { checksum: md5(content) }, body: content } as const;
  await compare({
    title: 'stream upload of 100 MB against bare node:http, MD5 and fsync on both sides',
    baseline: contestant(bare, 'bare node:http', [{ ...stream, path: '/s' }], '/s'),
    subject: contestant(reference, 'reference server', [{ ...stream, path: `${area}/stream/s` }], `${area}/s`),
    ...told,
  });
  await compare({
    title:
      'upload of 100 MB in chunks of 4 MiB against bare node:http with the same form reader, MD5 and fsync of each chunk on both sides',
    baseline: contestant(bare, 'bare node:http', chunksOf(content, '/c'), '/c'),
    subject: contestant(reference, 'reference server', chunksOf(content, area), `${area}/c`),
    ...told,
  });
  await send(bare, { ...stream, path: '/s' });
  await send(reference, { ...stream, path: `${area}/stream/s` });
  await compare({
    title: 'download of 100 MB against bare node:http',
    baseline: contestant(bare, 'bare node:http', [{ method: 'GET', path: '/s' }]),
    subject: contestant(reference, 'reference server', [{ method: 'GET', path: `${area}/s` }]),
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
