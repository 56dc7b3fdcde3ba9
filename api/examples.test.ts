import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';

/** Every example of the page, run as it stands there: only where the package is found is told to it. */
const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/api.md'), 'utf8');
const examples = [
  ...page.slice(0, page.indexOf('\n## svc-conformance\n')).matchAll(/([^\n]+):\n\n```ts\n([^]*?)```/g),
].map(([, title = '', text = '']) => ({ title, text }));
const place = makeFolder();
/** To compile the package takes a process longer than most examples do. */
const env = { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };

beforeAll(() => {
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
  // what is installed is imported as it is, and so is the package here: to have it transformed first takes longer than its rules
  writeFileSync(
    join(place, 'vitest.config.mjs'),
    String.raw`export default { test: { server: { deps: { external: [/\/api\/\w+\.ts$/] } } } };`,
  );
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
});

function commandOf(text: string, file: string): readonly string[] {
  if (text.includes('svc-conformance/vitest')) return [join(root, 'node_modules/vitest/vitest.mjs'), 'run', file];
  return text.includes("'node:test'") ? ['--test', file] : [file];
}

test('there is an example of each entry point, and of three other ways', () => {
  const all = examples.map(({ text }) => text).join('\n');
  for (const name of [
    'svc-conformance',
    'svc-conformance/fetch',
    'svc-conformance/nock',
    'svc-conformance/vitest',
    'msw/node',
    'undici',
    'node:test',
  ])
    expect(all).toContain(`from '${name}'`);
});

test.each(examples)('$title', async ({ title, text }) => {
  const here = text.replaceAll(
    /from 'svc-conformance(?:\/(\w+))?'/g,
    (_all, name = 'index') => `from '${root}api/${name}.ts'`,
  );
  const name = `${title.replaceAll(/\W+/g, '-')}.test.ts`;
  writeFileSync(join(place, name), here);
  const ended = await new Promise<readonly [unknown, string]>((resolve) => {
    const child = execFile(process.execPath, commandOf(text, name), { cwd: place, env }, (_error, stdout, stderr) =>
      resolve([child.exitCode, stdout + stderr]),
    );
  });
  expect(ended[0], ended[1]).toBe(0);
});
