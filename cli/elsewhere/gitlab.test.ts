import { catalogue } from '../../suites/catalogue.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { selectRules } from '../../judge/run/selection.ts';
import { jobsOf, runJob, type JobRun, type Pipeline } from './gitlab.fixture.ts';
import { readYaml } from './github.fixture.ts';
import { packed, packingMs, plainEnvironment, type Packed } from './package.fixture.ts';
import { makeProject, startService } from './project.fixture.ts';
import type { Serving } from './serving.fixture.ts';

/** The example pipeline, job by job, as GitLab would run them. */
const pipeline = await readYaml<Pipeline>(new URL('../../docs/ci/gitlab-ci.yml', import.meta.url));
const jobs = jobsOf(pipeline);
const areas = ['caching', 'hypermedia'] as const;

let place = '';
let pack: Packed | undefined;
let right: Serving;
let wrong: Serving;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'svc-conformance-gitlab-'));
  pack = await packed();
  right = await startService();
  wrong = await startService('--fault', 'headers.uoi-version.on-create');
}, packingMs);

afterAll(async () => {
  for (const server of [right, wrong]) await server.end();
  await rm(place, { recursive: true, force: true });
});

/** The packages of this machine, in the place of those that GitLab hands from run to run: else every job would load all of them. */
const npm_config_cache = join(plainEnvironment.HOME, '.npm');

/** Every job, in the order of the stages, as long as none fails; no job more often than told. */
async function pipelineRun(
  service: Serving,
  names: readonly string[],
  mostParts: number,
): Promise<ReadonlyMap<string, readonly JobRun[]>> {
  const folder = await mkdtemp(join(place, 'pipeline-'));
  const project = join(folder, 'project');
  await makeProject(project, service);
  const SVC_CONFORMANCE = `svc-conformance@file:${pack?.tarball}`;
  const variables = { npm_config_cache, SVC_CONFORMANCE, CONFORMANCE_AREAS: names.join(',') };
  const runs = new Map<string, readonly JobRun[]>();
  const inOrder = [...jobs].toSorted(([, one], [, other]) => stageOf(one.stage) - stageOf(other.stage));
  for (const [name, job] of inOrder) {
    if ([...runs.values()].flat().some(({ verdict }) => verdict === 'failed')) break;
    const parts = job.parallel === undefined ? {} : { parallel: Math.min(job.parallel, mostParts) };
    runs.set(
      name,
      await runJob(pipeline, { ...job, ...parts }, { project, folder, cache: join(place, 'cache'), variables }),
    );
  }
  return runs;
}

function stageOf(name: string): number {
  const index = pipeline.stages.indexOf(name);
  if (index === -1) throw new Error(`there is no stage ${name}`);
  return index;
}

test(
  'judges a service that keeps the rules in four parts, and puts them together',
  { timeout: packingMs },
  async ({ skip }) => {
    skip(pack === undefined, 'the package registry cannot be reached');
    const runs = await pipelineRun(right, areas, 4);
    expect(
      runs.get('conformance')?.map(({ verdict, printed }) => `${verdict}${verdict === 'passed' ? '' : printed}`),
    ).toEqual(Array.from({ length: 4 }, () => 'passed'));
    const [report] = runs.get('conformance-report') ?? [];
    expect(report?.exitCode, report?.printed).toBe(0);
    const junit = await readFile(join(report?.workspace ?? '', 'conformance', 'junit.xml'), 'utf8');
    expect(junit.match(/<testcase /g)).toHaveLength(selectRules({ areas }, catalogue.all).length);
  },
);

test(
  'lets the parts of a service that breaks a rule pass, and fails the whole',
  { timeout: packingMs },
  async ({ skip }) => {
    skip(pack === undefined, 'the package registry cannot be reached');
    const runs = await pipelineRun(wrong, ['headers'], 2);
    expect(runs.get('conformance')?.map(({ verdict }) => verdict)).toContain('warned');
    const [report] = runs.get('conformance-report') ?? [];
    expect(report).toMatchObject({ verdict: 'failed', exitCode: 1 });
    expect(await readFile(join(report?.workspace ?? '', 'conformance', 'report.sarif'), 'utf8')).toContain(
      'headers.uoi-version.on-create',
    );
  },
);
