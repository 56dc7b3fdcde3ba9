import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVitest, type Reporter, type TestRunResult, type Vitest } from 'vitest/node';
import type { Handover } from './handover.ts';

const names = ['SIGINT', 'SIGTERM'] as const;

/** How long the thread may take to end, in ms. */
export const threadGraceMs = 1500;
/** Above every limit of ours, so that vitest never ends a case. */
const neverMs = 2 ** 31 - 1;
const casesFile = fileURLToPath(new URL(`cases.vitest${extname(import.meta.url)}`, import.meta.url));

/** The thread that runs the cases. */
export interface Thread extends AsyncDisposable {
  readonly vitest: Vitest;
}

/**
 * The thread of the cases, ready to start; the same from sources and from a build inside node_modules. vitest keeps files beside its root
 * even when it caches nothing, and this package may lie where nobody can write: so the root is a folder of the run.
 */
export async function threadFor(handover: Handover, reporter: Reporter): Promise<Thread> {
  const root = await mkdtemp(join(tmpdir(), 'svc-conformance-'));
  const vitest = await withOwnSignals(() => create(root, handover.rules.length, reporter));
  vitest.provide('handover', handover);
  return { vitest, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

function create(root: string, cases: number, reporter: Reporter): Promise<Vitest> {
  return createVitest(
    'test',
    {
      watch: false,
      config: false,
      root,
      include: [casesFile],
      exclude: [],
      passWithNoTests: true,
      pool: 'threads',
      isolate: false,
      maxWorkers: 1,
      maxConcurrency: Math.max(1, cases),
      testTimeout: neverMs,
      hookTimeout: neverMs,
      teardownTimeout: threadGraceMs,
      reporters: [reporter],
      silent: true,
      cache: false,
      fsModuleCache: false,
      // Node loads the suites itself, as it does everywhere else
      experimental: { viteModuleRunner: false, nodeLoader: false },
    },
    { envDir: false, logLevel: 'silent' },
  );
}

/** What went wrong outside of every case: it could belong to any of them, so the run proves nothing. */
export function strayErrorOf(result: TestRunResult | undefined): string | undefined {
  const loading = result?.testModules.flatMap((module) => module.errors()) ?? [];
  const [first] = [...loading, ...(result?.unhandledErrors ?? [])];
  if (first === undefined) return undefined;
  const message =
    typeof first === 'object' && first !== null && 'message' in first ? String(first.message) : String(first);
  return `the suite stumbled outside of its cases: ${message}`;
}

/** Makes something without letting it listen to the signals that end a process: how a run ends on Ctrl-C is ours to say. */
async function withOwnSignals<T>(make: () => Promise<T>): Promise<T> {
  const before = names.map((name) => new Set(process.listeners(name)));
  const made = await make();
  names.forEach((name, index) => {
    for (const listener of process.listeners(name))
      if (before[index]?.has(listener) === false) process.off(name, listener);
  });
  return made;
}
