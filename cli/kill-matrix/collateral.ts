import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { RuleId } from '../../contract/rule.ts';
import { publishedMatrixSchema } from '../../contract/schemas/kill-matrix.ts';
import { withoutChance } from '../../reports/observed.ts';
import type { KillMatrix, PublishedFault, PublishedMatrix } from './matrix.ts';
import { matrixPage } from './print.ts';

/** Where results that are worth keeping stand, from the root of a clone. */
export const publishedFolder = 'reports/published/reference-server';
const dataName = 'kill-matrix.json';

/** What is published in a folder, undefined when nothing is. @throws {Error} the file holds something else */
export function readPublished(folder: string): PublishedMatrix | undefined {
  const file = join(folder, dataName);
  if (!existsSync(file)) return undefined;
  const matrix: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isPublishedMatrix(matrix))
    throw new Error(`${file} is no published kill matrix; take it from the repository again.`);
  return matrix;
}

const isPublishedMatrix = new Ajv().compile<PublishedMatrix>(publishedMatrixSchema);

/** Writes the data and the page made of it. */
export function writePublished(folder: string, matrix: PublishedMatrix): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, dataName), `${JSON.stringify(matrix, null, 2)}\n`);
  writeFileSync(join(folder, 'kill-matrix.md'), matrixPage(matrix));
}

/** Why a run is not to be published; undefined where it is. */
export function doubtAbout({ control: { killedBy } }: KillMatrix): string | undefined {
  const [first] = killedBy;
  if (first === undefined) return undefined;
  return `${killedBy.length} cases do not pass on the server without faults, the first ${first.rule}, and say nothing about faults; try again when the machine has less to do`;
}

/**
 * What is to be published after a run. A run in which a fault met no case but its own says nothing about what fails with it, so that this
 * stays as it was; with `isWhole` every fault was tried, and one that was not is gone.
 */
export function publishedAfter(
  before: PublishedMatrix | undefined,
  { mode, faults }: KillMatrix,
  isWhole: boolean,
): PublishedMatrix {
  const tried = faults.map(({ fault, verdict, found, collateral }): [RuleId, PublishedFault] => [
    fault,
    {
      verdict,
      found: withoutChance(found),
      collateral: (mode === 'all' ? collateral : (before?.faults[fault]?.collateral ?? [])).toSorted(),
    },
  ]);
  const kept = isWhole ? {} : before?.faults;
  const all = Object.entries({ ...kept, ...Object.fromEntries(tried) });
  return {
    schemaVersion: 1,
    kind: 'published-kill-matrix',
    faults: Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };
}
