import type { IdentityName } from '../../contract/profile.ts';
import { tellingContent } from '../../fixtures/values.ts';
import { lookAfterEachChange } from '../core/checks/each-change.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { NoAnswer } from '../../judge/client/failure.ts';
import type { Call } from '../../judge/extension/call.ts';
import type { Extension, Step } from '../../judge/extension/extension.ts';
import { requestsIn, senderOf } from '../../judge/extension/triggers.ts';
import type { Thing } from '../../judge/things.ts';
import { rules } from '../../judge/rule.ts';
import { anyEdit, asOperation, makeEditable } from '../../judge/service/writes.ts';
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
  assertEmpty,
  assertPlaceFor,
  hasPlaceFor,
  triggerAction,
  triggerForm,
  triggerRibbon,
} from './checks/triggered-calls.ts';
import { unlessRefused } from '../../judge/violation.ts';

/** One that is another route once it is decoded. */
const encodedRoute = '/api/conformance%2Fform';

/** Members of the payload of an action that tell of the selected object. */
const selectedOnly = ['objectId', 'svcUOIVersion'] as const;

const actionAnswers: Readonly<Record<string, Step>> = {
  '200 with the documented body': { status: 200, json: { statusCode: 200, location: '', svcUOIVersion: 1 } },
  '500 with errors': { status: 500, json: { errors: [{ message: 'told by the extension' }] } },
  '404': { status: 404 },
  '200 with malformed JSON': { status: 200, headers: { 'Content-Type': 'application/json' }, text: '{ statusCode' },
  '503': { status: 503 },
};

export const actionRules = rules('calls', {
  'calls.action.common-fields': {
    source: 'extensions: Payloads, row ExternalAction',
    statement:
      'An action payload has spaceId (that of the space where it is run), informationFilter (Base64, of the triggering user), email (of the triggering user) and contentPayload; objectId and svcUOIVersion when an object is selected, the latter as it is now, also after each way to change the object between two actions, and all of it as of this action where another user had one before at the same extension.',
    fault: "email is that of the extension's registrar.",
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action'],
    test: scenario(async (context) => {
      const { given, notes, profile } = context;
      const trigger = profile.all.triggers?.actionRibbon === undefined ? 'actionForm' : 'actionRibbon';
      assertPlaceFor(context, trigger, 'objectId');
      const extension = await given.extension({ types: ['ExternalAction'] });
      await assertRounds(context, extension, usersOf(context, trigger));
      const unselected = needsSelection(context)
        ? undefined
        : await unlessRefused(() => triggerAction(context, extension));
      if (unselected === undefined) return notes.observe('an action without a selection', 'leads to no call');
      const { call, triggered } = unselected;
      for (const name of selectedOnly) assertEmpty(context, call.payload, name, 'of an action without a selection');
      await expectSecondSpace(context, trigger, triggered, (changes) => triggerAction(context, extension, { changes }));
    }),
  },
  'calls.action.form-fields': {
    source: 'extensions: Payloads, row ExternalAction and paragraph Action content payload',
    statement:
      'A form action has requestedRoute and httpVerb of the request that the service would have made, a query included, and contentPayload is the body of that request, which the service does not carry out itself; of the selected object it tells what every action tells.',
    fault: 'httpVerb is always POST.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action-form'],
    after: ['calls.action.common-fields'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const extension = await given.extension({ types: ['ExternalAction'] });
      const thing = await given.object();
      const before = await service.snapshot(thing);
      for (const sent of [editForm(context, thing), createForm(context)]) {
        const { call } = await triggerForm(context, extension, sent);
        assertForm(context, sent, call.payload);
        if (!hasPlaceFor(context, 'actionForm', 'objectId')) continue;
        if (sent.thing !== undefined)
          await assertSelected(context, { as: senderOf(profile.all, 'actionForm'), thing: sent.thing }, call);
        else for (const name of selectedOnly) assertEmpty(context, call.payload, name, 'of a form without a selection');
      }
      // a custom form has a content of its own, and several may stand for one route: a service may refuse what the route takes none such of
      const others: Readonly<Record<string, Form>> = {
        'a form with a content of its own': { ...createForm(context), payload: tellingContent },
        'a form without members': { ...createForm(context), payload: {} },
        'a form for another request of the same route': { ...editForm(context, thing), httpVerb: 'PUT' },
        'a form for a route with an encoded slash': { ...createForm(context), requestedRoute: encodedRoute },
        'a form for a route with a query': withQuery(createForm(context)),
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
    source: 'extensions: Payloads, row ExternalAction (object or array) and paragraph Action content payload',
    statement:
      'A form action over a batch request passes the array of operations as contentPayload, one of a single operation, of none or of another user as well; what becomes of the array of results is recorded.',
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
        ...Array.from({ length: 10 }, () => service.requests.create(given.body())),
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
        await assertSelected(context, { as: senderOf(profile.all, 'actionForm'), thing }, selected.call);
      notes.observe(
        'answer to a batch form whose results came as an array',
        Array.isArray(triggered.reply.json) ? 'an array' : 'no array',
        triggered.reply,
      );
      notes.observe('status of a batch form', triggered.reply.status, triggered.reply);
      // one operation is a batch as well, and so is none; a form may be none of so few
      for (const [few, payload] of [
        ['one operation', operations.slice(0, 1)],
        ['no operation', []],
      ] as const) {
        const form = { ...sent, payload };
        const made = await unlessRefused(() => triggerForm(context, extension, form));
        notes.observe(`a batch form of ${few} is taken`, made !== undefined);
        if (made !== undefined) assertForm(context, form, made.call.payload);
      }
      const items = itemsForm(context);
      const made = items && (await unlessRefused(() => triggerForm(context, extension, items)));
      notes.observe('a form for a multi-create is taken', made !== undefined);
      if (items !== undefined && made !== undefined) assertForm(context, items, made.call.payload);
      for (const as of ['secondEditor', 'spaceAdministrator'] as const) {
        if (profile.all.identities[as] === undefined) continue;
        for (const one of [sent, ...(made && items ? [items] : [])]) {
          const other = await unlessRefused(() => triggerForm(context, extension, one, { as }));
          if (other !== undefined) assertForm(context, one, other.call.payload);
        }
      }
      expect.unchanged(before, await service.snapshot(thing));
    }),
  },
  'calls.action.ribbon-fields': {
    source: 'extensions: Payloads, row ExternalAction and paragraph Action content payload',
    statement:
      'A ribbon action has contentPayload with selectedObject.$oid, whoever runs it, and no value for requestedRoute and httpVerb.',
    fault: 'requestedRoute is sent for ribbon actions as well.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action-ribbon'],
    after: ['calls.action.common-fields'],
    test: scenario(async (context) => {
      const { given, expect } = context;
      assertPlaceFor(context, 'actionRibbon', 'objectId');
      const extension = await given.extension({ types: ['ExternalAction'] });
      const thing = await given.object();
      for (const as of usersOf(context, 'actionRibbon')) {
        const made = await unlessRefused(() => triggerRibbon(context, extension, { thing }, { as }));
        if (made === undefined && as === 'secondEditor') continue;
        const { payload } = given.present(made, 'a ribbon action').call;
        expect(oidIn(payload, 'selectedObject'), `selectedObject.$oid of a ribbon action of the ${as}`).toEqual(
          thing.oid,
        );
        for (const name of ['requestedRoute', 'httpVerb']) assertEmpty(context, payload, name, 'of a ribbon action');
      }
    }),
  },
  'calls.action.ribbon-context': {
    source: 'extensions: Payloads, paragraph Action content payload',
    statement:
      'Run from the context object module, a ribbon action also has contextObject.$oid; selectedObject is there only with a selection, and so are objectId and svcUOIVersion, which tell of it and not of the object of the module.',
    fault: 'selectedObject repeats the context object when nothing is selected.',
    needs: ['soft-type', 'collection-admin', 'extension-listener', 'trigger-action-ribbon', 'context-module'],
    after: ['calls.action.ribbon-fields'],
    test: scenario(async (context) => {
      const { given, expect, notes } = context;
      for (const name of ['objectId', 'contextObjectId']) assertPlaceFor(context, 'actionRibbonInContext', name);
      assertPlaceFor(context, 'actionRibbon', 'objectId');
      const extension = await given.extension({ types: ['ExternalAction'] });
      // of another version than what is selected
      const [thing, owner] = [await given.object(), await given.edited(await given.object())];
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

/** Who runs an action: whom the profile names as its sender, and where that may be any user a second one. */
function usersOf({ profile }: CaseContext, trigger: 'actionForm' | 'actionRibbon'): readonly IdentityName[] {
  const { triggers, identities } = profile.all;
  const isOpen = requestsIn(triggers?.[trigger] ?? []).every(({ as }) => as === undefined);
  const second = isOpen && identities.secondEditor !== undefined;
  return [senderOf(profile.all, trigger), ...(second ? (['secondEditor'] as const) : [])];
}

/** Asserts what actions of these users, one after the other at one extension, are told of one object each, which is edited between them, and of one that is as it was for each. */
async function assertRounds(context: CaseContext, extension: Extension, users: readonly IdentityName[]): Promise<void> {
  const { given } = context;
  const assertNow = async (as: IdentityName, thing: Thing): Promise<void> => {
    const { call } = await triggerAction(context, extension, { thing, changes: { as } });
    await assertSelected(context, { as, thing }, call);
  };
  const things = await Promise.all(users.map(async (as) => [as, await given.object()] as const));
  for (const [as, thing] of things) await assertNow(as, thing);
  for (const [as, thing] of things) await assertNow(as, await given.edited(thing));
  const [first, ...others] = users;
  if (first === undefined) return;
  const shared = await given.object();
  await assertNow(first, shared);
  // who may act on the objects of others is not said
  for (const as of others) await unlessRefused(() => assertNow(as, shared));
  const changed = await makeEditable(context);
  await lookAfterEachChange(context, changed, () => assertNow(first, changed));
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

/** The array that a multi-create would have sent, whose members begin with a dollar sign; undefined where none is served. */
function itemsForm({ given, service, profile }: CaseContext): Form | undefined {
  if (!profile.offers('multi-create')) return undefined;
  const { definitionId } = profile.primary;
  const payload = ['one', 'two'].map(($id) => ({ $id, $softType: definitionId, data: given.body() }));
  return { requestedRoute: pathOf(service.requests.multiCreate(payload).url), httpVerb: 'POST', payload };
}

function withQuery(form: Form): Form {
  return { ...form, requestedRoute: `${form.requestedRoute}?group.port=value%20one&other=2` };
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

async function assertSelection(
  context: CaseContext,
  selection: Exclude<Parameters<typeof triggerRibbon>[2], undefined>,
  { call }: Made,
): Promise<void> {
  const { expect, profile } = context;
  const { thing, context: owner } = selection;
  const where = `${owner === undefined ? 'outside' : 'in'} the context object module ${thing === undefined ? 'without' : 'with'} a selection`;
  expect(oidIn(call.payload, 'contextObject'), `contextObject.$oid ${where}`).toEqual(owner?.oid);
  expect(oidIn(call.payload, 'selectedObject'), `selectedObject.$oid ${where}`).toEqual(thing?.oid);
  if (thing === undefined) for (const name of selectedOnly) assertEmpty(context, call.payload, name, where);
  else {
    const as = senderOf(profile.all, owner === undefined ? 'actionRibbon' : 'actionRibbonInContext');
    await assertSelected(context, { as, thing }, call);
  }
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
