import type { TrafficExchange } from '../engine.ts';
import { isObject, jsonIn, lastSegment } from '../journeys/words.ts';
import type { BatchPart } from '../step.ts';
import type { Complain } from './violations.ts';

/** The results of a batch that passed: as many as operations, each in the place of its own. */
export class BatchResults {
  readonly #complain: Complain;

  constructor(complain: Complain) {
    this.#complain = complain;
  }

  see(exchange: TrafficExchange, operations: readonly BatchPart[]): void {
    const results = jsonIn(exchange.result);
    if (!Array.isArray(results) || results.length !== operations.length)
      return this.#complain(
        'batch.result.one-per-operation',
        `${operations.length} results`,
        Array.isArray(results) ? String(results.length) : typeof results,
        exchange,
      );
    const bodies = results.map((result: unknown) =>
      isObject(result) && isObject(result['body']) ? result['body'] : {},
    );
    for (const [index, operation] of operations.entries()) this.#result(exchange, index, operation, bodies);
  }

  /** Other members than a read response and the href of a create need not be there, so they tell nothing. */
  #result(
    exchange: TrafficExchange,
    index: number,
    { method, oid }: BatchPart,
    bodies: readonly Readonly<Record<string, unknown>>[],
  ): void {
    const body = bodies[index] ?? {};
    const shown = oidOf(body);
    if (oid !== undefined && shown !== undefined && shown !== oid)
      return this.#complain(
        'batch.result.keeps-order',
        `result ${index} to be about ${oid}`,
        `it is about ${shown}`,
        exchange,
      );
    if (method !== 'GET' || isObject(body['data'])) return;
    const isElsewhere = bodies.some((other) => isObject(other['data']) && oidOf(other) === oid);
    if (isElsewhere)
      this.#complain(
        'batch.result.keeps-order',
        `the read response of ${String(oid)} as result ${index}`,
        'it is another one',
        exchange,
      );
    else
      this.#complain(
        'batch.get.returns-read-response',
        `the read response of ${String(oid)} as result ${index}`,
        'no data',
        exchange,
      );
  }
}

/** The object that a result shows, by its data or else its href; undefined where it has neither. */
function oidOf({ data, href }: Readonly<Record<string, unknown>>): string | undefined {
  if (isObject(data) && data['$oid'] !== undefined) return String(data['$oid']);
  return typeof href === 'string' ? lastSegment(href) : undefined;
}
