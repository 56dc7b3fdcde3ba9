import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { startReference } from '../../api/deployment.ts';
import { startVariant } from '../../cli/kill-matrix/judge-variant.ts';
import { recordedHere } from '../../cli/rejudge.fixture.ts';
import type { RuleId } from '../../contract/rule.ts';
import { peerProgram, systemProgram } from '../../fixtures/system-program.ts';
import { exchangesOn, type RecordedExchange, type RecordedRun } from '../../judge/cassette/exchanges.ts';
import { cassetteFormatOf } from '../../reports/cassette/formats.ts';
import { harFile } from '../../reports/repeat/har.ts';
import { httpFile } from '../../reports/repeat/http.ts';
import { hurlFile } from '../../reports/repeat/hurl.ts';
import type { Told } from '../../reports/repeat/told.ts';
import { runAsTold, secretsIn } from './forms.ts';
import { findingOf } from './prove.ts';
import { execFile } from 'node:child_process';
import type { LoadedProfile } from '../../judge/profile/load.ts';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../fixtures/listening.fixture.ts';

/** What stands for a credential in the files that are made of a cassette. */
const credential = 'a-credential';

const hopByHop = /^(?:connection|keep-alive|transfer-encoding|content-length)$/i;

const id = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What is written for the tools of others, tried by these tools: nobody here reads such a file as we mean it. */
const hurl = peerProgram('hurl');
const httpyac = systemProgram('httpyac');
const hasCurl = existsSync('/usr/bin/curl');

/** A status, a header, members, a body without any, paging, a batch and several creates. */
const sample: readonly RuleId[] = [
  'batch.failure.status-500',
  'batch.rollback.creates-undone',
  'maturity.promote.moves-state',
  'multi-create.reference.forward',
  'paging.link.pages-count',
  'patch.add.appends-with-marker',
  'reading.create.content-reads-back',
  'versioning.mismatch.lower-409',
];

const header = { startedAt: '2026-11-21T00:00:00.000Z', suiteVersion: '0' };
const folder = makeFolder();
const findings = new Map<RuleId, Told>();
let recorded: RecordedRun;

beforeAll(async () => {
  for (const fault of sample) {
    const told = await findingOf({ fault, rule: fault });
    if (typeof told === 'object' && 'rule' in told) findings.set(fault, told);
  }
  const { about, tape } = await recordedHere([
    'batch.success.*',
    'paging.link.*',
    'files.download.*',
    'reading.create.*',
  ]);
  recorded = { about, exchanges: exchangesOn(tape) };
});

test('every one of the sample has a script', () => {
  expect([...findings.keys()]).toEqual(sample);
});

describe('a HAR', () => {
  const isHar = harSchema();

  test('of a finding, or of a cassette, is one by the schema of its format', () => {
    const files = [...findings.values()].map((told) => harFile(told, header));
    for (const text of [...files, written('har')]) {
      isHar(JSON.parse(text));
      expect(isHar.errors).toBeNull();
    }
  });

  test.runIf(hasCurl).each(sample)(
    'sent again is answered as it was, and otherwise by the right server: %s',
    async (fault) => {
      const told = findings.get(fault);
      if (told === undefined) throw new Error('Expected a finding.');
      const har = JSON.parse(harFile(told, header)) as Har;
      const play = async (start: typeof startReference): Promise<readonly boolean[]> => {
        await using deployment = await start();
        const [from, to] = [told.repetition.baseUrl, deployment.loaded.profile.baseUrl.replace(/\/+$/, '')];
        const values = await valuesTold((hurlFile(told) ?? '').replaceAll(from, to), deployment.loaded);
        return await playHar(har, { from, to, values });
      };
      expect(await play(() => startVariant(fault))).not.toContain(false);
      expect(await play(startReference)).toContain(false);
    },
  );
});

describe.each([
  ['hurl', hurl, hurlFile],
  ['httpyac', httpyac, httpFile],
] as const)('%s', (name, { path = '', note }, write) => {
  test.runIf(path !== '' && hasCurl).each(sample)(
    `fails by the file of a finding as long as there is one: %s${note}`,
    async (fault) => {
      const told = findings.get(fault);
      const text = told && write(told);
      if (told === undefined || text === undefined) throw new Error('Expected a file.');
      const runOn = async (start: typeof startReference) => {
        await using deployment = await start();
        const { loaded } = deployment;
        const moved = text.replaceAll(told.repetition.baseUrl, loaded.profile.baseUrl.replace(/\/+$/, ''));
        return await runAsTold({ file: join(folder, `told.${name}`), text: moved }, name, loaded);
      };
      const wrong = await runOn(() => startVariant(fault));
      expect([wrong.code, wrong.said]).toEqual([failsWith(text), expect.anything()]);
      const right = await runOn(startReference);
      expect([right.code, right.said]).toEqual([0, expect.anything()]);
    },
  );

  test.runIf(path !== '')(`sends by the file of a cassette what was recorded${note}`, async () => {
    const format = name === 'hurl' ? 'hurl' : 'http';
    const exchanges = recorded.exchanges.filter((exchange) => isTold(exchange, format));
    expect(exchanges.length).toBeGreaterThan(50);
    await using deck = await startTapeDeck(exchanges);
    const moved = exchanges.map((exchange) => movedTo(exchange, deck.url));
    const file = join(folder, `tape.${format}`);
    writeFileSync(file, written(format, { ...recorded, exchanges: moved }));
    const [, command = ''] = /^# ((?:hurl|httpyac) .*)$/m.exec(readFileSync(file, 'utf8')) ?? [];
    const tokens = Object.fromEntries(exchanges.flatMap(({ variable }) => (variable ? [[variable, credential]] : [])));
    const { code, said } = await run('/bin/sh', ['-c', command.replace(/\bFILE\b/, `'${file}'`)], folder, {
      ...tokens,
      PATH: [dirname(path), '/usr/bin', '/bin'].join(delimiter),
    });
    expect([code, said]).toEqual([0, expect.anything()]);
    const sent = exchanges.map(sentBy);
    // two braces begin a placeholder there, which JSON can say otherwise
    const braced = sent.map((one) => ({ ...one, body: one.body.replaceAll('{{', String.raw`\u007b\u007b`) }));
    expect(deck.arrived).toEqual(name === 'hurl' ? sent : braced);
  });
});

/** Of Hurl 4, of httpYac 20; 1 where the command turns it round. */
function failsWith(text: string): number {
  if (text.includes('httpyac')) return 20;
  return text.includes('; case $? in') ? 1 : 4;
}

function harSchema() {
  const schemas = join(dirname(fileURLToPath(import.meta.resolve('har-schema'))));
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  ajv.addMetaSchema(draft06);
  for (const name of readdirSync(schemas).filter((file) => file.endsWith('.json')))
    ajv.addSchema(JSON.parse(readFileSync(join(schemas, name), 'utf8')) as object, name);
  const validate = ajv.getSchema('har.json');
  if (validate === undefined) throw new Error('Expected the schema of archives.');
  return validate;
}

function written(format: string, run = recorded): string {
  return cassetteFormatOf(format)?.(run) ?? '';
}

/** What the service answered; `.http` has no place for bytes and for what is about the ends of lines. */
function isTold({ part, request: { body, url }, response }: RecordedExchange, format: 'hurl' | 'http'): boolean {
  const isGrant = part === 'run' && Buffer.from(body ?? []).includes('grant_type=password');
  const isService = url.startsWith(recordedAt()) && !isGrant;
  const isText = body === undefined || (isUtf8(body) && !/[\0-\t\r]|\s$/.test(Buffer.from(body).toString()));
  return isService && response !== undefined && (format === 'hurl' || isText);
}

function recordedAt(): string {
  return new URL(recorded.exchanges[0]?.request.url ?? '').origin;
}

function movedTo(exchange: RecordedExchange, origin: string): RecordedExchange {
  const { request } = exchange;
  return { ...exchange, request: { ...request, url: origin + request.url.slice(recordedAt().length) } };
}

/** What a program ended with, and said. */
interface Ended {
  readonly code: number;
  readonly said: string;
}

/** What each of the variables of a script is, by the lines on top of it. */
async function valuesTold(text: string, loaded: LoadedProfile): Promise<ReadonlyMap<string, string>> {
  const secrets = secretsIn(loaded);
  const lines = text.split('\n').flatMap((line) => /^# (\w+=.*)$/.exec(line)?.slice(1) ?? []);
  const names = lines.map((line) => line.slice(0, line.indexOf('=')));
  const script = ['set -eu', ...lines, ...names.map((name) => `printf '%s\\n' "$${name}"`)].join('\n');
  const { said } = await run('/bin/sh', ['-c', script], '.', { ...secrets, PATH: '/usr/bin:/bin' });
  const values = said.split('\n');
  return new Map([...Object.entries(secrets), ...names.map((name, index) => [name, values[index] ?? ''] as const)]);
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  return new Promise((resolve) => {
    const limits = { timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
    execFile(
      program,
      args,
      { cwd, env: { PATH: process.env['PATH'] ?? '', ...env }, ...limits },
      (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : Number(error !== null) * 99;
        resolve({ code, said: `${stdout}${stderr}` });
      },
    );
  });
}

/** An archive as its format says, as far as it takes to send its requests again. */
interface Har {
  readonly log: {
    readonly entries: readonly {
      readonly request: {
        readonly method: string;
        readonly url: string;
        readonly headers: readonly { readonly name: string; readonly value: string }[];
        readonly postData?: { readonly text: string };
      };
      readonly response: { readonly status: number; readonly content: { readonly text?: string } } & {
        readonly headers: readonly { readonly name: string; readonly value: string }[];
      };
    }[];
  };
}

interface Replay {
  /** What stands for the service in the archive, and where it is now. */
  readonly from: string;
  readonly to: string;
  /** What `$NAME` stands for. */
  readonly values: ReadonlyMap<string, string>;
}

/** Sends what an archive holds, with the ids that the service gives now; true for each answer that is as it was recorded. */
async function playHar({ log }: Har, { from, to, values }: Replay): Promise<readonly boolean[]> {
  const ids = new Map<string, string>();
  const now = (text: string): string => text.replaceAll(id, (old) => ids.get(old) ?? old).replaceAll(from, to);
  const same: boolean[] = [];
  for (const { request, response } of log.entries) {
    const headers = request.headers.map(({ name, value }): [string, string] => [
      name,
      now(value).replaceAll(/\$(\w+)/g, (whole, variable: string) => values.get(variable) ?? whole),
    ]);
    const body = request.postData && { body: now(request.postData.text) };
    const answer = await fetch(now(request.url), { method: request.method, headers, ...body, redirect: 'manual' });
    const text = await answer.text();
    const place = response.headers.find(({ name }) => name.toLowerCase() === 'location')?.value ?? '';
    const recorded = response.content.text ?? '';
    const seen = `${answer.headers.get('location') ?? ''}${text}`.match(id) ?? [];
    for (const [index, old] of (`${place}${recorded}`.match(id) ?? []).entries()) ids.set(old, seen[index] ?? old);
    const names = new Set(answer.headers.keys());
    const hasAll = response.headers.every(({ name }) => names.delete(name.toLowerCase())) && names.size === 0;
    same.push(answer.status === response.status && hasAll && text === now(recorded));
  }
  return same;
}

/** A request as it arrived, with the headers that were recorded. */
interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A service that answers one request after the other as it was recorded, and notes what was sent. */
async function startTapeDeck(recorded: readonly RecordedExchange[]) {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, answer) => {
    const { request: asked, response } = recorded[arrived.length] ?? {};
    const names = asked?.headers.map(([name]) => name.toLowerCase()) ?? [];
    const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]));
    const body = (await buffer(request)).toString('latin1');
    arrived.push({ method: request.method ?? '', url: request.url ?? '', headers, body });
    answer.sendDate = false;
    const kept = response?.headers.filter(([name]) => !hopByHop.test(name)) ?? [];
    answer.writeHead(response?.status ?? 599, kept.flat());
    answer.end(response?.body);
  });
  return { ...(await listen(server)), arrived };
}

/** The same as it has to arrive. */
function sentBy({ request, variable }: RecordedExchange): Arrived {
  const { method, url, headers, body = new Uint8Array() } = request;
  const { pathname, search } = new URL(url);
  const sent = headers.map(([name, value]): [string, string] => {
    const isKnown = variable !== undefined && name.toLowerCase() === 'authorization';
    return [name.toLowerCase(), isKnown ? value.replace(/\S+$/, credential) : value];
  });
  const text = Buffer.from(body).toString('latin1');
  return { method, url: pathname + search, headers: Object.fromEntries(sent), body: text };
}
