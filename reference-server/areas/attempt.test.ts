import { expect, test } from 'vitest';
import { controlledClock } from '../../clock/controlled.ts';
import { openSqliteStore } from '../ports/sqlite.ts';
import type { Reading, Store, Writing } from '../ports/store.ts';
import { onStage, record } from './calls-host.fixture.ts';

/** A store in memory that tells what it is asked: transactions and methods by name, documents with their kind. */
function countingStore(): { readonly store: Store; readonly asked: Map<string, number> } {
  const asked = new Map<string, number>();
  const count = (name: string): void => void asked.set(name, (asked.get(name) ?? 0) + 1);
  const counting = <Port extends Reading>(port: Port): Port =>
    new Proxy(port, {
      get(target, method) {
        const work: unknown = Reflect.get(target, method);
        if (typeof work !== 'function') return work;
        return (...args: readonly unknown[]): unknown => {
          count(method === 'document' ? `document ${String(args[0])}` : String(method));
          return Reflect.apply(work, target, args);
        };
      },
    });
  const right = openSqliteStore();
  const store: Store = {
    read(work) {
      count('read');
      return right.read((reading) => work(counting(reading)));
    },
    change(work) {
      count('change');
      return right.change((writing: Writing) => work(counting(writing)));
    },
    close: () => right.close(),
  };
  return { store, asked };
}

const someEvent = { recordId: 'one', contentPayload: {} };

const start = Date.parse('2026-01-01T00:00:00Z');

test('an attempt looks up once where it goes: when it is taken', async () => {
  const { store, asked } = countingStore();
  const clock = controlledClock({ startAt: start });
  await onStage(
    async (stage) => {
      stage.answer = () => ({ status: stage.arrived.length < 2 ? 503 : 200 });
      await stage.register([record('one', 'ExternalEvent')]);
      expect((await stage.ask('emil', 'POST', '/api/space/main/externalEvent', someEvent)).status).toBe(201);
      await clock.advanceBy(0);
      asked.clear();
      await clock.advanceBy(2000);
      expect(stage.arrived).toHaveLength(2);
      expect(Object.fromEntries(asked)).toMatchObject({ change: 2, leaseDelivery: 1, deleteDelivery: 1 });
      expect([asked.get('read'), asked.get('document registration')]).toEqual([undefined, 1]);
    },
    { store, clock },
  );
  await store.close();
});

test('so does an attempt that a user waits for', async () => {
  const { store, asked } = countingStore();
  const clock = controlledClock({ startAt: start });
  await onStage(
    async (stage) => {
      await stage.register([record('one', 'ExternalAction')]);
      const before = new Map<string, number>();
      stage.answer = () => {
        for (const [name, times] of asked) before.set(name, times);
        return { status: 200 };
      };
      const action = { kind: 'ribbon' };
      expect((await stage.ask('emil', 'POST', '/api/space/main/externalAction/one', action)).status).toBe(200);
      const later = [...asked].map(([name, times]) => [name, times - (before.get(name) ?? 0)] as const);
      const sinceTheCall = Object.fromEntries(later.filter(([, times]) => times > 0));
      expect(sinceTheCall).toEqual({ change: 1, appendLogEntry: 1 });
    },
    { store, clock },
  );
  await store.close();
});
