import { randomUUID } from 'node:crypto';
import fc, { string } from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { CaseContext } from '../case.ts';
import { alterOid } from '../given.ts';
import { openContext } from '../case/open-context.ts';
import { CaseRecord } from '../case/record.ts';
import type { Session } from '../run/session.ts';
import {
  objectStore,
  sendJson,
  smallProfile,
  smallService,
  type Handle,
  type SmallService,
} from '../small-service.fixture.ts';
import { sessionFor } from '../run/session.fixture.ts';

interface Scene extends CaseContext {
  readonly small: SmallService;
  readonly session: Session;
  readonly record: CaseRecord;
}

async function sceneOn(handle: Handle, more = '', editor?: string): Promise<Scene> {
  const small = await smallService(handle);
  const session = sessionFor(smallProfile(small.url, more, editor));
  const record = new CaseRecord(true);
  return { small, session, record, ...openContext(session, { name: 'test', seed: 1, record }) };
}

const thingOf = ({ profile }: CaseContext, oid: string) => ({
  oid,
  location: '',
  type: profile.primary,
  space: 'main',
  version: 4,
  body: {},
});
const echo: Handle = (_request, response) => sendJson({}, response);

describe('requests', () => {
  test('percent-encode every segment', async () => {
    const scene = await sceneOn(echo);
    await fc.assert(
      fc.asyncProperty(string({ minLength: 1, unit: 'grapheme' }), async (oid) => {
        await scene.service.read(thingOf(scene, oid));
        const segments = scene.small.arrived.at(-1)?.url.split('/') ?? [];
        expect(segments).toHaveLength(6);
        expect(decodeURIComponent(segments[5] ?? '')).toBe(oid);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['has ended', `e30.${Buffer.from('{"exp":1000000000}').toString('base64url')}.s`, 'ended at 2001-09-09T01:46:40'],
    ['lives', `e30.${Buffer.from('{"exp":9000000000}').toString('base64url')}.s`, undefined],
    ['tells nothing', 'opaque-0815', undefined],
  ])('with a stated token that %s, refused, tell of the profile where it has ended alone', async (_, token, told) => {
    const scene = await sceneOn((_request, response) => void response.writeHead(401).end(), '', `{ token: ${token} }`);
    const reading = scene.service.read(thingOf(scene, 'o'));
    if (told === undefined) expect((await reading).status).toBe(401);
    else await expect(reading).rejects.toThrow(told);
  });

  test('carry token, filter, version and media type unless a case says otherwise', async () => {
    const scene = await sceneOn(echo);
    const thing = thingOf(scene, 'o');
    const headersOf = () =>
      Object.fromEntries(scene.small.arrived.at(-1)?.headers.map(([name, value]) => [name, value]) ?? []);
    await scene.service.operations(thing, []);
    expect(headersOf()).toMatchObject({
      Authorization: 'Bearer editor-token-0815',
      'Svc-InformationFilter': Buffer.from('{}').toString('base64'),
      'Svc-UOIVersion': '4',
      'Content-Type': 'application/json-patch+json',
    });
    await scene.service.merge(thing, 'raw', {
      as: null,
      filter: { time: 1 },
      version: 'four',
      headers: { 'content-TYPE': 'text/x' },
    });
    expect(headersOf()).toMatchObject({
      'Svc-InformationFilter': 'eyJ0aW1lIjoxfQ==',
      'Svc-UOIVersion': 'four',
      'content-TYPE': 'text/x',
    });
    expect(Object.keys(headersOf())).not.toEqual(expect.arrayContaining(['Authorization']));
    await scene.service.merge(
      thing,
      {},
      { filter: null, version: null, headers: { authorization: 'Own x', 'Content-Type': null } },
    );
    expect(Object.keys(headersOf()).filter((name) => /^(svc-|content-type)/i.test(name))).toEqual([]);
    expect(headersOf()).toMatchObject({ authorization: 'Own x' });
    expect(scene.small.arrived.at(-2)?.body.toString()).toBe('raw');
  });

  test('edit by operations where the deployment does without merges, which no case can send then', async () => {
    const scene = await sceneOn(echo, 'notSupported: { merge: none }');
    const thing = { ...thingOf(scene, 'o-1'), body: { note: 'before' } };
    await scene.service.edit(thing, { note: 'x', other: 'y' });
    const [sent] = scene.small.arrived;
    expect([sent?.method, sent?.url]).toEqual(['PATCH', `/api/space/main/softtype/${thing.type.definitionId}/o-1`]);
    expect(JSON.parse(String(sent?.body))).toEqual([
      { op: 'replace', path: '/note', value: 'x' },
      { op: 'add', path: '/other', value: 'y' },
    ]);
    expect(() => scene.service.requests.merge(thing, {})).toThrow(
      expect.objectContaining({ code: 'INCONCLUSIVE', missing: ['merge'] }),
    );
  });

  test('read by the long route where the short one applies another output schema', async () => {
    const scene = await sceneOn(echo);
    const thing = thingOf(scene, 'o-1');
    const { outputSchemaId } = thing.type;
    const pathTo = (shortRouteSchemaId: string) =>
      new URL(scene.service.requests.read({ ...thing, type: { ...thing.type, shortRouteSchemaId } }).url).pathname;
    expect(pathTo(outputSchemaId)).toBe('/api/space/main/softtype/o-1');
    expect(pathTo('brief')).toBe(`/api/space/main/softtype/${thing.type.definitionId}/${outputSchemaId}/o-1`);
  });

  test('refuse an identity that the profile does not bind', async () => {
    const scene = await sceneOn(echo);
    await expect(scene.service.read(thingOf(scene, 'o'), { as: 'reader' })).rejects.toThrow('the identity reader');
  });
});

describe('given', () => {
  /** The store behind an answer to POST that tells the place of the object in its own way. */
  const telling = (tell: (oid: string) => { headers?: Record<string, string>; body?: unknown }): Handle => {
    const store = objectStore();
    let count = 0;
    return (request, response, message) => {
      if (request.method !== 'POST') return store(request, response, message);
      count += 1;
      const { headers = {}, body } = tell(`o-${count}`);
      const { writeHead } = response;
      response.writeHead = ((status: number) => writeHead.call(response, status, headers)) as typeof writeHead;
      const { end } = response;
      response.end = (() => end.call(response, body === undefined ? '' : JSON.stringify(body), 'utf8')) as typeof end;
      return store(request, response, message);
    };
  };

  test.each([
    [
      'an absolute Location behind the gateway',
      (oid: string) => ({ headers: { Location: `http://internal:8080/api/space/main/softtype/${oid}` } }),
    ],
    [
      'a Location that names the object on a route that is not served',
      (oid: string) => ({ headers: { Location: `/nowhere/${oid}` } }),
    ],
    ['the href in the body', (oid: string) => ({ body: { href: `/api/space/main/softtype/${oid}` } })],
    ['the $oid in the body', (oid: string) => ({ body: { data: { $oid: oid } } })],
  ])('finds an object by %s', async (_name, tell) => {
    const { given } = await sceneOn(telling(tell));
    expect(await given.object()).toMatchObject({ oid: 'o-1', version: 1 });
    expect(await given.edited(await given.object(), 3)).toMatchObject({ oid: 'o-2', version: 4 });
  });

  test('shows what is mandatory in an object member, also where a later edit brought it', async () => {
    const paint = { code: 'RAL-1', colour: 'red', other: 'unknown' };
    const scene = await sceneOn((_request, response) =>
      sendJson({ version: 1, links: [], data: { $oid: 'o-1', $version: 1, paint } }, response),
    );
    const thing = thingOf(scene, 'o-1');
    const object = { member: 'paint', scalars: ['colour', 'finish'], body: { code: 'RAL-1' } };
    const { members } = await scene.service.snapshot({ ...thing, type: { ...thing.type, object } });
    expect(members).toEqual({ paint: { code: 'RAL-1', colour: 'red' } });
  });

  test('says which rules it stands on where it finds nothing', async () => {
    const { given } = await sceneOn(telling(() => ({})));
    await expect(given.object()).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      standsOn: expect.arrayContaining(['headers.location.on-create']),
    });
  });

  test('proves entries by any of the three signs, and by nothing else', async () => {
    for (const hidden of ['totalNumber', 'data', 'both']) {
      const store = objectStore();
      const { given } = await sceneOn((request, response, message) => {
        const { end } = response;
        const without = (text: string): string => {
          const body = JSON.parse(text) as { links?: unknown[]; data: unknown };
          if (hidden !== 'data' && body.links !== undefined) body.links = [];
          if (hidden !== 'totalNumber' && request.url.includes('/page/')) body.data = [];
          return JSON.stringify(body);
        };
        response.end = ((text?: unknown) =>
          end.call(response, typeof text === 'string' ? without(text) : undefined, 'utf8')) as typeof end;
        return store(request, response, message);
      });
      const owner = given.objectWithEntries(18);
      if (hidden === 'both') await expect(owner).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
      else expect((await owner).texts).toHaveLength(18);
    }
  });

  test('reads no further than there is something, whatever number is promised', async () => {
    const store = objectStore();
    const { given, service, small } = await sceneOn((request, response, message) => {
      const { end } = response;
      response.end = ((text?: unknown) =>
        end.call(
          response,
          typeof text === 'string' ? text.replace(/"totalNumber":\d+/, '"totalNumber":9007199254740991') : undefined,
          'utf8',
        )) as typeof end;
      return store(request, response, message);
    });
    const owner = await given.objectWithEntries(18);
    const before = small.arrived.length;
    await service.snapshot(owner);
    expect(small.arrived.slice(before).filter(({ url }) => url.includes('/page/')).length).toBeLessThan(20);
  });

  test('makes the same texts for the same seed and others for another name', async () => {
    const { session } = await sceneOn(echo);
    const texts = (name: string, seed: number) => {
      const { given } = openContext(session, { name, seed, record: new CaseRecord(true) });
      return [given.unique(), given.unique('note'), given.body()['title']];
    };
    expect(texts('a', 1)).toEqual(texts('a', 1));
    expect(new Set([...texts('a', 1), ...texts('b', 1), ...texts('a', 2)]).size).toBe(9);
  });
});

describe('changedOid', () => {
  test('changes one character to another of its kind, to what is not taken', () => {
    fc.assert(
      fc.property(
        string({ minLength: 1, unit: fc.constantFrom(...'019afAFzZ-') }).filter(
          (oid) => oid !== '-'.repeat(oid.length) && !/^(?:[a-z]*-)*[1-9]\d{0,6}$/i.test(oid),
        ),
        (oid) => {
          const first = alterOid(oid, () => false);
          const second = alterOid(oid, (other) => other === first);
          expect(new Set([oid, first, second]).size).toBe(3);
          expect(first).toHaveLength(oid.length);
          expect([...first].filter((character, index) => character !== oid[index])).toHaveLength(1);
        },
      ),
    );
    // what a run makes would come to 9234
    expect(alterOid('1234', () => false)).toBe('90001234');
    expect(alterOid('doc-7', (other) => other === 'doc-90000007')).toBe('doc-80000007');
    expect(alterOid('0b54-ff01', () => false)).toBe('0b54-ef01');
    expect(alterOid('HU:000369', () => false)).toBe('HU:900369');
    // a first digit more would be no integer of 64 bits any more, nor a ULID
    expect(alterOid('1812345678901234567', () => false)).toBe('1812345679901234567');
    expect(alterOid('01JD3M9Z7Q4X8V2KPWNTGBRHEC', () => false)).toBe('01JD3M9Z7Q4X8Z2KPWNTGBRHEC');
  });
});

describe('tokens', () => {
  const grantAuth = 'auth: { tokenUrl: /token, clientId: id, clientSecret: client-secret }';
  const user = '{ username: edda, password: secret-word }';
  const granting = (lifetime: number | undefined, accepts: (token: string) => boolean): Handle => {
    let granted = 0;
    return ({ url, headers }, response) => {
      if (url !== '/token')
        return sendJson({}, response, accepts(Object.fromEntries(headers)['Authorization'] ?? '') ? 200 : 401);
      granted += 1;
      return sendJson(
        { access_token: `token-${granted}`, ...(lifetime !== undefined && { expires_in: lifetime }) },
        response,
      );
    };
  };
  const grants = (small: SmallService) => small.arrived.filter(({ url }) => url === '/token');

  test('are asked for once, with the form of the document', async () => {
    const { service, small } = await sceneOn(
      granting(3600, () => true),
      grantAuth,
      user,
    );
    await Promise.all(Array.from({ length: 5 }, () => service.get('/x')));
    expect(grants(small)).toHaveLength(1);
    expect(grants(small)[0]?.body.toString()).toBe('grant_type=password&username=edda&password=secret-word&scope=All');
    expect(Object.fromEntries(grants(small)[0]?.headers ?? [])).toMatchObject({
      Authorization: `Basic ${btoa('id:client-secret')}`,
    });
    expect(await service.token('editor')).toBe('token-1');
  });

  test('are replaced when their lifetime is nearly over, and when a young one is refused, but not for ever', async () => {
    const spent = await sceneOn(
      granting(0, () => true),
      grantAuth,
      user,
    );
    await spent.service.get('/x');
    await spent.service.get('/x');
    expect(grants(spent.small)).toHaveLength(2);
    const young = await sceneOn(
      granting(3600, () => false),
      grantAuth,
      user,
    );
    expect((await young.service.get('/x')).status).toBe(401);
    expect(grants(young.small)).toHaveLength(11);
    const { tokens } = young.session;
    for (let time = 0; time < 400; time += 1) await tokens.current('editor', (await tokens.of('editor')) ?? '');
    expect(grants(young.small)).toHaveLength(301);
  });

  /** Each grant ends the token before. A case that is granted many of them is at work meanwhile. */
  test('outlast those that others are granted, and are asked for once by all', async () => {
    let latest = '';
    const inTurn: Handle = ({ url, headers }, response) => {
      if (url !== '/token')
        return sendJson({}, response, Object.fromEntries(headers)['Authorization'] === `Bearer ${latest}` ? 200 : 401);
      latest = randomUUID();
      return sendJson({ access_token: latest, expires_in: 3600 }, response);
    };
    const { service, session, small } = await sceneOn(inTurn, grantAuth, user);
    const now = vi.spyOn(session.time, 'now').mockReturnValue(0);
    await service.get('/x');
    now.mockReturnValue(3_600_000);
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.get('/x')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(grants(small)).toHaveLength(2);

    latest = 'of somebody else';
    expect((await service.raw(service.requests.get('/x'))).status).toBe(200);

    const others = setInterval(() => void (latest = randomUUID()), 0);
    const late = service.get('/x');
    setTimeout(() => clearInterval(others), 500);
    expect((await late).status).toBe(200);
  });

  test('are asked for again where the case that did is stopped', async () => {
    const held = Promise.withResolvers<void>();
    const slow: Handle = async ({ url }, response) => {
      if (url === '/token') await held.promise;
      sendJson(url === '/token' ? { access_token: 'one' } : {}, response);
    };
    const { session, small } = await sceneOn(slow, grantAuth, user);
    const stopped = new AbortController();
    const asked = session.tokens.of('editor', {
      reuse: false,
      retries: [],
      signal: stopped.signal,
      add: () => undefined,
    });
    const waits = session.tokens.of('editor');
    await vi.waitFor(() => expect(grants(small)).toHaveLength(1));
    stopped.abort();
    await expect(asked).rejects.toThrow();
    held.resolve();
    expect(await waits).toBe('one');
    expect(grants(small)).toHaveLength(2);
  });

  test('are replaced when the time of the service was moved over their end, as often as it is', async () => {
    const { service, session, small } = await sceneOn(
      granting(60, () => true),
      grantAuth,
      user,
    );
    const now = vi.spyOn(session.time, 'now').mockReturnValue(0);
    for (let moves = 1; moves <= 150; moves += 1) {
      now.mockReturnValue(moves * 60_000);
      expect(await service.token('editor')).toBe(`token-${moves}`);
    }
    await service.get('/x');
    expect(grants(small)).toHaveLength(150);
  });

  test('that are not granted stand on the rule of the grant, and say what to check', async () => {
    const { service } = await sceneOn((_request, response) => sendJson({}, response, 401), grantAuth, user);
    await expect(service.get('/x')).rejects.toMatchObject({
      standsOn: ['auth.grant.returns-access-token'],
      message: expect.stringContaining('identities.editor in the profile'),
    });
  });

  test('are the personal access token where nothing else is there', async () => {
    const { service } = await sceneOn(echo, '', '{ username: edda, pat: personal }');
    expect(await service.token('editor')).toBe('personal');
  });
});
