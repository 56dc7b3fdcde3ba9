import { editRequest, operationsOf } from '../../judge/batch.ts';
import type { CaseContext } from '../../judge/case.ts';
import { triggeredTypes } from '../../judge/extension/trigger-calls.ts';
import { makeEditable } from '../../judge/writes.ts';

const patienceMs = 10_000;

/** Long after the connection was cut, and no time for a validation, in ms. */
const validationMs = 300;

/** How many there are at last: as many as there have to be, or fewer after a wait in vain. */
export function countUntil({ clock }: CaseContext, count: () => Promise<number>, goal: number): Promise<number> {
  return clock.look(patienceMs, count, (now) => now === goal);
}

/**
 * A batch that waits for a validation when its client leaves runs to its end as well: however fast a service is, its work is not done by then.
 * Nothing is asserted where a promote in a batch calls no extension.
 */
export async function expectFinishedBehindValidation(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { listener, identities, maturity } = profile.all;
  const isCallable = listener !== undefined && identities.administrator !== undefined && maturity !== undefined;
  if (!isCallable || !triggeredTypes(context).includes('ExternalValidation')) return;
  const [promoted, edited] = [await given.object(), await makeEditable(context)];
  const steps = [{ json: { isValid: true, message: '' }, delayMs: validationMs }];
  const extension = await given.extension({
    types: ['ExternalValidation'],
    concerns: [promoted],
    script: [{ when: { kind: 'validation' }, steps, afterwards: 'last' }],
  });
  const operations = await operationsOf(context, [service.requests.promote(promoted), editRequest(context, edited)]);
  await service.abandon(service.requests.batch(operations));
  const [call] = await extension.ended(1, { objectId: promoted.oid }, { withinMs: patienceMs });
  notes.observe('a promote in a batch whose client has left is validated', call !== undefined);
  if (call === undefined) return;
  const versions = new Map([promoted, edited].map((thing) => [thing, thing.version]));
  const arrived = await countUntil(
    context,
    async () => {
      const now = await Promise.all(
        [...versions].map(async ([thing, before]) => (await service.snapshot(thing)).version > before),
      );
      return now.filter(Boolean).length;
    },
    versions.size,
  );
  expect(arrived, 'changes of 2 that arrived after the connection was cut during a validation').toEqual(versions.size);
}
