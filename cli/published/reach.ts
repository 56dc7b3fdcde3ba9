import { cellsOf, keyCell } from '../../contract/coverage/cells.ts';
import { combinationsIn } from '../../contract/coverage/conditions.ts';
import type { Need } from '../../contract/needs.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Reached } from '../../judge/coverage/reached.ts';
import { catalogue } from '../../suites/catalogue.ts';

/** So many rules are named that reach a cell; a run that judges none of them seldom judges another that does. */
const mostNamed = 3;

/** Which rules reach each cell: those that ask for least, as the text of a file. @param keys those that the profile of the bundled pair has */
export function reachText(reached: ReadonlyMap<RuleId, Reached>, keys: readonly string[]): string {
  const rulesOfCells = new Map<string, RuleId[]>();
  for (const rule of catalogue.ids)
    for (const cell of cellsOf(reached.get(rule) ?? { facts: [], conditions: [] }))
      rulesOfCells.set(cell, [...(rulesOfCells.get(cell) ?? []), rule]);
  for (const key of keys) rulesOfCells.set(keyCell(key), []);
  const conditions = [...reached.values()].flatMap((one) => one.conditions);
  const lines = [...rulesOfCells]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([cell, rules]) => `    ${JSON.stringify(cell)}: ${JSON.stringify(leastAsking(rules))}`);
  return `{\n  "triples": ${combinationsIn(conditions, 3).length},\n  "cells": {\n${lines.join(',\n')}\n  }\n}\n`;
}

/** Where the needs of one are among those of another, the other is left out: whoever cannot judge the first cannot judge it either. */
function leastAsking(rules: readonly RuleId[]): readonly RuleId[] {
  const needs = (rule: RuleId): ReadonlySet<Need> => new Set(catalogue.get(rule).needs);
  const least: RuleId[] = [];
  for (const rule of rules.toSorted((one, other) => needs(one).size - needs(other).size))
    if (!least.some((other) => needs(other).isSubsetOf(needs(rule)))) least.push(rule);
  return least.slice(0, mostNamed);
}
