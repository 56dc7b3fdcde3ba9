import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { NoOperationTraceWriter, parseWorkflow, type TemplateParseResult } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/action-parser';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeFolder } from '../fixtures/folder.fixture.ts';
import { createServer } from '../reference-server/server.ts';
import type { FaultId } from '../variants/faults.ts';
import { createVariant } from '../variants/create-variant.ts';
import { dockerfiles, readStages } from './image.fixture.ts';

/** The files that others read or copy: their forms as published, what we ask of them beyond that, and their scripts, which are run. */
const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8');

interface Step {
  readonly id?: string;
  readonly name?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly run?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

interface Workflow {
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly Step[]; readonly permissions?: Readonly<Record<string, string>> }>
  >;
}

interface PipelineJob {
  readonly script: readonly string[];
  readonly allow_failure: { readonly exit_codes: readonly number[] };
}

interface Pipeline {
  readonly default: { readonly before_script: readonly string[] };
  readonly conformance: PipelineJob;
  readonly 'conformance-report': PipelineJob;
}

const action = parse(await read('action.yml')) as Action;
const workflow = parse(await read('docs/ci/github.yml')) as Workflow;
const pipeline = parse(await read('docs/ci/gitlab-ci.yml')) as Pipeline;
const { version } = JSON.parse(await read('package.json')) as { readonly version: string };
const lock = JSON.parse(await read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
};
const image = `node:${lock.packages['node_modules/node']?.version}-slim`;

describe('forms', () => {
  const trace = new NoOperationTraceWriter();
  const errorsOf = ({ context }: TemplateParseResult): readonly string[] =>
    context.errors.getErrors().map(({ message }) => message);
  const actionErrors = (content: string) => errorsOf(parseAction({ name: 'action.yml', content }, trace));
  const workflowErrors = (content: string) => errorsOf(parseWorkflow({ name: 'workflow.yml', content }, trace));

  test('action.yml has the form of an action', async () => {
    const content = await read('action.yml');
    expect(actionErrors(content)).toEqual([]);
    expect(actionErrors(content.replace('using: composite', 'using: composit'))).not.toEqual([]);
  });

  test.each(['.github/workflows/ci.yml', '.github/workflows/release.yml', 'docs/ci/github.yml'])(
    '%s has the form of a workflow',
    async (name) => {
      const content = await read(name);
      expect(workflowErrors(content)).toEqual([]);
      expect(workflowErrors(content.replace('runs-on:', 'run-on:'))).not.toEqual([]);
    },
  );

  test('every expression names an input, an output or a secret that there is, and none stands in a script', async () => {
    const names = {
      'action.yml': new Set(Object.keys(action.inputs)),
      'docs/ci/github.yml': new Set(['areas']),
    };
    const outputs = new Set(Object.keys(action.outputs));
    for (const [file, inputs] of Object.entries(names)) {
      const expressions = [...(await read(file)).matchAll(/(inputs|steps)\.([\w-]+)(?:\.outputs\.([\w-]+))?/g)];
      expect(expressions.length).toBeGreaterThan(1);
      for (const [whole, from, name = '', output = ''] of expressions)
        expect(from === 'inputs' ? inputs.has(name) : output === 'main' || outputs.has(output), whole).toBe(true);
    }
    const steps = [...action.runs.steps, ...(workflow.jobs['conformance']?.steps ?? [])];
    expect(steps.filter(({ run }) => run?.includes('${{'))).toEqual([]);
  });

  test('the examples name this version, and the Node of the clone', async () => {
    expect(await read('docs/ci/github.yml')).toContain(`/svc-conformance@v${version}\n`);
    const gitlab = await read('docs/ci/gitlab-ci.yml');
    expect(gitlab).toContain(`value: svc-conformance@${version}\n`);
    expect(gitlab).toContain(`image: ${image}\n`);
    const jenkins = await read('docs/ci/Jenkinsfile');
    expect(jenkins).toContain(`'svc-conformance@${version}'`);
    expect(jenkins).toContain(`image '${image}'`);
  });
});

test('a release says where it comes from, of which version it is and what it is made of', async () => {
  const { jobs } = parse(await read('.github/workflows/release.yml')) as Workflow;
  const scripts = (jobs['publish']?.steps ?? []).map(({ run }) => run ?? '');
  expect(scripts.findIndex((script) => script.startsWith('npm publish --provenance '))).toBeGreaterThan(
    scripts.findIndex((script) => script.includes('npm pkg set')),
  );
  expect(jobs['publish']?.permissions).toMatchObject({ 'id-token': 'write' });
  const workspace = await mkdtemp(join(place, 'workspace-'));
  for (const name of ['package.json', 'package-lock.json']) await writeFile(join(workspace, name), await read(name));
  const env = { GITHUB_REF_NAME: `v${version}`, GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'us/it' };
  const say = scripts.find((script) => script.includes('npm pkg set')) ?? '';
  expect((await runScript(say, { workspace, env: { ...env, GITHUB_REF_NAME: 'v9.9.9' } })).exitCode).not.toBe(0);
  expect((await runScript(say, { workspace, env })).exitCode).toBe(0);
  expect(JSON.parse(await readFile(join(workspace, 'package.json'), 'utf8'))).toMatchObject({
    repository: { type: 'git', url: 'git+https://git.example/us/it.git' },
    bugs: { url: 'https://git.example/us/it/issues' },
  });
  const write = scripts.find((script) => script.includes('npm sbom')) ?? '';
  const { exitCode, printed } = await runScript(write, { workspace });
  expect(exitCode, printed).toBe(0);
  const bill = JSON.parse(await readFile(join(workspace, 'svc-conformance.cdx.json'), 'utf8')) as {
    readonly bomFormat: string;
    readonly components: readonly { readonly name: string }[];
  };
  const names = bill.components.map(({ name }) => name);
  expect(bill.bomFormat).toBe('CycloneDX');
  expect(names).toEqual(expect.arrayContaining(['commander', 'undici']));
  expect(names).not.toContain('vitest');
});

const place = makeFolder();

interface ScriptRun {
  readonly exitCode: number | null;
  readonly printed: string;
  /** What it wrote into the files of GitHub. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly workspace: string;
}

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly workspace?: string;
  /** Programs that are found first. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** Runs a script by bash, which minds failures inside pipes, as a step of either service would. */
async function runScript(script: string, surroundings: Surroundings): Promise<ScriptRun> {
  const { env, programs = {}, workspace = await mkdtemp(join(place, 'workspace-')) } = surroundings;
  const temp = await mkdtemp(join(place, 'temp-'));
  for (const [name, content] of Object.entries(programs)) await writeProgram(join(temp, name), content);
  const file = (name: string): string => join(temp, `${name}.txt`);
  for (const name of ['output', 'env', 'summary']) await writeFile(file(name), '');
  const own = {
    PATH: [temp, dirname(process.execPath), process.env['PATH']].join(delimiter),
    CI: 'true',
    RUNNER_TEMP: temp,
    GITHUB_OUTPUT: file('output'),
    GITHUB_ENV: file('env'),
    GITHUB_STEP_SUMMARY: file('summary'),
    CI_PROJECT_DIR: workspace,
  };
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd: workspace,
    env: { ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return {
    exitCode,
    printed: (await printed).join(''),
    outputs: assignments(await readFile(file('output'), 'utf8')),
    variables: assignments(await readFile(file('env'), 'utf8')),
    summary: await readFile(file('summary'), 'utf8'),
    workspace,
  };
}

async function writeProgram(path: string, content: string): Promise<void> {
  await writeFile(path, content);
  await chmod(path, 0o755);
}

function assignments(lines: string): Readonly<Record<string, string>> {
  return Object.fromEntries(lines.split('\n').flatMap((line) => (line === '' ? [] : [cutAtFirst(line, '=')])));
}

function cutAtFirst(line: string, sign: string): readonly [string, string] {
  const index = line.indexOf(sign);
  if (index < 1) throw new Error(`no assignment: ${line}`);
  return [line.slice(0, index), line.slice(index + 1)];
}

const program = join(root, 'cli', 'main.ts');
/** Prints its words as JSON. */
const echo = `#!${process.execPath}\nconsole.log(JSON.stringify(process.argv.slice(2)));\n`;

describe('the action', () => {
  const stepOf = (id: string): Step => {
    const step = action.runs.steps.find((each) => each.id === id);
    if (step === undefined) throw new Error(`action.yml has no step ${id}`);
    return step;
  };

  /** Runs a step with its inputs as GitHub fills them in. */
  function runStep(id: string, given: Readonly<Record<string, string>>, more: Surroundings = {}): Promise<ScriptRun> {
    const { env = {}, run = '' } = stepOf(id);
    const filled = Object.entries(env).map(([name, expression]) => {
      const [, input = ''] = /inputs\.([\w-]+)/.exec(expression) ?? [];
      return [name, given[input] ?? action.inputs[input]?.default ?? ''];
    });
    return runScript(run, { ...more, env: { ...Object.fromEntries(filled), ...more.env } });
  }

  test.each([
    ['1.2.3', ['svc-conformance@1.2.3', '--ignore-scripts'], /node_modules\/svc-conformance\/dist\/cli\/main\.js$/],
    ['', ['ci', '--omit=dev'], /^\/checkout\/cli\/main\.ts$/],
  ])('installs version %j without scripts of packages', async (wanted, words, main) => {
    const env = { GITHUB_ACTION_PATH: '/checkout' };
    const { exitCode, printed, outputs } = await runStep(
      'install',
      { version: wanted },
      { env, programs: { npm: echo } },
    );
    expect(exitCode, printed).toBe(0);
    expect(JSON.parse(printed)).toEqual(expect.arrayContaining(words));
    expect(outputs['main']).toMatch(main);
  });

  test('judges, and hands on what came of it', async () => {
    const given = { rules: 'headers.uoi-version.on-create', out: 'a folder', reports: 'ctrf=more/ctrf.json' };
    const done = await runStep('check', given, { env: { MAIN: program } });
    expect(done.exitCode, done.printed).toBe(0);
    expect(done.outputs).toMatchObject({ 'exit-code': '0', pass: '1', fail: '0', broken: '0' });
    expect(Object.keys(done.outputs).toSorted()).toEqual(Object.keys(action.outputs).toSorted());
    for (const name of ['html', 'junit', 'sarif', 'json', 'markdown', 'outcomes', 'folder'])
      expect(existsSync(join(done.workspace, done.outputs[name] ?? 'nothing')), name).toBe(true);
    expect(existsSync(join(done.workspace, 'more/ctrf.json'))).toBe(true);
  });

  test('says nothing of a run that did not take place', async () => {
    const done = await runStep('check', { profile: 'absent.yaml' }, { env: { MAIN: program } });
    expect(done.exitCode).toBe(2);
    expect(done.outputs).toEqual({ 'exit-code': '2' });
  });

  test.each(['$(touch taken)', '`touch taken`', '"; touch taken; "', "'; touch taken; '", '--version', '* ~ $HOME \\'])(
    'takes no commands from %s: each input arrives as a word of its own',
    async (value) => {
      const main = join(place, 'words.mjs');
      await writeFile(main, echo);
      const words = Object.keys(action.inputs).filter((name) => !['version', 'node-version'].includes(name));
      const given = Object.fromEntries(words.map((name) => [name, value]));
      const done = await runStep('check', given, { env: { MAIN: main } });
      expect(existsSync(join(done.workspace, 'taken'))).toBe(false);
      const single = words.filter((name) => !['extension-url', 'reports', 'out'].includes(name));
      expect(JSON.parse(done.printed)).toEqual([
        'check-extension',
        `--url=${value}`,
        ...single.map((name) => `--${name}=${value}`),
        `--out=${value}`,
        `--report=sarif=${value}/report.sarif`,
        `--report=${value}`,
      ]);
    },
  );

  test.each(['', 'one\nexit-code=0'])('takes no folder %j', async (out) => {
    const done = await runStep('check', { out });
    expect(done.exitCode).toBe(2);
    expect(done.printed).toContain('out: expected the name of a folder');
    expect(done.outputs).toEqual({ 'exit-code': '2' });
  });
});

test('the example workflow says how it went', async () => {
  const steps = workflow.jobs['conformance']?.steps ?? [];
  const [say] = steps.filter(({ run }) => run !== undefined);
  const env = { EXIT_CODE: '1', PASS: '20', FAIL: '2', BLOCKED: '0' };
  expect(Object.keys(say?.env ?? {}).toSorted()).toEqual(Object.keys(env).toSorted());
  expect((await runScript(say?.run ?? '', { env })).summary).toBe('Exit 1 - 20 passed, 2 failed, 0 blocked.\n');
});

describe('the example pipeline', () => {
  test('installs the package without scripts of packages', async () => {
    const { exitCode, printed } = await runScript(pipeline.default.before_script.join('\n'), {
      env: { SVC_CONFORMANCE: 'svc-conformance@1.2.3' },
      programs: { npm: echo },
    });
    expect(exitCode, printed).toBe(0);
    expect(JSON.parse(printed)).toEqual(
      expect.arrayContaining(['--prefix', '.conformance', '--ignore-scripts', 'svc-conformance@1.2.3']),
    );
  });

  test('installs for Jenkins as for GitLab, and judges there in one step', async () => {
    const [install = '', judge = ''] = [...(await read('docs/ci/Jenkinsfile')).matchAll(/^ +sh '(.*)'$/gm)].map(
      ([, script = '']) => script,
    );
    expect(pipeline.default.before_script).toContain(install);
    const workspace = await mkdtemp(join(place, 'project-'));
    await mkdir(join(workspace, '.conformance/node_modules/.bin'), { recursive: true });
    await writeProgram(join(workspace, '.conformance/node_modules/.bin/svc-conformance'), echo);
    const { exitCode, printed } = await runScript(judge, { workspace });
    expect(exitCode, printed).toBe(0);
    const [part = ''] = pipeline.conformance.script;
    const words = JSON.parse(printed) as readonly string[];
    for (const word of words.filter((each) => each !== 'conformance'))
      expect(`svc-conformance ${part}`).toContain(word);
    expect(words).toEqual(expect.arrayContaining(['check', '--start', './start-service']));
  });

  test.each<[string, readonly FaultId[], number]>([
    ['lets a service pass that keeps the rules', [], 0],
    ['fails the whole, and no part, where a rule is broken', ['caching.etag.present'], 1],
  ])('judges in parts and puts them together: %s', async (_what, faults, expected) => {
    const server = createVariant({ control: true });
    const url = await server.listen();
    const workspace = await mkdtemp(join(place, 'project-'));
    await writeFile(join(workspace, 'conformance.yaml'), await (await fetch(`${url}/_control/profile.yaml`)).text());
    await server.close();
    const words = ['serve', '--control', '--port', new URL(url).port, ...faults.flatMap((fault) => ['--fault', fault])];
    await writeProgram(
      join(workspace, 'start-service'),
      `#!/bin/sh\nexec '${process.execPath}' '${program}' ${words.join(' ')} --control-token '${server.controlToken}'\n`,
    );
    await mkdir(join(workspace, 'shards'));
    const programs = { 'svc-conformance': `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n` };
    const runJob = (job: PipelineJob, env: Readonly<Record<string, string>> = {}): Promise<ScriptRun> =>
      runScript(job.script.join('\n'), { workspace, env, programs });
    const parts = ['1', '2'].map((part) => ({
      CONFORMANCE_AREAS: 'caching',
      CI_PIPELINE_IID: '17',
      CI_NODE_INDEX: part,
      CI_NODE_TOTAL: '2',
    }));
    const codes: (number | null)[] = [];
    for (const part of parts) codes.push((await runJob(pipeline.conformance, part)).exitCode);
    const failed = codes.filter((code) => code !== 0);
    expect(failed.length > 0).toBe(expected !== 0);
    for (const code of failed) expect(pipeline.conformance.allow_failure.exit_codes).toContain(code);
    const report = await runJob(pipeline['conformance-report']);
    expect(report.exitCode, report.printed).toBe(expected);
    const sarif = await readFile(join(workspace, 'conformance', 'report.sarif'), 'utf8');
    for (const fault of faults) expect(sarif).toContain(fault);
    expect(existsSync(join(workspace, 'conformance', 'junit.xml'))).toBe(true);
  });
});

describe.each(dockerfiles)('%s', (name) => {
  test('is read without a complaint', async () => {
    const content = await read(name);
    expect(validate(content).map(({ message }) => message)).toEqual([]);
    expect(validate(content.replace('WORKDIR', 'WORKFOLDER'))).not.toEqual([]);
  });

  test('begins every stage with the same small image, pinned', async () => {
    const froms = DockerfileParser.parse(await read(name)).getFROMs();
    expect(froms.map((from) => from.getImage())).toEqual([image, image, image]);
  });

  test('installs what the lock file says, for production where it ends up in the image', async () => {
    expect(await read(name)).not.toMatch(/npm (?:install|i)\b|^ADD /m);
    const stages = new Map((await readStages(name)).map((stage) => [stage.name, stage.instructions.join('\n')]));
    expect(stages.get('dependencies')).toContain('npm ci --no-audit --no-fund --ignore-scripts --omit=dev');
    expect(stages.get('last')).toContain('COPY --from=dependencies');
    expect(stages.get('last')).not.toContain('npm');
  });

  test('runs as a user without rights, started without a shell', async () => {
    const last = (await readStages(name)).at(-1)?.instructions ?? [];
    const keywords = last.map((instruction) => instruction.getKeyword());
    expect(last.filter((instruction) => instruction.getKeyword() === 'USER').map(String)).toEqual(['USER node']);
    expect(keywords.slice(keywords.indexOf('USER'))).not.toContain('RUN');
    expect(keywords).toEqual(expect.arrayContaining(['HEALTHCHECK', 'STOPSIGNAL', 'VOLUME', 'ENTRYPOINT']));
    const [entrypoint] = DockerfileParser.parse(last.join('\n')).getENTRYPOINTs();
    expect(entrypoint?.getOpeningBracket()).not.toBeNull();
  });
});

test('the probe of the reference server tells one that serves from one that does not', async () => {
  const [, json = ''] = /^HEALTHCHECK[^[]*(\[.*\])$/m.exec(await read('reference-server/Dockerfile')) ?? [];
  const server = createServer({});
  const url = await server.listen();
  const [, ...words] = (JSON.parse(json) as readonly string[]).map((word) =>
    word.replace('http://127.0.0.1:8080', url),
  );
  const probe = async (): Promise<number | null> => {
    const child = spawn(process.execPath, words, { stdio: 'ignore' });
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    return exitCode;
  };
  expect(await probe()).toBe(0);
  await server.close();
  expect(await probe()).toBe(1);
});
