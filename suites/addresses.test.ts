import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const address = /https?:\/\/([\w-]+(?:\.[\w-]+)+)/g;
const reserved = /^(?:127\.0\.0\.1|169\.254\.\d+\.\d+)$|\.(?:invalid|example|test|localhost)$/;
/** Names of documents and schemas, which nobody calls. */
const named = new Set(['json-schema.org', 'spec.openapis.org']);

/** A service calls what it is told: names that somebody has would lead it to a third party. */
test.each(['suites', 'judge'])('no address in %s is that of somebody', async (folder) => {
  const files = (await readdir(join(root, folder), { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(file),
  );
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(root, folder, file), 'utf8');
      const hosts = [...text.matchAll(address)].map(([, host = '']) => host);
      return hosts.filter((host) => !reserved.test(host) && !named.has(host)).map((host) => `${file}: ${host}`);
    }),
  );
  expect(found.flat()).toEqual([]);
});
