import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readYaml, runSteps, type Action, type JobResult, type Workflow } from './github.fixture.ts';
import { packed, packingMs, type Packed } from './package.fixture.ts';
import { makeProject, startService } from './project.fixture.ts';
import type { Serving } from './serving.fixture.ts';

/** The action and the example workflow, step by step, as GitHub would run them. */
const root = new URL('../../', import.meta.url);
const action = await readYaml<Action>(new URL('action.yml', root));
const workflow = await readYaml<Workflow>(new URL('docs/ci/github.yml', root));

let place = '';
let pack: Packed | undefined;
let right: Serving;
let wrong: Serving;

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'svc-conformance-github-'));
  pack = await packed();
  right = await startService();
  wrong = await startService('--fault', 'headers.uoi-version.on-create');
}, packingMs);

afterAll(async () => {
  for (const server of [right, wrong]) await server.end();
  await rm(place, { recursive: true, force: true });
});

/** What the stand-ins for actions of others were given. */
interface Kept {
  readonly uploads: string[];
  readonly sarif: string[];
  readonly nodes: string[];
}

interface JobRun extends JobResult {
  readonly kept: Kept;
  readonly workspace: string;
}

/** The example with our package in the place of the published one. */
async function exampleRun(service: Serving, areas: string): Promise<JobRun> {
  const steps = (workflow.jobs['conformance']?.steps ?? []).map((step) =>
    step.id === 'conformance' ? { ...step, with: { ...step.with, version: `file:${pack?.tarball}` } } : step,
  );
  return run(service, steps, { areas });
}

/** The step of the action that judges, started with a program in the place of the installed one. */
function judgeStep(
  given: Readonly<Record<string, string>>,
  main = fileURLToPath(new URL('cli/main.ts', root)),
): Promise<JobRun> {
  const defaults = Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default]));
  const steps = action.runs.steps.filter(({ id }) => id === 'check');
  return run(
    right,
    steps.map((step) => ({ ...step, env: { ...step.env, MAIN: main } })),
    { ...defaults, ...given },
  );
}

async function run(
  service: Serving,
  steps: Parameters<typeof runSteps>[0],
  inputs: Readonly<Record<string, string>>,
  actionPath = fileURLToPath(root),
): Promise<JobRun> {
  const workspace = await mkdtemp(join(place, 'workspace-'));
  await makeProject(workspace, service);
  const kept: Kept = { uploads: [], sarif: [], nodes: [] };
  const result = await runSteps(
    steps,
    {
      inputs,
      secrets: { EDITOR_PASSWORD: 'of-nobody', CLIENT_SECRET: 'of-nothing' },
      env: { SERVICE_URL: service.announcement.url },
    },
    { workspace, actionPath, action, others: standIns(workspace, kept) },
  );
  return { ...result, kept, workspace };
}

function standIns(workspace: string, kept: Kept) {
  return {
    'actions/checkout': async () => undefined,
    'actions/setup-node': async ({ 'node-version': version = '' }) => void kept.nodes.push(version),
    'actions/upload-artifact': async ({ path = '' }) => {
      const paths = path.split('\n').filter((line) => line !== '');
      for (const each of paths) kept.uploads.push(await readFile(join(workspace, each), 'utf8'));
    },
    'github/codeql-action/upload-sarif': async ({ sarif_file: file = '' }) =>
      void kept.sarif.push(await readFile(join(workspace, file), 'utf8')),
  };
}

const outputsOf = ({ steps }: JobResult): Readonly<Record<string, string>> => ({ ...steps['conformance']?.outputs });

describe('the example workflow', { timeout: packingMs }, () => {
  test('judges a service that keeps the rules: outputs, uploads, summary', async ({ skip }) => {
    skip(pack === undefined, 'the package registry cannot be reached');
    const job = await exampleRun(right, 'caching,hypermedia');
    expect(job.failed, job.log).toBe(false);
    const outputs = outputsOf(job);
    expect(outputs).toMatchObject({ 'exit-code': '0', fail: '0', warn: '0', blocked: '0', broken: '0' });
    expect(Number(outputs['pass'])).toBeGreaterThan(9);
    expect(Object.keys(outputs).toSorted()).toEqual(Object.keys(action.outputs).toSorted());
    for (const name of ['html', 'junit', 'sarif', 'json', 'markdown', 'outcomes', 'folder'])
      expect(existsSync(join(job.workspace, outputs[name] ?? 'nothing')), name).toBe(true);
    expect(job.kept.uploads.map((text) => text.slice(0, 15).toLowerCase())).toEqual([
      '<!doctype html>',
      '<?xml version="',
      expect.stringMatching(/^\{\n {2}"\$schema|^\{/),
      expect.stringMatching(/^\{/),
    ]);
    expect(job.kept.sarif.map((text) => (JSON.parse(text) as { readonly version: string }).version)).toEqual(['2.1.0']);
    expect(job.kept.nodes).toEqual(['24']);
    expect(job.summary).toContain('hypermedia');
    expect(job.summary.trimEnd().split('\n').at(-1)).toBe(`Exit 0 - ${outputs['pass']} passed, 0 failed, 0 blocked.`);
  });

  test('fails where a rule is broken, and uploads what it found all the same', async ({ skip }) => {
    skip(pack === undefined, 'the package registry cannot be reached');
    const job = await exampleRun(wrong, 'headers');
    expect(job.failed, job.log).toBe(true);
    expect(outputsOf(job)['exit-code']).toBe('1');
    expect(Number(outputsOf(job)['fail'])).toBeGreaterThan(0);
    expect(job.kept.uploads).toHaveLength(4);
    expect(job.kept.sarif.join('')).toContain('headers.uoi-version.on-create');
    expect(job.log).toMatch(/^::error title=headers\.uoi-version\.on-create::/m);
    expect(job.summary).toContain('headers.uoi-version.on-create');
  });
});

describe('the action', { timeout: packingMs }, () => {
  test('passes every input on', async () => {
    const job = await judgeStep({
      profile: 'conformance.yaml',
      areas: 'headers, caching',
      rules: 'headers.*\n  caching.*\n',
      level: 'must,should',
      shard: '1/2',
      seed: '-7',
      runs: '2',
      'time-budget': '1s',
      'fail-on': 'must',
      'max-warnings': '3',
      reports: 'ctrf=more/ctrf.json\nbadge=more/badge.svg',
      out: 'a folder',
    });
    expect(job.failed, job.log).toBe(false);
    const report = await readFile(join(job.workspace, 'a folder', 'report.json'), 'utf8');
    const { command } = JSON.parse(report) as { readonly command: string };
    for (const words of [
      '--areas headers,caching',
      "--rules 'headers.*' 'caching.*'",
      '--level must,should',
      '--shard 1/2',
    ])
      expect(command).toContain(words);
    for (const words of ['--time-budget 1s', '--max-warnings 3', '--seed -7 --runs 2'])
      expect(command).toContain(words);
    for (const name of ['more/ctrf.json', 'more/badge.svg']) expect(existsSync(join(job.workspace, name))).toBe(true);
    expect(job.steps['check']?.outputs['html']).toBe('a folder/report.html');
    const again = await judgeStep({
      profile: 'conformance.yaml',
      rules: 'headers.uoi-version.on-create',
      'only-changed-since': join(job.workspace, 'a folder', 'report.json'),
    });
    expect(again.failed, again.log).toBe(false);
  });

  test('says nothing of a run that did not take place', async () => {
    const job = await judgeStep({ profile: 'absent.yaml' });
    expect(job.failed).toBe(true);
    expect({ ...job.steps['check']?.outputs }, job.log).toEqual({ 'exit-code': '2' });
  });

  test.each(['$(touch taken)', '`touch taken`', '"; touch taken; "', "'; touch taken; '", '--version', '* ~ $HOME \\'])(
    'takes no commands from %s: each input arrives as a word of its own',
    async (value) => {
      const main = join(place, 'words.mjs');
      await writeFile(main, 'console.log(JSON.stringify(process.argv.slice(2)));\n');
      const words = ['profile', 'areas', 'rules', 'level', 'shard', 'seed', 'runs', 'time-budget', 'fail-on']
        .concat(['max-warnings', 'only-changed-since', 'reports', 'out', 'extension-url'])
        .map((name) => [name, value] as const);
      const job = await judgeStep(Object.fromEntries(words), main);
      expect(existsSync(join(job.workspace, 'taken'))).toBe(false);
      expect(JSON.parse(job.log)).toEqual([
        'check-extension',
        `--url=${value}`,
        ...words.slice(0, 11).map(([name]) => `--${name}=${value}`),
        `--out=${value}`,
        `--report=sarif=${value}/report.sarif`,
        `--report=${value}`,
      ]);
    },
  );

  test.each(['', 'one\nexit-code=0'])('takes no folder %j', async (out) => {
    const job = await judgeStep({ out });
    expect(job.failed).toBe(true);
    expect(job.log).toContain('out: expected the name of a folder');
    expect({ ...job.steps['check']?.outputs }).toEqual({ 'exit-code': '2' });
  });

  test('runs from its own checkout where no version is named', async ({ skip }) => {
    skip(pack === undefined, 'the package registry cannot be reached');
    const checkout = join(place, 'checkout');
    await mkdir(checkout);
    const rooms = ['contract', 'fixtures', 'reference-server', 'simulator', 'suites', 'reports', 'cli'];
    for (const name of [...rooms, '.npmrc', 'package.json', 'package-lock.json'])
      await cp(new URL(name, root), join(checkout, name), { recursive: true });
    const steps = [{ id: 'conformance', uses: './svc-conformance', with: { rules: 'headers.uoi-version.on-create' } }];
    const job = await run(right, steps, {}, checkout);
    expect(job.failed, job.log).toBe(false);
    expect(outputsOf(job)).toMatchObject({ 'exit-code': '0', pass: '1' });
  });

  test('holds no expression in a script', () => {
    const scripts = [...action.runs.steps, ...(workflow.jobs['conformance']?.steps ?? [])].map(
      ({ run: script }) => script,
    );
    expect(scripts.filter((script) => script?.includes('${{'))).toEqual([]);
  });
});
