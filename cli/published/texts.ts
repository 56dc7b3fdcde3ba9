import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readReport } from '../../reports/report-file.ts';
import { fingerprint, lastingResult } from '../../reports/published-results.ts';
import { readRun } from '../../reports/run.ts';
import { checkCommand } from '../check.ts';
import { type Deployment, startBoth } from '../../api/deployment.ts';
import { listedRules } from '../rule-list.ts';
import type { LoadedProfile } from '../../judge/profile/load.ts';

const patienceSeconds = 900;

/** Folder of the results of the reference server that are worth keeping. */
export const publishedFolder = fileURLToPath(new URL('../../reports/published/reference-server/', import.meta.url));

/** File in that folder -> its text. */
export type PublishedTexts = Readonly<Record<'result.md' | 'fingerprint.md', string>>;

const options = { seed: 1, runs: 20, quiet: true } as const;

async function startPatiently(): Promise<Deployment> {
  const deployment = await startBoth();
  return { ...deployment, loaded: patient(deployment.loaded) };
}

/**
 * Judges the reference server by every rule; resolves with what belongs into the files.
 * @param record file to which the run is recorded @throws {Error} it does not keep them all, or not all was judged
 */
export async function publishedTexts(record?: string): Promise<PublishedTexts> {
  const out = await mkdtemp(join(tmpdir(), 'svc-conformance-published-'));
  try {
    const exitCode = await checkCommand({ ...options, out, ...(record !== undefined && { record }) }, startPatiently);
    const run = await readRun(join(out, 'outcomes.ndjson'), listedRules);
    if (exitCode !== 0) {
      const off = run.outcomes.filter(({ verdict }) => verdict !== 'pass' && verdict !== 'observed');
      const told = off.map(({ rule, verdict, reason = '' }) => `${rule} ${verdict} ${reason}`.trim()).join('; ');
      throw new Error(
        `The reference server was judged with exit code ${exitCode}; expected 0 (${told}). Repair it, or run again where the machine was too busy.`,
      );
    }
    return { 'result.md': lastingResult(run), 'fingerprint.md': fingerprint(readReport(join(out, 'report.json'))) };
  } finally {
    await rm(out, { recursive: true });
  }
}

/** The same target on a machine that may do much else: what is found does not tell how long anything took. */
export function patient(loaded: LoadedProfile): LoadedProfile {
  const limits = {
    ...loaded.profile.limits,
    requestTimeoutSeconds: patienceSeconds,
    caseSeconds: patienceSeconds,
    totalSeconds: 4 * patienceSeconds,
  };
  return { ...loaded, profile: { ...loaded.profile, limits } };
}
