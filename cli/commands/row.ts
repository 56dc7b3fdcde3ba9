import { Option, type Argument, type Command } from 'commander';
import { wholeNumber } from '../values.ts';

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

export function flag(flags: string, description: string): Option {
  return new Option(flags, description);
}

/** What stands behind the name of a command. */
export function argumentsOf<Values extends readonly unknown[]>(command: Command): Values {
  return command.processedArgs as unknown as Values;
}

export function listenFlags(): readonly Option[] {
  return [
    flag('--port <n>', 'port to listen on, 0 for a free one')
      .argParser(wholeNumber(0, 65_535))
      .default(0, 'a free one'),
    flag('--host <address>', 'address to listen on').default('127.0.0.1'),
  ];
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
