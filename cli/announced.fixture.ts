import { vi } from 'vitest';
import { run } from './run.ts';

/** A command that says where it is and goes on. */
export interface Announced<T> extends AsyncDisposable {
  /** Null where it ended before it said so. */
  readonly announcement: T;
  /** What it has complained of, when it is over. */
  readonly said: Promise<string>;
  /** Resolves with the exit code. */
  end(signal: 'SIGINT' | 'SIGTERM'): Promise<number>;
}

/** Runs a command in this process, where a signal is an event, until it is told to end. */
export async function announced<T>(argv: readonly string[]): Promise<Announced<T>> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const said: string[] = [];
  const shown = vi.spyOn(process.stdout, 'write').mockImplementation((text) => (resolve(String(text)), true));
  const told = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const exited = run([...argv]).finally(() => {
    told.mockRestore();
    resolve('null');
  });
  const announcement = JSON.parse(await promise) as T;
  shown.mockRestore();
  const end = async (signal: 'SIGINT' | 'SIGTERM'): Promise<number> => {
    process.emit(signal, signal);
    return exited;
  };
  return {
    announcement,
    said: exited.then(() => said.join('')),
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGTERM')),
  };
}
