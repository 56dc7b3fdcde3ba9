import { nextTurn } from './clock/activity.ts';
import { closeDeliveries, startDeliveries } from './delivery/lifetime.ts';
import { succeedOutgoing } from './delivery/outgoing.ts';
import type { App } from './http/app.ts';
import { Refusal } from './problem.ts';
import type { Service } from './service.ts';
import { closeTasks, startTasks } from './tasks/lifetime.ts';

/** Where a server listens. */
interface Place {
  readonly port: number;
  readonly host: string;
}

interface Run {
  readonly service: Service;
  readonly app: App;
}

/**
 * A server from one restart to the next. A restart ends what SIGTERM ends, and begins anew what a process begins: routes, connections,
 * deliveries and whatever a service remembers outside its store. The store itself, the clock and the log stay open.
 */
export class Runs {
  readonly #assembled: (service: Service) => App;
  #run: Run;
  #place: Place | undefined;
  #restarting: Promise<void> | undefined;

  constructor(service: Service, assembled: (service: Service) => App) {
    this.#assembled = assembled;
    this.#run = { service, app: assembled(service) };
  }

  /** Resolves with the address, once what an earlier run left in the queue goes on. @throws {Error} the port is taken */
  async listen(place: Place, listens: (url: string) => void): Promise<void> {
    const { service, app } = this.#run;
    const url = await app.fastify.listen(place);
    this.#place = { ...place, port: Number(new URL(url).port) };
    listens(url);
    await begun(service);
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
    const { service, app } = this.#run;
    await Promise.all([closed(app), ended(service)]);
  }

  async #restart(): Promise<void> {
    const place = this.#place;
    if (place === undefined) throw new Error('The server does not listen yet; call listen() first.');
    const { service, app } = this.#run;
    const besides = app.inFlight.drain(1);
    const closing = app.fastify.close();
    await Promise.all([besides, ended(service), deaf(app)]);
    this.#run = this.#successorOf(service);
    await this.#run.app.fastify.listen(place);
    await begun(this.#run.service);
    void lastAnswered(app, closing);
  }

  /** Another object: what is remembered of a service is remembered by its object. */
  #successorOf(service: Service): Run {
    const successor = { ...service };
    succeedOutgoing(service, successor);
    return { service: successor, app: this.#assembled(successor) };
  }
}

/** Goes on with what an earlier run left in the store. */
async function begun(service: Service): Promise<void> {
  await startDeliveries(service);
  await startTasks(service);
}

async function ended(service: Service): Promise<void> {
  await Promise.all([closeTasks(service), closeDeliveries(service)]);
}

/** Resolves when nobody can connect any more. */
async function deaf({ fastify }: App): Promise<void> {
  while (fastify.server.listening) await nextTurn();
}

/** What is left of an old run ends when it has told of the new one. */
async function lastAnswered({ fastify, inFlight }: App, ended: PromiseLike<unknown>): Promise<void> {
  await inFlight.drain();
  fastify.server.closeAllConnections();
  await ended;
}

async function closed(app: App): Promise<void> {
  await lastAnswered(app, app.fastify.close());
}
