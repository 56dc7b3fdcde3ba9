import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killOverAndOver } from '../../bench/kill/servers.ts';

test('a server that is killed at random moments loses nothing that it accepted, and sends nothing again that was on record', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'killed-'));
  const { lost, resent, accepted, cycles } = await killOverAndOver({ file: join(folder, 'store.sqlite') }, 5);
  await rm(folder, { recursive: true });
  expect(cycles).toBe(5);
  expect(accepted).toBeGreaterThan(0);
  expect({ lost, resent }).toEqual({ lost: 0, resent: 0 });
});
