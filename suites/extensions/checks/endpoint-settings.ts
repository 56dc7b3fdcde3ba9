import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import type { Call } from '../../../judge/extension/call.ts';
import type { Endpoint, Step } from '../../../judge/extension/extension.ts';
import { callWaitMs } from '../../../judge/extension/trigger-calls.ts';
import {
  acknowledged,
  answerAlways,
  answerInTurn,
  failingForEver,
  minuteMs,
  queuedGapsMs,
  sevenMs,
  timeGivenUp,
} from './delivery-attempts.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { givenUpMs, watchedMs } from './updated-records.ts';

/** Endpoints with retryForever, which fail in two ways, and such without it. */
export async function expectEndpointsRetried({ given, triggers, clock }: CaseContext): Promise<void> {
  const kinds = [true, false].flatMap((trusted) => [
    { trusted, retryForever: true, script: failingForEver },
    // what is transient without being a server error is retried for ever as well
    { trusted, retryForever: true, script: answerAlways({ status: 408 }) },
    { trusted, retryForever: false, script: failingForEver },
  ]);
  const endpoints = await Promise.all(
    kinds.map(({ retryForever, ...kind }) => given.endpoint({ ...kind, registration: { retryForever } })),
  );
  await Promise.all(endpoints.map((endpoint) => triggers.endpoint(endpoint)));
  await clock.pass(sevenMs + 7 * clock.granularityMs);
  for (const [index, endpoint] of endpoints.entries()) {
    const seven = kinds[index]?.retryForever === true;
    const attempts = endpoint.calls();
    given.assume(attempts.length > 0, 'the call of each endpoint');
    if (seven) clock.expectGaps(attempts, [...queuedGapsMs, 64_000]);
    else clock.expectCalls('attempts without retryForever', attempts, { most: 6 });
  }
}

/** Where calls of an endpoint are given up as the last update of its registration says, be it simple or trusted. */
export async function expectNewTimeoutOfEndpoints(context: CaseContext): Promise<void> {
  const { triggers, clock } = context;
  for (const { endpoint, isNew } of await endpointsCalledThenUpdated(
    context,
    { requestTimeout: 60 },
    { requestTimeout: 2 },
    { never: true },
  )) {
    await triggers.endpoint(endpoint);
    const endedAt = await timeGivenUp(endpoint, { where: isNew }, givenUpMs);
    clock.expectCame('end of a call of an endpoint that is not answered, 2 s since the update', endedAt, { of: 'end' });
  }
}

/** The same of the limit, beyond any minute that the first call counts in. */
export async function expectNewLimitOfEndpoints(context: CaseContext): Promise<void> {
  const { triggers, clock } = context;
  const updated = await endpointsCalledThenUpdated(context, {}, { rateLimitNumberOfExecutions: 1 });
  if (updated.length === 0) return;
  await clock.pass(minuteMs + 1000);
  const since = clock.now();
  for (const { endpoint } of updated) for (const _call of ['first', 'second']) await triggers.endpoint(endpoint);
  const calls = await clock.at(since + watchedMs, async () => updated.map(({ calledAnew }) => calledAnew()), {
    until: since + minuteMs,
    what: 'the pause is over',
    isRight: (all) => all.every(({ length }) => length === 1),
  });
  const what = `calls of an endpoint that is called twice within ${watchedMs / 1000} s, with a limit of 1 since the update`;
  for (const one of calls) clock.expectCalls(what, one, 1, { mayEndMinute: true });
}

/** The same of whether calls are retried for ever. */
export async function expectNewRetriesOfEndpoints(context: CaseContext): Promise<void> {
  const { triggers, clock } = context;
  const updated = await Promise.all(
    [true, false].map(async (retryForever) => ({
      retryForever,
      endpoints: await endpointsCalledThenUpdated(
        context,
        { retryForever: !retryForever },
        { retryForever },
        { status: 503 },
      ),
    })),
  );
  const sent = updated.flatMap(({ endpoints, ...one }) => endpoints.map((endpoint) => ({ ...one, ...endpoint })));
  await Promise.all(sent.map(({ endpoint }) => triggers.endpoint(endpoint)));
  if (sent.length === 0) return;
  await clock.pass(sevenMs + 7 * clock.granularityMs);
  for (const { calledAnew, retryForever } of sent)
    clock.expectCalls(
      `attempts of a call of an endpoint, with retryForever ${retryForever} since the update`,
      calledAnew(),
      retryForever ? { least: 7 } : { most: 6 },
    );
}

/** An endpoint that was called before its registration was updated. */
interface UpdatedEndpoint {
  readonly endpoint: Endpoint;
  /** Whether a call came after the update. */
  isNew(call: Pick<Call, 'arrivedAt'>): boolean;
  calledAnew(): readonly Call[];
}

/** A simple and a trusted one, which answer calls after the update as is said; none where nothing updates a registration or the update is not taken. */
async function endpointsCalledThenUpdated(
  { given, triggers, registrations, clock, notes, profile }: CaseContext,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  later: Step = acknowledged,
): Promise<readonly UpdatedEndpoint[]> {
  const { routes, triggers: declared } = profile.all;
  if (routes?.registrationUpdate === undefined || declared?.endpoint === undefined) return [];
  const updated: UpdatedEndpoint[] = [];
  for (const trusted of [false, true]) {
    const endpoint = await given.endpoint({ trusted, registration: before, script: answerInTurn(acknowledged, later) });
    await triggers.endpoint(endpoint);
    await endpoint.call({}, { withinMs: callWaitMs });
    const reply = await registrations.update(given.present(endpoint.registration, 'a registration'), after);
    notes.observe('status of an update of what is set for calls of an endpoint', reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    const known = endpoint.calls().length;
    updated.push({
      endpoint,
      isNew: ({ arrivedAt }) => arrivedAt > (endpoint.calls()[known - 1]?.arrivedAt ?? 0),
      calledAnew: () => endpoint.calls().slice(known),
    });
  }
  if (clock.controlled) await clock.pass(1);
  return updated;
}

const oddHeaders = {
  'a header that is configured twice': ['one', 'other'].map((value) => ({ name: 'X-Twice', value })),
  'a header with nothing in it': [{ name: 'X-Empty', value: '' }],
} as const;

/** Whether a service takes them is not said: what it takes belongs on the call. */
export async function noteOddHeaders(
  { given, triggers, notes }: CaseContext,
  headers: readonly { readonly name: string; readonly value: string }[],
): Promise<void> {
  for (const [what, odd] of Object.entries(oddHeaders)) {
    const endpoint = await unlessRefused(() => given.endpoint({ headers: [...headers, ...odd] }));
    const triggered = endpoint && (await unlessRefused(() => triggers.endpoint(endpoint)));
    const call = triggered && (await endpoint?.arrived({ kind: 'endpoint' }));
    const shown = (name: string) => call?.header(name).flatMap((line) => line.split(', ')) ?? [];
    notes.observe(what, call === undefined ? 'is not taken' : odd.map(({ name }) => shown(name).join(', ')).join());
    for (const { name, value } of call === undefined ? [] : odd)
      if (!shown(name).includes(value))
        notes.remark(`of ${what}, ${name} with the value ${JSON.stringify(value)} is not set on the call`);
  }
}
