import { expect, test } from 'vitest';
import { startExtensionHost } from './host.ts';
import { calling } from './service.fixture.ts';

interface Answer {
  readonly status: number;
  readonly now: number;
  readonly running: boolean;
  readonly timers: readonly { readonly at: number; readonly tag: string }[];
  readonly fired: readonly { readonly at: number }[];
}

test('the clock of a host is told and moved by whoever has its token', async () => {
  await using host = await startExtensionHost({ control: true, script: [{ steps: [{ delayMs: 60_000 }] }] });
  const { url = '', token = '' } = host.control ?? {};
  const asked = async (body?: unknown, bearer = token): Promise<Answer> => {
    const answer = await fetch(url, {
      headers: { authorization: `Bearer ${bearer}` },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    return { ...((await answer.json()) as Omit<Answer, 'status'>), status: answer.status };
  };
  expect(await asked()).toMatchObject({ status: 200, running: true, timers: [], calls: 0 });
  expect((await asked()).now).toBeGreaterThan(Date.UTC(2020));
  expect((await asked({ by: 1 }, 'wrong')).status).toBe(401);
  const { now } = await asked({ by: 0 });
  const call = calling(host.url)('event', { id: 'a', payload: {} });
  await expect.poll(async () => (await asked()).timers).toEqual([{ at: now + 60_000, tag: '' }]);
  expect(await asked({ to: now + 59_999, held: 0 })).toMatchObject({ running: false, fired: [] });
  expect(await asked({ next: true })).toMatchObject({ now: now + 60_000, fired: [{ at: now + 60_000 }], timers: [] });
  expect((await call).status).toBe(200);
  expect((await asked({ sideways: 1 })).status).toBe(400);
});

test('a host that is not controlled serves no clock', async () => {
  await using host = await startExtensionHost();
  expect(host.control).toBeUndefined();
  expect((await fetch(`${host.url}/_control/clock`)).status).toBe(404);
});
