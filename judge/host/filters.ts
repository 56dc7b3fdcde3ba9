import type { Envelope } from './host.ts';

/** The filters of the calls of one installation: that of the run, in a spelling of its own for each call. */
export class CallFilters {
  readonly #base: string;
  /** Ids of envelopes. */
  readonly #callIds = new Map<string, string>();

  constructor(base: string) {
    this.#base = Buffer.from(base, 'base64').toString('utf8');
  }

  /** White space behind the filter tells calls apart, and says nothing. */
  next(callId: string): string {
    const written = (this.#callIds.size + 1).toString(2).replaceAll('0', ' ').replaceAll('1', '\t');
    const filter = `${this.#base}${written}`;
    this.#callIds.set(filter, callId);
    return Buffer.from(filter).toString('base64');
  }

  callOf(filter: string): string | undefined {
    return this.#callIds.get(Buffer.from(filter, 'base64').toString('utf8'));
  }

  /** A payload that was taken from another call tells the filter of this one. Source: extensions, Payloads, row ExternalAction */
  inPayload(payload: Envelope['payload'], informationFilter: string): Envelope['payload'] {
    const told = payload['informationFilter'];
    const isOfOther = typeof told === 'string' && this.callOf(told) !== undefined;
    return isOfOther ? { ...payload, informationFilter } : payload;
  }
}
