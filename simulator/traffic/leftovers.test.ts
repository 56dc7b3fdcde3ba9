import { describe, expect, test } from 'vitest';
import type { Profile } from '../../contract/profile.ts';
import type { Send } from './drive.ts';
import { madeUp, madeUpGround } from './judging/made-up.fixture.ts';
import { Leftovers } from './leftovers.ts';
import type { HttpStep } from './step.ts';

const profile: Profile = {
  profileVersion: 1,
  implementation: 'made up',
  baseUrl: 'http://localhost/gateway/',
  space: 'main',
  identities: { editor: { token: 'ready' } },
  routes: { softTypeDelete: '/api/space/{spaceId}/softtype/{definitionId}/{objectId}' },
};
const signal = new AbortController().signal;
const numbers = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `o${index}`);

interface Told {
  readonly given?: Profile;
  readonly answer?: (step: HttpStep) => number;
  readonly version?: number;
  readonly exchange?: ReturnType<typeof madeUp>;
  readonly signal?: AbortSignal;
}

async function removed(oids: readonly string[], { given = profile, answer = () => 204, ...told }: Told = {}) {
  const asked: string[] = [];
  const send: Send = async (step) => {
    asked.push(`${step.method} ${step.path}`);
    const body = step.method === 'GET' ? JSON.stringify({ version: told.version }) : '';
    return { result: { status: answer(step), headers: {}, body }, sentAt: 0, endedAt: 0 };
  };
  const leftovers = new Leftovers(given, { ground: madeUpGround, seed: 1 });
  leftovers.note(oids);
  const rule = 'versioning.sequence.matches-model';
  const { exchange } = told;
  const found = exchange && [{ rule, expected: '', actual: '', count: 1, bySecond: new Map(), exchange } as const];
  return { asked, stays: await leftovers.remove(send, found ?? [], told.signal ?? signal) };
}

test('all are deleted, the youngest first, and nothing is said', async () => {
  const { asked, stays } = await removed(['old', 'a b']);
  expect(asked).toEqual([
    'DELETE /api/space/main/softtype/Document/a%20b',
    'DELETE /api/space/main/softtype/Document/old',
  ]);
  expect(stays).toEqual([]);
});

test.each([404, 410])('what is answered by %d is gone', async (status) =>
  expect((await removed(['one'], { answer: () => status })).stays).toEqual([]),
);

test('what is refused for a while is tried again as long as others go', async () => {
  const refused = new Set<string>();
  const { asked, stays } = await removed(numbers(40), {
    answer: ({ path }) => {
      if (!path.endsWith('5') || refused.has(path)) return 204;
      refused.add(path);
      return 503;
    },
  });
  expect(asked).toHaveLength(44);
  expect(stays).toEqual([]);
});

test('a DELETE that lacks the version is sent once more with it', async () => {
  const { asked, stays } = await removed(['one'], {
    answer: ({ method, headers }) => {
      if (method === 'GET') return 200;
      return headers === undefined ? 412 : 204;
    },
    version: 7,
  });
  expect(asked).toHaveLength(3);
  expect(stays).toEqual([]);
});

describe('it is said what stays', () => {
  const beginning = 'of this traffic stay in the space main, known by note, which begins with t1.:';

  test('where the profile has no route', async () => {
    const { asked, stays } = await removed(numbers(3), { given: { ...profile, routes: {} } });
    expect(asked).toEqual([]);
    expect(stays).toEqual([`3 of 3 objects ${beginning} the profile has no routes.softTypeDelete.`]);
  });

  test('where some are refused', async () => {
    const { stays } = await removed(numbers(40), { answer: ({ path }) => (path.endsWith('5') ? 423 : 204) });
    expect(stays).toEqual([`4 of 40 objects ${beginning} DELETE was answered by 423.`]);
  });

  test('where all are refused, which is not tried for long', async () => {
    const { asked, stays } = await removed(numbers(1000), { answer: () => 403 });
    expect(asked.length).toBeLessThan(50);
    expect(stays.map((one) => Number(/^\d+/.exec(one)?.[0])).reduce((sum, count) => sum + count)).toBe(1000);
  });

  test('where the run was interrupted', async () => {
    const { asked, stays } = await removed(numbers(3), { signal: AbortSignal.abort() });
    expect(asked).toEqual([]);
    expect(stays).toEqual([`3 of 3 objects ${beginning} the run ended before they were deleted.`]);
  });

  test('where the target answers no more and the run is interrupted', async () => {
    const leftovers = new Leftovers(profile, { ground: madeUpGround, seed: 1 });
    leftovers.note(numbers(20));
    const interruption = new AbortController();
    const never: Send = () => {
      interruption.abort();
      return new Promise(() => undefined);
    };
    const stays = await leftovers.remove(never, [], interruption.signal);
    expect(stays).toEqual([`20 of 20 objects ${beginning} the run ended before they were deleted.`]);
  });

  test('where a broken rule was seen at it', async () => {
    const exchange = madeUp({ step: { path: '/api/space/main/softtype/Document/in/o1?x=y' } });
    const { asked, stays } = await removed(numbers(2), { exchange });
    expect(asked).toEqual(['DELETE /api/space/main/softtype/Document/o0']);
    expect(stays).toEqual([
      'What broken rules were seen at stays to be looked at: http://localhost/gateway/api/space/main/softtype/o1.',
    ]);
  });
});
