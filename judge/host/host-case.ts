import type { CaseKind, Generation } from '../case.ts';
import type { Clock } from '../time/clock.ts';
import type { Host } from './host.ts';
import type { HostContext } from './context.ts';

/** A case in which the suite plays the service and judges somebody's extension host. */
export interface HostCase {
  readonly side: 'extension';
  readonly kind: CaseKind;
  /** Time of the host that a schedule takes. */
  readonly seconds?: number;
  /** Whether it comes behind all other cases. */
  readonly looksBack?: true;
  readonly run: (context: HostContext, generation: Generation) => Promise<void>;
}

/** A fixed sequence of steps. */
export function hostScenario(run: HostCase['run']): HostCase {
  return { side: 'extension', kind: 'scenario', run };
}

/** Steps that come behind those of all other cases, and judge what all of them have met. */
export function hostReview(run: HostCase['run']): HostCase {
  return { side: 'extension', kind: 'scenario', looksBack: true, run };
}

/** Steps in which calls meet each other. */
export function hostRace(run: HostCase['run']): HostCase {
  return { side: 'extension', kind: 'race', run };
}

/** Steps between which time of the host has to pass. @param seconds time of the host from the first step to the last */
export function hostSchedule(seconds: number, run: HostCase['run']): HostCase {
  return {
    side: 'extension',
    kind: 'schedule',
    seconds,
    run: async (context, generation) => {
      const leave = await context.clock.enter();
      await run({ ...context, host: passing(context.host, context.clock) }, generation).finally(leave);
    },
  };
}

/** The host as a schedule calls it: time may pass until it answers. */
function passing(host: Host, clock: Clock): Host {
  return {
    ...host,
    metadata: (changes) => clock.through(() => host.metadata(changes)),
    call: (call, changes) => clock.through(() => host.call(call, changes)),
    send: (method, url, changes) => clock.through(() => host.send(method, url, changes)),
    patiently: (run) => host.patiently((patient) => run(passing(patient, clock))),
  };
}
