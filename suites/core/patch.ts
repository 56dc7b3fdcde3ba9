import { expectLongestKept } from './checks/long-values.ts';
import { isDeepStrictEqual } from 'node:util';
import { constantFrom } from 'fast-check';
import { mediaTypes } from '../../contract/names.ts';
import { dataOf, entriesOf, pageLinksOf, plainTextOf, textsOf } from '../../judge/service/answers.ts';
import { isSuccess, type RequestSpec } from '../../judge/exchange.ts';
import { isObject, pointer } from '../../judge/json.ts';
import { type CaseContext, property, onEveryType, onEverySpace, scenario, unlessKept } from '../../judge/case.ts';
import { rules } from '../../judge/rule.ts';
import { unlessRefused } from '../../judge/violation.ts';
import type { Thing } from '../../judge/things.ts';
import { findNoText, textsKept } from '../../judge/service/texts.ts';
import {
  byAnotherSchema,
  editRoutes,
  makeEditable,
  removeThing,
  takesOtherSchema,
} from '../../judge/service/writes.ts';
import {
  expectEveryTypeGone,
  expectGone,
  expectGoneAmongEdits,
  expectGoneForAll,
  expectReferrerLeft,
} from './checks/deleted.ts';
import { makeReferrer } from '../../judge/service/referrers.ts';
import { fateOfSystemMembers } from './merge.ts';
import { expectInnerDropped } from './checks/inner-dropped.ts';
import { expectNestedDropped } from './checks/nested-dropped.ts';
import { expectNumbersKept } from './checks/number-kinds.ts';
import { applyOperations, entriesIn, makeAlike, plainValues, replace } from './checks/operation-steps.ts';
import { expectLongReferencesPut } from './checks/reference-edits.ts';
import { expectAlikeReferencesPut } from './checks/alike-references.ts';
import { expectTakenAgain } from './checks/again.ts';
import { expectEveryKindStored } from './checks/every-kind.ts';
import { expectDroppedBeside } from './checks/other-places.ts';
import { expectAllGoneAfterPut, expectNothingTakenOver } from './checks/member-kinds.ts';
import { writingMembers, writingNumbers } from './checks/member-writes.ts';
import { expectStatesCarried } from './checks/states-kept.ts';
import { referencesIn } from '../../judge/service/soft-types.ts';

/** Of one array, on more than ten pages. */
const manyEntries = 101;

/** More than ten and sixteen, where versions may be gathered or become longer. */
const putsInARow = 20;

export const patchRules = rules('patch', {
  'patch.put.stores-given-members': {
    source: 'core: Endpoint table, PUT; Batch rules 5',
    statement:
      'PUT of complete content with the current version succeeds and stores every member of the body under the same object, equal references, more of them than a page holds, and what an earlier PUT has given included.',
    fault: 'PUT stores only members that had a value before',
    needs: ['soft-type', 'scalar-members', 'put-route'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const [first, second] = profile.scalars;
      const thing = await makeEditable(context);
      const before = await service.read(thing);
      const content = { [first]: given.unique(), [second]: given.unique() };
      const { arrayPort } = profile.primary;
      const texts = arrayPort === undefined ? [] : [given.unique(), given.unique()];
      const array = arrayPort && { [arrayPort.member]: texts.map((text) => given.entry(text)) };
      const { emptiest } = plainValues(profile.primary);
      const reply = await service.put(thing, given.body({ ...content, ...emptiest, ...array }));
      expect(reply).toSucceed();
      notes.bound('putSuccess', 'success status of PUT', reply.status, reply);
      await expectLongestKept(context, 'a PUT', (one, member, text) =>
        service.put(one, given.body({ [member]: text })),
      );
      const after = await service.read(thing);
      for (const [member, value] of Object.entries({ ...content, ...emptiest }))
        expect(dataOf(after)[member], `${member} after PUT`, after).toEqual(value);
      if (arrayPort !== undefined)
        expect(
          [...textsOf(entriesOf(after, profile.port), profile.port)].sort(),
          `entries of ${arrayPort.member} after PUT`,
          after,
        ).toEqual(texts.sort());
      for (const member of ['$oid', '$softType'])
        expect(dataOf(after)[member], `${member} after PUT`, after).toEqual(dataOf(before)[member]);
      if (arrayPort !== undefined) {
        await expectAlikePut(context);
        await expectManyPut(context);
      }
      await expectAlikeReferencesPut(context);
      await expectLongReferencesPut(context);
      await expectTakenAgain(
        context,
        'PUT',
        (latest, body) => service.put(latest, body),
        (members) => given.body(members),
      );
      await expectPutByAnotherSchema(context);
      await expectEveryTextPut(context);
      await expectNumbersKept(context, 'a PUT', writingNumbers(context, 'put'));
      await expectEveryKindStored(context, 'a PUT', writingMembers(context, 'put'));
      await expectStatesCarried(context);
    }),
  },
  'patch.put.drops-absent-members': {
    source: 'core: Endpoint table, PUT',
    statement:
      'After PUT a member that the body leaves out has no value any more, be it one that another PUT or somebody else has given, on another SoftType and in another space as well.',
    fault: 'PUT behaves like merge PATCH',
    needs: ['soft-type', 'scalar-members', 'put-route'],
    after: ['patch.put.stores-given-members', 'patch.merge.keeps-other-members'],
    test: property(
      constantFrom(['first'], ['second'], ['first', 'second'], []),
      async (context, kept) => {
        const { given, service, expect, profile } = context;
        const [first, second] = profile.scalars;
        const content = () => ({ [first]: given.unique(), [second]: given.unique() });
        const members = kept.map((name) => (name === 'first' ? first : second));
        const body = () => Object.fromEntries(members.map((member) => [member, given.unique()]));
        const [put, merged] = [await given.object(content()), await given.object(content())];
        expect(await service.put(put, given.body(body()))).toSucceed();
        // whether a merge that names nothing is taken is not said
        if (members.length > 0)
          given.succeeded(await service.merge(merged, body()), 'a merge PATCH is accepted', ['patch.merge.status-204']);
        const [afterPut, afterMerge] = [await service.read(put), await service.read(merged)];
        const isNone = await findNoText(context);
        for (const member of profile.scalars) {
          if (members.includes(member)) continue;
          expect(dataOf(afterPut)[member], `${member}, left out of the PUT,`, afterPut).toSatisfy(
            'without a value',
            isNone,
          );
          given.assume(
            dataOf(afterMerge)[member] === merged.body[member],
            `a merge PATCH that leaves out ${member} keeps it`,
          );
        }
        expect(dataOf(afterPut)['$oid'], '$oid after PUT', afterPut).toEqual(put.oid);
        if (kept.length > 0) return;
        await expectAllGoneAfterPut(context);
        await expectDroppedBeside(context);
        await expectNothingTakenOver(context, 'a PUT', writingMembers(context, 'put'));
        await expectDroppedForGood(context);
        await expectDroppedForOthers(context);
        await expectDroppedNext(context, await given.current(put));
        await expectDroppedEachTime(context, await given.current(put));
        await expectInnerDropped(context, (thing, body) => service.put(thing, body));
        await expectDroppedInEntry(context);
      },
      { always: [['first'], []], share: 0.1 },
    ),
  },
  'patch.put.drops-absent-arrays': {
    source: 'core: Endpoint table, PUT (every absent field)',
    statement:
      'PUT also empties an array, of entries or of plain texts, that the body leaves out, or gives as an empty one, with the entries beyond page 0; arrays inside entries that are taken back by their ids are left as the body has them.',
    fault: 'PUT keeps array ports that the body leaves out',
    needs: ['soft-type', 'array-port', 'put-route'],
    after: ['patch.put.stores-given-members'],
    test: onEveryType(
      scenario(async (context) => {
        const { given, service, expect } = context;
        const { scalarList } = context.profile.primary;
        const list = (...texts: readonly string[]) => (scalarList === undefined ? {} : { [scalarList]: texts });
        for (const isGiven of [false, true]) {
          const owner = await given.objectWithEntries(18, { body: list('one', 'two') });
          const body = given.body(isGiven ? { [owner.port.member]: [], ...list() } : {});
          expect(await service.put(owner, body)).toSucceed();
          const read = await service.read(owner);
          const what = isGiven ? 'array that the PUT gives as an empty one' : 'array left out of the PUT';
          expect(entriesOf(read, owner.port), what, read).toEqual([]);
          const texts = scalarList === undefined ? [] : (dataOf(read)[scalarList] ?? []);
          expect(texts, `texts of the ${what}`, read).toEqual([]);
          const links = pageLinksOf(read, owner.port).filter((link) => link['totalNumber'] !== 0);
          expect(links, 'page links that still count entries of the emptied array', read).toEqual([]);
          const page = await service.page(owner, 1);
          const shown = owner.texts.filter((text) => plainTextOf(page).includes(JSON.stringify(text)));
          expect(shown, 'old entries on page 1', page).toEqual([]);
        }
        await expectReferencesDropped(context);
        await expectNestedDropped(context);
      }),
    ),
  },
  'patch.put.edge-content': {
    level: 'observe',
    source: 'core: Endpoint table, PUT',
    statement:
      'Not described for PUT: the success status, an absent mandatory member, system members or `$entryId` in the body, and PUT on an id that does not exist.',
    needs: ['soft-type', 'array-port', 'put-route'],
    test: scenario(async (context) => {
      const { given, service, notes } = context;
      const owner = await given.objectWithEntries(2);
      const read = await service.snapshot(owner);
      const own = { $oid: given.unique('own'), $version: 99, $softType: 'Own' };
      const entries = entriesIn(read, owner.port).map(({ entryId, members }) => ({ ...members, $entryId: entryId }));
      const bodies = {
        'complete content': [await makeEditable(context), given.body()],
        'an absent mandatory member': [await makeEditable(context), {}],
        'system members in the body': [await makeEditable(context), given.body(own)],
        'entry ids in the body': [owner, given.body({ [owner.port.member]: entries })],
      } as const;
      for (const [what, [thing, body]] of Object.entries(bodies)) {
        const reply = await service.put(thing, body);
        notes.observe(`status of a PUT with ${what}`, reply.status, reply);
        notes.remarkServerError(reply);
        const { version, reply: read } = await service.snapshot(thing);
        notes.observe(`version after a PUT with ${what} minus the version before`, version - thing.version, read);
        if (what === 'system members in the body')
          notes.observe(`a PUT with ${what}`, fateOfSystemMembers(reply.status, dataOf(read)), reply);
      }
      const missing = await service.put({ ...owner, oid: given.unknownOid(owner) }, given.body());
      notes.observe('status of a PUT with an id that does not exist', missing.status, missing);
      notes.remarkServerError(missing);
      const after = await service.snapshot(owner);
      const kept =
        entriesIn(after, owner.port)
          .map(({ entryId }) => entryId)
          .join() === entries.map(({ $entryId }) => $entryId).join();
      notes.observe('entry ids are kept by a PUT that carries them', kept, after.reply);
    }),
  },
  'patch.delete.object-gone': {
    source: 'core: Batch rules 5; Errors 404',
    statement:
      'A DELETE that succeeds makes the object unreadable: later GETs answer 404, or 410, whichever way, for whom and of which page, of whatever SoftType, behind a batch that did it, and beside edits that were under way. Others stay, one with the same content too.',
    fault: 'DELETE answers success and only marks the object in its data',
    needs: ['soft-type', 'delete-route'],
    after: ['reading.missing-object.status-404'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, notes } = context;
        const [gone, stays] = [await given.object(), await given.object()];
        const deleted = { gone, former: await service.read(gone) };
        const reply = await removeThing(context, gone);
        given.succeeded(reply, 'a DELETE is accepted');
        notes.bound('deleteSuccess', 'success status of DELETE', reply.status, reply);
        for (const read of [await service.get(gone.location), await service.read(gone), await service.readLong(gone)])
          await expectGone(context, read, deleted);
        await expectGoneForAll(context);
        await expectGoneAmongEdits(context);
        await expectTwinLeft(context);
        await unlessKept(() => expectEveryTypeGone(context), context);
        await unlessKept(() => expectReferrerLeft(context), context);
        expect(await service.get(stays.location)).toAnswer(200);
        // the id may be that of another object by now
        if ((await service.read(gone)).status !== 200)
          notes.observe('a second DELETE', (await service.remove(gone, { version: gone.version })).status);
      }),
    ),
  },
  'patch.target.unknown-object-404': {
    source: 'core: Errors 404',
    statement:
      'Merge PATCH, operations PATCH, a promote and a demote on an object id that does not exist answer 404 when token, role and version header are in order, and so does a PUT that creates nothing.',
    fault: 'PATCH on an unknown id creates the object',
    needs: ['soft-type', 'text-member'],
    after: ['patch.content-type.selects-operations'],
    test: scenario(async ({ given, service, expect, notes, profile }) => {
      const member = profile.textMember;
      const thing = await given.object({ [member]: given.unique() });
      const unknown = { ...thing, oid: given.unknownOid(thing), version: 1 };
      given.assume((await service.read(unknown)).status === 404, 'an id that names nothing');
      if (profile.offers('merge')) expect(await service.merge(unknown, { [member]: given.unique() })).toAnswer(404);
      if (profile.offers('operations'))
        expect(await service.operations(unknown, [replace(pointer(member), given.unique())])).toAnswer(404);
      const { maturity, routes } = profile.all;
      if (maturity !== undefined) expect(await service.promote(unknown)).toAnswer(404);
      if (maturity !== undefined && routes?.demote !== undefined) expect(await service.demote(unknown)).toAnswer(404);
      expect(await service.read(unknown)).toAnswer(404);
      if (routes?.softTypePut === undefined) return;
      const put = await service.put(unknown, given.body());
      const { status } = await service.read(unknown);
      notes.observe('status of a PUT where nothing is, and of a read afterwards', `${put.status} ${status}`, put);
      if (isSuccess(put.status)) return;
      expect(put).toAnswer(404);
      expect(status, 'status of a read after the refused PUT', put).toEqual(404);
    }),
  },
  'patch.content-type.selects-operations': {
    source: 'core: Operations-based PATCH rules 1; Common request headers, Content-Type',
    statement:
      'PATCH to `/softtype/{definitionId}/{objectId}` with `Content-Type` `application/json-patch+json` is carried out as a list of operations.',
    fault: 'routes the request by path only and parses operations as content',
    needs: ['soft-type', 'text-member', 'operations'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, expect, profile } = context;
        const member = profile.textMember;
        const text = given.unique();
        const after = await applyOperations(context, await makeEditable(context), [replace(pointer(member), text)]);
        expect(after.members[member], `${member} after the replace`, after.reply).toEqual(text);
      }),
    ),
  },
  'patch.content-type.plain-json-is-not-operations': {
    source: 'core: Operations-based PATCH rules 1',
    statement: 'A list of operations sent with `Content-Type` `application/json` is not carried out as operations.',
    fault: 'treats every JSON array body as operations',
    needs: ['soft-type', 'text-member', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const member = profile.textMember;
      const thing = await makeEditable(context);
      const operations = [replace(pointer(member), given.unique('operations'))];
      // the merge route takes this type: there the list is only no object
      for (const [route, key, request] of [
        ['operations', 'patchRouteMismatch', service.requests.operations(thing, operations)],
        ['merge', 'invalidBody', service.requests.merge(thing, operations)],
      ] as const) {
        const current = await given.current(thing);
        const reply = await service.send(request, {
          version: current.version,
          headers: { 'Content-Type': mediaTypes.json },
        });
        notes.bound(key, `operations as plain JSON on the ${route} route`, reply.status, reply);
        const after = await service.snapshot(thing);
        expect(after.members[member], `${member} after operations sent as plain JSON`, after.reply).notToEqual(
          operations[0]?.['value'],
        );
      }
    }),
  },
  'patch.content-type.other-types': {
    level: 'observe',
    source: 'core: Operations-based PATCH rules 1; Endpoint table',
    statement:
      'Not described: media type parameters or upper case, `application/merge-patch+json`, `text/plain`, a missing content type, and the operations type on the merge route.',
    needs: ['soft-type', 'text-member', 'operations'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const member = profile.textMember;
      const types = {
        'a charset parameter': `${mediaTypes.operations}; charset=utf-8`,
        'upper case': mediaTypes.operations.toUpperCase(),
        'merge-patch+json': 'application/merge-patch+json',
        'text/plain': 'text/plain',
        none: null,
      };
      for (const [what, type] of Object.entries(types)) {
        const thing = await makeEditable(context);
        const text = given.unique();
        const merge = what === 'merge-patch+json';
        const request = merge
          ? service.requests.merge(thing, { [member]: text })
          : service.requests.operations(thing, [replace(pointer(member), text)]);
        const reply = await service.send(request, { headers: { 'Content-Type': type } });
        const stored = (await service.snapshot(thing)).members[member] === text;
        if (what === 'text/plain' || type === null)
          notes.bound('unsupportedMediaType', `content type ${what}`, reply.status, reply);
        else notes.observe(`content type with ${what}`, reply.status, reply);
        notes.observe(`content type ${what} has effect`, stored, reply);
        notes.remarkServerError(reply);
      }
      const thing = await makeEditable(context);
      const swapped = await service.merge(thing, [replace(pointer(member), given.unique())], {
        headers: { 'Content-Type': mediaTypes.operations },
      });
      notes.bound('patchRouteMismatch', 'the operations type on the merge route', swapped.status, swapped);
    }),
  },
});

/** The same of a PUT, in entries as well. */
async function expectEveryTextPut(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const [first, second] = profile.scalars;
  const { telling } = await textsKept(context);
  if (telling.length === 0) return;
  const texts = telling.filter((text) => text !== '');
  const { arrayPort } = profile.primary;
  const thing = await makeEditable(context);
  const values = { [first]: texts.join(''), [second]: telling[0] };
  // members that only one object may have with a value are other ones each time
  const make = (): Record<string, unknown> =>
    given.body({
      ...values,
      ...(arrayPort && { [arrayPort.member]: texts.map((text) => given.entry(text)) }),
    });
  given.succeeded(await service.create(make()), 'a create with the same content', ['reading.create.status-201']);
  expect(await service.put(thing, make())).toSucceed();
  const after = await service.snapshot(thing);
  for (const [member, value] of Object.entries(values))
    expect(after.members[member], `${member} after PUT`, after.reply).toEqual(value);
  if (arrayPort === undefined) return;
  expect(
    entriesIn(after, profile.port)
      .map(({ members }) => members[profile.port.text])
      .toSorted(),
    `texts of ${arrayPort.member} after PUT`,
    after.reply,
  ).toEqual(texts.toSorted());
}

/** A body may hold more entries than any page, and all of them are stored; how many an array takes is configured. */
async function expectManyPut(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const second = profile.primary.secondArrayPort && profile.secondPort;
  for (const port of [profile.port, ...(second === undefined ? [] : [second])]) {
    const owner = await given.objectWithEntries(1);
    const texts = Array.from({ length: manyEntries }, () => given.unique());
    const body = given.body({ [port.member]: texts.map((text) => given.entry(text, {}, port)) });
    const put = await service.put(owner, body);
    notes.observe(`status of a PUT of ${manyEntries} entries of ${port.member}`, put.status, put);
    if (put.status >= 400 && (await service.create(body)).status >= 400) continue;
    expect(put).toSucceed();
    const { arrays, reply } = await service.snapshot(owner);
    const found = arrays[port.member]?.map(({ members }) => members[port.text]);
    expect(found?.toSorted(), `${port.member} after a PUT of ${manyEntries} entries`, reply).toEqual(texts.toSorted());
  }
}

/** Content by which another input schema makes an object takes the place of what is there by that schema too. */
async function expectPutByAnotherSchema(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  if (profile.primary.secondInputSchema === undefined) return;
  const thing = byAnotherSchema(await given.object());
  const body = given.body();
  const created = await service.create(body, { of: thing });
  if (!isSuccess(created.status)) return;
  const alone = dataOf(await service.readLong(await given.found(created, body, thing)));
  // a member may have to be another one in each object
  const own = given.body();
  const put = await service.put(thing, own);
  if (put.status >= 400 && !(await takesOtherSchema(context))) return;
  expect(put).toSucceed();
  const read = await service.readLong(thing);
  for (const [name, value] of Object.entries(own))
    if (isDeepStrictEqual(alone[name], body[name]) || isDeepStrictEqual(value, body[name]))
      expect(dataOf(read)[name], `${name} after a PUT by another schema`, read).toEqual(
        isDeepStrictEqual(value, body[name]) ? alone[name] : value,
      );
}

/** Entries that are alike stay as many as the body has, where a create keeps such. */
async function expectAlikePut(context: CaseContext): Promise<void> {
  const { service, expect } = context;
  const alike = await makeAlike(context, 3);
  if (alike === undefined) return;
  expect(await service.put(alike, alike.body)).toSucceed();
  const after = await service.snapshot(alike);
  const texts = entriesIn(after, alike.port).map(({ members }) => members[alike.port.text]);
  expect(texts, 'texts of entries that are alike after a PUT of what was created', after.reply).toEqual(alike.texts);
}

/** Nor does an edit behind the PUT bring a value back that an edit of the same way before it has left behind. */
async function expectDroppedForGood(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const [first, second] = profile.scalars;
  const isNone = await findNoText(context);
  for (const { name, request } of editRoutes(context).filter((route) => route.name !== 'PUT')) {
    const thing = await given.object({ [first]: given.unique(), [second]: given.unique() });
    const steps: readonly ((latest: Thing) => RequestSpec)[] = [
      request,
      (latest) => service.requests.put(latest, given.body({ [first]: given.unique() })),
      request,
    ];
    let status = 0;
    for (const step of steps) {
      ({ status } = await service.send(step(await given.current(thing))));
      if (!isSuccess(status)) break;
    }
    notes.observe(`status of a ${name} behind a PUT behind another one`, status);
    if (!isSuccess(status)) continue;
    const read = await service.read(thing);
    const what = `${second}, left out of the PUT, after a ${name} behind it,`;
    expect(dataOf(read)[second], what, read).toSatisfy('without a value', isNone);
  }
}

/** A PUT takes away what it leaves out also where somebody else has made the object. */
async function expectDroppedForOthers(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const [first, second] = profile.scalars;
  const isNone = await findNoText(context);
  for (const as of ['secondEditor', 'spaceAdministrator'] as const) {
    if (profile.all.identities[as] === undefined) continue;
    const thing = await given.object({ [first]: given.unique(), [second]: given.unique() });
    const put = await service.put(thing, given.body({ [first]: given.unique() }), { as });
    notes.observe(`status of a PUT by the ${as} of what the editor has made`, put.status, put);
    if (!isSuccess(put.status)) continue;
    const read = await service.read(thing);
    const what = `${second}, left out of the PUT of the ${as},`;
    expect(dataOf(read)[second], what, read).toSatisfy('without a value', isNone);
  }
}

/** What one PUT gives the next one takes away, entries as well. */
async function expectDroppedNext(context: CaseContext, thing: Thing): Promise<void> {
  const { given, service, expect, profile } = context;
  const [first, second] = profile.scalars;
  const { arrayPort } = profile.primary;
  const entries = arrayPort && { [arrayPort.member]: [given.entry(given.unique())] };
  given.succeeded(await service.put(thing, given.body({ [first]: given.unique(), ...entries })), 'a PUT is accepted', [
    'patch.put.stores-given-members',
  ]);
  expect(await service.put(await given.current(thing), given.body({ [second]: given.unique() }))).toSucceed();
  const read = await service.read(thing);
  expect(dataOf(read)[first], `${first}, given by one PUT and left out of the next,`, read).toSatisfy(
    'without a value',
    await findNoText(context),
  );
  if (arrayPort === undefined) return;
  const left = entriesOf(read, profile.port);
  expect(left, `entries of ${arrayPort.member}, given by one PUT and left out of the next`, read).toEqual([]);
}

/** However many versions an object has behind it: each PUT takes away what the one before it gave. */
async function expectDroppedEachTime(context: CaseContext, thing: Thing): Promise<void> {
  const { given, service, expect, profile } = context;
  const [first, second] = profile.scalars;
  const isNone = await findNoText(context);
  for (let count = 1; count <= putsInARow; count += 1) {
    const [stays, goes] = count % 2 === 0 ? [first, second] : [second, first];
    expect(await service.put(await given.current(thing), given.body({ [stays]: given.unique() }))).toSucceed();
    const read = await service.read(thing);
    expect(dataOf(read)[goes], `${goes}, left out of PUT ${count} in a row,`, read).toSatisfy(
      'without a value',
      isNone,
    );
  }
}

/** Nor has a member of an entry the value that the entry of the PUT leaves out, whether the entry is the same one or a new one: a new one may have another by itself. */
async function expectDroppedInEntry({ given, service, expect, notes, profile }: CaseContext): Promise<void> {
  if (profile.primary.arrayPort === undefined) return;
  const owner = await given.objectWithEntries(1);
  const { member, text } = owner.port;
  const held = dataOf(await service.read(owner))[member];
  const [entry]: unknown[] = Array.isArray(held) ? held : [];
  const more = { [text]: undefined, ...(isObject(entry) && { $entryId: entry['$entryId'] }) };
  const reply = await service.put(owner, given.body({ [member]: [given.entry('', more)] }));
  notes.observe('a PUT with the id of an entry', reply.status, reply);
  if (reply.status >= 400) return;
  const read = await service.read(owner);
  const left = textsOf(entriesOf(read, owner.port), owner.port).filter((value) => value === owner.texts[0]);
  expect(left, `values of ${text}, left out of the entry of the PUT`, read).toEqual([]);
}

/** References are entries like others. */
async function expectReferencesDropped(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const made = await makeReferrer(context, 2);
  if (made === undefined) return;
  expect(await service.put(made.thing, given.body())).toSucceed();
  const read = await service.get(made.thing.location);
  const left = referencesIn(dataOf(read)[profile.primary.reference?.port ?? '']);
  expect(left, 'references left out of the PUT', read).toEqual([]);
}

/** What looks like the deleted object is not the deleted object. */
async function expectTwinLeft(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const [scalar] = profile.primary.scalars ?? [];
  const body = scalar === undefined ? {} : { [scalar]: given.unique('twin') };
  const make = (): Promise<Thing | undefined> => unlessRefused(() => given.object(body));
  const [gone, twin] = [await make(), await make()];
  if (gone === undefined || twin === undefined) return;
  given.succeeded(await removeThing(context, gone), 'a DELETE is accepted');
  expect(await service.read(twin)).toAnswer(200);
}
