import { vi } from 'vitest';

/** What a command came to, and what it printed. */
export interface Output {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams, in the order in which they were written to. */
  readonly printed: string;
}

/** Runs a command in this process and catches what it prints. */
export async function captureOutput(work: () => Promise<number>): Promise<Output> {
  const pieces: (readonly [stream: 'stdout' | 'stderr', text: string])[] = [];
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => pieces.push([name, String(text)]) > 0),
  );
  const exitCode = await work().finally(() => spies.forEach((spy) => spy.mockRestore()));
  const textOf = (streams: readonly string[]): string =>
    pieces.flatMap(([name, text]) => (streams.includes(name) ? [text] : [])).join('');
  return { exitCode, stdout: textOf(['stdout']), stderr: textOf(['stderr']), printed: textOf(['stdout', 'stderr']) };
}
