import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Announcement } from '../serve.ts';

/** A server in a process of its own. */
export interface Serving extends AsyncDisposable {
  readonly announcement: Announcement;
  /** Asks it to end, as a supervisor does. Resolves with the exit code. */
  end(): Promise<number | null>;
}

interface Surroundings {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
}

/** Starts a command that prints the line of `serve`. @throws {Error} it ends before, with what it said */
export async function serving(
  program: string,
  argv: readonly string[],
  surroundings: Surroundings = {},
): Promise<Serving> {
  const child = spawn(program, argv, { ...surroundings, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const said = text(child.stderr);
  const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  if (value === undefined) throw new Error(`${program} ${argv.join(' ')} ended before it served: ${await said}`);
  const announcement = JSON.parse(String(value)) as Announcement;
  const end = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    return (await exited)[0];
  };
  return { announcement, end, [Symbol.asyncDispose]: async () => void (await end()) };
}
