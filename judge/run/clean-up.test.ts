import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Booking } from '../case/bookings.ts';
import { TargetUnreachable } from '../client/failure.ts';
import type { Reply, RequestSpec } from '../exchange.ts';
import { smallProfile } from '../small-service.fixture.ts';
import { cleanUp, CleanUpTime } from './clean-up.ts';

const unending = (): CleanUpTime => {
  const time = new CleanUpTime(2 ** 31 - 1);
  onTestFinished(() => time[Symbol.dispose]());
  return time;
};
const { profile } = smallProfile('http://127.0.0.1:1');
const booking = (name: string): Booking => ({
  uri: `/${name}`,
  madeBy: 'a case',
  remove: { method: 'DELETE', url: `/${name}`, as: 'editor' },
});

function answering(statusOf: (url: string) => number): {
  send: (request: RequestSpec) => Promise<Reply>;
  sent: string[];
} {
  const sent: string[] = [];
  return {
    sent,
    send: async ({ url }) => {
      sent.push(url);
      return {
        status: statusOf(url),
        headers: {},
        bytes: new Uint8Array(),
        text: '',
        json: undefined,
        url,
        exchange: { request: { method: 'DELETE', url, headers: [] }, sentAt: 0, durationMs: 0 },
      };
    },
  };
}

describe('clean-up', () => {
  test('deletes the youngest first and reports what stays, with the reason', async () => {
    const target = answering((url) => ({ '/gone': 404, '/held': 409 })[url] ?? 204);
    const kept: Booking = { ...booking('shown'), keepBecause: 'its case failed' };
    const routeless: Booking = { uri: '/routeless', madeBy: 'a case' };
    const remains = await cleanUp(
      target,
      [booking('old'), booking('gone'), booking('held'), kept, routeless],
      unending(),
      profile,
    );
    expect(target.sent).toEqual(['/held', '/gone', '/old', '/held']);
    expect(new Map(remains.map(({ uri, reason }) => [uri, reason]))).toEqual(
      new Map([
        ['/routeless', 'the profile has no routes.softTypeDelete'],
        ['/shown', 'its case failed'],
        ['/held', 'DELETE was answered with 409'],
      ]),
    );
  });

  test('what is refused because others need it goes once those are gone, and nothing is tried for ever', async () => {
    const neededBy: Readonly<Record<string, string>> = { '/a': '/b', '/b': '/c', '/e': '/d', '/d': '/d' };
    const gone = new Set<string>();
    const target = answering((url) => {
      const needing = neededBy[url];
      if (needing !== undefined && !gone.has(needing)) return 422;
      gone.add(url);
      return 204;
    });
    const booked = ['c', 'b', 'a', 'd', 'e'].map(booking);
    const remains = await cleanUp(target, booked, unending(), profile);
    expect(remains.map(({ uri }) => uri).toSorted()).toEqual(['/d', '/e']);
    expect(target.sent.length).toBeLessThan(20);
  });

  test('what the route of the removal asks for is taken from the long address that a read shows', async () => {
    const routes = { softTypeDelete: '/api/space/{spaceId}/softtype/{definitionId}/{inputSchemaId}/{objectId}' };
    const asking = { ...profile, baseUrl: 'http://127.0.0.1:1/base', routes };
    const incomplete = { as: 'editor', ids: { spaceId: 'main', objectId: 'o 1' } } as const;
    const made = (uri: string): Booking => ({ uri, madeBy: 'a case', incomplete });
    const target = answering((url) => (url.includes('softtype/Document') ? 204 : 200));
    const href = '/base/api/space/main/softtype/Document/out/o%201';
    const send = async (request: RequestSpec): Promise<Reply> => ({
      ...(await target.send(request)),
      ...(request.url.endsWith('/gone') && { status: 404 }),
      ...(request.method === 'GET' && {
        json: request.url.endsWith('/known') ? { links: [{ rel: 'self', href }] } : {},
      }),
    });
    const base = 'http://127.0.0.1:1/base/api/space/main/softtype';
    const remains = await cleanUp(
      { send },
      [made(`${base}/known`), made(`${base}/unknown`), made(`${base}/gone`)],
      unending(),
      asking,
    );
    expect(target.sent.filter((url) => url.includes('Document'))).toEqual([`${base}/Document/in/o%201`]);
    expect(remains).toEqual([
      { uri: `${base}/unknown`, reason: 'no address of it shows what routes.softTypeDelete asks for' },
    ]);
  });

  test('where a file cannot be deleted, looks whether it is there', async () => {
    const target = answering(() => 400);
    const statuses: Readonly<Record<string, number>> = { '/nowhere': 400, '/there': 200, '/hidden': 403 };
    const send = async (request: RequestSpec): Promise<Reply> => {
      const reply = await target.send(request);
      return request.method === 'GET' ? { ...reply, status: statuses[request.url] ?? 500 } : reply;
    };
    const file = (name: string): Booking => ({
      ...booking(name),
      read: { method: 'GET', url: `/${name}`, as: 'editor' },
    });
    const remains = await cleanUp(
      { send },
      Object.keys(statuses).map((name) => file(name.slice(1))),
      unending(),
      profile,
    );
    expect(remains.map(({ uri }) => uri).toSorted()).toEqual(['/hidden', '/there']);
  });

  test('sends the version where a DELETE asks for it', async () => {
    const versions: unknown[] = [];
    const target = answering(() => 204);
    const send = async (request: RequestSpec): Promise<Reply> => {
      const reply = await target.send(request);
      if (request.method === 'GET') return { ...reply, status: 200, json: { version: 7 } };
      versions.push(request.version);
      return { ...reply, status: request.version === undefined ? 412 : 204 };
    };
    expect(await cleanUp({ send }, [booking('strict')], unending(), profile)).toEqual([]);
    expect(versions).toEqual([undefined, 7]);
  });

  test('every object is either deleted or remains', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(200, 204, 403, 404, 500), { maxLength: 60 }), async (statuses) => {
        const target = answering((url) => statuses[Number(url.slice(1))] ?? 500);
        const remains = await cleanUp(
          target,
          statuses.map((_, index) => booking(String(index))),
          unending(),
          profile,
        );
        const staying = statuses.flatMap((status, index) => (status === 403 || status === 500 ? [`/${index}`] : []));
        expect(remains.map(({ uri }) => uri).toSorted()).toEqual(staying.toSorted());
        expect(target.sent.length).toBeLessThanOrEqual(2 * statuses.length);
      }),
    );
  });

  test('goes on for as long as something is gone now and then, and no longer', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const remainingWhere = async (status: number): Promise<readonly string[]> => {
      const target = answering(() => status);
      const send = (request: RequestSpec): Promise<Reply> => {
        vi.advanceTimersByTime(3000);
        return target.send(request);
      };
      const booked = Array.from({ length: 100 }, (_, index) => booking(String(index)));
      using time = new CleanUpTime(60_000);
      const remains = await cleanUp({ send }, booked, time, profile);
      return remains.map(({ reason }) => reason);
    };
    expect(await remainingWhere(204)).toEqual([]);
    const reasons = await remainingWhere(403);
    expect(reasons).toHaveLength(100);
    expect(reasons).toContain('the clean-up ended before: nothing was removed for 60 s');
  });

  test('ends when nobody answers any more, with everything left remaining', async () => {
    let sent = 0;
    const send = async (): Promise<Reply> => {
      sent += 1;
      throw new TargetUnreachable('nobody there');
    };
    const remains = await cleanUp(
      { send },
      Array.from({ length: 100 }, (_, index) => booking(String(index))),
      unending(),
      profile,
    );
    expect(remains).toHaveLength(100);
    expect(sent).toBeLessThan(20);
  });
});
