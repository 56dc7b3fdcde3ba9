import { messageOf } from '../../../contract/thrown.ts';
import { callId, type Call } from '../call.ts';
import type { Entry } from '../entry.ts';
import { HostArea } from '../surroundings.ts';

/** Work that a call set off. @throws whatever went wrong; it is told and ends nothing else */
export type Work = (signal: AbortSignal) => Promise<void>;

/** Pieces of work under way at once; further ones wait. */
const mostUnderWay = 20;
/** Pieces of work that may wait; a host with more of them takes no further calls. */
const mostWaiting = 10_000;
/** Calls remembered, so that one that is delivered again is worked once. */
const mostRemembered = 10_000;

interface Piece {
  readonly work: Work;
  readonly ended: PromiseWithResolvers<void>;
}

/** Carries out what calls set off, after they were answered. */
export class Background extends HostArea {
  readonly #closing = new AbortController();
  readonly #remembered = new Map<string, Piece>();
  readonly #unanswered = new Map<Entry, readonly [string, Piece]>();
  readonly #waiting: Piece[] = [];
  #underWay = 0;

  get isFull(): boolean {
    return this.#waiting.length + this.#unanswered.size >= mostWaiting;
  }

  /** Whether the call came before, as after an acknowledgement that got lost. */
  knows(call: Call): boolean {
    return this.#remembered.has(callId(call));
  }

  /**
   * Acknowledge first, work afterwards: what a call sets off begins once that call has been answered; nothing does where the same call came
   * before. Source: extensions, Events 2
   */
  start(call: Call, work: Work): void | Promise<void> {
    if (this.knows(call)) return;
    const id = callId(call);
    this.#unanswered.set(call.entry, [id, this.#remember(id, work)]);
  }

  /** Begins the work of a request that has ended. Where it got no answer, it is as if it had never come. */
  release(entry: Entry): void {
    const [id = '', piece] = this.#unanswered.get(entry) ?? [];
    this.#unanswered.delete(entry);
    if (piece === undefined) return;
    if (entry.status === undefined) this.#remembered.delete(id);
    else this.#begin(piece);
  }

  /** Works at once; resolves when that is done, or was when the same call came before. */
  run(call: Call, work: Work): Promise<void> {
    const id = callId(call);
    const before = this.#remembered.get(id);
    if (before !== undefined) return before.ended.promise;
    const piece = this.#remember(id, work);
    this.#begin(piece);
    return piece.ended.promise;
  }

  /** Aborts what is under way, forgets what waits, and resolves when everything has ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the host closes'));
    const underWay = [...this.#remembered.values()].filter((piece) => !this.#waiting.includes(piece));
    const unanswered = new Set([...this.#unanswered.values()].map(([, piece]) => piece));
    this.#waiting.length = 0;
    await Promise.all(underWay.filter((piece) => !unanswered.has(piece)).map(({ ended }) => ended.promise));
  }

  #remember(id: string, work: Work): Piece {
    const piece = { work, ended: Promise.withResolvers<void>() };
    this.#remembered.set(id, piece);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > mostRemembered && oldest !== undefined) this.#remembered.delete(oldest);
    return piece;
  }

  #begin(piece: Piece): void {
    if (this.#closing.signal.aborted) return piece.ended.resolve();
    if (this.#underWay < mostUnderWay) void this.#carryOut(piece);
    else this.#waiting.push(piece);
  }

  async #carryOut({ work, ended }: Piece): Promise<void> {
    this.#underWay += 1;
    try {
      await work(this.#closing.signal);
    } catch (error) {
      if (!this.#closing.signal.aborted) this.surroundings.say(messageOf(error));
    }
    this.#underWay -= 1;
    ended.resolve();
    const next = this.#waiting.shift();
    if (next !== undefined) void this.#carryOut(next);
  }
}
