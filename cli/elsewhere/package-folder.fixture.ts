import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the test files of one run share the package; empty until the first of them needs it. */
    readonly packageFolder: string;
  }
}

/** Set up once a run, for all test files; costs nothing where none of them packs. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-pack-'));
  provide('packageFolder', folder);
  return () => rm(folder, { recursive: true, force: true });
}
