import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type AreaClasses, composeAreas, rightAreas } from '../areas.ts';
import { Outgoing } from '../ports/outgoing.ts';
import { Callees, type Callee } from './callees.ts';
import { Requests } from './requests.ts';
import { nextTurn } from '../../clock/clock.ts';
import type { Clock } from '../../clock/clock.ts';
import { isControlled, type ControlledClock } from '../../clock/controlled.ts';
import { sampleConfiguration } from './auth-sample.fixture.ts';
import { silentLog } from '../log.ts';
import { openFileStore } from '../ports/disk.ts';
import type { Log } from '../http/call.ts';
import type { Areas } from '../areas.ts';
import type { Reading, Store } from '../ports/store.ts';
import type { CallKind, Delivery, DeliveryLogEntry } from '../ports/deliveries.ts';
import { listen, type Listening } from '../../fixtures/listening.fixture.ts';

/** A request as the host got it; `at` in ms of the clock. */
export interface Arrival {
  readonly endpoint: string;
  readonly id: string;
  readonly at: number;
  readonly attempt: number;
}

/** What a host does with a request. */
export type Reaction = number | 'reset' | 'hang up' | 'hold' | 'half body' | 'too much';

/** A host that answers as it is told and remembers what came. */
export interface FakeHost extends Listening {
  readonly arrivals: readonly Arrival[];
  /** Answers what is held. */
  release(status: number): void;
}

export type Script = (arrival: Arrival, before: readonly Arrival[]) => Reaction;

export async function fakeHost(clock: Pick<Clock, 'now'>, script: Script): Promise<FakeHost> {
  const arrivals: Arrival[] = [];
  let held: ServerResponse[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = clock.now();
    const arrival: Arrival = { endpoint: request.url?.slice(1) ?? '', at, ...JSON.parse(await text(request)) };
    const before = [...arrivals];
    arrivals.push(arrival);
    const reaction = script(arrival, before);
    if (reaction === 'hold') held.push(response);
    else react(response, reaction);
  };
  const server = createServer((request, response) => void receive(request, response));
  return {
    ...(await listen(server)),
    arrivals,
    release(status) {
      for (const response of held) react(response, status);
      held = [];
    },
  };
}

function react(response: ServerResponse, reaction: Exclude<Reaction, 'hold'>): void {
  if (reaction === 'reset') response.socket?.resetAndDestroy();
  else if (reaction === 'hang up') response.socket?.destroy();
  else if (reaction === 'half body') {
    response.writeHead(200, { 'Content-Length': '10' });
    response.write('half', () => response.socket?.destroy());
  } else if (reaction === 'too much') response.end(Buffer.alloc(2 ** 21, 'a'));
  else response.writeHead(reaction).end();
}

/** What the tests set of an endpoint. */
export interface FakeEndpoint {
  active?: boolean;
  retryForever?: boolean;
  limit?: number;
  timeoutMs?: number;
}

export interface Bench<C extends Clock = ControlledClock> {
  readonly service: Areas;
  readonly clock: C;
  /** Settings by registration id; one that is null is gone. */
  readonly endpoints: Map<string, FakeEndpoint | null>;
  enqueue(...deliveries: readonly Delivery[]): Promise<void>;
  log(): Promise<readonly DeliveryLogEntry[]>;
  /** Moves of the clock do not wait for this service any more. */
  abandon(): void;
}

export interface BenchOptions<C extends Clock> {
  readonly url: () => string;
  readonly store: Store;
  readonly clock: C;
  readonly variant?: (classes: AreaClasses) => AreaClasses;
  /** None unless given. */
  readonly log?: Log;
}

/** A service whose endpoints are made up. */
export function benchOf<C extends Clock>({ url, store, clock, variant, log = silentLog }: BenchOptions<C>): Bench<C> {
  const endpoints = new Map<string, FakeEndpoint | null>();
  const faked: AreaClasses = {
    ...rightAreas,
    callees: class extends Callees {
      override async calleeOf(_reading: Reading, { registrationId }: Pick<Delivery, 'registrationId'>) {
        return calleeFrom(registrationId, url(), endpoints);
      }
    },
    requests: class extends Requests {
      override async requestFor({ id, registrationId }: Delivery, _callee: Callee, attempt: number) {
        return {
          method: 'POST',
          url: `${url()}/${registrationId}`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ id, attempt }),
          timeoutMs: endpoints.get(registrationId)?.timeoutMs ?? 100_000,
        };
      }
    },
  };
  const service = composeAreas(variant?.(faked) ?? faked, {
    store,
    fileStore: openFileStore(),
    clock,
    configuration: sampleConfiguration(),
    log,
    outgoing: new Outgoing(),
  });
  const abandoned = Promise.withResolvers<void>();
  if (isControlled(clock))
    clock.settleWith(() => Promise.race([service.outgoing.activity.settled(), abandoned.promise]));
  return {
    service,
    clock,
    endpoints,
    abandon: abandoned.resolve,
    async enqueue(...deliveries) {
      await store.change(async (writing) => {
        for (const delivery of deliveries) await service.queue.enqueue(writing, delivery);
      });
      await service.outgoing.activity.settled();
    },
    log: () => store.read((reading) => reading.logEntries({ after: 0, limit: 1000 })),
  };
}

function calleeFrom(id: string, url: string, endpoints: ReadonlyMap<string, FakeEndpoint | null>): Callee | undefined {
  const given = endpoints.get(id);
  if (given === null) return undefined;
  const { active = true, retryForever = false, limit = 1000, timeoutMs = 100_000 } = given ?? {};
  const fields = { active, retryForever, rateLimitNumberOfExecutions: limit };
  const endpoint = { id, url, method: 'POST', category: 'test', headers: [], requestTimeout: timeoutMs / 1000 };
  return {
    endpoint: { ...endpoint, ...fields, kind: 'externalEndpoint', registeredAt: 0 },
    ...fields,
    name: id,
    url,
    timeoutMs,
    rateKey: id,
  };
}

export function deliveryTo(registrationId: string, id: string, kind: CallKind = 'event'): Delivery {
  return {
    id,
    kind,
    registrationId,
    spaceId: 'main',
    envelopeId: `envelope ${id}`,
    userName: 'editor',
    informationFilter: 'e30=',
    payload: {},
  };
}

export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}
