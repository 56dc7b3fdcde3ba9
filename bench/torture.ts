import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { startServer } from '../api/server.ts';
import { mapAtOnce } from '../cli/kill-matrix/map-at-once.ts';
import { matches } from '../judge/run/glob.ts';
import { writeFileSync } from 'node:fs';
import { machineLine } from './harness/machine.ts';
import { makeScratch } from './harness/scratch.ts';
import { broken, callsOf, tryCall } from './torture/try-call.ts';

/**
 * Each call of the judge that may fail (files, sockets, threads, timers, JSON) fails once, in a run of its own against a server that breaks a
 * rule: none may end with 0, hang, show a stack, or lose the violation once it is on record. The calls are those that a run is seen to make.
 * `--names` takes those with such a name, `--every` each n-th, `--at-once` so many together. Exit 1 when one ends wrong.
 */
const { values } = parseArgs({
  options: {
    names: { type: 'string', default: '*' },
    every: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '2' },
    all: { type: 'boolean', default: false },
  },
});

await using scratch = await makeScratch();
await using server = await startServer({ faults: [broken] });
const profile = scratch.file('profile.json');
writeFileSync(profile, JSON.stringify(server.profile));
const calls = await callsOf(profile, scratch.file('all'));
const chosen = calls
  .filter((call) => matches(values.names, call))
  .filter((_call, index) => index % Number(values.every) === 0);
const endings = await mapAtOnce(chosen, Number(values['at-once']), async (call) => {
  const folder = scratch.file(String(calls.indexOf(call)));
  const ending = await tryCall(call, profile, folder);
  await rm(folder, { recursive: true, force: true });
  if (values.all || ending.wrong !== undefined)
    console.log(`${ending.exitCode} ${ending.seconds.toFixed(1)} s  ${call}: ${ending.wrong ?? 'as it should'}`);
  return ending;
});

const wrong = endings.filter((ending) => ending.wrong !== undefined);
const missed = endings.filter(({ hasFailed }) => !hasFailed).length;
const counts = [...Map.groupBy(endings, ({ exitCode }) => exitCode)].toSorted(([one], [other]) => one - other);
console.log(
  `torture ${endings.length} of ${calls.length} calls: ${endings.filter(({ exitCode }) => exitCode === 0).length} green, ${wrong.length} ended wrong, ${missed} not reached again`,
);
console.log(`  exit codes: ${counts.map(([code, all]) => `${code}: ${all.length}`).join(', ')}`);
console.log(`  ${machineLine()}`);
process.exitCode = wrong.length > 0 ? 1 : 0;
