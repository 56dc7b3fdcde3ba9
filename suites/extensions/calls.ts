import { dictionary } from 'fast-check';
import type { IdentityName } from '../../contract/profile.ts';
import { jsonValue, memberName } from '../../fixtures/arbitraries.ts';
import { tellingContent } from '../../fixtures/values.ts';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import { NoAnswer } from '../../judge/client/failure.ts';
import type { Call } from '../../judge/extension/call.ts';
import type { Extension, Step } from '../../judge/extension/extension.ts';
import { requestsIn } from '../../judge/extension/triggers.ts';
import type { Thing } from '../../judge/things.ts';
import { rules } from '../../judge/rule.ts';
import { plainTextOf } from '../../judge/answers.ts';
import { anyEdit, asOperation } from '../../judge/writes.ts';
import {
  type Form,
  type Made,
  createForm,
  editForm,
  expectFilter,
  expectSecondSpace,
  filterIn,
  lastingExtension,
  oidIn,
  pathOf,
  assertPlaceFor,
  hasPlaceFor,
  triggerAction,
  triggerAnyValidation,
  triggerEvent,
  triggerForm,
  triggerRibbon,
  recordOddMails,
  triggerMail,
  triggerValidation,
  validateOutside,
} from './triggered-calls.ts';
import {
  answerValidationsWith,
  expectStoppedAnew,
  expectStoppedInBatch,
  expectValidatedAgain,
} from './stopped-promotes.ts';
import { unlessRefused } from '../../judge/violation.ts';

const htmlMail = '<html><body><p class="a">Grüße &amp; <b>שלום</b> "quoted" \'once\' 👩‍👩‍👧</p><br/></body></html>';

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
  'a verdict with more behind it': '{"isValid":true,"message":""} {"isValid":true,"message":""}',
} as const;

/** How long a validation is held that something else comes before, in ms. */
const heldMs = 400;

/** Actions on one object, which is edited between them. */
const actionRounds = 3;

/** One that is another route once it is decoded. */
const encodedRoute = '/api/conformance%2Fform';

/** Members of the payload of an action that tell of the selected object. */
const selectedOnly = ['objectId', 'svcUOIVersion'] as const;

type Malformed = keyof typeof malformedAnswers;

const malformedForms = Object.keys(malformedAnswers) as readonly Malformed[];

const actionAnswers: Readonly<Record<string, Step>> = {
  '200 with the documented body': { status: 200, json: { statusCode: 200, location: '', svcUOIVersion: 1 } },
  '500 with errors': { status: 500, json: { errors: [{ message: 'told by the extension' }] } },
  '404': { status: 404 },
  '200 with malformed JSON': { status: 200, headers: { 'Content-Type': 'application/json' }, text: '{ statusCode' },
  '503': { status: 503 },
};

/** Characters of a subject that is longer than columns for short texts, and no longer than a line of a mail may be. */
const longSubject = ' x'.repeat(300);

const longBody = '€'.repeat(24_000);

export const callRules = rules('calls', {
  'calls.event.payload-fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalEvent',
    statement:
      'An event payload has contentPayload (object), id (string, the external event resource) and spaceId (string, the space where it was triggered).',
    fault: 'spaceId is missing.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    test: scenario(async (context) => {
      const { given, expect, notes, profile } = context;
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
      await expectSecondSpace(context, 'event', triggered, (changes) => triggerEvent(context, extension, changes));
    }),
  },
  'calls.event.content-payload-equal': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalEvent; Events, rule 1',
    statement:
      'contentPayload is the JSON that was configured on the event handler, unchanged, with nothing of what an event before it had.',
    fault: 'null members are dropped.',
    needs: ['collection-admin', 'extension-listener', 'trigger-event'],
    after: ['calls.event.payload-fields'],
    test: property(
      dictionary(memberName, jsonValue(3), { maxKeys: 5 }),
      async (context, content) => {
        const { given, expect } = context;
        assertPlaceFor(context, 'event', 'payload');
        const extension = await given.extension();
        // nothing of an event before belongs to one that has no members of its own
        if (Object.keys(content).length === 0) await triggerEvent(context, extension, {}, tellingContent);
        const { call } = await triggerEvent(context, extension, {}, content);
        expect(call.payload['contentPayload'], 'contentPayload of the event').toEqual(content);
      },
      { always: [{}, tellingContent] },
    ),
  },
  'calls.validation.payload-fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalValidation',
    statement: 'A validation payload has objectId (the object to validate) and spaceId as strings.',
    fault: "objectId holds the object's definition id.",
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      const extension = await validator(context);
      for (const thing of [await given.object(), await given.object()]) {
        const call = await triggerAnyValidation(context, extension, thing);
        expect(call.payload['objectId'], 'objectId of a validation').toEqual(thing.oid);
        expect(call.payload['spaceId'], 'spaceId of a validation').toEqual(thing.space);
      }
    }),
  },
  'calls.validation.context-object': {
    level: 'must',
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
    }),
  },
  'calls.validation.verdict-applied': {
    level: 'must',
    source:
      'extensions: Calls to extensions, row ExternalValidation; Extension metadata record, paragraph on capability use',
    statement:
      '`isValid: true` lets the validated operation pass and `isValid: false` stops it, whoever asks for it, also where the object was found valid before it was edited; an edit that is accepted while the answer is awaited is not lost, and only one of the two passes where both name one version. A promote that was found valid raises the version by one. Whether `message` reaches the caller is remarked on.',
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
        extension.setScript(answerValidationsWith({ json: { isValid: true, message: words } }));
        expect((await context.triggers.validation(await given.object())).reply).toSucceed();
      }
      extension.setScript([]);
      expect((await context.triggers.validation(thing)).reply).toSucceed();
      await expectEditKept(context, extension);
      await expectStoppedInBatch(context, extension);
      await expectValidatedAgain(context, extension);
      extension.setScript([]);
      await observeSeveral(context, extension);
    }),
  },
  'calls.validation.malformed-is-error': {
    level: 'must',
    source: 'extensions: Errors, rule 5',
    statement:
      'A validation response that is empty, no JSON, a JSON array or scalar, or lacks isValid, or whose isValid is no boolean, counts as an error of the validation: the operation does not pass, also where the answer before was right.',
    fault: 'A missing isValid counts as true.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-validation'],
    after: ['calls.validation.verdict-applied'],
    test: scenario(async (context) => {
      const { given, expect, triggers } = context;
      const extension = await validator(context);
      given.succeeded(
        (await triggerValidation(context, extension, await given.object())).triggered.reply,
        'a valid verdict lets the operation pass',
      );
      const things = new Map(
        await Promise.all(malformedForms.map(async (form) => [form, await given.object()] as const)),
      );
      extension.setScript(
        Array.from(things, ([form, { oid }]) => ({
          when: { kind: 'validation', objectId: oid },
          steps: [{ status: 200, text: malformedAnswers[form] }],
          afterwards: 'last',
        })),
      );
      // all at once: a service may ask again, after the gaps of a validation
      await Promise.all(Array.from(things, ([form, thing]) => expectStopped(context, extension, form, thing)));
      extension.setScript([]);
      for (const thing of things.values()) expect((await triggers.validation(thing)).reply).toSucceed();
      await expectStoppedAnew(context, extension, [...things.values()].slice(0, 3));
    }),
  },
  'calls.email.payload-fields': {
    level: 'must',
    source: 'extensions: Payloads, row Email',
    statement: 'A mail payload has to, from, subject and body as strings; the body arrives as composed, HTML included.',
    fault: 'body is stripped of markup.',
    needs: ['collection-admin', 'extension-listener', 'trigger-email'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      const extension = await given.extension({ types: ['Email'] });
      for (const composed of [htmlMail, 'Plain text & nothing else < $& $$', 'Three\r\nlines\r\n', longBody]) {
        const send = () =>
          triggerMail(context, extension, (mark) => ({
            to: 'Some.One+else@example.com',
            subject: `${hasPlaceFor(context, 'email', 'body') ? '' : mark} ä & <b> $& $$${composed === longBody ? longSubject : ''}`,
            body: `${composed} ${mark}`,
          }));
        // a mail that is too long for the target may be refused, but not cut
        const sent = composed === longBody ? await unlessRefused(send) : await send();
        notes.observe(`a mail of ${composed.length} characters`, sent === undefined ? 'is not taken' : 'is taken');
        if (sent === undefined) continue;
        const { payload } = sent.call;
        for (const name of ['to', 'from', 'subject', 'body']) expect(payload[name], `${name} of a mail`).toBeAString();
        for (const name of ['to', 'subject', 'body'] as const)
          if (hasPlaceFor(context, 'email', name))
            expect(payload[name], `${name} of a mail`).toEqual(sent.triggered[name]);
          else notes.observe(`${name} is fixed by the profile`, true);
      }
      await recordOddMails(context);
    }),
  },
  'calls.action.common-fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalAction',
    statement:
      'An action payload has spaceId (that of the space where it is run), informationFilter (Base64, of the triggering user), email (of the triggering user) and contentPayload; objectId and svcUOIVersion when an object is selected, the latter as it is now, also after an edit between two actions, and all of it as of this action where another user had one before at the same extension.',
    fault: "email is that of the extension's registrar.",
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action'],
    test: scenario(async (context) => {
      const { given, notes, profile } = context;
      const users = [
        'editor',
        ...(profile.all.identities.secondEditor === undefined ? [] : ['secondEditor' as const]),
      ] as const;
      const extension = await given.extension({ types: ['ExternalAction'] });
      await assertRounds(context, extension, users);
      const unselected = needsSelection(context)
        ? undefined
        : await unlessRefused(() => triggerAction(context, extension));
      if (unselected === undefined) return notes.observe('an action without a selection', 'leads to no call');
      const { call, triggered } = unselected;
      for (const name of selectedOnly) assertEmpty(context, call.payload, name, 'of an action without a selection');
      const trigger = profile.all.triggers?.actionRibbon === undefined ? 'actionForm' : 'actionRibbon';
      await expectSecondSpace(context, trigger, triggered, (changes) => triggerAction(context, extension, { changes }));
    }),
  },
  'calls.action.form-fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalAction and paragraph Action content payload',
    statement:
      'A form action has requestedRoute and httpVerb of the request that the service would have made, and contentPayload is the body of that request, which the service does not carry out itself; of the selected object it tells what every action tells.',
    fault: 'httpVerb is always POST.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action-form'],
    after: ['calls.action.common-fields'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      const extension = await given.extension({ types: ['ExternalAction'] });
      const thing = await given.object();
      const before = await service.snapshot(thing);
      for (const sent of [editForm(context, thing), createForm(context)]) {
        const { call } = await triggerForm(context, extension, sent);
        assertForm(context, sent, call.payload);
        if (!hasPlaceFor(context, 'actionForm', 'objectId')) continue;
        if (sent.thing !== undefined) await assertSelected(context, { as: 'editor', thing: sent.thing }, call);
        else for (const name of selectedOnly) assertEmpty(context, call.payload, name, 'of a form without a selection');
      }
      // a custom form has a content of its own, and several may stand for one route: a service may refuse what the route takes none such of
      const others: Readonly<Record<string, Form>> = {
        'a form with a content of its own': { ...createForm(context), payload: tellingContent },
        'a form without members': { ...createForm(context), payload: {} },
        'a form for another request of the same route': { ...editForm(context, thing), httpVerb: 'PUT' },
        'a form for a route with an encoded slash': { ...createForm(context), requestedRoute: encodedRoute },
      };
      for (const [what, sent] of Object.entries(others)) {
        const made = await unlessRefused(() => triggerForm(context, extension, sent));
        notes.observe(`${what} is taken`, made !== undefined);
        if (made !== undefined) assertForm(context, sent, made.call.payload);
      }
      expect.unchanged(before, await service.snapshot(thing));
    }),
  },
  'calls.action.form-batch': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalAction (object or array) and paragraph Action content payload',
    statement:
      'A form action over a batch request passes the array of operations as contentPayload, one of a single operation or of another user as well; what becomes of the array of results is recorded.',
    fault: 'Only the first operation is passed.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action-form'],
    after: ['calls.action.form-fields'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const extension = await given.extension({ types: ['ExternalAction'] });
      const thing = await given.object();
      const operations = [
        service.requests.create(given.body()),
        service.requests.merge(thing, anyEdit(context)),
        service.requests.create(given.body()),
      ].map(asOperation);
      const before = await service.snapshot(thing);
      const sent = {
        requestedRoute: pathOf(service.requests.batch(operations).url),
        httpVerb: 'POST',
        payload: operations,
      };
      const { call, triggered } = await triggerForm(context, extension, sent);
      expect(call.payload['contentPayload'], 'contentPayload of a batch form').toBeAnArray();
      assertForm(context, sent, call.payload);
      const selected = await unlessRefused(() => triggerForm(context, extension, { ...sent, thing }));
      if (selected !== undefined && hasPlaceFor(context, 'actionForm', 'objectId'))
        await assertSelected(context, { as: 'editor', thing }, selected.call);
      notes.observe(
        'answer to a batch form whose results came as an array',
        Array.isArray(triggered.reply.json) ? 'an array' : 'no array',
        triggered.reply,
      );
      notes.observe('status of a batch form', triggered.reply.status, triggered.reply);
      // one operation is a batch as well; a form may be none of so few
      const few = { ...sent, payload: operations.slice(0, 1) };
      const one = await unlessRefused(() => triggerForm(context, extension, few));
      notes.observe('a batch form of one operation is taken', one !== undefined);
      if (one !== undefined) assertForm(context, few, one.call.payload);
      if (profile.all.identities.secondEditor !== undefined) {
        const other = await unlessRefused(() => triggerForm(context, extension, sent, { as: 'secondEditor' }));
        if (other !== undefined) assertForm(context, sent, other.call.payload);
      }
      expect.unchanged(before, await service.snapshot(thing));
    }),
  },
  'calls.action.ribbon-fields': {
    level: 'must',
    source: 'extensions: Payloads, row ExternalAction and paragraph Action content payload',
    statement:
      'A ribbon action has contentPayload with selectedObject.$oid, and no value for requestedRoute and httpVerb.',
    fault: 'requestedRoute is sent for ribbon actions as well.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action-ribbon'],
    after: ['calls.action.common-fields'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      assertPlaceFor(context, 'actionRibbon', 'objectId');
      const extension = await given.extension({ types: ['ExternalAction'] });
      const thing = await given.object();
      const { payload } = (await triggerRibbon(context, extension, { thing })).call;
      expect(oidIn(payload, 'selectedObject'), 'selectedObject.$oid of a ribbon action').toEqual(thing.oid);
      for (const name of ['requestedRoute', 'httpVerb']) assertEmpty(context, payload, name, 'of a ribbon action');
    }),
  },
  'calls.action.ribbon-context': {
    level: 'must',
    source: 'extensions: Payloads, paragraph Action content payload',
    statement:
      'Run from the context object module, a ribbon action also has contextObject.$oid; selectedObject is there only with a selection.',
    fault: 'selectedObject repeats the context object when nothing is selected.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action-ribbon', 'context-module'],
    after: ['calls.action.ribbon-fields'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      for (const name of ['objectId', 'contextObjectId']) assertPlaceFor(context, 'actionRibbonInContext', name);
      const extension = await given.extension({ types: ['ExternalAction'] });
      const [thing, owner] = [await given.object(), await given.object()];
      for (const selection of [{ thing, context: owner }, { context: owner }, { thing }])
        await assertSelection(context, selection, await triggerRibbon(context, extension, selection));
      // whether the object of a module can be selected there is not said
      const both = { thing: owner, context: owner };
      const own = await unlessRefused(() => triggerRibbon(context, extension, both));
      notes.observe('an action on the context object itself is taken', own !== undefined);
      if (own === undefined) return;
      const { payload } = own.call;
      expect(oidIn(payload, 'contextObject'), 'contextObject.$oid of its action').toEqual(owner.oid);
      if (payload['objectId'] === owner.oid)
        expect(oidIn(payload, 'selectedObject'), 'selectedObject.$oid of its action').toEqual(owner.oid);
    }),
  },
  'calls.action.response-handling': {
    level: 'observe',
    source: 'extensions: Errors, rule 4',
    statement:
      "What the client that triggered the action gets for the extension's 200 body, for 500 with errors, for other statuses and for malformed bodies is described for the web client only and is recorded.",
    fault: 'Not applicable as a failure; recorded variant: answer passed through.',
    needs: ['collection-admin', 'extension-listener', 'trigger-action'],
    test: scenario(async (context) => {
      const extension = await lastingExtension(context, { types: ['ExternalAction'] });
      for (const [name, step] of Object.entries(actionAnswers)) {
        const { length } = extension.calls();
        extension.setScript([{ when: { kind: 'action' }, steps: [step], afterwards: 'last' }]);
        const status = await statusOf(() => triggerAction(context, extension));
        context.notes.observe(`status of an action that is answered with ${name}`, status);
        context.notes.observe(`calls of an action that is answered with ${name}`, extension.calls().length - length);
      }
    }),
  },
});

function validator({ given }: CaseContext): Promise<Extension> {
  return given.extension({ types: ['ExternalValidation'] });
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
  const isAccepted = edited.status < 300;
  notes.observe('an edit while a validation is awaited', isAccepted ? 'accepted' : 'refused', edited);
  const namesVersion = JSON.stringify(profile.all.triggers?.validation).includes('{{version}}');
  if (isAccepted && namesVersion) expect(reply).notToSucceed();
  const after = await service.snapshot(thing);
  if (isAccepted && reply.status >= 300) expect.unchanged(between, after);
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
  notes.observe('an operation that one of two extensions finds invalid passes', reply.status < 300, reply);
}

/** Asserts what actions of these users, one after the other at one extension, are told of one object each, which is edited between them. */
async function assertRounds(context: CaseContext, extension: Extension, users: readonly IdentityName[]): Promise<void> {
  const { given } = context;
  let things = await Promise.all(users.map((as) => given.object().then((thing) => ({ as, thing }))));
  for (let round = 0; round < actionRounds; round += 1) {
    for (const { as, thing } of things) {
      const { call } = await triggerAction(context, extension, { thing, changes: { as } });
      await assertSelected(context, { as, thing }, call);
    }
    things = await Promise.all(things.map(async ({ as, thing }) => ({ as, thing: await given.edited(thing) })));
  }
}

async function assertSelected(
  context: CaseContext,
  { as, thing }: { readonly as: IdentityName; readonly thing: Thing },
  { payload }: Call,
): Promise<void> {
  const { service, expect, notes, profile } = context;
  const { identities, triggers, informationFilter } = profile.all;
  const { objectId, svcUOIVersion, spaceId, informationFilter: filter, email, contentPayload } = payload;
  expect(spaceId, 'spaceId of an action').toEqual(profile.all.space);
  expect(objectId, 'objectId of an action on a selected object').toEqual(thing.oid);
  expect(Number(svcUOIVersion), 'svcUOIVersion of an action on a selected object').toEqual(
    (await service.snapshot(thing)).version,
  );
  notes.observe('type of svcUOIVersion', typeof svcUOIVersion);
  expect(filterIn(filter), `informationFilter of an action, which is ${String(filter)}, decoded`).toBeAnObject();
  if (triggers?.carryHeaders !== false)
    expectFilter(context, filterIn(filter), informationFilter?.default ?? {}, 'informationFilter of an action');
  expect(email, 'email of an action').toBeAString();
  const known = identities[as]?.email;
  if (known !== undefined)
    expect(String(email).toLowerCase(), `email of an action of the ${as}`).toEqual(known.toLowerCase());
  expect(contentPayload ?? undefined, 'contentPayload of an action').toSatisfy(
    'an object or an array',
    (value) => typeof value === 'object',
  );
}

/** Whether the trigger cannot be sent without an object. */
function needsSelection({ profile }: CaseContext): boolean {
  const { actionRibbon, actionForm } = profile.all.triggers ?? {};
  const template = actionRibbon ?? actionForm ?? [];
  return requestsIn(template).some(({ path, headers }) => JSON.stringify([path, headers]).includes('{{objectId}}'));
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

/** A member that does not apply has no value; whether it is left out, null or an empty text is recorded. Source: ledger optional-payload-members */
function assertEmpty(
  { expect, notes }: CaseContext,
  payload: Readonly<Record<string, unknown>>,
  name: string,
  where: string,
): void {
  expect(payload[name] ?? '', `${name} ${where}`).toEqual('');
  notes.observe(`${name} ${where}`, emptiness(payload[name]));
}

function emptiness(value: unknown): string {
  if (value === undefined) return 'absent';
  return value === null ? 'null' : 'an empty text';
}

/** Compared where the trigger has a place for it, else only typed. */
function assertForm(context: CaseContext, sent: Form, payload: Readonly<Record<string, unknown>>): void {
  const { expect } = context;
  for (const name of ['requestedRoute', 'httpVerb'] as const) {
    expect(payload[name], `${name} of a form action`).toBeAString();
    if (hasPlaceFor(context, 'actionForm', name)) expect(payload[name], `${name} of a form action`).toEqual(sent[name]);
  }
  if (hasPlaceFor(context, 'actionForm', 'payload'))
    expect(payload['contentPayload'], 'contentPayload of a form action').toEqual(sent.payload);
}

function assertSelection(
  { expect }: CaseContext,
  { thing, context }: Exclude<Parameters<typeof triggerRibbon>[2], undefined>,
  { call }: Made,
): void {
  const where = `${context === undefined ? 'outside' : 'in'} the context object module ${thing === undefined ? 'without' : 'with'} a selection`;
  expect(oidIn(call.payload, 'contextObject'), `contextObject.$oid ${where}`).toEqual(context?.oid);
  expect(oidIn(call.payload, 'selectedObject'), `selectedObject.$oid ${where}`).toEqual(thing?.oid);
}

/** A service that tries again may take longer than the suite waits for an answer. */
async function statusOf(run: () => Promise<Made>): Promise<number | string> {
  try {
    return (await run()).triggered.reply.status;
  } catch (error) {
    if (error instanceof NoAnswer) return 'no answer in time';
    throw error;
  }
}
