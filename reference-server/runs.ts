import type { Areas } from './areas.ts';
import type { App } from './http/app.ts';
import { Refusal } from './http/refusal.ts';
import { nextTurn } from './ports/clock.ts';

/** Where a server listens. */
interface Place {
  readonly port: number;
  readonly host: string;
}

/** Areas that begin with nothing but what stands in the store, and the routes to them. */
export interface Run {
  readonly areas: Areas;
  readonly app: App;
}

/**
 * A server from one restart to the next. A restart ends what SIGTERM ends, and begins anew what a process begins: routes, connections,
 * deliveries and whatever a service remembers outside its store. The store itself, the clock and the log stay open.
 */
export class Runs {
  readonly #make: () => Run;
  #run: Run;
  #place: Place | undefined;
  #restarting: Promise<void> | undefined;

  constructor(make: () => Run) {
    this.#make = make;
    this.#run = make();
  }

  /** Resolves with the address, once what an earlier run left in the queue goes on. @throws {Error} the port is taken */
  async listen(place: Place, listens: (url: string) => void): Promise<void> {
    const { areas, app } = this.#run;
    const url = await app.fastify.listen(place);
    this.#place = { ...place, port: Number(new URL(url).port) };
    listens(url);
    await start(areas);
  }

  /**
   * Asked for by a request, whose connection is the last of the old run: it is answered when the new one listens on the same port.
   * @throws {Refusal} 409, a restart is under way
   */
  async restart(): Promise<void> {
    if (this.#restarting) throw new Refusal(409, 'The server restarts already; wait for the answer to that request.');
    this.#restarting = this.#restart();
    try {
      await this.#restarting;
    } finally {
      this.#restarting = undefined;
    }
  }

  /** Takes no new request, finishes those it is answering, then ends. */
  async close(): Promise<void> {
    await this.#restarting?.catch(() => undefined);
    const { areas, app } = this.#run;
    await Promise.all([close(app), stop(areas)]);
  }

  async #restart(): Promise<void> {
    const place = this.#place;
    if (place === undefined) throw new Error('The server does not listen yet; call listen() first.');
    const { areas, app } = this.#run;
    const besides = app.inFlight.drain(1);
    const closing = app.fastify.close();
    await Promise.all([besides, stop(areas), untilDeaf(app)]);
    this.#run = this.#make();
    await this.#run.app.fastify.listen(place);
    await start(this.#run.areas);
    void endWithLastAnswer(app, closing);
  }
}

/** Goes on with what an earlier run left in the store. */
async function start({ deliveryDispatcher, jobs }: Areas): Promise<void> {
  await deliveryDispatcher.start();
  await jobs.startTasks();
}

async function stop({ deliveryDispatcher, jobs }: Areas): Promise<void> {
  await Promise.all([jobs.closeTasks(), deliveryDispatcher.close()]);
}

/** Resolves when nobody can connect any more. */
async function untilDeaf({ fastify }: App): Promise<void> {
  while (fastify.server.listening) await nextTurn();
}

/** What is left of an old run ends when it has told of the new one. */
async function endWithLastAnswer({ fastify, inFlight }: App, ended: PromiseLike<unknown>): Promise<void> {
  await inFlight.drain();
  fastify.server.closeAllConnections();
  await ended;
}

async function close(app: App): Promise<void> {
  await endWithLastAnswer(app, app.fastify.close());
}
