import { type CaseContext, scenario, schedule } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Endpoint, Extension, Reached } from '../../judge/extension/extension.ts';
import type { RegistrationKind } from '../../judge/extension/registrations.ts';
import type { Triggered } from '../../judge/extension/triggers.ts';
import {
  unlessRefused,
  triggerUntilCalled,
  callWaitMs,
  triggerEvent,
  expectCall,
  expectNoCall,
  quietMs,
  stayQuiet,
} from '../../judge/extension/trigger-calls.ts';
import { rules } from '../../judge/rule.ts';
import { type Body, bodyOf, endpointBody, extensionBody, kinds, trustedBody } from './registration-body.ts';

const on = { registration: { active: true } };

const off = { registration: { active: false } };

export const activationRules = rules('registration', {
  'registration.active.default-true-endpoint': {
    level: 'must',
    source: 'extensions: Registered external endpoint, row active',
    statement: 'An endpoint registered without `active` is called.',
    fault: 'active defaults to false for endpoints that have a description.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    test: scenario(async (context) => {
      const { given, triggers } = context;
      const called = (endpoint: Endpoint) => triggerUntilCalled(endpoint, () => triggers.endpoint(endpoint));
      for (const registration of [{}, { description: 'An endpoint of the conformance suite' }]) {
        const call = await called(await given.endpoint({ registration }));
        if (call === undefined)
          given.present(await called(await given.endpoint(on)), 'a call of an endpoint registered with active: true');
        expectCall(context, call, 'calls of an endpoint registered without active');
      }
    }),
  },
  'registration.active.default-true-extension': {
    level: 'must',
    source: 'extensions: Registered extension, row active',
    statement: 'An extension registered without `active` is called.',
    fault: 'active defaults to false for extensions with a tokenLifeTime below five minutes.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const { given } = context;
      for (const tokenLifeTime of [60, 3]) {
        const call = await triggerEvent(context, await given.extension({ tokenLifeTime }));
        if (call === undefined)
          given.present(
            await triggerEvent(context, await given.extension(on)),
            'a call of an extension registered with active: true',
          );
        expectCall(context, call, `calls of an extension registered without active, for ${tokenLifeTime} minutes`);
      }
    }),
  },
  'registration.active.false-not-called-endpoint': {
    level: 'must',
    source: 'extensions: Registered external endpoint, row active',
    statement: 'An endpoint registered with `active: false` receives no call.',
    fault: '`active` is stored and not consulted on delivery to endpoints.',
    needs: ['collection-admin', 'extension-listener', 'trigger-endpoint'],
    after: ['registration.active.default-true-endpoint'],
    test: scenario(async (context) => {
      const { given, triggers } = context;
      const [inactive, active] = [await given.endpoint(off), await given.endpoint()];
      await unlessRefused(triggers.endpoint(inactive));
      await expectOnlyActive(context, inactive, active, await triggers.endpoint(active));
    }),
  },
  'registration.active.false-not-called-extension': {
    level: 'must',
    source: 'extensions: Registered extension, row active',
    statement: 'No event, validation, task, email or action call goes to an extension that is inactive.',
    fault: '`active` of an extension is not consulted on delivery.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['registration.active.default-true-extension'],
    test: scenario(async (context) => {
      const { given, registrations, triggers } = context;
      const ready = await given.extension({ unregistered: true });
      const body = { hostUri: ready.url, apiKey: ready.apiKey, tokenLifeTime: 60, active: false };
      const inactive = {
        ...ready,
        registration: registrations.made('svcExtension', body, await registrations.post('svcExtension', body)),
      };
      const active = await given.extension();
      await unlessRefused(triggers.event(inactive));
      await expectOnlyActive(context, inactive, active, await triggers.event(active));
    }),
  },
  'registration.active.toggle-at-runtime': {
    level: 'must',
    source: 'extensions: Registered external endpoint, row active; Registered extension, row active',
    statement:
      '`active` can be switched off and on while the service runs, and takes effect on the following triggers without a restart.',
    fault: 'The flag is read once at registration.',
    needs: ['collection-admin', 'extension-listener', 'registration-update', 'trigger-event'],
    after: ['registration.active.default-true-extension'],
    test: scenario(async (context) => {
      const { given, profile } = context;
      await expectToggles(context, await given.extension(), eventOf(context));
      if (profile.all.triggers?.endpoint !== undefined)
        await expectToggles(context, await given.endpoint(), (endpoint) => context.triggers.endpoint(endpoint));
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
      const event = await unlessRefused(triggers.event(extension));
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
  'registration.body.malformed-json': {
    level: 'should',
    source: 'extensions: Registration routes, row 1 (`application/json`)',
    statement: 'A body that is not JSON, is an array or is empty is refused with a 4xx status.',
    fault: 'A parse error surfaces as 500.',
    needs: ['collection-admin'],
    test: scenario(async (context) => {
      const { registrations, expect, notes } = context;
      for (const kind of kinds) {
        for (const body of ['{"id":', [], '']) {
          const reply = await registrations.post(kind, body);
          expect(reply.status, `status of ${JSON.stringify(body)} at ${kind}`, reply).toSatisfy(
            '4xx',
            (status) => status >= 400 && status < 500,
          );
        }
        const other = await registrations.post(kind, bodyOf(context, kind), {
          headers: { 'Content-Type': 'text/plain' },
        });
        notes.observe(`${kind} as text/plain`, other.status, other);
      }
    }),
  },
  'registration.body.success-status': {
    level: 'observe',
    source: 'extensions: Registration routes (responses not shown)',
    statement:
      'Success status, `Location`, and response body of the three routes are not documented and are recorded, as is whether a response or a read echoes apiKey.',
    fault: 'Not applicable as a failure; recorded variant: 201 with Location.',
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async (context) => {
      const { given } = context;
      const host = await given.extension({ unregistered: true });
      const bodies = {
        externalEndpoint: endpointBody(context),
        trustedExternalEndpoint: trustedBody(context),
        svcExtension: extensionBody(host),
      };
      for (const kind of kinds) await observeAnswer(context, kind, bodies[kind], host.apiKey);
    }),
  },
  'registration.duplicate.same-id': {
    level: 'observe',
    source: 'extensions: Registered external endpoint, row id (uniqueness not stated)',
    statement: 'Registering the same endpoint id, or the same hostUri, a second time has no documented result.',
    fault: 'Not applicable as a failure; recorded variant: 409.',
    needs: ['collection-admin', 'extension-listener'],
    test: scenario(async (context) => {
      const { given, registrations, notes } = context;
      const body = endpointBody(context);
      given.succeeded(await registrations.post('externalEndpoint', body), 'an endpoint is registered', [
        'registration.simple.required-only-accepted',
      ]);
      const again = await registrations.post('externalEndpoint', { ...body, name: 'Another name' });
      notes.observe('status of a second endpoint with the same id', again.status, again);
      const host = await given.extension();
      const second = await registrations.post('svcExtension', extensionBody(host));
      notes.observe('status of a second extension with the same hostUri', second.status, second);
      notes.observe('metadata requests after it', (await host.ended(2, { kind: 'metadata' })).length);
    }),
  },
});

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
  const silent = await unlessRefused(trigger(reached));
  const came = silent && (await reached.arrived({ about: silent }, { withinMs: quietMs(context) }));
  expect(came === undefined ? 'none' : 'one', 'the call of a trigger while switched off').toEqual('none');
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

/** Status, Location, and whether the secret comes back. */
async function observeAnswer(
  { registrations, notes }: CaseContext,
  kind: RegistrationKind,
  body: Body,
  secret: string,
): Promise<void> {
  const reply = await registrations.post(kind, body);
  notes.bound('registrationSuccess', `status of ${kind}`, reply.status, reply);
  notes.observe(`Location of ${kind}`, reply.headers['location'] === undefined ? 'absent' : 'present', reply);
  const read = reply.status < 300 ? await registrations.read(registrations.made(kind, body, reply)) : undefined;
  if (kind !== 'svcExtension') return;
  notes.observe('apiKey in the answer', holds(reply, secret), reply);
  if (read !== undefined) notes.observe('apiKey in a read', holds(read, secret), read);
  if ([reply, read].some((one) => one !== undefined && holds(one, secret)))
    notes.remark('a registration tells its apiKey to those who read it');
}

function holds({ text }: Reply, secret: string): boolean {
  return text.includes(secret);
}
