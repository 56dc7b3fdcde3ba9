import { schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Call } from '../../judge/extension/call.ts';
import type { Extension, Reached, Triggered } from '../../judge/extension/extension.ts';
import type { Clock } from '../../judge/time/clock.ts';
import type { Due } from '../../judge/time/timeline.ts';
import { takes } from '../calls/words.ts';
import { eventRecord } from '../metadata/words.ts';
import { always, atOnceMs, first } from './words.ts';

export const minuteMs = 60_000;
/** How late the first call after a pause may come. */
const lateMs = 3000;
/** One pause and what may be late. */
const pauseMs = minuteMs + lateMs + atOnceMs;

export const rateCases = {
  'delivery.rate.default-five': schedule(pauseMs / 1000, async (context) => {
    const extension = await limitedTo(context, undefined);
    await expectHeldBack(context, await burst(context, extension, 7), 5);
  }),

  'delivery.rate.configured': schedule(pauseMs / 1000, async (context) => {
    const limits = [1, 8];
    const bursts = await Promise.all(
      limits.map(async (limit) => burst(context, await limitedTo(context, limit), limit + 2)),
    );
    const beside = takes(context, 'event', 'recordId') ? [await burstBesideOther(context, 2)] : [];
    await Promise.all([
      ...bursts.map((one, index) => expectHeldBack(context, one, limits[index] ?? 0)),
      ...beside.map((one) => expectHeldBack(context, one, 2)),
      expectHeldBackWithRetry(context, 3),
    ]);
  }),

  'delivery.rate.endpoint-registrations': schedule(pauseMs / 1000, async (context) => {
    const { given, triggers } = context;
    const registration = { rateLimitNumberOfExecutions: 2 };
    const endpoints = await Promise.all(
      [false, true].map((trusted) => given.endpoint({ trusted, registration, script: always() })),
    );
    const bursts = await Promise.all(
      endpoints.map((endpoint) => burstOf(context, endpoint, 4, () => triggers.endpoint(endpoint))),
    );
    await Promise.all(bursts.map((one) => expectHeldBack(context, one, 2)));
  }),

  'delivery.rate.drains-in-windows': schedule((2 * pauseMs) / 1000, async (context) => {
    const { clock, expect } = context;
    const sent = await burst(context, await limitedTo(context, 3), 8);
    await expectHeldBack(context, sent, 3);
    const calls = await sent.reached.ended(8, {}, { withinMs: minuteMs + 2 * lateMs + clock.granularityMs });
    expect(calls.length, 'calls after two pauses').toEqual(8);
    const [, , , fourth, fifth, sixth, seventh] = calls.map(({ arrivedAt }) => arrivedAt);
    const [due = 0, dueLast = 0] = [fourth, sent.since + 2 * minuteMs];
    const latest = (sixth ?? 0) + minuteMs + lateMs;
    tellGroups(clock, sent, [
      { label: 'the first group', from: sent.since, until: sent.since + atOnceMs + clock.granularityMs, calls: 3 },
      {
        label: 'the second group, all at once',
        from: sent.since + minuteMs,
        until: due + atOnceMs + clock.granularityMs,
        calls: 3,
      },
      { label: 'the third group, after a further pause', from: dueLast, until: latest + clock.granularityMs, calls: 2 },
    ]);
    for (const at of [fifth, sixth])
      clock.expectDue('the second group, all at once', at ?? 0, due, { lateMs: atOnceMs, isTold: true });
    clock.expectDue('the third group, after a further pause', seventh ?? 0, dueLast, {
      lateMs: latest - dueLast,
      isTold: true,
    });
  }),

  'delivery.rate.none-lost-none-doubled': schedule(145, async (context) => {
    const { clock, expect } = context;
    const { reached, events } = await burst(context, await limitedTo(context, 3), 8);
    await reached.ended(events.length, {}, { withinMs: 2 * pauseMs + clock.granularityMs });
    await clock.pass(10_000);
    for (const event of events) expect(reached.calls({ about: event }).length, `calls with ${event.marker}`).toEqual(1);
    expect(reached.calls().length, 'calls in all').toEqual(events.length);
  }),

  'delivery.rate.below-limit-not-delayed': schedule(96, async (context) => {
    const { clock, expect, triggers } = context;
    const extension = await limitedTo(context, undefined);
    const zero = { at: clock.now(), label: 'the first trigger' };
    const due: Due[] = [];
    for (let count = 1; count <= 6; count += 1) {
      due.push({ label: `event ${count}`, from: clock.now(), until: clock.now() + atOnceMs + clock.granularityMs });
      const event = await triggers.event(extension);
      const call = await extension.arrived({ about: event }, { withinMs: atOnceMs });
      clock.tell({ title: 'events below the limit', zero, due, calls: extension.calls(), name: 'call' });
      expect(call?.arrivedAt, `arrival of event ${count} within ${atOnceMs / 1000} s of its trigger`).toBePresent();
      await clock.pass(16_000);
    }
  }),

  'delivery.rate.per-endpoint': schedule(20, async (context) => {
    const { expect, given, notes, triggers } = context;
    const record = { rateLimitNumberOfExecutions: 4 };
    const busy = await given.extension({ types: ['ExternalEvent', 'ExternalEvent'], record, script: always() });
    const other = await given.extension({ record, script: always() });
    const [recordId, besideId] = busy.records.map(({ id }) => id);
    const { reached } = await burstOf(context, busy, 6, () =>
      triggers.event(busy, undefined, { recordId: recordId ?? '' }),
    );
    await reached.ended(4, {}, { withinMs: atOnceMs });
    given.assume(reached.calls().length === 4, 'a pause after four executions');
    const beside = await triggers.event(busy, undefined, { recordId: besideId ?? '' });
    const elsewhere = await triggers.event(other);
    const arrived = await other.arrived({ about: elsewhere }, { withinMs: atOnceMs });
    expect(arrived?.arrivedAt, 'arrival of an event for another host during the pause').toBePresent();
    const alone = await busy.arrived({ about: beside }, { withinMs: atOnceMs });
    notes.bound('rateScope', 'what a pause holds back', alone === undefined ? 'host' : 'record');
  }),
} satisfies SomeCasesOf<'delivery'>;

/** Triggers sent at once, and where their calls arrive. */
interface Burst {
  readonly reached: Reached;
  readonly events: readonly Triggered[];
  /** Before the first and after the last trigger, in ms of the clock. */
  readonly since: number;
  readonly until: number;
}

/** An extension whose event record has that limit, or none that is stated. It acknowledges everything. */
export function limitedTo({ given }: CaseContext, limit: number | undefined): Promise<Extension> {
  return given.extension({ record: { rateLimitNumberOfExecutions: limit }, script: always() });
}

function burst(context: CaseContext, extension: Extension, count: number): Promise<Burst> {
  return burstOf(context, extension, count, () => context.triggers.event(extension));
}

/** A burst for the second record of a host, whose first has a higher limit. */
async function burstBesideOther(context: CaseContext, limit: number): Promise<Burst> {
  const { given, triggers } = context;
  const records = [100, limit].map((rateLimitNumberOfExecutions) => ({
    ...eventRecord(context),
    rateLimitNumberOfExecutions,
  }));
  const host = await given.extension({ records, script: always() });
  return burstOf(context, host, limit + 2, () => triggers.event(host, undefined, { recordId: records[1]?.id ?? '' }));
}

/** Whether or not its retry counts, with it no more events than the limit are called within a minute. */
async function expectHeldBackWithRetry(context: CaseContext, limit: number): Promise<void> {
  const { given, clock, expect } = context;
  const reached = await given.extension({
    record: { rateLimitNumberOfExecutions: limit },
    script: first({ status: 503 }),
  });
  const { events, since } = await burst(context, reached, limit);
  await clock.pass(5000);
  const excess = await context.triggers.event(reached);
  await clock.pass(since + minuteMs - 2000 - clock.now());
  const came = [...events, excess].filter((event) => reached.calls({ about: event }).length > 0);
  given.assume(came.length > 0, 'the call of an event');
  expect(came.length, `events called within a minute, of ${events.length + 1}`).toSatisfy(
    `${limit} at most`,
    (count) => count <= limit,
  );
}

async function burstOf(
  { clock }: CaseContext,
  reached: Reached,
  count: number,
  trigger: () => Promise<Triggered>,
): Promise<Burst> {
  const since = clock.now();
  const events = await Promise.all(Array.from({ length: count }, trigger));
  return { reached, events, since, until: clock.now() };
}

/** The first `limit` calls come at once, the next one after the pause of a minute, from whichever execution or excess it counts. */
async function expectHeldBack({ clock, expect }: CaseContext, burst: Burst, limit: number): Promise<void> {
  const { reached, since, until } = burst;
  const prompt = await reached.ended(limit, {}, { withinMs: atOnceMs });
  const atOnce = { label: 'at once', from: since, until: since + atOnceMs + clock.granularityMs, calls: limit };
  tellGroups(clock, burst, [atOnce]);
  expect(prompt.length, `calls that arrive within ${atOnceMs / 1000} s`).toEqual(limit);
  const next: Call | undefined = (await reached.ended(limit + 1, {}, { withinMs: pauseMs }))[limit];
  const lastAt = Math.max(until, prompt.at(-1)?.arrivedAt ?? 0);
  const later = {
    label: 'after a pause of a minute',
    from: since + minuteMs,
    until: lastAt + minuteMs + lateMs + clock.granularityMs,
    calls: Math.max(1, reached.calls().length - limit),
  };
  tellGroups(clock, burst, [atOnce, later]);
  expect(next?.arrivedAt, `arrival of call ${limit + 1} after a pause of a minute`).toBePresent();
  clock.expectDue(`call ${limit + 1}, after a pause of a minute`, next?.arrivedAt ?? 0, since + minuteMs, {
    lateMs: lastAt - since + lateMs,
    isTold: true,
  });
}

/** Calls that are due in groups, counted from the first trigger. */
function tellGroups(clock: Clock, { reached, since }: Burst, due: readonly Due[]): void {
  clock.tell({
    title: 'calls in groups',
    zero: { at: since, label: 'the first trigger' },
    due,
    calls: reached.calls(),
    name: 'call',
  });
}
