import { startReference } from '../../api/deployment.ts';
import { headerOf, judgeRun } from '../../api/judging.ts';
import { patient } from '../../cli/published/texts.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { LoadedProfile } from '../../judge/profile/load.ts';
import type { Run } from '../../judge/run/run.ts';
import type { Outcome } from '../../judge/outcome.ts';
import { namesOf, type Part } from './draw.ts';
import { carelessProfile } from './profile.ts';
import { serviceOf } from './service.ts';

export interface Asked {
  readonly parts: readonly Part[];
  readonly rules: readonly RuleId[];
  readonly seed: number;
}

/** One run over a server of its own, in moved time. */
export interface Ended {
  readonly outcomes: readonly Outcome[];
  /** Why nothing was judged, where it was not. */
  readonly refusal?: string;
}

/** Judges the server that takes the choices by the profile that lacks the rest. */
export async function judgeParts({ parts, rules, seed }: Asked): Promise<Ended> {
  await using target = await startReference({ faults: [serviceOf(namesOf('choice', parts))] });
  const loaded = withoutParts(target.loaded, parts);
  return await judgeOnce({ loaded: patient(loaded), rules, seed, runs: 2 });
}

/** The profile that lacks the needs and keys among the parts. */
export function withoutParts(loaded: LoadedProfile, parts: readonly Part[]): LoadedProfile {
  const without = { needs: namesOf('need', parts), keys: namesOf('key', parts) };
  return { ...loaded, profile: carelessProfile(loaded.profile, without) };
}

export function judgeOnce(run: Run): Promise<Ended> {
  const judging = {
    run,
    header: headerOf(run, { command: 'bench:swarm' }),
    startedAt: performance.now(),
    signal: new AbortController().signal,
  };
  return judgeRun(judging, { onOutcome: () => undefined, onUnusable: () => undefined });
}

/** Outcomes that a right service must not have; a whole profile leaves no reason for anything but a pass. */
export function findingsOf(outcomes: readonly Outcome[], parts: readonly Part[]): readonly Outcome[] {
  const isWhole = parts.every(({ kind }) => kind !== 'need' && kind !== 'key');
  const held = ['pass', 'observed'];
  const fine = isWhole ? held : [...held, 'blocked'];
  return outcomes.filter(
    ({ verdict, remarks }) => !fine.includes(verdict) || (held.includes(verdict) && remarks.length > 0),
  );
}

/** What was found, in a line. */
export function saidOf({ verdict, rule, violation, reason, remarks }: Outcome): string {
  const found = violation === undefined ? (reason ?? '') : `expected ${violation.expected}, found ${violation.actual}`;
  return `${verdict} ${rule}: ${[found, ...remarks].join('; ')}`;
}
