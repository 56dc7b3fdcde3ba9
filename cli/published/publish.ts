import { writeFile } from 'node:fs/promises';
import { conductsFile } from '../conducts.ts';
import { join } from 'node:path';
import { publishedFolder, publishedTexts } from './texts.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Conduct } from '../../judge/case/conduct.ts';
import { isBreach, isStumble } from '../../judge/outcome.ts';
import { keysIn } from '../../contract/coverage/profile-keys.ts';
import { type Reached, reachedTogether } from '../../judge/coverage/reached.ts';
import { type Attendance, runCases } from '../../judge/run/run-cases.ts';
import { startThread } from '../../judge/run/thread.ts';
import { catalogue, catalogueUrl } from '../../suites/catalogue.ts';
import { startBoth } from '../../api/deployment.ts';
import { cellsOf, keyCell } from '../../contract/coverage/cells.ts';
import { combinationsIn } from '../../contract/coverage/conditions.ts';
import type { Need } from '../../contract/needs.ts';

/** So many rules are named that reach a cell; a run that judges none of them seldom judges another that does. */
const mostNamed = 3;

/** A race does not take the same way each time: what several runs saw together changes less. */
const times = 3;

// Writes the current result and the fingerprint of the reference server, and what each case does; the kill matrix is written by faults --publish.
for (const [name, text] of Object.entries(await publishedTexts())) await writeFile(join(publishedFolder, name), text);
const { conducts, reach } = await seenTexts();
await writeFile(conductsFile, conducts);
await writeFile(join(publishedFolder, 'reach.json'), reach);

/** What was seen of the cases, each as the text of a file. */
interface SeenTexts {
  /** What the case of each rule does with the bundled server and host. */
  readonly conducts: string;
  /** Which rules reach each part of the documents. */
  readonly reach: string;
}

/** Watches every case at the bundled server and host. @throws {Error} not all was judged, or a rule was not kept */
async function seenTexts(): Promise<SeenTexts> {
  const seen = new Map<RuleId, Conduct>();
  const reached = new Map<RuleId, Reached>();
  let keys: readonly string[] = [];
  for (let time = 0; time < times; time += 1)
    keys = await watchCases((rule, conduct, now = { facts: [], conditions: [] }) => {
      seen.set(rule, together(conduct, seen.get(rule)));
      const before = reached.get(rule);
      reached.set(rule, before === undefined ? now : reachedTogether([before, now]));
    });
  const lines = catalogue.ids.map((id) => `  ${JSON.stringify(id)}: ${JSON.stringify(seen.get(id))}`);
  return { conducts: `{\n${lines.join(',\n')}\n}\n`, reach: reachText(reached, keys) };
}

/** Resolves with the keys of the profile. */
async function watchCases(onConduct: NonNullable<Attendance['onConduct']>): Promise<readonly string[]> {
  await using target = await startBoth();
  const failing: string[] = [];
  const { aborted } = await runCases(
    { loaded: target.loaded, rules: catalogue.ids, seed: 1, runs: 20, observe: true },
    {
      onConduct,
      onOutcome: (outcome) => {
        if (isBreach(outcome) || isStumble(outcome)) failing.push(`${outcome.rule} ${outcome.verdict}`);
      },
    },
    startThread(catalogueUrl),
  );
  if (aborted !== undefined || failing.length > 0)
    throw new Error(`Expected every rule to be kept, found ${aborted ?? failing.join(', ')}; run it again.`);
  return keysIn(target.loaded.profile);
}

function together(one: Conduct, other: Conduct | undefined): Conduct {
  if (other === undefined) return one;
  const union = (list: readonly string[] = [], further: readonly string[] = []): string[] =>
    [...new Set([...list, ...further])].toSorted();
  const observations = union(one.observations, other.observations);
  const values = union(one.values, other.values);
  return {
    ...one,
    requests: union(one.requests, other.requests),
    assertions: union(one.assertions, other.assertions),
    ...(observations.length > 0 && { observations }),
    ...(values.length > 0 && { values }),
  };
}

/** Which rules reach each cell: those that ask for least, as the text of a file. @param keys those that the profile of the bundled pair has */
function reachText(reached: ReadonlyMap<RuleId, Reached>, keys: readonly string[]): string {
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
