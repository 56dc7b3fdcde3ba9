import { expect, test } from 'vitest';
import type { Reply } from '../exchange.ts';
import { looksOf } from './reading.ts';
import { openRoles, type Roles } from './roles.ts';

const oid = '8ce9b221-1d27-4ee9-a064-65c67358eb1b';

function rolesAt(baseUrl: string): Roles {
  const port = { member: 'files', portId: 'files', entry: {}, text: 'comment' };
  const softTypes = { primary: { definitionId: 'Doc', inputSchemaId: 'in', outputSchemaId: 'out', body: {} } };
  const profile = {
    profileVersion: 1 as const,
    implementation: 'any',
    baseUrl,
    space: 'main',
    identities: { editor: {} },
    softTypes,
  };
  const shape = {
    type: { definitionId: 'D', inputSchemaId: 'in', outputSchemaId: 'out', body: {} },
    scalars: ['note', 'remark'],
    numbers: [],
    flags: [],
    telling: [],
    endings: [],
    showsNull: false,
    showsEmpty: false,
    object: undefined,
    ports: [port],
    filter: undefined,
    kinds: new Set<never>(),
  };
  const roles = openRoles({ loaded: { profile, source: 'here', variables: {} }, shape });
  roles.note(oid, '(object 1)');
  return roles;
}

function reply(json: unknown, headers: Reply['headers'] = {}): Reply {
  const text = JSON.stringify(json);
  const exchange = { request: { method: 'GET', url: '', headers: [] }, sentAt: 0, durationMs: 0 };
  return {
    status: 200,
    headers,
    bytes: Buffer.from(text),
    text,
    json,
    url: 'http://a/x/api/space/main/softtype/1',
    exchange,
  };
}

test('URIs are told by route, whatever the address and the form', () => {
  const roles = rolesAt('http://a/x');
  const route = '/api/space/(space)/softtype/page/(definition)/(output schema)/(port 1)/(object 1)/{pageNumber}';
  const path = `/x/api/space/main/softtype/page/Doc/out/files/${oid}/{pageNumber}`;
  expect(roles.routeOf(path, 'http://a/x')).toEqual({ route, form: 'from the host on' });
  expect(roles.routeOf(`http://a${path}`, 'http://a/x')).toEqual({ route, form: 'with host' });
  expect(rolesAt('http://b').routeOf(path.slice(2), 'http://b')).toEqual({ route, form: 'from the host on' });
});

test('answers look alike whatever their ids, times, texts, header case and order of members', () => {
  const one = looksOf(
    reply({ data: { $oid: oid, note: 'a', own: 1 }, version: 3, links: [] }, { etag: 'W/"1"', date: 'today' }),
    'instance read',
    rolesAt('http://a/x'),
  );
  const two = looksOf(
    reply({ links: [], version: 7, data: { note: 'b', $oid: oid, other: 2 } }, { etag: 'W/"2"' }),
    'instance read',
    rolesAt('http://a/x'),
  );
  expect(two).toEqual(new Map([...two.keys()].map((place) => [place, one.get(place)])));
  expect([...one.keys()].toSorted()).toEqual([...two.keys()].toSorted());
  expect(one.get('body.data.(scalar 1)')).toBe('a text');
});

test('what is null, empty or not there does not look alike', () => {
  const roles = rolesAt('http://a/x');
  const look = (data: object): string | undefined =>
    looksOf(reply({ data }), 'instance read', roles).get('body.data.(array 1)');
  expect([look({ files: [] }), look({ files: null }), look({}), look({ files: [{}] })]).toEqual([
    'an empty array',
    'null',
    undefined,
    'an array',
  ]);
});
