import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killOverAndOver } from '../../bench/kill/servers.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';

test('a server that is killed at random moments loses nothing that it accepted, and sends nothing again that was on record', async () => {
  const { lost, resent, accepted, cycles } = await killOverAndOver({ file: join(makeFolder(), 'store.sqlite') }, 3);
  expect(cycles).toBe(3);
  expect(accepted).toBeGreaterThan(0);
  expect({ lost, resent }).toEqual({ lost: 0, resent: 0 });
});
