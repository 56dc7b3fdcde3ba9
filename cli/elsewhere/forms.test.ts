import { readFile } from 'node:fs/promises';
import { NoOperationTraceWriter, parseWorkflow, type TemplateParseResult } from '@actions/workflow-parser';
import { parseAction } from '@actions/workflow-parser/actions/action-parser';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { stagesOf } from './images.fixture.ts';

/** The files that others read: their forms as published, and what we ask of them beyond that. */
const read = (name: string): Promise<string> => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');
const { version } = JSON.parse(await read('package.json')) as { readonly version: string };
const lock = JSON.parse(await read('package-lock.json')) as {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
};
const image = `node:${lock.packages['node_modules/node']?.version}-slim`;

const trace = new NoOperationTraceWriter();
const actionErrors = (content: string): readonly string[] =>
  errorsOf(parseAction({ name: 'action.yml', content }, trace));
const workflowErrors = (content: string): readonly string[] =>
  errorsOf(parseWorkflow({ name: 'workflow.yml', content }, trace));

function errorsOf({ context }: TemplateParseResult): readonly string[] {
  return context.errors.getErrors().map(({ message }) => message);
}

test('action.yml has the form of an action', async () => {
  const text = await read('action.yml');
  expect(actionErrors(text)).toEqual([]);
  expect(actionErrors(text.replace('using: composite', 'using: composit'))).not.toEqual([]);
});

test.each(['.github/workflows/ci.yml', 'docs/ci/github.yml'])('%s has the form of a workflow', async (name) => {
  const text = await read(name);
  expect(workflowErrors(text)).toEqual([]);
  expect(workflowErrors(text.replace('runs-on:', 'run-on:'))).not.toEqual([]);
});

test('the examples name this version, and the Node of the clone', async () => {
  expect(await read('docs/ci/github.yml')).toContain(`/svc-conformance@v${version}\n`);
  const gitlab = await read('docs/ci/gitlab-ci.yml');
  expect(gitlab).toContain(`value: svc-conformance@${version}\n`);
  expect(gitlab).toContain(`image: ${image}\n`);
});

describe.each(['Dockerfile', 'reference-server/Dockerfile'])('%s', (name) => {
  test('is read without a complaint', async () => {
    const text = await read(name);
    expect(validate(text).map(({ message }) => message)).toEqual([]);
    expect(validate(text.replace('WORKDIR', 'WORKFOLDER'))).not.toEqual([]);
  });

  test('begins every stage with the same small image, pinned', async () => {
    const froms = DockerfileParser.parse(await read(name)).getFROMs();
    expect(froms.map((from) => from.getImage())).toEqual([image, image, image]);
  });

  test('installs what the lock file says, for production where it ends up in the image', async () => {
    const text = await read(name);
    expect(text).not.toMatch(/npm (?:install|i)\b|^ADD /m);
    const stages = new Map(stagesOf(text).map((stage) => [stage.name, stage.instructions.join('\n')]));
    expect(stages.get('dependencies')).toContain('npm ci --no-audit --no-fund --ignore-scripts --omit=dev');
    expect(stages.get('last')).toContain('COPY --from=dependencies');
    expect(stages.get('last')).not.toContain('npm');
  });

  test('runs as a user without rights, started without a shell', async () => {
    const last = stagesOf(await read(name)).at(-1)?.instructions ?? [];
    const keywords = last.map((instruction) => instruction.getKeyword());
    expect(last.filter((instruction) => instruction.getKeyword() === 'USER').map(String)).toEqual(['USER node']);
    expect(keywords.slice(keywords.indexOf('USER'))).not.toContain('RUN');
    expect(keywords).toEqual(expect.arrayContaining(['HEALTHCHECK', 'STOPSIGNAL', 'VOLUME', 'ENTRYPOINT']));
    const [entrypoint] = DockerfileParser.parse(last.join('\n')).getENTRYPOINTs();
    expect(entrypoint?.getOpeningBracket()).not.toBeNull();
  });
});
