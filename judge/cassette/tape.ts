import type { Journal } from '../../simulator/extension/journal.ts';
import type { Site } from '../../simulator/extension/site.ts';
import type { RuleId } from '../../contract/rule.ts';
import type { Received } from '../client/receive.ts';
import type { WireRequest } from '../client/wire.ts';
import type { Headers } from '../exchange.ts';
import type { Asides, PartOptions } from '../case/part.ts';
import type { Secrets } from '../redact/redact.ts';
import type { Heartbeat } from '../time/heartbeat.ts';
import type { Machine, TimeKeeper, TimeLog } from '../time/keeper.ts';

/** How a request ended. */
export interface AskEnd {
  readonly received?: Received;
  readonly error?: Error;
  /** When it was sent, after whatever held it back, in ms of the thread. */
  readonly sentAt: number;
}

/** A request of the suite on its way. */
export interface Ask {
  /** Told how it ended. */
  end(end: AskEnd): void;
}

/** A request that is answered from a cassette. */
export interface PlayedAsk {
  /** When it was sent then. */
  readonly sentAt: number;
  /** What was answered when it was recorded, no sooner than then. @throws what it ended with then, or the reason of the signal */
  answer(signal: AbortSignal | undefined): Promise<Received>;
}

/** A request of a host to the service that the suite plays, as it came in. */
export interface StageMessage {
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** By the clock of the host, in ms. */
  readonly arrivedAt: number;
}

/** Where cases meet the world, while a run is recorded or played. */
export interface Tape extends Asides {
  readonly chance: Pick<PartOptions, 'secret' | 'keyDrawn'>;
  /** The registry that knows the credentials of the run. */
  know(secrets: Secrets): void;
  /** The case of a rule begins, in a run that is played when it did then; false where it never did. */
  begin(rule: RuleId): Promise<boolean>;
  /** A part has taken its last step; resolves when it had then: until that things may arrive for it. */
  end(part: string): Promise<void>;
  /** What the case of that rule asked for that was never recorded; undefined where there is nothing. */
  missingFor(rule: RuleId): string | undefined;
  /** Told of each request before it waits for its turn, in the order in which a part makes them. */
  ask(part: string, request: WireRequest): Ask | PlayedAsk;
  /** @param live begins the watch that is recorded */
  machine(live: () => Heartbeat): Machine;
  /** @param live makes the time that is recorded */
  time(of: 'service' | 'host', live: (log: TimeLog) => TimeKeeper): TimeKeeper;
  /** The port that listened under that name when the run was recorded; undefined where it is to listen now. */
  portOf(door: string): number | undefined;
  /** Told what port listens now, and what arrives there. */
  listens(door: string, port: number, journal?: Journal): void;
  /** Told what stands at the door: what was recorded there arrives there again. */
  mounted(door: string, site: Site, journal: Journal): void;
  /** Told what takes the requests of hosts at the door. */
  staged(door: string, take: (message: StageMessage) => void): void;
  /** Told what a host sent. */
  stageMessage(door: string, message: StageMessage): void;
}
