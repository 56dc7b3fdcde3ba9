import { randomUUID } from 'node:crypto';
import { headerNames } from '../../contract/names.ts';
import { schedule, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Call } from '../../judge/extension/call.ts';
import {
  always,
  atOnceMs,
  attemptsOf,
  called,
  endedAttempts,
  expectSchedule,
  expectSixAttempts,
  failing,
  failingForEver,
  inTurn,
  passSilence,
  queuedScheduleMs,
  sentTo,
  sentToEach,
  silenceMs,
  type Called,
  type Sent,
} from './words.ts';

/** The whole row with its tolerance and the silence after it. */
const seconds = (queuedScheduleMs + silenceMs) / 1000;

export const retryCases = {
  'delivery.event.retry-gaps': schedule(74, async (context) => {
    const { given, triggers } = context;
    const [fresh, used] = await Promise.all([
      sentTo(context, failingForEver),
      sentTo(context, inTurn({ status: 503 }, { status: 503 }, { status: 200 }, { status: 503 })),
    ]);
    given.assume(
      (await endedAttempts(used, 3, 8000)).length === 3,
      'an event that is acknowledged at its second retry',
    );
    const next = await triggers.event(used.extension);
    await Promise.all([
      expectSchedule(context, fresh.extension, { about: fresh.event }),
      expectSchedule(context, used.extension, { about: next }),
    ]);
  }),

  'delivery.event.no-sixth-retry': schedule(seconds, async (context) => {
    const { clock, expect, given, triggers } = context;
    const sent = await sentTo(context, failingForEver);
    const updated = await sentAndUpdated(context);
    given.assume((await endedAttempts(sent, 6, queuedScheduleMs)).length === 6, 'six attempts');
    await passSilence(context);
    if (updated !== undefined)
      expect(
        attemptsOf(updated).length,
        'attempts of an event whose registration is updated after the third',
      ).toSatisfy('six at most', (count) => count <= 6);
    clock.expectCalls(`attempts ${silenceMs / 1000} s after the sixth`, attemptsOf(sent), 6);
    sent.extension.setScript(always());
    const next = await triggers.event(sent.extension);
    await sent.extension.call({ about: next }, { withinMs: atOnceMs });
  }),

  'delivery.event.recovery-stops-retries': schedule(seconds, async (context) => {
    const sent = await sentToEach(context, [0, 1, 2, 3, 4, 5].map(failing));
    await context.clock.pass(queuedScheduleMs + silenceMs + sent.length * context.clock.granularityMs);
    for (const [failures, one] of sent.entries())
      context.clock.expectCalls(`attempts when number ${failures + 1} is acknowledged`, attemptsOf(one), failures + 1);
  }),

  'delivery.event.same-content-on-retry': schedule(20, async (context) => {
    const { expect, given, notes, triggers } = context;
    const extension = await given.extension({ script: failingForEver });
    const id = randomUUID();
    const event = await triggers.event(extension, undefined, { headers: { [headerNames.correlationId]: id } });
    await extension.ended(1, { about: event });
    await triggers.event(extension, undefined, { headers: { [headerNames.correlationId]: randomUUID() } });
    const attempts = await extension.ended(4, { about: event }, { withinMs: 15_000, oneByOne: true });
    given.assume(attempts.length === 4, 'four attempts');
    for (const attempt of attempts) {
      expect(contentOf(attempt), 'payload of an attempt').toEqual(contentOf(attempts[0]));
      expect(attempt.envelope.id, 'id of the envelope').toEqual(id);
    }
    notes.observe(
      'each attempt has a token of its own',
      new Set(attempts.map(({ envelope }) => envelope.accessToken)).size === 4,
    );
    await noteOwnIds(context);
  }),

  'delivery.task.retry-gaps': schedule(seconds, async (context) => {
    const { profile, triggers, notes } = context;
    const task = await failingFor(context, 'ExternalTask');
    await expectSixAttempts(context, task, { about: task.about });
    if (profile.all.routes?.job !== undefined)
      notes.observe('job whose task was never acknowledged', (await triggers.job(task.about)).text);
  }),

  'delivery.email.retry-gaps': schedule(seconds, async (context) => {
    const mail = await failingFor(context, 'Email');
    await expectSixAttempts(context, mail, { about: mail.about });
  }),

  'delivery.simple-endpoint.retry-gaps': schedule(seconds, async (context) => {
    const endpoint = await context.given.endpoint({ script: failingForEver });
    await context.triggers.endpoint(endpoint);
    await expectSixAttempts(context, endpoint);
  }),

  'delivery.trusted-endpoint.retry-gaps': schedule(seconds, async (context) => {
    const { expect, given, notes, triggers } = context;
    const endpoint = await given.endpoint({ trusted: true, script: failingForEver });
    await triggers.endpoint(endpoint);
    await expectSixAttempts(context, endpoint);
    const tokens = endpoint.calls().map(tokenOf);
    for (const token of tokens) expect(token, 'access_token in the query').toBePresent();
    notes.observe('each attempt has a token of its own', new Set(tokens).size === tokens.length);
  }),
} satisfies SomeCasesOf<'delivery'>;

/** An event that fails for ever, with its registration updated after the third attempt; undefined where registrations cannot be updated. */
async function sentAndUpdated(context: CaseContext): Promise<Sent | undefined> {
  const { given, profile, registrations } = context;
  if (profile.all.routes?.registrationUpdate === undefined) return undefined;
  const sent = await sentTo(context, failingForEver);
  given.assume((await endedAttempts(sent, 3, 8000)).length === 3, 'three attempts');
  const reply = await registrations.update(given.present(sent.extension.registration, 'a registration'), {
    tokenLifeTime: 61,
  });
  given.succeeded(reply, 'the registration is updated');
  return sent;
}

async function failingFor(context: CaseContext, type: 'ExternalTask' | 'Email'): Promise<Called> {
  return context.given.present(await called(context, type, failingForEver), `a trigger for ${type}`);
}

/** What the documents show of it. Source: extensions, Payloads by extension type, row ExternalEvent */
function contentOf(attempt: Call | undefined): unknown {
  const { contentPayload, id, spaceId } = attempt?.payload ?? {};
  return { contentPayload, id, spaceId };
}

/** Whether an id that the service made stays. Source: ledger envelope-id-on-retry */
async function noteOwnIds(context: CaseContext): Promise<void> {
  const attempts = await endedAttempts(await sentTo(context, failing(1)), 2, 4000);
  const ids = new Set(attempts.map(({ envelope }) => envelope.id));
  context.notes.observe('an id of its own making stays the same', attempts.length === 2 && ids.size === 1);
}

function tokenOf({ query }: Call): string | undefined {
  return query.find(([name]) => name === 'access_token')?.[1];
}
