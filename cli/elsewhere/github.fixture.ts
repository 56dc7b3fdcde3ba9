import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { applies, filledIn } from './expressions.fixture.ts';
import { plainEnvironment } from './package.fixture.ts';
import { ran } from './shell.fixture.ts';

/** Does what GitHub does with the steps of a job and of a composite action, as far as ours need it. Scripts are run, actions of others are stood in for. */
export interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
  readonly shell?: 'bash';
}

export interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

export interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

type Outputs = Readonly<Record<string, string>>;

/** Stands in for an action of others, named without its version. Gets what stands under `with`. */
export type StandIn = (given: Outputs) => Promise<Outputs | void>;

export interface Runner {
  /** The checkout that the job works in. */
  readonly workspace: string;
  /** The checkout of our action. */
  readonly actionPath: string;
  readonly action: Action;
  readonly others: Readonly<Record<string, StandIn>>;
}

/** Names and values from outside of a list of steps. */
interface Given {
  readonly inputs: Outputs;
  readonly secrets?: Outputs;
  readonly env: Outputs;
}

export interface JobResult {
  readonly failed: boolean;
  readonly steps: Readonly<Record<string, { readonly outputs: Outputs }>>;
  /** What the steps printed. */
  readonly log: string;
  /** What they wrote into the summary of the job. */
  readonly summary: string;
}

/** A YAML file of the repository, whose form `schemas.test.ts` checks. */
export async function readYaml<Content>(file: URL): Promise<Content> {
  return parse(await readFile(file, 'utf8')) as Content;
}

/** Goes through the steps in order. @throws {Error} an expression, an input or an action that does not exist */
export async function runSteps(list: readonly Step[], given: Given, runner: Runner): Promise<JobResult> {
  const files = await commandFiles(runner);
  const ids = list.flatMap(({ id }) => (id === undefined ? [] : [[id, { outputs: silent({}) }] as const]));
  const state: State = { failed: false, steps: Object.fromEntries(ids), log: '', env: given.env };
  for (const step of list) {
    if (!applies(step.if, { ...given, ...state })) continue;
    const { failed, outputs, log } = await runStep(step, { ...given, env: state.env }, state, runner, files);
    state.failed ||= failed;
    state.log += log;
    state.steps = { ...state.steps, ...(step.id !== undefined && { [step.id]: { outputs } }) };
    state.env = { ...state.env, ...assignments(await readFile(files.GITHUB_ENV, 'utf8')) };
  }
  const { failed, steps, log } = state;
  return { failed, steps, log, summary: await readFile(files.GITHUB_STEP_SUMMARY, 'utf8') };
}

interface State {
  failed: boolean;
  steps: JobResult['steps'];
  log: string;
  env: Outputs;
}

interface StepResult {
  readonly failed: boolean;
  readonly outputs: Outputs;
  readonly log: string;
}

type CommandFiles = Awaited<ReturnType<typeof commandFiles>>;

/** Files through which a step tells GitHub things; the summary is one for all steps, those of the action too. */
async function commandFiles({ workspace }: Runner) {
  const temp = `${workspace}-temp`;
  await mkdir(temp, { recursive: true });
  const folder = await mkdtemp(join(temp, 'commands-'));
  const file = (name: string): string => join(folder, name);
  const files = {
    GITHUB_OUTPUT: file('output'),
    GITHUB_ENV: file('env'),
    GITHUB_STEP_SUMMARY: join(temp, 'summary.md'),
    RUNNER_TEMP: temp,
  };
  for (const name of [files.GITHUB_OUTPUT, files.GITHUB_ENV]) await writeFile(name, '');
  if (!existsSync(files.GITHUB_STEP_SUMMARY)) await writeFile(files.GITHUB_STEP_SUMMARY, '');
  return files;
}

async function runStep(
  step: Step,
  given: Given,
  state: State,
  runner: Runner,
  files: CommandFiles,
): Promise<StepResult> {
  const contexts = { ...given, steps: state.steps };
  const filled = (record: Outputs = {}): Outputs =>
    Object.fromEntries(Object.entries(record).map(([name, text]) => [name, filledIn(String(text), contexts)]));
  const env = { ...given.env, ...filled(step.env) };
  if (step.run !== undefined) return runScript(filledIn(step.run, contexts), env, step, runner, files);
  const name = (step.uses ?? '').replace(/@.*$/, '');
  if (name.endsWith('/svc-conformance')) return runAction(filled(step.with), env, runner);
  const standIn = runner.others[name];
  if (standIn === undefined) throw new Error(`nothing stands in for the action ${name}`);
  return { failed: false, outputs: (await standIn(filled(step.with))) ?? {}, log: '' };
}

async function runScript(
  script: string,
  env: Outputs,
  { shell }: Step,
  { workspace, actionPath }: Runner,
  files: CommandFiles,
): Promise<StepResult> {
  const place = join(await mkdtemp(join(files.RUNNER_TEMP, 'script-')), 'script.sh');
  await writeFile(place, script);
  await writeFile(files.GITHUB_OUTPUT, '');
  // the two forms differ on GitHub as well: a shell that is named also minds failures inside pipes
  const flags = shell === 'bash' ? ['--noprofile', '--norc', '-eo', 'pipefail'] : ['-e'];
  const own = { CI: 'true', GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: workspace, GITHUB_ACTION_PATH: actionPath };
  const { exitCode, printed } = await ran('bash', [...flags, place], {
    cwd: workspace,
    env: { ...plainEnvironment, ...own, ...files, ...env },
  });
  const outputs = assignments(await readFile(files.GITHUB_OUTPUT, 'utf8'));
  return { failed: exitCode !== 0, outputs: silent(outputs), log: printed };
}

/** Inputs have their defaults; outputs are those that the action declares. */
async function runAction(given: Outputs, env: Outputs, runner: Runner): Promise<StepResult> {
  const { action } = runner;
  const unknown = Object.keys(given).filter((name) => !(name in action.inputs));
  if (unknown.length > 0) throw new Error(`the action has no input ${unknown.join(', ')}`);
  const defaults = Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default]));
  const { failed, steps, log } = await runSteps(action.runs.steps, { inputs: { ...defaults, ...given }, env }, runner);
  const outputs = Object.fromEntries(
    Object.entries(action.outputs).map(([name, { value }]) => [name, filledIn(value, { steps })]),
  );
  return { failed, outputs, log };
}

/** An output that a script did not write is empty. */
function silent(outputs: Outputs): Outputs {
  return new Proxy(outputs, { get: (target, name) => target[String(name)] ?? '' });
}

/** Lines NAME=VALUE. @throws {Error} another line */
function assignments(text: string): Outputs {
  const lines = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`no assignment: ${line}`);
      return [name, value];
    }),
  );
}
