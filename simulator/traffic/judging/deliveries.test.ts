import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TrafficExtension } from '../extension.ts';
import { Deliveries, type Call } from './deliveries.ts';
import { madeUp, rulesIn } from './made-up.fixture.ts';
import { Violations } from './violations.ts';

type Told = Parameters<TrafficExtension['watch']>[0];
const never = new AbortController().signal;
const lost = 'delivery.rate.none-lost-none-doubled';
const doubled = 'delivery.success.200-sent-once';
const early = 'delivery.event.retry-gaps';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function opened() {
  const listeners: Told[] = [];
  const deliveries = new Deliveries({
    watch: (told) => {
      listeners.push(told);
      return () => undefined;
    },
  });
  const violations = new Violations(0);
  const accepted = (marker: string, more: object = {}): void =>
    deliveries.see(madeUp({ about: { kind: 'trigger', marker }, status: 201, endedAt: performance.now(), ...more }));
  const arrives = (marker: string, status = 200, ending: Call['ending'] = 'answered', more: object = {}): void => {
    const at = performance.now();
    const call = { arrivedAt: at, status, ending, endedAt: at, ...more };
    for (const told of listeners) told(marker, call as Parameters<Told>[1]);
  };
  const brings = (marker: string, id: string, contentPayload: unknown): void =>
    arrives(marker, 200, 'answered', { envelope: { id, payload: { contentPayload } } });
  const finished = async (signal: AbortSignal = never) => {
    const end = deliveries.finish(violations.complain, signal);
    await vi.runAllTimersAsync();
    return { summary: await end, rules: rulesIn(violations) };
  };
  return { deliveries, accepted, arrives, brings, finished };
}

const sent = { marker: 'a', text: 'ü', from: 'A.' };
const about = { kind: 'trigger', marker: 'a', payload: sent };

describe('no violation', () => {
  test.each([{ ...sent, more: 1 }, JSON.stringify(sent)])('content as %j', async (content) => {
    const { accepted, brings, finished } = opened();
    accepted('a', { about });
    brings('a', 'id', content);
    expect((await finished()).rules).toEqual([]);
  });

  test('an id that the requests of all events name', async () => {
    const { accepted, brings, finished } = opened();
    for (const marker of ['a', 'b']) accepted(marker, { step: { headers: { 'x-correlation-id': 'same' } } });
    for (const marker of ['a', 'b']) brings(marker, 'same', { marker });
    expect((await finished()).rules).toEqual([]);
  });

  test('each arrives once, some late and in another order', async () => {
    const { accepted, arrives, finished } = opened();
    for (const marker of ['a', 'b', 'c']) accepted(marker);
    arrives('c');
    setTimeout(() => arrives('a'), 8000);
    setTimeout(() => arrives('b'), 17_000);
    const { summary, rules } = await finished();
    expect(rules).toEqual([]);
    expect(summary).toMatchObject({ triggered: 3, arrived: 3 });
    expect(summary.maxMs).toBeCloseTo(17_000, -2);
  });

  test('tried again after a refusal, after a cut connection and after no answer', async () => {
    const { accepted, arrives, finished } = opened();
    for (const marker of ['a', 'b']) accepted(marker);
    arrives('a', 503);
    arrives('b', 200, 'cut');
    setTimeout(() => arrives('a'), 2000);
    setTimeout(() => arrives('b', 200, 'abandoned'), 2000);
    setTimeout(() => arrives('b'), 6000);
    expect((await finished()).rules).toEqual([]);
  });

  test('arrived before the answer to the trigger, not accepted, or accepted without our knowing', async () => {
    const { accepted, arrives, finished } = opened();
    arrives('early');
    vi.advanceTimersByTime(1);
    accepted('early');
    accepted('refused', { status: 403 });
    accepted('unknown', { error: 'timeout', status: 0 });
    arrives('unknown');
    accepted('last', { status: 204 });
    arrives('last');
    expect(await finished()).toMatchObject({ rules: [], summary: { triggered: 2, arrived: 2 } });
  });

  test('what a target still owes that is gone, or when the run was interrupted', async () => {
    const { accepted, deliveries, finished } = opened();
    accepted('a');
    deliveries.see(madeUp({ error: 'ECONNREFUSED', status: 0 }));
    expect((await finished()).rules).toEqual([]);
    const other = opened();
    other.accepted('a');
    expect((await other.finished(AbortSignal.abort())).rules).toEqual([]);
  });

  test('a request cut off at the end does not make a target gone', async () => {
    const { accepted, deliveries, finished } = opened();
    accepted('a');
    deliveries.see(madeUp({ error: 'cut off', cutOff: true, status: 0 }));
    expect((await finished()).rules).toEqual([lost]);
  });
});

describe('violations', () => {
  test('one that never arrives', async () => {
    const { accepted, arrives, finished } = opened();
    accepted('a');
    accepted('b');
    arrives('b');
    expect(await finished()).toMatchObject({ rules: [lost], summary: { triggered: 2, arrived: 1 } });
  });

  test.each([
    { ...sent, text: 'u' },
    { marker: 'a', from: 'A.' },
  ])('one that brings %j', async (content) => {
    const { accepted, brings, deliveries, finished } = opened();
    accepted('a', { about });
    brings('a', 'id', content);
    expect(deliveries.isBroken(performance.now())).toBe(true);
    expect((await finished()).rules).toEqual(['calls.event.content-payload-equal']);
  });

  test('one with the id of another one', async () => {
    const { accepted, brings, deliveries, finished } = opened();
    for (const marker of ['a', 'b']) accepted(marker);
    for (const marker of ['a', 'b', 'b']) brings(marker, 'same', { marker });
    expect(deliveries.isBroken(performance.now())).toBe(true);
    expect((await finished()).rules).toContain('calls.envelope.id-fresh-guid');
  });

  test('one that is not tried again', async () => {
    const { accepted, arrives, finished } = opened();
    accepted('a');
    arrives('a', 501);
    expect((await finished()).rules).toEqual([lost]);
  });

  test('one that comes again', async () => {
    const { accepted, arrives, deliveries, finished } = opened();
    accepted('a');
    arrives('a');
    expect(deliveries.isBroken(performance.now())).toBe(false);
    vi.advanceTimersByTime(2000);
    arrives('a');
    expect(deliveries.isBroken(performance.now())).toBe(true);
    expect((await finished()).rules).toEqual([doubled]);
  });

  test.each([
    [1799, [early]],
    [1800, []],
  ])('one that comes again %d ms after it was refused for the moment', async (gapMs, rules) => {
    const { accepted, arrives, deliveries, finished } = opened();
    accepted('a');
    arrives('a', 503);
    vi.advanceTimersByTime(gapMs);
    arrives('a');
    expect(deliveries.isBroken(performance.now())).toBe(rules.length > 0);
    expect((await finished()).rules).toEqual(rules);
  });

  test('one that waits to be tried again is overtaken by others of its kind only', () => {
    const { accepted, arrives, deliveries } = opened();
    accepted('a');
    arrives('a', 503);
    vi.advanceTimersByTime(11_000);
    for (const marker of ['b', 'c']) accepted(marker);
    arrives('b');
    expect(deliveries.isBroken(performance.now())).toBe(false);
    arrives('c', 503);
    vi.advanceTimersByTime(2000);
    arrives('c');
    expect(deliveries.isBroken(performance.now())).toBe(true);
  });

  test('none, of a service that still works off what it has when the wait is over', async () => {
    const { accepted, arrives, finished } = opened();
    accepted('a');
    for (let second = 1; second < 80; second += 1)
      setTimeout(() => {
        accepted(`late ${second}`);
        arrives(`late ${second}`, 503);
      }, second * 1000);
    expect((await finished()).rules).toEqual([]);
  });

  test('one that stays away is seen during the load only when a later one has come', () => {
    const { accepted, arrives, deliveries } = opened();
    accepted('a');
    vi.advanceTimersByTime(11_000);
    expect(deliveries.isBroken(performance.now())).toBe(false);
    accepted('b');
    arrives('b');
    expect(deliveries.isBroken(performance.now())).toBe(true);
  });
});
