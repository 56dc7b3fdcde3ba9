import { stderr, stdout } from './outlet.ts';
import { catalogue, type hostRules, type serviceRules } from '../suites/catalogue.ts';
import type { RuleId } from '../contract/rule.ts';
import { faults } from '../variants/faults.ts';
import { subtleFaults } from '../variants/faults/subtle/subtle.ts';
import type { Rule } from '../judge/rule.ts';
import { extensionFaults } from '../variants/extension-host/faults.ts';
import { matches } from '../judge/run/glob.ts';
import { selectRules, SelectionError } from '../judge/run/selection.ts';
import { mistakes as knownMistakes, sections } from '../variants/mistakes/mistakes.ts';
import { exitCodeOfMistakes, mistakeMatrix } from './kill-matrix/mistake-matrix.ts';
import {
  doubtAbout,
  publishedAfter,
  publishedFolder,
  readPublished,
  writePublished,
} from './kill-matrix/collateral.ts';
import { acceptDifferences, exitCodeOfMatrix } from './kill-matrix/matrix.ts';
import { terminalText } from '../reports/terminal.ts';
import { matrixReport } from './kill-matrix/print.ts';
import { mistakeLine, mistakeLines } from './kill-matrix/print-mistakes.ts';
import { killMatrix } from './kill-matrix/try-faults.ts';
import type { FaultsOptions } from './options.ts';
import { complain, incompleteExitCode, usageExitCode } from './exit-codes.ts';

/** Every id of these rules whose check can fail. */
type FaultyId<Rules> = {
  [Id in keyof Rules]: Rules[Id] extends { readonly level: 'observe' } ? never : Id;
}[keyof Rules];

// none is left out of the rules that can fail: the type checker sees to it
const faultsByRule: Readonly<Record<FaultyId<typeof serviceRules>, unknown>> = faults;
const hostFaultsByRule: Readonly<Record<FaultyId<typeof hostRules>, unknown>> = extensionFaults;

/**
 * Breaks the reference server rule by rule and judges each variant. Resolves with 1 when a fault is not killed by the case of its own rule,
 * when a case of another area fails with it each time and this is not published, or when the server without faults is not judged sound;
 * with 3 when there was nothing to try. What else differs from the published matrix is told, for a person to read.
 */
export async function faultsCommand(options: FaultsOptions): Promise<number> {
  try {
    if (options.mistakes !== undefined) return await tryMistakes(options, options.mistakes);
    const rules = selectRules(options, catalogue.all).filter(
      (rule) => Object.hasOwn(faultsByRule, rule.id) || Object.hasOwn(hostFaultsByRule, rule.id),
    );
    if (rules.length === 0)
      return complain(
        'nothing to try: no rule of the selection has a fault; widen --areas or --rules',
        incompleteExitCode,
      );
    if (options.list === true) return listFaults(rules, isWhole(options));
    const published = readPublished(publishedFolder);
    const matrix = await killMatrix({
      faults: rules.map((rule) => rule.id),
      all: options.all === true,
      published,
      ...controlOf(options),
    });
    const asText = (): string => terminalText(matrixReport(matrix), stdout.hasColours);
    stdout.write(options.json === true ? `${JSON.stringify(matrix, null, 2)}\n` : asText());
    if (options.publish !== true) return exitCodeOfMatrix(matrix);
    const doubt = doubtAbout(matrix);
    if (doubt !== undefined) return complain(`nothing is published: ${doubt}`, exitCodeOfMatrix(matrix));
    writePublished(publishedFolder, publishedAfter(published, matrix, isWhole(options)));
    return exitCodeOfMatrix(acceptDifferences(matrix));
  } catch (error) {
    if (!(error instanceof SelectionError)) throw error;
    return complain(error.message, usageExitCode);
  }
}

function listFaults(rules: readonly Rule[], withSubtle: boolean): number {
  const lines = rules.map(({ id, fault }) => `${id}: ${fault}`);
  const subtle = withSubtle ? Object.keys(subtleFaults) : [];
  stdout.write(`${[...lines, ...subtle].join('\n')}\n`);
  return 0;
}

/** Mistakes in the place of the faults of rules: 1 when one is killed by no rule, or a case stumbles over it. */
async function tryMistakes(
  { json, all, publish, areas, rules: ids }: FaultsOptions,
  patterns: true | readonly string[],
): Promise<number> {
  if (publish === true) return complain('nothing is published of mistakes: leave --publish out', usageExitCode);
  const chosen = new Set(patterns === true ? knownMistakes.keys() : patterns.flatMap(mistakesLike));
  const stranger = patterns === true ? undefined : patterns.find((pattern) => mistakesLike(pattern).length === 0);
  if (stranger !== undefined)
    return complain(
      `there is no mistake ${stranger}; name ids, sections (${Object.keys(sections).join(', ')}) or museum`,
      usageExitCode,
    );
  const rules = selectRules({ ...(areas && { areas }), ...(ids && { rules: ids }) }, catalogue.all).map(
    (rule) => rule.id,
  );
  const mode = all === true ? 'all' : 'first-kill';
  const matrix = await mistakeMatrix({
    mistakes: [...chosen],
    rules,
    all: mode === 'all',
    ended: (row) => stderr.write(`${mistakeLine(row, mode)}\n`),
  });
  stdout.write(`${json === true ? JSON.stringify(matrix, null, 2) : mistakeLines(matrix).join('\n')}\n`);
  return exitCodeOfMistakes(matrix);
}

/** Ids by a pattern of ids or of sections, `*` standing for any text, or those of the museum. */
function mistakesLike(pattern: string): readonly string[] {
  return Object.entries(sections).flatMap(([section, some]) =>
    Object.entries(some)
      .filter(([id, mistake]) =>
        pattern === 'museum' ? mistake.museum : matches(pattern, id) || matches(pattern, section),
      )
      .map(([id]) => id),
  );
}

/** A part of the faults needs no more than its own cases to be in order; the whole needs all. */
function controlOf(options: FaultsOptions): { readonly control?: readonly RuleId[] } {
  const { areas, rules, all } = options;
  if (all === true || isWhole(options)) return {};
  return {
    control: selectRules({ ...(areas && { areas }), ...(rules && { rules }) }, catalogue.all).map((rule) => rule.id),
  };
}

function isWhole({ areas, rules }: FaultsOptions): boolean {
  return areas === undefined && rules === undefined;
}
