import { startBoth } from '../api/deployment.ts';
import type { Profile } from '../contract/profile.ts';
import type { Cassette } from '../judge/cassette/file.ts';
import { Recorder } from '../judge/cassette/recorder.ts';
import type { Secrets } from '../judge/redact/redact.ts';
import { openJudgeWith } from '../judge/run/judge.ts';
import { selectRules } from '../judge/run/selection.ts';
import { catalogue } from '../suites/catalogue.ts';

export const named = {
  implementation: 'reference',
  suiteVersion: '0',
  startedAt: '2026-11-21T00:00:00.000Z',
  seed: 1,
  runs: 20,
};

/** A few rules judged in this thread, with the registry that knows the secrets of their run. */
export async function recordedHere(
  patterns: readonly string[],
  options: Parameters<typeof startBoth>[0] = {},
  changed = (profile: Profile): Profile => profile,
): Promise<Cassette & { readonly secrets: Secrets }> {
  await using deployment = await startBoth(options);
  const rules = selectRules({ rules: patterns }, catalogue.all).map(({ id }) => id);
  const loaded = { ...deployment.loaded, profile: changed(deployment.loaded.profile) };
  const run = { loaded, rules, seed: 3, runs: 2 };
  const recorder = new Recorder();
  const registries: Secrets[] = [];
  const know = recorder.know.bind(recorder);
  recorder.know = (secrets) => {
    registries.push(secrets);
    know(secrets);
  };
  await using open = openJudgeWith(catalogue, run, recorder);
  const verdicts = [];
  for (const rule of rules) {
    const { outcome } = await open.judge(rule, new AbortController().signal);
    verdicts.push({ rule, verdict: outcome?.verdict ?? 'broken' });
  }
  const [secrets] = registries;
  if (secrets === undefined) throw new Error('Expected a session that tells its registry.');
  return { about: { ...named, verdicts }, tape: await recorder.finish(run), secrets };
}
