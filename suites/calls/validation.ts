import { constantFrom } from 'fast-check';
import { property, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Script } from '../../simulator/extension/script.ts';
import type { ScriptedAnswer } from '../../simulator/extension/step.ts';
import type { Extension } from '../../judge/extension/extension.ts';
import type { Thing } from '../../judge/given.ts';
import { unescaped } from '../../judge/unescaped.ts';
import { anyValidation, validation } from './words.ts';

const malformed = {
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
} as const;
type Malformed = keyof typeof malformed;
const forms = Object.keys(malformed) as readonly Malformed[];

export const validationCases = {
  'calls.validation.payload-fields': scenario(async (context) => {
    const { given, expect } = context;
    const extension = await validator(context);
    for (const thing of [await given.object(), await given.object()]) {
      const call = await anyValidation(context, extension, thing);
      expect(call.payload['objectId'], 'objectId of a validation').toEqual(thing.oid);
      expect(call.payload['spaceId'], 'spaceId of a validation').toEqual(thing.space);
    }
  }),

  'calls.validation.context-object': scenario(async (context) => {
    const { given, expect, notes } = context;
    const extension = await validator(context);
    const owner = await given.object();
    const inContext = await validation(context, extension, await given.object(), { contextObjectId: owner.oid });
    expect(
      inContext.call.payload['contextObjectId'],
      'contextObjectId of a validation in the context object module',
    ).toEqual(owner.oid);
    const { payload } = (await validation(context, extension, await given.object())).call;
    if (payload['contextObjectId'] === null) notes.remark('contextObjectId is null outside the context object module');
    expect(
      payload['contextObjectId'] ?? undefined,
      'contextObjectId of a validation outside the context object module',
    ).toBeAbsent();
  }),

  'calls.validation.verdict-applied': scenario(async (context) => {
    const { given, service, expect, notes } = context;
    const extension = await validator(context);
    const thing = await given.object();
    const before = await service.snapshot(thing);
    const message = given.unique('reason');
    extension.setScript(answering({ json: { isValid: false, message } }));
    const { reply } = (await validation(context, extension, thing)).triggered;
    expect(reply).notToSucceed();
    notes.bound('validationNegative', 'status of an operation that a validation stopped', reply.status, reply);
    if (!unescaped(reply).includes(message))
      notes.remark('the message of the validation is not in the answer to the caller', reply);
    expect.unchanged(before, await service.snapshot(thing));
    extension.setScript([]);
    expect((await context.triggers.validation(thing)).reply).toSucceed();
    await observeSeveral(context, extension);
  }),

  'calls.validation.malformed-is-error': property(
    constantFrom(...forms),
    async (context, form) => {
      const { given, service, expect, notes, triggers } = context;
      const extension = await validator(context);
      const thing = await given.object();
      given.succeeded(
        (await validation(context, extension, await given.object())).triggered.reply,
        'a valid verdict lets the operation pass',
      );
      const before = await service.snapshot(thing);
      extension.setScript(answering({ text: malformed[form] }));
      const { reply } = (await validation(context, extension, thing)).triggered;
      expect(reply).notToSucceed();
      notes.bound('validationFailed', `status after a validation answer that is ${form}`, reply.status, reply);
      notes.observe(
        `calls of a validation that is answered with ${form}`,
        extension.calls({ objectId: thing.oid }).length,
      );
      expect.unchanged(before, await service.snapshot(thing));
      extension.setScript([]);
      expect((await triggers.validation(thing)).reply).toSucceed();
    },
    { always: forms, share: 0.1 },
  ),
} satisfies SomeCasesOf<'calls'>;

function validator({ given }: CaseContext): Promise<Extension> {
  return given.extension({ types: ['ExternalValidation'] });
}

function answering(answer: { readonly json?: unknown; readonly text?: string }): Script {
  const step: ScriptedAnswer['steps'][number] = {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    ...answer,
  };
  return [{ when: { kind: 'validation' }, steps: [step], afterwards: 'last' }];
}

/** What becomes of an operation about which two extensions differ is not documented. */
async function observeSeveral(context: CaseContext, first: Extension): Promise<void> {
  const { given, notes, triggers } = context;
  const second = await validator(context);
  const thing: Thing = await given.object();
  first.concern(thing);
  second.concern(thing);
  second.setScript(answering({ json: { isValid: false, message: given.unique('reason') } }));
  const { reply } = await triggers.validation(thing);
  notes.observe('an operation that one of two extensions finds invalid passes', reply.status < 300, reply);
  notes.observe(
    'extensions asked of two',
    [first, second].filter((extension) => extension.calls({ objectId: thing.oid }).length > 0).length,
  );
}
