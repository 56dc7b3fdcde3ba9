import { vi } from 'vitest';

/** What a command came to, and what it printed on both streams. */
export interface Said {
  readonly exitCode: number;
  readonly printed: string;
}

/** Runs a command in this process and catches what it prints. */
export async function said(work: () => Promise<number>): Promise<Said> {
  const printed: string[] = [];
  const catching = (text: string | Uint8Array): boolean => printed.push(String(text)) > 0;
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(catching),
  );
  const exitCode = await work().finally(() => spies.forEach((spy) => spy.mockRestore()));
  return { exitCode, printed: printed.join('') };
}
