import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { serve } from '../../cli/served.fixture.ts';
import { makeFolder } from '../../fixtures/folder.fixture.ts';
import { broken, callsOf, tryCall } from './try-call.ts';

const folder = makeFolder();
const profile = join(folder, 'profile.yaml');
const { profile: text } = await serve({ faults: [broken] });
let calls: readonly string[] = [];

beforeAll(async () => {
  writeFileSync(profile, text);
  calls = await callsOf(profile, join(folder, 'all'));
});

/** One of a kind; `npm run bench:torture` tries all. */
const sample = [
  'openSync cli/check/outcomes-file.ts',
  'new Worker judge/run/start-worker.ts',
  'Worker.postMessage judge/run/thread.ts',
  'setInterval judge/run/run-cases.ts',
  'JSON.stringify cli/check/outcomes-file.ts',
  'Socket.connect judge/client/reach.ts',
  'stdout.write cli/outlet.ts',
];

describe('a run in which one call fails', () => {
  test('makes at least ninety that may', () => {
    expect(calls.length).toBeGreaterThanOrEqual(90);
  });

  test.each(sample)('is not green, ends, and loses no violation that is on record: %s', async (name) => {
    const call = calls.find((one) => one.startsWith(name));
    expect(call, name).toBeDefined();
    const ending = await tryCall(call ?? '', profile, join(folder, String(sample.indexOf(name))));
    expect(ending).toMatchObject({ hasFailed: true });
    expect(ending.wrong).toBeUndefined();
  });
});
