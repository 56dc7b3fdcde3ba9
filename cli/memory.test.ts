import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const memory = new URL('memory.ts', import.meta.url).href;

/** Tells the room for what is new, in MB, after much has survived: in the process that bounds it, then in a thread of it. */
const program = `
  const { Worker, isMainThread } = require('node:worker_threads');
  const { getHeapSpaceStatistics } = require('node:v8');
  const told = () => {
    const kept = Array.from({ length: 600_000 }, (_item, index) => ({ index }));
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    console.log(young.space_size / 2 ** 20);
    return kept;
  };
  if (isMainThread)
    import(${JSON.stringify(memory)}).then(({ boundMemory }) => {
      boundMemory();
      told();
      new Worker(process._eval, { eval: true, execArgv: [] });
    });
  else told();
`;

test('what is new has 8 MB twice, in the process and in its threads, however much survives', () => {
  const told = execFileSync(process.execPath, ['--input-type=commonjs', '--eval', program], { encoding: 'utf8' });
  expect(told).toBe('16\n16\n');
});
