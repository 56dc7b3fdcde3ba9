import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPossible } from '../../contract/coverage/conditions.ts';
import { callers, coveredRoutes } from '../../contract/coverage/routes.ts';
import type { Sent } from '../client/wire.ts';
import type { LoadedProfile } from '../profile/load.ts';
import { registryOf } from '../redact/profile-secrets.ts';
import { Observer } from './observer.ts';
import { ReachedLog } from './reached.ts';

const loaded: LoadedProfile = {
  profile: {
    profileVersion: 1,
    implementation: 'test',
    baseUrl: 'http://127.0.0.1:1/base',
    space: 'main',
    identities: { editor: { username: 'edda', pat: 'pat-of-edda' }, reader: { token: 'a.b.c' } },
    routes: {
      softTypePut: '/api/space/{spaceId}/softtype/{definitionId}/{inputSchemaId}/{objectId}',
      lockTake: { method: 'POST', path: '/api/space/{spaceId}/lock/{objectId}' },
    },
  },
  variables: {},
  places: {},
} as unknown as LoadedProfile;

const base = loaded.profile.baseUrl;
const bearer = { Authorization: 'Bearer pat-of-edda' };

function sent(method: string, url: string, more: Partial<Answered> = {}): Sent {
  const { status = 200, headers = {}, body, given = {}, answer = '' } = more;
  const pairs = Object.entries(headers);
  return {
    request: { method, url, headers: pairs, ...(body !== undefined && { body: Buffer.from(body) }) },
    exchange: {
      request: { method, url, headers: pairs },
      response: { status, headers: Object.entries(given), body: answer },
      sentAt: 0,
      durationMs: 0,
    },
  };
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly given: Readonly<Record<string, string>>;
  readonly answer: string;
}

function reachedBy(...exchanges: readonly Sent[]) {
  const [observer, log] = [new Observer(loaded, registryOf(loaded)), new ReachedLog()];
  for (const exchange of exchanges) observer.note(exchange, log);
  return log.take() ?? { facts: [], conditions: [] };
}

const merge = `${base}/api/space/main/softtype/Document/documentInput/1`;
const json = { 'Content-Type': 'application/json' };

describe('what an exchange reaches', () => {
  test('is its route, status and sender, its content, and the headers of the documents', () => {
    const exchange = sent('PATCH', merge, {
      status: 204,
      headers: { ...bearer, ...json, 'svc-uoiversion': '1' },
      body: '{}',
      given: { 'SVC-UOIVERSION': '2' },
    });
    expect(reachedBy(exchange).facts).toEqual([
      'merge 204 editor',
      'merge sends json',
      'merge with Svc-UOIVersion',
      'merge without Svc-InformationFilter',
      'merge without X-Correlation-Id',
      'merge gives Svc-UOIVersion',
    ]);
  });

  test.each([
    ['GET', `${base}/api/space/main/softtype/1`, bearer, 'instanceShort 200 editor'],
    ['GET', `${base}/api/space/main/softtype/a/b/1`, { Authorization: 'Bearer a.b.c' }, 'instanceLong 200 reader'],
    ['GET', `${base}/api/space/main/softtype/page/a/b/c/1/0`, {}, 'page 200 nobody'],
    ['GET', `${base}/api/space/main/fs/file/a/b?token=pat-of-edda`, {}, 'spaceDownload 200 editor'],
    ['POST', `${base}/api/space/main/fs/file/stream/a/b`, { Authorization: 'Bearer x' }, 'spaceUpload 200 stranger'],
    ['PUT', merge, { Authorization: `Basic ${btoa('edda:x')}` }, 'put 200 editor'],
    ['POST', `${base}/api/space/main/lock/1`, bearer, 'lockTake 200 editor'],
  ])('%s %s', (method, url, headers, fact) => {
    expect(reachedBy(sent(method, url, { headers })).facts[0]).toBe(fact);
  });

  test('is nothing where the address, the space or the host is another', () => {
    const elsewhere = [`${base}/api/space/other/softtype/1`, `${base}/api/space/main`, 'http://nowhere.invalid/api'];
    expect(reachedBy(...elsewhere.map((url) => sent('GET', url)))).toEqual({ facts: [], conditions: [] });
  });

  test('is told once', () => {
    const [observer, log] = [new Observer(loaded, registryOf(loaded)), new ReachedLog()];
    observer.note(sent('GET', `${base}/api/space/main/softtype/1`), log);
    expect(log.take()).toBeDefined();
    observer.note(sent('GET', `${base}/api/space/main/softtype/2`), log);
    expect(log.take()).toBeUndefined();
  });
});

describe('conditions', () => {
  const editing = { ...bearer, ...json };
  const conditionOf = (exchange: Sent, before: readonly Sent[] = []): readonly string[] => {
    const known = new Set(reachedBy(...before).conditions);
    return reachedBy(...before, exchange).conditions.filter((code) => !known.has(code));
  };

  test('tell a version that is not the last one told', () => {
    const edit = (version: string, now: string): Sent =>
      sent('PATCH', merge, {
        status: 204,
        headers: { ...editing, 'Svc-UOIVersion': version },
        body: '{}',
        given: { 'Svc-UOIVersion': now },
      });
    expect(conditionOf(edit('1', '2'))).toEqual(['3102001100']);
    expect(conditionOf(edit('1', '3'), [edit('1', '2')])).toEqual(['3102002100']);
  });

  test('tell who holds the lock', () => {
    const read = sent('GET', `${base}/api/space/main/softtype/1`, { headers: bearer });
    const take = sent('POST', `${base}/api/space/main/lock/1`, { status: 204, headers: bearer });
    expect(conditionOf(read)).toEqual(['0102000000']);
    expect(conditionOf(read, [take])).toEqual(['0102000010']);
  });

  test('are those of the operations of a batch', () => {
    const body = JSON.stringify([{ method: 'GET', href: '/api/space/main/softtype/1' }]);
    const batch = sent('POST', `${base}/api/space/main/batch`, {
      headers: editing,
      body,
      answer: '[{"statusCode":200}]',
    });
    expect(conditionOf(batch)).toEqual(['0102000001']);
  });
});

describe('any exchange', () => {
  const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'BREW');
  const segment = fc.oneof(
    fc.constantFrom('api', 'space', 'main', 'softtype', 'page', 'batch', 'fs', 'file', 'stream', 'lock', '0', '%', ''),
    fc.string({ maxLength: 5 }),
  );
  const anything = fc
    .record({
      method,
      path: fc.array(segment, { maxLength: 9 }),
      status: fc.integer({ min: 100, max: 599 }),
      headers: fc.dictionary(fc.constantFrom('Authorization', 'Content-Type', 'Svc-UOIVersion', 'x'), fc.string()),
      body: fc.oneof(fc.json(), fc.string()),
      answer: fc.oneof(fc.json(), fc.string()),
    })
    .map(({ method: by, path, ...more }) => sent(by, `${base}/${path.join('/')}`, more));

  test('is borne, and reaches nothing that is not of the documents', () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 20 }), (exchanges) => {
        const { facts, conditions } = reachedBy(...exchanges);
        for (const fact of facts) {
          const [route = '', what = '', who = ''] = fact.split(' ');
          expect(Object.keys(coveredRoutes)).toContain(route);
          if (/^\d+$/.test(what)) expect(callers).toContain(who);
        }
        expect(conditions.every(isPossible)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
