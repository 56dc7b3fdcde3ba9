import type { SomeCasesOf } from '../../judge/case.ts';
import { ConnectionLost, NoAnswer } from '../../judge/client/failure.ts';
import type { Reply } from '../../judge/exchange.ts';
import { hostScenario } from '../../judge/host/host-case.ts';
import { expectAcknowledged, isBecauseOfCall, letWork } from './host-words.ts';

/** Cases about calls that are repeated or malformed. */
export const hostOpenCases = {
  'calls.host.redelivery': hostScenario(async (context) => {
    const { host, records, stage, notes } = context;
    const installation = await stage.installation();
    const call = installation.call(records.of('ExternalEvent'));
    expectAcknowledged(context, await host.call(call));
    await letWork(context, installation, isBecauseOfCall, 300);
    const once = installation.arrivals({ where: isBecauseOfCall }).length;
    expectAcknowledged(context, await host.call(call));
    await host.callAndLeave(call);
    expectAcknowledged(context, await host.call(call));
    const often = installation.arrivals({ where: isBecauseOfCall }).length;
    notes.observe('requests of the host after a repeated call', often > once ? 'more' : 'no more');
  }),

  'calls.host.malformed-envelope': hostScenario(async ({ host, records, stage, given, notes }) => {
    const [record] = records.all;
    if (record === undefined)
      return given.notExercised('the host announces no record of a type whose calls are documented');
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
} satisfies SomeCasesOf<'calls'>;

async function statusOf(answer: Promise<Reply>): Promise<number | string> {
  try {
    return (await answer).status;
  } catch (error) {
    if (error instanceof ConnectionLost || error instanceof NoAnswer) return 'no answer';
    throw error;
  }
}
