import { writeFileSync } from 'node:fs';
import { startServer } from '../api/server.ts';
import { tryEach } from './harness/endings.ts';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { broken, callsOf, tryCall } from './torture/try-call.ts';

/**
 * Each call of the judge that may fail (files, sockets, threads, timers, JSON) fails once, in a run of its own against a server that breaks a
 * rule: none may end with 0, hang, show a stack, or lose the violation once it is on record. The calls are those that a run is seen to make.
 */
await using scratch = await makeScratch();
await using server = await startServer({ faults: [broken] });
const profile = scratch.file('profile.json');
writeFileSync(profile, JSON.stringify(server.profile));
const calls = (await callsOf(profile, scratch.file('all'))).map((name) => ({ name }));
const endings = await tryEach(calls, 2, ({ name }, folder) => tryCall(name, profile, folder));
console.log(`  ${endings.filter(({ hasFailed }) => !hasFailed).length} not reached again`);
console.log(`  ${machineLine()}`);
