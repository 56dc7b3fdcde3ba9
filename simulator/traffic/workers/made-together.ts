import type { Authorizations } from '../credentials.ts';
import type { EngineEnd } from '../engine.ts';
import { Objects } from '../judging/objects.ts';
import { sampler } from '../judging/sample.ts';
import { Violations, type FoundViolation } from '../judging/violations.ts';
import { shiftOfClock } from './clock.ts';
import type { Crew, Ending } from './crew.ts';
import { Hearing } from './hearing.ts';
import type { Making, MakingParts } from './making.ts';
import type { Ended } from './messages.ts';
import { remarksTogether, violationsTogether } from './put-together.ts';

/** So that the orders are there before the load begins, in ms. */
const headStartMs = 30;

/**
 * By workers. Each makes every so manieth arrival, or has every so manieth user: journeys follow from their numbers alone, so together they
 * make the very journeys that one worker would. A worker judges what an answer or a journey shows by itself. What was done to an object,
 * and which events were accepted, is told to this thread, which alone knows everything: histories go to the checker as a whole, whichever
 * workers the writers were in, and the extension is listened for once. So no journey has to stay near another one.
 */
export function madeTogether(
  crew: Crew,
  { setup, ratio, breachesOf, see }: MakingParts,
  authorizations: Authorizations,
): Making {
  const startsAt = performance.now() + headStartMs;
  const violations = new Violations(startsAt);
  const objects = new Objects({
    ground: setup.ground,
    breachesOf,
    complain: violations.complain,
    isJudged: sampler(ratio),
  });
  const hearing = new Hearing(crew.size, startsAt, (exchange) => {
    if (ratio > 0) objects.see(exchange);
    see(exchange);
  });
  let found: readonly FoundViolation[] = [];
  const count = (): number => violations.count + hearing.violations;
  return {
    tally: hearing.tally,
    startsAt,
    judged: () => hearing.judged,
    violations: count,
    isBroken: () => count() > 0 || objects.isBroken(),
    make: async () => {
      const { authorizationOf: _of, signal, ...plain } = setup;
      const orders = { setup: plain, ratio, authorizations, startsAt, shift: shiftOfClock() };
      const endings = await crew.begin(orders, signal, (worker, told) => hearing.hear(worker, told));
      hearing.finish();
      found = endings.filter(isWhole).flatMap((ending) => ending.violations);
      return endOf(endings, hearing, performance.now() - startsAt);
    },
    complain: violations.complain,
    finish: () => {
      if (ratio > 0) objects.finish();
      return violationsTogether([...violations.all(), ...found]);
    },
  };
}

function isWhole(ending: Ending): ending is Ended {
  return ending !== 'late' && 'end' in ending;
}

function endOf(endings: readonly Ending[], { lateness }: Hearing, elapsedMs: number): EngineEnd {
  const ends = endings.filter(isWhole).map(({ end }) => end);
  const endedEarly =
    ends.some((end) => end.endedEarly === true) || endings.some((ending) => ending !== 'late' && 'failure' in ending);
  const skipped = ends.reduce((sum, end) => sum + (end.lateness?.skipped ?? 0), 0);
  return {
    durationMs:
      ends.length === endings.length ? Math.max(...ends.map(({ durationMs }) => durationMs)) : Math.max(0, elapsedMs),
    remarks: [...remarksTogether(ends.map(({ remarks }) => remarks)), ...remarksOn(endings)],
    ...(lateness.count > 0 && {
      lateness: { p50Ms: lateness.percentile(50), p99Ms: lateness.percentile(99), maxMs: lateness.max, skipped },
    }),
    ...(endedEarly && { endedEarly }),
  };
}

function remarksOn(endings: readonly Ending[]): readonly string[] {
  const late = endings.filter((ending) => ending === 'late').length;
  return [
    ...endings.flatMap((ending, index) =>
      ending !== 'late' && 'failure' in ending
        ? [
            `Worker ${index + 1} of ${endings.length} broke down (${ending.failure}), so the load ended early; what it had not told by then is not counted.`,
          ]
        : [],
    ),
    ...(late === 0
      ? []
      : [`${late} of ${endings.length} workers did not end in time: what they had not told by then is not counted.`]),
  ];
}
