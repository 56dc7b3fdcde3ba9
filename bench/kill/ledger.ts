/** A request for an event as the host saw it. */
export interface Sighting {
  /** The host answered 200 and sent the answer to its end. */
  readonly acknowledged: boolean;
}

/** What became of the events that were accepted. */
export interface Verdict {
  readonly accepted: number;
  /** Never acknowledged, and not in the queue any more. */
  readonly lost: number;
  /** Sent again, though their acknowledgement was on record before a kill, or without one in between. */
  readonly resent: number;
  /** Acknowledged by the host and still in the queue when the server was found dead: the window that cannot be closed. */
  readonly inWindow: number;
  /** Of those, sent again. */
  readonly resentFromWindow: number;
  /** Their outcome was on record, and it was kept. */
  readonly onRecord: number;
}

interface Account {
  readonly id: string;
  /** Acknowledgements when the server was last found dead. */
  acknowledged: number;
  /** Times that the queue held it although a new acknowledgement was there. */
  windows: number;
  /** Sightings when it was found to be on record; undefined before. */
  sightingsOnRecord?: number;
}

/** Compares what a client was told with what a host got. Events are known by a marker of their own. */
export class Ledger {
  readonly #accounts = new Map<string, Account>();

  accept(marker: string, id: string): void {
    this.#accounts.set(marker, { id, acknowledged: 0, windows: 0 });
  }

  /** Ids of the events whose outcome is not known to be on record. */
  open(): readonly string[] {
    return [...this.#accounts.values()]
      .filter(({ sightingsOnRecord }) => sightingsOnRecord === undefined)
      .map(({ id }) => id);
  }

  /** To be told while no server runs. @param queued ids, of those that are open, which the queue still holds */
  found(seen: (marker: string) => readonly Sighting[], queued: ReadonlySet<string>): void {
    for (const [marker, account] of this.#accounts) {
      if (account.sightingsOnRecord !== undefined) continue;
      const sightings = seen(marker);
      const acknowledged = acknowledgedOf(sightings);
      if (!queued.has(account.id)) account.sightingsOnRecord = sightings.length;
      else if (acknowledged > account.acknowledged) account.windows += 1;
      account.acknowledged = acknowledged;
    }
  }

  /** To be asked when the queue is empty. */
  verdict(seen: (marker: string) => readonly Sighting[]): Verdict {
    const counts = { accepted: 0, lost: 0, resent: 0, inWindow: 0, resentFromWindow: 0, onRecord: 0 };
    for (const [marker, { windows, sightingsOnRecord }] of this.#accounts) {
      const sightings = seen(marker);
      const acknowledged = acknowledgedOf(sightings);
      counts.accepted += 1;
      if (acknowledged === 0) counts.lost += 1;
      if (sightingsOnRecord !== undefined) counts.onRecord += 1;
      const afterRecord = sightings.length > (sightingsOnRecord ?? Infinity);
      if (afterRecord || acknowledged > 1 + windows) counts.resent += 1;
      if (windows > 0) counts.inWindow += 1;
      if (windows > 0 && acknowledged > 1) counts.resentFromWindow += 1;
    }
    return counts;
  }
}

function acknowledgedOf(sightings: readonly Sighting[]): number {
  return sightings.filter(({ acknowledged }) => acknowledged).length;
}
