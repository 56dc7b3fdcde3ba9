import { setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from '../contract/histogram.ts';
import { openModelOn } from '../simulator/traffic/open-model.ts';
import { compare } from './harness/compare.ts';
import type { Figure } from './harness/load.ts';
import { startSide } from './harness/side.ts';
import { spreadText } from './harness/figures.ts';
import { measureEngine, type Measured } from './traffic/figure.ts';
import { connections, requestsPerJourney, setupFor } from './traffic/ground.ts';
import { handWritten } from './traffic/hand-written.ts';

/**
 * The highest rate that the open model keeps, against autocannon with the same requests written by hand. A rate is kept as
 * `simulate traffic` sees it: 99 of 100 journeys began in time, and all had ended when the last one was due, or hardly later. It is found
 * by asking for more than the round before kept, and for less until it is kept.
 */
const [mostLateMs, longestTailMs] = [250, 250];
/** Of the first round, in requests a second. */
let hopedFor = 50_000;
const [up, down] = [1.15, 0.95];

await using target = await startSide('plausible', { refusesOldVersions: false });
const engine = openModelOn(connections);
const latenessAtHalf: number[] = [];
const latenessOfTimer: number[] = [];

await compare({
  title: `Readers and editors on a schedule, ${connections} connections, nothing judged`,
  baseline: { name: 'autocannon, requests by hand', round: (seconds) => handWritten(target.url, seconds) },
  subject: { name: 'open model, highest rate kept', round: highestKept },
  goal: '>= 1.6',
  ratio: 'rate',
  cpuOf: 'client',
});
console.log(`  late at half that rate, p99     ${spreadText(latenessAtHalf.slice(1))} ms   goal < 2 ms`);
console.log(
  `  a timer between 1 ms of work, p99 ${spreadText(latenessOfTimer.slice(1))} ms   what the machine itself is late by`,
);

async function highestKept(seconds: number): Promise<Figure> {
  let found = await at(hopedFor, seconds);
  while (!isKept(found, seconds)) {
    hopedFor *= down;
    found = await at(hopedFor, seconds);
  }
  const { end } = await at(hopedFor / 2, seconds);
  latenessAtHalf.push(end.lateness?.p99Ms ?? 0);
  latenessOfTimer.push(await timerLateness(seconds));
  hopedFor *= up;
  return found.figure;
}

/** How late 99 of 100 timers of a loop are that works half of the time and sends nothing, in ms. */
async function timerLateness(seconds: number): Promise<number> {
  const histogram = new Histogram();
  for (const endsAt = performance.now() + seconds * 1000; performance.now() < endsAt;) {
    const dueAt = performance.now() + 1;
    await sleep(1);
    histogram.record(performance.now() - dueAt);
    for (const until = performance.now() + 1; performance.now() < until;);
  }
  return histogram.percentile(99);
}

/** @param rate requests a second */
function at(rate: number, seconds: number): Promise<Measured> {
  const setup = setupFor(target.url, { model: 'open', rate: rate / requestsPerJourney }, seconds);
  return measureEngine((tally) => engine(setup, tally));
}

function isKept({ end: { durationMs, lateness } }: Measured, seconds: number): boolean {
  return (lateness?.p99Ms ?? 0) < mostLateMs && lateness?.skipped === 0 && durationMs - seconds * 1000 < longestTailMs;
}
