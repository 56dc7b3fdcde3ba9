import { editRequest, sendBatch, statusesOf } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { RequestSpec } from '../../../judge/exchange.ts';
import type { Thing } from '../../../judge/things.ts';
import { editRoutes, lockRequest, makeEditable } from '../../../judge/service/writes.ts';

/**
 * Whatever route an operation takes to an object that is not there: where its result says that it failed, so does the batch, and the edit ahead
 * of it is undone. Which of them fail, a removal of nothing for one, is not said.
 */
export async function expectEveryFailureTold(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  for (const [what, request] of waysToNothing(context)) {
    const thing = await makeEditable(context);
    const before = await service.snapshot(thing);
    const nothing = { ...thing, oid: given.unknownOid(thing) };
    const reply = await sendBatch(context, [editRequest(context, thing), request(nothing)]);
    notes.observe(`status of a batch with ${what} of no object`, reply.status, reply);
    if (reply.status >= 300 && reply.status !== 500) continue;
    const [, failed] = statusesOf(reply);
    if (!(Number(failed) >= 400)) continue;
    expect(reply).toAnswer(500);
    expect.unchanged(before, await service.snapshot(thing));
  }
}

function waysToNothing(
  context: CaseContext,
): readonly (readonly [what: string, request: (nothing: Thing) => RequestSpec])[] {
  const { service, profile } = context;
  const { requests } = service;
  const { lockTake, lockFree, softTypeDelete, demote } = profile.all.routes ?? {};
  return [
    ['a read', (nothing) => requests.read(nothing)],
    ['a read by the long route', (nothing) => requests.readLong(nothing)],
    ...editRoutes(context).map(({ name, request }) => [`a ${name}`, request] as const),
    ...(demote === undefined ? [] : [['a demote', (nothing: Thing) => requests.demote(nothing)] as const]),
    ...(softTypeDelete === undefined ? [] : [['a DELETE', (nothing: Thing) => requests.remove(nothing)] as const]),
    ...[lockTake, lockFree].flatMap((route) =>
      route === undefined ? [] : [['a lock route', (nothing: Thing) => lockRequest(context, route, nothing)] as const],
    ),
  ];
}
