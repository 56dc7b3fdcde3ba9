import { randomFrom } from './chance.ts';
import type { EngineSetup } from './engine.ts';
import type { Mix } from './mix.ts';

/** Full load is 1. */
interface Stage {
  readonly ms: number;
  readonly from: number;
  readonly to: number;
}

/** How the load rises and falls over the run. */
export interface Shape {
  readonly durationMs: number;
  /** Load at a time of the run, as a factor of the full one. */
  factorAt(ms: number): number;
  /** When the arrival with that number, from 0 and not always whole, is due at a rate of `rate` a second; undefined when the run is over before. */
  dueAt(number: number, rate: number): number | undefined;
}

/** Told apart from what journeys draw from the same seed. */
const arrivalDraw = 0x0a221;

/**
 * When each arrival of a rate is due, asked for by rising numbers. Those of Poisson keep the rate of the shape on average, and are the same
 * whichever worker asks: distances are drawn in full load, so that a ramp stretches them.
 */
export function scheduleOf(
  shape: Shape,
  { rate, arrivals }: Extract<EngineSetup['load'], { readonly model: 'open' }>,
  seed: number,
): (number: number) => number | undefined {
  if (arrivals !== 'poisson') return (number) => shape.dueAt(number, rate);
  const random = randomFrom(seed, arrivalDraw);
  let [drawn, load] = [0, 0];
  return (number) => {
    for (; drawn <= number; drawn += 1) load -= Math.log(1 - random());
    return shape.dueAt(load, rate);
  };
}

/** Stages of the mix where it has some, else a rise over `rampMs` and the full load until the end. */
export function shapeOf(mix: Pick<Mix, 'stages'>, rampMs: number, durationMs: number): Shape {
  const stages = mix.stages === undefined ? rampStages(Math.min(rampMs, durationMs), durationMs) : stagesIn(mix.stages);
  const total = stages.reduce((sum, { ms }) => sum + ms, 0);
  return {
    durationMs: total,
    factorAt: (at) => {
      const found = stageAt(stages, at);
      return found === undefined ? 0 : found.from + ((found.to - found.from) * found.since) / found.ms;
    },
    dueAt: (number, rate) => dueTime(stages, (number * 1000) / rate),
  };
}

function rampStages(rampMs: number, durationMs: number): readonly Stage[] {
  const rise = rampMs > 0 ? [{ ms: rampMs, from: 0, to: 1 }] : [];
  return durationMs > rampMs ? [...rise, { ms: durationMs - rampMs, from: 1, to: 1 }] : rise;
}

function stagesIn(stages: NonNullable<Mix['stages']>): readonly Stage[] {
  return stages.map(({ seconds, to }, index) => ({ ms: seconds * 1000, from: stages[index - 1]?.to ?? 0, to }));
}

function stageAt(stages: readonly Stage[], at: number): (Stage & { readonly since: number }) | undefined {
  let start = 0;
  for (const stage of stages) {
    if (at < start + stage.ms) return { ...stage, since: at - start };
    start += stage.ms;
  }
  return undefined;
}

/** The time at which so much full load, in ms, has gone by: load is the area under the stages. */
function dueTime(stages: readonly Stage[], load: number): number | undefined {
  let [left, start] = [load, 0];
  for (const { ms, from, to } of stages) {
    const area = ((from + to) / 2) * ms;
    if (left < area) return start + timeWithin(left, from, (to - from) / ms);
    left -= area;
    start += ms;
  }
  return undefined;
}

/** Solves from * t + slope * t² / 2 = area. */
function timeWithin(area: number, from: number, slope: number): number {
  return slope === 0 ? area / from : (Math.sqrt(from * from + 2 * slope * area) - from) / slope;
}
