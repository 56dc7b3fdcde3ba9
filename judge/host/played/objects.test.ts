import { beforeEach, describe, expect, test } from 'vitest';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import { isObject, valueAt } from '../../json.ts';
import { type Arrival, kindOf } from '../arrival.ts';
import { ArrivedReply, type StageAnswer } from '../stage-server.ts';
import { PlayedService } from './service.ts';

const space = '/api/space/s';
const crane = `${space}/softtype/Document/documentInput/crane`;
const many = Array.from({ length: 18 }, (_entry, index) => ({ name: `f${index}` }));
const known = { crane: { title: 'Crane', files: [{ name: 'a.txt' }], parts: [{ id: 1 }] }, ship: { files: many } };

interface Sent {
  readonly version?: number;
  readonly operations?: readonly object[];
  readonly body?: unknown;
  readonly callId?: string;
}

let service: PlayedService;
beforeEach(() => {
  service = new PlayedService({ known, hasTextIds: false });
});

function send(
  method: string,
  target: string,
  { version, operations, body = operations, callId }: Sent = {},
): StageAnswer {
  const path = target.split('?')[0] ?? '';
  const type = operations === undefined ? mediaTypes.json : mediaTypes.operations;
  const arrival: Arrival = {
    kind: kindOf(method, path),
    method,
    target,
    path,
    headers: [
      ['content-type', type],
      ...(version === undefined ? [] : [[headerNames.version, String(version)] as const]),
    ],
    text: '',
    json: body,
    bytes: new Uint8Array(),
    arrivedAt: 0,
    token: undefined,
    callId,
    isAllowed: true,
    port: 1,
    seen: new ArrivedReply({ method, url: target, headers: [] }),
  };
  return service.answer(arrival);
}

function read(target: string, at: string): unknown {
  return valueAt(send('GET', target).body, at);
}

describe('versions', () => {
  test('an edit needs the one that the object has, and makes the next', () => {
    expect(send('PATCH', crane, { body: { title: 'Lift' } }).status).toBe(412);
    expect(send('PATCH', crane, { version: 2, body: { title: 'Lift' } }).status).toBe(409);
    expect(send('PATCH', crane, { version: 1, body: { title: 'Lift' } })).toMatchObject({
      status: 204,
      headers: { [headerNames.version]: '2' },
    });
    expect(read(crane, '/data')).toMatchObject({ title: 'Lift', files: [{ name: 'a.txt' }], $version: 2 });
  });

  test('what is edited elsewhere has another', () => {
    service.objects.editElsewhere(3);
    expect(send('PATCH', crane, { version: 1, body: {} }).status).toBe(409);
    expect(read(crane, '/version')).toBe(4);
  });

  test('the first that a call tells is that of the object', () => {
    service.objects.tell('crane', 7);
    expect(read(crane, '/version')).toBe(7);
    service.objects.tell('crane', 9);
    expect(read(crane, '/version')).toBe(7);
  });

  test('an object of which nobody told anything takes any, and keeps what it is given', () => {
    service = new PlayedService({ known: undefined, hasTextIds: false });
    expect(
      send('PATCH', crane, { version: 5, operations: [{ op: 'replace', path: '/note', value: 'n' }] }).status,
    ).toBe(204);
    expect(read(crane, '/data')).toMatchObject({ note: 'n', $version: 6 });
  });
});

test('PUT leaves nothing but what it brings, and DELETE nothing at all', () => {
  expect(send('PUT', crane, { version: 1, body: { title: 'Lift' } }).status).toBe(204);
  expect(Object.keys(Object(read(crane, '/data')))).toEqual(['$version', '$oid', '$softType', 'title']);
  expect(send('DELETE', crane).status).toBe(204);
  expect(send('GET', crane).status).toBe(404);
});

test('arrays are read ten entries at a time', () => {
  const ship = `${space}/softtype/Document/full/ship`;
  const { body } = send('GET', `${ship}?softTypeFilterId=f`);
  expect(valueAt(body, '/data/files')).toHaveLength(10);
  const link = valueAt(body, '/links/0');
  expect(link).toMatchObject({ rel: 'page', sectionPath: 'files', pages: 2, totalNumber: 18 });
  const href = String(isObject(link) && link['href']);
  expect(href).toBe(`${space}/softtype/page/Document/full/files/ship/{pageNumber}?softTypeFilter=f`);
  expect(read(href.replace('{pageNumber}', '1'), '/data/7')).toMatchObject({ name: 'f17' });
  expect(send('GET', href.replace('{pageNumber}', '2')).status).toBe(404);
});

test('entries have ids, integers in one array and texts in the next', () => {
  expect(read(crane, '/data/files/0/$entryId')).toBe(1);
  expect(read(crane, '/data/parts/0/$entryId')).toBe('e-2');
});

describe('operations', () => {
  const operate = (version: number, ...operations: readonly object[]) =>
    send('PATCH', `${space}/softtype/Document/crane`, { version, operations, callId: 'c' });

  test('address entries by their ids, and append', () => {
    const answer = operate(
      1,
      { op: 'replace', path: '/files/1/name', value: 'b.txt' },
      { op: 'add', path: '/files/-', value: { name: 'c.txt' } },
      { op: 'add', path: '/files', value: { name: 'd.txt' } },
      { op: 'add', path: '/note', value: 'n' },
      { op: 'remove', path: '/parts/e-2/' },
    );
    expect(answer.status).toBe(204);
    expect(read(crane, '/data')).toMatchObject({
      note: 'n',
      parts: [],
      files: [{ $entryId: 1, name: 'b.txt' }, { name: 'c.txt' }, { name: 'd.txt' }],
    });
  });

  test.each([
    { op: 'add', path: '/title', value: 'x' },
    { op: 'add', path: '/files/0', value: { name: 'x' } },
    { op: 'replace', path: '/gone', value: 'x' },
    { op: 'replace', path: '/files', value: [] },
    { op: 'remove', path: '/title', value: 'x' },
    { op: 'remove', path: '/gone' },
    { op: 'remove', path: '' },
    { op: 'move', path: '/title' },
  ])('are refused where one cannot be: %j', (operation) => {
    expect(operate(1, { op: 'add', path: '/note', value: 'n' }, operation, operation).status).toBe(400);
    expect(read(crane, '/data')).toEqual({ ...Object(read(crane, '/data')), title: 'Crane', $version: 1 });
    expect(read(crane, '/data/note')).toBeUndefined();
  });

  test('that add what was read before, or was added since by who had read, are told apart', () => {
    operate(1, { op: 'add', path: '/title', value: 'x' });
    send('GET', crane);
    operate(1, { op: 'add', path: '/title', value: 'x' });
    operate(1, { op: 'add', path: '/note', value: 'x' });
    operate(2, { op: 'add', path: '/note', value: 'x' });
    expect(service.objects.edits.map(({ addedAgain }) => addedAgain)).toEqual([
      undefined,
      '/title',
      undefined,
      '/note',
    ]);
  });

  test('that add an object once more, which may be an entry each time, are taken where the member is none that was stated', () => {
    send('GET', crane);
    operate(1, { op: 'add', path: '/remarks', value: { text: 'a' } });
    send('GET', crane);
    expect(operate(2, { op: 'add', path: '/remarks', value: { text: 'b' } }).status).toBe(204);
    expect(read(crane, '/data/remarks')).toMatchObject([{ text: 'a' }, { text: 'b' }]);
    expect(service.objects.edits.map(({ addedAgain }) => addedAgain)).toEqual([undefined, undefined]);
  });

  test('that add what is there, or lead to an entry by its place, are told apart where the version is that of the last read', () => {
    operate(1, { op: 'add', path: '/note', value: 'x' });
    send('GET', crane);
    operate(1, { op: 'add', path: '/note', value: 'x' }, { op: 'add', path: '/files/0/size', value: 1 });
    operate(2, { op: 'add', path: '/note', value: 'x' });
    for (const path of ['/files/0/name', '/files/1/name', '/files/a/name', '/files/-'])
      operate(2, { op: 'add', path, value: 'x' });
    expect(service.objects.edits.map(({ addedAgain, byPosition }) => addedAgain ?? byPosition)).toEqual([
      undefined,
      undefined,
      '/note',
      '/files/0/name',
      '/files/1/name',
      '/files/a/name',
      undefined,
    ]);
  });
});

test('a batch is done as a whole or not at all', () => {
  const patch = (version: number) => ({
    method: 'PATCH',
    href: `http://h${crane}`,
    body: { title: 'Lift' },
    headers: { [headerNames.version]: version },
  });
  const refused = send('POST', `${space}/batch`, { body: [patch(1), patch(1)] });
  expect(refused).toMatchObject({ status: 500, body: [{ statusCode: 204 }, { statusCode: 409 }] });
  expect(read(crane, '/data')).toMatchObject({ title: 'Crane', $version: 1 });
  expect(send('POST', `${space}/batch`, { body: [patch(1), patch(2)] }).status).toBe(200);
  expect(read(crane, '/version')).toBe(3);
});

test('items of a multi-create may refer to each other, and to nothing else', () => {
  const item = ($id: string, instanceRef: string) => ({
    $id,
    $softType: 'Document',
    data: { related: [{ id: 'r', value: { instanceRef, softTypeId: 'Document' } }] },
  });
  expect(send('POST', '/space/s/softtype', { body: [item('a', 'b'), item('b', 'a')] })).toMatchObject({
    status: 201,
    body: [{ $id: 'a', href: `${space}/softtype/00000001`, version: 1 }, { $id: 'b' }],
  });
  expect(send('POST', '/space/s/softtype', { body: [item('a', 'c')] }).status).toBe(400);
  const items = Array.from({ length: 51 }, (_item, index) => item(`${index}`, '0'));
  expect(send('POST', '/space/s/softtype', { body: items }).status).toBe(400);
  expect(send('GET', `${space}/softtype/00000003`).status).toBe(404);
});

test('there are definitions of what is there', () => {
  const paths = read('/space/s/SoftType/dynamic/softtype.openApi', '/paths');
  expect(Object.keys(Object(paths))).toContain('/api/space/{spaceId}/softtype/Object/{inputSchemaId}/{objectId}');
  expect(read('/api/space/s/space.openApi', '/openapi')).toBe('3.0.3');
});

test('what is done by routes that are not shown changes no object', () => {
  for (const method of ['POST', 'PUT', 'DELETE']) expect(send(method, `${space}/locks/crane`).status).toBe(204);
  expect(read(crane, '/version')).toBe(1);
});

test('an object can be made like another one', () => {
  expect(service.objects.makeLike('new', 'crane')).toBe(true);
  expect(read(`${space}/softtype/new`, '/data')).toMatchObject({ title: 'Crane', $version: 1 });
  expect(service.objects.makeLike('new', 'ship')).toBe(true);
  expect(read(`${space}/softtype/new`, '/data/$version')).toBe(2);
  expect(service.objects.makeLike('new', 'nobody')).toBe(false);
});
