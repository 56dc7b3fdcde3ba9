import { isObject } from '../../judge/json.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { hostRace, hostScenario, hostSchedule } from '../../judge/host/host-case.ts';
import type { Arrival } from '../../judge/host/arrival.ts';
import type { ActionSample, HostCall } from '../../judge/host/host.ts';
import type { HostContext } from '../../judge/host/context.ts';
import type { Installation } from '../../judge/host/installation.ts';
import type { HostRecord } from '../../judge/host/records.ts';
import { isRibbon, readableObject } from '../../judge/host/payloads.ts';
import {
  act,
  expectArrayOfOne,
  expectDeletion,
  expectMadeOfNothing,
  expectNoErrorCode,
  expectRefusalTold,
  expectOtherBatches,
  expectResult,
  expectResults,
  expectResultsApart,
  observeCreation,
  tellOfEdits,
} from './action-work.ts';
import {
  expectEachWorkedOn,
  longBodyOf,
  longEventBytes,
  statusOf,
  tellBesideWork,
  tellFailure,
  tellUnusual,
} from './event-work.ts';
import { expectNotAtWork, isAbout, isBecauseOfCall, letWork } from './callbacks.ts';
import { expectOutcomes, expectVerdict, expectVerdictAgain } from './validation-work.ts';
import { tellReply } from './json-notation.ts';
import { rules } from '../../judge/rule.ts';

const eventsSent = 10;

/** Bytes of a mail with a picture in its text: more than some servers take unless they are told. */
const longLetterBytes = 160 * 1024;

/** How long the acknowledgement of an event is waited for, in ms. */
const slowMs = 5000;

/** What an answer usually takes at most, in ms. */
const usualMs = 1000;

/** Longest time that an answer is waited for, in s; a record that allows more is not waited for to its end. */
const longestSeconds = 100;

/** How long the first request because of calls at once is waited for, in ms. */
const atOnceMs = 3000;

/** How often what succeeds and what fails are called at once. */
const timesAtOnce = 3;

/** Most calls at once, whatever the record allows. */
const mostAtOnce = 20;

export const hostCallRules = rules('calls', {
  'calls.host.event-acknowledged': {
    source: 'extensions: Calls to extensions, row ExternalEvent; Events, rule 2',
    statement:
      'An event handler answers a valid event with 200 or 201, over several lines as well, and so does any other that takes one. That one with another content, or an empty one, is answered with a status by which it comes again, or one refused or dropped whose token lasts a minute, is remarked on, and so is one refused in the chunked coding, but for want of a length.',
    fault: 'Host answers 202.',
    needs: ['extension-host', 'extension-event'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { host, records, stage } = context;
      const installation = await stage.installation();
      const record = records.of('ExternalEvent');
      const reply = await host.call(installation.call(record));
      assumeMeant(context, 'event', [reply]);
      expectAcknowledged(context, reply);
      const spaced = installation.call(record);
      expectAcknowledged(context, await host.call(spaced, { body: JSON.stringify(spaced.envelope, undefined, 2) }));
      for (const other of records.besides(record))
        expectNoOther2xx(context, other, await host.call(installation.call(other)));
      await tellFailure(context, installation, record);
      await tellUnusual(context, installation, record);
    }),
  },
  'calls.host.event-acknowledged-first': {
    source: 'extensions: Calls to extensions, row ExternalEvent; Events, rule 2 (acknowledge first, work afterwards)',
    statement:
      'The acknowledgement comes before the work: the answer does not wait for what the event starts, also where the event is long; one that takes more than a second as a rule, or is refused for its length, is remarked on.',
    fault: 'Host finishes its callbacks before it answers.',
    needs: ['extension-host', 'extension-event'],
    after: ['calls.host.event-acknowledged'],
    test: hostScenario(async (context) => {
      const { host, records, stage, clock, notes } = context;
      const installation = await stage.installation();
      const calibration = (await host.metadata()).exchange.durationMs;
      const held = installation.hold();
      const durations: number[] = [];
      const statuses: number[] = [];
      for (let sent = 0; sent < eventsSent; sent += 1) {
        const call = installation.call(records.of('ExternalEvent'));
        const body = sent === eventsSent - 1 ? longBodyOf(call) : JSON.stringify(call.envelope);
        const answer = host.call(call, { body });
        answer.catch(() => undefined);
        const reply = await clock.until(answer, slowMs);
        if (reply === undefined) await expectNotAtWork(context, installation, call, answer);
        clock.expectCame(
          `an answer within ${slowMs / 1000} s, while the requests that the event sets off wait for theirs`,
          reply && clock.now(),
        );
        durations.push(reply?.exchange.durationMs ?? slowMs);
        statuses.push(reply?.status ?? 0);
      }
      const ofLong = statuses.pop() ?? 0;
      if (ofLong > 299 && statuses.every((status) => status < 300))
        notes.remark(`an event of ${longEventBytes / 1024} KiB was refused with ${ofLong}, and no shorter one`);
      const median = durations.toSorted((one, other) => one - other)[eventsSent / 2] ?? 0;
      if (median >= usualMs + calibration)
        notes.remark(
          `the median time until an event was acknowledged is ${Math.round(median)} ms; under ${usualMs} ms is usual`,
        );
      notes.observe(
        'requests of the host that the acknowledgements did not wait for',
        held.count > 0 ? 'some' : 'none',
      );
    }),
  },
  'calls.host.answers-within-timeout': {
    source: 'extensions: Limits, request timeout; Extension metadata record, row requestTimeout',
    statement:
      'Each call is answered within the requestTimeout of its record (100 s when it states none, 600 s for mail); a record that allows more than 100 s is judged up to there. That a validation waits for what an event set off is remarked on.',
    fault: 'Host holds an event call longer than its own requestTimeout.',
    needs: ['extension-host', 'extension-call'],
    test: hostSchedule(longestSeconds, async (context) => {
      const { records, stage, notes } = context;
      const installation = await stage.installation();
      const times = await Promise.all(records.all.map((record) => timeOf(context, record, installation)));
      const slowest = times.toSorted((one, other) => other.ms - one.ms)[0];
      if (slowest !== undefined)
        notes.observe(
          'slowest call',
          `${slowest.id}, ${slowest.ms < usualMs ? 'under 1 s' : `${Math.round(slowest.ms / 1000)} s`}`,
        );
      await tellBesideWork(context);
    }),
  },
  'calls.host.email-acknowledged': {
    source: 'extensions: Calls to extensions, row Email',
    statement:
      'A mail handler answers 200 or 201 to a payload with to, from, subject and body, plain or HTML, in any script, and to one with the subject of another, and so does any other that takes one. That it refuses an empty body or subject, a long one for its length, or a mail like the one before it, is remarked on.',
    fault: 'HTML bodies are answered with 400.',
    needs: ['extension-host', 'extension-email'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { host, records, stage, given, samples, notes } = context;
      const installation = await stage.installation();
      const address = { to: 'to@example.org', from: 'from@example.org', ...samples.all.email };
      const replies: Reply[] = [];
      // one letter may follow another about the same thing
      const subject = `${given.unique('subject')} Pr\u00fcfung \u2713`;
      for (const body of [
        'Plain text, with an umlaut: ü.',
        '<html><body><p class="lead" title=\'C:\\new\\u0041\'>Some <b>HTML</b> &amp; 100 %s</p></body></html>',
        'Three lines\r\nof \u{1F600} e\u0301\r\n',
        `<p>${'A long letter. '.repeat(300)}</p>`,
      ])
        replies.push(await host.call(installation.call(records.of('Email'), { ...address, subject, body })));
      assumeMeant(context, 'email', replies);
      for (const reply of replies) expectAcknowledged(context, reply);
      const empty = { ...address, subject: given.unique('subject'), body: '' };
      for (const [what, mail] of [
        ['body', empty],
        ['subject', { ...address, subject: '', body: given.unique('body') }],
      ] as const) {
        const { status } = await host.call(installation.call(records.of('Email'), mail));
        if (status > 299) notes.remark(`a mail with an empty ${what} was refused with ${status}`);
      }
      const long = `<p>${'A letter with a picture in it. '.repeat(longLetterBytes / 32)}</p>`;
      const letter = { ...empty, subject: given.unique('subject'), body: long };
      const { status: found } = await host.call(installation.call(records.of('Email'), letter));
      const reminder = { ...address, subject: given.unique('subject'), body: 'A reminder.' };
      const [once = 0, again = 0] = [
        (await host.call(installation.call(records.of('Email'), reminder))).status,
        (await host.call(installation.call(records.of('Email'), reminder))).status,
      ];
      if (once < 300 && found > 299) notes.remark(`a mail of ${longLetterBytes / 1024} KiB was refused with ${found}`);
      if (once < 300 && again > 299) notes.remark(`a mail like the one before it was refused with ${again}`);
      for (const other of records.besides(records.of('Email')))
        expectNoOther2xx(context, other, await host.call(installation.call(other)));
    }),
  },
  'calls.host.validation-object': {
    source: 'extensions: Calls to extensions, row ExternalValidation; Errors, rule 5',
    statement: 'A validation answer is a JSON object with isValid (boolean) and message (string).',
    fault: 'message is left out when the object is valid.',
    needs: ['extension-host', 'extension-validation'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { host, records, stage, given, samples, expect, notes, binding } = context;
      const installation = await stage.installation();
      const record = records.named(samples.all.validation?.record, 'ExternalValidation');
      const someObject = () => readableObject({ objects: binding.objects, unique: given.unique });
      const { valid = {}, invalid = {} } = samples.all.validation ?? {};
      const validate = (payload: object) =>
        host.call(installation.call(record, { objectId: someObject(), spaceId: installation.spaceId, ...payload }));
      for (const payload of [valid, invalid]) {
        const reply = await validate(payload);
        assumeMeant(context, 'validation', [reply]);
        expect(reply).toSucceed();
        if (reply.status !== 200) notes.observe('status of a validation answer', reply.status);
        expectVerdict(context, reply);
      }
      // what a handler says of an object that is not there is not said
      for (const base of [valid, invalid, {}])
        for (const payload of [
          { ...base, contextObjectId: someObject() },
          { ...base, objectId: someObject() },
        ]) {
          const reply = await validate(payload);
          notes.observe('status of a validation of any object, or in the module of any', reply.status, reply);
          if (isSuccess(reply.status)) expectVerdict(context, reply);
        }
      for (const other of records.besides(record)) {
        const reply = await host.call(installation.call(other));
        if (isSuccess(reply.status)) expectVerdict(context, reply);
      }
    }),
  },
  'calls.host.validation-outcome': {
    source: 'extensions: Calls to extensions, row ExternalValidation',
    statement:
      'isValid follows the object: the sample known as valid gives true, the one known as invalid gives false, also in the module of another object, beside each other, or beside one of another service that has its id, and no verdict on what an object was before stands for what others made of it since. One on an object that cannot be read has the form of any, and does not stand for it once it can be read; that it is found valid is remarked on. The object is the one whose id the call tells, in UTF-8; that an address does not encode its signs is remarked on, and so is one of several at once that is not read with its own token.',
    fault: 'isValid is always true.',
    needs: ['extension-host', 'extension-validation', 'extension-samples'],
    after: ['calls.host.validation-object'],
    test: hostScenario(expectOutcomes),
  },
  'calls.host.action-success-body': {
    source: 'extensions: Errors, rule 4',
    statement:
      'A successful action answers 200 with statusCode (integer, below 400), location (string) and svcUOIVersion (integer); a ribbon action, or one in the place of GET or DELETE, may leave out the last two, or have null there. A DELETE that it takes is answered like that too. That it tells another version than the service made of the object, or writes over what others made of it since, or sends another verb to its route, or leaves out the query of that, or what the form holds as another kind of JSON, as another spelling of a moment or without its signs outside ASCII, is remarked on, and so is a location at the host itself, or at the route by which the form makes something.',
    fault: 'statusCode is sent as text.',
    needs: ['extension-host', 'extension-action', 'extension-samples'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const acted = await act(context, context.samples.action('success'));
      const { payload, reply, refused } = acted;
      assumeNotRefused(context, reply, refused);
      context.expect(reply).toAnswer(200);
      expectResult(context, reply, reply.json, payload, 'the answer');
      tellReply(context, reply, 'the answer of an action');
      expectNoErrorCode(context.expect, reply, 'an action that succeeds');
      observeCreation(context, acted);
      await tellOfEdits(context, acted);
      await expectDeletion(context);
      await expectMadeOfNothing(context);
    }),
  },
  'calls.host.action-error-body': {
    source: 'extensions: Errors, rule 4',
    statement:
      'A 500 of an action has a body whose `errors` member lists objects, each with a message string; one that succeeds beside it is answered as ever. Another 500 or 200, where nothing is selected or for a GET, has the form of all, and so has another 500 over an array.',
    fault: 'Body is a single `error` string.',
    needs: ['extension-host', 'extension-action', 'extension-samples'],
    after: ['signing.extension-host.right-signature-accepted'],
    test: hostScenario(async (context) => {
      const { expect, notes } = context;
      const { reply } = await act(context, context.samples.action('failure'));
      expect(reply).toAnswer(500);
      const all = expectErrors(context, reply);
      if (!all.some((error) => isObject(error) && error['message'] !== ''))
        notes.observe('why an action fails', 'not told');
      await expectFormOfOthers(context);
      const { success, batch } = context.samples.all.action ?? {};
      for (const sample of [success, batch]) if (sample !== undefined) await expectFormOfRefused(context, sample);
      if (batch !== undefined) await expectFormOfFailedBatch(context, batch);
      await expectActionsApart(context);
    }),
  },
  'calls.host.action-batch-body': {
    source: 'extensions: Errors, rule 4 (batch)',
    statement:
      'For a batch payload the action answers an array with one result object per operation, for one of a single operation as well, or of the same ones the other way round or with a GET or DELETE behind them, where it takes those; no two of them are about one object where each operation created one. Another order than that of the operations is remarked on, and so is a statusCode that is none of the verb of its operation.',
    fault: 'One object for the whole batch.',
    needs: ['extension-host', 'extension-action', 'extension-samples'],
    after: ['calls.host.action-success-body'],
    test: hostScenario(async (context) => {
      const { expect, given } = context;
      const acted = await act(context, context.samples.action('batch'));
      const { payload, reply, refused } = acted;
      assumeNotRefused(context, reply, refused);
      const operations = payload['contentPayload'];
      if (!Array.isArray(operations))
        return given.inconclusive(
          'extensionHost.samples.action.batch.payload.contentPayload of the profile has to be an array of operations',
        );
      expect(reply).toAnswer(200);
      expect(reply.json, 'the answer to a batch', reply).toBeAnArray();
      const results = Array.isArray(reply.json) ? (reply.json as readonly unknown[]) : [];
      expect(results.length, 'number of results', reply).toEqual(operations.length);
      expectResults(context, reply, operations);
      expectResultsApart(context, acted, operations);
      if (operations.length > 1) await expectArrayOfOne(context, operations);
      await expectOtherBatches(context, operations);
    }),
  },
  'calls.host.redelivery': {
    level: 'should',
    source:
      'extensions: Errors, rule 1 and Limits, retries (a lost answer leads to a repeat); Call envelope, row id; Events, rule 4',
    statement:
      'The same envelope delivered a second time, as after a lost acknowledgement, is answered 200 or 201 again, be it an event or a mail, and with a verdict where it is a validation, and is worked on where the connection ended before the first answer; another event of the same request, whose call has the same id, is no such repeat and is worked on, and so is each that has ids of its own, also a long one that was taken.',
    fault: 'A repeated id is answered with 409.',
    needs: ['extension-host', 'extension-event'],
    after: ['calls.host.event-acknowledged'],
    test: hostScenario(async (context) => {
      const { host, records, stage, notes } = context;
      const installation = await stage.installation();
      const call = installation.call(records.of('ExternalEvent'));
      const first = await host.call(call);
      assumeMeant(context, 'event', [first]);
      expectAcknowledged(context, first);
      await letWork(context, installation, isBecauseOfCall, 300);
      const once = installation.arrivals({ where: isBecauseOfCall }).length;
      expectAcknowledged(context, await host.call(call));
      const left = installation.call(records.of('ExternalEvent'));
      await host.callAndLeave(left);
      expectAcknowledged(context, await host.call(left));
      for (const record of records.all.filter(({ type }) => type === 'Email')) {
        const mail = installation.call(record);
        const { status } = await host.call(mail);
        // whether the mail is one that this handler takes is the business of another rule
        if (status === 200 || status === 201) expectAcknowledged(context, await host.call(mail));
      }
      const often = installation.arrivals({ where: isBecauseOfCall }).length;
      notes.observe('requests of the host after a repeated call', often > once ? 'more' : 'no more');
      await expectVerdictAgain(context, installation);
      await expectEachWorkedOn(context, installation, { first: call, left });
    }),
  },
  'calls.host.malformed-envelope': {
    level: 'observe',
    source: 'extensions: Call envelope (reaction to faulty input silent)',
    statement:
      "The host's answer to a signed call with broken JSON, a missing payload, an unknown extra member or an expired token is not documented.",
    fault: 'Not applicable as a failure; recorded variant: 500.',
    needs: ['extension-host', 'extension-call'],
    test: hostScenario(async ({ host, records, stage, given, notes }) => {
      const record = given.present(records.all[0], 'a record that can be called');
      const installation = await stage.installation();
      const call = installation.call(record);
      const { payload: _payload, ...withoutPayload } = call.envelope;
      const expired = installation.call(record, undefined, { accessToken: installation.expiredToken() });
      const forms = {
        'broken JSON': '{"id": ',
        'no payload': JSON.stringify(withoutPayload),
        'a further member': JSON.stringify({ ...call.envelope, further: true }),
        'an expired token': JSON.stringify(expired.envelope),
      };
      for (const [form, body] of Object.entries(forms))
        notes.observe(`status for ${form}`, await statusOf(host.call(call, { body, fresh: true })));
      const well = await host.call(installation.call(record));
      notes.observe('status of a valid call afterwards', well.status);
    }),
  },
  'calls.host.concurrent-calls': {
    level: 'should',
    source: 'extensions: Limits, rate limit (executions per minute of the record)',
    statement:
      "As many simultaneous calls as the record's rateLimitNumberOfExecutions, twenty at most, are all acknowledged. That some of them set off what others do not is remarked on.",
    fault: 'Calls beyond the first are answered 503 while one is running.',
    needs: ['extension-host', 'extension-event'],
    after: ['calls.host.event-acknowledged'],
    test: hostRace(async (context) => {
      const { host, records, stage, expect, notes } = context;
      const record = records.of('ExternalEvent');
      const installation = await stage.installation();
      const calls = Array.from({ length: Math.min(Math.max(1, Math.floor(record.rate)), mostAtOnce) }, () =>
        installation.call(record),
      );
      const replies = await Promise.all(calls.map((call) => host.call(call)));
      assumeMeant(context, 'event', replies);
      for (const reply of replies) expectAcknowledged(context, reply);
      // 429 is right where the host counts more calls than its record allows
      if (host.takenLately(record.url) > record.rate)
        notes.observe('calls that were to come again, as they were too many', host.hurriedBack() > 0 ? 'some' : 'none');
      else
        expect(
          host.hurriedBack() > 0 ? '429 at first' : 'taken',
          `calls at once, with those before no more than the rate of ${record.rate}`,
          replies.at(-1),
        ).toEqual('taken');
      for (const arrival of installation.arrivals({ where: isBecauseOfCall })) {
        // one request may be about several calls
        const about = calls.filter((call) => isAbout(arrival, call)).map(({ envelope }) => envelope.id);
        if (about.length > 0)
          expect(
            arrival.callId ?? 'none',
            `the call whose token ${arrival.method} ${arrival.path} carries`,
            arrival.seen,
          ).toBeOneOf(about);
      }
      await tellDropped(context, installation, calls);
    }),
  },
});

/** Events that were acknowledged come no second time. One request may be about several of them, so that nobody judges this. Source: extensions, Events 2 */
async function tellDropped(
  context: HostContext,
  installation: Installation,
  calls: readonly HostCall[],
): Promise<void> {
  const dropped = (): readonly HostCall[] => calls.filter((call) => installation.arrivals({ of: call }).length === 0);
  if ((await letWork(context, installation, isBecauseOfCall, atOnceMs)) && dropped().length > 0)
    await letWork(context, installation, () => dropped().length === 0);
  const { length } = dropped();
  if (length > 0 && length < calls.length && !(await installation.isBehind()))
    context.notes.remark(
      `${length} of ${calls.length} events that came at once and were acknowledged set nothing off, unlike the others`,
    );
}

/** What the suite makes up where the profile has no sample may be nothing that the host takes. @throws {Inconclusive} all of it is refused */
function assumeMeant(
  { samples, given }: HostContext,
  sample: 'event' | 'email' | 'validation',
  replies: readonly Reply[],
): void {
  if (samples.all[sample] !== undefined || !replies.every(({ status }) => status >= 400 && status < 500)) return;
  const statuses = [...new Set(replies.map(({ status }) => status))].join(', ');
  given.inconclusive(
    `the host refuses what the suite makes up (${statuses}): add extensionHost.samples.${sample} to the profile`,
  );
}

/** 200 or 201, as the service counts success. */
function expectAcknowledged({ expect }: HostContext, reply: Reply): void {
  expect(reply).toAnswer(200, 201);
}

/** Who takes an event or a mail says so by 200 or 201; a handler may want another payload than the suite knows. */
function expectNoOther2xx({ expect }: HostContext, { id }: HostRecord, reply: Reply): void {
  expect(reply.status, `status of a call of record ${JSON.stringify(id)}`, reply).toSatisfy(
    '200, 201 or a refusal',
    (status) => status === 200 || status === 201 || status < 200 || status > 299,
  );
}

/** Time until a call of the record was answered, which has to be within its requestTimeout. */
async function timeOf({ host, clock, given }: HostContext, record: HostRecord, installation: Installation) {
  const { id, requestTimeout } = record;
  const limitSeconds = Math.min(requestTimeout, longestSeconds);
  const from = clock.now();
  const answer = host.patiently((patient) => patient.call(installation.call(record)));
  answer.catch(() => undefined);
  const reply = await clock.untilSent(answer, limitSeconds * 1000, () => host.metadata());
  if (reply === undefined && limitSeconds < requestTimeout)
    given.inconclusive(
      `record ${JSON.stringify(id)} was not answered within ${limitSeconds} s, and may take ${requestTimeout} s: the check does not wait that long`,
    );
  clock.expectCame(`an answer of record ${JSON.stringify(id)} within its ${requestTimeout} s`, reply && clock.now());
  return { id, ms: clock.now() - from };
}

/** Source: extensions, Errors 4 */
function expectErrors({ expect }: HostContext, reply: Reply): readonly unknown[] {
  const errors = isObject(reply.json) ? reply.json['errors'] : undefined;
  expect(errors, 'errors in the answer', reply).toBeAnArray();
  const all = Array.isArray(errors) ? (errors as readonly unknown[]) : [];
  for (const error of all)
    expect(error, 'an error', reply).toSatisfy(
      'an object whose message is a text',
      (value) => isObject(value) && typeof value['message'] === 'string',
    );
  return all;
}

/** Whatever an action is about that a host need not know, where it succeeds or fails it does so in the form of all: nothing is selected in a module, or a form stands for a GET, which changes nothing. */
async function expectFormOfOthers(context: HostContext): Promise<void> {
  const { samples, given, binding, notes } = context;
  const { success } = samples.all.action ?? {};
  if (success === undefined) return;
  const contextObject = { $oid: readableObject({ objects: binding.objects, unique: given.unique }) };
  const { contentPayload = {} } = success.payload;
  const isForm = !isRibbon(success.payload) && !Array.isArray(contentPayload);
  const nothing = ['without a selection', { contentPayload: { contextObject } }] as const;
  const others: readonly (readonly [string, ActionSample['payload']])[] = isForm
    ? [
        nothing,
        ['that stands for GET', { ...success.payload, httpVerb: 'GET' }],
        // what is in an array that is no batch is not said
        ['over an array', { ...success.payload, contentPayload: [contentPayload] }],
      ]
    : [nothing];
  for (const [what, payload] of others) {
    const acted = await act(context, { ...success, payload });
    notes.observe(`status of an action ${what}`, acted.reply.status, acted.reply);
    if (acted.reply.status === 500) expectErrors(context, acted.reply);
    if (acted.reply.status === 200 && !Array.isArray(payload['contentPayload']))
      expectResult(context, acted.reply, acted.reply.json, acted.payload, `the answer to an action ${what}`);
  }
}

/** What an action says of a write that the service refused has the form of all as well; that it succeeded all the same may be meant so, unless it is the very request of the form. */
async function expectFormOfRefused(context: HostContext, sample: ActionSample): Promise<void> {
  const { notes, expect } = context;
  const isWrite = ({ method }: Arrival): boolean => !['GET', 'HEAD'].includes(method);
  const acted = await act(context, sample, (place) => place.refuse('object', 403, isWrite));
  const { reply, refused } = acted;
  if (refused === undefined || refused.seen.status !== 403) return;
  notes.observe('status of an action whose write was refused', reply.status, reply);
  if (reply.status === 500) expectErrors(context, reply);
  if (reply.status !== 200 || Array.isArray(reply.json)) return;
  expectNoErrorCode(expect, reply, 'an action whose write was refused');
  expectRefusalTold(context, acted);
  notes.observe(`an action succeeds though its ${refused.method} was refused`, refused.seen.status, reply);
}

/** So has a batch that fails as a whole, as one about what the action fails for may do. */
async function expectFormOfFailedBatch(context: HostContext, sample: ActionSample): Promise<void> {
  const { objectId } = context.samples.all.action?.failure?.payload ?? {};
  const { contentPayload: operations } = sample.payload;
  if (typeof objectId !== 'string' || !Array.isArray(operations)) return;
  const contentPayload = (operations as readonly unknown[]).map((operation) =>
    isObject(operation) && typeof operation['href'] === 'string'
      ? { ...operation, href: operation['href'].replace(/[^/]+$/, encodeURIComponent(objectId)) }
      : operation,
  );
  const { reply } = await act(context, { ...sample, payload: { ...sample.payload, objectId, contentPayload } });
  context.notes.observe('status of a batch about what an action fails for', reply.status, reply);
  if (reply.status === 500) expectErrors(context, reply);
}

/** Asserts that actions that are called at once do not get what belongs to others, where one succeeds by itself. */
async function expectActionsApart(context: HostContext): Promise<void> {
  const { success, failure } = context.samples.all.action ?? {};
  if (success === undefined || failure === undefined) return;
  if ((await act(context, success)).reply.status !== 200) return;
  for (let round = 1; round <= timesAtOnce; round += 1) {
    const [good, bad] = await Promise.all([act(context, success), act(context, failure)]);
    const found = `${good.reply.status} and ${bad.reply.status}`;
    // a host may be busy
    if (['200 and 200', '500 and 500', '500 and 200'].includes(found))
      context
        .expect(found, 'statuses of an action that succeeds and of one that fails at once', bad.reply)
        .toEqual('200 and 500');
  }
}

/** An action may come to what the service says to what it forwards. @throws {Inconclusive} the service that the suite plays refused that */
function assumeNotRefused({ given }: HostContext, reply: Reply, refused: Arrival | undefined): void {
  if (reply.status === 200 || refused === undefined) return;
  const { method, path, seen } = refused;
  given.inconclusive(
    `the action failed because the service that the suite plays answered ${seen.status} to ${method} ${path}: let the sample be about an object of extensionHost.objects, and as the service would take it`,
  );
}
