import { isDeepStrictEqual } from 'node:util';
import { editRequest } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import { readLastCreated } from '../../../judge/service/multi-create.ts';
import type { Snapshot } from '../../../judge/service/target.ts';
import type { Thing } from '../../../judge/things.ts';
import { withBearer } from '../../../judge/service/token.ts';
import { asOperation, editRoutes, makeEditable, type WriteRoute } from '../../../judge/service/writes.ts';

/** What its owner does with a token of the grant is done with a personal one as well. */
export async function expectEveryWriteOpen(context: CaseContext, pat: string): Promise<void> {
  const { service, expect, notes, profile } = context;
  const { requests } = service;
  const routes: readonly WriteRoute[] = [
    ...editRoutes(context),
    ...(profile.offers('batch')
      ? [{ name: 'batch', request: (thing: Thing) => requests.batch([asOperation(editRequest(context, thing))]) }]
      : []),
    { name: 'long read', request: (thing: Thing) => requests.readLong(thing) },
  ];
  for (const { name, request } of routes) {
    const [one, other] = [await makeEditable(context), await makeEditable(context)];
    const [oneBefore, otherBefore] = [await service.snapshot(one), await service.snapshot(other)];
    const alone = await service.send(request(one));
    notes.observe(`status of a ${name} by a token of the grant`, alone.status, alone);
    if (!isSuccess(alone.status)) continue;
    const reply = await service.send(request(other), withBearer(pat));
    expect(reply).toSucceed();
    const told = madeOf(profile.textMember, oneBefore, await service.snapshot(one));
    const made = madeOf(profile.textMember, otherBefore, await service.snapshot(other));
    expect(made, `what a ${name} by a personal access token makes of an object`, reply).toEqual(told);
  }
  await expectMadeByToken(context, pat);
}

/** What is created by the token is there, with its content. */
async function expectMadeByToken(context: CaseContext, pat: string): Promise<void> {
  const { given, service, expect, profile } = context;
  const { textMember: member, primary } = profile;
  const { definitionId } = primary;
  const body = (): Readonly<Record<string, unknown>> => given.body({ [member]: given.unique() });
  const alone = body();
  const created = await service.create(alone, withBearer(pat));
  expect(created).toSucceed();
  const { location } = created.headers;
  if (location === undefined) return;
  const read = await service.get(location, { base: created });
  expect(read).toAnswer(200);
  expect(dataOf(read)[member], `${member} as created by a personal access token`, read).toEqual(alone[member]);
  if (!profile.offers('multi-create')) return;
  const items = [body(), body()].map((data) => ({ $id: given.unique('item'), $softType: definitionId, data }));
  const many = await service.multiCreate(items, withBearer(pat));
  if (!isSuccess(many.status)) return;
  for (const [index, each] of (await readLastCreated(context, many, items, items.length)).entries())
    expect(dataOf(each)[member], `${member} of an item of a personal access token`, each).toEqual(
      items[index]?.data[member],
    );
}

/** What a write does that is the same for each object that is made alike. */
function madeOf(member: string, before: Snapshot, after: Snapshot): object {
  return {
    versions: after.version - before.version,
    hasOtherText: !isDeepStrictEqual(after.members[member], before.members[member]),
  };
}
