import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { systemProgram } from '../fixtures/system-program.ts';
import { copyContext } from './image.fixture.ts';
import { type Block, blocksOf, notPrinted, scriptOf } from './guide-blocks.fixture.ts';

/** Follows every guide to the letter, in an empty folder of its own. */
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'docs', 'guides');
const hasPython = systemProgram('python3').path !== undefined;
const guides = (await readdir(folder)).filter((name) => name.endsWith('.md') && name !== 'README.md');

const place = makeFolder();
/** The package: it starts in three quarters of the time that its sources take. */
const built = makeFolder();
beforeAll(async () => {
  await copyContext(built);
  await symlink(join(root, 'node_modules'), join(built, 'node_modules'));
  execFileSync(process.execPath, ['cli/build/bundle.ts'], { cwd: built });
  await cp(join(built, 'fixtures'), join(built, 'dist', 'fixtures'), { recursive: true });
  await mkdir(join(place, 'bin'));
  const program = join(place, 'bin', 'svc-conformance');
  await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${join(built, 'dist/cli/main.js')}' "$@"\n`);
  await chmod(program, 0o755);
});

/** What a machine cannot run it has not printed. */
function runnable(blocks: readonly Block[]): readonly Block[] {
  const isLeftOut = (block?: Block): boolean => block?.content.startsWith('python3 ') === true && !hasPython;
  return blocks.filter((block, index) => !isLeftOut(block) && !isLeftOut(blocks[index - 1]));
}

async function follow(
  page: string,
  blocks: readonly Block[],
  name: string,
): Promise<{ exitCode: number; printed: string }> {
  const cwd = await mkdtemp(join(place, `${name}-`));
  await mkdir(join(cwd, 'node_modules', '.bin'), { recursive: true });
  await symlink(built, join(cwd, 'node_modules', 'svc-conformance'));
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
    const blocks = runnable(blocksOf(page));
    const { exitCode, printed } = await follow(page, blocks, name);
    expect(exitCode, printed).toBe(0);
    expect(notPrinted(blocks, printed), printed).toEqual([]);
  });
});
