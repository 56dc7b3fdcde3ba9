import { catalogue } from '../suites/catalogue.ts';
import type { Examination } from '../judge/probe/examination.ts';
import { examinedDeployment } from '../judge/probe/examine.ts';
import { withDeclarations } from '../judge/profile/load-extension.ts';
import { loadProfile, type LoadedProfile } from '../judge/profile/load.ts';
import { withPlaces } from '../judge/profile/places.ts';
import { ProfileError } from '../judge/profile/profile-error.ts';
import { findingsOf } from './doctor/findings.ts';
import { examinationLines, needLines } from './doctor/lines.ts';
import { UsageError } from './usage.ts';

export interface DoctorOptions {
  readonly profile: string;
  /** Prints only what fails and the result. */
  readonly quiet?: true;
}

const failedExitCode = 3;
/** Clocks that differ by more are told. */
const remarkableSeconds = 30;

/**
 * Tries everything that a profile declares, and tells of every need whether it is met, missing or fails. Resolves with the exit code: 0 what is
 * declared works, 3 something fails. @throws {UsageError} the profile cannot be used
 */
export async function doctorCommand(options: DoctorOptions): Promise<number> {
  const quiet = options.quiet === true;
  const loaded = await withDeclarations(await readable(options.profile));
  const { result, remains } = await examinedDeployment(loaded);
  const { aheadSeconds = 0, redact } = result;
  const examinations = result.examinations.map((each) => located(each, loaded));
  const failed = examinations.filter(({ failure }) => failure !== undefined);
  const lines = [
    ...(quiet && failed.length === 0 ? [] : ['Tried:', ...examinationLines(examinations, redact, quiet)]),
    ...needLines(findingsOf(loaded.profile, examinations), quiet),
    ...clockLines(aheadSeconds),
    ...remains.map(({ uri, reason }) => `Not deleted: ${redact(uri)} (${redact(reason)})`),
    failed.length === 0
      ? 'What the profile declares works.'
      : `${failed.length} of ${examinations.length} fail: see the keys named above.`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return failed.length === 0 ? 0 : failedExitCode;
}

function located(examination: Examination, loaded: LoadedProfile): Examination {
  const { failure } = examination;
  return failure === undefined ? examination : { ...examination, failure: withPlaces(failure, loaded) };
}

/** What depends on time may fail where clocks differ. */
function clockLines(aheadSeconds: number): readonly string[] {
  if (Math.abs(aheadSeconds) < remarkableSeconds) return [];
  return [
    `The clock of the service is ${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'} that of this machine: set the one that is wrong.`,
  ];
}

async function readable(file: string) {
  try {
    return await loadProfile(file, { ruleIds: catalogue.ids });
  } catch (error) {
    throw error instanceof ProfileError ? new UsageError(error.message) : error;
  }
}
