import { schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { limitedTo, minuteMs } from './rate.ts';
import { always, atOnceMs, first, passSilence } from './words.ts';

/** Past any retry that was armed, and past the pause. */
const afterMs = 70_000;

export const queueCases = {
  'delivery.queue.failing-host-isolated': schedule(16, async (context) => {
    const { given, triggers, clock, expect } = context;
    const record = { requestTimeout: 20 };
    const hanging = await given.extension({ script: always({ never: true }), record });
    const healthy = await given.extension({ script: always(), record });
    for (let count = 1; count <= 3; count += 1) {
      await triggers.event(hanging);
      await hanging.call();
      const event = await triggers.event(healthy);
      const call = await healthy.arrived({ about: event }, { withinMs: atOnceMs });
      expect(call?.arrivedAt, `arrival of event ${count} for a healthy host, while another one hangs`).toBePresent();
      await clock.pass(2000);
    }
  }),

  'delivery.queue.delete-cancels': schedule(86, async (context) => {
    await Promise.all([expectRetryCancelled(context), expectPausedCancelled(context)]);
  }),
} satisfies SomeCasesOf<'delivery'>;

/** Of two events that wait for their second retry one is deleted. */
async function expectRetryCancelled({ given, triggers, clock, expect }: CaseContext): Promise<void> {
  const failingTwice = first({ status: 503 }, { status: 503 });
  const [extension, beside] = await Promise.all([
    given.extension({ script: failingTwice }),
    given.extension({ script: failingTwice }),
  ]);
  const [event, untouched] = await Promise.all([triggers.event(extension), triggers.event(beside)]);
  given.assume(
    (await extension.ended(2, { about: event }, { withinMs: 4000, oneByOne: true })).length === 2,
    'two attempts',
  );
  given.succeeded(await triggers.deleteEvent(event), 'to delete an event');
  await clock.pass(afterMs);
  expect(
    extension.calls({ about: event }).length,
    `attempts ${afterMs / 1000} s after the deletion, which came after the second`,
  ).toEqual(2);
  given.assume(beside.calls({ about: untouched }).length === 3, 'three attempts of an event that is not deleted');
}

/** Of three events that wait for the end of a pause the second is deleted. */
async function expectPausedCancelled(context: CaseContext): Promise<void> {
  const { given, triggers, clock, expect } = context;
  const extension = await limitedTo(context, 2);
  for (const _passed of [1, 2]) await extension.call({ about: await triggers.event(extension) });
  const before = await triggers.event(extension);
  const deleted = await triggers.event(extension);
  const behind = await triggers.event(extension);
  await clock.pass(atOnceMs);
  given.assume(extension.calls().length === 2, 'a pause after two executions');
  given.succeeded(await triggers.deleteEvent(deleted), 'to delete an event');
  await passSilence(context, minuteMs + 10_000);
  expect(extension.calls({ about: deleted }).length, 'calls of an event that was deleted in the pause').toEqual(0);
  for (const untouched of [before, behind])
    given.assume(extension.calls({ about: untouched }).length === 1, 'the call of an event that is not deleted');
}
