import { NoAnswer } from '../../judge/client/failure.ts';
import type { IdentityName } from '../../contract/profile.ts';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Step } from '../../simulator/extension/step.ts';
import type { Call } from '../../judge/extension/call.ts';
import type { Thing } from '../../judge/given.ts';
import { isObject } from '../../judge/answer.ts';
import { anyEdit, asOperation } from '../../judge/writes.ts';
import { filterIn } from './filter.ts';
import {
  action,
  createForm,
  editForm,
  form,
  ifAccepted,
  lasting,
  pathOf,
  ribbon,
  takes,
  type Form,
  type Made,
} from './words.ts';

const answers: Readonly<Record<string, Step>> = {
  '200 with the documented body': { status: 200, json: { statusCode: 200, location: '', svcUOIVersion: 1 } },
  '500 with errors': { status: 500, json: { errors: [{ message: 'told by the extension' }] } },
  '404': { status: 404 },
  '200 with malformed JSON': { status: 200, headers: { 'Content-Type': 'application/json' }, text: '{ statusCode' },
  '503': { status: 503 },
};

export const actionCases = {
  'calls.action.common-fields': scenario(async (context) => {
    const { given, expect, notes, profile } = context;
    const extension = await given.extension({ types: ['ExternalAction'] });
    const users = [
      'editor',
      ...(profile.all.identities.secondEditor === undefined ? [] : ['secondEditor' as const]),
    ] as const;
    for (const as of users) {
      const thing = await given.edited(await given.object());
      await assertSelected(context, { as, thing }, (await action(context, extension, { thing, changes: { as } })).call);
    }
    const unselected = needsSelection(context) ? undefined : await ifAccepted(() => action(context, extension));
    if (unselected === undefined) return notes.observe('an action without a selection', 'leads to no call');
    const { payload } = unselected.call;
    for (const name of ['objectId', 'svcUOIVersion']) {
      expect(payload[name] ?? '', `${name} of an action without a selection`).toEqual('');
      notes.observe(`${name} without a selection`, emptiness(payload[name]));
    }
  }),

  'calls.action.form-fields': scenario(async (context) => {
    const { given, service, expect } = context;
    const extension = await given.extension({ types: ['ExternalAction'] });
    const thing = await given.object();
    const before = await service.snapshot(thing);
    for (const sent of [editForm(context, thing), createForm(context)]) {
      const { call } = await form(context, extension, sent);
      assertForm(context, sent, call.payload);
    }
    expect.unchanged(before, await service.snapshot(thing));
  }),

  'calls.action.form-batch': scenario(async (context) => {
    const { given, service, expect, notes } = context;
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
    const { call, triggered } = await form(context, extension, sent);
    expect(call.payload['contentPayload'], 'contentPayload of a batch form').toBeAnArray();
    assertForm(context, sent, call.payload);
    notes.observe(
      'answer to a batch form whose results came as an array',
      Array.isArray(triggered.reply.json) ? 'an array' : 'no array',
      triggered.reply,
    );
    notes.observe('status of a batch form', triggered.reply.status, triggered.reply);
    expect.unchanged(before, await service.snapshot(thing));
  }),

  'calls.action.ribbon-fields': scenario(async (context) => {
    const { given, expect, notes } = context;
    const extension = await given.extension({ types: ['ExternalAction'] });
    const thing = await given.object();
    const { payload } = (await ribbon(context, extension, { thing })).call;
    expect(oidIn(payload, 'selectedObject'), 'selectedObject.$oid of a ribbon action').toEqual(thing.oid);
    for (const name of ['requestedRoute', 'httpVerb']) {
      if (payload[name] === null) notes.remark(`${name} of a ribbon action is null`);
      expect(payload[name] ?? undefined, `${name} of a ribbon action`).toBeAbsent();
    }
  }),

  'calls.action.ribbon-context': scenario(async (context) => {
    const { given } = context;
    const extension = await given.extension({ types: ['ExternalAction'] });
    const [thing, owner] = [await given.object(), await given.object()];
    for (const selection of [{ thing, context: owner }, { context: owner }, { thing }])
      await assertSelection(context, selection, await ribbon(context, extension, selection));
  }),

  'calls.action.response-handling': scenario(async (context) => {
    const extension = await lasting(context, { types: ['ExternalAction'] });
    for (const [name, step] of Object.entries(answers)) {
      const { length } = extension.calls();
      extension.setScript([{ when: { kind: 'action' }, steps: [step], afterwards: 'last' }]);
      const status = await statusOf(() => action(context, extension));
      context.notes.observe(`status of an action that is answered with ${name}`, status);
      context.notes.observe(`calls of an action that is answered with ${name}`, extension.calls().length - length);
    }
  }),
} satisfies SomeCasesOf<'calls'>;

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
    expect(filterIn(filter), 'informationFilter of an action').toEqual(informationFilter?.default ?? {});
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
  const { path, headers } = actionRibbon ?? actionForm ?? {};
  return JSON.stringify([path, headers]).includes('{{objectId}}');
}

/** Compared where the trigger has a place for it, else only typed. */
function assertForm(context: CaseContext, sent: Form, payload: Readonly<Record<string, unknown>>): void {
  const { expect } = context;
  for (const name of ['requestedRoute', 'httpVerb'] as const) {
    expect(payload[name], `${name} of a form action`).toBeAString();
    if (takes(context, 'actionForm', name)) expect(payload[name], `${name} of a form action`).toEqual(sent[name]);
  }
  if (takes(context, 'actionForm', 'payload'))
    expect(payload['contentPayload'], 'contentPayload of a form action').toEqual(sent.payload);
}

function assertSelection(
  { expect }: CaseContext,
  { thing, context }: Exclude<Parameters<typeof ribbon>[2], undefined>,
  { call }: Made,
): void {
  const where = `${context === undefined ? 'outside' : 'in'} the context object module ${thing === undefined ? 'without' : 'with'} a selection`;
  expect(oidIn(call.payload, 'contextObject'), `contextObject.$oid ${where}`).toEqual(context?.oid);
  expect(oidIn(call.payload, 'selectedObject'), `selectedObject.$oid ${where}`).toEqual(thing?.oid);
}

/** Undefined where the member has no value. */
function oidIn(
  { contentPayload }: Readonly<Record<string, unknown>>,
  member: 'selectedObject' | 'contextObject',
): unknown {
  const object = isObject(contentPayload) ? contentPayload[member] : undefined;
  return isObject(object) ? object['$oid'] : (object ?? undefined);
}

function emptiness(value: unknown): string {
  if (value === undefined) return 'absent';
  return value === null ? 'null' : 'an empty text';
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
