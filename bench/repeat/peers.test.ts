import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import addFormats from 'ajv-formats';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { startReference } from '../../api/deployment.ts';
import { recordedHere } from '../../cli/rejudge.fixture.ts';
import type { RuleId } from '../../contract/rule.ts';
import { peerProgram, systemProgram } from '../../fixtures/system-program.ts';
import { exchangesOn, type RecordedExchange, type RecordedRun } from '../../judge/cassette/exchanges.ts';
import { cassetteFormatOf } from '../../reports/cassette/formats.ts';
import { harFile } from '../../reports/repeat/har.ts';
import { httpFile } from '../../reports/repeat/http.ts';
import { hurlFile } from '../../reports/repeat/hurl.ts';
import type { Told } from '../../reports/repeat/told.ts';
import { run, runAsTold, valuesTold } from './peers.fixture.ts';
import { type Har, playHar } from './play-har.fixture.ts';
import { findingOf, startFaulty } from './prove.ts';
import { credential, sentBy, startTapeDeck } from './tape-deck.fixture.ts';

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
    const told = await findingOf(fault);
    if (told !== undefined && 'rule' in told) findings.set(fault, told);
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
      expect(await play(() => startFaulty(fault))).not.toContain(false);
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
        return await runAsTold(moved, path, folder, loaded);
      };
      const wrong = await runOn(() => startFaulty(fault));
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
    const variables = [...new Set(exchanges.flatMap(({ variable }) => variable ?? []))];
    const given = variables.map((variable) => `${variable}=${credential}`);
    const flags =
      name === 'hurl'
        ? ['--test', '--jobs', '1', ...given.flatMap((variable) => ['--secret', variable]), file]
        : ['send', '--all', '--output', 'none', file, '--var', ...given];
    const { code, said } = await run(path, flags, folder, {});
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
  return text.includes('; test $? = 4') ? 1 : 4;
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
function isTold({ request: { body, url }, response }: RecordedExchange, format: 'hurl' | 'http'): boolean {
  const isService = url.startsWith(recordedAt());
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
