import { stdout } from './outlet.ts';
import type { DocumentsDiffOptions } from './options.ts';
import { complain, incompleteExitCode, violatedExitCode } from './exit-codes.ts';
import { listedRules } from './rule-list.ts';
import { documentNames, pinnedDocuments, readCopies } from './sections/copies.ts';
import { namedSections, type Touched, touchedBy } from './sections/touched.ts';
import { schemaVersion } from '../contract/schemas/outcomes.ts';
import { counted, printable } from '../reports/text.ts';

/**
 * Prints which rules a changed document touches: between two copies, or between what the rules are pinned to and a copy. Resolves with 1
 * where a rule is touched, with 3 where one of two folders lacks a document that the other holds, else with 0. @throws {UsageError} there is no copy of a document
 */
export async function documentsDiffCommand(
  old: string,
  now: string | undefined,
  { json }: DocumentsDiffOptions,
): Promise<number> {
  const [before, after] =
    now === undefined ? [pinnedDocuments, readCopies([old])] : [readCopies([old]), readCopies([now])];
  // what no rule names is not pinned
  const shown = now === undefined ? namedSections(after, listedRules) : after;
  const touched = touchedBy(before, shown, listedRules);
  const notCompared = documentNames.filter((name) => (before[name] === undefined) !== (after[name] === undefined));
  for (const name of notCompared)
    complain(`${name} was not compared: there is a copy of it on one side only`, incompleteExitCode);
  const rules = new Set(touched.flatMap((one) => one.rules));
  const whole = { schemaVersion, kind: 'documents-diff', rules: [...rules], sections: touched, notCompared };
  stdout.write(json === true ? `${JSON.stringify(whole, null, 2)}\n` : printable(textOf(touched, rules.size)));
  if (rules.size > 0) return violatedExitCode;
  // whoever has a copy of one document holds that one against the pins
  return now !== undefined && notCompared.length > 0 ? incompleteExitCode : 0;
}

/** Prints what the rules would be pinned to by these copies, as suites/documents.json holds it. @throws {UsageError} there is no copy of a document */
export async function documentsPinCommand(copies: readonly string[]): Promise<number> {
  stdout.write(`${JSON.stringify(namedSections(readCopies(copies), listedRules), null, 2)}\n`);
  return 0;
}

function textOf(touched: readonly Touched[], rules: number): string {
  if (touched.length === 0) return 'No section that a rule names has changed.\n';
  const parts = touched.map(({ document, section, change, numbers, rules: named, beside }) => {
    const what = numbers === undefined ? change : `${change}, number ${numbers.join(', ')}`;
    const other = beside.length === 0 ? '' : `  (${counted(beside.length, 'rule')} about other items of it)\n`;
    const lines = named.length === 0 && beside.length === 0 ? ['no rule names it'] : named;
    return `${document}: ${section} (${what})\n${lines.map((id) => `  ${id}\n`).join('')}${other}`;
  });
  return `${parts.join('\n')}\n${counted(touched.length, 'section')} not as before, ${counted(rules, 'rule')} touched.\n`;
}
