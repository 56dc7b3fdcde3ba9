import { parseArgs } from 'node:util';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { storeSettings } from './harness/side.ts';
import { killGatewayOverAndOver } from './kill/gateway.ts';
import { killOverAndOver } from './kill/servers.ts';

/**
 * Whether a server that is killed at any moment loses an event that it accepted, or sends one again whose acknowledgement it had on record. With
 * `--gateway` what stands between clients, server and host is killed instead. `--store postgres://…`: over an empty place of that database.
 * `--faults ID`: a server that breaks that rule, to see that it is noticed.
 */
const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '200' },
    store: { type: 'string' },
    gateway: { type: 'boolean', default: false },
    faults: { type: 'string', multiple: true, default: [] },
  },
});
const cycles = Number(values.cycles);
if (!Number.isSafeInteger(cycles) || cycles < 1)
  throw new RangeError(`Expected --cycles to be a whole number from 1, found ${values.cycles}.`);

await using folder = await makeScratch();
const place = { ...storeSettings({ file: folder.file('store.sqlite') }), faults: values.faults };
const kind = values.store === undefined ? 'file' : 'database';
if (values.gateway) await killGateways();
else await killServers();

async function killServers(): Promise<void> {
  const killed = await killOverAndOver(place, cycles, tell);
  const { early, seconds, accepted, lost, resent, inWindow, resentFromWindow } = killed;
  if (lost > 0 || resent > 0) process.exitCode = 1;
  print(
    `kill -9 at a random moment, restart over the same ${kind}, ${cycles} cycles (${early} before the first event) in ${seconds.toFixed(0)} s`,
    [
      ['events accepted', accepted],
      ['lost', lost, 'goal 0'],
      ['sent again though on record', resent, 'goal 0'],
      ['acknowledged, not yet on record', inWindow, 'the window that cannot be closed'],
      ['sent again because of that', resentFromWindow, 'under the same envelope id'],
    ],
  );
}

async function killGateways(): Promise<void> {
  const killed = await killGatewayOverAndOver(place, cycles, tell);
  const { seconds, events, lostEvents, doubles, doublesUnderOtherIds, batches, lostBatches, halfBatches } = killed;
  const { files, lostFiles, halfFiles } = killed;
  const wrong = lostEvents + doublesUnderOtherIds + lostBatches + halfBatches + lostFiles + halfFiles;
  if (wrong > 0) process.exitCode = 1;
  print(
    `kill -9 of the gateway before a server and its extension host, over a ${kind}, ${cycles} cycles in ${seconds.toFixed(0)} s`,
    [
      ['requests without answer', killed.unanswered],
      ['events accepted', events],
      ['lost', lostEvents, 'goal 0'],
      ['seen more than once', doubles, 'the acknowledgement did not come, or was none'],
      ['under another envelope id', doublesUnderOtherIds, 'goal 0'],
      ['batches accepted', batches],
      ['lost', lostBatches, 'goal 0'],
      ['half', halfBatches, 'goal 0'],
      ['files accepted', files],
      ['lost', lostFiles, 'goal 0'],
      ['half', halfFiles, 'goal 0'],
    ],
  );
}

function tell(cycle: number): void {
  if (cycle % 50 === 0) console.error(`${cycle} of ${cycles} cycles`);
}

function print(title: string, lines: readonly (readonly [what: string, count: number, note?: string])[]): void {
  console.log(title);
  for (const [what, count, note = ''] of lines)
    console.log(`  ${what.padEnd(34)}${String(count).padStart(7)}   ${note}`.trimEnd());
  console.log(`  ${machineLine()}`);
}
