import { setImmediate as turn } from 'node:timers/promises';
import { scheduleOf, shapeOf } from './arrivals.ts';
import { chooserWithOwn } from './chance.ts';
import { drive, UnderWay } from './drive.ts';
import { earlyEnd, type Engine, type EngineEnd, type EngineSetup, type TrafficObserver } from './engine.ts';
import { Punctuality } from './measure/punctuality.ts';
import { remarksOnEnds } from './resend.ts';
import { openSender } from './send.ts';
import { Waits } from './waits.ts';

/** Journeys under way at once; arrivals beyond are not begun, and counted. */
const mostUnderWay = 20_000;
const usualConnections = 1024;
/** How long journeys under way may take to end when the last one has begun, in ms. */
const graceMs = 30_000;

/**
 * Journeys begin on a schedule that waits for no answer, so that a service that falls behind is seen to. Latency counts from the due time.
 * What the generator itself was late by is told, and part of no latency but that of the first request.
 */
export const openModel: Engine = openModelOn(usualConnections);

/** The same on no more connections than that. */
export function openModelOn(connections: number): Engine {
  return (setup, observer) => beginOnSchedule(setup, observer, connections);
}

async function beginOnSchedule(setup: EngineSetup, observer: TrafficObserver, connections: number): Promise<EngineEnd> {
  if (setup.load.model !== 'open') throw new TypeError('Expected a rate: the open model has no users.');
  const { mix, rampMs, durationMs, share: { index: first, of: workers } = { index: 0, of: 1 } } = setup;
  const [over, broken] = [new AbortController(), new AbortController()];
  const signal = AbortSignal.any([setup.signal, broken.signal]);
  const running = { ...setup, signal: AbortSignal.any([signal, over.signal]) };
  const sender = openSender(setup, Math.ceil(connections / workers));
  const dueAt = scheduleOf(shapeOf(mix, rampMs, durationMs), setup.load, setup.seed);
  const choose = chooserWithOwn(mix, setup.seed);
  const punctuality = new Punctuality(setup.share?.worker ?? 1);
  const arrivals = new Waits(signal);
  const underWay = new UnderWay(() => broken.abort());
  const parts = {
    setup: running,
    begin: sender.begin,
    observer,
    waits: new Waits(running.signal),
    ended: underWay.ended,
  };
  const startedAt = setup.share?.startsAt ?? performance.now();
  let begun = 0;
  for (let number = first; !signal.aborted; number += workers) {
    const due = dueAt(number);
    if (due === undefined) break;
    const left = startedAt + due - performance.now();
    // a timer is late by up to some ms, never early: what is due within the next ms begins at once
    if (left > 1) await new Promise<void>((resolve) => arrivals.begin(left, resolve));
    if ((begun += 1) % mostAtOnce === 0) await turn();
    if (signal.aborted) break;
    const lateMs = performance.now() - startedAt - due;
    const mayBegin = underWay.size < mostUnderWay / workers;
    punctuality.count(due, lateMs, mayBegin);
    setup.begunLate?.(lateMs);
    if (!mayBegin) continue;
    underWay.size += 1;
    drive({ name: choose(number, 0), user: number, iteration: 0, dueAt: startedAt + due }, parts);
  }
  const unended = await settle(underWay, signal);
  over.abort();
  await sender[Symbol.asyncDispose]();
  await underWay.waitUntilEmpty();
  const { remarks, ...early } = earlyEnd(underWay.failure);
  return {
    durationMs: performance.now() - startedAt,
    lateness: punctuality.summary(),
    remarks: [...unended, ...remarksOnEnds(sender), ...remarks],
    ...early,
  };
}

/** So many arrivals in a row, when they are late, before answers are looked at again. */
const mostAtOnce = 32;

async function settle(underWay: UnderWay, signal: AbortSignal): Promise<EngineEnd['remarks']> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(graceMs)]);
  const over = new Promise<void>((resolve) => {
    if (limit.aborted) resolve();
    limit.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([underWay.waitUntilEmpty(), over]);
  return underWay.size === 0 ? [] : [`${underWay.size} journeys had not ended when the run was over.`];
}
