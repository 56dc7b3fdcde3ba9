import { isDeepStrictEqual } from 'node:util';
import {
  assumePassed,
  bodyOfResult,
  editRequest,
  expectNothingBehind,
  resultsOf,
  sendBatch,
  staleEditRequest,
  sendOtherwise,
} from '../../judge/service/batch.ts';
import { type CaseContext, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import type { Owner, Thing } from '../../judge/things.ts';
import { pointer, valueAt } from '../../judge/json.ts';
import { isListed, isListedSoon } from '../../judge/service/queries.ts';
import { readCurrentState, stateIn } from '../../judge/service/maturity.ts';
import {
  type MultiCreateItem,
  namesIn,
  oidOf,
  readCreated,
  readWhole,
  targetsOf,
} from '../../judge/service/multi-create.ts';
import { rules } from '../../judge/rule.ts';
import { dataOf, entriesOf, plainTextOf, versionOf } from '../../judge/service/answers.ts';
import { findNoText, textsKept } from '../../judge/service/texts.ts';
import { insteadOfRefusal } from '../../judge/violation.ts';
import { lockRequest, makeEditable } from '../../judge/service/writes.ts';
import { item } from '../../judge/service/referrers.ts';
import { expectBatchMadeAnew } from './checks/again.ts';
import { expectAlikeInBatch, operationWrites, wholeWrites } from './checks/alike-in-batch.ts';
import { expectInnerDropped } from './checks/inner-dropped.ts';
import { expectHundredTaken } from './checks/long-values.ts';
import { exchanged, expectReferences, linkedPair } from './checks/multi-create-items.ts';
import { expectEveryKindStored } from './checks/every-kind.ts';
import { expectBothLevelsMoved, expectMoved, expectMovedOn } from './checks/moves-in-batch.ts';
import { addingInBatch, writingInBatch } from './checks/member-writes.ts';
import { expectNumbersKept } from './checks/number-kinds.ts';
import { expectOwnMembers } from './checks/own-members.ts';
import { expectRemovedInBatch } from './checks/member-operations.ts';
import { add, entriesIn, plainValues, replace } from './checks/operation-steps.ts';
import { expectReferencesMergedInBatch, expectReferencesReplaced } from './checks/references-written.ts';

export const batchRouteRules = rules('batch', {
  'batch.route.create-and-edit': {
    source: 'core: Batch rules 2 and 5',
    statement:
      'POST creates and PATCH edits in a batch as on the single routes, merge and operations form alike, chosen by the `Content-Type` in the operation; each holds what its own payload holds, and nothing of that of another. Creates that were sent before make objects of their own.',
    fault: 'the Content-Type of an operation is ignored, so operations are merged as content',
    needs: ['soft-type', 'text-member', 'array-port', 'operations', 'batch'],
    after: ['batch.success.status-200', 'patch.content-type.selects-operations'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const member = profile.textMember;
      const ending = (await textsKept(context)).endings.join('');
      const texts = [
        given.unique('created') + ending,
        given.unique('merged') + ending,
        given.unique('operated') + ending,
        given.unique('appended') + ending,
      ] as const;
      const [merged, operated] = [
        await makeEditable(context),
        await given.objectWithEntries(2, { body: { [member]: given.unique() } }),
      ];
      await expectRemovedInBatch(context);
      const operations = [
        replace(pointer(member), texts[2]),
        add(pointer(operated.port.member), given.entry(texts[3], {}, operated.port)),
      ];
      const reply = await sendBatch(context, [
        service.requests.create(given.body({ [member]: texts[0] })),
        editRequest(context, merged, texts[1]),
        service.requests.operations(operated, operations),
      ]);
      expect(reply).toAnswer(200);
      const created = await readCreatedFirst(context, reply);
      const held = JSON.stringify(texts[0]).slice(1, -1);
      expect(plainTextOf(created).includes(held), 'the created object holds its content', created).toEqual(true);
      expect((await service.snapshot(merged)).members[member], `${member} after a merge in a batch`, reply).toEqual(
        texts[1],
      );
      const after = await service.snapshot(operated);
      expect(after.members[member], `${member} after operations in a batch`, after.reply).toEqual(texts[2]);
      expect(
        entriesIn(after, operated.port)
          .map((entry) => entry.members[operated.port.text])
          .toSorted(),
        'entries after operations in a batch',
        after.reply,
      ).toEqual([...operated.texts, texts[3]].toSorted());
      await expectNumbersInBatch(context);
      await expectLongTextInBatch(context);
      await expectCreatesApart(context);
      await expectBatchMadeAnew(context);
      await expectOwnMembers(context, 'creates of a batch', async (bodies) => {
        const made = await sendBatch(
          context,
          bodies.map((body) => service.requests.create(body)),
        );
        if (made.status !== 200) return undefined;
        const hrefs = resultsOf(made).map((result) => String(bodyOfResult(result)['href']));
        const reads = hrefs.map((href) => service.get(href, { base: made }));
        return Promise.all(reads.map(async (read) => readWhole(context, await read)));
      });
      await expectEveryKindStored(context, 'writes of a batch', writingInBatch(context), { mayJoinLists: true });
      if (profile.offers('operations'))
        await expectEveryKindStored(context, 'adds of a batch', addingInBatch(context), { isAdding: true });
      await expectAlikeInBatch(context, operationWrites(context));
      await expectReferencesMergedInBatch(context);
      await expectHundredTaken(context, 'a create in a batch', async (content) => {
        const long = await sendBatch(context, [service.requests.create(given.body(content))]);
        return long.status === 200 ? readCreatedFirst(context, long) : undefined;
      });
    }),
  },
  'batch.route.put': {
    source: 'core: Batch rules 2 and 5',
    statement:
      'A PUT operation replaces all content of its target by its own, that inside an object or of an entry that is taken back too, behind another one too, and behind another edit of the same object where the batch takes both.',
    fault: 'PUT inside a batch merges',
    needs: ['soft-type', 'scalar-members', 'put-route', 'batch'],
    after: ['batch.success.status-200', 'patch.put.drops-absent-members'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const [first, second] = profile.scalars;
      const content = () => ({ [first]: given.unique(), [second]: given.unique() });
      const kept = content();
      const [replaced, merged] = [await given.object(content()), await given.object(kept)];
      const body = { [first]: given.unique() };
      const { second: type } = profile.all.softTypes ?? {};
      const further = type && (await given.object({}, { type }));
      const filled = await given.object();
      const reply = await sendBatch(context, [
        service.requests.put(filled, given.body(content())),
        service.requests.put(replaced, given.body(body)),
        service.requests.merge(merged, { [first]: given.unique() }),
        ...(further === undefined ? [] : [service.requests.put(further, given.body({}, further.type))]),
      ]);
      expect(reply).toAnswer(200);
      const [afterPut, afterMerge] = [await service.snapshot(replaced), await service.snapshot(merged)];
      expect(afterPut.members[first], `${first} after PUT in a batch`, afterPut.reply).toEqual(body[first]);
      expect(afterPut.members[second], `${second}, left out of the PUT,`, afterPut.reply).toSatisfy(
        'without a value',
        await findNoText(context),
      );
      expect(afterMerge.members[second], `${second} after a merge in a batch`, afterMerge.reply).toEqual(kept[second]);
      await expectReplacedBehindEdits(context);
      await expectArraysReplaced(context);
      await expectReferencesReplaced(context);
      await expectInnerDropped(context, (thing, content) => sendBatch(context, [service.requests.put(thing, content)]));
      if (profile.primary.arrayPort !== undefined) await expectAlikeInBatch(context, wholeWrites(context));
    }),
  },
  'batch.route.maturity-actions': {
    source: 'core: Batch rules 2',
    statement:
      'Promote and demote run inside a batch with the effect of the single routes, up to the last state, before and behind an edit of the same object too, and their results tell the new version.',
    fault: 'maturity routes are unknown to the batch',
    needs: ['soft-type', 'text-member', 'maturity', 'batch'],
    after: ['batch.success.status-200', 'maturity.promote.moves-state', 'maturity.demote.version-plus-one'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const [promoted, twin, edited] = [
        await makeEditable(context),
        await makeEditable(context),
        await makeEditable(context),
      ];
      const before = await readCurrentState(context, promoted);
      given.succeeded(await service.promote(twin), 'a promote by its own route', ['maturity.promote.status-204']);
      const reply = await sendBatch(context, [service.requests.promote(promoted), editRequest(context, edited)]);
      expect(reply).toAnswer(200);
      await expectMoved(context, reply, promoted, twin);
      const after = await context.service.read(promoted);
      expect(stateIn(context, after) ?? null, 'state after a promote in a batch', after).notToEqual(before);
      await expectMovedOn(context, promoted, twin);
      await expectBothLevelsMoved(context);
      await expectEditBesideMove(context);
      if (profile.all.routes?.demote === undefined) return;
      const [moved, other] = [await given.current(promoted), await given.current(twin)];
      given.succeeded(await service.demote(other), 'a demote by its own route', ['maturity.demote.version-plus-one']);
      const demote = await sendOtherwise(context, [service.requests.demote(moved)]);
      expect(demote).toAnswer(200);
      const { version } = await given.current(other);
      await expectMoved(context, demote, moved, other, version - other.version);
    }),
  },
  'batch.route.lock-objects': {
    source: 'core: Batch rules 2; Endpoints, lock-object routes not shown',
    statement: 'The lock object routes are accepted as batch operations.',
    fault: 'lock routes are unknown to the batch',
    needs: ['soft-type', 'lock-route', 'batch'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, expect, notes, profile } = context;
      const thing = await makeEditable(context);
      const { lockTake, lockFree } = profile.all.routes ?? {};
      const taken = await sendBatch(context, [lockRequest(context, lockTake, thing)]);
      expect(taken).toAnswer(200);
      if (profile.all.identities.secondEditor !== undefined) {
        const other = await context.service.send(editRequest(context, await given.current(thing)), {
          as: 'secondEditor',
        });
        notes.observe('an edit by another editor while locked', other.status, other);
      }
      expect(await sendBatch(context, [lockRequest(context, lockFree, await given.current(thing))])).toAnswer(200);
      given.succeeded(
        await context.service.send(editRequest(context, await given.current(thing))),
        'an edit after the lock was freed',
      );
    }),
  },
  'batch.route.multi-create': {
    source: 'core: Batch rules 4',
    statement:
      'A multi-create may be one operation of a batch, behind others too and by an href of every form that is taken, and takes part in its change set; its `$id`s count inside it alone, where another one gives them to other SoftTypes as well, and lead forward and back.',
    fault: 'a multi-create inside a batch commits on its own',
    needs: [
      'soft-type',
      'text-member',
      'second-soft-type',
      'reference-port',
      'multi-create-result',
      'batch',
      'multi-create',
    ],
    after: ['batch.success.status-200', 'multi-create.reference.forward'],
    test: scenario(async (context) => {
      const { service, given, expect, profile } = context;
      const thing = await makeEditable(context);
      const shown = given.unique('together');
      const pair = linkedPair(context, { [profile.textMember]: shown });
      const reply = await sendBatch(context, [service.requests.multiCreate(pair.items), editRequest(context, thing)]);
      expect(reply).toAnswer(200);
      await expectIdsOfTheirOwn(context);
      await expectForwardReference(context);
      await expectUnknownTypeFails(context);
      await expectCreated(context, reply, pair.items, shown);
      expect((await service.snapshot(thing)).version, 'version of the edited object').toEqual(thing.version + 1);

      const text = given.unique('undone');
      const undone = linkedPair(context, { [profile.textMember]: text });
      const requests = [service.requests.multiCreate(undone.items), staleEditRequest(context, thing)];
      const failed = await sendBatch(context, requests);
      expect(failed).toAnswer(500);
      await expectNothingBehind(context, failed, requests);
      if (profile.all.routes?.instanceListing !== undefined)
        expect(await isListed(context, text), 'an object of a batch that failed is listed', failed).toEqual(false);
    }),
  },
  'batch.relation.across-operations-impossible': {
    source: 'core: Batch rules 4',
    statement:
      'Two separate create operations of a batch cannot refer to each other, be they creates or multi-creates, whichever comes first.',
    fault: 'temporary ids are shared by all operations of a batch',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result', 'batch', 'multi-create'],
    after: ['batch.route.multi-create'],
    test: scenario(async (context) => {
      const { service, given, expect, profile } = context;
      const pair = linkedPair(context);
      const [target, referrer] = pair.items;
      const withId = { ...createOf(context, target), body: { ...target.data, $id: target.$id } };
      const reply = await sendBatch(context, [withId, createOf(context, referrer)]);
      const hrefs =
        reply.status === 200 ? assumePassed(context, reply).map((result) => bodyOfResult(result)['href']) : [];
      const stored =
        typeof hrefs[1] === 'string'
          ? await readWhole(context, await service.get(hrefs[1], { base: reply }))
          : undefined;
      const targetOid = typeof hrefs[0] === 'string' ? decodeURIComponent(hrefs[0].split('/').at(-1) ?? '') : undefined;
      const leadTo = (read: Reply, oid: string): Promise<readonly string[]> =>
        insteadOfRefusal<readonly string[], readonly string[]>([], async () =>
          targetsOf(context, read, profile.primary, [oid]),
        );
      const linked =
        stored?.status === 200 && targetOid !== undefined && (await leadTo(stored, targetOid)).includes(targetOid);
      expect(linked, 'an object refers to one that another operation of the batch created', stored ?? reply).toEqual(
        false,
      );
      for (const apart of [pair.items, pair.items.toReversed()]) await expectApart(context, apart);
      const together = await service.multiCreate(pair.items);
      given.succeeded(together, 'the same two items in one multi-create', ['multi-create.reference.backward']);
    }),
  },
});

/** Two items, each in a multi-create of its own: a batch of these is refused, or makes no relation between them. */
async function expectApart(context: CaseContext, items: readonly MultiCreateItem[]): Promise<void> {
  const { service, expect, notes, profile } = context;
  const reply = await sendBatch(
    context,
    items.map((item) => service.requests.multiCreate([item])),
  );
  notes.observe('two multi-creates of which one refers to an item of the other', reply.status, reply);
  if (reply.status !== 200) return;
  const reads: Reply[] = [];
  for (const [index, item] of items.entries()) {
    const answer = valueAt(resultsOf(reply)[index], profile.all.multiCreate?.resultInBatch ?? '/body');
    if (namesIn(context, answer, [item]) !== undefined)
      reads.push(...(await readCreated(context, reply, [item], answer)));
  }
  const oids = reads.map(oidOf);
  const linked = reads.flatMap((read) => targetsOf(context, read, profile.primary, oids));
  const own = linked.filter((target) => oids.includes(target));
  expect(own, 'references to objects that another multi-create of the batch made', reply).toEqual([]);
}

/** A text that is too long for the target may be refused in a batch, but not cut. */
async function expectLongTextInBatch(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const member = profile.textMember;
  const text = `${'long '.repeat(14_000)}${given.unique()}`;
  const reply = await sendBatch(context, [service.requests.create(given.body({ [member]: text }))]);
  notes.observe(`a text of ${text.length} characters in a batch`, reply.status, reply);
  if (reply.status !== 200) return;
  const created = await readCreatedFirst(context, reply);
  expect(plainTextOf(created).includes(text), 'the created object holds its long text', created).toEqual(true);
}

/** Numbers come back as they were given from a create, a merge, a replace and a PUT of one batch, whose hrefs have another form where there is one. */
async function expectNumbersInBatch(context: CaseContext): Promise<void> {
  const { given, service, profile } = context;
  await expectNumbersKept(context, 'writes of a batch', async (numbers) => {
    const [merged, operated] = [await given.object(), await given.object(plainValues(profile.primary).fullest)];
    const put = profile.all.routes?.softTypePut === undefined ? undefined : await given.object();
    const operations = Object.entries(numbers).map(([name, number]) => replace(pointer(name), number));
    const reply = await sendOtherwise(context, [
      service.requests.create(given.body(numbers)),
      service.requests.merge(merged, numbers),
      service.requests.operations(operated, operations),
      ...(put === undefined ? [] : [service.requests.put(put, given.body(numbers))]),
    ]);
    return {
      reply,
      reads: async () => [
        await readCreatedFirst(context, reply),
        await service.read(merged),
        await service.read(operated),
        ...(put === undefined ? [] : [await service.read(put)]),
      ],
    };
  });
}

/** What the first operation of a batch has created. */
async function readCreatedFirst(context: CaseContext, reply: Reply): Promise<Reply> {
  const { href } = bodyOfResult(resultsOf(reply)[0]);
  return readWhole(context, await context.service.get(String(href), { base: reply }));
}

/** An $id counts inside its own multi-create, so that another one behind it may use it again and refers to its own item. Their hrefs have every form that is taken. */
async function expectIdsOfTheirOwn(context: CaseContext): Promise<void> {
  const { service, expect, profile } = context;
  const [one, other] = [linkedPair(context).items, linkedPair(context).items];
  const { port = '' } = profile.primary.reference ?? {};
  const twin = [
    { ...other[0], $id: one[0].$id },
    { ...other[1], $id: one[1].$id, data: { ...other[1].data, [port]: one[1].data[port] } },
  ];
  // what is a name in one list may be that of another SoftType in the next
  const lists = [one, twin, exchanged(context, one)];
  const reply = await sendOtherwise(
    context,
    lists.map((items) => service.requests.multiCreate(items)),
  );
  expect(reply).toAnswer(200);
  for (const [index, items] of lists.entries()) {
    const result = resultsOf(reply)[index];
    const answer = valueAt(result, profile.all.multiCreate?.resultInBatch ?? '/body');
    if (namesIn(context, answer, items) === undefined) continue;
    const [target, referrer] = await readCreated(context, reply, items, answer);
    expectReferences(context, referrer, [target]);
  }
}

/** An item of a SoftType that the space does not have is no more passed over in a batch than alone. */
async function expectUnknownTypeFails(context: CaseContext): Promise<void> {
  const { service, given, expect } = context;
  for (const place of [0, 1, 2]) {
    const [one, other] = [item(context), item(context)];
    const unknown = { ...item(context), $softType: given.unique('no-type') };
    const items = [one, other].toSpliced(place, 0, unknown);
    const reply = await sendBatch(context, [service.requests.multiCreate(items)]);
    expect(reply).notToSucceed();
  }
}

/** In a batch, too, an item refers to one that stands behind it. */
async function expectForwardReference(context: CaseContext): Promise<void> {
  const { service, expect, profile } = context;
  const items = linkedPair(context).items.toReversed();
  const reply = await sendBatch(context, [service.requests.multiCreate(items)]);
  expect(reply).toAnswer(200);
  const answer = valueAt(resultsOf(reply)[0], profile.all.multiCreate?.resultInBatch ?? '/body');
  if (namesIn(context, answer, items) === undefined) return;
  const [referrer, target] = await readCreated(context, reply, items, answer);
  expectReferences(context, referrer, [target]);
}

/** The objects of a multi-create in a batch exist: by the URIs in its result, which need not be there, or by the text that the listing shows. */
async function expectCreated(
  context: CaseContext,
  reply: Reply,
  items: readonly MultiCreateItem[],
  text: string,
): Promise<void> {
  const { given, expect, profile } = context;
  const answer = valueAt(resultsOf(reply)[0], profile.all.multiCreate?.resultInBatch ?? '/body');
  if (namesIn(context, answer, items) !== undefined) {
    const { items: others } = linkedPair(context);
    const alone = await readCreated(context, await context.service.multiCreate(others), others);
    for (const [index, read] of (await readCreated(context, reply, items, answer)).entries()) {
      expect(read).toAnswer(200);
      const { [index]: other } = alone;
      if (other === undefined) continue;
      expect(versionOf(read), 'version of an object of a multi-create in a batch', read).toEqual(versionOf(other));
      const states = [read, other].map((one) => stateIn(context, one) ?? null);
      expect(states[0], 'current state of an object of a multi-create in a batch', read).toEqual(states[1]);
    }
    return;
  }
  if (profile.all.routes?.instanceListing === undefined)
    given.inconclusive(
      'what a multi-create in a batch created cannot be found: bind multiCreate.resultInBatch or routes.instanceListing in the profile',
    );
  expect(await isListedSoon(context, text), 'an object of a multi-create in a batch is listed', reply).toEqual(true);
}

/** An edit and a move of one object in one batch, in either order, leave what they leave by their own routes. */
async function expectEditBesideMove(context: CaseContext): Promise<void> {
  const { given, service, profile } = context;
  const text = given.unique('beside');
  const { routes } = profile.all;
  const { arrayPort } = profile.primary;
  const more = arrayPort === undefined ? [] : [add(pointer(arrayPort.member), given.entry(text, {}, profile.port))];
  const operations = [replace(pointer(profile.textMember), text), ...more];
  const edits: readonly ((thing: Thing) => RequestSpec)[] = [
    (thing) => editRequest(context, thing, text),
    ...(profile.offers('operations') ? [(thing: Thing) => service.requests.operations(thing, operations)] : []),
    ...(routes?.softTypePut === undefined
      ? []
      : [(thing: Thing) => service.requests.put(thing, given.body({ [profile.textMember]: text }))]),
  ];
  for (const edit of edits) {
    for (const pair of twoOrders(edit, (thing) => service.requests.promote(thing)))
      await expectAsAlone(context, pair, () => makeEditable(context));
    if (routes?.demote === undefined) continue;
    for (const pair of twoOrders(edit, (thing) => service.requests.demote(thing)))
      await expectAsAlone(context, pair, () => makeEditablePromoted(context));
  }
}

/** Which version the second edit of an object has to name is not said, nor that a batch takes two. Source: ledger batch-same-object-twice */
async function expectReplacedBehindEdits(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const [first, second] = profile.scalars;
  const isNone = await findNoText(context);
  for (const [index, what] of ['PUT', 'merge', 'list of operations'].entries()) {
    if (index === 2 && !profile.offers('operations')) continue;
    const thing = await given.object({ [first]: given.unique(), [second]: given.unique() });
    const edit = { [second]: given.unique() };
    const edits = [
      () => service.requests.put(thing, given.body(edit)),
      () => service.requests.merge(thing, edit),
      () => service.requests.operations(thing, [replace(pointer(second), edit[second])]),
    ];
    const body = given.body({ [first]: given.unique() });
    const put = { ...service.requests.put(thing, body), version: thing.version + 1 };
    const reply = await sendBatch(context, [given.present(edits[index], 'an edit')(), put]);
    notes.observe(`status of a batch with a PUT behind a ${what} of the same object`, reply.status, reply);
    if (reply.status !== 200) continue;
    const after = await service.snapshot(thing);
    expect(after.members[first], `${first} after a PUT behind a ${what}`, after.reply).toEqual(body[first]);
    expect(after.members[second], `${second}, left out of the PUT behind a ${what},`, after.reply).toSatisfy(
      'without a value',
      isNone,
    );
  }
}

/** A PUT in a batch does to an array that it leaves out, or gives other entries, what it does by its own route. */
async function expectArraysReplaced(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { arrayPort } = profile.primary;
  if (arrayPort === undefined) return;
  const textsOf = async (owner: Owner) =>
    entriesIn(await service.snapshot(owner), owner.port).map(({ members }) => members[owner.port.text]);
  const text = given.unique('other');
  const other = () => ({ [arrayPort.member]: [given.entry(text, {}, profile.port)] });
  for (const more of [() => ({}), other]) {
    const [owner, twin] = [await given.objectWithEntries(2), await given.objectWithEntries(2)];
    // a member may have to be another one in each object
    const own = await service.send(service.requests.put(twin, given.body(more())));
    if (!isSuccess(own.status)) continue;
    const body = given.body(more());
    const reply = await sendBatch(context, [service.requests.put(owner, body)]);
    expect(reply).toAnswer(200);
    expect(await textsOf(owner), `entries after PUT of ${Object.keys(body).join(', ')} in a batch`, reply).toEqual(
      await textsOf(twin),
    );
  }
}

async function makeEditablePromoted(context: CaseContext): Promise<Thing> {
  const { given, service } = context;
  const thing = await makeEditable(context);
  given.succeeded(await service.promote(thing), 'a promote by its own route', ['maturity.promote.status-204']);
  return given.current(thing);
}

type Writes = readonly [first: (thing: Thing) => RequestSpec, second: (thing: Thing) => RequestSpec];

function twoOrders(...[one, other]: Writes): readonly Writes[] {
  return [
    [one, other],
    [other, one],
  ];
}

/** Two writes of one object in one batch leave the text, the entries and the state that they leave by their own routes. Which version the second one has to give is not said, and whether both are taken is not recorded: it changes with the validators of cases that run beside this one. */
async function expectAsAlone(context: CaseContext, [first, second]: Writes, make: () => Promise<Thing>): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const [twin, thing] = [await make(), await make()];
  // a validator of a case beside this one may stop the first one here and be gone when the batch comes
  if (!isSuccess((await service.send(first(twin))).status)) return;
  const alone = await service.send(second(await given.current(twin)));
  notes.observe('status of an edit or a move behind the other', alone.status, alone);
  if (!isSuccess(alone.status)) return;
  const next = { ...thing, version: thing.version + 1 };
  const sent = await sendBatch(context, [first(thing), second(next)]);
  const reply = sent.status === 200 ? sent : await sendBatch(context, [first(thing), second(thing)]);
  if (reply.status !== 200) return;
  const [read, same] = [await service.read(thing), await service.read(twin)];
  const left = (one: Reply) => ({
    text: dataOf(one)[profile.textMember] ?? null,
    entries: profile.primary.arrayPort === undefined ? 0 : entriesOf(one, profile.port).length,
    state: stateIn(context, one) ?? null,
  });
  expect(left(read), 'what an edit and a move in a batch leave', read).toEqual(left(same));
}

function createOf({ service, profile }: CaseContext, item: MultiCreateItem): RequestSpec {
  const type = item.$softType === profile.second.definitionId ? profile.second : profile.primary;
  return service.requests.create(item.data, { type, space: profile.all.space });
}

/** Of creates in one batch the one that says less holds less: what it leaves out is as it is when it is created alone, each time. */
async function expectCreatesApart(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { scalars = [] } = profile.primary;
  const { member: array } = profile.port;
  const less = () => given.body();
  const more = () =>
    given.body({
      ...Object.fromEntries(scalars.map((member) => [member, given.unique('more')])),
      [array]: [given.entry(given.unique('entry'), {}, profile.port)],
    });
  const plain = less();
  const alone = await service.snapshot(await given.found(await service.create(plain), plain));
  const again = await service.snapshot(await given.object());
  for (const bodies of [
    [more(), less()],
    [less(), more(), less()],
  ]) {
    const reply = await sendBatch(
      context,
      bodies.map((body) => service.requests.create(body)),
    );
    expect(reply).toAnswer(200);
    const href = String(bodyOfResult(resultsOf(reply).at(-1))['href']);
    const created = await readWhole(context, await service.get(href, { base: reply }));
    for (const member of scalars.filter(
      (name) => !Object.hasOwn(plain, name) && isDeepStrictEqual(alone.members[name], again.members[name]),
    ))
      expect(dataOf(created)[member], `${member} of a create without it, behind one with it`, created).toEqual(
        alone.members[member],
      );
    if (!Object.hasOwn(plain, array))
      expect(entriesOf(created, profile.port).length, 'entries of a create without any, behind one', created).toEqual(
        (alone.arrays[array] ?? []).length,
      );
  }
}
