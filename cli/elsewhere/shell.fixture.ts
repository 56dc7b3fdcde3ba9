import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** What a script came to. */
export interface Ran {
  readonly exitCode: number | null;
  /** Both streams, one after the other. */
  readonly printed: string;
}

/** Runs a program and waits for its end, whatever that is. */
export async function ran(
  program: string,
  argv: readonly string[],
  surroundings: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly uid?: number },
): Promise<Ran> {
  const child = spawn(program, argv, { ...surroundings, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = Promise.all([text(child.stdout), text(child.stderr)]);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, printed: (await said).join('') };
}
