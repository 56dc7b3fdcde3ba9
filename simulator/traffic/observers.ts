import type { TrafficObserver } from './engine.ts';

/** One that tells all of them. */
export function everyone(observers: readonly TrafficObserver[]): TrafficObserver {
  return {
    exchange: (exchange) => observers.forEach((observer) => observer.exchange(exchange)),
    check: (check, of) => observers.forEach((observer) => observer.check(check, of)),
    journeyEnded: (journey, whole, of) => observers.forEach((observer) => observer.journeyEnded(journey, whole, of)),
  };
}
