import { type Exchange, headerIn } from '../exchange.ts';
import { reading } from '../case/part.ts';
import { readTime } from './real-time.ts';

/** The wall clock of somebody else, going on from an answer, whatever happens to the clock of this machine meanwhile. */
export function wallFrom(exchange: Pick<Exchange, 'response'> | undefined): () => number {
  const [answered, at] = [wallNowOf(exchange), readTime()];
  return () => answered + readTime() - at;
}

/**
 * ms since the epoch by the clock of whoever answered there, to the second; by that of this machine, which may be wrong by days, where the
 * answer does not tell.
 */
export function wallNowOf(exchange: Pick<Exchange, 'response'> | undefined): number {
  return Date.parse(headerIn(exchange?.response?.headers ?? [], 'date') ?? '') || reading('wall', Date.now);
}
