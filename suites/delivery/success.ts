import type { Step } from '../../simulator/extension/step.ts';
import { schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { holdsWhole } from '../../judge/extension/call.ts';
import { always, attemptsOf, called, sentTo, sentToEach, type Sent } from './words.ts';

/** Past the fourth retry. */
const seconds = 40;
/** How long an answer is held, in ms. */
const heldMs = 5000;

export const successCases = {
  'delivery.success.200-sent-once': schedule(seconds, async (context) => {
    const [held] = await Promise.all([
      sentAndUpdated(context),
      expectSentOnce(context, [{ status: 200 }, { status: 200, json: { received: true } }]),
    ]);
    if (held !== undefined)
      context.expect(attemptsOf(held).length, 'calls when the registration is updated before the answer').toEqual(1);
  }),

  'delivery.success.201-sent-once': schedule(seconds, async (context) => {
    await expectSentOnce(context, [{ status: 201 }, { status: 201, json: { received: true } }]);
  }),

  'delivery.success.other-2xx': schedule(seconds, async (context) => {
    const { clock, notes } = context;
    const statuses = [202, 204, 206];
    const sent = await sentToEach(
      context,
      statuses.map((status) => always({ status })),
    );
    await clock.pass(seconds * 1000);
    for (const [index, one] of sent.entries()) {
      notes.observe(`attempts after ${statuses[index]}`, attemptsOf(one).length);
      notes.bound(
        'retriesOtherSuccess',
        `an event answered with ${statuses[index]} is sent again`,
        attemptsOf(one).length > 1,
      );
    }
  }),
} satisfies SomeCasesOf<'delivery'>;

/** An event whose registration is updated while its call is held; undefined where registrations cannot be updated. */
async function sentAndUpdated(context: CaseContext): Promise<Sent | undefined> {
  const { clock, given, profile, registrations } = context;
  if (profile.all.routes?.registrationUpdate === undefined) return undefined;
  const sent = await sentTo(context, always({ status: 200, delayMs: heldMs }));
  await sent.extension.call({ about: sent.event });
  const reply = await registrations.update(given.present(sent.extension.registration, 'a registration'), {
    tokenLifeTime: 61,
  });
  given.succeeded(reply, 'the registration is updated');
  await clock.pass(heldMs);
  return sent;
}

/** Events, and a task and a mail where the profile has triggers for them, are sent once when they are answered so. */
async function expectSentOnce(context: CaseContext, steps: readonly Step[]): Promise<void> {
  const { clock, trace } = context;
  const [plain = always()] = steps.map(always);
  const sent = await sentToEach(context, steps.map(always));
  const others = [await called(context, 'ExternalTask', plain), await called(context, 'Email', plain)];
  for (const { extension, event } of sent) await extension.call({ about: event });
  for (const other of others) await other?.call({ about: other.about });
  await clock.pass(seconds * 1000);
  const markers = [...sent.map(({ event }) => event), ...others.map((other) => other?.about)].map(
    (triggered) => triggered?.marker,
  );
  const calls = await trace();
  for (const marker of markers.filter((text) => text !== undefined))
    clock.expectCalls(
      `calls with ${marker} in ${seconds} s`,
      calls.filter(({ text }) => holdsWhole(text, marker)),
      1,
    );
}
