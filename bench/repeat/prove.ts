import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RuleId } from '../../contract/rule.ts';
import { type Deployment, startHostAlone, startReference } from '../../api/deployment.ts';
import { startVariant } from '../../cli/kill-matrix/judge-variant.ts';
import { variablesOf } from '../../judge/curl/variables.ts';
import type { NoRepetition } from '../../judge/repeat/repetition.ts';
import { judgedInTime } from '../../judge/run/deadline.ts';
import { openJudge } from '../../judge/run/judge.ts';
import type { Told } from '../../reports/repeat/told.ts';
import { catalogue } from '../../suites/catalogue.ts';
import { startCallee } from '../../simulator/extension/callee.ts';
import type { Dialect } from '../../variants/dialect/dialects.ts';
import { faultOf, hasFault } from '../../variants/faults.ts';
import { hasHostFault } from '../../variants/extension-host/faults.ts';
import { type Form, forms, type Ran } from './forms.ts';

/** What came of the script of one finding. */
export interface Proof {
  readonly fault: string;
  readonly rule: RuleId;
  readonly form: Form['name'];
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
  const [proof] = await proveForms(trial, folder, judged, [forms.sh]);
  if (proof === undefined) throw new Error('Expected one proof of each form.');
  return proof;
}

/** The same by each of some forms. */
export async function proveForms(
  trial: Trial,
  folder: string,
  judged: Judged,
  chosen: readonly Form[],
): Promise<readonly Proof[]> {
  const told = await findingOf(trial, judged);
  const proofs: Proof[] = [];
  for (const form of chosen) {
    if (typeof told === 'string') proofs.push({ ...trial, form: form.name, end: 'no finding', why: told });
    else if ('reason' in told) proofs.push({ ...trial, form: form.name, end: 'no script', why: told.reason });
    else proofs.push({ ...trial, form: form.name, ...(await proofBy(form, told, { trial, folder, judged })) });
  }
  return proofs;
}

interface Proving {
  readonly trial: Trial;
  readonly folder: string;
  readonly judged: Judged;
}

type Proven = Omit<Proof, 'fault' | 'rule' | 'form'>;

async function proofBy(form: Form, told: Told, { trial, folder, judged }: Proving): Promise<Proven> {
  const { repetition } = told;
  const text = form.write(told);
  if (text === undefined) return { end: 'no script', why: 'this form cannot say it' };
  const { fault } = trial;
  const file = join(folder, `${nameOf(trial)}.${form.name}`);
  writeFileSync(file, text);
  const script = { form, written: { file, text, baseUrl: repetition.baseUrl } };
  const facts = {
    recorded: repetition.recorded,
    requests: repetition.steps.length,
    played: repetition.shown,
    check: repetition.check.kind,
  };
  const isHost = hasHostFault(fault);
  const wrong = await runOn(script, await startFaulty(fault, judged), isHost);
  if (wrong.code !== 1) return { ...facts, end: 'unshown', why: `${wrong.code}: ${wrong.said}` };
  const right = await runOn(script, isHost ? await startHostAlone() : await startReference(inDialect(judged)), isHost);
  const end = right.code === 1 ? 'shown on the right' : 'unclear on the right';
  if (right.code !== 0) return { ...facts, end, why: `${right.code}: ${right.said}` };
  return { ...facts, end: 'proven' };
}

export function nameOf({ fault, rule }: Trial): string {
  return [...new Set([fault, rule])].join(' ');
}

interface Script {
  readonly form: Form;
  readonly written: Parameters<Form['run']>[0];
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

async function runOn({ form, written }: Script, started: Deployment, isHost: boolean): Promise<Ran> {
  await using deployment = started;
  await using callee = await startCallee();
  const { hostUri = '' } = deployment.loaded.profile.extensionHost ?? {};
  const more = { LISTENER_URL: callee.url, ...(isHost && { BASE_URL: hostUri.replace(/\/+$/, '') }) };
  return await form.run(written, deployment.loaded, more);
}
