import { stdout } from '../outlet.ts';
import { Argument } from 'commander';
import type { DocumentsDiffOptions } from '../options.ts';
import { argumentsOf, type CommandRow, flag } from './row.ts';

const documentsDiff: CommandRow = {
  name: 'diff',
  summary: 'list the rules that a changed document touches; 1 where there is one',
  arguments: [
    new Argument('<old>', 'copy of the documents in Markdown, a file or a folder'),
    new Argument('[new]', 'newer copy; without one, <old> is held against what the rules are pinned to'),
  ],
  options: [flag('--json', 'as JSON')],
  examples: ['svc-conformance documents diff copies/2026-05 copies/2026-11', 'svc-conformance documents diff copies'],
  run: async (command) =>
    (await import('../documents.ts')).documentsDiffCommand(
      ...argumentsOf<[string, string | undefined]>(command),
      command.opts<DocumentsDiffOptions>(),
    ),
};

const documentsPin: CommandRow = {
  name: 'pin',
  summary:
    'print digests of the sections that rules name, as this version holds them of the documents it was written for',
  arguments: [new Argument('<copies...>', 'copies of the documents in Markdown, files or folders')],
  options: [],
  examples: ['svc-conformance documents pin copies > documents.json'],
  run: async (command) =>
    (await import('../documents.ts')).documentsPinCommand(...argumentsOf<[readonly string[]]>(command)),
};

/** The documents, and the rules that come from them. */
export const documents: CommandRow = {
  name: 'documents',
  summary: 'hold your own copies of the documents against the rules',
  options: [],
  examples: ['svc-conformance documents diff copies/2026-05 copies/2026-11'],
  below: [documentsDiff, documentsPin],
  run: async (command) => {
    stdout.write(command.helpInformation());
    return 0;
  },
};
