import { build } from 'esbuild';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import type { BuiltIn } from './built-ins.fixture.ts';

type World = Record<PropertyKey, unknown>;

/** What k6 2.2.0 has of the language, as the real one told. */
export const recordedBuiltIns = JSON.parse(
  readFileSync(new URL('./built-ins.fixture.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, BuiltIn>>;

/** Clock and chance of the machine: k6 has them, a journey may not. */
const notForJourneys: readonly (readonly [string, string?])[] = [['Date'], ['Math', 'random']];
const iterators = 'Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))';

/** Runs a source in a world that has the built-ins of k6 and nothing else. */
export function worldOfK6(): (source: string) => unknown {
  const context = createContext({});
  const within = (source: string): unknown => runInContext(source, context);
  const globals = within('globalThis') as World;
  keepOnly(globals, Object.keys(recordedBuiltIns));
  for (const [name, { own, proto }] of Object.entries(recordedBuiltIns)) {
    const value = globals[name];
    if (typeof value !== 'function' && typeof value !== 'object') continue;
    keepOnly(value as unknown as World, [...own, 'prototype']);
    const prototype = (value as unknown as World)['prototype'];
    if (prototype !== undefined) keepOnly(prototype as World, [...proto, 'constructor']);
  }
  keepOnly(within(iterators) as World, recordedBuiltIns['%IteratorPrototype%']?.own ?? []);
  for (const [name, member] of notForJourneys)
    Reflect.deleteProperty(member === undefined ? globals : (globals[name] as World), member ?? name);
  return within;
}

function keepOnly(value: World, names: readonly string[]): void {
  if (value === null) return;
  for (const key of Reflect.ownKeys(value)) {
    const name = typeof key === 'symbol' ? `@@${(key.description ?? '').replace('Symbol.', '')}` : key;
    // the world itself cannot be taken away
    if (!names.includes(name) && name !== 'globalThis') Reflect.deleteProperty(value, key);
  }
}

/** A module of this folder as one script, its exports in the global `bundle`, and the files that went into it. */
export async function bundle(file: string): Promise<{ readonly source: string; readonly files: readonly string[] }> {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: 'iife',
    globalName: 'bundle',
    platform: 'neutral',
    target: 'es2022',
    external: ['k6', 'k6/*'],
    logLevel: 'silent',
  });
  return { source: outputFiles[0]?.text ?? '', files: Object.keys(metafile.inputs) };
}
