import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { readdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { curlScript } from './curl.ts';
import type { Told } from './told.ts';

/** As some services write JSON: with more escapes than there have to be. */
const escaped = String.raw`{"sch\u00fcssel": "\u00e4 \u20AC \ud83d\uDe00 \u003ca\u0026b\u003E http:\/\/x \\u0041 \u0022\u005c \u0001 \ud800"}`;

const server = createServer((request, response) =>
  request.url === '/api/escaped'
    ? response.end(escaped)
    : response.writeHead(request.url === '/api/unchanged' ? 304 : 401).end(),
).listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => void server.close());
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** A finding that a single request shows, which any request without a token would seem to show. */
const refused = (granted: string): Told => ({
  rule: 'reading.instance.short-route-served',
  statement: 'It is served.',
  expected: 'status 200',
  actual: 'status 401',
  variables: { EDITOR_TOKEN: `EDITOR_TOKEN=$(printf '%s' '${granted}')` },
  repetition: {
    steps: [
      {
        method: 'GET',
        url: [{ variable: 'BASE_URL' }, { text: '/api/x' }],
        headers: [['Authorization', [{ text: 'Bearer ' }, { variable: 'EDITOR_TOKEN' }]]],
        status: 401,
        captures: [],
        exchange: undefined as never,
      },
    ],
    check: { kind: 'status', expected: [200], found: 401 },
    baseUrl,
    recorded: 1,
    shown: true,
  },
});

test.each([
  ['a token', 'eyJh.bGci.x-_~+/=', 1, 'the violation'],
  ['another kind of token', '1|aB:c', 1, 'the violation'],
  ['an error', '{"error":"invalid_grant"}', 2, 'no EDITOR_TOKEN was granted'],
  ['a page', '<html>', 2, 'no EDITOR_TOKEN was granted'],
  ['nothing', '', 2, 'no EDITOR_TOKEN was granted'],
])('with %s in the place of a token', async (_what, granted, code, words) => {
  // whoever runs the tests may have exported a BASE_URL of its own
  const env = { PATH: process.env['PATH'] };
  const child = execFile('sh', ['-c', curlScript(refused(granted))], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (said += String(piece)));
  await once(child, 'close');
  expect({ code: child.exitCode, said }).toEqual({ code, said: expect.stringContaining(words) });
});

test('what has to be exported is told at once', async () => {
  const told = refused('x');
  const asked = { ONE_PASSWORD: '# identities.one', OTHER_SECRET: '# identities.other' };
  const script = curlScript({
    ...told,
    variables: { EDITOR_TOKEN: 'EDITOR_TOKEN=$(printf %s "$ONE_PASSWORD$OTHER_SECRET")', ...asked },
  });
  const child = execFile('sh', ['-c', script], { env: { PATH: process.env['PATH'] } });
  let said = '';
  child.stderr?.on('data', (piece) => (said += String(piece)));
  await once(child, 'close');
  expect([child.exitCode, said]).toEqual([
    2,
    'export first: ONE_PASSWORD (identities.one) OTHER_SECRET (identities.other)\n',
  ]);
});

test('a value is found however many of its characters are escaped', async () => {
  const told = refused('x');
  const [step] = told.repetition.steps;
  const text = String.raw`ä € 😀 <a&b> http://x \\u0041 \u0022\u005c \u0001 \ud800`;
  const script = curlScript({
    ...told,
    repetition: {
      ...told.repetition,
      steps: step === undefined ? [] : [{ ...step, url: [{ variable: 'BASE_URL' }, { text: '/api/escaped' }] }],
      check: { kind: 'lines', status: 200, lines: [[{ text: `/schüssel = "${text}"` }]], count: 2 },
    },
  });
  const child = execFile('sh', ['-c', script], { env: { PATH: process.env['PATH'] } });
  await once(child, 'close');
  expect(child.exitCode).toBe(1);
});

test('an answer without a body is none with that of the one before it', async () => {
  const told = refused('x');
  const steps = ['/api/escaped', '/api/unchanged'].flatMap((path) =>
    told.repetition.steps.map((step) => ({ ...step, url: [{ variable: 'BASE_URL' }, { text: path }] })),
  );
  const check = {
    kind: 'lines',
    status: 304,
    lines: [[{ text: 'cksum: 4294967295 0' }]],
    count: 1,
    ofBody: true,
  } as const;
  const script = curlScript({ ...told, repetition: { ...told.repetition, steps, check } });
  const child = execFile('sh', ['-c', script], { env: { PATH: process.env['PATH'] } });
  await once(child, 'close');
  expect(child.exitCode).toBe(1);
});

test('files are made, listed, read and removed below a directory, and what is found there is waited for', async () => {
  const folder = makeFolder();
  const place = (name: string) => [
    { variable: 'MOUNTED_AT' },
    { text: `/it's [a] %41-` },
    { variable: 'MARK' },
    { text: name },
  ];
  const step = (file: 'make' | 'write' | 'remove' | 'read' | 'list', name: string, text?: string) => ({
    method: 'GET',
    url: place(name),
    headers: [],
    status: 200,
    captures: [],
    exchange: undefined as never,
    file,
    ...(text !== undefined && { body: [{ parts: [{ text }] }] }),
  });
  const told = refused('x');
  const script = curlScript({
    ...told,
    variables: { HOST_DIRECTORY: folder, MOUNTED_AT: 'MOUNTED_AT=$HOST_DIRECTORY' },
    repetition: {
      ...told.repetition,
      steps: [
        step('make', '/'),
        step('write', '/b/two', 'two\n'),
        step('write', '/a', ''),
        step('write', '/c', '1'),
        step('remove', '/c'),
        step('list', '/'),
      ],
      afterwards: [step('remove', '/')],
      check: { kind: 'lines', status: 200, lines: [[{ text: '/0 = "a"' }], [{ text: '/1 = "b/two"' }]], count: 3 },
      patienceSeconds: 1,
    },
  });
  const env = { PATH: process.env['PATH'] };
  const child = execFile('sh', ['-c', script], { env });
  await once(child, 'close');
  expect([child.exitCode, await readdir(folder)]).toEqual([1, []]);
});
