import type { SomeCasesOf } from '../../judge/case.ts';
import { hostRace, hostScenario, hostSchedule } from '../../judge/host/host-case.ts';
import type { HostContext } from '../../judge/host/host.ts';
import type { HostRecord } from '../../judge/host/records.ts';
import { within } from '../../judge/run/within.ts';
import { hostActionCases } from './host-action.ts';
import { hostCallbackCases } from './host-callbacks.ts';
import { hostOpenCases } from './host-open.ts';
import { expectAcknowledged, isAbout, isBecauseOfCall } from './host-words.ts';

const events = 10;
const slowMs = 5000;
const usualMs = 1000;
/** Longest time that an answer is waited for, in s; a record that allows more is not waited for to its end. */
const longestSeconds = 100;
const mostAtOnce = 20;

export const hostCases = {
  ...hostActionCases,
  ...hostCallbackCases,
  ...hostOpenCases,

  'calls.host.event-acknowledged': hostScenario(async (context) => {
    const { host, records, stage } = context;
    const installation = await stage.installation();
    expectAcknowledged(context, await host.call(installation.call(records.of('ExternalEvent'))));
  }),

  'calls.host.event-acknowledged-first': hostScenario(async (context) => {
    const { host, records, stage, expect, notes } = context;
    const installation = await stage.installation();
    const calibration = (await host.metadata()).exchange.durationMs;
    const held = installation.hold();
    const durations: number[] = [];
    for (let sent = 0; sent < events; sent += 1) {
      const answer = host.call(installation.call(records.of('ExternalEvent')));
      answer.catch(() => undefined);
      const reply = await within(slowMs, answer);
      expect(
        reply === undefined ? 'none' : 'one',
        `an answer within ${slowMs / 1000} s, while the requests that the event sets off wait for theirs`,
      ).toEqual('one');
      durations.push(reply?.exchange.durationMs ?? slowMs);
    }
    const median = durations.toSorted((one, other) => one - other)[events / 2] ?? 0;
    expect(Math.round(median), 'median time until an event is acknowledged, in ms').toSatisfy(
      `under ${usualMs} ms`,
      () => median < usualMs + calibration,
    );
    notes.observe('requests of the host that the acknowledgements did not wait for', held.count > 0 ? 'some' : 'none');
  }),

  'calls.host.answers-within-timeout': hostSchedule(longestSeconds, async (context) => {
    const { records, stage, given, notes } = context;
    if (records.all.length === 0)
      given.notExercised('the host announces no record of a type whose calls are documented');
    const installation = await stage.installation();
    const times = await Promise.all(records.all.map((record) => timeOf(context, record, installation)));
    const slowest = times.toSorted((one, other) => other.ms - one.ms)[0];
    if (slowest !== undefined)
      notes.observe(
        'slowest call',
        `${slowest.id}, ${slowest.ms < usualMs ? 'under 1 s' : `${Math.round(slowest.ms / 1000)} s`}`,
      );
  }),

  'calls.host.email-acknowledged': hostScenario(async (context) => {
    const { host, records, stage, given, samples } = context;
    const installation = await stage.installation();
    const address = { to: 'to@example.org', from: 'from@example.org', ...samples.all.email };
    for (const body of ['Plain text, with an umlaut: ü.', '<html><body><p>Some <b>HTML</b></p></body></html>'])
      expectAcknowledged(
        context,
        await host.call(installation.call(records.of('Email'), { ...address, subject: given.unique('subject'), body })),
      );
  }),

  'calls.host.validation-object': hostScenario(async ({ host, records, stage, given, samples, expect, notes }) => {
    const installation = await stage.installation();
    const known = samples.all.validation?.valid ?? {};
    for (const payload of [known, {}].flatMap((base) => [
      base,
      { ...base, contextObjectId: given.unique('context') },
    ])) {
      const reply = await host.call(
        installation.call(records.named(samples.all.validation?.record, 'ExternalValidation'), {
          objectId: given.unique('object'),
          spaceId: installation.spaceId,
          ...payload,
        }),
      );
      expect(reply).toSucceed();
      if (reply.status !== 200) notes.observe('status of a validation answer', reply.status);
      expect(reply.json, 'the validation answer', reply).toBeAnObject();
      const { isValid, message } = Object(reply.json) as { isValid?: unknown; message?: unknown };
      expect(isValid, 'isValid', reply).toSatisfy('a boolean', (value) => typeof value === 'boolean');
      expect(message, 'message', reply).toBeAString();
    }
  }),

  'calls.host.validation-outcome': hostScenario(async ({ host, records, stage, given, samples, expect, binding }) => {
    const { valid, invalid, record } = samples.validation;
    const installation = await stage.installation();
    for (const [payload, outcome] of [
      [valid, true],
      [invalid, false],
      [valid, true],
      [invalid, false],
    ] as const) {
      const call = installation.call(records.named(record, 'ExternalValidation'), {
        objectId: given.unique('object'),
        spaceId: installation.spaceId,
        ...payload,
      });
      const reply = await host.call(call);
      given.succeeded(reply, 'the validation is answered', ['calls.host.validation-object']);
      const { isValid } = Object(reply.json) as { isValid?: unknown };
      const isRead = installation.arrivals({ kind: 'object' }).length > 0;
      if (isValid === !outcome && isRead && binding.objects === undefined)
        given.inconclusive(
          `the host read the object of the sample known as ${outcome ? 'valid' : 'invalid'} from the service, which the suite plays without knowing it: add extensionHost.objects to the profile, the members of each object by its id`,
        );
      expect(isValid, `isValid of the sample known as ${outcome ? 'valid' : 'invalid'}`, reply).toEqual(outcome);
    }
  }),

  'calls.host.concurrent-calls': hostRace(async (context) => {
    const { host, records, stage, expect } = context;
    const record = records.of('ExternalEvent');
    const installation = await stage.installation();
    const calls = Array.from({ length: Math.min(Math.max(1, Math.floor(record.rate)), mostAtOnce) }, () =>
      installation.call(record),
    );
    const replies = await Promise.all(calls.map((call) => host.call(call)));
    for (const reply of replies) expectAcknowledged(context, reply);
    for (const arrival of installation.arrivals({ where: isBecauseOfCall }))
      for (const { envelope } of calls.filter((call) => isAbout(arrival, call)))
        expect(
          arrival.callId ?? 'none',
          `the call whose token ${arrival.method} ${arrival.path} carries`,
          arrival.seen,
        ).toEqual(envelope.id);
  }),
} satisfies SomeCasesOf<'calls'>;

/** Time until a call of the record was answered, which has to be within its requestTimeout. */
async function timeOf(
  { host, clock, expect, given }: HostContext,
  record: HostRecord,
  installation: Awaited<ReturnType<HostContext['stage']['installation']>>,
) {
  const { id, requestTimeout } = record;
  const limitSeconds = Math.min(requestTimeout, longestSeconds);
  const from = clock.now();
  const answer = host.patiently((patient) => patient.call(installation.call(record)));
  answer.catch(() => undefined);
  const reply = await clock.until(answer, limitSeconds * 1000);
  if (reply === undefined && limitSeconds < requestTimeout)
    given.inconclusive(
      `record ${JSON.stringify(id)} was not answered within ${limitSeconds} s, and may take ${requestTimeout} s: the check does not wait that long`,
    );
  expect(
    reply === undefined ? 'none' : 'one',
    `an answer of record ${JSON.stringify(id)} within its ${requestTimeout} s`,
  ).toEqual('one');
  return { id, ms: clock.now() - from };
}
