import type { Ending } from '../../simulator/extension/entry.ts';
import type { Headers } from '../exchange.ts';
import type { Again, Content } from './content.ts';
import type { Run } from '../run/run.ts';
import type { Stall } from '../time/keeper.ts';

/** How something ended that was not answered. */
export interface Failure {
  readonly kind: string;
  readonly message: string;
  readonly reused?: boolean;
}

/** A request of the suite and what came of it. Times of the thread of the cases, in ms. */
export interface AskLine {
  readonly kind: 'ask';
  readonly part: string;
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** What the credential of the request is, in the place of the credential itself, where it has one. */
  readonly credential?: string;
  readonly body?: Content;
  readonly sentAt?: number;
  /** Absent where the run ended before. */
  readonly endedAt?: number;
  readonly status?: number;
  readonly answered?: Headers;
  /** Content that comes again is that of the answer with this number, from 0. */
  readonly content?: Content | Again;
  readonly failure?: Failure;
}

/** A call that arrived at something that the suite plays. */
export interface CallLine {
  readonly kind: 'call';
  readonly door: string;
  readonly base: string;
  readonly at: number;
  readonly number: number;
  /** By the clock that the case lives in, in ms. */
  readonly arrivedAt: number;
  readonly arrivedWall: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly body: Content;
  readonly cutShort: boolean;
  /** Whether the caller went away before anything was decided about it. */
  readonly unheard?: true;
  readonly end?: { readonly at: number; readonly endedAt: number; readonly ending: Ending; readonly status?: number };
}

/** A request of a host to the service that the suite plays. */
export interface StageLine {
  readonly kind: 'stage';
  readonly door: string;
  readonly at: number;
  readonly arrivedAt: number;
  readonly method: string;
  readonly target: string;
  readonly headers: Headers;
  readonly body: Content;
}

/** What a part learnt otherwise. */
export interface AsideLine {
  readonly kind: 'aside';
  readonly part: string;
  readonly what: string;
  readonly endedAt?: number;
  readonly value?: unknown;
  readonly failure?: Failure;
}

/** A limit that a part set itself, or a time that it slept. */
export interface TimerLine {
  readonly kind: 'timer';
  readonly part: string;
  readonly ms: number;
  /** When it was over; absent where the run ended before. */
  readonly at?: number;
  /** Whether nothing came before it was over. */
  readonly fired?: true;
}

/** What happened to the time in which a service or a host lives. */
export interface TimeLine {
  readonly kind: 'time';
  readonly of: 'service' | 'host';
  readonly at: number;
  readonly set?: number;
  readonly goesOn?: boolean;
  readonly wake?: number;
  /** When the service was asked for something that costs nothing, and when it had answered: null where it never did. */
  readonly asked?: { readonly from: number; readonly to: number | null };
}

export type Line =
  | AskLine
  | CallLine
  | StageLine
  | AsideLine
  | TimerLine
  | TimeLine
  | { readonly kind: 'lost'; readonly stalls: readonly Stall[] }
  | { readonly kind: 'reading'; readonly part: string; readonly what: string; readonly value: number }
  | { readonly kind: 'door'; readonly door: string; readonly port: number }
  | { readonly kind: 'rule'; readonly rule: string; readonly at: number }
  | { readonly kind: 'end'; readonly part: string; readonly at: number };

/** First line: how the run was made. */
export interface Head {
  readonly run: Run;
  /** When the connections of the cases were opened, in ms of their thread. */
  readonly openedAt: number;
  /** ms since the epoch at 0 of that. */
  readonly timeOrigin: number;
}
