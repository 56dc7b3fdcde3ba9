import { readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Profile } from '../../contract/profile.ts';
import { HttpClient } from '../client/client.ts';
import { ClockControl, ControlledTime } from './controlled.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

/** What the program on the page exports. */
interface Example {
  readonly server: Server;
  readonly log: string[];
  readonly now: () => number;
  readonly later: (delayMs: number, run: () => unknown) => void;
  readonly callOut: <T>(send: () => Promise<T>) => Promise<T>;
}

const page = readFileSync(new URL('../../docs/control.md', import.meta.url), 'utf8');
const [, program = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
const file = join(makeFolder(), 'control.mjs');
writeFileSync(file, program);
const example = (await import(/* @vite-ignore */ file)) as Example;
if (!example.server.listening) await once(example.server, 'listening');
const url = `http://127.0.0.1:${(example.server.address() as AddressInfo).port}`;

afterAll(() => {
  example.server.closeAllConnections();
  example.server.close();
});

const headers = { authorization: 'Bearer hand-on-the-clock' };

describe('the example on docs/control.md', () => {
  test('has a clock that the client of the suite moves, timer by timer', async () => {
    const profile: Profile = {
      profileVersion: 1,
      implementation: 'example',
      baseUrl: `${url}/base`,
      space: '-',
      identities: { editor: {} },
      time: { mode: 'controlled', control: { url: `${url}/control/clock`, token: 'hand-on-the-clock' } },
    };
    const control = new ClockControl(profile, new HttpClient());
    const { now, next } = await control.state();
    expect(Math.abs(now - Date.now())).toBeLessThan(10_000);
    expect(next).toBe(Infinity);

    const time = new ControlledTime({ control, requestsUnderWay: () => 0, requestsSent: () => 0 });
    const fired: number[] = [];
    const participant = await time.join(new AbortController().signal);
    const from = example.now();
    const again = (): void => {
      fired.push(example.now() - from);
      if (fired.length < 3) example.later(32_000, again);
      else void example.callOut(async () => fired.push(-1));
    };
    example.later(60_000, again);
    expect((await control.state()).next).toBe(from + 60_000);
    await participant.until(new Promise<never>(() => undefined), 200_000);
    participant.leave();
    expect(fired).toEqual([60_000, 92_000, 124_000, -1]);
    expect(time.now()).toBe(from + 200_000);
    await time.close();
    const stoodAt = from + 200_000;
    await expect.poll(() => example.now()).toBeGreaterThan(stoodAt);
    await new Promise<void>((resolve) => example.later(5, resolve));
    expect(example.now() - stoodAt).toBeLessThan(100_000);
  });

  test('comes back from a restart, and shows its log', async () => {
    expect((await fetch(`${url}/control/restart`, { method: 'POST', headers })).status).toBe(204);
    example.log.push('[abc] read', '[xyz] edit');
    const log = await fetch(`${url}/control/log?correlationId=abc`, { headers });
    expect(await log.text()).toBe('[abc] read');
    expect((await fetch(`${url}/control/log`)).status).toBe(401);
  });
});
