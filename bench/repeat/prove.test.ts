import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { prove } from './prove.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-scripts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the script of a finding', () => {
  test.each([
    ['batch.failure.status-500', 'a batch'],
    ['files.chunk.relative-path-subdirectories', 'polled for before it failed'],
    ['maturity.promote.moves-state', 'a state behind a version'],
    ['paging.page-body.href-leads-back', 'a link to what was read before'],
    ['reading.entries.ids-stable-between-reads', 'two answers that differ'],
    ['versioning.refused.changes-nothing', 'a version that is behind'],
  ] as const)('shows %s where it is broken, and nothing at the right server: %s', async (rule, _why) => {
    expect(await prove(rule, folder)).toMatchObject({ end: 'proven', played: true });
  });
});
