import { bodyOfResult, resultsOf, sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../../judge/exchange.ts';
import { mostPromotes, promoteOn, stateIn } from '../../../judge/service/maturity.ts';
import { readVersion } from '../../../judge/service/writes.ts';
import type { Thing } from '../../../judge/things.ts';
import { statesIn } from './states-kept.ts';

/** A maturity action in a batch, its first operation, did what it did to the twin by its own route. */
export async function expectMoved(
  context: CaseContext,
  reply: Reply,
  thing: Thing,
  twin: Thing,
  raised = 1,
): Promise<void> {
  const { expect } = context;
  const version = thing.version + raised;
  expect(bodyOfResult(resultsOf(reply)[0])['version'], 'version in the result of a maturity action', reply).toEqual(
    version,
  );
  expect(await readVersion(context, thing), 'version after a maturity action in a batch', reply).toEqual(version);
  const [read, own] = [await context.service.read(thing), await context.service.read(twin)];
  expect(stateIn(context, read) ?? null, 'state after a maturity action in a batch', read).toEqual(
    stateIn(context, own) ?? null,
  );
}

/** Further promotes do the same, as often as the twin takes one. */
export async function expectMovedOn(context: CaseContext, promoted: Thing, twin: Thing): Promise<void> {
  const { given, service, expect } = context;
  for (let count = 1; count <= mostPromotes; count += 1) {
    const own = await service.promote(await given.current(twin));
    if (!isSuccess(own.status)) return;
    const thing = await given.current(promoted);
    const reply = await sendBatch(context, [service.requests.promote(thing)]);
    expect(reply).toAnswer(200);
    await expectMoved(context, reply, thing, twin);
  }
}

/** Two levels of one object that are promoted in one batch stand where single promotes lead. */
export async function expectBothLevelsMoved(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { secondLevelId } = profile.all.maturity ?? {};
  if (secondLevelId === undefined) return;
  const promotes = (thing: Thing): readonly RequestSpec[] => [
    service.requests.promote(thing),
    promoteOn(context, { ...thing, version: thing.version + 1 }, secondLevelId),
  ];
  const [together, twin] = [await given.object(), await given.object()];
  for (const request of promotes(twin)) given.succeeded(await service.send(request), 'a promote by its own route');
  const reply = await sendBatch(context, promotes(together));
  notes.observe('two levels of one object are promoted in a batch', reply.status, reply);
  if (reply.status !== 200) return;
  const [read, own] = [await context.service.read(together), await context.service.read(twin)];
  expect(statesIn(read), 'states after promotes of two levels in a batch', read).toEqual(statesIn(own));
}
