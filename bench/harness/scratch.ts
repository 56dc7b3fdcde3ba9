import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Scratch extends AsyncDisposable {
  file(name: string): string;
}

/** A folder for stores that are measured on disk; gone with whoever asked for it. */
export async function makeScratch(): Promise<Scratch> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-conformance-bench-'));
  return {
    file: (name) => join(folder, name),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
