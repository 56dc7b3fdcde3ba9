import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RuleId } from '../../contract/rule.ts';
import { type Deployment, startHostAlone, startReference } from '../../api/deployment.ts';
import { startVariant } from '../../cli/kill-matrix/judge-variant.ts';
import { variablesOf } from '../../judge/curl/variables.ts';
import type { LoadedProfile } from '../../judge/profile/load.ts';
import { secretsOf } from '../../judge/redact/profile-secrets.ts';
import type { NoRepetition } from '../../judge/repeat/repetition.ts';
import { judgedInTime } from '../../judge/run/deadline.ts';
import { openJudge } from '../../judge/run/judge.ts';
import { curlScript } from '../../reports/repeat/curl.ts';
import type { Told } from '../../reports/repeat/told.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { startCallee } from '../../simulator/extension/callee.ts';
import type { Dialect } from '../../variants/dialect/dialects.ts';
import { faultOf, hasFault } from '../../variants/faults.ts';
import { hasHostFault } from '../../variants/extension-host/faults.ts';

/** What came of the script of one finding. */
export interface Proof {
  readonly fault: string;
  readonly rule: RuleId;
  /** `no finding`, `no script`, `proven`, or what went wrong. */
  readonly end: 'no finding' | 'no script' | 'proven' | 'unshown' | 'shown on the right' | 'unclear on the right';
  readonly why?: string;
  readonly recorded?: number;
  readonly requests?: number;
  readonly played?: boolean;
  readonly check?: string;
}

/** A fault or a mistake, and the rule that judges it. */
export interface Trial {
  readonly fault: string;
  readonly rule: RuleId;
}

/** With which server and which data it is judged. */
export interface Judged {
  readonly dialect?: Dialect;
  readonly seed?: number;
}

const caseLimitMs = 60_000;
const never = new AbortController().signal;

/** Judges a faulty server by the rule, and runs the script of the finding against a fresh one and against the right one. */
export async function prove(trial: Trial, folder: string, judged: Judged = {}): Promise<Proof> {
  const { fault, rule } = trial;
  const told = await findingOf(trial, judged);
  if (typeof told === 'string') return { ...trial, end: 'no finding', why: told };
  if ('reason' in told) return { ...trial, end: 'no script', why: told.reason };
  const { repetition } = told;
  const file = join(folder, `${[...new Set([fault, rule])].join(' ')}.sh`);
  writeFileSync(file, curlScript(told));
  const facts = {
    ...trial,
    recorded: repetition.recorded,
    requests: repetition.steps.length,
    played: repetition.shown,
    check: repetition.check.kind,
  };
  const isHost = hasHostFault(fault);
  const wrong = await runOn(file, await startFaulty(fault, judged), isHost);
  if (wrong.code !== 1) return { ...facts, end: 'unshown', why: `${wrong.code}: ${wrong.said}` };
  const right = await runOn(file, isHost ? await startHostAlone() : await startReference(inDialect(judged)), isHost);
  const end = right.code === 1 ? 'shown on the right' : 'unclear on the right';
  if (right.code !== 0) return { ...facts, end, why: `${right.code}: ${right.said}` };
  return { ...facts, end: 'proven' };
}

/** What the rule finds at a server with that fault, as the writers of scripts see it; the reason where no script shows it, a sentence where there is no finding. */
export async function findingOf({ fault, rule }: Trial, judged: Judged = {}): Promise<Told | NoRepetition | string> {
  await using deployment = await startFaulty(fault, judged);
  const { loaded } = deployment;
  const { seed = 1 } = judged;
  await using open = openJudge(catalogue, { loaded, seed, runs: 20, caseLimitMs, collect: false, repeat: true });
  const { outcome } = await judgedInTime(open.judge, rule, { limitMs: caseLimitMs + 1000, stopped: never });
  const { violation } = outcome ?? {};
  if (violation === undefined) return outcome?.reason ?? 'the case found nothing';
  const { expected, actual, repetition = { reason: '' } } = violation;
  if ('reason' in repetition) return repetition;
  const { statement } = catalogue.get(rule);
  return { rule, statement, expected, actual, repetition, variables: variablesOf(loaded) };
}

function startFaulty(fault: string, judged: Judged): Promise<Deployment> {
  if (judged.dialect === undefined || !hasFault(fault)) return startVariant(fault);
  return startReference({ ...inDialect(judged), faults: [faultOf(fault)] });
}

function inDialect({ dialect }: Judged): Pick<Judged, 'dialect'> {
  return dialect === undefined ? {} : { dialect };
}

interface Ran {
  readonly code: number;
  readonly said: string;
}

async function runOn(file: string, started: Deployment, isHost: boolean): Promise<Ran> {
  await using deployment = started;
  await using callee = await startCallee();
  const { hostUri = '' } = deployment.loaded.profile.extensionHost ?? {};
  const more = { LISTENER_URL: callee.url, ...(isHost && { BASE_URL: hostUri.replace(/\/+$/, '') }) };
  return await runScript(file, deployment.loaded, more);
}

/** Runs a script as somebody would who has the secrets of the profile. */
export function runScript(
  file: string,
  loaded: LoadedProfile,
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  const secrets = Object.fromEntries(secretsOf(loaded).map(({ variable, value }) => [variable, value]));
  const BASE_URL = loaded.profile.baseUrl.replace(/\/+$/, '');
  const { path = '' } = loaded.profile.bulk?.hostDirectory ?? {};
  return new Promise((resolve) => {
    execFile(
      '/bin/sh',
      [file],
      {
        env: { PATH: '/usr/bin:/bin', ...secrets, BASE_URL, ...(path !== '' && { HOST_DIRECTORY: path }), ...more },
        timeout: 600_000,
      },
      (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : Number(error !== null) * 9;
        resolve({ code, said: `${stderr.trim().replaceAll('\n', ' ')} | ${stdout.trim()}`.slice(0, 400) });
      },
    );
  });
}
