import type { SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import type { ActionSample, HostContext } from '../../judge/host/host.ts';
import { actionPayload, isRibbon } from '../../judge/host/stage/payloads.ts';
import { isObject } from '../../judge/answer.ts';

type Payload = ActionSample['payload'];

/** Cases about what actions answer. Source: extensions, Errors 4 */
export const hostActionCases = {
  'calls.host.action-success-body': hostScenario(async (context) => {
    const { payload, reply } = await acted(context, context.samples.action('success'));
    context.expect(reply).toAnswer(200);
    expectResult(context, reply, reply.json, payload, 'the answer');
  }),

  'calls.host.action-error-body': hostScenario(async (context) => {
    const { expect } = context;
    const { reply } = await acted(context, context.samples.action('failure'));
    expect(reply).toAnswer(500);
    const errors = isObject(reply.json) ? reply.json['errors'] : undefined;
    expect(errors, 'errors in the answer', reply).toSatisfy(
      'an array that is not empty',
      (value) => Array.isArray(value) && value.length > 0,
    );
    for (const error of Array.isArray(errors) ? (errors as readonly unknown[]) : [])
      expect(isObject(error) ? error['message'] : error, 'message of an error', reply).toSatisfy(
        'a text that is not empty',
        (text) => typeof text === 'string' && text !== '',
      );
  }),

  'calls.host.action-batch-body': hostScenario(async (context) => {
    const { expect, given } = context;
    const { payload, reply } = await acted(context, context.samples.action('batch'));
    const operations = payload['contentPayload'];
    if (!Array.isArray(operations))
      return given.inconclusive(
        'extensionHost.samples.action.batch.payload.contentPayload of the profile has to be an array of operations',
      );
    expect(reply).toAnswer(200);
    expect(reply.json, 'the answer to a batch', reply).toBeAnArray();
    const results = Array.isArray(reply.json) ? (reply.json as readonly unknown[]) : [];
    expect(results.length, 'number of results', reply).toEqual(operations.length);
    results.forEach((result, index) => expectResult(context, reply, result, {}, `result ${index + 1}`));
  }),
} satisfies SomeCasesOf<'calls'>;

async function acted(
  { host, records, stage, given, binding }: HostContext,
  sample: ActionSample,
): Promise<{ readonly payload: Payload; readonly reply: Reply }> {
  const installation = await stage.installation();
  const { spaceId } = installation;
  const parts = {
    samples: binding.samples ?? {},
    spaceId,
    informationFilter: Buffer.from('{}').toString('base64'),
    unique: given.unique,
  };
  const payload = actionPayload(parts, sample.payload);
  return {
    payload,
    reply: await host.call(installation.call(records.named(sample.record, 'ExternalAction'), payload)),
  };
}

function expectResult(
  { expect, notes }: HostContext,
  reply: Reply,
  result: unknown,
  payload: Payload,
  what: string,
): void {
  expect(result, what, reply).toBeAnObject();
  const { statusCode, location, svcUOIVersion } = Object(result) as Readonly<Record<string, unknown>>;
  expect(statusCode, `statusCode of ${what}`, reply).toBeAnInteger();
  const isMissing = isRibbon(payload) && location === undefined && svcUOIVersion === undefined;
  if (isMissing) notes.observe('location and svcUOIVersion of a ribbon action', 'missing');
  else expect(location, `location of ${what}`, reply).toBeAString();
  if (!isMissing) expect(svcUOIVersion, `svcUOIVersion of ${what}`, reply).toBeAnInteger();
  const right =
    payload['httpVerb'] === 'POST' ? statusCode === 201 : Number(statusCode) >= 200 && Number(statusCode) < 300;
  if (!right)
    notes.remark(
      `statusCode ${String(statusCode)} does not fit the verb ${String(payload['httpVerb'] ?? 'of the action')}`,
    );
}
