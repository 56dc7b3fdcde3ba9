import type { SomeCasesOf } from '../../judge/case.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import type { HostContext } from '../../judge/host/host.ts';
import { headerOf, type Arrival } from '../../judge/host/stage/arrival.ts';
import type { Installation } from '../../judge/host/stage/installation.ts';
import { callEach, isAbout, isBecauseOfCall, letWork, type Answered } from './host-words.ts';

/** How long requests because of later calls are waited for, in ms: earlier work may come first. */
const laterMs = 10_000;
const noRequest = 'the host sent no request because of a call';

/** Cases about the requests that a host makes because of a call. */
export const hostCallbackCases = {
  'calls.host.uses-envelope-token': hostScenario(async (context) => {
    const { stage, expect } = context;
    const installation = await stage.installation();
    const first = await callEach(context, installation, context.records.all);
    if (!(await letWork(context, installation))) context.given.notExercised(noRequest);
    const before = installation.arrivals({ where: isBecauseOfCall });
    const second = await callEach(context, installation, context.records.all);
    const isOfSecond = (arrival: Arrival): boolean => second.some(({ call }) => call.envelope.id === arrival.callId);
    await letWork(context, installation, isOfSecond, laterMs);
    const arrivals = installation.arrivals({ where: isBecauseOfCall });
    for (const arrival of arrivals)
      expect(
        arrival.callId ?? 'none',
        `the call whose token ${arrival.method} ${arrival.path} carries`,
        arrival.seen,
      ).toBeOneOf(ownersOf(arrival, [...first, ...second]));
    // late work of the first calls carries their tokens: that is not told from a token that was kept unless no other comes
    const last = arrivals.at(-1);
    if (arrivals.length > before.length)
      expect(arrivals.some(isOfSecond), 'a token of the later calls among the requests after them', last?.seen).toEqual(
        true,
      );
  }),

  'calls.host.uses-base-address': hostScenario(async (context) => {
    const { stage, given, expect } = context;
    if (!stage.severalAddresses)
      given.inconclusive('the check needs two addresses: let listener.publicUrl of the profile hold {port}');
    const [one, other] = [await stage.installation(), await stage.installation()];
    const first = await workingCalls(context, one);
    const second = await callEach(
      context,
      other,
      first.map(({ call }) => call.record),
    );
    await Promise.race([letWork(context, other), letWork(context, one, isOf(second))]);
    for (const [installation, calls] of [
      [one, second],
      [other, first],
    ] as const)
      for (const arrival of installation.arrivals({ where: isOf(calls) }))
        expect(
          arrival.port,
          `address of ${arrival.method} ${arrival.path}, which belongs to a call with another baseAddress`,
          arrival.seen,
        ).toEqual(installation === one ? other.port : one.port);
    if (other.arrivals({ where: isBecauseOfCall }).length === 0) given.notExercised(noRequest);
    expect(other.arrivals({ where: isBecauseOfCall }).length, 'requests at the second address').toSatisfy(
      'at least one',
      (count) => count > 0,
    );
  }),

  'calls.host.correlation-id-used': hostScenario(async (context) => {
    const { stage, notes } = context;
    const installation = await stage.installation();
    await workingCalls(context, installation);
    const seen = installation.arrivals({ where: isBecauseOfCall }).map(correlationOf);
    notes.observe('X-Correlation-Id of the requests of the host', [...new Set(seen)].sort().join(', '));
  }),
} satisfies SomeCasesOf<'calls'>;

/** Calls each record; those that made the host send something. @throws {Inconclusive} none did */
async function workingCalls(context: HostContext, installation: Installation): Promise<readonly Answered[]> {
  const calls = await callEach(context, installation, context.records.all);
  if (!(await letWork(context, installation))) context.given.notExercised(noRequest);
  const arrivals = installation.arrivals({ where: isBecauseOfCall });
  const working = calls.filter(({ call }) =>
    arrivals.some((arrival) => arrival.callId === call.envelope.id || isAbout(arrival, call)),
  );
  return working.length === 0 ? calls : working;
}

/** Ids of the calls that a request can belong to: the one that it names, else any. */
function ownersOf(arrival: Arrival, calls: readonly Answered[]): readonly string[] {
  const named = calls.filter(({ call }) => isAbout(arrival, call));
  return (named.length === 0 ? calls : named).map(({ call }) => call.envelope.id);
}

function isOf(calls: readonly Answered[]): (arrival: Arrival) => boolean {
  return (arrival) =>
    isBecauseOfCall(arrival) &&
    calls.some(({ call }) => arrival.token?.text === call.envelope.accessToken || isAbout(arrival, call));
}

function correlationOf(arrival: Arrival): string {
  const value = headerOf(arrival, 'x-correlation-id');
  if (value === undefined) return 'missing';
  return value === arrival.callId ? 'id of the envelope' : 'another';
}
