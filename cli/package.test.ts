import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { parseRun } from '../reports/run.ts';
import { catalogue } from '../suites/catalogue.ts';
import packageFile from '../package.json' with { type: 'json' };
import { copyContext, dockerfiles, readStages } from './image.fixture.ts';
import { oldNode } from './old-node.fixture.ts';
import type { Announcement } from './serve.ts';
import { listedRules } from './rule-list.ts';

/** The package as a stranger gets it: packed, installed into an empty folder, and used there as the README says. */
const secrets = { SVC_PASSWORD: 'edda-password', SVC_CLIENT_SECRET: 'conformance-secret' };
const root = fileURLToPath(new URL('..', import.meta.url));

/** How this machine reaches its registry. */
const ofTheNetwork = /^(?:npm_config_registry|node_extra_ca_certs|ssl_cert_(?:file|dir)|(?:https?|no)_proxy)$/i;
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => ofTheNetwork.test(name))),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
  HOME: process.env['HOME'] ?? '',
  npm_config_prefer_offline: 'true',
};

/** What somebody who is strict writes. */
const consumer = `
import { check, checkExtensionHost, type CheckResult, type KnownRuleId, render, rules, type Service, startExtensionHost, startServer } from 'svc-conformance';
import { fetchService } from 'svc-conformance/fetch';
import { nockService } from 'svc-conformance/nock';
import { conformance } from 'svc-conformance/vitest';

const known: KnownRuleId = 'paging.page-one.holds-the-rest';
export async function use(): Promise<CheckResult> {
  await using server = await startServer({ faults: [known], clock: new Date(), dialect: 'strange' });
  await using host = await startExtensionHost({ script: [{ when: { kind: 'event' }, steps: [{ status: 503 }] }] });
  const services: Service[] = [server, await fetchService(), await nockService('https://svc.example', {})];
  await server.faults.set([known]);
  await server.seed([{ $id: 'one', $softType: 'Document', data: { title: 'One' } }]);
  await server.clock.run();
  const token: string = await server.tokens('editor', { lifetimeSeconds: -1 });
  for await (const { rule, verdict } of check({ target: server, rules: ['paging.*', known] })) console.log(rule, verdict, token, services);
  conformance({ target: () => startServer(), profile: server.profile });
  const [call] = await host.journal.waitFor({ kind: 'event' });
  console.log(call?.envelope, rules.map(({ id }) => id), render('text', await checkExtensionHost({ target: host })));
  // @ts-expect-error there is no such fault
  await startServer({ faults: ['no.such.rule'] });
  // @ts-expect-error there is no such format
  render('pdf', []);
  return check({ profile: 'profile.yaml', signal: AbortSignal.timeout(1000) });
}
`;

interface Ended {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly printed: string;
}

function run(cwd: string, file: string, argv: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...environment, ...secrets }, maxBuffer: 1 << 25 };
    const child = execFile(file, argv, options, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode, stdout, printed: `${stdout}${stderr}` }),
    );
  });
}

/** @throws {Error} npm ended with another code than 0 */
async function npm(cwd: string, ...argv: readonly string[]): Promise<string> {
  const { exitCode, stdout, printed } = await run(cwd, 'npm', argv);
  if (exitCode !== 0) throw new Error(`npm ${argv.join(' ')} ended with ${exitCode}: ${printed}`);
  return stdout;
}

const place = makeFolder();
/** What is sent to Docker, and what was built of that. */
const context = makeFolder();
let tarball = '';
let paths: readonly string[] = [];
let isReachable = false;

beforeAll(async () => {
  await copyContext(context);
  await symlink(join(root, 'node_modules'), join(context, 'node_modules'));
  await npm(context, 'run', 'build');
  const asked = await run(root, 'npm', ['view', 'commander', 'version', '--fetch-retries', '0']);
  isReachable = process.env['CI'] !== undefined || asked.exitCode === 0;
  if (!isReachable) return;
  for (const name of ['.gitignore', ...packageFile.files].filter((each) => !existsSync(join(context, each))))
    await cp(join(root, name), join(context, name), { recursive: true });
  const told = await npm(context, 'pack', '--ignore-scripts', '--json', '--pack-destination', place);
  const [pack] = JSON.parse(told.slice(told.indexOf('[\n'))) as readonly {
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
  }[];
  paths = pack?.files.map(({ path }) => path) ?? [];
  tarball = join(place, pack?.filename ?? '');
  await writeFile(join(place, 'package.json'), '{ "private": true }\n');
  // a registry that stops in the middle of an answer is asked again before the test is over
  await npm(place, 'install', '--no-audit', '--no-fund', '--fetch-timeout', '30000', tarball);
});

const main = (): string => join(place, 'node_modules', '.bin', 'svc-conformance');
const installed = (...argv: readonly string[]): Promise<Ended> => run(place, process.execPath, [main(), ...argv]);
const written = (name: string): Promise<string> => readFile(join(place, 'svc-conformance-report', name), 'utf8');

test.each(dockerfiles)('%s holds what the program reads, built from what .dockerignore lets in', async (name) => {
  const app = await mkdtemp(join(context, 'app-'));
  for (const entry of ['package.json', 'node_modules', 'dist']) await symlink(join(context, entry), join(app, entry));
  const [last] = (await readStages(name)).slice(-1);
  for (const instruction of last?.instructions ?? []) {
    const [, sources = '', target = ''] = /^COPY ((?:(?!--)\S+ )+)\/app\/(\S*)$/.exec(String(instruction)) ?? [];
    for (const source of sources.split(' ').filter((each) => each !== ''))
      await cp(join(context, source), join(app, target === '' ? source : target), { recursive: true });
  }
  const words = ['--preserve-symlinks-main', '--preserve-symlinks', join(app, 'dist/cli/main.js')];
  const explain = spawn(process.execPath, [...words, 'rules', 'explain', 'paging.link.pages-count'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const complaint = text(explain.stderr);
  expect(await once(explain, 'exit'), await complaint).toEqual([0, null]);
});

describe('the package', () => {
  test('is built before it is packed', () => expect(packageFile.scripts.prepack).toBe('npm run build'));

  test('holds what runs and its documents, no tests and no sources', ({ skip }) => {
    skip(!isReachable, 'the package registry cannot be reached');
    expect(paths).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'CHANGELOG.md',
        'dist/cli/main.js',
        'dist/fixtures/profile.yaml',
      ]),
    );
    expect(paths.filter((path) => /\.test\.|\.fixture\.|(?<!\.d)\.ts$/.test(path))).toEqual([]);
  });

  test('says on an old Node which one it needs', async ({ skip }) => {
    skip(!isReachable, 'the package registry cannot be reached');
    if (oldNode === undefined) return skip('this machine has no older Node');
    const { exitCode, stdout, printed } = await run(place, oldNode, [main(), 'check']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(printed).toMatch(/^svc-conformance needs Node 24 or later [^.]+[\d.]+: [^.]+\.\n$/);
  });

  test('takes less than 60 MB of a disk with all it needs', async ({ skip }) => {
    skip(!isReachable, 'the package registry cannot be reached');
    const { stdout } = await run(place, 'du', ['-sk', 'node_modules']);
    expect((Number.parseInt(stdout, 10) * 1024) / 1e6).toBeLessThan(60);
  });

  test('brings nothing that only some ask for, and says which package that is', async ({ skip }) => {
    skip(!isReachable, 'the package registry cannot be reached');
    const optional = Object.keys(packageFile.peerDependenciesMeta);
    expect(optional).toEqual(expect.arrayContaining(['esbuild', 'nock', 'vitest']));
    const names = [...optional, 'vite', 'fastify', 'playwright-core'];
    expect(names.filter((name) => existsSync(join(place, 'node_modules', name)))).toEqual([]);
    const [, profile = ''] = /```yaml\n([^]*?)```/.exec(await readFile(join(root, 'docs/profile.md'), 'utf8')) ?? [];
    const file = join(place, 'small.yaml');
    await writeFile(file, profile.replaceAll(/\$\{\w+\}/g, 'not-to-be-found'));
    const asked = await installed('simulate', 'traffic', '--profile', file, '--export', 'load');
    await rm(file);
    expect(asked.printed).toContain('npm install esbuild');
    for (const peer of ['nock', 'vitest']) {
      const { printed } = await run(place, process.execPath, ['--eval', `import 'svc-conformance/${peer}'`]);
      expect(printed).toContain(`Cannot find package '${peer}'`);
    }
  });

  test('has a map of what it was made from for every entry point', async ({ skip }) => {
    skip(!isReachable, 'the package registry cannot be reached');
    const entries = Object.values(packageFile.exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry]));
    for (const { types, default: code } of entries) {
      expect(paths).toContain(types.slice('./'.length));
      const file = join(place, 'node_modules/svc-conformance', code);
      const map = JSON.parse(await readFile(`${file}.map`, 'utf8')) as {
        readonly sources: readonly string[];
        readonly sourcesContent: readonly string[];
      };
      expect(map.sourcesContent).toHaveLength(map.sources.length);
    }
  });

  test.each([
    ['publint', ['--strict']],
    ['attw', ['--profile', 'esm-only', '--no-emoji']],
  ])('finds favour with %s', async (program, flags) => {
    const { exitCode, printed } = isReachable
      ? await run(place, join(root, 'node_modules/.bin', program), [...flags, tarball])
      : { exitCode: 0, printed: '' };
    expect(exitCode, printed).toBe(0);
  });

  test.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('has types for %s, resolved as %s, where everything is strict', async (module, resolution) => {
    if (!isReachable) return;
    await mkdir(join(place, 'types'), { recursive: true });
    const file = join(place, 'types', 'consumer.mts');
    await writeFile(file, consumer);
    const strict = [
      '--checkers',
      '1',
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
    ];
    const libraries = [
      '--target',
      'es2024',
      '--lib',
      'es2024,esnext.disposable',
      '--typeRoots',
      join(root, 'node_modules/@types'),
      '--types',
      'node',
    ];
    const argv = [...strict, ...libraries, '--module', module, '--moduleResolution', resolution, file];
    const { exitCode, printed } = await run(place, join(root, 'node_modules/.bin/tsc'), argv);
    await rm(join(place, 'types'), { recursive: true });
    expect(exitCode, printed).toBe(0);
  });

  test('is what its entry points say, for import and require', async ({ skip }) => {
    skip(!isReachable, 'the package registry cannot be reached');
    const using = `const { startServer, check } = require('svc-conformance');
      (async () => {
        const server = await startServer();
        const { fetchService } = await import('svc-conformance/fetch');
        const service = await fetchService();
        const { verdict } = await check({ target: server, rules: ['headers.uoi-version.*'], runs: 1 });
        console.log(verdict, (await service.fetch('/nowhere')).status);
        await Promise.all([server.close(), service.close()]);
      })();`;
    const file = join(place, 'using.cjs');
    await writeFile(file, using);
    const { exitCode, printed } = await run(place, process.execPath, [file]);
    await rm(file);
    expect([exitCode, printed]).toEqual([0, 'conforms 404\n']);
  });

  test('lists the rules', async ({ skip }) => {
    skip(!isReachable, 'the package registry cannot be reached');
    const { rules } = JSON.parse((await installed('rules', '--json')).stdout) as {
      readonly rules: readonly { readonly id: string }[];
    };
    expect(rules.map((rule) => rule.id)).toEqual(catalogue.ids);
  });

  test('leads from an empty folder by init and check to a page, on a service that differs wherever it may', async ({
    skip,
  }) => {
    skip(!isReachable, 'the package registry cannot be reached');
    const server = spawn(process.execPath, [main(), 'serve', '--dialect', 'strange'], {
      cwd: place,
      env: environment,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { value } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
    const { url } = JSON.parse(String(value)) as Announcement;
    const who = '--space main --username edda --client-id conformance'.split(' ');
    const init = await installed('init', '--yes', '--url', url, ...who);
    expect(init.exitCode, init.printed).toBe(0);
    expect(init.printed).toContain('Next: svc-conformance check --profile profile.yaml');

    const few = ['--runs', '2', '--areas', 'paging,headers'];
    const check = await installed('check', '--profile', 'profile.yaml', '--quiet', ...few);
    server.kill('SIGTERM');
    expect(await once(server, 'exit')).toEqual([0, null]);
    const { outcomes } = parseRun(await written('outcomes.ndjson'), 'outcomes.ndjson', listedRules);
    const by = Map.groupBy(outcomes, ({ verdict }) => verdict);
    expect([...(by.get('fail') ?? []), ...(by.get('broken') ?? [])], check.printed).toEqual([]);
    expect(by.get('pass')?.length).toBeGreaterThan(20);
    expect(by.get('blocked')?.filter(({ reason }) => (reason ?? '') === '') ?? []).toEqual([]);
    expect(check.exitCode, check.printed).toBe(by.has('blocked') ? 3 : 0);

    const page = await written('report.html');
    for (const { rule } of outcomes) expect(page).toContain(rule);
    expect(page).toMatch(/^<!doctype html>[^]+<\/html>\s*$/i);
    expect(`${page}${check.printed}${init.printed}`).not.toMatch(new RegExp(Object.values(secrets).join('|')));
    expect((await readdir(place)).filter((name) => !name.endsWith('.tgz')).toSorted()).toEqual([
      'node_modules',
      'package-lock.json',
      'package.json',
      'profile.yaml',
      'svc-conformance-report',
    ]);
  });
});
