import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { systemProgram } from '../fixtures/system-program.ts';

/**
 * Follows every guide to the letter, in an empty folder of its own. Blocks of a page, in their order:
 *   ```sh         is typed into one bash, which ends at the first command that fails
 *   ```yaml NAME  or another language: a file of that name
 *   ```text       lines that the shell block before has printed, `…` standing for any text
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs', 'guides');
const hasPython = systemProgram('python3').path !== undefined;
const guides = (await readdir(folder)).filter((name) => name.endsWith('.md') && name !== 'README.md');

interface Block {
  readonly language: string;
  readonly name: string;
  readonly content: string;
}

const place = makeFolder();
beforeAll(async () => {
  await mkdir(join(place, 'bin'));
  const program = join(place, 'bin', 'svc-conformance');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'cli/main.ts')}' "$@"\n`);
  await chmod(program, 0o755);
});

function blocksOf(page: string): readonly Block[] {
  const fences = page.matchAll(/^```(\w+)(?: (\S+))?\n([^]*?)^```$/gm);
  const blocks = [...fences].map(([, language = '', name = '', content = '']) => ({ language, name, content }));
  // what a machine cannot run it has not printed
  const isLeftOut = (block?: Block): boolean => block?.content.startsWith('python3 ') === true && !hasPython;
  return blocks.filter((block, index) => !isLeftOut(block) && !isLeftOut(blocks[index - 1]));
}

/** One script of all blocks; a line with a number ends what each of them prints. */
function scriptOf(blocks: readonly Block[]): string {
  const parts = blocks.map(({ language, name, content }, index) => {
    if (name !== '') return `cat > '${name}' <<'END OF ${name}'\n${content}END OF ${name}`;
    return language === 'sh' ? `${content}printf '\\n@@%s\\n' ${index}` : '';
  });
  return ['set -euo pipefail', "trap 'kill $(jobs -p) 2> /dev/null || :; wait' EXIT", 'exec 2>&1', ...parts].join('\n');
}

/** The package as it imports from a clone, in which nothing was built. */
async function link(installed: string): Promise<void> {
  await mkdir(installed, { recursive: true });
  const entries = { '.': 'index', './nock': 'nock', './vitest': 'vitest' };
  const exports = Object.fromEntries(Object.entries(entries).map(([path, name]) => [path, `./${name}.js`]));
  await writeFile(
    join(installed, 'package.json'),
    JSON.stringify({ name: 'svc-conformance', type: 'module', exports }),
  );
  for (const name of Object.values(entries))
    await writeFile(
      join(installed, `${name}.js`),
      `export * from '${pathToFileURL(join(root, 'api', `${name}.ts`)).href}';\n`,
    );
}

async function follow(
  page: string,
  blocks: readonly Block[],
  name: string,
): Promise<{ exitCode: number; printed: string }> {
  const cwd = await mkdtemp(join(place, `${name}-`));
  await link(join(cwd, 'node_modules', 'svc-conformance'));
  await mkdir(join(cwd, 'node_modules', '.bin'));
  // nothing is there that the page does not tell to install
  for (const peer of ['nock', 'vitest'].filter((name) => page.includes(`npm install --save-dev ${name}`))) {
    await symlink(join(root, 'node_modules', peer), join(cwd, 'node_modules', peer));
    if (existsSync(join(root, 'node_modules', '.bin', peer)))
      await symlink(join(root, 'node_modules', '.bin', peer), join(cwd, 'node_modules', '.bin', peer));
  }
  const env = {
    PATH: [join(place, 'bin'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: cwd,
    NO_COLOR: '1',
    // where compiled code is kept between processes, of the program and of whoever imports the package
    TMPDIR: tmpdir(),
    NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
  };
  const child = spawn('bash', ['--noprofile', '--norc', '-c', scriptOf(blocks)], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = text(child.stdout);
  const [exitCode] = (await once(child, 'close')) as [number];
  return { exitCode, printed: await printed };
}

describe('guides that are followed to the letter', () => {
  test.concurrent.each(guides)('%s', async (name) => {
    const page = await readFile(join(folder, name), 'utf8');
    const blocks = blocksOf(page);
    const { exitCode, printed } = await follow(page, blocks, name);
    expect(exitCode, printed).toBe(0);
    let before = '';
    for (const [index, { language, content }] of blocks.entries()) {
      if (language === 'sh')
        before = /^(?:[^]*\n)?@@\d+\n([^]*)$/.exec(`@@0\n${printed.split(`\n@@${index}\n`)[0]}`)?.[1] ?? '';
      if (language === 'text')
        for (const line of content.trimEnd().split('\n')) expect(before).toMatch(patternOf(line));
    }
  });
});

/** Runs of blanks are one, as tables are as wide as the machine makes them. */
function patternOf(line: string): RegExp {
  const escaped = line.trim().replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  return new RegExp(`^ *${escaped.replaceAll(/ +/g, ' +').replaceAll('…', '.*')} *$`, 'm');
}
