import { describe, expect, test } from 'vitest';
import { randomFrom } from '../chance.ts';
import { madeUpGround } from '../judging/made-up.fixture.ts';
import { bulkLoader } from './bulk-loader.ts';

const content = { kind: 'generated', seed: 1, length: 3 } as const;
const bulk = {
  path: '/admin/fileupload/main',
  signature: 'right',
  otherSignature: 'wrong',
  sourceDirectory: '/import',
  files: ['kept.txt', 'late.txt'].map((name) => ({ name, content })),
  waitMs: 1000,
};
const fileArea = { path: '/files', as: 'editor', minChunkSize: 1 } as const;

/** What the journey downloads and complains of where looks for the late file are answered so, the last one from then on. */
function seen(looks: readonly number[]): readonly string[] {
  let [now, look] = [0, 0];
  const told: string[] = [];
  const steps = bulkLoader({
    user: 0,
    iteration: 0,
    now: () => now,
    random: randomFrom(1),
    ground: { ...madeUpGround, bulk, fileArea },
  });
  for (let next = steps.next(); next.done !== true;) {
    const step = next.value;
    if (step.kind === 'think') now += step.ms;
    if (step.kind === 'check') told.push(step.rule);
    if (step.kind === 'http' && step.op === 'download') told.push(step.path.split('/').at(-1) ?? '');
    const isLook = step.kind === 'http' && step.op === 'look for file';
    const status = isLook ? (looks[Math.min(look++, looks.length - 1)] ?? 0) : 200;
    next = steps.next({ status, headers: {}, body: '' });
  }
  return told;
}

describe('a file of a bulk upload is looked for', () => {
  test.each<[string, readonly number[], readonly string[]]>([
    ['until it is there', [404, 404, 200], ['late.txt', 'kept.txt']],
    ['past looks that were put off or lost', [404, 429, 503, 0, 404, 200], ['late.txt', 'kept.txt']],
    ['until its time is over', [404], ['bulk-upload.space.uploads-tree', 'kept.txt']],
    ['in vain where nobody could say', [404, 429], ['kept.txt']],
  ])('%s', (_what, looks, expected) => expect(seen(looks)).toEqual(expected));
});
