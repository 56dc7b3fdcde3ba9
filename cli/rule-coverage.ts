import { stdout } from './outlet.ts';
import { type Need, needs } from '../contract/needs.ts';
import { coverageBlocks, coverageSentence } from '../reports/coverage/coverage-blocks.ts';
import { coverageOfRules, rulesOfCells } from '../reports/coverage/coverage.ts';
import { type Block, sectionOf } from '../reports/document.ts';
import { terminalText } from '../reports/terminal.ts';
import { catalogue } from '../suites/catalogue.ts';

/** Prints what the rules reach of the documents at the bundled pair, which needs that takes, and what none of them does. */
export async function ruleCoverageCommand(): Promise<number> {
  const coverage = coverageOfRules();
  const body = [...coverageBlocks(coverage), ...sectionOf('What needs give', [needTable()])];
  const document = { title: 'What the rules reach', verdict: [coverageSentence(coverage)], about: [], body };
  stdout.write(terminalText(document, stdout.hasColours));
  return 0;
}

/** How much is out of reach without each need: cells all of whose rules have it. */
function needTable(): Block {
  const lost = new Map<Need, string[]>();
  for (const [cell, rules] of rulesOfCells) {
    const [first, ...others] = rules.map((rule) => new Set(catalogue.find(rule)?.needs));
    for (const need of others.reduce((shared, one) => shared.intersection(one), first ?? new Set<Need>()))
      lost.set(need, [...(lost.get(need) ?? []), cell]);
  }
  const rows = [...lost].toSorted(([, one], [, other]) => other.length - one.length);
  return {
    kind: 'table',
    titles: ['need', 'cells', 'such as', 'it is'],
    rows: rows.map(([need, cells]) => [need, String(cells.length), cells[0] ?? '', needs[need]]),
  };
}
