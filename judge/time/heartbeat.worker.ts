import { workerData } from 'node:worker_threads';
import { leastStallMs, mostStalls, type BeatData } from './heartbeat.ts';

// Sleeps a little, again and again, and notes when it woke late. Now and then it computes as well, because a machine may wake a thread in
// time that it does not let compute, as it does to a service.

const restMs = 10;
const restsPerWork = 25;
/** Time of a processor, in µs. */
const workMicros = 3000;

const { shared } = workerData as BeatData;
const state = new Int32Array(shared, 0, 4);
const spans = new Float64Array(shared, 16);
const nobody = new Int32Array(new SharedArrayBuffer(4));

const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

function note(from: number, to: number, stalledMs: number): void {
  if (stalledMs < leastStallMs) return;
  const count = Atomics.load(state, 1);
  spans.set([from, to, stalledMs], (count % mostStalls) * 3);
  Atomics.store(state, 1, count + 1);
}

function usedMicros(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

function work(): void {
  const from = nowMs();
  const before = usedMicros();
  while (usedMicros() - before < workMicros);
  const to = nowMs();
  note(from, to, to - from - (usedMicros() - before) / 1000);
}

let last = nowMs();
for (let rests = 1; Atomics.load(state, 0) === 0; rests += 1) {
  Atomics.wait(nobody, 0, 0, restMs);
  const now = nowMs();
  note(last, now, now - last - restMs);
  Atomics.add(state, 2, 1);
  if (rests % restsPerWork === 0) work();
  last = nowMs();
}
