import { expect, test } from 'vitest';
import type { Variant } from '../breaks.ts';
import { conversation, type More, type Said } from './conversation.fixture.ts';
import { peculiarChoices } from './peculiar.ts';
import { peculiarCalls, peculiarFiles, peculiarRegistrations } from './peculiar-outside.ts';
import { loneChoices, numbersAsIds, putsBeginAnew, statesOfTheirOwn } from './peculiar-content.ts';
import { datelessAnswers, interimAnswers, keysNamed, relativeTo } from './peculiar-wire.ts';

const root = '/api/space/main/softtype';
const inputs = `${root}/Document/documentInput`;
const one = `${inputs}/oid-1`;
const get = (path: string, headers: More['headers'] = {}): Said => ['GET', path, { headers }];
const merge = (body: unknown, version = '{version}'): Said => [
  'PATCH',
  one,
  { headers: { 'Svc-UOIVersion': version }, body },
];
const operate = (...operations: readonly object[]): Said => [
  'PATCH',
  `${root}/Document/oid-1`,
  { headers: { 'Svc-UOIVersion': '{version}', 'Content-Type': 'application/json-patch+json' }, body: operations },
];
const move = (action: 'promote' | 'demote'): Said => [
  'PUT',
  `/api/space/main/maturityAction/${action}/oid-1/release/engineering`,
  { headers: { 'Svc-UOIVersion': '{version}' } },
];
const grant: Said = [
  'POST',
  '/auth/token',
  {
    headers: {
      Authorization: `Basic ${Buffer.from('conformance:conformance-secret').toString('base64')}`,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=password&username=edda&password=edda-password&scope=All',
  },
];
const stream = '/api/space/main/fs/file/stream/folder/a.txt';

/** Meets every choice that a client of objects and files meets. */
const script: readonly Said[] = [
  [
    'POST',
    inputs,
    {
      body: {
        title: 'a',
        price: '1',
        dimensions: { width: '1' },
        files: Array.from({ length: 12 }, (_item, index) => ({ name: `file ${index}` })),
      },
    },
  ],
  get(`${root}/oid-1`),
  get(`${root}/oid-1?softTypeFilterId=drawings`),
  get(`${root}/OID-1`),
  ['POST', inputs, { body: { title: 'a' } }],
  merge({ note: 'n' }, '99'),
  merge({ note: 'n' }, '1'),
  merge({ note: 'n'.repeat(256) }),
  [
    'PATCH',
    `${root}/Document/documentBrief/oid-1`,
    { headers: { 'Svc-UOIVersion': '{version}' }, body: { note: 'b' } },
  ],
  operate({ op: 'replace', path: '/title', value: 'b' }),
  operate(...Array.from({ length: 11 }, (_operation, index) => ({ op: 'replace', path: '/note', value: `${index}` }))),
  operate({ op: 'remove', path: '/files/1/' }),
  get(`${root}/oid-1`),
  move('promote'),
  move('demote'),
  merge({ note: ' ' }),
  ['POST', `${root}/Part/partInput`, { body: { name: 'p', describedBy: [{ id: 'r', value: { $oid: 'oid-1' } }] } }],
  ['POST', inputs, { headers: { 'X-Correlation-Id': 'once' }, body: { title: 'one' } }],
  ['POST', inputs, { headers: { 'X-Correlation-Id': 'once' }, body: { title: 'other' } }],
  ['POST', inputs, { body: { title: 'of edda' } }],
  ['POST', inputs, { body: { title: 'noted', note: 'same' } }],
  ['POST', inputs, { body: { title: 'noted as well', note: 'same' } }],
  get('/api/space/main/instances/Document?text=noted'),
  ['POST', '/api/space/main/batch', { body: [{ method: 'POST', href: inputs, body: {} }] }],
  get(inputs),
  ['PUT', `${inputs}/oid-4`, { headers: { 'Svc-UOIVersion': '1' }, body: { title: 'put' } }],
  [
    'PATCH',
    `${root}/Document/oid-4`,
    {
      headers: { 'Svc-UOIVersion': '2', 'Content-Type': 'application/json-patch+json' },
      body: [
        { op: 'replace', path: '/title', value: 'once' },
        { op: 'replace', path: '/title', value: 'twice' },
      ],
    },
  ],
  ...['oid-1', 'oid-4', 'oid-7'].flatMap((oid): readonly Said[] => [
    ['DELETE', `${root}/${oid}`, { headers: { Authorization: 'Bearer svcpat-emil-2f8a6c4d1b' } }],
    ['DELETE', `${root}/${oid}`],
    get(`${root}/${oid}`),
  ]),
  get('/api/space/main/SoftType/dynamic/softtype.openApi'),
  [
    'POST',
    stream,
    { headers: { checksum: '900150983cd24fb0d6963f7d28e17f72', 'Content-Type': 'text/plain' }, body: 'abc' },
  ],
  get('/api/space/main/fs/file/folder/a.txt'),
  get('/api/space/main/fs/dir/folder'),
  ['DELETE', '/api/space/main/fs/file/folder/a.txt'],
  get('/api/space/main/fs/dir/folder'),
  grant,
];

/** What this conversation does not show: what is called and registered, long files and strange names, what chance and a promote make, what an agent of Node keeps to itself, and the head of a token. */
const hidden: readonly Variant[] = [
  ...[...peculiarCalls, ...peculiarRegistrations, ...peculiarFiles].map(({ by }) => by),
  numbersAsIds,
  statesOfTheirOwn,
  putsBeginAnew,
  interimAnswers,
  datelessAnswers,
  keysNamed,
];

const nothing: Variant = (classes) => classes;
/** Stamps and times of files differ from one conversation to the next. */
const heard = async (by: Variant): Promise<readonly string[]> =>
  (await conversation(by, script)).map((answer) => (answer.includes('/fs/') ? answer.replaceAll(/\d/g, '0') : answer));
const plain = heard(nothing);

test('a client can tell nothing from nothing', async () => {
  expect(await heard(nothing)).toEqual(await plain);
});

test.for([...peculiarChoices, ...loneChoices].filter(({ by }) => !hidden.includes(by)))(
  'a client can tell $meets',
  async ({ by }) => {
    expect(await heard(by)).not.toEqual(await plain);
  },
);

test.each([
  ['/api/a/b', '/api/a/c', 'c'],
  ['/api/a/b', '/api/d/e/c?x=/y', '../d/e/c?x=/y'],
  ['/api/a/b?q=/1/2', '/api/a/b', 'b'],
  ['/api/a/b', '/api/a', '../a'],
  ['/api/a/b', '/api/a/x:y', './x:y'],
  ['/api/a/b/c', '/api/a/{n}', '../{n}'],
])('from %s the way to %s is %s', (base, path, way) => {
  expect(relativeTo(base, path)).toBe(way);
  expect(new URL(way, `http://host${base}`).href).toBe(new URL(path, 'http://host').href);
});
