import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { loadConfiguration } from '../../reference-server/load-configuration.ts';
import { type Variant, together, replaces } from '../breaks.ts';
import { conversation, type More, type Said } from './conversation.fixture.ts';
import { foreignCoreChoices } from './foreign-core.ts';
import { correlationOfOperations } from './foreign-core-batches.ts';
import { oneSession } from './foreign-core-refusals.ts';

const root = '/api/space/main/softtype';
const inputs = `${root}/Document/documentInput`;
const pages = `${root}/page/Document/documentFull`;
const one = `${inputs}/oid-1`;
const lock = '/api/space/main/lock/oid-1';
const current = { 'Svc-UOIVersion': '{version}' };
const asOperations = { 'Content-Type': 'application/json-patch+json' };
const administrator = { Authorization: 'Bearer svcpat-cora-6f8b0d2e4a' };
const outsider = { Authorization: 'Bearer svcpat-nora-8e2a4b6c0d' };

const read = (query = '', headers: More['headers'] = {}): Said => ['GET', `${root}/oid-1${query}`, { headers }];
const merge = (body: unknown, headers: More['headers'] = {}): Said => [
  'PATCH',
  one,
  { headers: { ...current, ...headers }, body },
];
const list = (...body: readonly object[]): Said => [
  'PATCH',
  `${root}/Document/oid-1`,
  { headers: { ...current, ...asOperations }, body },
];
const batch = (...body: readonly unknown[]): Said => ['POST', '/api/space/main/batch', { body }];
const operation = (method: string, href: string, more: object = {}): object => ({ method, href, ...more });
const edit = (note: string, headers: object = current): object => operation('PATCH', one, { headers, body: { note } });
const items = (...body: readonly unknown[]): Said => ['POST', '/space/main/softtype', { body }];
const action = (name: string, level = 'engineering'): Said => [
  'PUT',
  `/api/space/main/maturityAction/${name}/oid-1/release/${level}`,
  { headers: current },
];
const filterOf = (value: object): More['headers'] => ({
  'Svc-InformationFilter': Buffer.from(JSON.stringify(value)).toString('base64'),
});
const grant = (password: string, scope?: string): Said => {
  const Authorization = `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`;
  const fields = { grant_type: 'password', username: 'edda', password, ...(scope !== undefined && { scope }) };
  const headers = { Authorization, 'Content-Type': 'application/x-www-form-urlencoded' };
  return ['POST', '/auth/token', { headers, body: new URLSearchParams(fields).toString() }];
};

/** Ended a minute before the conversations take place. */
function endedToken(): string {
  const segment = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${segment({ alg: 'HS512', typ: 'JWT' })}.${segment({ sub: 'edda', exp: Date.UTC(2030, 0, 1) / 1000 - 60 })}`;
  return `${text}.${createHmac('sha512', loadConfiguration().auth.signingKey).update(text).digest('base64url')}`;
}

/** Meets every choice at least once. Ids begin at oid-1; a Document has two states, which take the next two. */
const script: readonly Said[] = [
  [
    'POST',
    inputs,
    {
      body: {
        title: 'a',
        keywords: Array.from({ length: 12 }, (_item, index) => `keyword ${index}`),
        files: Array.from({ length: 12 }, (_item, index) => ({ name: `file ${index}`, category: 'drawing' })),
        contacts: [{ name: 'c' }],
      },
    },
  ],
  read(),
  read('?softTypeFilterId=drawings'),
  read('?softTypeFilterId=nobody'),
  read('?other=nobody'),
  read('?softTypeFilterId=byCategory'),
  ['GET', `${pages}/files/oid-1/0`],
  ['GET', `${pages}/files/oid-1/7`],
  ['GET', `${pages}/files/oid-1/x`],
  ['GET', `${pages}/keywords/oid-1/1`],
  ['GET', '/api/space/main/SoftType/oid-1'],
  ['HEAD', `${root}/oid-1`],
  ['GET', `${root}/oid-99`, { headers: outsider }],
  read('', filterOf({ role: 'nobody' })),
  read('', { 'Svc-InformationFilter': null }),
  read('', { 'Svc-InformationFilter': '!' }),
  read('', { Authorization: `Bearer ${endedToken()}` }),
  ['GET', '/api/space/nowhere/softtype/oid-1'],
  ['GET', '/api/collection/user/profile'],
  ['GET', '/api/collection/template', { headers: administrator }],
  ['GET', '/space/main/SoftType/dynamic/softtype.openApi', { headers: { Authorization: null } }],
  ['GET', '/space/main/SoftType/dynamic/softtype.openApi'],
  merge({ note: 'n', unknown: 'u' }),
  merge({ remark: '' }),
  merge({ note: null }),
  read(),
  merge({ note: 'n' }, { 'Content-Type': 'application/json; charset=utf-8' }),
  merge({ note: 'n' }, { 'Svc-UOIVersion': 'one' }),
  merge({ note: 7 }, { 'Svc-UOIVersion': '99' }),
  merge({ note: 'n' }, { 'Svc-UOIVersion': '99' }),
  merge({ title: 7 }),
  merge('{'),
  merge({ contacts: [{ name: 'd' }] }),
  read(),
  list({ op: 'remove', path: '/note' }, { op: 'add', path: '/note', value: 'm' }),
  list({ op: 'add', path: '/pageCount', value: null }),
  list({ op: 'add', path: '/dimensions/width', value: '1' }),
  list({ op: 'replace', path: '/title', value: 'b' }),
  list({ op: 'replace', path: '/titl%65', value: 'c' }),
  list({ op: 'replace', path: '/nothing', value: 'c' }),
  list({ op: 'remove', path: '/title' }),
  ['PUT', one, { headers: current, body: { note: 'alone' } }],
  ['PUT', one, { headers: current, body: { title: 'whole' } }],
  read(),
  action('promote', 'nothing'),
  action('promote'),
  action('promote'),
  action('promote'),
  action('demote'),
  read(),
  ['POST', lock],
  ['POST', lock],
  merge({ note: 'locked' }),
  ['DELETE', lock],
  batch(edit('one'), operation('GET', `${root}/oid-1`)),
  read(),
  batch(edit('two'), edit('three', { 'Svc-UOIVersion': '99' }), edit('four')),
  batch(
    operation('PATCH', `${root}/Document/oid-1`, {
      headers: current,
      body: [{ op: 'replace', path: '/title', value: 'd' }],
    }),
  ),
  batch(operation('GET', `${root}/oid-1`, { headers: { Authorization: 'Bearer other' } })),
  batch(operation('GET', `${pages}/files/oid-1/0`)),
  batch(operation('GET', '/api/collection/template')),
  ['POST', '/api/space/main/batch', { body: {} }],
  items({ $softType: 'Part', data: { name: 'p' } }),
  items(
    { $id: 'a', $softType: 'Part', data: { name: 'p' } },
    { $id: 'b', $softType: 'Document', data: { title: 't', describes: [{ id: 'r', value: { instanceRef: 'a' } }] } },
    { $id: 'c', $softType: 'Part', data: { name: 'q', describedBy: [{ id: 'r', value: { instanceRef: 'oid-1' } }] } },
  ),
  items({ $id: 'a', $softType: 'Nothing', data: {} }),
  items({ $id: 'a', $softType: 'Part', data: { name: 'p' } }, { $id: 'a', $softType: 'Part', data: { name: 'q' } }),
  ['POST', `${root}/Part/partInput`, { body: { name: 'p', describedBy: [{ id: 'r', value: { $oid: 'oid-1' } }] } }],
  ...Array.from({ length: 12 }, (_item, index): Said => ['GET', `${root}/oid-${index + 4}`]),
  read(),
  ['PUT', `${inputs}/chosen`, { headers: { 'Svc-UOIVersion': '1' }, body: { title: 'put' } }],
  ['POST', inputs, { body: { $oid: 'own', title: 'created' } }],
  ['DELETE', `${root}/oid-1`, { headers: { 'Svc-UOIVersion': '99' } }],
  ['DELETE', `${root}/oid-1`],
  ['DELETE', `${root}/oid-1`],
  grant('edda-password'),
  ['POST', `${root}/Part/partInput`, { body: { name: 'p', describedBy: [{ value: { $oid: 'none' } }] } }],
  ['PATCH', `${inputs}/oid-99`, { headers: { ...outsider, 'Svc-InformationFilter': null }, body: {} }],
  grant('edda-password', 'All'),
  grant('wrong', 'All'),
];

/** The same about objects whose ids are URNs. */
function named([method, path, more]: Said): Said {
  const body: unknown = more?.body && JSON.parse(JSON.stringify(more.body).replaceAll(/oid-\d+/g, urnOf));
  return [method, path.replace(/oid-\d+/, urnOf), { ...more, body }];
}

function urnOf(oid: string): string {
  return encodeURIComponent(`urn:svc:${oid}~ä+`);
}

const nothing: Variant = (classes) => classes;

describe('a client can tell', () => {
  const plain = conversation(nothing, script);
  /** What only an extension is told, and what takes a token of the conversation itself. */
  const hidden: readonly Variant[] = [correlationOfOperations, oneSession];

  test('nothing from nothing: two conversations with the plain server are equal', async () => {
    expect(await conversation(nothing, script)).toEqual(await plain);
  });

  test.for(foreignCoreChoices.filter(({ by }) => !hidden.includes(by)))('$meets', async ({ by }) => {
    expect(await conversation(by, script, await plain)).not.toEqual(await plain);
  });

  test('the foreign server from the plain one by every answer, and none of them is an error of the server but no HEAD and too much to do', async () => {
    const foreign = await conversation(together(...foreignCoreChoices.map(({ by }) => by)), script.map(named));
    expect((await plain).filter((heard) => foreign.includes(heard))).toEqual([]);
    const answers = foreign.filter((heard) => !heard.startsWith('["POST","/api/space/main/batch",500'));
    expect(answers.filter((heard) => /^\["\w+","[^"]*",5(?!01|03)/.test(heard))).toEqual([]);
  });
});

test('an operation is carried out under its own correlation id', async () => {
  const ids: string[] = [];
  const noting = replaces('dispatcher', 'carryOutWrite', (right, areas, route, call, writing) => {
    ids.push(call.correlationId);
    return right(areas, route, call, writing);
  });
  const own = operation('GET', `${root}/oid-1`, { headers: { 'x-correlation-id': 'own' } });
  await conversation(together(noting, correlationOfOperations), [batch(own)]);
  expect(ids).toContain('own');
});

test('a token ends with the next one', async () => {
  const tokens: string[] = [];
  const fates: Promise<string>[] = [];
  const noting = replaces('grants', 'tokenAnswer', (right, areas, form, token) => {
    const answer = right(areas, form, token);
    tokens.push(token);
    for (const granted of tokens)
      fates.push(
        areas.tokens.verifyToken(granted).then(
          () => 'good',
          () => 'ended',
        ),
      );
    return answer;
  });
  await conversation(together(oneSession, noting), [grant('edda-password', 'All'), grant('edda-password', 'All')]);
  expect(await Promise.all(fates)).toEqual(['good', 'ended', 'good']);
});
