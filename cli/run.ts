import { Command, CommanderError } from 'commander';
import { topicNames } from './options.ts';
import { UsageError } from './usage.ts';
import { unknownName } from '../contract/spelling.ts';
import { messageOf } from '../contract/thrown.ts';
import { complain, incompleteExitCode, usageExitCode } from './exit-codes.ts';
import { addCommand, commandRows } from './commands.ts';
import { packageVersion } from '../api/version.ts';

/**
 * Carries out a command line (without node and script). Resolves with the exit code: 0 all well, 1 violations,
 * 2 a command line or profile that cannot be used, 3 the run says nothing.
 */
export async function run(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = programOf((code) => (exitCode = code));
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return exitCodeOf(error, commandMeant(program, argv));
  }
}

/** The innermost command that the words of the command line name. */
function commandMeant(program: Command, argv: readonly string[]): Command {
  const [first, ...rest] = argv;
  const below = program.commands.find((command) => command.name() === first);
  return below === undefined ? program : commandMeant(below, rest);
}

function exitCodeOf(error: unknown, meant: Command): number {
  if (error instanceof CommanderError) return endOfParsing(error, meant);
  if (error instanceof UsageError) return complain(error.message, usageExitCode);
  return complain(`the suite stumbled: ${messageOf(error)}`, incompleteExitCode);
}

function endOfParsing(error: CommanderError, meant: Command): number {
  if (error.exitCode === 0) return 0;
  if (error.code === 'commander.help') return usageExitCode;
  return complain(`${explained(error, meant)} See ${commandLineOf(meant)} --help.`, usageExitCode);
}

function explained(error: CommanderError, meant: Command): string {
  const found = /'([^']*)'/.exec(error.message)?.[1] ?? '';
  if (error.code === 'commander.unknownOption') return unknownName('flag', found, flagsOf(meant));
  const commands = meant.commands.map((command) => command.name());
  const extra = meant.args[0];
  if (error.code === 'commander.excessArguments' && extra !== undefined && commands.length > 0)
    return unknownName(
      'command',
      extra,
      [...meant.commands.flatMap(linesBelow), ...topicNames.map((name) => `help ${name}`)],
      commands,
    );
  if (error.code === 'commander.excessArguments' && extra !== undefined && meant.registeredArguments.length === 0)
    return unnamed(extra, meant);
  // the sentence behind these words says what was found
  const sentence = error.message.replace(
    /^error: (?:command-argument value '.*' is invalid for argument '.*'\. )?/,
    '',
  );
  return sentence.replace(/(?<![.?])$/, '.');
}

/** A file or an address that stands there without its flag. */
function unnamed(extra: string, command: Command): string {
  const wanted = /^https?:/i.test(extra) ? ['--url', '--profile'] : ['--profile'];
  const flag = wanted.find((name) => flagsOf(command).includes(name));
  const hint = flag === undefined ? '.' : `; did you mean ${flag} ${extra}?`;
  return `too many arguments: ${commandLineOf(command)} takes what it is told by flags, found "${extra}"${hint}`;
}

function flagsOf(command: Command): readonly string[] {
  return ['--help', ...command.options.flatMap((option) => option.long ?? [])];
}

/** The command and those below it, as they are called from its parent on. */
function linesBelow(command: Command): readonly string[] {
  return [command.name(), ...command.commands.flatMap(linesBelow).map((line) => `${command.name()} ${line}`)];
}

function commandLineOf(command: Command): string {
  return command.parent === null ? command.name() : `${commandLineOf(command.parent)} ${command.name()}`;
}

/** Every command as the parser knows it; `ended` hears the exit code of the one that ran. */
export function programOf(ended: (exitCode: number) => void): Command {
  const program = new Command('svc-conformance')
    .description('Tells whether a service keeps the rules of its two documents, and serves a reference that does.')
    .version(packageVersion())
    .configureOutput({ outputError: () => undefined })
    .showSuggestionAfterError(false)
    .enablePositionalOptions()
    .exitOverride();
  for (const row of commandRows) addCommand(program, row, ended);
  program.addHelpText(
    'after',
    '\nExamples:\n  $ svc-conformance check\n  $ svc-conformance rules explain paging.page-one.holds-the-rest\n  $ svc-conformance help exit-codes',
  );
  return program.action(() => program.help({ error: true }));
}
