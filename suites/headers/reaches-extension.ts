import { randomUUID } from 'node:crypto';
import { sendBatch } from '../batch/words.ts';
import { correlated } from '../../judge/correlated.ts';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Extension } from '../../judge/extension/extension.ts';

export const reachesExtensionCases = {
  'headers.correlation-id.reaches-extension': scenario(async (context) => {
    const { given, expect } = context;
    const extension = await given.extension();
    const [alone, one, other] = [randomUUID(), randomUUID(), randomUUID()];
    expect(await idThatReaches(context, extension, alone), 'correlation id that reached the extension').toEqual(alone);
    const interleaved = await Promise.all([one, other].map((id) => idThatReaches(context, extension, id)));
    expect(interleaved, 'correlation ids of two triggers at once that reached the extension').toEqual([one, other]);
    if (canValidate(context)) await reachesOutOfBatch(context);
  }),
} satisfies SomeCasesOf<'headers'>;

async function idThatReaches({ triggers }: CaseContext, extension: Extension, id: string): Promise<string | undefined> {
  const triggered = await triggers.event(extension, undefined, correlated(id));
  return (await extension.call({ kind: 'event', about: triggered })).envelope.id;
}

/** A promote in a batch calls the extension that validates the object, where a promote is what the profile validates by. */
async function reachesOutOfBatch(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const thing = await given.object();
  const extension = await given.extension({ types: ['ExternalValidation'], concerns: [thing] });
  const id = randomUUID();
  const reply = await sendBatch(context, [service.requests.promote(thing)], correlated(id));
  const [call] = extension.calls({ objectId: thing.oid });
  notes.observe('a promote in a batch is validated', call !== undefined, reply);
  if (call !== undefined)
    expect(call.envelope.id, 'correlation id of a batch that reached the extension', reply).toEqual(id);
}

function canValidate({ profile }: CaseContext): boolean {
  const { maturity, triggers, routes } = profile.all;
  return maturity !== undefined && triggers?.validation !== undefined && routes?.registrationDelete !== undefined;
}
