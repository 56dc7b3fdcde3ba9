import { parseArgs } from 'node:util';
import { machineLine } from './harness/machine.ts';
import { makeScratch } from './harness/scratch.ts';
import { storeSettings } from './harness/store-option.ts';
import { killOverAndOver, type Killed } from './kill/cycles.ts';

/** Whether a server that is killed at any moment loses an event that it accepted, or sends one again whose acknowledgement it had on record. `--store postgres://…`: over an empty place of that database. */
const { values } = parseArgs({ options: { cycles: { type: 'string', default: '200' }, store: { type: 'string' } } });
const cycles = Number(values.cycles);
if (!Number.isSafeInteger(cycles) || cycles < 1)
  throw new RangeError(`Expected --cycles to be a whole number from 1, found ${values.cycles}.`);

await using folder = await makeScratch();
const killed = await killOverAndOver(storeSettings({ file: folder.file('store.sqlite') }), cycles, (cycle) => {
  if (cycle % 50 === 0) console.error(`${cycle} of ${cycles} cycles`);
});
print(killed);
if (killed.lost > 0 || killed.resent > 0) process.exitCode = 1;

function print({ cycles, early, seconds, accepted, lost, resent, inWindow, resentFromWindow }: Killed): void {
  const lines: readonly (readonly [string, number, string])[] = [
    ['events accepted', accepted, ''],
    ['lost', lost, 'goal 0'],
    ['sent again though on record', resent, 'goal 0'],
    ['acknowledged, not yet on record', inWindow, 'the window that cannot be closed'],
    ['sent again because of that', resentFromWindow, 'under the same envelope id'],
  ];
  console.log(
    `kill -9 at a random moment, restart over the same ${values.store === undefined ? 'file' : 'database'}, ${cycles} cycles (${early} before the first event) in ${seconds.toFixed(0)} s`,
  );
  for (const [what, count, note] of lines)
    console.log(`  ${what.padEnd(34)}${String(count).padStart(7)}   ${note}`.trimEnd());
  console.log(`  ${machineLine()}`);
}
