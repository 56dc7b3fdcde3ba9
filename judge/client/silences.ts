import { splitUrl, type WireRequest } from './wire.ts';

/** So many requests of a kind in a row may each take the whole limit and be left without an answer. */
const mostInARow = 5;
/** The part of the limit that those have which follow: a service that hangs is no reason to wait for hours. */
const shareAfterwards = 0.1;

/** How often in a row requests of a kind were left without an answer. */
export class Silences {
  readonly #inARow = new Map<string, number>();

  /** How long a request may take where it may take so much at most, in ms. */
  limitMs(request: WireRequest, mostMs: number): number {
    return this.#countOf(request) < mostInARow ? mostMs : mostMs * shareAfterwards;
  }

  /** Ends a sentence about a request that was left without an answer. */
  remark(request: WireRequest): string {
    return this.#countOf(request) < mostInARow ? '' : ', nor did one come to the last such requests';
  }

  note(request: WireRequest, isAnswered: boolean): void {
    const count = this.#countOf(request);
    if (!isAnswered) this.#inARow.set(kindOf(request), count + 1);
    else if (count > 0) this.#inARow.delete(kindOf(request));
  }

  #countOf(request: WireRequest): number {
    return this.#inARow.size === 0 ? 0 : (this.#inARow.get(kindOf(request)) ?? 0);
  }
}

/** Method and path, with … for what is most likely an id or a number. */
export function kindOf({ method, url }: WireRequest): string {
  const [path = ''] = splitUrl(url).path.split('?');
  const segments = path.split('/').map((segment) => (/\d/.test(segment) ? '…' : segment));
  return `${method} ${segments.join('/')}`;
}
