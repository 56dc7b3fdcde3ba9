import { Command } from 'commander';
import { addCommand, commandRows } from './commands.ts';
import { packageVersion } from '../api/version.ts';

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
