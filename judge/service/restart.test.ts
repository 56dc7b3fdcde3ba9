import { expect, test } from 'vitest';
import type { Profile } from '../../contract/profile.ts';
import { restart } from './restart.ts';
import { smallService } from '../small-service.fixture.ts';

async function restartOf(statuses: readonly number[]): Promise<number> {
  let asked = 0;
  const service = await smallService((_request, response) => {
    response.statusCode = statuses[Math.min(asked, statuses.length - 1)] ?? 204;
    asked += 1;
    response.end();
  });
  await restart({ baseUrl: service.url, restart: { url: '/restart' } } as Profile);
  return asked;
}

test.for([429, 503])('a restart that is answered %d, as one is under way, is asked for again', async (status) => {
  expect(await restartOf([status, status, 204])).toBe(3);
});

test.for([403, 500])('one that is answered %d is a matter of the profile', async (status) => {
  await expect(restartOf([status])).rejects.toThrow(`which answered ${status}; check restart in the profile`);
});
