import type { Sent } from '../client/wire.ts';
import type { Exchange } from '../exchange.ts';

/** A history that ends with the writes which were under way at the moment of one of them, this one last: they are to be sent at once. */
export function withMeeting(history: readonly Sent[], named: Exchange | undefined): readonly Sent[] {
  if (named === undefined || named.request.method === 'GET') return history;
  const meets = ({ request, exchange }: Sent): boolean =>
    request.method !== 'GET' && exchange.sentAt < endOf(named) && named.sentAt < endOf(exchange);
  const met = history
    .filter(meets)
    .toSorted((one, other) => Number(one.exchange === named) - Number(other.exchange === named));
  if (met.length < 2) return history;
  const from = Math.min(...met.map(({ exchange }) => exchange.sentAt));
  return [
    ...history.filter(({ exchange }) => endOf(exchange) <= from),
    ...met.map((sent): Sent => ({ ...sent, request: { ...sent.request, atOnce: true } })),
  ];
}

function endOf({ sentAt, durationMs }: Exchange): number {
  return sentAt + durationMs;
}
