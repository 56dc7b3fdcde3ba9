import { cp, mkdir, mkdtemp, readdir, rename } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { plainEnvironment } from './package.fixture.ts';
import { ran, type Ran } from './shell.fixture.ts';

/** Does what GitLab does with the jobs of a pipeline, as far as ours need it. */
interface Job {
  readonly stage: string;
  readonly parallel?: number;
  readonly script: readonly string[];
  readonly allow_failure?: { readonly exit_codes: readonly number[] };
  readonly artifacts?: {
    readonly paths: readonly string[];
    readonly reports?: { readonly junit: string };
  };
}

export interface Pipeline {
  readonly variables: Readonly<Record<string, string | { readonly value: string }>>;
  readonly stages: readonly string[];
  readonly default: {
    readonly before_script: readonly string[];
    readonly cache: { readonly paths: readonly string[] };
  };
}

export interface JobRun extends Ran {
  /** As the pipeline sees it. */
  readonly verdict: 'passed' | 'warned' | 'failed';
  /** The folder that the job worked in. */
  readonly workspace: string;
}

/** One run of a pipeline. */
export interface Surroundings {
  /** What every job checks out. */
  readonly project: string;
  /** Holds the folders of the jobs, and what they hand on. */
  readonly folder: string;
  /** Holds what jobs cache, for all pipelines. */
  readonly cache: string;
  /** Variables of the project, which take the place of those in the file. */
  readonly variables: Readonly<Record<string, string>>;
}

/** Jobs by name; the other keys of the file are no jobs. */
export function jobsOf(file: object): ReadonlyMap<string, Job> {
  const reserved = ['variables', 'stages', 'default'];
  return new Map(Object.entries(file).filter(([name]) => !reserved.includes(name)) as [string, Job][]);
}

/** Runs a job, or as many of it as it asks for, two at a time; its artifacts are there for the stages after it. */
export async function runJob(pipeline: Pipeline, job: Job, surroundings: Surroundings): Promise<readonly JobRun[]> {
  const { parallel = 1 } = job;
  const runs: JobRun[] = [];
  for (let first = 1; first <= parallel; first += 2) {
    const indexes = [first, first + 1].filter((index) => index <= parallel);
    runs.push(...(await Promise.all(indexes.map((index) => runPart(pipeline, job, index, surroundings)))));
  }
  for (const { workspace } of runs) await keepArtifacts(job, workspace, surroundings);
  return runs;
}

async function runPart(pipeline: Pipeline, job: Job, index: number, surroundings: Surroundings): Promise<JobRun> {
  const { project, folder, cache, variables } = surroundings;
  const workspace = await mkdtemp(join(folder, 'job-'));
  await cp(project, workspace, { recursive: true });
  await cp(await handedOn(surroundings), workspace, { recursive: true });
  await restore(pipeline.default.cache.paths, cache, workspace);
  const own = {
    CI: 'true',
    GITLAB_CI: 'true',
    CI_PROJECT_DIR: workspace,
    CI_PIPELINE_IID: '17',
    ...(job.parallel !== undefined && { CI_NODE_INDEX: String(index), CI_NODE_TOTAL: String(job.parallel) }),
  };
  const script = [...pipeline.default.before_script, ...job.script].join('\n');
  const done = await ran('bash', ['-eo', 'pipefail', '-c', script], {
    cwd: workspace,
    env: { ...plainEnvironment, ...own, ...declared(pipeline, own), ...variables },
  });
  await keep(pipeline.default.cache.paths, cache, workspace);
  return { ...done, verdict: verdictOf(job, done), workspace };
}

/** Moves into the workspace what an earlier job has cached, where there is something that no other job has taken. */
async function restore(paths: readonly string[], cache: string, workspace: string): Promise<void> {
  for (const path of paths) {
    const all = await readdir(join(cache, path)).catch(() => []);
    for (const kept of all) if (await isMoved(join(cache, path, kept), join(workspace, path))) break;
  }
}

/** Not where another job took it first. */
function isMoved(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(
    () => true,
    () => false,
  );
}

/** Moves what is cached out of the workspace, where it can be taken from. */
async function keep(paths: readonly string[], cache: string, workspace: string): Promise<void> {
  for (const path of paths.filter((each) => existsSync(join(workspace, each)))) {
    await mkdir(join(cache, path), { recursive: true });
    await rename(join(workspace, path), join(cache, path, basename(workspace)));
  }
}

/** Variables of the file, in which those of GitLab are filled in. */
function declared({ variables }: Pipeline, own: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const values = Object.entries(variables).map(([name, it]) => [name, typeof it === 'string' ? it : it.value] as const);
  return Object.fromEntries(
    values.map(([name, value]) => [name, value.replace(/\$(\w+)/g, (_whole, key: string) => own[key] ?? '')]),
  );
}

function verdictOf({ allow_failure: allowed }: Job, { exitCode }: Ran): JobRun['verdict'] {
  if (exitCode === 0) return 'passed';
  return exitCode !== null && allowed?.exit_codes.includes(exitCode) === true ? 'warned' : 'failed';
}

/** @throws {Error} a job did not leave what it promised */
async function keepArtifacts({ artifacts }: Job, workspace: string, surroundings: Surroundings): Promise<void> {
  const junit = artifacts?.reports?.junit;
  for (const path of [...(artifacts?.paths ?? []), ...(junit === undefined ? [] : [junit])]) {
    if (!existsSync(join(workspace, path))) throw new Error(`${workspace} has no artifact ${path}`);
    await cp(join(workspace, path), join(await handedOn(surroundings), path), { recursive: true });
  }
}

async function handedOn({ folder }: Surroundings): Promise<string> {
  const place = join(folder, 'artifacts');
  await mkdir(place, { recursive: true });
  return place;
}
