import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Delivery } from './deliveries.ts';
import type { QueueReading, QueueWriting } from './deliveries.ts';
import { QueueModel } from './queue-in-memory.fixture.ts';
import { describeStores } from './stores.fixture.ts';

const ids = ['one', 'two', 'three', 'four', 'five', 'six'];
const endpoints = ['a', 'b'];
const hosts = ['north', 'south'];

const idArbitrary = fc.constantFrom(...ids);
const endpointArbitrary = fc.constantFrom(...endpoints);
const hostArbitrary = fc.constantFrom(...hosts);
const timeArbitrary = fc.nat(20);

/** A write; one that needs a delivery skips itself where there is none. */
type Step = (writing: QueueWriting & QueueReading) => Promise<unknown>;

const named = (name: string, step: Step): Step =>
  Object.assign(step, { toString: () => name, [fc.toStringMethod]: () => name });

function delivery(id: string, registrationId: string): Delivery {
  return {
    id,
    kind: 'event',
    registrationId,
    spaceId: 'main',
    envelopeId: id,
    userName: 'u',
    informationFilter: '',
    payload: { id },
  };
}

const ifThere = (name: string, id: string, step: Step): Step =>
  named(`${name} ${id}`, async (writing) => (await writing.delivery(id)) && step(writing));

const stepArbitrary = fc.oneof(
  fc
    .tuple(idArbitrary, endpointArbitrary, timeArbitrary)
    .map(([id, endpoint, at]) =>
      named(`insert ${id} to ${endpoint} at ${at}`, async (writing) =>
        (await writing.delivery(id)) ? undefined : writing.insertDelivery(delivery(id, endpoint), endpoint, at),
      ),
    ),
  fc
    .tuple(idArbitrary, hostArbitrary, timeArbitrary)
    .map(([id, host, until]) =>
      ifThere(`lease by ${host} until ${until}`, id, (writing) => writing.leaseDelivery(id, host, until)),
    ),
  fc
    .tuple(idArbitrary, fc.nat(9), timeArbitrary)
    .map(([id, attempts, at]) =>
      ifThere(`schedule ${attempts} at ${at}`, id, (writing) => writing.scheduleDelivery(id, attempts, at)),
    ),
  fc
    .tuple(idArbitrary, timeArbitrary)
    .map(([id, until]) => ifThere(`hold until ${until}`, id, (writing) => writing.holdDelivery(id, until))),
  idArbitrary.map((id) => ifThere('park', id, (writing) => writing.parkDelivery(id))),
  idArbitrary.map((id) => named(`delete ${id}`, (writing) => writing.deleteDelivery(id))),
  fc
    .tuple(hostArbitrary, timeArbitrary)
    .map(([host, until]) => named(`renew ${host} until ${until}`, (writing) => writing.renewLeases(host, until))),
  hostArbitrary.map((host) => named(`release ${host}`, (writing) => writing.releaseLeases(host))),
  fc
    .tuple(endpointArbitrary, timeArbitrary, timeArbitrary)
    .map(([endpoint, now, until]) =>
      named(`hold ${endpoint} at ${now} until ${until}`, (writing) => writing.holdEndpoint(endpoint, now, until)),
    ),
  fc
    .tuple(endpointArbitrary, timeArbitrary)
    .map(([endpoint, now]) =>
      named(`resume ${endpoint} at ${now}`, (writing) => writing.resumeRegistration(endpoint, now)),
    ),
  fc
    .tuple(endpointArbitrary, fc.nat(9))
    .map(([key, executions]) =>
      named(`rate ${key} ${executions}`, (writing) =>
        writing.putRateWindow(key, { startedAt: 1, executions, pausedUntil: 2 }),
      ),
    ),
  idArbitrary.map((id) =>
    named(`log ${id}`, (writing) =>
      writing.appendLogEntry({ at: 1, kind: 'failed', endpoint: 'a', message: 'm', envelopeId: id }),
    ),
  ),
);

async function contentsOf(reading: QueueReading): Promise<unknown> {
  const all = <T, R>(values: readonly T[], read: (value: T) => Promise<R>): Promise<readonly R[]> =>
    Promise.all(values.map(read));
  const times = [0, 5, 10, 20];
  return {
    deliveries: await all(ids, (id) => reading.delivery(id)),
    owners: await all(ids, (id) => reading.leaseOwner(id)),
    readyEndpoints: await all(times, async (now) => new Set(await reading.readyEndpoints(now))),
    ready: await all(times, (now) => all(endpoints, (endpoint) => reading.readyDeliveries(endpoint, now, 2))),
    leased: await all(times, (now) =>
      all(hosts, (host) => all(['a', 'b', undefined], (endpoint) => reading.leasedElsewhere(host, now, endpoint))),
    ),
    next: await all(times, (now) => all([...hosts, ''], (host) => reading.nextReadyAt(host, now))),
    rates: await all(endpoints, (key) => reading.rateWindow(key)),
    log: [
      await reading.logEntries({ after: 1, limit: 3 }),
      await reading.logEntries({ after: 0, limit: 9, envelopeId: 'one' }),
      await reading.logEntries({ limit: 2 }),
      await reading.logEntries({ limit: 1, envelopeId: 'one' }),
    ],
  };
}

describeStores(({ open, runs }) => {
  test('of a store that was emptied nothing is left, and a change set that rejects has emptied nothing', async () => {
    const store = await open();
    const waiting = (): Promise<readonly unknown[]> =>
      store.read(async (reading) => [
        (await reading.delivery('one'))?.id,
        (await reading.rateWindow('a'))?.executions,
        (await reading.logEntries({ after: 0, limit: 9 })).length,
      ]);
    await store.change(async (writing) => {
      await writing.insertDelivery(delivery('one', 'a'), 'a', 1);
      await writing.putRateWindow('a', { startedAt: 1, executions: 2, pausedUntil: 0 });
      await writing.appendLogEntry({ envelopeId: 'one', at: 1, kind: 'removed', endpoint: 'a', message: 'said' });
    });
    const refused = store.change(async (writing) => {
      await writing.empty();
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect(await waiting()).toEqual(['one', 2, 1]);
    await store.change((writing) => writing.empty());
    expect(await waiting()).toEqual([undefined, undefined, 0]);
    await store.close();
  });

  test('the queue keeps what the model keeps, whatever is written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 40 }), async (steps) => {
        const store = await open();
        const model = new QueueModel();
        const modelled = { ...model.reading(), ...model.writing() };
        for (const step of steps) {
          await store.change((writing) => step(writing));
          await step(modelled);
        }
        expect(await store.read(contentsOf)).toEqual(await contentsOf(modelled));
        await store.close();
      }),
      { numRuns: runs(300) },
    );
  });

  test('documents of a kind come in the order of their ids, and one that was deleted is gone', async () => {
    const store = await open();
    await store.change(async (writing) => {
      for (const id of ['b', 'a', 'c']) await writing.putDocument('kind', id, `text of ${id}`);
      await writing.putDocument('other', 'a', 'text');
      await writing.deleteDocument('kind', 'b');
      await writing.deleteDocument('kind', 'not there');
    });
    expect(await store.read((reading) => reading.documents('kind'))).toEqual([
      { id: 'a', text: 'text of a' },
      { id: 'c', text: 'text of c' },
    ]);
    await store.close();
  });

  test('the log forgets its oldest entries when it is full', async () => {
    const store = await open();
    await store.change(async (writing) => {
      const times = Array.from({ length: 20_100 }, (_, at) => at);
      await Promise.all(times.map((at) => writing.appendLogEntry({ at, kind: 'failed', endpoint: 'a', message: '' })));
    });
    expect((await store.read((reading) => reading.logEntries({ after: 0, limit: 1 })))[0]).toMatchObject({ at: 100 });
    await store.close();
  });
});
