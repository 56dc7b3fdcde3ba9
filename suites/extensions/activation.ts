import { isSuccess } from '../../judge/exchange.ts';
import { jsonHeader } from '../../judge/extension/extension.ts';
import { type CaseContext, scenario, schedule } from '../../judge/case.ts';
import type { Call, CalledType } from '../../judge/extension/call.ts';
import type { Endpoint, Extension, ExtensionOptions, Reached } from '../../judge/extension/extension.ts';
import type { Triggered } from '../../judge/extension/triggers.ts';
import {
  triggerUntilCalled,
  callWaitMs,
  triggerEvent,
  expectCall,
  expectNoCall,
  quietMs,
  stayQuiet,
  triggeredTypes,
} from '../../judge/extension/trigger-calls.ts';
import { sendBatch } from '../../judge/service/batch.ts';
import type { Thing } from '../../judge/things.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { rules } from '../../judge/rule.ts';
import { eventRecord, extensionBody } from './checks/extension-hosts.ts';
import { sendAnyAction } from './checks/triggered-calls.ts';

const activeOptions = { registration: { active: true } };

const refusedTasks: ExtensionOptions['script'] = [
  { when: { kind: 'task' }, steps: [{ status: 400 }], afterwards: 'last' },
];

const formerHeader = 'X-Of-The-Deleted';

const inactiveOptions = { registration: { active: false } };

export const activationRules = rules('registration', {
  'registration.active.default-true-endpoint': {
    source: 'extensions: Registered external endpoint, row active',
    statement:
      'An endpoint registered without `active`, simple or trusted, is called, also under the id of a deleted one that was inactive, of whose headers it has none.',
    fault: 'active defaults to false for endpoints that have a description.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: scenario(async (context) => {
      const { given, triggers } = context;
      const called = (endpoint: Endpoint) => triggerUntilCalled(endpoint, () => triggers.endpoint(endpoint));
      for (const { registration, trusted } of [
        { registration: {}, trusted: false },
        { registration: { description: 'An endpoint of the conformance suite' }, trusted: false },
        { registration: {}, trusted: true },
      ]) {
        const call = await called(await given.endpoint({ registration, trusted }));
        if (call === undefined)
          given.present(
            await called(await given.endpoint({ ...activeOptions, trusted })),
            'a call of an endpoint registered with active: true',
          );
        expectCall(context, call, 'calls of an endpoint registered without active');
      }
      for (const trusted of [false, true]) {
        await expectNothingInherited(context, trusted);
        await expectAddressAnew(context, trusted);
      }
    }),
  },
  'registration.active.default-true-extension': {
    source: 'extensions: Registered extension, row active',
    statement:
      'An extension registered without `active` is called, also where one at its host was inactive and is deleted.',
    fault: 'active defaults to false for extensions with a tokenLifeTime below five minutes.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const { given } = context;
      for (const tokenLifeTime of [60, 3]) {
        const call = await triggerEvent(context, await given.extension({ tokenLifeTime }));
        if (call === undefined)
          given.present(
            await triggerEvent(context, await given.extension(activeOptions)),
            'a call of an extension registered with active: true',
          );
        expectCall(context, call, `calls of an extension registered without active, for ${tokenLifeTime} minutes`);
      }
      await expectHostAnew(context);
    }),
  },
  'registration.active.false-not-called-endpoint': {
    source:
      'extensions: Registered external endpoint, row active; Registered trusted external endpoint (all fields of the simple endpoint)',
    statement:
      'An endpoint registered with `active: false`, simple or trusted, receives no call; another one with the same address that is active does.',
    fault: '`active` is stored and not consulted on delivery to endpoints.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['registration.active.default-true-endpoint'],
    test: scenario(async (context) => {
      const { given, triggers } = context;
      for (const trusted of [false, true]) {
        const inactive = await given.endpoint({ ...inactiveOptions, trusted });
        const active = await given.endpoint({ trusted });
        await unlessRefused(() => triggers.endpoint(inactive));
        await expectOnlyActive(context, inactive, active, await triggers.endpoint(active));
        await expectNeighbourCalled(context, inactive, trusted);
      }
    }),
  },
  'registration.active.false-not-called-extension': {
    source: 'extensions: Registered extension, row active',
    statement: 'No event, validation, task, mail or action call goes to an extension that is registered as inactive.',
    fault: '`active` of an extension is not consulted on delivery.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['registration.active.default-true-extension'],
    test: scenario(async (context) => {
      const { given, triggers, notes, profile } = context;
      const [inactive, active] = [await registerInactive(context), await given.extension()];
      await unlessRefused(() => triggers.event(inactive));
      const other = triggeredTypes(context).filter(
        (type) => type !== 'ExternalEvent' && (type !== 'ExternalValidation' || profile.all.softTypes !== undefined),
      );
      const others = await Promise.all(other.map((type) => triggerWhileInactive(context, type)));
      await expectOnlyActive(context, inactive, active, await triggers.event(active));
      for (const { type, reached } of others)
        expectNoCall(context, reached, `calls of type ${type} while registered with active: false`);
      notes.observe('further types that were tried', other.join(', ') || 'none');
    }),
  },
  'registration.active.toggle-at-runtime': {
    source: 'extensions: Registered external endpoint, row active; Registered extension, row active',
    statement:
      '`active` can be switched off and on while the service runs, and takes effect on the following triggers of events, tasks, validations, mails, actions and endpoints without a restart; other registrations stay on or off as they were.',
    fault: 'The flag is read once at registration.',
    needs: ['collection-admin', 'extension-listener', 'registration-update', 'trigger-event'],
    after: ['registration.active.default-true-extension'],
    test: scenario(async (context) => {
      const { given, profile } = context;
      await expectToggles(context, {
        toggled: await given.extension(),
        off: await registerInactive(context),
        on: await given.extension(),
        trigger: eventOf(context),
      });
      for (const { type, trigger } of otherTriggers(context)) {
        // a task that is refused has ended: those that run on may keep others waiting
        const script = type === 'ExternalTask' ? refusedTasks : [];
        const extension = await given.extension({ types: [type], script });
        const isCalled = async (): Promise<boolean> => {
          const about = await unlessRefused(() => trigger(extension));
          return about !== undefined && (await extension.arrived({ about }, { withinMs: callWaitMs })) !== undefined;
        };
        // one extension may be given its tasks one after the other
        if ((await isCalled()) && (await isCalled())) await expectToggled(context, extension, trigger);
        else context.notes.observe(`two calls of type ${type}`, 'do not come');
      }
      await expectSilentInBatch(context);
      if (profile.all.triggers?.endpoint === undefined) return;
      for (const trusted of [false, true])
        await expectToggles(context, {
          toggled: await given.endpoint({ trusted }),
          off: await given.endpoint({ ...inactiveOptions, trusted }),
          on: await given.endpoint({ trusted }),
          trigger: (to) => context.triggers.endpoint(to),
        });
    }),
  },
  'registration.active.queue-while-inactive': {
    level: 'observe',
    source: 'extensions: Registered extension, row active (silent on the queue)',
    statement:
      'What happens to triggers during an inactive phase, and to an event that is waiting for a retry when its endpoint is switched off, is not said.',
    fault: 'Not applicable as a failure; recorded variant: kept and delivered on activation.',
    needs: ['collection-admin', 'extension-listener', 'registration-update', 'trigger-event'],
    test: schedule(40, async (context) => {
      const { given, triggers, notes } = context;
      const extension = await given.extension();
      await toggle(context, extension, false);
      const event = await unlessRefused(() => triggers.event(extension));
      notes.observe('trigger while inactive', event === undefined ? 'refused' : 'accepted');
      await toggle(context, extension, true);
      if (event !== undefined)
        notes.observe(
          'event of the inactive phase',
          (await extension.arrived({ about: event })) === undefined ? 'dropped' : 'kept',
        );
      await observeRetryOverPause(context);
    }),
  },
});

/** An endpoint that is registered under the id of a deleted one has nothing of it; for how long such an id stays taken is not said. */
async function expectNothingInherited(context: CaseContext, trusted: boolean): Promise<void> {
  const { given, registrations, triggers, expect, notes } = context;
  const former = await given.endpoint({
    ...inactiveOptions,
    trusted,
    headers: [jsonHeader, { name: formerHeader, value: 'former' }],
  });
  const registration = given.present(former.registration, 'a registration');
  const removed = await registrations.remove(registration);
  if (removed === undefined || !isSuccess(removed.status)) return;
  const { active: _switchedOff, ...kept } = registration.body;
  const body = { ...kept, headers: [jsonHeader] };
  const reply = await registrations.post(registration.kind, body);
  notes.observe('status of a registration under the id of a deleted endpoint', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const endpoint = { ...former, registration: registrations.made(registration.kind, body, reply) };
  const call = await triggerUntilCalled(endpoint, () => triggers.endpoint(endpoint));
  expectCall(context, call, 'calls of an endpoint registered without active under the id of a deleted one');
  expect(call?.header(formerHeader).length, 'values of a header that only the deleted endpoint had').toEqual(0);
}

/** One that was called and is deleted does not keep its address for the next one with its id. */
async function expectAddressAnew(context: CaseContext, trusted: boolean): Promise<void> {
  const { given, registrations, triggers, notes } = context;
  const former = await given.endpoint({ trusted });
  if ((await triggerUntilCalled(former, () => triggers.endpoint(former))) === undefined) return;
  const registration = given.present(former.registration, 'a registration');
  const removed = await registrations.remove(registration);
  if (removed === undefined || !isSuccess(removed.status)) return;
  const elsewhere = await given.endpoint({ trusted });
  const body = { ...registration.body, url: elsewhere.url };
  const reply = await registrations.post(registration.kind, body);
  notes.observe(
    'status of a registration with another address under the id of a deleted endpoint',
    reply.status,
    reply,
  );
  if (!isSuccess(reply.status)) return;
  // what it is sent arrives where the other one is
  const next: Endpoint = {
    ...elsewhere,
    id: former.id,
    registration: registrations.made(registration.kind, body, reply),
  };
  const call = await triggerUntilCalled(next, () => triggers.endpoint(next));
  expectCall(context, call, 'calls of an endpoint at its own address under the id of a deleted one');
}

/** The same of an extension at the host of a deleted one. */
async function expectHostAnew(context: CaseContext): Promise<void> {
  const { given, registrations, notes } = context;
  const former = await registerInactive(context);
  const { registration } = former;
  const removed = await registrations.remove(given.present(registration, 'a registration'));
  if (removed === undefined || !isSuccess(removed.status)) return;
  // ids of records that were given once may be spent
  former.setRecords([eventRecord(context)]);
  const body = extensionBody(former);
  const reply = await registrations.post('svcExtension', body);
  notes.observe('status of a registration at the host of a deleted extension', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const extension = { ...former, registration: registrations.made('svcExtension', body, reply) };
  expectCall(context, await triggerEvent(context, extension), 'calls of an extension at the host of a deleted one');
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

/** Two endpoints with one address are two: where the service takes the second one, it is called. */
async function expectNeighbourCalled(context: CaseContext, inactive: Endpoint, trusted: boolean): Promise<void> {
  const { given, triggers } = context;
  const made = await unlessRefused(() => given.endpoint({ trusted, registration: { url: inactive.url } }));
  if (made === undefined) return;
  // what it is sent arrives where the inactive one is
  const neighbour: Endpoint = { ...inactive, id: made.id, registration: made.registration };
  const call = await triggerUntilCalled(neighbour, () => triggers.endpoint(neighbour));
  expectCall(context, call, 'calls of an endpoint with the address of an inactive one');
}

/** An extension registered with `active: false`. */
async function registerInactive(
  { given, registrations }: CaseContext,
  options: ExtensionOptions = {},
): Promise<Extension> {
  const ready = await given.extension({ ...options, unregistered: true });
  const body = { ...extensionBody(ready), active: false };
  return {
    ...ready,
    registration: registrations.made('svcExtension', body, await registrations.post('svcExtension', body)),
  };
}

/** An inactive extension, after a trigger that would lead to a call of that type, whatever the service said to it. */
async function triggerWhileInactive(
  context: CaseContext,
  type: CalledType,
): Promise<{ readonly type: CalledType; readonly reached: Reached }> {
  const { given, triggers } = context;
  const things = type === 'ExternalValidation' ? [await given.object()] : [];
  const reached = await registerInactive(context, { types: [type], concerns: things });
  if (type === 'ExternalTask') await unlessRefused(() => triggers.task(reached));
  else if (type === 'Email') await unlessRefused(() => triggers.email(reached));
  else if (type === 'ExternalValidation')
    for (const thing of things) await unlessRefused(() => triggers.validation(thing));
  else await unlessRefused(() => sendAnyAction(context, reached));
  return { type, reached };
}

interface Neighbours<R> {
  readonly toggled: R;
  /** Is registered as inactive, and stays so. */
  readonly off: R;
  /** Is active, and stays so. */
  readonly on: R;
  readonly trigger: (reached: R) => Promise<Triggered>;
}

/** Called, then twice switched off and silent, then switched on and called again; those beside it stay as they are. */
async function expectToggles<R extends Reached>(
  context: CaseContext,
  { toggled, off, on, trigger }: Neighbours<R>,
): Promise<void> {
  await toggled.call({ about: await trigger(toggled) }, { withinMs: callWaitMs });
  await on.call({ about: await trigger(on) }, { withinMs: callWaitMs });
  const expectOnStillOn = async (): Promise<void> =>
    expectCall(
      context,
      await triggerUntilCalled(on, () => trigger(on)),
      'the call of an active one while another is switched off',
    );
  for (const whileOff of [expectOnStillOn, undefined]) await expectToggled(context, toggled, trigger, whileOff);
  await unlessRefused(() => trigger(off));
  await stayQuiet(context);
  expectNoCall(context, off, 'calls of one that is registered with active: false, after another was switched on');
}

async function expectToggled<R extends Reached>(
  context: CaseContext,
  reached: R,
  trigger: (reached: R) => Promise<Triggered>,
  whileOff?: () => Promise<void>,
): Promise<void> {
  const { expect, notes } = context;
  await toggle(context, reached, false);
  await whileOff?.();
  const silent = await unlessRefused(() => trigger(reached));
  const came = silent && (await reached.arrived({ about: silent }, { withinMs: quietMs(context) }));
  expect.noCalls(came === undefined ? [] : [came], 'the call of a trigger while switched off');
  await toggle(context, reached, true);
  expectCall(
    context,
    await triggerUntilCalled(reached, () => trigger(reached)),
    'the call of a trigger after switching on again',
  );
  if (silent !== undefined)
    notes.observe(
      'event of the inactive phase',
      reached.calls({ about: silent }).length === 0 ? 'dropped' : 'delivered late',
    );
}

/** A promote of a batch asks nobody who is switched off, where it asks those that are on. */
async function expectSilentInBatch(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const isPromoted = profile.all.maturity !== undefined && profile.all.softTypes?.primary !== undefined;
  if (!isPromoted || !profile.offers('batch') || !triggeredTypes(context).includes('ExternalValidation')) return;
  const concerns = [await given.object(), await given.object()] as const;
  const extension = await given.extension({ types: ['ExternalValidation'], concerns });
  const callsFor = async (thing: Thing): Promise<readonly Call[]> => {
    await sendBatch(context, [service.requests.promote(thing)]);
    return extension.calls({ objectId: thing.oid });
  };
  const [whileOn, whileOff] = concerns;
  const isAsked = (await callsFor(whileOn)).length > 0;
  notes.observe('a promote of a batch is validated', isAsked);
  if (!isAsked) return;
  await toggle(context, extension, false);
  expect.noCalls(await callsFor(whileOff), 'the call of a promote of a batch while switched off');
}

interface OtherTrigger {
  readonly type: CalledType;
  readonly trigger: (extension: Extension) => Promise<Triggered>;
}

/** Triggers beside those of events. */
function otherTriggers(context: CaseContext): readonly OtherTrigger[] {
  const { given, triggers, profile } = context;
  const types = triggeredTypes(context);
  const hasType = profile.all.softTypes?.primary !== undefined;
  const all: readonly OtherTrigger[] = [
    { type: 'ExternalTask', trigger: (extension) => triggers.task(extension) },
    { type: 'Email', trigger: (extension) => triggers.email(extension) },
    {
      type: 'ExternalValidation',
      trigger: async (extension) => {
        const thing = await given.object();
        extension.concern(thing);
        return triggers.validation(thing);
      },
    },
    {
      type: 'ExternalAction',
      trigger: async (extension) => triggers.actionRibbon(extension, { thing: await given.object() }),
    },
  ];
  return all.filter(
    ({ type }) =>
      types.includes(type) &&
      (hasType || type === 'ExternalTask' || type === 'Email') &&
      (type !== 'ExternalAction' || profile.all.triggers?.actionRibbon !== undefined),
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

function eventOf({ triggers }: CaseContext): (extension: Extension) => Promise<Triggered> {
  return (extension) => triggers.event(extension);
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
