import { Option, type Argument, type Command } from 'commander';

/** One command: what it is called with, and the file that carries it out, loaded only when it is asked for. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly options: readonly Option[];
  readonly examples: readonly string[];
  readonly below?: readonly CommandRow[];
  /** @returns the exit code */
  readonly run: (command: Command) => Promise<number>;
}

/** One flag of a command. */
export function flag(flags: string, description: string): Option {
  return new Option(flags, description);
}
