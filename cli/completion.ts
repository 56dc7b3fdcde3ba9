import { stdout } from './outlet.ts';
import type { Command } from 'commander';
import { bashScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { linesOf } from './completion/completions.ts';
import { zshScript } from './completion/zsh.ts';
import type { ShellName } from './options.ts';

const writers = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Record<ShellName, unknown>;

/** Prints the script by which a shell completes the command lines of the program. */
export async function completionCommand(shell: ShellName, program: Command): Promise<number> {
  stdout.write(writers[shell](linesOf(program)));
  return 0;
}
