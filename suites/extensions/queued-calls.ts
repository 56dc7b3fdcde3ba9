import type { CaseContext } from '../../judge/case.ts';
import type { Call, CallFilter } from '../../judge/extension/call.ts';
import type { Reached, ScriptedAnswer } from '../../judge/extension/extension.ts';
import { triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import type { Triggered } from '../../judge/extension/triggers.ts';
import { ifAccepted } from './triggered-calls.ts';

/** What waits in the queue of the service beside events. Source: extensions, Limits, retries row 1 */
const kindsBesideEvents = ['task', 'mail', 'simple endpoint', 'trusted endpoint'] as const;

export type QueuedKind = (typeof kindsBesideEvents)[number];

/** What was called, by a call of that kind, and how it is called again. */
export interface Queued {
  readonly kind: QueuedKind;
  readonly reached: Reached;
  /** The first trigger. */
  readonly about: Triggered;
  /** Fits all its calls, and those of further triggers. */
  readonly filter: CallFilter;
  /** When the first trigger was sent, in ms of the clock. */
  readonly since: number;
  readonly trigger: () => Promise<Triggered>;
}

const filterOf: Readonly<Record<QueuedKind, CallFilter>> = {
  task: { kind: 'task' },
  mail: { kind: 'email' },
  'simple endpoint': { kind: 'endpoint' },
  'trusted endpoint': { kind: 'endpoint' },
};

interface QueuedOptions {
  /** Members that a record and the registration of an endpoint both have: limit, timeout, retries. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly except?: readonly QueuedKind[];
  /** Extensions listen alone, where the profile lets them. */
  readonly ownListener?: boolean;
}

/**
 * One call of each kind but an event, as far as the profile can trigger it and the service makes it: what a document says of all calls is
 * not said of events alone.
 */
export async function queueBesideEvents(
  context: CaseContext,
  script: readonly ScriptedAnswer[],
  { settings = {}, except = [], ownListener = false }: QueuedOptions = {},
): Promise<readonly Queued[]> {
  const { given, triggers, profile, clock } = context;
  const types = triggeredTypes(context);
  const endpointOf = (trusted: boolean) => async (): Promise<Omit<Queued, 'kind' | 'since' | 'about' | 'filter'>> => {
    const endpoint = await given.endpoint({ trusted, script, registration: settings });
    return { reached: endpoint, trigger: () => triggers.endpoint(endpoint) };
  };
  const extensionOf = (type: 'ExternalTask' | 'Email') => async () => {
    const extension = await given.extension({ types: [type], script, record: settings, ownListener });
    return {
      reached: extension,
      trigger: () => (type === 'Email' ? triggers.email(extension) : triggers.task(extension)),
    };
  };
  const isEndpointBound = profile.all.triggers?.endpoint !== undefined;
  const makers = {
    task: types.includes('ExternalTask') ? extensionOf('ExternalTask') : undefined,
    mail: types.includes('Email') ? extensionOf('Email') : undefined,
    'simple endpoint': isEndpointBound ? endpointOf(false) : undefined,
    'trusted endpoint': isEndpointBound ? endpointOf(true) : undefined,
  };
  const all = await Promise.all(
    kindsBesideEvents.map(async (kind) => {
      const make = except.includes(kind) ? undefined : makers[kind];
      if (make === undefined) return undefined;
      return ifAccepted(async () => {
        const made = await make();
        const since = clock.now();
        const about = await made.trigger();
        return { ...made, kind, since, about, filter: filterOf[kind] };
      });
    }),
  );
  return whereCalled(
    context,
    all.filter((one) => one !== undefined),
  );
}

/** Those of them that were called at all, which is the business of other rules. */
async function whereCalled(context: CaseContext, queued: readonly Queued[]): Promise<readonly Queued[]> {
  const came = await Promise.all(queued.map(({ reached, filter }) => reached.arrived(filter)));
  return queued.filter(({ kind }, index) => {
    if (came[index] === undefined) context.notes.observe(`the call of a ${kind}`, 'does not come');
    return came[index] !== undefined;
  });
}

/** The attempts so far. */
export function attemptsAt({ reached, filter }: Queued): readonly Call[] {
  return reached.calls(filter);
}
