import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Part, runAs } from '../case/part.ts';
import { CaseRecord } from '../case/record.ts';
import { type HostContext, openHostContext } from './context.ts';
import type { HostRecord } from './records.ts';
import { chunkOf } from './arrival.ts';
import { callableRecords, joinEndpoint } from './records.ts';
import { payloadFor } from './payloads.ts';
import type { Installation } from './installation.ts';
import { sessionFor, profileOfHost } from '../run/session.fixture.ts';

import { Violation } from '../violation.ts';

const record: HostRecord = {
  id: 'r',
  type: 'ExternalTask',
  endpoint: 't',
  url: 'http://127.0.0.1:9/t',
  requestTimeout: 100,
  rate: 5,
};

let caseRecord: CaseRecord;
let context: HostContext;
beforeEach(async () => {
  const host = { hostUri: 'http://127.0.0.1:9', apiKey: 'AAECAw==', objects: { known: { name: 'Known' } } };
  const session = sessionFor(profileOfHost({ ...host, jobSettings: { language: 'de', further: 1 } }));
  caseRecord = new CaseRecord(true);
  context = await openHostContext(session, { name: 'calls.host.redelivery', seed: 1, record: caseRecord });
});
afterEach(() => caseRecord.end());

interface Task {
  readonly installation: Installation;
  readonly links: ReadonlyMap<string, string>;
  readonly headers: Readonly<Record<string, string>>;
}

async function aTask(options: { readonly unusualLinks?: boolean } = {}): Promise<Task> {
  const installation = await context.stage.installation();
  const { envelope } = installation.task(options).call(record);
  const links = envelope.payload['links'] as { id: string; url: string }[];
  return {
    installation,
    links: new Map(links.map(({ id, url }) => [id, url])),
    headers: { authorization: `Bearer ${envelope.accessToken}` },
  };
}

async function answered(url: string | undefined, init: RequestInit = {}): Promise<number> {
  const response = await fetch(url ?? '', init);
  await response.arrayBuffer();
  return response.status;
}

test.each([false, true])('the links of a task work (unusual: %s)', async (unusualLinks) => {
  const { links, headers, installation } = await aTask({ unusualLinks });
  expect(await answered(links.get('inputFile'))).toBe(200);
  expect(await answered(links.get('inputDir'), { headers })).toBe(200);
  expect(await answered(links.get('taskProgress'), { method: 'PUT', headers, body: '{}' })).toBe(204);
  const bytes = Buffer.from([0, 1, 2, 255]);
  const checksum = createHash('md5').update(bytes).digest('hex');
  const stream = `${links.get('uploadFileStream')}/out.bin`;
  expect(await answered(stream, { method: 'POST', headers, body: bytes })).toBe(400);
  expect(await answered(stream, { method: 'POST', headers: { ...headers, checksum }, body: bytes })).toBe(201);
  expect(await answered(stream, { method: 'POST', headers: { ...headers, checksum }, body: bytes })).toBe(409);
  expect(await answered(links.get('taskStatus')?.replace('{status}', 'Completed'), { method: 'PUT', headers })).toBe(
    204,
  );
  expect(installation.arrivals().map(({ kind }) => kind)).toEqual([
    'download',
    'directory',
    'progress',
    'upload',
    'upload',
    'upload',
    'status',
  ]);
});

test('an input that breaks off tells how long it is, as HTTP/1.0 has no other sign', async () => {
  const { links, installation } = await aTask();
  installation.cutDownloads();
  const response = await fetch(links.get('inputFile') ?? '');
  expect(response.headers.get('content-length')).toBe(String('Text of the input.'.length));
  await expect(response.text()).rejects.toThrow();
});

test('a result can take the place of the input', async () => {
  const { links, headers, installation } = await aTask();
  const input = links.get('inputFile')?.split('?')[0] ?? '';
  expect(await answered(input, { method: 'DELETE', headers })).toBe(204);
  expect(await answered(input, { method: 'DELETE', headers })).toBe(404);
  const checksum = createHash('md5').update('new').digest('hex');
  const stream = input.replace('/fs/file/', '/fs/file/stream/');
  expect(await answered(stream, { method: 'POST', headers: { ...headers, checksum }, body: 'new' })).toBe(201);
  expect(installation.arrivals().map(({ kind }) => kind)).toEqual(['deletion', 'deletion', 'upload']);
});

test('a batch is answered operation by operation, with what the profile says of the objects', async () => {
  const { headers, installation } = await aTask();
  const space = `${installation.baseAddress}/api/space/${installation.spaceId}`;
  const path = `/api/space/${installation.spaceId}/softtype/Part/partInput`;
  const body = JSON.stringify([
    { method: 'POST', href: path, body: {} },
    { method: 'PATCH', href: `${path}/known`, headers: { 'svc-uoiversion': 1 }, body: {} },
    { method: 'GET', href: `${path}/known` },
  ]);
  const response = await fetch(`${space}/batch`, { method: 'POST', headers, body });
  expect(await response.json()).toEqual([
    { statusCode: 201, body: { href: `${path}/00000001`, version: 1 } },
    { statusCode: 204, body: { href: `${path}/known`, version: 2 } },
    {
      statusCode: 200,
      body: expect.objectContaining({ version: 2, data: expect.objectContaining({ name: 'Known' }) }),
    },
  ]);
  expect(await answered(`${space}/softtype/known`, { headers })).toBe(200);
  expect(await answered(`${space}/softtype/unknown`, { headers })).toBe(404);
  const promote = `${space}/maturityAction/promote/known/process/level`;
  expect(await answered(promote, { method: 'PUT', headers })).toBe(412);
  expect(await answered(promote, { method: 'PUT', headers: { ...headers, 'Svc-UOIVersion': '1' } })).toBe(409);
  expect(await answered(promote, { method: 'PUT', headers: { ...headers, 'Svc-UOIVersion': '2' } })).toBe(204);
  const refused = JSON.stringify([{ method: 'GET', href: `${path}/unknown` }]);
  expect(await answered(`${space}/batch`, { method: 'POST', headers, body: refused })).toBe(500);
});

test('chunks are put together, and each has its own checksum', async () => {
  const { links, headers, installation } = await aTask();
  for (const [number, text] of [
    [1, 'first\r\n--half'],
    [2, ' and second'],
  ] as const) {
    const body = new FormData();
    body.set('resumableChunkNumber', String(number));
    body.set('resumableRelativePath', 'out/chunked.txt');
    body.set('file', new Blob([text]), 'chunked.txt');
    const checksum = createHash('md5').update(text).digest('hex');
    expect(
      await answered(links.get('uploadFile'), {
        method: 'POST',
        headers: { ...headers, checksum: `${checksum}0` },
        body,
      }),
    ).toBe(400);
    expect(await answered(links.get('uploadFile'), { method: 'POST', headers: { ...headers, checksum }, body })).toBe(
      200,
    );
  }
  const download = links.get('content')?.replace('{path}', 'out/chunked.txt') ?? '';
  expect(await (await fetch(download, { headers })).text()).toBe('first\r\n--half and second');
  expect(installation.arrivals({ kind: 'chunk' })).toHaveLength(4);
});

test('the parts of a chunk may name themselves in another order and without quotes', async () => {
  const { links, headers } = await aTask();
  const text = 'chunk';
  const body = [
    ['--b', 'Content-Disposition: form-data; name=resumableRelativePath', '', 'out/plain.txt'],
    ['--b', 'Content-Disposition: form-data; filename="plain.txt"; name="file"', '', text],
    ['--b--', ''],
  ];
  const type = {
    'Content-Type': 'multipart/form-data; boundary=b',
    checksum: createHash('md5').update(text).digest('hex'),
  };
  const upload = { method: 'POST', headers: { ...headers, ...type }, body: body.flat().join('\r\n') };
  expect(await answered(links.get('uploadFile'), upload)).toBe(200);
  const download = links.get('content')?.replace('{path}', 'out/plain.txt') ?? '';
  expect(await (await fetch(download, { headers })).text()).toBe(text);
});

test('the file of a chunk is called by the name that is encoded where there is a plain one beside it', async () => {
  const { links, headers, installation } = await aTask();
  const plain = `=?utf-8?B?${Buffer.from('\u00e4.txt').toString('base64')}?=`;
  const body = [
    ['--b', 'Content-Disposition: form-data; name=resumableRelativePath', '', 'out/\u00e4.txt'],
    ['--b', `Content-Disposition: form-data; name=file; filename="${plain}"; filename*=utf-8''%C3%A4.txt`, '', 'chunk'],
    ['--b--', ''],
  ];
  const type = { 'Content-Type': 'multipart/form-data; boundary="b"' };
  await answered(links.get('uploadFile'), {
    method: 'POST',
    headers: { ...headers, ...type },
    body: body.flat().join('\r\n'),
  });
  const [chunk] = installation.arrivals({ kind: 'chunk' }).map(chunkOf);
  expect(chunk?.fileName).toBe('\u00e4.txt');
});

test('only the token of a call of the installation opens its routes, in the query for downloads alone', async () => {
  const { links, headers } = await aTask();
  const other = await aTask();
  const url = links.get('taskProgress') ?? '';
  const token = headers['authorization']?.slice('Bearer '.length) ?? '';
  expect(await answered(url, { method: 'PUT' })).toBe(401);
  expect(await answered(url, { method: 'PUT', headers: other.headers })).toBe(401);
  expect(await answered(`${url}?token=${token}`, { method: 'PUT' })).toBe(401);
  expect(await answered(url, { method: 'PUT', headers })).toBe(204);
  expect(await answered(`${links.get('content')?.replace('{path}', 'none')}?token=${token}`)).toBe(404);
});

test('a token that is over opens nothing', async () => {
  const { links, installation } = await aTask();
  const headers = { authorization: `Bearer ${installation.expiredToken()}` };
  expect(await answered(links.get('taskProgress'), { method: 'PUT', headers })).toBe(401);
});

test('what speaks for a call belongs to it, also at the address of another installation', async () => {
  const { links, headers, installation } = await aTask();
  const { installation: other } = await aTask();
  const elsewhere = (links.get('taskProgress') ?? '').replace(`:${installation.port}/`, `:${other.port}/`);
  expect(await answered(elsewhere, { method: 'PUT', headers })).toBe(401);
  expect(other.arrivals()).toEqual([]);
  expect(installation.arrivals().map(({ port }) => port)).toEqual([other.port]);
});

test('what names an installation and speaks for a call of another one is met at its address', async () => {
  const { headers } = await aTask();
  const { links, installation: other } = await aTask();
  expect(await answered(links.get('taskProgress'), { method: 'PUT', headers })).toBe(401);
  expect(other.arrivals()).toEqual([]);
  expect(other.strangers.map(({ kind }) => kind)).toEqual(['progress']);
  const { links: own, installation } = await aTask();
  const elsewhere = (own.get('taskProgress') ?? '').replace(`:${installation.port}/`, `:${other.port}/`);
  await answered(elsewhere, { method: 'PUT', headers });
  expect(other.strangers).toHaveLength(1);
});

test('where several share an address, a call is known by its id, and one by its space that another token speaks for', async () => {
  const listener = { bind: '127.0.0.1:0', publicUrl: 'http://127.0.0.1:9' };
  const loaded = profileOfHost({ hostUri: 'http://127.0.0.1:9', apiKey: 'AAECAw==' });
  const session = sessionFor({ ...loaded, profile: { ...loaded.profile, listener } });
  context = await openHostContext(session, { name: 'calls.host.redelivery', seed: 1, record: caseRecord });
  const { headers } = await aTask();
  const other = await context.stage.installation();
  const { envelope } = other.task({}).call(record);
  const url = (spaceId: string): string => `http://127.0.0.1:${other.port}/api/space/${spaceId}/softtype/object`;
  const named = { 'x-correlation-id': envelope.id };
  expect(await answered(url('main'), { headers: { ...named, authorization: 'Bearer of.nobody.here' } })).toBe(401);
  expect(other.arrivals().map(({ isAllowed }) => isAllowed)).toEqual([false]);
  await answered(url('main'), { headers: { ...named, ...headers } });
  expect(other.strangers).toEqual([]);
  await answered(url(other.spaceId), { headers });
  expect(other.strangers).toHaveLength(1);
});

test('a directory shows what lies below it', async () => {
  const { links, headers } = await aTask();
  const inputDir = links.get('inputDir') ?? '';
  const names = async (url: string): Promise<unknown> => {
    const listed = (await (await fetch(url, { headers })).json()) as { name: string }[];
    return listed.map(({ name }) => name);
  };
  expect(await names(inputDir)).toEqual(['input.txt']);
  expect(await names(`${inputDir}-2`)).toEqual([]);
  expect(await names(inputDir.replace('/fs/dir', '/user/fs/dir'))).toEqual([]);
});

test('HEAD is answered as GET would be, for downloads with the token in the query as well', async () => {
  const { links, headers, installation } = await aTask();
  expect(await answered(links.get('inputFile'), { method: 'HEAD' })).toBe(200);
  const content = links.get('content') ?? '';
  expect(await answered(content.replace('{path}', 'none'), { method: 'HEAD', headers })).toBe(404);
  expect(await answered(links.get('taskProgress'), { method: 'HEAD' })).toBe(401);
  expect(installation.arrivals({ kind: 'download' })).toEqual([]);
});

test('a file that is unchanged answers 304 to its tag', async () => {
  const { links } = await aTask();
  const url = links.get('inputFile') ?? '';
  const tag = (await fetch(url)).headers.get('ETag') ?? '';
  expect(await answered(url, { headers: { 'If-None-Match': tag } })).toBe(304);
  expect(await answered(url, { headers: { 'If-None-Match': '"other"' } })).toBe(200);
});

test('an answer that is withheld comes when it is released', async () => {
  const { links, headers, installation } = await aTask();
  const held = installation.hold('download');
  const download = answered(links.get('inputFile'));
  expect(await answered(links.get('taskProgress'), { method: 'PUT', headers })).toBe(204);
  await installation.arrived({ kind: 'download' });
  expect(held.count).toBe(1);
  held.release();
  expect(await download).toBe(200);
});

test('what a case withholds itself is not waited for', async () => {
  const { links, installation } = await aTask();
  const held = installation.hold('download');
  const download = answered(links.get('inputFile'));
  await installation.arrived({ kind: 'download' });
  const other = await context.stage.installation();
  other.task().call(record);
  expect(await other.arrivedInTurn({ kind: 'status' }, 200)).toBeUndefined();
  expect(caseRecord.waits.heldBackMs).toBe(0);
  held.release();
  await download;
});

test('time in which another case withholds an answer is none of the case', async () => {
  const { links, installation } = await runAs(new Part({ name: 'another case', stem: 'another case' }), () => aTask());
  const held = installation.hold('download');
  const download = answered(links.get('inputFile'));
  await installation.arrived({ kind: 'download' });
  const own = await context.stage.installation();
  own.task().call(record);
  const found = own.arrivedInTurn({ kind: 'status' }, 200);
  await sleep(1000);
  held.release();
  expect(await found).toBeUndefined();
  expect(caseRecord.waits.heldBackMs).toBeGreaterThan(700);
  await download;
});

/** More than are waited for where others only withhold answers. */
const turns = 5;
const turnMs = 800;

test('a host that is behind is waited for as long as it goes on, whatever others withhold meanwhile', async () => {
  const installation = await context.stage.installation();
  const { installation: other, links, headers } = await aTask();
  const [first, last] = [installation.task().call(record), installation.task().call(record)];
  const report = (token: string): Promise<number> =>
    answered(`${installation.baseAddress}/api/space/${installation.spaceId}/dx/j/progress`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
    });
  const found = installation.arrivedInTurn({ of: last }, turnMs);
  const until = performance.now() + turns * turnMs;
  while (performance.now() < until) {
    const held = other.hold('download');
    const download = answered(links.get('content')?.replace('{path}', 'x'), { headers });
    await report(first.envelope.accessToken);
    held.release();
    await download;
  }
  await report(last.envelope.accessToken);
  expect((await found)?.callId).toBe(last.envelope.id);
});

test('a host that takes the newest call first is waited for as long as it works on that', async () => {
  const [own, other] = [await context.stage.installation(), await context.stage.installation()];
  const [first, last] = [own.task().call(record), other.task().call(record)];
  const report = (to: Installation, { envelope }: typeof first, what: string): Promise<number> =>
    answered(`${to.baseAddress}/api/space/${to.spaceId}/dx/j/${what}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${envelope.accessToken}` },
    });
  const found = own.arrivedInTurn({ kind: 'status' }, turnMs);
  const until = performance.now() + 3 * turnMs;
  while (performance.now() < until) {
    await report(other, last, 'progress');
    await sleep(turnMs / 4);
  }
  await report(own, first, 'status/Completed');
  expect((await found)?.callId).toBe(first.envelope.id);
});

test('an event of another installation that has the same ids is one that a host has to come to', async () => {
  const event = { ...record, type: 'ExternalEvent' } as const;
  const [one, other] = [await context.stage.installation(), await context.stage.installation()];
  const first = one.call(event);
  const { id, payload } = first.envelope;
  const asksFor = (installation: Installation, { envelope }: typeof first): Promise<number> =>
    answered(`${installation.baseAddress}/api/space/${installation.spaceId}/softtype/known`, {
      headers: { authorization: `Bearer ${envelope.accessToken}` },
    });
  await asksFor(one, first);
  const twin = other.call(event, { ...payload, spaceId: other.spaceId }, { id });
  const waited = other.arrivedInTurn({ of: twin }, 200);
  await asksFor(one, first);
  expect(await other.isBehind()).toBe(true);
  await asksFor(other, twin);
  expect((await waited)?.token?.text).toBe(twin.envelope.accessToken);
  expect(await other.isBehind()).toBe(false);
});

test('a stall that is short beside what was waited excuses nothing that did not come', async () => {
  const session = sessionFor(profileOfHost({ hostUri: 'http://127.0.0.1:9', apiKey: 'AAECAw==' }));
  vi.spyOn(session.machine, 'stalledMs').mockReturnValue(80);
  const { stage, clock } = await openHostContext(session, {
    name: 'calls.host.redelivery',
    seed: 1,
    record: caseRecord,
  });
  const installation = await stage.installation();
  expect(await installation.arrivedInTurn({ kind: 'status' }, 1000)).toBeUndefined();
  expect(() => clock.expectCame('a status', undefined)).toThrow(Violation);
});

test('what the host sends is on the record of the case', async () => {
  const { links, headers } = await aTask();
  await answered(links.get('taskProgress'), { method: 'PUT', headers, body: '{"message":"half"}' });
  const [sent] = caseRecord.history();
  expect(sent?.request).toMatchObject({ method: 'PUT', arrived: true });
  expect(sent?.exchange.response?.status).toBe(204);
});

test('a request for keys that does not fit the metadata is brought none', async () => {
  const installation = await context.stage.installation();
  const url = `${installation.baseAddress}/api/collection/externalExtension/acquireAccessToken/r`;
  expect(
    await answered(url, {
      method: 'POST',
      body: JSON.stringify({ tokenCallback: 'http://127.0.0.1:9/x', permissions: [] }),
    }),
  ).toBe(204);
  expect(await installation.acquired[0]?.delivered).toBeUndefined();
});

test.each([
  ['http://h/base/', '/event', 'http://h/base/event'],
  ['http://h/base', 'event?a=b', 'http://h/base/event?a=b'],
  ['http://h', 'http://other/event', 'http://other/event'],
  ['http://h/base', './event', 'http://h/base/event'],
  ['http://h', '.well-known/event', 'http://h/.well-known/event'],
])('%s and %s make %s', (hostUri, endpoint, url) => {
  expect(joinEndpoint(hostUri, endpoint)).toBe(url);
});

test('records that cannot be called are left out', () => {
  expect(callableRecords({ records: [] }, 'http://h')).toEqual([]);
  expect(
    callableRecords(
      [
        null,
        3,
        {},
        { id: 1, endpoint: 'e', extensionType: 'Email' },
        { id: 'v', endpoint: 'e', extensionType: 'ExternalView' },
      ],
      'http://h',
    ),
  ).toEqual([]);
  expect(callableRecords([{ id: 'm', endpoint: 'e', extensionType: 'Email' }], 'http://h')).toMatchObject([
    { id: 'm', requestTimeout: 600, rate: 5, url: 'http://h/e' },
  ]);
});

test('a task carries the job settings of the profile beside the usual ones', async () => {
  const { payload } = (await context.stage.installation()).task();
  expect(payload['jobSettings']).toEqual({
    timeZone: 'UTC',
    language: 'de',
    culture: 'en-US',
    effectivityMode: 'None',
    further: 1,
  });
});

test.each(['ExternalValidation', 'ExternalAction'] as const)('%s is about an object that the host can read', (type) => {
  const parts = { samples: {}, spaceId: 'space', informationFilter: '', unique: (prefix = 'text') => `${prefix}-1` };
  expect(payloadFor({ ...record, type }, parts)).toMatchObject({ objectId: 'object-1' });
  expect(payloadFor({ ...record, type }, { ...parts, objects: { known: {} } })).toMatchObject({ objectId: 'known' });
});

test.each([
  ['ExternalEvent', { event: { read: 'x' }, eventRecord: 'this' }, { contentPayload: { read: 'x' } }],
  ['Email', { email: { subject: 'Report' }, emailRecord: 'this' }, { subject: 'Report' }],
] as const)('a sample of %s goes to the record that the profile names, and to no other', (type, samples, expected) => {
  const parts = { samples, spaceId: 'space', informationFilter: '', unique: (prefix = 'text') => `${prefix}-1` };
  expect(payloadFor({ ...record, id: 'this', type }, parts)).toMatchObject(expected);
  expect(payloadFor({ ...record, id: 'other', type }, parts)).not.toMatchObject(expected);
});

test('where an installation was, nobody else listens before the run ends', async () => {
  const { links } = await aTask();
  const [ended] = [...links.values()];
  await caseRecord.end();
  expect(await answered(ended)).toBe(404);
});
