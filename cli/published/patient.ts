import type { LoadedProfile } from '../../judge/profile/load.ts';

const patienceSeconds = 900;

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
