import { mkdirSync } from 'node:fs';
import { authorityIn, hasOpenssl } from '../cli/doctor/tls.fixture.ts';
import { tryEach } from './harness/endings.ts';
import { machineLine } from './harness/figures.ts';
import { makeScratch } from './harness/scratch.ts';
import { corpus } from './hostile/corpus.ts';
import { type HostileEnding, tryOne } from './hostile/try-one.ts';

/**
 * Hostile and broken targets, profiles and environments: the judge meets each in a process of its own and may call none green, run on without
 * end, take much memory or die.
 */

/** Beyond the budget of a run. */
const besidesSeconds = 10;

await using scratch = await makeScratch();
mkdirSync(scratch.file('certificates'));
const authority = hasOpenssl() ? authorityIn(scratch.file('certificates')) : undefined;
const possible = corpus.filter(({ name }) => authority !== undefined || !name.startsWith('certificate'));
const endings = await tryEach(possible, 3, (hostile, folder) => tryOne(hostile, folder, besidesSeconds, authority));

const by = (figure: (ending: HostileEnding) => number): HostileEnding | undefined =>
  endings.toSorted((one, other) => figure(other) - figure(one))[0];
const [slowest, largest] = [by(({ seconds }) => seconds), by(({ megabytes }) => megabytes)];
if (slowest) console.log(`  longest ${slowest.seconds.toFixed(1)} s (${slowest.name})`);
if (largest) console.log(`  most memory ${largest.megabytes} MB (${largest.name})`);
console.log(`  ${machineLine()}`);
