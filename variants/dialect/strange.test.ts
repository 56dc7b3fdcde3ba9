import { describe, expect, test } from 'vitest';
import type { Variant } from '../breaks.ts';
import { conversation, type More, type Said } from './conversation.fixture.ts';
import { dialectOf } from './dialects.ts';
import { strangeChoices } from './strange.ts';

const root = '/api/space/main/softtype';
const inputs = `${root}/Document/documentInput`;
const one = `${inputs}/oid-1`;
const operations = `${root}/Document/oid-1`;
const pages = `${root}/page/Document/documentFull`;
const entry = (index: number): object => ({ name: `file ${index}`, category: index < 3 ? 'drawing' : 'letter' });
const current = { 'Svc-UOIVersion': '{version}' };
const asOperations = { 'Content-Type': 'application/json-patch+json' };
const operation = (method: string, path: string, more: object = {}): object => ({ method, href: path, ...more });
const batch = (...body: readonly unknown[]): Said => ['POST', '/api/space/main/batch', { body }];
const items = (...body: readonly unknown[]): Said => ['POST', '/space/main/softtype', { body }];
const lock = '/api/space/main/lock/oid-1';
const edit = (headers: object): object =>
  operation('PATCH', `http://{host}${one}`, { headers: { ...current, ...headers }, body: { note: 'in a batch' } });
const action = (name: string, level = 'engineering', body?: unknown): Said => [
  'PUT',
  `/api/space/main/maturityAction/${name}/oid-1/release/${level}`,
  { headers: current, body },
];
const list = (...body: readonly object[]): Said => [
  'PATCH',
  operations,
  { headers: { ...current, ...asOperations }, body },
];
const merge = (body: unknown, headers: More['headers'] = {}): Said => [
  'PATCH',
  one,
  { headers: { ...current, ...headers }, body },
];

/** Meets every choice at least once. Ids begin at oid-1; a Document has two states, which take the next two. */
const script: readonly Said[] = [
  [
    'POST',
    inputs,
    {
      body: {
        title: 'Ä',
        dimensions: { width: '1', height: '2' },
        price: '10',
        keywords: [],
        files: Array.from({ length: 12 }, (_item, index) => entry(index)),
      },
    },
  ],
  ['GET', `${root}/oid-1`],
  ['GET', `${root}/oid-1`, { headers: { 'If-None-Match': '"no such tag"', Accept: 'text/html' } }],
  ['GET', `${pages}/files/oid-1/01`],
  ['GET', `${pages}/files/oid-1/7`],
  ['GET', `${pages}/contacts/oid-1/0`],
  ['GET', `${root}/oid-1?softTypeFilterId=nobody`],
  merge({ note: 'n', unknown: 'u' }),
  merge({ note: 'm' }, { 'Svc-UOIVersion': '+{version}' }),
  merge({ note: 'n' }),
  merge({ note: 'n' }),
  merge({ note: 'n' }, { 'Svc-UOIVersion': 'one' }),
  merge({ remark: null }),
  merge({ $oid: 'own' }),
  merge({ dimensions: { width: '3' } }),
  merge({ contacts: [{ name: 'c' }] }),
  merge({ contacts: [{ name: 'd' }] }),
  ['GET', `${root}/oid-1`],
  merge({ title: 7 }),
  merge('{"'),
  merge({ note: 'plain' }, { 'Content-Type': 'text/plain' }),
  merge([{ op: 'replace', path: '/note', value: 'o' }], { 'Content-Type': 'application/json-patch+json' }),
  ['PATCH', `${inputs}/oid-99`, { body: {} }],
  list({ op: 'remove', path: '/remark' }),
  list({ op: 'remove', path: '/files/99/' }),
  list({ op: 'add', path: '/contacts/', value: { name: 'e' } }),
  list({ op: 'add', path: '/contacts', value: [{ name: 'f' }, { name: 'g' }] }),
  list({ op: 'replace', path: 'title', value: 't' }),
  list({ op: 'add', path: '/title', value: 't' }),
  list(),
  list({ op: 'remove', path: '/contacts' }),
  ['GET', `${root}/oid-1`],
  ['PUT', one, { headers: current, body: { title: 'T', files: [{ $entryId: 3, name: 'kept' }] } }],
  ['GET', `${root}/oid-1`],
  ['GET', `${root}/oid-1`, { headers: { 'Svc-InformationFilter': null } }],
  action('promote', 'engineering', {}),
  action('promote'),
  action('promote', 'nothing'),
  action('demote'),
  action('demote'),
  action('promote'),
  action('promote'),
  action('promote'),
  merge({ note: 'late' }),
  ['POST', lock],
  ['PATCH', one, { headers: { ...current, Authorization: 'Bearer svcpat-emil-2f8a6c4d1b' }, body: {} }],
  ['DELETE', lock],
  batch(),
  ['POST', '/api/space/main/batch', { body: {} }],
  batch(operation('GET', `${root}/oid-1`), operation('GET', `${root}/oid-99`), operation('GET', `${root}/oid-1`)),
  batch(operation('GET', `http://{host}${root}/oid-1`)),
  batch(operation('get', `http://{host}${root}/oid-1`)),
  batch(edit({ 'Content-Type': 'application/json' })),
  batch(edit({})),
  batch(operation('DELETE', `http://{host}${root}/oid-99`)),
  batch(operation('GET', 'http://{host}/api/collection/template')),
  items({ $softType: 'Document', data: { title: 'm' } }),
  items({ $softType: 'Nothing' }),
  items(),
  ['DELETE', `${root}/oid-1`],
  ['POST', `${root}/Nothing/none`, { body: {} }],
  ['GET', '/api/space/nowhere/softtype/oid-1'],
  ['GET', '/space/main/SoftType/dynamic/softtype.openApi'],
  ['GET', '/api/space/main/SoftType/dynamic/softtype.openApi', { headers: { 'Svc-InformationFilter': null } }],
  ['GET', `${root}/oid-1`, { headers: { Authorization: 'bearer svcpat-edda-7d1c0b9e5a' } }],
  [
    'GET',
    '/api/collection/template',
    { headers: { Authorization: 'Bearer svcpat-cora-6f8b0d2e4a', 'X-Correlation-Id': 'c' } },
  ],
  ['POST', '/api/space/main/fs/file/stream/a.txt', { headers: { checksum: 'none' }, body: 'text' }],
  ['POST', '/auth/token', grant('edda-password')],
  ['POST', '/auth/token', grant('edda-password', 'Some')],
  ['POST', '/auth/token', grant('wrong')],
];

function grant(password: string, scope = 'All'): More {
  const Authorization = `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`;
  const body = new URLSearchParams({ grant_type: 'password', username: 'edda', password, scope }).toString();
  return { headers: { Authorization, 'Content-Type': 'application/x-www-form-urlencoded' }, body };
}

const nothing: Variant = (classes) => classes;

describe('a client can tell', () => {
  const plain = conversation(nothing, script);

  test('nothing from nothing: two conversations with the plain server are equal', async () => {
    expect(await conversation(nothing, script)).toEqual(await plain);
  });

  test.for(strangeChoices)('$meets', async ({ by }) => {
    expect(await conversation(by, script, await plain)).not.toEqual(await plain);
  });

  test('the strange server from the plain one by every answer, and none of them is an error of the server', async () => {
    const strange = await conversation(dialectOf('strange'), script);
    expect((await plain).filter((heard) => strange.includes(heard))).toEqual([]);
    const answers = strange.filter((heard) => !heard.startsWith('["POST","/api/space/main/batch",500'));
    expect(answers.filter((heard) => /^\["\w+","[^"]*",5/.test(heard))).toEqual([]);
  });
});
