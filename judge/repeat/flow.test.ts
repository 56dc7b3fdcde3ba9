import { expect, test } from 'vitest';
import type { Sent } from '../client/wire.ts';
import { callOrder } from './calls.ts';
import { Flow } from './flow.ts';
import { answered } from './kind.ts';
import { signatureOver } from '../service/signature.ts';
import { fill } from './template.ts';

const baseUrl = 'http://service';

function flowOf(history: readonly Sent[]): Flow {
  return new Flow(history, { baseUrl, values: {}, variables: [], isHost: false, known: '' });
}

/** A call of a task whose link is where another task has its own, as long as the files of both lie in one directory. */
function callOfTask(number: number, accessToken: string): Sent {
  const body = JSON.stringify({ accessToken, payload: { links: [{ url: `${baseUrl}/files/stream` }] } });
  return callOrder('http://listener', { number, base: '/x/one' }, { status: 200, body });
}

test.each([
  ['first', 'token-1', 0],
  ['second', 'token-2', 1],
])('a link that two calls told is that of the %s, whose token goes with it', (_which, token, step) => {
  const headers = [['Authorization', `Bearer ${token}`]] as const;
  const upload = answered({ method: 'POST', url: `${baseUrl}/files/stream/name.bin`, headers }, { status: 201 });
  const { steps } = flowOf([callOfTask(1, 'token-1'), callOfTask(2, 'token-2'), upload]);
  expect(steps.map(({ captures }) => captures.length)).toEqual([0, 1].map((at) => (at === step ? 2 : 0)).concat(0));
});

/** A call that brings a key in Base64, of which neither what stands before its slashes nor what stands behind is told from a word. */
function callWithKey(apiKey: string): Sent {
  return callOrder(
    'http://listener',
    { number: 1, base: '/x/one' },
    { status: 200, body: JSON.stringify({ TaskUploadAPI: { apiKey } }) },
  );
}

test('a signature under a key that a call brought is made again under the key that comes then', () => {
  const path = '/admin/fileupload';
  const [first = '', next = ''] = ['???', '?>?'].map((text) => Buffer.from(text.repeat(11)).toString('base64'));
  const headers = [['Authorization', `Bearer ${signatureOver(first, path)}`]] as const;
  const upload = answered({ method: 'POST', url: baseUrl + path, headers }, { status: 200 });
  const { steps } = flowOf([callWithKey(first), upload]);
  expect(steps[0]?.captures).toEqual([{ variable: 'ID1', pointer: '/TaskUploadAPI/apiKey' }]);
  const made = steps[1]?.headers.map(([, value]) => fill(value, new Map([['ID1', next]])));
  expect(made).toEqual([`Bearer ${signatureOver(next, path)}`]);
});

function readWith(status: number, etag: string, held?: string): Sent {
  const headers = held === undefined ? [] : [['If-None-Match', held] as const];
  const told = { status, headers: [['ETag', etag]] as const, body: status === 304 ? '' : '{}' };
  return answered({ method: 'GET', url: `${baseUrl}/profile`, headers }, told);
}

test.each([
  ['304', 'first', 304, '"one"', 0],
  ['200', 'last', 200, '"two"', 1],
] as const)(
  'a tag that two answers told is by an answer with %s that of the %s',
  (_status, _which, status, etag, step) => {
    const { steps } = flowOf([readWith(200, '"one"'), readWith(200, '"one"'), readWith(status, etag, '"one"')]);
    expect(steps.map(({ captures }) => captures.length)).toEqual([0, 1, 2].map((at) => Number(at === step)));
  },
);

test.each([
  ['leads away from it', '/people/owner/files/one.txt', true],
  ['leads to it', '/files/owner/one.txt', false],
  ['names what the service made', '/files/a1b2c3', false],
])(
  'whether an address is a link is not known where that of an upload %s and the case may have made it',
  (_what, path, isUnclear) => {
    const told = { status: 201, headers: [['Location', path]] as const };
    const known = answered({ method: 'GET', url: `${baseUrl}/people`, headers: [] }, { status: 200 });
    const upload = answered({ method: 'POST', url: `${baseUrl}/files/stream/owner/one.txt`, headers: [] }, told);
    const read = answered({ method: 'GET', url: baseUrl + path, headers: [] }, { status: 200 });
    expect(flowOf([known, upload, read]).isUnclear).toBe(isUnclear);
  },
);

test.each([
  ['as it was told', 'a1b2c3', false],
  ['with a letter encoded', 'a1b2%633', true],
  ['of something else, encoded', 'a1b2%643', false],
  ['that nothing decodes', 'a1b2c3%', false],
])('an id %s is for a variable, or for none', (_how, id, isEncoded) => {
  const told = { status: 201, headers: [['Location', '/things/a1b2c3']] as const };
  const made = answered({ method: 'POST', url: `${baseUrl}/things`, headers: [] }, told);
  const read = answered({ method: 'GET', url: `${baseUrl}/in/sp%61ce/${id}`, headers: [] }, { status: 404 });
  expect(flowOf([made, read]).encodesIdAt(1)).toBe(isEncoded);
});
