import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startReference } from '../../api/deployment.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { listen } from '../../fixtures/listening.fixture.ts';
import { peerProgram, systemProgram } from '../../fixtures/system-program.ts';
import type { Capture, Check, ScriptStep } from '../../judge/repeat/repetition.ts';
import type { Told } from '../../reports/repeat/told.ts';
import { forms } from './forms.ts';

/** Findings that a right service must not be accused of, in each form: what a client of its own says of an answer is its own affair. */

const folder = makeFolder();
const programs = { sh: { path: existsSync('/usr/bin/curl') ? 'curl' : undefined, note: '' } };
const all = { ...programs, hurl: peerProgram('hurl'), http: systemProgram('httpyac') };

type Answer = readonly [status: number, body?: string];

interface Situation {
  readonly what: string;
  readonly steps: readonly (Partial<ScriptStep> & { readonly path: string })[];
  readonly check: Check;
  /** By path. */
  readonly wrong: Readonly<Record<string, Answer>>;
  readonly right: Readonly<Record<string, Answer>>;
}

const link: Capture = { variable: 'LINK1', pointer: '/href' };

const situations: readonly Situation[] = [
  {
    what: 'a link that should be a template and is one',
    steps: [{ path: '/api/first', captures: [link] }, { path: '' }],
    check: { kind: 'status', expected: [200], found: 404 },
    wrong: { '/api/first': [200, '{"href":"/api/page"}'] },
    right: { '/api/first': [200, '{"href":"/api/pages/{page}"}'] },
  },
  {
    what: 'a link that is not told',
    steps: [{ path: '/api/first', captures: [link] }, { path: '' }],
    check: { kind: 'lines', status: 404, lines: [[{ text: ' = {' }]], count: 1, ofBody: true },
    wrong: { '/api/first': [200, '{"href":"/api/page"}'], '/api/page': [404, '{}'], '': [404, '{}'] },
    right: { '/api/first': [200, '{}'] },
  },
  {
    what: 'a status of before that is another one',
    steps: [{ path: '/api/first', status: 200 }, { path: '/api/last' }],
    check: { kind: 'status', expected: [404], found: 200 },
    wrong: { '/api/first': [200, '{}'], '/api/last': [200, '{}'] },
    right: { '/api/first': [409, '{}'], '/api/last': [404, '{}'] },
  },
  {
    what: 'an answer before it by which the last one is right',
    steps: [
      { path: '/api/first', status: 200, found: { kind: 'lines', status: 200, lines: [] } },
      { path: '/api/last' },
    ],
    check: { kind: 'status', expected: [200], found: 404 },
    wrong: { '/api/first': [200, '{}'] },
    right: { '/api/first': [403, '{}'] },
  },
  {
    what: 'a body that is not empty',
    steps: [{ path: '/api/last' }],
    check: { kind: 'lines', status: 200, lines: [[{ text: ' = {' }]], count: 1, ofBody: true },
    wrong: { '/api/last': [200, '{}'] },
    right: { '/api/last': [200, '{"one":1}'] },
  },
  {
    what: 'a member that is not told',
    steps: [{ path: '/api/last' }],
    check: { kind: 'lines', status: 200, lines: [[{ text: '/one = 1' }]] },
    wrong: { '/api/last': [200, '{"one":1,"two":2}'] },
    right: { '/api/last': [200, '{"two":2}'] },
  },
  {
    what: 'a value that is as right as a text',
    steps: [{ path: '/api/last' }],
    check: {
      kind: 'lines',
      status: 200,
      lines: [[{ text: '/one = 1' }]],
      expected: [{ text: '/one = 2' }],
      alsoRight: [{ text: '/one = "2"' }],
    },
    wrong: { '/api/last': [200, '{"one":1}'] },
    right: { '/api/last': [200, '{"one":"2"}'] },
  },
  {
    what: 'an answer of another kind, which lacks what is right',
    steps: [{ path: '/api/last' }],
    check: { kind: 'lines', status: 200, lines: [[{ text: '/one = 1' }]], expected: [{ text: '/one = 2' }] },
    wrong: { '/api/last': [200, '{"one":1}'] },
    right: { '/api/last': [404, '{}'] },
  },
];

describe.each(Object.values(forms))('$name', (form) => {
  const { path, note } = all[form.name];
  test.runIf(path !== undefined).each(situations)(
    `shows a violation, and not at the right service: $what${note}`,
    async (situation) => {
      expect([await ended(situation, situation.wrong), await ended(situation, situation.right)]).toEqual([
        1,
        expect.toBeOneOf([0, 2]),
      ]);
    },
  );

  async function ended({ steps, check, what, wrong }: Situation, answers: Situation['right']): Promise<number> {
    const told = toldOf(steps, check, wrong);
    const text = form.write(told);
    if (text === undefined) throw new Error('Expected a script.');
    const file = join(folder, `${what}.${form.name}`);
    writeFileSync(file, text);
    const server = createServer(({ url = '' }, response) => {
      const [status, body = ''] = answers[url] ?? [404];
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    await using service = await listen(server);
    await using deployment = await startReference();
    const written = { file, text, baseUrl: told.repetition.baseUrl };
    return (await form.run(written, deployment.loaded, { BASE_URL: service.url })).code;
  }
});

function toldOf(steps: Situation['steps'], check: Check, answers: Situation['wrong']): Told {
  const made = steps.map(({ path, ...step }): ScriptStep => {
    const [status, body = ''] = answers[path] ?? [404];
    const url = `http://service.invalid${path}`;
    return {
      method: 'GET',
      url: [{ variable: 'BASE_URL' }, path === '' ? { variable: 'LINK1' } : { text: path }],
      headers: [],
      status,
      captures: [],
      exchange: {
        request: { method: 'GET', url, headers: [] },
        sentAt: 0,
        durationMs: 0,
        response: { status, headers: [['content-type', 'application/json']], body },
      },
      ...step,
    };
  });
  const repetition = { steps: made, check, baseUrl: 'http://service.invalid', recorded: made.length, shown: true };
  return { rule: 'a.rule', statement: 'A sentence.', expected: 'this', actual: 'that', variables: {}, repetition };
}

const signed = (path: string) => ({
  path,
  signature: `SIGNATURE=$(printf %s ${path})`,
  headers: [['Authorization', [{ variable: 'SIGNATURE' }]]] as const,
});

test.each(['hurl', 'http'] as const)(
  'a signature is made before a file for %s runs, where there is one alone',
  (name) => {
    const check: Check = { kind: 'status', expected: [200], found: 404 };
    const [one, two] = [[signed('/api/first')], [signed('/api/first'), signed('/api/last')]].map((steps) =>
      forms[name].write(toldOf(steps, check, {})),
    );
    expect([one, two]).toEqual([expect.stringContaining('\n# SIGNATURE=$(printf %s /api/first)\n'), undefined]);
  },
);
