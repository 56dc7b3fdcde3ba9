import type { TrafficExchange, TrafficObserver } from './engine.ts';

/** One that tells all of them, and every exchange to `also`. */
export function everyone(
  observers: readonly TrafficObserver[],
  also: (exchange: TrafficExchange) => void,
): TrafficObserver {
  return {
    exchange(exchange) {
      for (const observer of observers) observer.exchange(exchange);
      also(exchange);
    },
    check: (check, of) => observers.forEach((observer) => observer.check(check, of)),
    journeyEnded: (journey, whole, of) => observers.forEach((observer) => observer.journeyEnded(journey, whole, of)),
  };
}
