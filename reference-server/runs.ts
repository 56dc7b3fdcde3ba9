import type { Areas } from './areas.ts';
import type { App } from './http/app.ts';
import { Door, type Place } from './http/door.ts';
import { Refusal } from './http/refusal.ts';
import { nextTurn } from '../clock/clock.ts';
import type { Duplex } from 'node:stream';

/** Areas that begin with nothing but what stands in the store, and the routes to them. */
export interface Run {
  readonly areas: Areas;
  readonly app: App;
}

/** What keeps a server from restarting. */
const underWay = 'The server restarts or is reset already; wait for the answer to that request.';

/**
 * A server from one restart to the next. A restart ends what SIGTERM ends, and begins anew what a process begins: routes, connections,
 * deliveries and whatever a service remembers outside its store. The store itself, the clock and the log stay open.
 */
export class Runs {
  readonly #make: () => Run;
  readonly #door = new Door();
  #run: Run;
  #restarting: Promise<void> | undefined;

  constructor(make: () => Run) {
    this.#make = make;
    this.#run = make();
  }

  /** Resolves with the address, once what an earlier run left in the queue goes on. @throws {Error} the port is taken */
  async listen(place: Place, listens: (url: string) => void): Promise<void> {
    listens(await this.#door.listen(place));
    await this.#start();
  }

  /** Begins without a port. Resolves with what takes a connection, once what an earlier run left in the queue goes on. */
  async open(): Promise<(connection: Duplex) => void> {
    await this.#start();
    return (connection) => this.#door.admit(connection);
  }

  get areas(): Areas {
    return this.#run.areas;
  }

  /**
   * Asked for by a request, whose connection is the last of the old run: it is answered when the new one is there.
   * @throws {Refusal} 409, a restart is under way
   */
  async restart(): Promise<void> {
    return this.#alone(() => this.#restart());
  }

  /**
   * Lets another run take the place of this one, behind connections that stay. Requests that come meanwhile wait.
   * @param between done while nobody is served
   * @param besides requests that wait for this and are answered by the old run: the one that asks for it
   * @throws {Refusal} 409, a restart is under way
   */
  async renew(between: () => Promise<void>, besides: 0 | 1): Promise<void> {
    return this.#alone(() => this.#renew(between, besides));
  }

  async #alone(work: () => Promise<void>): Promise<void> {
    if (this.#restarting) throw new Refusal(409, underWay);
    this.#restarting = work();
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
    await Promise.all([end(app, this.#door.close()), stop(areas)]);
  }

  async #restart(): Promise<void> {
    const { areas, app } = this.#run;
    const besides = app.inFlight.drain(1);
    // what came together with the request to restart is answered by the old run
    await nextTurn();
    const dismiss = this.#door.turn();
    await Promise.all([besides, stop(areas)]);
    await this.#begin();
    void end(app, dismiss);
  }

  async #renew(between: () => Promise<void>, besides: 0 | 1): Promise<void> {
    const { areas, app } = this.#run;
    const drained = app.inFlight.drain(besides);
    await nextTurn();
    this.#door.pause();
    await Promise.all([drained, stop(areas)]);
    try {
      await between();
    } finally {
      await this.#begin();
      void end(app, () => undefined);
    }
  }

  async #begin(): Promise<void> {
    this.#run = this.#make();
    await this.#start();
  }

  /** Opens the door, and goes on with what an earlier run left in the store. */
  async #start(): Promise<void> {
    const { areas, app } = this.#run;
    this.#door.open(app.answer);
    await areas.deliveryDispatcher.start();
    await areas.jobs.startTasks();
  }
}

async function stop({ deliveryDispatcher, jobs }: Areas): Promise<void> {
  await Promise.all([jobs.closeTasks(), deliveryDispatcher.close()]);
}

/** What is left of a run ends with its last answer. */
async function end({ inFlight }: App, dismiss: () => Promise<void> | void): Promise<void> {
  await inFlight.drain();
  await dismiss();
}
