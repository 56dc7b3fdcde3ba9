import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Block, blocksOf, notPrinted, scriptOf } from '../cli/guide-blocks.fixture.ts';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';

/**
 * What somebody who is new needs for a first green test, from the packed package in an empty folder: what is read, and what the machine takes to
 * install and to run what stands there. Goal: five minutes each. Takes a package that is packed already: `-- svc-conformance-0.1.0.tgz`.
 */
interface Task {
  readonly name: string;
  /** What is installed beside the package. */
  readonly peers: readonly string[];
  readonly page: string;
  /** Headings of the page that are followed; all unless given. */
  readonly sections?: readonly string[];
  /** What makes a block that is no guide's one of a guide. */
  readonly asGuide?: (page: string) => string;
}

const clientGuide = 'docs/guides/client-developer.md';
const tasks: readonly Task[] = [
  {
    name: 'client test with nock',
    peers: ['nock'],
    page: clientGuide,
    sections: ['A service for a test', 'A client, and its test', 'Behind the address that your client knows'],
  },
  {
    name: 'client test in another language',
    peers: [],
    page: clientGuide,
    sections: ['A service for a test', 'From another language'],
  },
  {
    name: 'rules inside of one’s own vitest',
    peers: ['vitest'],
    page: 'docs/api.md',
    asGuide: (page) => {
      const [example = ''] = /Every chosen rule as a test of vitest:\n\n```ts\n[^]*?```/.exec(page) ?? [];
      return `${example.replace('```ts', '```ts rules.test.ts')}\n\`\`\`sh\nnpx vitest run\n\`\`\`\n\n\`\`\`text\n…Tests…passed…\n\`\`\`\n`;
    },
  },
  { name: 'extension under test', peers: [], page: 'docs/guides/extension-developer.md' },
];

/** Words that people read in a minute. */
const wordsPerMinute = 200;
const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));

console.log(machineLine());
await using scratch = await makeScratch();
const [given] = process.argv.slice(2);
const tarball = given === undefined ? await pack(scratch.file('.')) : resolve(given);
for (const task of tasks) await tell(task);

async function pack(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--pack-destination', folder], { cwd: root, maxBuffer: 1 << 26 });
  return join(folder, stdout.trim().split('\n').at(-1) ?? '');
}

async function tell({ name, peers, page, sections, asGuide = (whole) => whole }: Task): Promise<void> {
  const folder = await mkdtemp(scratch.file('task-'));
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const words = ['install', '--no-audit', '--no-fund', tarball, ...peers];
  const installing = await seconds(() => run('npm', words, { cwd: folder }));
  const { stdout: size } = await run('du', ['-sk', 'node_modules'], { cwd: folder });
  const read = sectionsOf(
    asGuide(await readFile(join(folder, 'node_modules/svc-conformance', page), 'utf8')),
    sections,
  );
  const running = await seconds(() => follow(folder, blocksOf(read)));
  const reading = (read.split(/\s+/).length / wordsPerMinute) * 60;
  const minutes = ((reading + installing + running) / 60).toFixed(1);
  const megabytes = ((Number.parseInt(size, 10) * 1024) / 1e6).toFixed(1);
  console.log(
    `${name}: ${minutes} min (install ${installing.toFixed(1)} s, run ${running.toFixed(1)} s, read ${reading.toFixed(0)} s), ${megabytes} MB with ${['the package', ...peers].join(' and ')}`,
  );
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

function sectionsOf(page: string, wanted: readonly string[] | undefined): string {
  if (wanted === undefined) return page;
  const [start = '', ...sections] = page.split(/^(?=## )/m);
  return [start, ...sections.filter((section) => wanted.some((title) => section.startsWith(`## ${title}\n`)))].join('');
}

/** @throws {Error} a command that fails, or prints something else than the page shows */
async function follow(cwd: string, blocks: readonly Block[]): Promise<void> {
  const path = [join(cwd, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']].join(delimiter);
  const child = spawn('bash', ['--noprofile', '--norc', '-c', scriptOf(blocks)], {
    cwd,
    env: { ...process.env, PATH: path, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = text(child.stdout);
  const [exitCode] = (await once(child, 'close')) as [number];
  const missing = notPrinted(blocks, await printed);
  if (exitCode !== 0 || missing.length > 0)
    throw new Error(`ended with ${exitCode}, without ${JSON.stringify(missing)}: ${await printed}`);
}
