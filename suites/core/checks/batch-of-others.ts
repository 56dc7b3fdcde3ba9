import { isTooLong, operationsOf, resultsOf, sendBatch, statusesOf } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type RequestSpec } from '../../../judge/exchange.ts';
import type { Thing } from '../../../judge/things.ts';
import { editRoutes, makeEditable, otherWrites } from '../../../judge/service/writes.ts';

/** Source: core, Limits (operations per batch) */
const moreThanGuideline = 101;

/** The role decides on every way to edit; the editor's own edit at the same version shows that nothing was changed. */
export async function expectWritesOfReaderRefused(context: CaseContext): Promise<void> {
  const { expect, notes } = context;
  for (const route of [
    ...editRoutes(context).filter(({ name }) => name !== 'merge PATCH'),
    ...otherWrites(context).filter(({ name }) => name !== 'batch'),
  ]) {
    const request = route.request(await makeEditable(context));
    const refused = await sendBatch(context, [request], { as: 'reader' });
    const allowed = await sendBatch(context, [request]);
    const isJudged = allowed.status === 200 || refused.status === 200;
    notes.observe(`a ${route.name} in a batch of the reader is judged`, isJudged, allowed);
    if (!isJudged) continue;
    expect(refused).toAnswer(500);
    expect(statusesOf(refused)[0], `statusCode of a ${route.name} by a reader`, refused).toEqual(403);
    expect(allowed).toAnswer(200);
  }
  await expectRemovalRefused(context);
}

/** A read that passes lets nothing else pass at its path. What no batch carries out for the editor is not judged. */
async function expectRemovalRefused(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  if (profile.all.routes?.softTypeDelete === undefined) return;
  const thing = await makeEditable(context);
  const requests = [service.requests.read(thing), { ...service.requests.remove(thing), version: thing.version }];
  const refused = await sendBatch(context, requests, { as: 'reader' });
  const allowed = await sendBatch(context, requests);
  const isJudged = allowed.status === 200 || refused.status === 200;
  notes.observe('a DELETE behind a read in a batch of the reader is judged', isJudged, allowed);
  if (!isJudged) return;
  expect(refused).toAnswer(500);
  expect(statusesOf(refused)[1], 'statusCode of a DELETE by a reader, behind a read of the object', refused).toEqual(
    403,
  );
}

/** Whoever may create and read, be it by several roles, may do both in a batch. */
export async function expectTakenFromOthers(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const read = service.requests.read(await given.object());
  for (const as of ['secondEditor', 'spaceAdministrator'] as const) {
    if (profile.all.identities[as] === undefined) continue;
    const create = (): RequestSpec => service.requests.create(given.body());
    const alone = [await service.send(create(), { as }), await service.send(read, { as })];
    const isLetIn = alone.every(({ status }) => isSuccess(status));
    notes.observe(`the ${as} creates and reads`, isLetIn);
    if (isLetIn) expect(await sendBatch(context, [create(), read], { as })).toAnswer(200);
  }
}

/** How many operations a batch may have does not hang on the role: whoever may send one read may send more than the guideline has. */
export async function expectManyOperationsOfOthers(context: CaseContext, thing: Thing): Promise<void> {
  const { service, expect, notes, profile } = context;
  const read = service.requests.read(thing);
  for (const as of ['reader', 'secondEditor', 'spaceAdministrator'] as const) {
    if (profile.all.identities[as] === undefined) continue;
    const one = await sendBatch(context, [read], { as });
    notes.observe(`status of a batch of one read by the ${as}`, one.status, one);
    if (one.status !== 200) continue;
    const operations = await operationsOf(
      context,
      Array.from({ length: moreThanGuideline }, () => read),
    );
    const many = await service.batch(operations, { as });
    if (many.status >= 400 && (await isTooLong(context, operations))) continue;
    expect(many).toAnswer(200);
    expect(resultsOf(many).length, `results of ${moreThanGuideline} reads by the ${as}`, many).toEqual(
      moreThanGuideline,
    );
  }
}
