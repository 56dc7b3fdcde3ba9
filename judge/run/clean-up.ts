import type { Profile } from '../../contract/profile.ts';
import { type Booking, completeRemoval } from '../case/bookings.ts';
import { NoAnswer, TargetUnreachable } from '../client/failure.ts';
import { isOfNothing, isSuccess, type Reply, type RequestSpec } from '../exchange.ts';
import { versionOf } from '../given.ts';
import type { RunFooter } from '../outcome.ts';
import type { Target } from '../service/target.ts';
import { messageOf } from '../../contract/thrown.ts';

/** Requests under way at once. */
const width = 16;

/** Longest time in which nothing is gone, in ms. */
const longestPauseMs = 60_000;

/** How long a clean-up may go on: however much there is to remove, as long as some of it is gone now and then. */
export class CleanUpTime implements Disposable {
  readonly #ended = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(pauseMs = longestPauseMs) {
    this.#timer = setTimeout(() => this.#ended.abort(`nothing was removed for ${pauseMs / 1000} s`), pauseMs);
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Something is gone. */
  extend(): void {
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/** Statuses that another sweep does not change: nobody may, or nobody can. */
const final = [401, 403, 405, 501];

/** Of a read where nothing can be, not even for those who may read it: a place where nobody could put anything either. */
const statusesOfNothing = [400, 404, 405, 410, 414, 422];

/** Why something is still there, and whether that may be because others still need it. */
interface Refusal {
  readonly reason: string;
  readonly mayChange: boolean;
}

/**
 * Deletes what the run created, the youngest first, because later objects refer to earlier ones. What is refused is tried again in the other
 * direction for as long as others went meanwhile: it may have been needed by them. Returns what is still there, and why.
 * When nobody answers any more or the time is over, the rest remains.
 */
export async function cleanUp(
  target: Pick<Target, 'send'>,
  booked: readonly Booking[],
  time: CleanUpTime,
  profile: Profile,
): Promise<RunFooter['remains']> {
  const ended = new AbortController();
  const stopped = AbortSignal.any([ended.signal, time.signal]);
  const refusals = new Map<Booking, Refusal>();
  const sweep = async (tried: readonly Booking[]): Promise<void> => {
    const open = [...tried];
    const worker = async (): Promise<void> => {
      for (let next = open.shift(); next !== undefined; next = open.shift()) {
        const refusal = stopped.aborted
          ? { reason: `the clean-up ended before: ${String(stopped.reason)}`, mayChange: false }
          : await removed(target, next, ended, profile);
        if (refusal !== undefined) refusals.set(next, refusal);
        else {
          refusals.delete(next);
          time.extend();
        }
      }
    };
    await Promise.all(Array.from({ length: width }, worker));
  };
  let tried: readonly Booking[] = booked.toReversed();
  for (;;) {
    await sweep(tried);
    const left = tried.filter((booking) => refusals.get(booking)?.mayChange === true);
    if (left.length === 0 || left.length === tried.length || stopped.aborted) break;
    tried = left.toReversed();
  }
  return [...refusals].map(([{ uri }, { reason }]) => ({ uri, reason }));
}

/** Undefined when it is gone, else why it stays. Where nobody answers any more, that ends all. */
async function removed(
  target: Pick<Target, 'send'>,
  booking: Booking,
  ended: AbortController,
  profile: Profile,
): Promise<Refusal | undefined> {
  try {
    return await tryRemoval(target, booking, profile);
  } catch (error) {
    const reason = messageOf(error);
    if (error instanceof TargetUnreachable || error instanceof NoAnswer) ended.abort(reason);
    return stays(reason);
  }
}

async function tryRemoval(
  target: Pick<Target, 'send'>,
  booking: Booking,
  profile: Profile,
): Promise<Refusal | undefined> {
  const { uri, incomplete, read, keepBecause } = booking;
  const isNowhere = async (): Promise<boolean> =>
    read !== undefined && statusesOfNothing.includes((await target.send(read)).status);
  // what was to come there may never have come
  if (keepBecause !== undefined) return (await isNowhere()) ? undefined : stays(keepBecause);
  const shown = profile.routes?.softTypeDelete === undefined ? undefined : incomplete;
  if (!booking.remove && !shown) return stays(`the profile has no ${booking.lacks ?? 'routes.softTypeDelete'}`);
  // its own long address, or one of the links of a read
  const found = !booking.remove && shown ? await target.send({ method: 'GET', url: uri, as: shown.as }) : undefined;
  if (found !== undefined && isOfNothing(found.status)) return undefined;
  const remove = booking.remove ?? (shown && found && completeRemoval(profile, shown, found));
  if (remove === undefined) return stays('no address of it shows what routes.softTypeDelete asks for');
  const { status } = await sentAsNeeded(target, uri, remove);
  if (isSuccess(status) || isOfNothing(status) || (await isNowhere())) return undefined;
  return { reason: `DELETE was answered with ${status}`, mayChange: !final.includes(status) };
}

function stays(reason: string): Refusal {
  return { reason, mayChange: false };
}

/** Where a DELETE asks for the version that the client last read, as PUT and PATCH do, it is read and sent along. */
async function sentAsNeeded(target: Pick<Target, 'send'>, uri: string, remove: RequestSpec): Promise<Reply> {
  const reply = await target.send(remove);
  if (reply.status !== 412 && reply.status !== 428) return reply;
  const version = versionOf(await target.send({ ...remove, method: 'GET', url: uri }));
  return version === undefined ? reply : target.send({ ...remove, version });
}
