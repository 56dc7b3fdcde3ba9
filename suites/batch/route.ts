import type { Profile } from '../../contract/profile.ts';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply, RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/given.ts';
import { absoluteUrl } from '../../judge/requests/absolute-url.ts';
import { filled } from '../../judge/requests/template.ts';
import { isListed } from '../../judge/listing.ts';
import { readOf, stateIn } from '../maturity/words.ts';
import type { Item } from '../multi-create/item.ts';
import { createdBy, namesIn } from '../../judge/multi-create-result.ts';
import { linkedPair } from '../multi-create/words.ts';
import { entriesIn, isWithoutValue } from '../patch/words.ts';
import { pointer, valueAt } from '../../judge/json-pointer.ts';
import { unescaped } from '../../judge/unescaped.ts';
import { editable } from '../../judge/writes.ts';
import { bodyOf, edit, nothingBehind, passed, resultsOf, sendBatch, staleEdit } from './words.ts';

type LockRoute = NonNullable<NonNullable<Profile['routes']>['lockTake']>;

export const routeCases = {
  'batch.route.create-and-edit': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const [member] = profile.scalars;
    const texts = [
      given.unique('created'),
      given.unique('merged'),
      given.unique('operated'),
      given.unique('appended'),
    ] as const;
    const [merged, operated] = [
      await editable(context),
      await given.objectWithEntries(2, { body: { [member]: given.unique() } }),
    ];
    const operations = [
      { op: 'replace', path: pointer(member), value: texts[2] },
      { op: 'add', path: pointer(operated.port.member), value: given.entry(texts[3], {}, operated.port) },
    ];
    const reply = await sendBatch(context, [
      service.requests.create(given.body({ [member]: texts[0] })),
      edit(context, merged, texts[1]),
      service.requests.operations(operated, operations),
    ]);
    expect(reply).toAnswer(200);
    const created = await service.get(String(bodyOf(resultsOf(reply)[0])['href']), { base: reply });
    expect(unescaped(created).includes(texts[0]), 'the created object holds its content', created).toEqual(true);
    expect((await service.snapshot(merged)).members[member], `${member} after a merge in a batch`, reply).toEqual(
      texts[1],
    );
    const after = await service.snapshot(operated);
    expect(after.members[member], `${member} after operations in a batch`, after.reply).toEqual(texts[2]);
    expect(
      entriesIn(after, operated.port).map((entry) => entry.members[operated.port.text]),
      'entries after operations in a batch',
      after.reply,
    ).toEqual([...operated.texts, texts[3]]);
  }),

  'batch.route.put': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const [first, second] = profile.scalars;
    const content = { [first]: given.unique(), [second]: given.unique() };
    const [replaced, merged] = [await given.object(content), await given.object(content)];
    const body = { [first]: given.unique() };
    const reply = await sendBatch(context, [
      service.requests.put(replaced, given.body(body)),
      service.requests.merge(merged, body),
    ]);
    expect(reply).toAnswer(200);
    const [afterPut, afterMerge] = [await service.snapshot(replaced), await service.snapshot(merged)];
    expect(afterPut.members[first], `${first} after PUT in a batch`, afterPut.reply).toEqual(body[first]);
    expect(
      isWithoutValue(afterPut.members[second]),
      `${second}, left out of the PUT, has no value`,
      afterPut.reply,
    ).toEqual(true);
    expect(afterMerge.members[second], `${second} after a merge in a batch`, afterMerge.reply).toEqual(content[second]);
  }),

  'batch.route.maturity-actions': scenario(async (context) => {
    const { service, expect, profile } = context;
    const [promoted, edited] = [await editable(context), await editable(context)];
    const before = stateIn(context, await readOf(context, promoted));
    const reply = await sendBatch(context, [service.requests.promote(promoted), edit(context, edited)]);
    expect(reply).toAnswer(200);
    expect(bodyOf(resultsOf(reply)[0])['version'], 'version in the result of a promote', reply).toEqual(
      promoted.version + 1,
    );
    const after = await readOf(context, promoted);
    expect(stateIn(context, after) ?? null, 'state after a promote in a batch', after).notToEqual(before ?? null);
    if (profile.all.routes?.demote === undefined) return;
    const demote = await sendBatch(context, [service.requests.demote({ ...promoted, version: promoted.version + 1 })]);
    expect(demote).toAnswer(200);
  }),

  'batch.route.lock-objects': scenario(async (context) => {
    const { given, expect, notes, profile } = context;
    const thing = await editable(context);
    const { lockTake, lockFree } = profile.all.routes ?? {};
    const taken = await sendBatch(context, [lockRequest(context, lockTake, thing)]);
    expect(taken).toAnswer(200);
    if (profile.all.identities.secondEditor !== undefined) {
      const other = await context.service.send(edit(context, await given.current(thing)), { as: 'secondEditor' });
      notes.observe('an edit by another editor while locked', other.status, other);
    }
    expect(await sendBatch(context, [lockRequest(context, lockFree, await given.current(thing))])).toAnswer(200);
    given.succeeded(
      await context.service.send(edit(context, await given.current(thing))),
      'an edit after the lock was freed',
    );
  }),

  'batch.route.multi-create': scenario(async (context) => {
    const { service, given, expect, profile } = context;
    const thing = await editable(context);
    const shown = given.unique('together');
    const pair = linkedPair(context, { [profile.scalars[0]]: shown });
    const reply = await sendBatch(context, [service.requests.multiCreate(pair.items), edit(context, thing)]);
    expect(reply).toAnswer(200);
    await isCreated(context, reply, pair.items, shown);
    expect((await service.snapshot(thing)).version, 'version of the edited object').toEqual(thing.version + 1);

    const text = given.unique('undone');
    const undone = linkedPair(context, { [profile.scalars[0]]: text });
    const requests = [service.requests.multiCreate(undone.items), staleEdit(context, thing)];
    const failed = await sendBatch(context, requests);
    expect(failed).toAnswer(500);
    await nothingBehind(context, failed, resultsOf(failed).slice(0, 1), requests);
    if (profile.all.routes?.instanceListing !== undefined)
      expect(await isListed(context, text), 'an object of a batch that failed is listed', failed).toEqual(false);
  }),

  'batch.relation.across-operations-impossible': scenario(async (context) => {
    const { service, given, expect } = context;
    const pair = linkedPair(context);
    const [target, referrer] = pair.items;
    const withId = { ...createOf(context, target), body: { ...target.data, $id: target.$id } };
    const reply = await sendBatch(context, [withId, createOf(context, referrer)]);
    const hrefs = reply.status === 200 ? passed(context, reply).map((result) => bodyOf(result)['href']) : [];
    const stored = typeof hrefs[1] === 'string' ? await service.get(hrefs[1], { base: reply }) : undefined;
    const targetOid = typeof hrefs[0] === 'string' ? decodeURIComponent(hrefs[0].split('/').at(-1) ?? '') : undefined;
    const linked = stored?.status === 200 && targetOid !== undefined && unescaped(stored).includes(targetOid);
    expect(linked, 'an object refers to one that another operation of the batch created', stored ?? reply).toEqual(
      false,
    );
    const together = await service.multiCreate(pair.items);
    given.succeeded(together, 'the same two items in one multi-create', ['multi-create.reference.backward']);
  }),
} satisfies SomeCasesOf<'batch'>;

/** The objects of a multi-create in a batch exist: by the URIs in its result, which need not be there, or by the text that the listing shows. */
async function isCreated(context: CaseContext, reply: Reply, items: readonly Item[], text: string): Promise<void> {
  const { given, expect, profile } = context;
  const answer = valueAt(resultsOf(reply)[0], profile.all.multiCreate?.resultInBatch ?? '/body');
  if (namesIn(context, answer, items) !== undefined) {
    for (const read of await createdBy(context, reply, items, answer)) expect(read).toAnswer(200);
    return;
  }
  if (profile.all.routes?.instanceListing === undefined)
    given.inconclusive(
      'what a multi-create in a batch created cannot be found: bind multiCreate.resultInBatch or routes.instanceListing in the profile',
    );
  expect(await isListed(context, text), 'an object of a multi-create in a batch is listed', reply).toEqual(true);
}

/** With the version where the method is one that needs it. */
function lockRequest({ profile }: CaseContext, route: LockRoute | undefined, { oid, version }: Thing): RequestSpec {
  const { method = 'POST', path = '', body } = route ?? {};
  const url = absoluteUrl(profile.all, filled(path, { spaceId: profile.all.space, objectId: oid }));
  const filledIn: unknown =
    body && JSON.parse(JSON.stringify(body).replaceAll('{objectId}', JSON.stringify(oid).slice(1, -1)));
  return {
    method,
    url,
    as: 'editor',
    ...(body && { body: filledIn }),
    ...((method === 'PUT' || method === 'PATCH') && { version }),
  };
}

function createOf({ service, profile }: CaseContext, item: Item): RequestSpec {
  const type = item.$softType === profile.second.definitionId ? profile.second : profile.primary;
  return service.requests.create(item.data, { type, space: profile.all.space });
}
