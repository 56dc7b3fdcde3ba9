import { editRequest, operationsOf } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Extension } from '../../../judge/extension/extension.ts';
import { triggeredTypes } from '../../../judge/extension/trigger-calls.ts';
import type { Thing } from '../../../judge/things.ts';
import { makeEditable } from '../../../judge/service/writes.ts';

const patienceMs = 10_000;

/** How long a validation takes, in ms: long after the connection was cut, and the longer one for a machine that is slow to cut it. */
const validationsMs = [300, 3000] as const;

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
  const extension = await given.extension({ types: ['ExternalValidation'] });
  const left = await leaveDuringValidation(context, extension);
  notes.observe('a promote in a batch whose client has left is validated', left !== undefined);
  if (left === undefined) return;
  const versions = new Map(left.map((thing) => [thing, thing.version]));
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

/** What a batch changes whose client has left while the validation of its promote went on; undefined where it is not validated. */
async function leaveDuringValidation(
  context: CaseContext,
  extension: Extension,
): Promise<readonly Thing[] | undefined> {
  const { given, service } = context;
  for (const delayMs of validationsMs) {
    const [promoted, edited] = [await given.object(), await makeEditable(context)];
    const about = { kind: 'validation', objectId: promoted.oid } as const;
    extension.concern(promoted);
    const steps = [{ json: { isValid: true, message: '' }, delayMs }];
    extension.setScript([{ when: about, steps, afterwards: 'last' }]);
    const operations = await operationsOf(context, [service.requests.promote(promoted), editRequest(context, edited)]);
    await service.abandon(service.requests.batch(operations));
    const isStill = extension.calls(about).every(({ endedAt }) => endedAt === undefined);
    if ((await extension.ended(1, about, { withinMs: patienceMs })).length === 0) return undefined;
    if (isStill || delayMs === Math.max(...validationsMs)) return [promoted, edited];
  }
  return undefined;
}
