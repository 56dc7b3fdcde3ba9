import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join } from 'node:path';
import type { RuleId } from '../contract/rule.ts';
import type { Conduct } from '../judge/case/conduct.ts';
import type { Rule } from '../judge/rule.ts';

/** What each case did when the bundled server and host were judged last, by rule; `npm run publish:reports` writes it. */
export type Conducts = Readonly<Partial<Record<RuleId, Conduct>>>;

const folder = join(findPackageJSON(import.meta.url) ?? '', '..');

/** Where it lies, from the root of the package on. */
export const conductsPath = 'docs/conduct.json';

export const conductsFile = join(folder, conductsPath);

export function readConducts(): Conducts {
  return JSON.parse(readFileSync(conductsFile, 'utf8')) as Conducts;
}

/** What is known of how a rule is judged, as pairs of label and lines. */
export function factsAbout({ id, test }: Rule, conducts: Conducts): readonly (readonly [string, readonly string[]])[] {
  const { requests = [], assertions = [], observations = [], values = [], seconds = test.seconds } = conducts[id] ?? {};
  const time = test.kind === 'schedule' && seconds !== undefined ? `, ${seconds} s of service time` : '';
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ['kind', [`${test.kind}${time}`]],
    ['requests', requests],
    ['asserts', assertions],
    ['records', observations],
    ['values', values.length === 0 ? [] : [values.join(', ')]],
  ];
  return facts.filter(([, lines]) => lines.length > 0);
}
