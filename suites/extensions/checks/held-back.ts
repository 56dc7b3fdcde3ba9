import type { CaseContext } from '../../../judge/case.ts';
import type { CallFilter } from '../../../judge/extension/call.ts';
import type { Reached } from '../../../judge/extension/extension.ts';
import type { Triggered } from '../../../judge/extension/triggers.ts';
import { acknowledged, answerAlways, answerFirst, atOnceMs, minuteMs } from './delivery-attempts.ts';
import { queueBesideEvents } from './queued-calls.ts';

const limit = 2;

/** More than these wait in one pause. */
const manyLimit = 30;
const manyHeldBack = 50;

/** The first call behind the limit fails. */
const failingBehindLimit = answerFirst(acknowledged, acknowledged, { status: 503 });

/** What waits behind a limit, fails when its pause is over, or is one of many. @returns what asserts that each came, when there was the time for two pauses */
export async function holdBackBesides(context: CaseContext): Promise<() => Promise<void>> {
  const each = [await failBehindLimit(context), await sendManyInPause(context)];
  return async () => {
    for (const expectCome of each) await expectCome();
  };
}

interface Limited {
  readonly kind: string;
  readonly reached: Reached;
  readonly filter: CallFilter;
}

/**
 * One event more than the limit, and one call more of what else waits in the queue, which fails when its pause is over: what was held back is
 * tried again like any. Whether a retry counts as an execution is not said, and one that does may wait for another pause.
 * @returns what asserts it, when there was the time for both pauses
 */
async function failBehindLimit(context: CaseContext): Promise<() => Promise<void>> {
  const { given, triggers, clock, notes } = context;
  const settings = { rateLimitNumberOfExecutions: limit };
  const extension = await given.extension({ record: settings, script: failingBehindLimit });
  for (let count = 0; count <= limit; count += 1) await triggers.event(extension);
  const all: Limited[] = [{ kind: 'event', reached: extension, filter: { kind: 'event' } }];
  // an extension may be given its tasks one after the other
  for (const { trigger, ...queued } of await queueBesideEvents(context, failingBehindLimit, {
    settings,
    except: ['task'],
  })) {
    for (let count = 0; count < limit; count += 1) await trigger();
    all.push(queued);
  }
  return async () => {
    for (const { kind, reached, filter } of all) {
      const calls = await reached.ended(limit + 2, filter, { withinMs: minuteMs });
      if (calls.length > limit)
        clock.expectCalls(`calls of ${limit + 1} of kind ${kind}, of which one was held back and failed`, calls, {
          least: limit + 2,
        });
      else notes.observe(`what a limit holds back of kind ${kind}`, 'does not come');
    }
  };
}

/** Asserts that an event which failed once and was deleted takes the room of its one execution. */
async function expectRoomBehindFailure({ given, triggers, clock }: CaseContext): Promise<void> {
  const record = { rateLimitNumberOfExecutions: limit };
  const extension = await given.extension({ record, script: answerFirst({ status: 503 }) });
  const failed = await triggers.event(extension);
  await extension.ended(1, { about: failed }, { withinMs: atOnceMs });
  await triggers.deleteEvent(failed);
  const about = await triggers.event(extension);
  // less than a pause, and as long as one of before may be in its way
  const call = await extension.arrived({ about }, { withinMs: minuteMs / 3 });
  clock.expectCame('the call of an event below the limit, behind one that failed and was deleted', call?.arrivedAt);
}

/**
 * Events that are deleted while a limit holds them back are no executions. Nothing is asserted where they come all the same.
 * @returns what asserts, when the pause is long over, that as many as the limit go out at once
 */
export async function deleteBehindLimit(context: CaseContext): Promise<() => Promise<void>> {
  const { given, triggers, clock, profile } = context;
  if (profile.all.routes?.eventDelete === undefined) return () => Promise.resolve();
  await expectRoomBehindFailure(context);
  const record = { rateLimitNumberOfExecutions: limit };
  const extension = await given.extension({ record, script: answerAlways() });
  const events: Triggered[] = [];
  for (let count = 1; count <= 2 * limit; count += 1) events.push(await triggers.event(extension));
  await extension.ended(limit, {}, { withinMs: atOnceMs });
  const heldBack = events.filter((about) => extension.calls({ about }).length === 0);
  for (const event of heldBack) await triggers.deleteEvent(event);
  return async () => {
    if (extension.calls().length !== limit) return;
    const further = [];
    for (let count = 1; count <= limit; count += 1) further.push(await triggers.event(extension));
    for (const about of further) {
      const call = await extension.arrived({ about }, { withinMs: atOnceMs });
      clock.expectCame(`the call of an event below the limit, as others were deleted behind it`, call?.arrivedAt);
    }
  };
}

/** As many events in one pause as a short queue may not hold: whose limit is that high has more to send than most, so that only moved time waits for them. */
async function sendManyInPause({ given, triggers, clock }: CaseContext): Promise<() => Promise<void>> {
  if (!clock.controlled) return async () => undefined;
  const record = { rateLimitNumberOfExecutions: manyLimit };
  const extension = await given.extension({ record, script: answerAlways() });
  const send = (count: number): Promise<readonly Triggered[]> =>
    Promise.all(Array.from({ length: count }, () => triggers.event(extension)));
  await send(manyLimit + 1);
  await extension.ended(manyLimit);
  const events = await send(manyHeldBack);
  return async () => {
    for (const event of events) clock.expectCalls(`calls with ${event.marker}`, extension.calls({ about: event }), 1);
  };
}
