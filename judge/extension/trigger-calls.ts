import type { Profile, TriggerName } from '../../contract/profile.ts';
import type { CaseContext } from '../case.ts';
import type { Call, CalledType, CallFilter } from './call.ts';
import type { Extension, Reached } from './extension.ts';
import { namesExtension } from './own-call.ts';
import type { Triggered } from './triggers.ts';
import type { Thing } from '../things.ts';
import { unlessRefused } from '../violation.ts';
import { readTime, sleep } from '../time/real-time.ts';

/** How long something is watched that has to stay silent, in ms; shorter where time stands still, since then a call comes at once or not at all. */
export function quietMs({ clock }: Pick<CaseContext, 'clock'>): number {
  return clock.controlled ? 1000 : 5000;
}

/** Longest wait for a call, in ms. */
export const callWaitMs = 10_000;
/** Longest wait for the call of one trigger, before another one is set off. */
const oneTriggerMs = 4000;
const pauseMs = 500;
/** So often a trigger is set off before none of them counts as heard, however long each takes. */
const fewestTriggers = 3;

const triggersOf: Readonly<Record<Exclude<CalledType, 'ExternalValidation'>, readonly TriggerName[]>> = {
  ExternalEvent: ['event'],
  ExternalTask: ['task'],
  Email: ['email'],
  ExternalAction: ['actionRibbon', 'actionForm'],
};

/**
 * Types that the profile has a trigger for which reaches the extension that is meant; validations only where their registration can be
 * taken away again, and takes the place of no other one.
 */
export function triggeredTypes({ profile }: CaseContext): readonly CalledType[] {
  const { triggers = {}, routes = {} } = profile.all;
  const isBound = (name: TriggerName): boolean =>
    triggers[name] !== undefined && (name === 'event' || namesExtension(triggers[name]));
  const types = (['ExternalEvent', 'ExternalTask', 'Email', 'ExternalAction'] as const).filter((type) =>
    triggersOf[type].some(isBound),
  );
  return triggers.validation === undefined || routes.registrationDelete === undefined || validatesByOne(profile.all)
    ? types
    : [...types, 'ExternalValidation'];
}

/** Whether an extension that validates objects keeps others from being asked. */
export function validatesByOne({ expect, triggers = {} }: Pick<Profile, 'expect' | 'triggers'>): boolean {
  const { validation } = triggers;
  return expect?.severalValidations === 'one' && validation !== undefined && !namesExtension(validation);
}

/** Sets off a call of the type; undefined where the trigger is refused or no call comes. `thing`: what a validation is about. */
export async function triggerCall(
  context: CaseContext,
  extension: Extension,
  type: CalledType,
  thing?: Thing,
): Promise<Call | undefined> {
  const { given, triggers, profile } = context;
  const options = { withinMs: callWaitMs };
  switch (type) {
    case 'ExternalEvent':
      return triggerEvent(context, extension);
    case 'ExternalTask': {
      const task = await unlessRefused(() => triggers.task(extension));
      return task && extension.arrived({ kind: 'task', about: task }, options);
    }
    case 'Email': {
      const mail = await unlessRefused(() => triggers.email(extension));
      return mail && extension.arrived({ kind: 'email', about: mail }, options);
    }
    case 'ExternalValidation': {
      const { oid } = given.present(thing, 'an object to validate');
      await triggers.validation(given.present(thing, 'an object to validate'));
      return extension.arrived({ kind: 'validation', objectId: oid }, options);
    }
    case 'ExternalAction':
      if (profile.all.triggers?.actionRibbon !== undefined) await triggers.actionRibbon(extension);
      else await triggers.actionForm(extension, { requestedRoute: '/', httpVerb: 'POST', payload: {} });
      return extension.arrived({ kind: 'action' }, options);
  }
}

export interface EventOptions {
  /** Record that the event is for; the one of its type unless given. */
  readonly recordId?: string;
  /** The call that is meant, where the metadata does not show it as one of an event. */
  readonly call?: CallFilter;
}

/** The call of an event; undefined where none comes. */
export function triggerEvent(
  { triggers }: CaseContext,
  extension: Extension,
  { recordId, call = { kind: 'event' } }: EventOptions = {},
): Promise<Call | undefined> {
  return triggerUntilCalled(
    extension,
    () => triggers.event(extension, undefined, recordId === undefined ? {} : { recordId }),
    call,
  );
}

/**
 * The call of a trigger; undefined where none comes. A service that takes its time to put to use what it was just told gets further
 * triggers for a while, and one that is slow may call for a former one meanwhile.
 */
export async function triggerUntilCalled(
  reached: Reached,
  trigger: () => Promise<Triggered>,
  call: CallFilter = {},
): Promise<Call | undefined> {
  const until = readTime() + callWaitMs;
  const former: Triggered[] = [];
  for (let count = 0; count < fewestTriggers || readTime() < until; count += 1) {
    const about = await unlessRefused(() => trigger());
    const found = about && (await reached.arrived({ ...call, about }, { withinMs: oneTriggerMs }));
    const [late] = former.flatMap((one) => reached.calls({ ...call, about: one }));
    if (found !== undefined || late !== undefined) return found ?? late;
    if (about === undefined) await sleep(pauseMs);
    else former.push(about);
  }
  return undefined;
}

/** Everything that arrived but the metadata exchange, also what no record explains. */
export function callsAt(reached: Reached): readonly Call[] {
  return reached.everything().filter(({ kind }) => kind !== 'metadata');
}

/** Lets time pass in which nothing has to come. */
export async function stayQuiet(context: CaseContext): Promise<void> {
  await context.clock.until(new Promise<never>(() => undefined), quietMs(context));
}

/** Asserts that a call came while it was waited for. @param what as `the call of the event` */
export function expectCall({ clock }: CaseContext, call: Call | undefined, what: string): void {
  clock.expectCame(what, call?.arrivedAt);
}

/** Asserts that nothing but the metadata exchange came. @param what as `calls of an inactive endpoint` */
export function expectNoCall({ expect }: CaseContext, reached: Reached, what: string): void {
  expect.noCalls(callsAt(reached), what);
}
