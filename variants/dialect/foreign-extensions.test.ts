import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Variant } from '../breaks.ts';
import type { Choice } from './choice.ts';
import { filingChoices } from './files.ts';
import { callingChoices } from './foreign-extensions.ts';
import { peculiarCalls, peculiarRegistrations } from './peculiar-outside.ts';
import { registeringChoices } from './registrations.ts';
import {
  administrationKey,
  filesIn,
  heardIn,
  type HostAnswer,
  putFiles,
  type Scene,
  signatureOver,
} from './scene.fixture.ts';

const key = administrationKey;
const main = '/api/space/main';

function record(id: string, extensionType: string, more: object = {}): object {
  return { id, version: '1.0.0', name: id, endpoint: `/t/${id}`, extensionType, category: 'tests', ...more };
}

const validates = { capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }] };

async function register(
  { ask, hosts, metadata, pass }: Scene,
  path: string,
  records: readonly object[],
): Promise<string> {
  metadata.set(path, { body: JSON.stringify(records) });
  const body = { hostUri: hosts + path, apiKey: key, tokenLifeTime: 60 };
  const { id } = await ask('cora', 'POST', '/api/admin/svcExtension', body);
  await pass(1);
  return String(id);
}

/** What is first called but the log gets that answer, all else the usual one. */
function firstly(answer: HostAnswer): Scene['answer'] {
  let isFirst = true;
  return ({ target }) => {
    if (target.includes('/t/log') || !isFirst) return {};
    isFirst = false;
    return answer;
  };
}

/** Every kind of call, answered in every way. */
async function callAll(scene: Scene): Promise<void> {
  const { ask, pass, hosts } = scene;
  const event = (recordId: string): Promise<Readonly<Record<string, unknown>>> =>
    ask('edda', 'POST', `${main}/externalEvent`, { recordId, contentPayload: {} });
  const limited = { rateLimitNumberOfExecutions: 1 };
  const first = await register(scene, '/b%20c', [
    record('event', 'ExternalEvent', { rateLimitNumberOfExecutions: 100 }),
    record('one', 'ExternalEvent', limited),
    record('other', 'ExternalEvent', limited),
    record('check', 'ExternalValidation', { ...validates, rateLimitNumberOfExecutions: 100 }),
    record('task', 'ExternalTask', { rateLimitNumberOfExecutions: 100 }),
    record('mail', 'Email'),
    record('act', 'ExternalAction', limited),
    record('log', 'EventLogging', { rateLimitNumberOfExecutions: 100 }),
    record('endless', 'ExternalEvent', { rateLimitNumberOfExecutions: 100, retryForever: true }),
  ]);
  // retries, and what ends them
  for (const answer of [
    { status: 503 },
    { status: 202 },
    { status: 503, headers: { 'Retry-After': '20' } },
    { status: 307, headers: { Location: './moved' } },
  ]) {
    scene.answer = firstly(answer);
    const { id } = await event('event');
    await pass(30);
    await ask('edda', 'GET', `${main}/externalEvent/${String(id)}`);
  }
  scene.answer = () => ({});
  const { id } = await event('event');
  await pass(0);
  await ask('edda', 'DELETE', `${main}/externalEvent/${String(id)}`);
  // limits
  for (const recordId of ['one', 'other', 'one']) {
    await event(recordId);
    await pass(10);
  }
  await event('one');
  await pass(300);
  // while it is switched off, and after a restart
  const registration = { hostUri: `${hosts}/b%20c`, apiKey: key, tokenLifeTime: 60 };
  for (const active of [false, true]) {
    await ask('cora', 'PUT', `/api/admin/svcExtension/${first}`, { ...registration, active });
    await pass(1);
    if (!active) await event('event');
  }
  await pass(1);
  scene.answer = () => ({ status: 503 });
  await event('event');
  await pass(0);
  scene.answer = () => ({});
  await scene.restart();
  await pass(100);
  // tasks
  const job = async (timeout: number): Promise<string> => {
    const made = await ask('edda', 'POST', `${main}/dx`, { recordId: 'task', inputPath: 'in/a.csv', timeout });
    return `${main}/dx/${String(made['id'])}`;
  };
  const reported = await job(100);
  await pass(60);
  await ask('emil', 'PUT', `${reported}/progress`, { message: 'of another' });
  await ask('edda', 'PUT', `${reported}/progress`, { message: 'half' });
  await pass(60);
  await ask('edda', 'GET', reported);
  await ask('edda', 'PUT', `${reported}/status/completed`);
  await ask('edda', 'PUT', `${reported}/status/Completed`);
  await ask('edda', 'PUT', `${reported}/status/Failed`);
  const ended = await job(100);
  await ask('edda', 'PUT', `${ended}/status/Completed`);
  await ask('edda', 'GET', ended);
  scene.answer = () => ({ status: 400 });
  const lost = await job(100);
  await pass(10);
  await ask('edda', 'GET', lost);
  scene.answer = () => ({});
  for (const timeout of [50, 40]) await job(timeout);
  await pass(100);
  // actions
  const asked: Promise<unknown>[] = [];
  for (const status of [200, 503]) {
    scene.answer = firstly({ status });
    asked.push(ask('edda', 'POST', `${main}/externalAction/act`, { kind: 'ribbon' }));
    await pass(10);
  }
  await pass(100);
  await Promise.all(asked);
  // for ever
  scene.answer = ({ target }) => (target.includes('/t/endless') ? { status: 503 } : {});
  await event('endless');
  for (let retry = 1; retry <= 9; retry += 1) await pass(2 ** retry);
  scene.answer = () => ({});
  await pass(300);
  // validations
  const objects = `${main}/softtype`;
  for (const body of [
    '{"isValid":true,"message":""}',
    'no JSON',
    '{"isValid":false,"message":"no"}',
    JSON.stringify({ isValid: true, message: 'x'.repeat(70_000) }),
  ]) {
    scene.answer = () => ({ body });
    await ask('edda', 'POST', `${objects}/Document/documentInput`, { title: 't' });
    const [, oid = ''] = /softtype\/(?:\w+\/)*([\w-]{36})/.exec(scene.lastLocation()) ?? [];
    await ask('edda', 'POST', `${main}/externalAction/act`, { kind: 'ribbon', objectId: 'none' });
    const promoted = ask('edda', 'PUT', `${main}/maturityAction/promote/${oid}/release/engineering`, undefined, {
      'svc-uoiversion': '1',
    });
    await pass(30);
    await promoted;
  }
  await register(scene, '/second', [record('mail', 'Email'), record('check', 'ExternalValidation', validates)]);
  scene.answer = ({ target }) => ({ body: JSON.stringify({ isValid: !target.startsWith('/second'), message: '' }) });
  await ask('edda', 'POST', `${objects}/Document/documentInput`, { title: 't' });
  const [, oid = ''] = /softtype\/(?:\w+\/)*([\w-]{36})/.exec(scene.lastLocation()) ?? [];
  await ask('edda', 'PUT', `${main}/maturityAction/promote/${oid}/release/engineering`, undefined, {
    'svc-uoiversion': '1',
  });
  const selected = ask('edda', 'POST', `${main}/externalAction/act`, { kind: 'ribbon', objectId: oid });
  await pass(100);
  await selected;
  await ask('edda', 'POST', `${main}/externalEmail`, { to: 'a@b.example', subject: ' s ', body: 'b' });
  await pass(1);
}

/** What is registered, rightly and wrongly, and keys. */
async function registerAll(scene: Scene): Promise<void> {
  const { ask, pass, hosts, metadata } = scene;
  const endpoint = {
    url: `${hosts}/hook`,
    id: 'hook',
    method: 'POST',
    category: 'tests',
    headers: [{ name: 'content-type', value: 'text/plain' }],
  };
  for (const more of [{}, { name: 'again' }, { id: 'further', further: 1 }])
    await ask('cora', 'POST', '/api/admin/externalEndpoint', { ...endpoint, ...more });
  await ask('cora', 'GET', '/api/admin/externalEndpoint/hook');
  const capability = (capabilityType: string): object => ({ capabilityType, capabilities: ['a'] });
  const permissions = { permissions: ['SnapshotAPI', 'AdministrationAPI'], tokenCallback: `${hosts}/keys` };
  const sets = {
    wrong: [record('right', 'ExternalEvent'), { id: 'wrong' }],
    twice: [record('twin', 'ExternalEvent'), record('twin', 'ExternalEvent', { endpoint: '/t/second' })],
    spelt: [record('spelt', 'externalevent')],
    capable: [record('capable', 'ExternalEvent', { capabilities: [capability('SoftType'), capability('Own')] })],
    keyed: [record('keyed', 'ExternalEvent', { permissions })],
  };
  const ids: Record<string, string> = {};
  for (const [name, records] of Object.entries(sets)) {
    ids[name] = await register(scene, `/${name}`, records);
    await ask('cora', 'GET', `/api/admin/svcExtension/${ids[name]}`);
  }
  const registration = { hostUri: `${hosts}/wrong`, apiKey: key, tokenLifeTime: 60 };
  await ask('cora', 'POST', '/api/admin/svcExtension', registration);
  await ask('cora', 'POST', '/api/admin/svcExtension', { ...registration, hostUri: `${hosts}/short`, apiKey: 'short' });
  await ask('cora', 'POST', '/api/admin/svcExtension', { ...registration, hostUri: `${hosts}/off`, active: false });
  await ask('cora', 'POST', '/api/admin/svcExtension', {
    ...registration,
    hostUri: `${hosts}/long`,
    tokenLifeTime: 1441,
  });
  metadata.set('/capable', { body: JSON.stringify([record('capable', 'Email')]) });
  await ask('cora', 'PUT', `/api/admin/svcExtension/${ids['capable']}`, {
    ...registration,
    hostUri: `${hosts}/capable`,
  });
  await pass(10);
  // what was called a moment ago is switched off
  const known = { ...registration, hostUri: `${hosts}/keyed` };
  const event = (): Promise<unknown> =>
    ask('edda', 'POST', `${main}/externalEvent`, { recordId: 'keyed', contentPayload: {} });
  await event();
  await pass(1);
  await ask('cora', 'PUT', `/api/admin/svcExtension/${ids['keyed']}`, { ...known, active: false });
  await event();
  await pass(1);
  await ask('cora', 'PUT', `/api/admin/svcExtension/${ids['keyed']}`, known);
  const shortKey = Buffer.alloc(32, 1).toString('base64');
  await ask('cora', 'POST', '/api/admin/svcExtension', {
    ...registration,
    hostUri: `${hosts}/brief`,
    apiKey: shortKey,
  });
  metadata.set('/down', { status: 500 });
  const down = ask('cora', 'POST', '/api/admin/svcExtension', { ...registration, hostUri: `${hosts}/down` });
  await pass(10);
  await down;
  const acquire = (id: string, names: readonly string[]): Promise<unknown> =>
    ask('cora', 'POST', `/api/collection/externalExtension/acquireAccessToken/${id}`, {
      tokenCallback: permissions.tokenCallback,
      permissions: names,
    });
  for (const [id, names] of [
    ['keyed', ['SnapshotAPI']],
    [ids['keyed'] ?? '', ['SnapshotAPI']],
    ['keyed', ['SnapshotAPI', 'LicenseCommunicationAPI']],
  ] as const) {
    await acquire(id, names);
    await pass(1);
  }
  await pass(13 * 60 * 60);
  await acquire('keyed', ['SnapshotAPI']);
  await pass(1);
}

/** What becomes of files, whole ones and chunks. */
async function fileAll(scene: Scene): Promise<void> {
  const { ask, source } = scene;
  const area = `${main}/fs`;
  const md5 = (content: string): string => createHash('md5').update(content).digest('hex');
  const upload = (name: string, checksum: string | null, who = 'edda'): Promise<unknown> =>
    ask(who, 'POST', `${area}/file/stream/${name}`, 'content', checksum === null ? {} : { checksum });
  const right = md5('content');
  await upload('d/A.txt', right);
  await upload('d/A.txt', right);
  await upload('capitals.txt', right.toUpperCase());
  await upload('wrong.txt', md5('other'));
  await upload('none.txt', null);
  await upload('a%3Ab.txt', right);
  await upload('read.txt', right, 'rita');
  await ask('edda', 'GET', `${area}/file/d/A.txt`);
  await ask('edda', 'GET', `${area}/file/d/a.txt`);
  await ask('edda', 'GET', `${area}/file/d/A.txt?token=none`);
  await ask('edda', 'GET', `${area}/file/d`);
  await ask('edda', 'GET', `${area}/dir/d`);
  await ask('edda', 'DELETE', `${area}/file/d`);
  const chunk = async (number: number, more: Readonly<Record<string, string>> = {}, checksum = true): Promise<void> => {
    const content = more['resumableTotalSize'] === '0' ? '' : 'abc';
    const form = new FormData();
    const parts = {
      resumableTotalSize: '6',
      resumableChunkNumber: String(number),
      resumableChunkSize: '3',
      resumableCurrentChunkSize: String(content.length),
      resumableTotalChunks: '2',
      resumableType: 'text/plain',
      resumableFilename: 'c.txt',
      resumableRelativePath: 'chunks/c.txt',
      ...more,
    };
    for (const [name, value] of Object.entries(parts)) form.append(name, value);
    form.append('file', new Blob([content]), 'c.txt');
    await ask('edda', 'POST', `${area}/file`, form, checksum ? { checksum: md5(content) } : {});
  };
  await chunk(2, { resumableRelativePath: 'chunks/back.txt' });
  await chunk(1, { resumableRelativePath: 'chunks/part.txt', resumableFilename: 'part.txt' });
  await ask('edda', 'GET', `${area}/file/chunks/part.txt`);
  await chunk(1, {}, false);
  await chunk(1);
  await chunk(2);
  await chunk(1);
  await chunk(1, { resumableFilename: 'other.txt', resumableRelativePath: 'chunks/named.txt' });
  await chunk(1, { resumableTotalSize: '0', resumableTotalChunks: '1', resumableRelativePath: 'chunks/empty.txt' });
  await ask('edda', 'GET', `${area}/dir/chunks`);
  await ask('edda', 'DELETE', `${area}/file/d/A.txt`);
  const bulk = (body: object): Promise<unknown> =>
    ask('', 'POST', '/admin/fileupload/main', body, {
      authorization: `Bearer ${signatureOver('/admin/fileupload/main')}`,
    });
  await putFiles(source, { 'bulk.txt': 'bulk' });
  await bulk({ sourceDirectory: source, writeLog: true });
  await scene.pass(1);
  scene.note(await filesIn(source));
  await bulk({ sourceDirectory: `${source}/nowhere`, writeLog: true });
  await bulk({ sourceDirectory: source });
}

const nothing: Variant = (classes) => classes;

describe.each<readonly [string, readonly Choice[], (scene: Scene) => Promise<void>]>([
  ['who calls and is called', [...callingChoices, ...peculiarCalls], callAll],
  ['who registers', [...registeringChoices, ...peculiarRegistrations], registerAll],
  ['who keeps files', filingChoices, fileAll],
])('%s can tell', (_who, choices, play) => {
  const plain = heardIn(nothing, play);

  test('nothing from nothing', async () => {
    expect(await heardIn(nothing, play)).toEqual(await plain);
  });

  test.for(choices)('$meets', async ({ by }) => {
    expect(await heardIn(by, play)).not.toEqual(await plain);
  });
});
