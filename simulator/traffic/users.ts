import { setTimeout as sleep } from 'node:timers/promises';
import { shapeOf } from './arrivals.ts';
import { chooserWithOwn } from './chance.ts';
import { drive, UnderWay } from './drive.ts';
import { earlyEnd, type Engine } from './engine.ts';
import { remarksOnEnds } from './resend.ts';
import { openSender } from './send.ts';
import { Waits } from './waits.ts';

/** How often a user who is not there yet, or who has left, looks whether to come, in ms. */
const lookMs = 20;
/** So many journeys of a user in a row without a request, and the mix has nothing that this profile allows. */
const mostEmpty = 100;

/**
 * Users that begin a journey as soon as the one before has ended, and think in between as the mix says. They come one after another while the
 * load rises, and leave when it falls, each at the end of a journey. Every user has a connection.
 */
export const users: Engine = async (setup, observer) => {
  if (setup.load.model !== 'closed') throw new TypeError('Expected a number of users: a closed loop has no rate.');
  const { users: all } = setup.load;
  const { index: first, of: workers } = setup.share ?? { index: 0, of: 1 };
  const shape = shapeOf(setup.mix, setup.rampMs, setup.durationMs);
  const choose = chooserWithOwn(setup.mix, setup.seed);
  const over = new AbortController();
  const running = { ...setup, signal: AbortSignal.any([setup.signal, over.signal]) };
  const sender = openSender(setup, Math.ceil((all - first) / workers));
  const waits = new Waits(running.signal);
  const underWay = new UnderWay(() => over.abort());
  const startedAt = setup.share?.startsAt ?? performance.now();
  await pause(startedAt - performance.now(), running.signal);
  const away = new Set<User>();

  const proceed = (user: User): void => {
    if (running.signal.aborted) return;
    if (user.number >= shape.factorAt(performance.now() - startedAt) * all) return void away.add(user);
    away.delete(user);
    underWay.size += 1;
    const { number, iteration, sent } = user;
    user.iteration += 1;
    let isBeginning = true;
    drive(
      { name: choose(number, iteration), user: number, iteration, dueAt: performance.now() },
      {
        setup: running,
        observer,
        waits,
        begin: (step, done) => {
          user.sent += 1;
          sender.begin(step, done);
        },
        ended: (failure) => {
          user.empty = user.sent === sent ? user.empty + 1 : 0;
          underWay.ended(failure ?? (user.empty < mostEmpty ? undefined : nothingToDo));
          if (isBeginning) setImmediate(() => proceed(user));
          else proceed(user);
        },
      },
    );
    isBeginning = false;
  };

  for (let number = first; number < all; number += workers) proceed({ number, iteration: 0, sent: 0, empty: 0 });
  const looking = setInterval(() => away.forEach(proceed), lookMs);
  await pause(startedAt + shape.durationMs - performance.now(), running.signal);
  clearInterval(looking);
  over.abort();
  await sender[Symbol.asyncDispose]();
  await underWay.waitUntilEmpty();
  const { remarks, ...early } = earlyEnd(underWay.failure);
  return { durationMs: performance.now() - startedAt, remarks: [...remarksOnEnds(sender), ...remarks], ...early };
};

interface User {
  readonly number: number;
  iteration: number;
  /** Requests so far. */
  sent: number;
  /** Journeys in a row that sent none. */
  empty: number;
}

const nothingToDo = new Error('none of the journeys of the mix sends a request with this profile.');

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal }).catch(() => undefined);
}
