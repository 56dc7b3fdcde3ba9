import { setTimeout as sleep } from 'node:timers/promises';
import { race, scenario, type SomeCasesOf } from '../../judge/case.ts';
import { editable } from '../../judge/writes.ts';
import { edit, operationsOf, passed, resultsOf, sendBatch } from './words.ts';

const guidelineMs = 30_000;
const pollMs = 50;
const patienceMs = 10_000;

export const sizeCases = {
  'batch.size.hundred-operations': scenario(async (context) => {
    const { given, service, expect } = context;
    const things = await Promise.all(Array.from({ length: 10 }, () => editable(context)));
    const creates = Array.from({ length: 90 }, () => service.requests.create(given.body()));
    const reply = await sendBatch(context, [...things.map((thing) => edit(context, thing)), ...creates]);
    expect(reply).toAnswer(200);
    expect(resultsOf(reply).length, 'results of 100 operations', reply).toEqual(100);
    expect(reply.exchange.durationMs, 'duration of 100 operations in ms', reply).toSatisfy(
      `at most ${guidelineMs}`,
      (ms) => ms <= guidelineMs,
    );
  }),

  'batch.size.no-hard-limit': scenario(async (context) => {
    const { given, service, expect } = context;
    const thing = await given.object();
    passed(context, await sendBatch(context, [service.requests.read(thing)]));
    for (const count of [101, 150]) {
      const reply = await sendBatch(
        context,
        Array.from({ length: count }, () => service.requests.read(thing)),
      );
      expect(reply).toAnswer(200);
      expect(resultsOf(reply).length, `results of ${count} operations`, reply).toEqual(count);
    }
  }),

  'batch.size.finishes-without-client': race(
    async (context) => {
      const { service, expect } = context;
      const things = await Promise.all(Array.from({ length: 20 }, () => editable(context)));
      passed(
        context,
        await sendBatch(
          context,
          things.map((thing) => service.requests.read(thing)),
        ),
      );
      const versions = things.map((thing) => thing.version);
      const operations = await operationsOf(
        context,
        things.map((thing) => edit(context, thing)),
      );
      await service.abandon(service.requests.batch(operations));
      const arrived = await until(async () => {
        const now = await Promise.all(things.map(async (thing) => (await service.snapshot(thing)).version));
        return now.filter((version, index) => version > (versions[index] ?? 0)).length;
      }, things.length);
      expect(arrived, `edits of ${things.length} that arrived after the connection was cut`).toEqual(things.length);
    },
    { rounds: 1 },
  ),
} satisfies SomeCasesOf<'batch'>;

/** Asks until the count is there or patience ends; returns the last count. */
async function until(count: () => Promise<number>, goal: number): Promise<number> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const now = await count();
    if (now === goal || performance.now() > end) return now;
    await sleep(pollMs);
  }
}
