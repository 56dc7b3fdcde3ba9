import { afterAll, expect, test } from 'vitest';
import type { Need } from '../contract/needs.ts';
import { profileSchema } from '../contract/profile.ts';
import type { RuleId } from '../contract/rule.ts';
import { routes } from '../contract/routes.ts';
import { leanProfile } from '../fixtures/lean-profile.ts';
import { type Conduct, ConductLog, RouteNames } from '../judge/case/conduct.ts';
import type { Outcome } from '../judge/outcome.ts';
import type { LoadedProfile } from '../judge/profile/load.ts';
import type { Rule } from '../judge/rule.ts';
import { runCase } from '../judge/case/run-case.ts';
import { closeSession, openSession } from '../judge/run/session.ts';
import { catalogue } from '../suites/catalogue.ts';
import { type Deployment, startBoth } from '../api/deployment.ts';
import { readConducts } from './conducts.ts';
import { type Neighbour, settle, startNeighbouring } from './neighbour.fixture.ts';
import { keysOf, ProfileReads } from './profile-reads.fixture.ts';

// Instead of each pair of cases both ways: beside every case that registers, triggers or promotes, a neighbour does so who has registered
// what any case registers, of each kind. Neither may notice the other.
const touching = /\/api\/admin\/|maturityAction|externalE|externalAction|\/dx|acquireAccessToken/;
const conducts = readConducts();

interface Street extends AsyncDisposable {
  readonly deployment: Deployment;
  readonly neighbour: Neighbour;
}

async function open(): Promise<Street> {
  const deployment = await startBoth();
  const neighbour = await settle(deployment.loaded, host);
  return { deployment, neighbour, [Symbol.asyncDispose]: () => deployment[Symbol.asyncDispose]() };
}

const host = await startNeighbouring();
const street = await open();
afterAll(async () => {
  await street[Symbol.asyncDispose]();
  await host.close();
});

/** Documented routes that some deployments do without, by the need that names them. */
const partial: readonly (readonly [Need, request: string])[] = [
  ['operations', `PATCH ${routes.operations}`],
  ['batch', `POST ${routes.batch}`],
  ['multi-create', `POST ${routes.multiCreate}`],
];

const reads = new ProfileReads();

/** Parts of a profile that the bundled one does not have, so that their keys can be asked for. */
const emptyParts = { batch: {}, delivery: {}, tasks: { states: {} } };

/** These look at more than they need, where a profile has it. */
const curious: readonly RuleId[] = ['versioning.header.only-for-put-and-patch', 'caching.changed.status-200'];

/** What the bundled host does in answer to the samples of its profile only; others may without any. */
const besides: Partial<Record<RuleId, readonly Need[]>> = { 'calls.host.uses-core-headers': ['extension-samples'] };

/** Keys that are read of the run and its reports; no case has a use for them. */
const aboutTheRun = ['profileVersion', 'implementation', 'claims', 'tracing', 'knownFailures'];

/** The bundled server trusts no certificate that is not signed, and is next door; `tls.test.ts` and `reach.test.ts` judge with them. */
const overTls = /^(?:listener\.)?tls\./;

/** No case and no request is ended before the test is. */
const patienceSeconds = 600;

test.concurrent.each(catalogue.all)(
  '$id needs nothing but what its row names, and notices no neighbour',
  async (rule) => {
    // a schedule moves the clock of its server, and a restart ends it, which others would not bear
    const isAlone = rule.test.seconds !== undefined || rule.needs.includes('restart-control');
    await using own = isAlone ? await open() : undefined;
    const { deployment, neighbour } = own ?? street;
    const { loaded } = deployment;
    const isBeside = conducts[rule.id]?.requests.some((request) => touching.test(request)) === true;
    const beside = isBeside ? neighbour() : [];
    if (isAlone) await beside;
    const whole = { ...loaded.profile, ...emptyParts };
    const needs = [...rule.needs, ...(besides[rule.id] ?? [])];
    const { outcome, conduct } = await judged(rule, { ...loaded, profile: leanProfile(whole, needs) });
    expect([outcome.verdict, outcome.reason]).toEqual([rule.level === 'observe' ? 'observed' : 'pass', undefined]);
    expect(await beside).toEqual([]);
    const used = partial.filter(([, request]) => conduct.requests.includes(request)).map(([need]) => need);
    expect(used.filter((need) => !rule.needs.includes(need))).toEqual([]);
    if (curious.includes(rule.id)) await judged(rule, { ...loaded, profile: whole });
  },
);

test('every key of a profile is read by some case', () => {
  expect(keysOf(profileSchema).filter((key) => !overTls.test(key) && !reads.has(key))).toEqual(aboutTheRun);
});

/** Judges one rule, with an eye on what is read of the profile. */
async function judged(rule: Rule, loaded: LoadedProfile): Promise<{ outcome: Outcome; conduct: Conduct }> {
  const limits = { ...loaded.profile.limits, requestTimeoutSeconds: patienceSeconds };
  const profile = reads.watch({ ...loaded.profile, limits });
  const session = openSession({ ...loaded, profile });
  const conduct = new ConductLog(new RouteNames(loaded.profile));
  const deadlineMs = patienceSeconds * 1000;
  const outcome = await runCase(rule, rule.test, { session, seed: 1, runs: 2, deadlineMs, conduct });
  await closeSession(session);
  return { outcome, conduct: conduct.tell() };
}
