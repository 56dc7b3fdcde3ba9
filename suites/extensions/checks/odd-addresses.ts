import type { CaseContext } from '../../../judge/case.ts';
import { tells } from '../../../judge/extension/call.ts';
import { callWaitMs } from '../../../judge/extension/trigger-calls.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { tokensOf } from './queued-calls.ts';
import { hasPlaceFor } from './triggered-calls.ts';

/** A mail to two addresses, where it is taken and sent, is sent to both: by one call or by one for each, which is not said. */
export async function expectSentToBoth(context: CaseContext): Promise<void> {
  const { given, triggers, clock, expect, notes } = context;
  if (!hasPlaceFor(context, 'email', 'to') || !hasPlaceFor(context, 'email', 'body')) return;
  const addresses = ['first@example.com', 'second@example.com'];
  const extension = await given.extension({ types: ['Email'] });
  const body = given.unique('to both');
  const mail = await unlessRefused(() => triggers.email(extension, { to: addresses.join(', '), body }));
  const recipients = () =>
    extension.calls({ kind: 'email', where: (call) => tells(call, body) }).map(({ payload }) => String(payload['to']));
  const isMissing = (address: string) => !recipients().some((to) => to.includes(address));
  if (mail !== undefined)
    await clock.look(
      callWaitMs,
      async () => addresses.filter(isMissing),
      ({ length }) => length === 0,
    );
  notes.observe(
    'a mail to two addresses',
    mail === undefined ? 'is not taken' : `leads to ${recipients().length} calls`,
  );
  if (recipients().length > 0) expect(addresses.filter(isMissing), 'addresses that a mail is not sent to').toEqual([]);
}

/** An address with a fragment, which is never sent, is none that the documents show: whoever has the token behind it is told so. */
export async function noteTokenBehindFragment({ given, triggers, notes }: CaseContext): Promise<void> {
  for (const target of ['/hook#part', '/hook?a=1#part']) {
    const endpoint = await unlessRefused(() => given.endpoint({ trusted: true, target }));
    const sent = endpoint && (await unlessRefused(() => triggers.endpoint(endpoint)));
    const call = sent && (await endpoint.arrived({ kind: 'endpoint' }, { withinMs: callWaitMs }));
    notes.observe(`a trusted endpoint at ${target}`, call === undefined ? 'is not called' : 'is called');
    if (call !== undefined && tokensOf(call).length === 0)
      notes.remark(`a trusted endpoint at ${target} is called without access_token`);
  }
}
