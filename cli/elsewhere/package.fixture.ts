import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inject } from 'vitest';

/** The package as a stranger gets it. */
export interface Packed {
  /** The file that npm installs. */
  readonly tarball: string;
  /** Paths in it. */
  readonly paths: readonly string[];
}

/** Long enough for a hook that packs, on a machine that does other things as well, in ms. */
export const packingMs = 240_000;

/** How this machine reaches its registry. */
const ofTheNetwork = /^(?:npm_config_registry|node_extra_ca_certs|ssl_cert_(?:file|dir)|(?:https?|no)_proxy)$/i;

/** Node and npm of the project first, the way to the registry and the packages that this machine has of it; nothing else of the environment of the tests. */
export const plainEnvironment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => ofTheNetwork.test(name))),
  PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH']}`,
  HOME: process.env['HOME'] ?? '',
  npm_config_prefer_offline: 'true',
};

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The package, made once for all test files of a run. Undefined where the registry cannot be reached, unless CI demands it.
 * @throws {Error} it cannot be packed
 */
export async function packed(): Promise<Packed | undefined> {
  if (process.env['CI'] === undefined && !(await registryAnswers())) return undefined;
  const folder = inject('packageFolder');
  if (await isFirst(folder)) await pack(folder);
  return packedBy(folder);
}

/** Installs the package into a folder that is made for it, and resolves with the file that Node runs. */
export async function installedIn(folder: string, { tarball }: Packed): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  await npm(folder, 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball);
  return join(folder, 'node_modules', '.bin', 'svc-conformance');
}

/** Rejects unless the exit code is 0. */
export function npm(cwd: string, ...argv: readonly string[]): Promise<{ readonly stdout: string }> {
  return execute('npm', argv, { cwd, env: { ...process.env, ...plainEnvironment }, maxBuffer: 1 << 25 });
}

/** Whichever worker makes this folder packs; the others wait for it. */
function isFirst(folder: string): Promise<boolean> {
  return mkdir(join(folder, 'begun')).then(
    () => true,
    () => false,
  );
}

async function pack(folder: string): Promise<void> {
  const result = await npm(root, 'pack', '--json', '--pack-destination', folder).then(
    ({ stdout }) => stdout.slice(stdout.indexOf('[\n')),
    (error: unknown) => JSON.stringify({ failed: String(error) }),
  );
  await writeFile(join(folder, 'writing'), result);
  await rename(join(folder, 'writing'), join(folder, 'packed.json'));
}

async function packedBy(folder: string): Promise<Packed> {
  const file = join(folder, 'packed.json');
  while (!existsSync(file)) await wait(50);
  const result = JSON.parse(await readFile(file, 'utf8')) as
    | readonly { readonly filename: string; readonly files: readonly { readonly path: string }[] }[]
    | { readonly failed: string };
  if ('failed' in result) throw new Error(`npm pack: ${result.failed}`);
  const [first] = result;
  if (first === undefined) throw new Error('npm pack named no package');
  return { tarball: join(folder, first.filename), paths: first.files.map(({ path }) => path) };
}

/** Whether packages can be installed here. */
export function registryAnswers(): Promise<boolean> {
  return npm(root, 'view', 'commander', 'version', '--fetch-retries', '0').then(
    () => true,
    () => false,
  );
}
