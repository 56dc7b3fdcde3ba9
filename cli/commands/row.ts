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

/** Flags of whatever has control routes. */
export function controlFlags(description: string): readonly Option[] {
  return [
    flag('--control [who]', description).choices(['any']),
    flag(
      '--control-token <token>',
      'what opens the control routes, 16 characters or more, made up and printed unless given; the variable keeps it out of process lists',
    ).env('SVC_CONTROL_TOKEN'),
  ];
}
