import { array, constantFrom } from 'fast-check';
import { headerNames } from '../../contract/names.ts';
import { anyText } from '../../fixtures/arbitraries.ts';
import { shortTexts } from '../../fixtures/values.ts';
import { dataOf, entriesOf, textsOf, versionOf } from '../../judge/service/answers.ts';
import { type CaseContext, property, race, onEverySpace, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply } from '../../judge/exchange.ts';
import { isObject } from '../../judge/json.ts';
import { givenListed, isListed, isListedSoon } from '../../judge/service/queries.ts';
import {
  type MultiCreateItem,
  namesIn,
  oidOf,
  readCreated,
  readLastCreated,
  readLongOf,
} from '../../judge/service/multi-create.ts';
import { otherDefinitionUrl, urlInSpace } from '../../judge/every-answer/openapi.ts';
import { enterSecondSpace } from '../../judge/service/second-space.ts';
import type { Snapshot } from '../../judge/service/target.ts';
import { rules } from '../../judge/rule.ts';
import { unlessRefused } from '../../judge/violation.ts';
import { expectEveryKindStored } from './checks/every-kind.ts';
import { contentsIn, without } from './checks/operation-steps.ts';
import { expectLongItemsWhole } from './checks/long-values.ts';
import { item, referring, targetType, thingOf } from '../../judge/service/referrers.ts';
import {
  createItems,
  expectEqualsApart,
  expectNoObjectNamed,
  expectReferences,
  expectPlainCreated,
  expectTypesTold,
  linkedPair,
  exchanged,
} from './checks/multi-create-items.ts';
import { expectNumbersKept } from './checks/number-kinds.ts';
import { expectMadeAtOnce } from './checks/again.ts';
import { expectOwnMembers } from './checks/own-members.ts';

/** Items before one that cannot be created, which with it are as many as a request may have. */
const mostBefore = 49;

export const multiCreateRules = rules('multi-create', {
  'multi-create.route.served-without-api-prefix': {
    source: 'core: Endpoint table, POST softtype list; Multi-create rules 1',
    statement:
      'POST of an array of items to `/space/{spaceId}/softtype`, a path without the `api` prefix, creates the instances and answers with success.',
    fault: 'only the path with the api prefix is routed',
    needs: ['soft-type', 'multi-create-result', 'multi-create'],
    after: ['reading.instance.short-route-served'],
    test: scenario(async (context) => {
      const { service, expect, notes } = context;
      for (const items of [[item(context)], [item(context), item(context)]]) {
        const reply = await service.multiCreate(items);
        expect(reply).toSucceed();
        notes.observe('success status of a multi-create', reply.status, reply);
        for (const read of await readCreated(context, reply, items)) expect(read).toAnswer(200);
      }
      const request = service.requests.multiCreate([item(context)]);
      notes.observe(
        'status of the other form of the path',
        (await service.send(request, { url: otherDefinitionUrl(request.url) })).status,
      );
    }),
  },
  'multi-create.items.all-created': {
    source: 'core: Multi-create rules 1; Versioning 2',
    statement:
      'Every item becomes an object of its own with the given `data`, a text that is the `$id` of an item included, and nothing of that of another item, then or after an edit of it, at the version that an object has when it is created alone.',
    fault: 'items with equal data are created once',
    needs: ['soft-type', 'scalar-members', 'multi-create-result', 'multi-create'],
    after: ['multi-create.route.served-without-api-prefix'],
    test: property(
      constantFrom(1, 2, 10).chain((count) => array(anyText, { minLength: count, maxLength: count })),
      async (context, texts) => {
        const { given, service, expect, notes, profile } = context;
        const [first, second] = profile.scalars;
        const body = given.body();
        // an empty text may be kept as no value, by both ways to create alike, or refused
        const alone = (await unlessRefused(() => given.object({ [first]: '' }))) ?? (await given.object());
        const { version } = alone;
        const none = dataOf(await service.readLong(alone))[first];
        const bare = dataOf(await service.readLong(await given.object()))[first];
        const shared = given.unique('equal');
        const full = texts.map((text) => ({ ...item(context), data: { ...body, [first]: text, [second]: shared } }));
        // the last one has less to say than those before it, and takes nothing over from them
        const items = [...full, item(context)];
        const reply = await service.multiCreate(items);
        if (reply.status >= 400) {
          notes.observe('generated texts, or equal ones, are refused', reply.status, reply);
          return expectPlainCreated(context);
        }
        if (texts[0] === 'one') {
          await expectKindsCreated(context, version);
          await expectHeldApart(context);
          await expectLongItemsWhole(context);
          await expectNamelessCreated(context, first);
          await expectOwnMembers(context, 'a multi-create', async (bodies) => {
            const holding = bodies.map((data) => ({ ...item(context), data }));
            const made = await service.multiCreate(holding);
            if (!isSuccess(made.status)) return undefined;
            const created = await readCreated(context, made, holding);
            return Promise.all(created.map((read) => readLongOf(context, read)));
          });
          await expectEqualsApart(context);
          await expectLongCreated(context);
          await expectIdsAreTexts(context);
        }
        await expectAllNamed(context, reply, items);
        const reads = await readCreated(context, reply, items);
        expect(new Set(reads.map(oidOf)).size, `objects created by ${items.length} items`, reply).toEqual(items.length);
        for (const [index, read] of reads.entries()) {
          const text = texts[index] === '' ? none : texts[index];
          if (index < full.length)
            expect(dataOf(read)[first] ?? null, `${first} of the object of item ${index}`, read).toEqual(text ?? null);
          else
            for (const [member, held] of [
              [first, texts.filter((each) => each !== '' && each !== none && each !== bare)],
              [second, [shared]],
            ] as const)
              expect(dataOf(read)[member], `${member} of the object of an item without it`, read).toSatisfy(
                'not that of an item before',
                (value) => typeof value !== 'string' || !held.includes(value),
              );
          expect(dataOf(read)['$softType'], `$softType of the object of item ${index}`, read).toEqual(
            profile.primary.definitionId,
          );
          expect(versionOf(read), `version of the object of item ${index}`, read).toEqual(version);
        }
      },
      { always: [['equal', 'equal', 'equal'], ['one'], [''], [...shortTexts]], share: 0.2 },
    ),
  },
  'multi-create.items.different-types': {
    source: 'core: Multi-create rules 2; Multi-create item, $softType',
    statement:
      'Items of one request may be of different SoftTypes; `$softType` of each decides, also where another item has its text as `$id`. One that the space does not have is refused.',
    fault: 'the type of the first item is used for all',
    needs: ['soft-type', 'second-soft-type', 'multi-create-result', 'multi-create'],
    after: ['multi-create.items.all-created'],
    test: scenario(async (context) => {
      const { expect, profile } = context;
      const types = [profile.primary, profile.second, profile.primary, profile.second];
      const reads = await createItems(
        context,
        types.map((type) => item(context, {}, type)),
      );
      for (const [index, read] of reads.entries())
        expect(dataOf(read)['$softType'], `$softType of the object of item ${index}`, read).toEqual(
          types[index]?.definitionId,
        );
      await expectTypesTold(context);
      await expectTypesOfTheSpace(context);
    }),
  },
  'multi-create.id.reusable-in-next-request': {
    source: 'core: Multi-create item, $id (temporary)',
    statement:
      'The same `$id` in two requests stands for two different objects, which may be of two SoftTypes and have nothing of each other, also where all else is the same, or one of the requests was refused.',
    fault: 'temporary ids are kept in one table for all requests',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result', 'multi-create'],
    after: ['multi-create.reference.backward', 'multi-create.items.different-types'],
    test: race(
      async (context) => {
        const { given, expect, profile } = context;
        const [spare = ''] = (profile.primary.scalars ?? []).slice(1);
        const once = given.unique('once');
        const { items } = linkedPair(context, spare === '' ? {} : { [spare]: once });
        // no two objects may be equal: what the references lead by stays, the rest is fresh, and one member has no value any more
        const again = (): readonly MultiCreateItem[] =>
          items.map((one, index) => ({
            ...one,
            data: {
              ...without(one.data, spare),
              ...given.body({}, index === 0 ? targetType(context) : profile.primary),
            },
          }));
        const rounds = [
          ...(await Promise.all([createItems(context, items), createItems(context, again())])),
          await createItems(context, exchanged(context, items)),
        ];
        expect(new Set(rounds.flat().map(oidOf)).size, 'objects of three requests of two items each').toEqual(6);
        for (const [target, referrer] of rounds) expectReferences(context, referrer, [target]);
        for (const read of rounds.slice(1).flat())
          expect(dataOf(read)[spare], 'what an item with the same $id had in another request', read).notToEqual(once);
        await expectMadeAnew(context, items, rounds.flat());
        await expectNoneOfRefused(context, again);
        await expectNoObjectNamed(context);
      },
      { rounds: 1 },
    ),
  },
  'multi-create.failure.creates-nothing': {
    source: 'core: Multi-create rules 1 (one change set)',
    statement: 'When one item cannot be created none is, be it the last of fifty.',
    fault: 'items before the invalid one are kept',
    needs: ['soft-type', 'multi-create-result', 'instance-listing', 'multi-create'],
    after: ['multi-create.items.all-created'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, notes, profile } = context;
        const member =
          profile.primary.scalars === undefined ? (Object.keys(profile.primary.body)[0] ?? '') : profile.textMember;
        const shown = given.unique('shown');
        await createItems(context, [item(context, { [member]: shown })]);
        await givenListed(context, shown);
        for (const place of [0, 1, mostBefore]) {
          const text = given.unique('undone');
          // no two objects may be equal
          const sound = [item(context, { [member]: text }), item(context)];
          while (sound.length < place) sound.push(item(context));
          const invalid = { ...item(context), $softType: given.unique('no-type') };
          const reply = await service.multiCreate([...sound.slice(0, place), invalid, ...sound.slice(place)]);
          expect(reply).toBeRefused();
          expect(
            await isListed(context, text),
            `an object beside an invalid item at place ${place} is listed`,
            reply,
          ).toEqual(false);
          expect(await service.multiCreate(sound.slice(0, 2))).toSucceed();
        }
        for (const [what, last] of Object.entries(await lateFailures(context)))
          // a long one may be stored part by part
          for (const besides of [1, mostBefore]) {
            const text = given.unique('undone');
            const sound = Array.from({ length: besides - 1 }, () => item(context));
            const reply = await service.multiCreate([item(context, { [member]: text }), ...sound, last]);
            notes.observe(`status of a multi-create with ${what}`, reply.status, reply);
            if (reply.status < 400) break;
            expect(await isListed(context, text), `an object beside an item with ${what} is listed`, reply).toEqual(
              false,
            );
          }
        await expectNoneOfTheSecond(context);
      }),
    ),
  },
  'multi-create.response.shape': {
    level: 'observe',
    source: 'core: Endpoint table, POST softtype list (response)',
    statement: 'Status, headers and body of a successful multi-create are not described.',
    needs: ['soft-type', 'multi-create-result', 'multi-create'],
    test: scenario(async (context) => {
      const { service, notes } = context;
      const reply = await service.multiCreate([item(context), item(context)]);
      notes.bound('multiCreateSuccess', 'success status of a multi-create', reply.status, reply);
      notes.observe('Location of a multi-create', reply.headers['location'] !== undefined, reply);
      notes.observe(
        'version header of a multi-create',
        reply.headers[headerNames.version.toLowerCase()] ?? 'none',
        reply,
      );
      const first: unknown = Array.isArray(reply.json) ? reply.json[0] : reply.json;
      notes.observe(
        'keys of the answer',
        typeof first === 'object' && first !== null ? Object.keys(first).sort().join(', ') : typeof first,
        reply,
      );
    }),
  },
});

/** A SoftType that the other space does not have is none there, and the other way round, whatever was made before in either. */
async function expectTypesOfTheSpace(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const there = await enterSecondSpace(context);
  if (there === undefined) return;
  const url = there.urlOf(service.requests.multiCreate([]));
  const own = await service.multiCreate([item(context, {}, there.of.type)], { url, as: there.as });
  notes.observe('a multi-create in the second space', own.status, own);
  // a create of its own is taken there
  expect(own).toSucceed();
  const here = { space: profile.all.space, as: 'editor' as const, url: service.requests.multiCreate([]).url };
  for (const [{ space, as, url: to }, types] of [
    [{ space: there.of.space, as: there.as, url }, [profile.primary, profile.second]],
    [here, [there.of.type]],
  ] as const) {
    const definition = await service.openApi({ url: urlInSpace(service.requests.openApi().url, space), as });
    for (const type of types) {
      // a template may have a SoftType of another one too, which its definition tells
      const single = await service.create(given.body({}, type), { of: { type, space }, as });
      if (definition.status !== 200 || single.status < 400 || definition.text.includes(type.definitionId)) continue;
      expect(await service.multiCreate([item(context, {}, type)], { url: to, as })).toBeRefused();
    }
  }
}

/** What the names of a request that was refused stood for is nothing to the same request without what was wrong in it. */
async function expectNoneOfRefused(context: CaseContext, again: () => readonly MultiCreateItem[]): Promise<void> {
  for (const invalid of Object.values(await lateFailures(context))) {
    const items = again();
    const refused = await context.service.multiCreate([...items, invalid]);
    // what a service makes of it is the business of another rule
    if (isSuccess(refused.status)) continue;
    const [target, referrer] = await createItems(context, items);
    expectReferences(context, referrer, [target]);
  }
}

/** A multi-create that was sent before makes objects of its own, unless no two objects may be equal. */
async function expectMadeAnew(
  context: CaseContext,
  items: readonly MultiCreateItem[],
  made: readonly Reply[],
): Promise<void> {
  const { service, expect, notes, profile } = context;
  const known = new Set(made.map(oidOf));
  for (const as of ['editor', 'secondEditor'] as const) {
    if (profile.all.identities[as] === undefined) continue;
    const equal = await service.multiCreate(items, { as });
    notes.observe(`status of a multi-create by the ${as} that was sent before`, equal.status, equal);
    if (equal.status >= 400) return;
    for (const read of await readCreated(context, equal, items)) {
      expect(oidOf(read), '$oid of an object of a multi-create that was sent before', read).toSatisfy(
        'none of those of before',
        (oid) => !known.has(oid),
      );
      known.add(oidOf(read));
    }
  }
  await expectMadeAtOnce(context, 'multi-creates', async () => {
    const reply = await service.multiCreate(items, { as: 'editor' });
    return isSuccess(reply.status) ? (await readCreated(context, reply, items)).map(oidOf) : undefined;
  });
}

/** Nor is what another SoftType has of it, where the listing shows that one. */
async function expectNoneOfTheSecond(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const type = profile.all.softTypes?.second;
  const member = type?.scalars?.[0];
  if (type === undefined || member === undefined) return;
  const shown = given.unique('shown');
  await createItems(context, [item(context, { [member]: shown }, type)]);
  const isShown = await isListedSoon(context, shown, type);
  notes.observe('the listing shows the second SoftType', isShown);
  if (!isShown) return;
  const unknown = { ...item(context), $softType: given.unique('no-type') };
  for (const [what, last] of Object.entries({ 'an unknown SoftType': unknown, ...(await lateFailures(context)) })) {
    const text = given.unique('undone');
    const reply = await service.multiCreate([item(context, { [member]: text }, type), item(context), last]);
    if (reply.status < 400) continue;
    const seen = `an object of the second SoftType before an item with ${what} is listed`;
    expect(await isListed(context, text, type), seen, reply).toEqual(false);
  }
}

/** Items that show only when others have been made that they cannot be: each may be taken as well, which is not said. */
async function lateFailures(context: CaseContext): Promise<Readonly<Record<string, MultiCreateItem>>> {
  const { given, profile } = context;
  const unusable: Record<string, MultiCreateItem> = {
    'a number for each member': item(
      context,
      Object.fromEntries(Object.keys(profile.primary.body).map((name) => [name, 4711])),
    ),
  };
  const { reference } = profile.primary;
  if (reference === undefined || (reference.target === 'second' && profile.all.softTypes?.second === undefined))
    return unusable;
  const gone = item(context, {}, targetType(context));
  const oid = given.unknownOid(await given.object({}, { type: targetType(context) }));
  const entry = { id: given.unique('reference'), value: { $oid: oid, softTypeId: gone.$softType } };
  return {
    ...unusable,
    'a reference to no item': referring(context, item(context), [gone]),
    'a reference to no object': item(context, { [reference.port]: [entry] }),
    'a reference to no object, by its id alone': item(context, { [reference.port]: [{ value: { $oid: oid } }] }),
  };
}

/** Numbers, and members of every other kind, in objects at the version that one has when it is created alone. */
async function expectKindsCreated(context: CaseContext, version: number): Promise<void> {
  await expectEveryKindStored(context, 'a multi-create', async (members) => {
    const items = [item(context), item(context, members)];
    const reply = await context.service.multiCreate(items);
    const [read] = isSuccess(reply.status) ? await readLastCreated(context, reply, items) : [];
    if (read === undefined) return undefined;
    const what = `version of the object of an item with ${Object.keys(members).join(', ')}`;
    context.expect(versionOf(read), what, read).toEqual(version);
    return readLongOf(context, read);
  });
  await expectNumbersKept(context, 'a multi-create', async (numbers) => {
    const items = [item(context), item(context, numbers)];
    const reply = await context.service.multiCreate(items);
    return { reply, reads: () => readLastCreated(context, reply, items) };
  });
}

/** A text that is the $id of an item is a text, at the root and in an entry: `instanceRef` alone refers to one. */
async function expectIdsAreTexts(context: CaseContext): Promise<void> {
  const { given, expect, profile } = context;
  const [first] = profile.scalars;
  const { arrayPort } = profile.primary;
  const [one, other] = [item(context), item(context)];
  const naming = ({ $id, $softType, data }: MultiCreateItem, text: string): MultiCreateItem => ({
    $id,
    $softType,
    data: { ...data, [first]: text, ...(arrayPort && { [arrayPort.member]: [given.entry(text)] }) },
  });
  const texts = [other.$id, one.$id];
  const reads = await createItems(context, [naming(one, other.$id), naming(other, one.$id)]);
  for (const [index, read] of reads.entries()) {
    expect(dataOf(read)[first], `${first} of item ${index}, which is the $id of the other one`, read).toEqual(
      texts[index],
    );
    if (arrayPort === undefined) continue;
    const inEntries = textsOf(entriesOf(read, profile.port), profile.port);
    const what = `a text in ${arrayPort.member} of item ${index}, which is the $id of the other one`;
    expect(texts[index], what, read).toBeOneOf(inEntries);
  }
}

/** What an object, a list or an array of entries in one item holds is nothing of the item behind it, which holds less there: as much as when it is created alone. */
async function expectHeldApart(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { object, scalarList, arrayPort } = profile.primary;
  const inner = object && given.inner(object);
  const entries = ['one', 'two', 'three'].map(() => arrayPort && given.entry(given.unique()));
  const kinds: readonly (readonly [member: string | undefined, much: unknown, less: unknown])[] = [
    [object?.member, inner, inner && without(inner, object?.scalars[1] ?? '')],
    [scalarList, ['one', 'two', 'three'], ['four']],
    [arrayPort?.member, entries, entries.slice(0, 1)],
  ];
  // nothing at all is less as well
  for (const [member, much, less] of kinds.flatMap(([member, much, less]) => [
    [member, much, less] as const,
    [member, much, undefined] as const,
  ])) {
    if (member === undefined) continue;
    const alone = await unlessRefused(() => given.object({ [member]: less }));
    const items = [much, less].map((value) => item(context, { [member]: value }));
    const reply = await service.multiCreate(items);
    notes.observe(`items that hold more and less in ${member}`, reply.status, reply);
    const [created] = isSuccess(reply.status) ? await readLastCreated(context, reply, items) : [];
    const read = created && (await readLongOf(context, created));
    if (alone === undefined || read === undefined) continue;
    const expected = heldIn(dataOf(await service.readLong(alone))[member]);
    expect(heldIn(dataOf(read)[member]), `how much ${member} of an item holds behind one with more`, read).toEqual(
      expected,
    );
  }
}

/** An array of an item is as long as that of an object which is created alone, beyond its first page too. */
async function expectLongCreated(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  if (profile.primary.arrayPort === undefined) return;
  const owner = await given.objectWithEntries(21);
  const items = [item(context), { ...item(context), data: owner.body }];
  const reply = await service.multiCreate(items);
  // where no two objects may be equal, or may hold so much
  if (!isSuccess(reply.status)) return;
  const [created] = await readLastCreated(context, reply, items);
  const thing = thingOf(context, created, owner.body);
  if (thing === undefined) return;
  const [one, other] = [await service.snapshot(owner), await service.snapshot(thing)];
  const { text } = owner.port;
  const told = (snapshot: Snapshot) =>
    contentsIn(snapshot, owner.port).toSorted(({ [text]: a }, { [text]: b }) => (String(a) < String(b) ? -1 : 1));
  expect(told(other), `entries of ${owner.port.member} of an item, by their texts`, other.reply).toEqual(told(one));
}

/** How many texts or entries a value holds; a text that is empty or null may stand for none. */
function heldIn(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.values(value).filter((one) => one !== null && one !== '').length : 0;
}

/** An answer that names the objects of different items names those of items that are alike as well. */
async function expectAllNamed(context: CaseContext, reply: Reply, items: readonly MultiCreateItem[]): Promise<void> {
  if (namesIn(context, reply.json, items) !== undefined) return;
  const different = items.map(() => item(context));
  const plain = await context.service.multiCreate(different);
  if (!isSuccess(plain.status) || namesIn(context, plain.json, different) === undefined) return;
  context
    .expect(
      'another number of objects',
      `what the answer to ${items.length} items names, some of which are alike`,
      reply,
    )
    .toEqual(`${items.length} objects`);
}

/** Of items without `$id`, where they are taken, each becomes an object: a listing that shows the last one shows those before it. */
async function expectNamelessCreated(context: CaseContext, member: string): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const texts = [given.unique('nameless'), given.unique('nameless')];
  const items = texts.map((text) => {
    const { $softType, data } = item(context, { [member]: text });
    return { $softType, data };
  });
  const reply = await service.multiCreate(items);
  notes.observe('status of two items without $id', reply.status, reply);
  if (!isSuccess(reply.status) || profile.all.routes?.instanceListing === undefined) return;
  const [isFirst, isLast] = await Promise.all(texts.map((text) => isListedSoon(context, text)));
  if (isLast === true)
    expect(isFirst, 'the first of two items without $id is listed, as the last one is', reply).toEqual(true);
}
