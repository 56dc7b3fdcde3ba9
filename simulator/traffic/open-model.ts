import { setTimeout as sleep } from 'node:timers/promises';
import { shapeOf } from './arrivals.ts';
import { chooser } from './choose.ts';
import { drive } from './drive.ts';
import type { Engine, EngineEnd } from './engine.ts';
import { openHistogram, type Histogram } from './measure/histogram.ts';
import { openSender } from './send.ts';

/** Journeys under way at once; arrivals beyond are not begun, and counted. */
const mostUnderWay = 20_000;
const mostConnections = 1024;
/** How long journeys under way may take to end when the last one has begun, in ms. */
const graceMs = 30_000;

/**
 * Journeys begin on a schedule that waits for no answer, so that a service that falls behind is seen to. Latency counts from the due time.
 * What the generator itself was late by is told, and part of no latency but that of the first request.
 */
export const openModel: Engine = async (setup, observer) => {
  if (setup.load.model !== 'open') throw new TypeError('Expected a rate: the open model has no users.');
  const { rate } = setup.load;
  const { mix, rampMs, durationMs, signal } = setup;
  const over = new AbortController();
  const running = { ...setup, signal: AbortSignal.any([signal, over.signal]) };
  const sender = openSender(setup, mostConnections);
  const shape = shapeOf(mix, rampMs, durationMs);
  const choose = chooser(mix, setup.seed);
  const lateness = openHistogram();
  const underWay = new Set<Promise<void>>();
  const startedAt = performance.now();
  let skipped = 0;
  for (let number = 0; !signal.aborted; number += 1) {
    const due = shape.dueAt(number, rate);
    if (due === undefined) break;
    await until(startedAt + due, signal);
    if (signal.aborted) break;
    lateness.record(performance.now() - startedAt - due);
    if (underWay.size >= mostUnderWay) {
      skipped += 1;
      continue;
    }
    const journey = drive({ name: choose(number, 0), user: number, iteration: 0, dueAt: startedAt + due }, running, sender.send, observer);
    underWay.add(journey);
    void journey.finally(() => underWay.delete(journey));
  }
  const remarks = await settled(underWay, signal);
  over.abort();
  await sender[Symbol.asyncDispose]();
  await Promise.all(underWay);
  return { durationMs: performance.now() - startedAt, lateness: { ...latenessOf(lateness), skipped }, remarks };
};

/** A timer is late by up to some ms, never early: what is due within the next ms begins at once. */
async function until(at: number, signal: AbortSignal): Promise<void> {
  const left = at - performance.now();
  if (left > 1) await sleep(left, undefined, { signal }).catch(() => undefined);
}

async function settled(underWay: ReadonlySet<Promise<void>>, signal: AbortSignal): Promise<EngineEnd['remarks']> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(graceMs)]);
  const over = new Promise<void>((resolve) => {
    if (limit.aborted) resolve();
    limit.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([Promise.all(underWay), over]);
  return underWay.size === 0 ? [] : [`${underWay.size} journeys had not ended when the run was over.`];
}

function latenessOf(histogram: Histogram): { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number } {
  return { p50Ms: histogram.percentile(50), p99Ms: histogram.percentile(99), maxMs: histogram.max };
}
