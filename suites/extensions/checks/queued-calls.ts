import type { CaseContext } from '../../../judge/case.ts';
import type { Call, CallFilter } from '../../../judge/extension/call.ts';
import { jsonHeader, type Reached, type ScriptedAnswer } from '../../../judge/extension/extension.ts';
import { triggeredTypes } from '../../../judge/extension/trigger-calls.ts';
import type { Triggered } from '../../../judge/extension/triggers.ts';
import { objectsIn } from '../../../judge/json.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { tokensInQuery } from '../../../judge/service/token.ts';

/** What waits in the queue of the service beside events. Source: extensions, Limits, retries row 1 */
const kindsBesideEvents = ['task', 'mail', 'simple endpoint', 'trusted endpoint'] as const;

export type QueuedKind = (typeof kindsBesideEvents)[number];

/** What is attempted again when it fails; a validation waits in no queue. */
type AttemptedKind = QueuedKind | 'validation';

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

type Callee = Pick<Queued, 'reached' | 'trigger'>;

/** Of every endpoint whose attempts are compared: some have a key of their own among their headers. */
const configured = [jsonHeader, { name: 'X-Own-Key', value: 'own' }];

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
  const endpointOf = (trusted: boolean) => async (): Promise<Callee> => {
    const endpoint = await given.endpoint({ trusted, script, registration: settings, headers: configured });
    return { reached: endpoint, trigger: () => triggers.endpoint(endpoint) };
  };
  const extensionOf = (type: 'ExternalTask' | 'Email') => async (): Promise<Callee> => {
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
  const all: Queued[] = [];
  // one after the other: what each makes is named in the order in which it is made
  for (const kind of kindsBesideEvents) {
    const make = except.includes(kind) ? undefined : makers[kind];
    const queued = make && (await unlessRefused(() => queueOne(clock, kind, make)));
    if (queued !== undefined) all.push(queued);
  }
  return whereCalled(context, all);
}

/** Calls of endpoints by the other methods that have a body, simple and trusted. */
export async function queueByMethods(
  context: CaseContext,
  script: readonly ScriptedAnswer[],
): Promise<readonly Queued[]> {
  const { given, triggers, profile, clock } = context;
  if (profile.all.triggers?.endpoint === undefined) return [];
  const all: Queued[] = [];
  for (const method of ['PUT', 'PATCH'])
    for (const kind of ['simple endpoint', 'trusted endpoint'] as const) {
      const trusted = kind === 'trusted endpoint';
      const endpoint = await given.endpoint({ trusted, method, script, headers: configured });
      const make = async () => ({ reached: endpoint, trigger: () => triggers.endpoint(endpoint) });
      all.push(await queueOne(clock, kind, make));
    }
  return whereCalled(context, all);
}

async function queueOne(clock: CaseContext['clock'], kind: QueuedKind, make: () => Promise<Callee>): Promise<Queued> {
  const callee = await make();
  const since = clock.now();
  return { ...callee, kind, since, about: await callee.trigger(), filter: filterOf[kind] };
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

/** What of a call cannot change from one attempt to the next: addresses in links of a task, and tokens, may be new each time. */
function storyOf({ method, path, text, query, envelope, payload, header }: Call, kind: AttemptedKind): unknown {
  const ownQuery = query.filter(([name]) => name !== 'access_token');
  const headers = configured.map(({ name }) => header(name));
  if (kind.endsWith('endpoint')) return { method, path, ownQuery, text, headers };
  const { objectId, contextObjectId, spaceId } = payload;
  if (kind === 'validation') return { method, path, objectId, contextObjectId, spaceId };
  const { timeout, jobSettings, taskSettings, to, from, subject, body } = payload;
  if (kind === 'mail') return { method, path, to, from, subject, body };
  const links = objectsIn(payload['links']).map(({ id }) => String(id));
  return { method, path, job: envelope.id, timeout, jobSettings, taskSettings, links: links.toSorted() };
}

/** Three attempts of which the first two fail. */
export async function expectSameCall(context: CaseContext, { kind, reached, filter }: Queued): Promise<void> {
  expectSameAttempts(context, kind, await reached.ended(3, filter, { withinMs: 8000, oneByOne: true }));
}

/** All attempts of a call are that call: to the same place, signed and with a token where the first one is. */
export function expectSameAttempts(
  { expect, notes }: CaseContext,
  kind: AttemptedKind,
  attempts: readonly Call[],
): void {
  notes.observe(`attempts of a ${kind} that are compared`, attempts.length);
  const [first] = attempts;
  if (first === undefined) return;
  const withToken = (call: Call) => tokensInQuery(call).length > 0;
  for (const attempt of attempts) {
    expect(tokensOf(attempt).length, `parameters access_token of an attempt of a ${kind}`).toEqual(
      tokensOf(first).length,
    );
    expect(storyOf(attempt, kind), `an attempt of a ${kind}`).toEqual(storyOf(first, kind));
    if (first.signedOver.length > 0)
      expect(attempt.signedOver, `what an attempt of a ${kind} is signed over`).toEqual(first.signedOver);
    if (withToken(first))
      expect(withToken(attempt), `the accessToken of an attempt of a ${kind} is in its query`).toEqual(true);
  }
}

/** Values of the parameter that a trusted endpoint is called with. */
export function tokensOf({ query }: Call): readonly string[] {
  return query.filter(([name]) => name === 'access_token').map(([, value]) => value);
}

/** Whether an extension may have so many tasks at a time, none of which has ended: a service may let it have fewer. */
export async function takesTasks(
  context: CaseContext,
  count: number,
  { script, withinMs }: { readonly script: readonly ScriptedAnswer[]; readonly withinMs: number },
): Promise<boolean> {
  const { given, triggers, notes } = context;
  if (!triggeredTypes(context).includes('ExternalTask')) return false;
  const extension = await given.extension({ types: ['ExternalTask'], script });
  const sent = await unlessRefused(() => Promise.all(Array.from({ length: count }, () => triggers.task(extension))));
  const calls = sent && (await extension.ended(count, { kind: 'task' }, { withinMs }));
  if (calls?.length === count) return true;
  notes.observe('several tasks of one extension', 'not at one time');
  return false;
}
