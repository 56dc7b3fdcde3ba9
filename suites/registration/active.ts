import { scenario, schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Endpoint, Extension, Reached, Triggered } from '../../judge/extension/extension.ts';
import { admitted, callOf, callWaitMs, eventAt, expectCall, expectNoCall, quietMs, stayQuiet } from '../../judge/extension/trigger-calls.ts';

const on = { registration: { active: true } };
const off = { registration: { active: false } };

export const activeCases = {
  'registration.active.default-true-endpoint': scenario(async (context) => {
    const { given, triggers } = context;
    const called = (endpoint: Endpoint) => callOf(endpoint, () => triggers.endpoint(endpoint));
    for (const registration of [{}, { description: 'An endpoint of the conformance suite' }]) {
      const call = await called(await given.endpoint({ registration }));
      if (call === undefined)
        given.present(await called(await given.endpoint(on)), 'a call of an endpoint registered with active: true');
      expectCall(context, call, 'calls of an endpoint registered without active');
    }
  }),

  'registration.active.default-true-extension': scenario(async (context) => {
    const { given } = context;
    for (const tokenLifeTime of [60, 3]) {
      const call = await eventAt(context, await given.extension({ tokenLifeTime }));
      if (call === undefined)
        given.present(
          await eventAt(context, await given.extension(on)),
          'a call of an extension registered with active: true',
        );
      expectCall(context, call, `calls of an extension registered without active, for ${tokenLifeTime} minutes`);
    }
  }),

  'registration.active.false-not-called-endpoint': scenario(async (context) => {
    const { given, triggers } = context;
    const [inactive, active] = [await given.endpoint(off), await given.endpoint()];
    await admitted(triggers.endpoint(inactive));
    await expectOnlyActive(context, inactive, active, await triggers.endpoint(active));
  }),

  'registration.active.false-not-called-extension': scenario(async (context) => {
    const { given, registrations, triggers } = context;
    const ready = await given.extension({ unregistered: true });
    const body = { hostUri: ready.url, apiKey: ready.apiKey, tokenLifeTime: 60, active: false };
    const inactive = {
      ...ready,
      registration: registrations.made('svcExtension', body, await registrations.post('svcExtension', body)),
    };
    const active = await given.extension();
    await admitted(triggers.event(inactive));
    await expectOnlyActive(context, inactive, active, await triggers.event(active));
  }),

  'registration.active.toggle-at-runtime': scenario(async (context) => {
    const { given, profile } = context;
    await expectToggles(context, await given.extension(), eventOf(context));
    if (profile.all.triggers?.endpoint !== undefined)
      await expectToggles(context, await given.endpoint(), (endpoint) => context.triggers.endpoint(endpoint));
  }),

  'registration.active.queue-while-inactive': schedule(40, async (context) => {
    const { given, triggers, notes } = context;
    const extension = await given.extension();
    await toggle(context, extension, false);
    const event = await admitted(triggers.event(extension));
    notes.observe('trigger while inactive', event === undefined ? 'refused' : 'accepted');
    await toggle(context, extension, true);
    if (event !== undefined)
      notes.observe(
        'event of the inactive phase',
        (await extension.arrived({ about: event })) === undefined ? 'dropped' : 'kept',
      );
    await observeRetryOverPause(context);
  }),
} satisfies SomeCasesOf<'registration'>;

function eventOf({ triggers }: CaseContext): (extension: Extension) => Promise<Triggered> {
  return (extension) => triggers.event(extension);
}

/** The active one shows that triggers work. */
async function expectOnlyActive(
  context: CaseContext,
  inactive: Reached,
  active: Reached,
  triggered: Triggered,
): Promise<void> {
  await active.call({ about: triggered }, { withinMs: callWaitMs });
  await stayQuiet(context);
  expectNoCall(context, inactive, 'calls while registered with active: false');
}

/** Called, then twice switched off and silent, then switched on and called again. */
async function expectToggles<R extends Reached>(
  context: CaseContext,
  reached: R,
  trigger: (reached: R) => Promise<Triggered>,
): Promise<void> {
  await reached.call({ about: await trigger(reached) }, { withinMs: callWaitMs });
  for (const _turn of ['first', 'second']) await expectToggled(context, reached, trigger);
}

async function expectToggled<R extends Reached>(
  context: CaseContext,
  reached: R,
  trigger: (reached: R) => Promise<Triggered>,
): Promise<void> {
  const { expect, notes } = context;
  await toggle(context, reached, false);
  const silent = await admitted(trigger(reached));
  const came = silent && (await reached.arrived({ about: silent }, { withinMs: quietMs(context) }));
  expect(came === undefined ? 'none' : 'one', 'the call of a trigger while switched off').toEqual('none');
  await toggle(context, reached, true);
  expectCall(context, await callOf(reached, () => trigger(reached)), 'the call of a trigger after switching on again');
  if (silent !== undefined)
    notes.observe(
      'event of the inactive phase',
      reached.calls({ about: silent }).length === 0 ? 'dropped' : 'delivered late',
    );
}

async function toggle(
  { given, registrations }: CaseContext,
  { registration }: Reached,
  active: boolean,
): Promise<void> {
  const reply = await registrations.update(given.present(registration, 'a registration'), { active });
  given.succeeded(reply, `active is switched ${active ? 'on' : 'off'}`);
}

/** Switched off between the first attempt and the second. */
async function observeRetryOverPause(context: CaseContext): Promise<void> {
  const { given, triggers, notes, clock } = context;
  const extension = await given.extension({ script: [{ when: { kind: 'event' }, steps: [{ status: 503 }] }] });
  const event = await triggers.event(extension);
  await extension.ended(1, { about: event });
  await toggle(context, extension, false);
  await clock.pass(callWaitMs);
  notes.observe('attempts while inactive', extension.calls({ about: event }).length - 1);
  await toggle(context, extension, true);
  await extension.ended(2, { about: event }, { withinMs: callWaitMs });
  notes.observe('attempts of it after all', extension.calls({ about: event }).length);
}
