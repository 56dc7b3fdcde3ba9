import { mkdirSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Esbuild from 'esbuild';
import { messageOf } from '../../../contract/thrown.ts';
import { thresholdsOf } from '../k6/options.ts';
import type { Plan } from '../k6/plan.ts';
import { manifestOf, mostConfigMapBytes } from './manifest.ts';
import { ExportError, planOf, type TrafficExport, variablesOf } from './plan.ts';
import { readmeOf } from './readme.ts';

/** What was written, and what has to be known of it. */
export interface Exported {
  readonly files: readonly string[];
  /** Environment variables that the script needs. */
  readonly variables: readonly string[];
  readonly remarks: readonly string[];
}

/** Runners of the manifest. */
const parallelism = 4;

/**
 * Writes a folder from which k6 makes the same journeys: script, data without secrets, a manifest for a cluster, and how to use them. Files of those
 * names are written over. @throws {ExportError} the folder cannot be written, the profile does not say how to get tokens, or
 * esbuild is not installed
 */
export async function exportTraffic(what: TrafficExport, directory: string, write: WriteFile): Promise<Exported> {
  const { plan, remarks: without } = planOf(what);
  const remarks = [...without, ...remarksOn(plan)];
  const script = await bundleScript();
  const ground = `${JSON.stringify(plan, undefined, 1)}\n`;
  const sizeBytes = Buffer.byteLength(script) + Buffer.byteLength(ground);
  if (sizeBytes > mostConfigMapBytes)
    throw new ExportError(
      `Expected at most ${mostConfigMapBytes} bytes of script and data, which is what a cluster takes, found ${sizeBytes}. Leave out objects or shorten the bodies of the profile.`,
    );
  const files: Readonly<Record<string, string>> = {
    'script.js': script,
    'ground.json': ground,
    'testrun.yaml': manifestOf(plan, { 'script.js': script, 'ground.json': ground }, parallelism),
    'README.md': readmeOf(plan, parallelism, without),
  };
  writeAll(directory, files, write);
  return { files: Object.keys(files), variables: variablesOf(plan), remarks };
}

/** Writes a file in a folder that is there. */
type WriteFile = (file: string, text: string) => void;

function writeAll(directory: string, files: Readonly<Record<string, string>>, write: WriteFile): void {
  try {
    mkdirSync(directory, { recursive: true });
    readdirSync(directory);
    for (const [name, text] of Object.entries(files)) write(join(directory, name), text);
  } catch (error) {
    throw new ExportError(`Cannot write to ${directory} (${messageOf(error)}); name a folder that can be written.`);
  }
}

function remarksOn({ thresholds, load }: Plan): readonly string[] {
  const left = thresholdsOf(thresholds).left.map(
    (text) =>
      `The threshold ${text} is judged when segments are merged: a segment sees its own share of the rate only.`,
  );
  return load.model === 'open' && load.arrivals === 'poisson'
    ? [...left, 'k6 begins journeys at even distances only: arrivals by chance are left out.']
    : left;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const adaptor = fileURLToPath(new URL(`../k6/adaptor${extname(import.meta.url)}`, import.meta.url));

/** Source of the script: journeys, chooser and adaptor in one file. The modules of k6 are left to k6. */
export async function bundleScript(): Promise<string> {
  const { build } = await loadBundler();
  const { outputFiles } = await build({
    entryPoints: [adaptor],
    // so that the comments that name files are the same wherever this is started
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    external: ['k6', 'k6/*'],
    charset: 'ascii',
    logLevel: 'silent',
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error('esbuild made no file of the adaptor.');
  const lacking = findLacking(script.text);
  if (lacking.length > 0) throw new Error(`The script holds ${lacking.join(' and ')}, which k6 cannot run.`);
  return script.text;
}

/** What nothing else needs is asked for when it is used. @throws {ExportError} it is not installed */
async function loadBundler(): Promise<typeof Esbuild> {
  try {
    return await import('esbuild');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new ExportError(
      'Expected the package esbuild, which makes one script of the journeys, found none. Install it beside this one: npm install esbuild.',
    );
  }
}

/** Parts of regular expressions that k6 takes and gets wrong, or refuses, by what they are called. */
const patterns: Readonly<Record<string, RegExp>> = {
  'a class of Unicode properties': /\\p\{|\\P\{/,
  lookbehind: /\(\?<[=!]/,
  'an async generator': /\basync\s+function\s*\*|\basync\s*\*/,
  'for await': /\bfor\s+await\s*\(/,
};

/** What a source has that the engine of k6 lacks; the linter knows names, this knows forms. */
export function findLacking(source: string): readonly string[] {
  return Object.entries(patterns).flatMap(([name, pattern]) => (pattern.test(source) ? [name] : []));
}
