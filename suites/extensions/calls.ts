import { type Changes, isSuccess } from '../../judge/exchange.ts';
import { dictionary } from 'fast-check';
import { jsonValue, memberName } from '../../fixtures/arbitraries.ts';
import { longTexts, tellingContent } from '../../fixtures/values.ts';
import { sendBatch } from '../../judge/service/batch.ts';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import { type Call, tells } from '../../judge/extension/call.ts';
import { callWaitMs, expectCall } from '../../judge/extension/trigger-calls.ts';
import { senderOf } from '../../judge/extension/triggers.ts';
import type { Thing } from '../../judge/things.ts';
import { rules } from '../../judge/rule.ts';
import { plainTextOf } from '../../judge/service/answers.ts';
import { withBearer } from '../../judge/service/token.ts';
import { anyEdit } from '../../judge/service/writes.ts';
import { expectCallOf } from './checks/missing-calls.ts';
import { expectSentToBoth } from './checks/odd-addresses.ts';
import {
  expectSecondSpace,
  assertEmpty,
  assertPlaceFor,
  hasPlaceFor,
  type Made,
  triggerAnyValidation,
  triggerEvent,
  recordOddMails,
  triggerMail,
  triggerValidation,
  validateOutside,
} from './checks/triggered-calls.ts';
import {
  answerValidationsWith,
  expectAskedWithoutOther,
  expectJudgedApart,
  expectPassing,
  expectStoppedAnew,
  expectStoppedInBatch,
  expectValidatedAgain,
} from './checks/stopped-promotes.ts';
import { bearableToken } from './checks/use-of-tokens.ts';
import { unlessRefused } from '../../judge/violation.ts';

const htmlMail =
  '<html><body><p class="a">Grüße &amp; <b>שלום</b> "quoted" \'once\' 👩‍👩‍👧</p><!--[if mso]><i>one</i><![endif]--><style>p > b { color: red }</style><br/><P>this & that<br></P>&nbsp;&#228;\r\n<pre>  one\r\n\r\n\ttwo  </pre></body></html>';

const malformedAnswers = {
  nothing: '',
  'no JSON': '{ isValid: yes',
  'an array': '[]',
  'an array with a verdict': '[{"isValid":true,"message":""}]',
  'a text': '"isValid"',
  true: 'true',
  'a number': '1',
  null: 'null',
  'an empty object': '{}',
  'a message alone': '{"message":"fine"}',
  'a verdict that is the text true': '{"isValid":"true","message":""}',
  'a verdict that is the text false': '{"isValid":"false","message":""}',
  'a verdict that is a number': '{"isValid":1,"message":""}',
  'a verdict that is null': '{"isValid":null,"message":""}',
  'a verdict further inside': '{"result":{"isValid":true,"message":""}}',
  'a verdict that is cut off': '{"isValid":true,"message":"',
  'a verdict with a comma too many': '{"isValid":true,"message":"",}',
  'a verdict with more behind it': '{"isValid":true,"message":""} {"isValid":true,"message":""}',
} as const;

/** How long a validation is held that something else comes before, in ms. */
const heldMs = 400;

type Malformed = keyof typeof malformedAnswers;

const malformedForms = Object.keys(malformedAnswers) as readonly Malformed[];

/** Characters of a subject that is longer than columns for short texts, and no longer than a line of a mail may be. */
const longSubject = ' x'.repeat(300);

/** With blanks where some take them away: ahead of it, and at the end of a line. */
const linesOfMail = '\r\n  Three \r\n\r\nlines\t\r\n';

// longer than a count of 16 bits tells
const longBody = '€'.repeat(66_000);

/** More levels than a reader that takes 32 of them gets to, below what is around a content. */
const deepContent = Array.from({ length: 40 }).reduce<unknown>((content) => ({ content }), 'deep');

/** More bytes than a count of 16 bits tells, more characters, and more levels. */
const longContents = [{ long: longTexts[1] }, { long: longBody }, { long: deepContent }];

const mailsAtOnce = 8;

export const callRules = rules('calls', {
  'calls.event.payload-fields': {
    source: 'extensions: Payloads, row ExternalEvent',
    statement:
      'An event payload has contentPayload (object), id (string, the external event resource) and spaceId (string, the space where it was triggered), whoever triggered it, and whatever members the content has.',
    fault: 'spaceId is missing.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const { given, expect, notes, profile, triggers } = context;
      const extension = await given.extension();
      const { call, triggered } = await triggerEvent(context, extension);
      const { contentPayload, id, spaceId } = call.payload;
      expect(contentPayload, 'contentPayload of an event').toBeAnObject();
      expect(id, 'id of an event').toBeAString();
      expect(spaceId, 'spaceId of an event').toEqual(profile.all.space);
      const next = (await triggerEvent(context, extension)).call.payload['id'];
      notes.observe('the id of an event is that of its envelope', id === call.envelope.id);
      notes.observe('the id of an event is that in the answer to the trigger', id === triggered.id);
      notes.observe('two triggers have the same event id', id === next);
      await expectOwnMembers(context, extension);
      await expectSecondSpace(context, 'event', triggered, (changes) => triggerEvent(context, extension, changes));
      const others = (['secondEditor', 'spaceAdministrator'] as const).filter((who) => profile.all.identities[who]);
      const pat = await bearableToken(context, senderOf(profile.all, 'event'));
      const senders: readonly (readonly [who: string, changes: Changes])[] = [
        ...others.map((as) => [`of the ${as}`, { as }] as const),
        ...(pat === undefined ? [] : [['by a personal access token', withBearer(pat)] as const]),
      ];
      for (const [who, changes] of senders) {
        const other = await given.extension();
        const isTaken = (await unlessRefused(() => triggers.event(other, undefined, changes))) !== undefined;
        notes.observe(`an event ${who} is taken`, isTaken);
        if (isTaken) expectCall(context, await other.arrived({ kind: 'event' }), `the call of an event ${who}`);
      }
    }),
  },
  'calls.event.content-payload-equal': {
    source: 'extensions: Payloads, row ExternalEvent; Events, rule 1',
    statement:
      'contentPayload is the JSON that was configured on the event handler, unchanged, with nothing of what an event before it had; one that was taken leads to a call, whatever its content.',
    fault: 'null members are dropped.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['calls.event.payload-fields'],
    test: property(
      dictionary(memberName, jsonValue(3), { maxKeys: 5 }),
      async (context, content) => {
        const { given, expect, notes } = context;
        assertPlaceFor(context, 'event', 'payload');
        const extension = await given.extension();
        const expectEqual = ({ call }: Made, sent: object): void =>
          expect(call.payload['contentPayload'], 'contentPayload of the event').toEqual(sent);
        // nothing of an event before belongs to one that has no members of its own
        if (Object.keys(content).length === 0)
          expectEqual(await triggerEvent(context, extension, {}, tellingContent), tellingContent);
        const trigger = () =>
          expectCallOf(
            context,
            'the call of an event that was taken',
            () => triggerEvent(context, extension, {}, content),
            async () => triggerEvent(context, await given.extension(), {}, tellingContent),
          );
        // how long and how deep a content may be is not said
        const made = 'long' in content ? await unlessRefused(trigger) : await trigger();
        if (made === undefined)
          notes.observe('an event with a text of more than 64 KiB, or of 40 levels', 'is not taken');
        else expectEqual(made, content);
      },
      { always: [{}, ...longContents] },
    ),
  },
  'calls.validation.payload-fields': {
    source: 'extensions: Payloads, row ExternalValidation',
    statement: 'A validation payload has objectId (the object to validate) and spaceId as strings.',
    fault: "objectId holds the object's definition id.",
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      const extension = await validator(context);
      for (const thing of [await given.object(), await given.object()]) {
        const call = await triggerAnyValidation(context, extension, thing);
        expect(call.payload['objectId'], 'objectId of a validation', { call, at: '/payload/objectId' }).toEqual(
          thing.oid,
        );
        expect(call.payload['spaceId'], 'spaceId of a validation', { call, at: '/payload/spaceId' }).toEqual(
          thing.space,
        );
      }
    }),
  },
  'calls.validation.context-object': {
    source: 'extensions: Payloads, row ExternalValidation',
    statement:
      'contextObjectId is present, with the id of the context object, when the validation starts in the context object module, and has no value otherwise: absent, null or empty.',
    fault: 'contextObjectId is always set to objectId.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation', 'context-module'],
    after: ['calls.validation.payload-fields'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      assertPlaceFor(context, 'validationInContext', 'contextObjectId');
      const extension = await validator(context);
      const owner = await given.object();
      const inModule = (thing: Thing) => triggerValidation(context, extension, thing, { contextObjectId: owner.oid });
      // whether the object of a module can be validated from there is not said
      const all = [await inModule(await given.object()), await unlessRefused(() => inModule(owner))];
      notes.observe('a validation of the context object itself is taken', all[1] !== undefined);
      for (const { call } of all.filter((made) => made !== undefined))
        expect(call.payload['contextObjectId'], 'contextObjectId of a validation in a module').toEqual(owner.oid);
      for (const { payload } of await validateOutside(context, extension, owner))
        assertEmpty(context, payload, 'contextObjectId', 'of a validation outside the context object module');
      await expectModuleToldInBatch(context, extension, owner);
    }),
  },
  'calls.validation.verdict-applied': {
    source:
      'extensions: Calls to extensions, row ExternalValidation; Extension metadata record, paragraph on capability use',
    statement:
      '`isValid: true` lets the validated operation pass and `isValid: false` stops it, whoever asks for it, and with which token, also where the object was found valid before it was edited or another one is validated at the same moment; an edit that is accepted while the answer is awaited is not lost, and only one of the two passes where both name one version. A promote that was found valid raises the version by one. Whether `message` reaches the caller is remarked on.',
    fault: 'isValid is ignored, any 200 passes.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      const { identities } = context.profile.all;
      const extension = await validator(context);
      const thing = await given.object();
      const before = await service.snapshot(thing);
      const message = given.unique('reason');
      extension.setScript(answerValidationsWith({ json: { isValid: false, message } }));
      const { reply } = (await triggerValidation(context, extension, thing)).triggered;
      expect(reply).notToSucceed();
      notes.bound('validationNegative', 'status of an operation that a validation stopped', reply.status, reply);
      if (!plainTextOf(reply).includes(message))
        notes.remark('the message of the validation is not in the answer to the caller', reply);
      expect.unchanged(before, await service.snapshot(thing));
      for (const as of (['secondEditor', 'spaceAdministrator'] as const).filter((name) => identities[name]))
        expect((await context.triggers.validation(thing, { as })).reply).notToSucceed();
      for (const words of ['', ' ', 'valid', 'true', 'x'.repeat(5_000)]) {
        extension.setScript(answerValidationsWith({ json: { isValid: false, message: words } }));
        expect((await context.triggers.validation(thing)).reply).notToSucceed();
        expect.unchanged(before, await service.snapshot(thing));
      }
      for (const words of ['invalid', 'false', 'x'.repeat(5_000)]) {
        const valid = await given.object();
        // objects that concern nobody are found valid without words
        extension.concern(valid);
        extension.setScript(answerValidationsWith({ json: { isValid: true, message: words } }));
        expect((await context.triggers.validation(valid)).reply).toSucceed();
      }
      extension.setScript([]);
      await expectPassing(context, extension, thing);
      await expectValidatedForPersonalToken(context, extension);
      await expectEditKept(context, extension);
      await expectStoppedInBatch(context, extension);
      await expectValidatedAgain(context, extension);
      await expectJudgedApart(context, extension);
      extension.setScript([]);
      await expectAskedWithoutOther(context);
      await observeSeveral(context, extension);
    }),
  },
  'calls.validation.malformed-is-error': {
    source: 'extensions: Errors, rule 5',
    statement:
      'A validation response that is empty, no JSON, a JSON array or scalar, or lacks isValid, or whose isValid is no boolean, counts as an error of the validation: the operation does not pass, also where the answer before was right.',
    fault: 'A missing isValid counts as true.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['calls.validation.verdict-applied'],
    test: scenario(async (context) => {
      const { given, triggers, expect } = context;
      const extension = await validator(context);
      given.succeeded(
        (await triggerValidation(context, extension, await given.object())).triggered.reply,
        'a valid verdict lets the operation pass',
      );
      const makeEach = async (forms: readonly Malformed[]) =>
        new Map(await Promise.all(forms.map(async (form) => [form, await given.object()] as const)));
      const [things, others] = [await makeEach(malformedForms), await makeEach(malformedForms.slice(0, 2))];
      extension.setScript(
        [...things, ...others].map(([form, { oid }]) => ({
          when: { kind: 'validation', objectId: oid },
          steps: [{ status: 200, text: malformedAnswers[form] }],
          afterwards: 'last',
        })),
      );
      // all at once: a service may ask again, after the gaps of a validation
      await Promise.all(Array.from(things, ([form, thing]) => expectStopped(context, extension, form, thing)));
      // who answered like that is asked about others all the same
      for (const thing of others.values()) {
        extension.concern(thing);
        expect((await triggers.validation(thing)).reply).notToSucceed();
      }
      extension.setScript([]);
      for (const thing of things.values()) await expectPassing(context, extension, thing);
      await expectStoppedAnew(context, extension, [...things.values()].slice(0, 3));
    }),
  },
  'calls.email.payload-fields': {
    source: 'extensions: Payloads, row Email',
    statement:
      'A mail payload has to, from, subject and body as strings; all whom it is for are told of; the body arrives as composed, HTML and the blanks inside it included, also of several that are sent at once; one that was taken leads to a call.',
    fault: 'body is stripped of markup.',
    needs: ['collection-admin', 'extension-listener', 'trigger-email'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      const extension = await given.extension({ types: ['Email'] });
      for (const composed of [htmlMail, 'Plain text & nothing else < $& $$', linesOfMail, longBody]) {
        const send = () =>
          triggerMail(context, extension, (mark) => ({
            to: 'Some.One+else@example.com',
            // headers of mails begin with no blank
            subject: `${hasPlaceFor(context, 'email', 'body') ? 'Re:' : mark} ä 😀 "é\\n" %41 & <b> $& $$${composed === longBody ? longSubject : ''}`,
            body: `${composed} ${mark}${composed === linesOfMail ? ' \r\n\r\n' : ''}`,
          }));
        const sendOnce = () =>
          expectCallOf(context, 'the call of a mail that was taken', send, async () =>
            triggerMail(context, await given.extension({ types: ['Email'] }), (mark) => ({
              subject: mark,
              body: mark,
            })),
          );
        // a mail that is too long for the target may be refused, but neither cut nor lost
        const sent = composed === longBody ? await unlessRefused(sendOnce) : await sendOnce();
        notes.observe(`a mail of ${composed.length} characters`, sent === undefined ? 'is not taken' : 'is taken');
        if (sent === undefined) continue;
        const { payload } = sent.call;
        for (const name of ['to', 'from', 'subject', 'body']) expect(payload[name], `${name} of a mail`).toBeAString();
        for (const name of ['to', 'subject', 'body'] as const)
          if (!hasPlaceFor(context, 'email', name)) notes.observe(`${name} is fixed by the profile`, true);
          // what triggers a mail may take away the blanks around it
          else expect(String(payload[name]).trim(), `${name} of a mail`).toEqual(sent.triggered[name].trim());
      }
      await expectMailsApart(context, extension);
      await expectSentToBoth(context);
      await recordOddMails(context);
    }),
  },
});

/** Of mails that are sent at once each comes whole: to whom it is for, with its own subject and body. */
async function expectMailsApart(context: CaseContext, extension: Extension): Promise<void> {
  const { given, triggers, expect } = context;
  const names = (['to', 'subject', 'body'] as const).filter((name) => hasPlaceFor(context, 'email', name));
  // what tells them apart
  if (!names.includes('subject') && !names.includes('body')) return;
  const calls = Array.from({ length: mailsAtOnce }, async (_mail, number) => {
    const mark = given.unique('at-once');
    const mail = { to: `to.${number}@example.com`, subject: mark, body: mark };
    await unlessRefused(() => triggers.email(extension, mail));
    const where = (call: Call): boolean => tells(call, mark);
    return { mail, call: await extension.arrived({ kind: 'email', where }, { withinMs: callWaitMs }) };
  });
  for (const { mail, call } of await Promise.all(calls))
    for (const name of call === undefined ? [] : names)
      expect(call?.payload[name], `${name} of one of ${mailsAtOnce} mails at once`).toEqual(mail[name]);
}

/** What the content holds under names of the payload is its own. Nothing where the trigger has no place for a content. */
async function expectOwnMembers(context: CaseContext, extension: Extension): Promise<void> {
  const { given, expect, profile } = context;
  if (!hasPlaceFor(context, 'event', 'payload')) return;
  const content = { id: given.unique('id'), spaceId: given.unique('space'), contentPayload: given.unique('content') };
  const { call } = await triggerEvent(context, extension, {}, content);
  const { contentPayload, id, spaceId } = call.payload;
  expect(contentPayload, 'contentPayload of an event, with members called like those of the payload').toEqual(content);
  expect(id, 'id of an event whose content has an id').notToEqual(content.id);
  expect(spaceId, 'spaceId of an event whose content has a spaceId').toEqual(profile.all.space);
}

/** A promote whose query tells the module does so as an operation of a batch as well, where such a batch is validated at all. */
async function expectModuleToldInBatch(context: CaseContext, extension: Extension, owner: Thing): Promise<void> {
  const { given, service, triggers, expect, notes, profile } = context;
  if (profile.all.maturity === undefined || !profile.offers('batch')) return;
  const [alone, thing] = [await given.object(), await given.object()];
  for (const each of [alone, thing]) extension.concern(each);
  const { reply } = await triggers.validation(alone, { extension, contextObjectId: owner.oid });
  const [path = '', query = ''] = reply.exchange.request.url.split('?');
  const promote = service.requests.promote(thing);
  const isPromote = path.endsWith(service.requests.promote(alone).url) && query.includes(encodeURIComponent(owner.oid));
  notes.observe('a validation in a module begins with a promote and its query', isPromote, reply);
  if (!isPromote) return;
  const batch = await sendBatch(context, [{ ...promote, url: `${promote.url}?${query}` }]);
  const [call] = extension.calls({ kind: 'validation', objectId: thing.oid });
  notes.observe('a promote in a batch is validated', call !== undefined, batch);
  if (call !== undefined)
    expect(call.payload['contextObjectId'], 'contextObjectId of a validation for a batch').toEqual(owner.oid);
}

function validator({ given }: CaseContext): Promise<Extension> {
  return given.extension({ types: ['ExternalValidation'] });
}

/** An operation of a space route that is validated is open to a personal access token as well. Source: core, Authentication 1 */
async function expectValidatedForPersonalToken(context: CaseContext, extension: Extension): Promise<void> {
  const { given, triggers, expect, profile } = context;
  const pat = await bearableToken(context, senderOf(profile.all, 'validation'));
  if (pat === undefined) return;
  const [passing, stopped] = [await given.object(), await given.object()];
  for (const thing of [passing, stopped]) extension.concern(thing);
  extension.setScript([
    { when: { objectId: passing.oid }, steps: [{ json: { isValid: true, message: '' } }], afterwards: 'last' },
    ...answerValidationsWith({ json: { isValid: false, message: given.unique('reason') } }),
  ]);
  const validated = await unlessRefused(() => triggers.validation(passing, withBearer(pat)));
  if (validated?.reply.exchange.request.url.includes('/api/space/') === true) expect(validated.reply).toSucceed();
  const refused = await unlessRefused(() => triggers.validation(stopped, withBearer(pat)));
  if (refused !== undefined) expect(refused.reply).notToSucceed();
  extension.setScript([]);
}

/** Edits an object while its validation is held. Source: core, Versioning 3; Errors 1 */
async function expectEditKept(context: CaseContext, extension: Extension): Promise<void> {
  const { given, service, triggers, expect, notes, profile } = context;
  const thing = await given.object();
  extension.concern(thing);
  extension.setScript(answerValidationsWith({ json: { isValid: true, message: '' }, delayMs: heldMs }));
  const outcome = triggers.validation(thing);
  outcome.catch(() => undefined);
  await extension.arrived({ kind: 'validation', objectId: thing.oid });
  const edited = await service.merge(thing, anyEdit(context));
  const between = await service.snapshot(thing);
  const { reply } = await outcome;
  extension.setScript([]);
  const isAccepted = isSuccess(edited.status);
  notes.observe('an edit while a validation is awaited', isAccepted ? 'accepted' : 'refused', edited);
  const namesVersion = hasPlaceFor(context, 'validation', 'version');
  if (isAccepted && namesVersion) expect(reply).notToSucceed();
  const after = await service.snapshot(thing);
  if (isAccepted && !isSuccess(reply.status)) expect.unchanged(between, after);
  for (const name of isAccepted ? (profile.primary.scalars ?? []) : [])
    expect(after.members[name], `${name} of an object that was edited while its validation was awaited`).toEqual(
      between.members[name],
    );
}

/** Who of two extensions is asked, and what becomes of an operation about which they differ, is not documented. */
async function observeSeveral(context: CaseContext, first: Extension): Promise<void> {
  const { given, notes, triggers } = context;
  const second = await validator(context);
  const [agreed, disputed] = [await given.object(), await given.object()];
  for (const extension of [first, second]) for (const thing of [agreed, disputed]) extension.concern(thing);
  const outcome = await triggers.validation(agreed);
  const isAsked = (extension: Extension): boolean => extension.calls({ objectId: agreed.oid }).length > 0;
  const asked = [first, second].every(isAsked) ? 'all' : 'one';
  notes.bound('severalValidations', 'who is asked of two extensions', asked, outcome.reply);
  second.setScript(answerValidationsWith({ json: { isValid: false, message: given.unique('reason') } }));
  const { reply } = await triggers.validation(disputed);
  notes.observe('an operation that one of two extensions finds invalid passes', isSuccess(reply.status), reply);
}

/** Asserts that an object whose validation is answered so is not let pass. */
async function expectStopped(context: CaseContext, extension: Extension, form: Malformed, thing: Thing): Promise<void> {
  const { service, expect, notes } = context;
  const before = await service.snapshot(thing);
  const { reply } = (await triggerValidation(context, extension, thing)).triggered;
  expect(reply).notToSucceed();
  notes.bound('validationFailed', `status after a validation answer that is ${form}`, reply.status, reply);
  notes.observe(`calls of a validation that is answered with ${form}`, extension.calls({ objectId: thing.oid }).length);
  expect.unchanged(before, await service.snapshot(thing));
}
