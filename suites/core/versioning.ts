import { array, constantFrom } from 'fast-check';
import { dataOf, entriesOf, versionOf } from '../../judge/service/answers.ts';
import { oidOf, readCreated } from '../../judge/service/multi-create.ts';
import { makeReferrer } from '../../judge/service/referrers.ts';
import { linkedPair } from './checks/multi-create-items.ts';
import { type CaseContext, property, onEverySpace, scenario } from '../../judge/case.ts';
import { isSuccess, type Changes, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import { isListed, withFilter, withFilterOnPage } from '../../judge/service/queries.ts';
import { sendBatch } from '../../judge/service/batch.ts';
import type { Owner, Thing } from '../../judge/things.ts';
import { pointer } from '../../judge/json.ts';
import { historyCase } from '../../judge/model/history-case.ts';
import { worldCase } from '../../judge/model/world/world-case.ts';
import type { EditCommand, Emphasis, Start } from '../../judge/model/command.ts';
import { rules } from '../../judge/rule.ts';
import { enterSecondSpace } from '../../judge/service/second-space.ts';
import {
  anyEdit,
  byAnotherSchema,
  editRoutes,
  editedUntil,
  headerVersion,
  makeEditable,
  makeEdited,
  readVersion,
  takesOtherSchema,
} from '../../judge/service/writes.ts';
import { createdOtherwise } from './checks/created-otherwise.ts';
import { expectDeepEditsCount } from './checks/deep-members.ts';
import { allThereIs, type Members } from './checks/member-kinds.ts';
import { add, remove, replace } from './checks/operation-steps.ts';
import { expectReferencesCount } from './checks/reference-pages.ts';
import { expectStrangeWritesCountNothing } from './checks/refused-writes.ts';
import { membersWith, referencesIn } from '../../judge/service/soft-types.ts';

/** Small objects, some of them old enough for a version of two digits, and every way to write, in order and out of it. */
const emphasis: Emphasis = {
  kinds: {
    merge: 3,
    put: 3,
    'replace scalar': 1,
    'add scalar': 1,
    'remove scalar': 1,
    'add object': 1,
    append: 2,
    'remove entry': 1,
    promote: 2,
    demote: 1,
    batch: 4,
  },
  objects: 3,
  entries: [0, 1, 3],
  second: [0],
  ages: [0, 0, 9],
  versions: { current: 9, stale: 1, older: 1, ahead: 1, cut: 1, absent: 1 },
  length: 14,
};

const plain: Start = { entries: 0, second: 0, age: 0, filled: true };

const readKinds = [
  'short',
  'long',
  'another schema',
  'page',
  'filtered',
  'filtered page',
  'openapi',
  'batch',
  'reader',
  'nothing',
] as const;

/** What no edit can be made of, be it JSON or not. A promote looks at no body. */
const unfitBodies: Readonly<Partial<Record<string, string>>> = { 'half a JSON': '{', 'no object': '7' };

const kinds = ['no token', 'no role', 'reader', 'stale', 'ahead', 'no version', 'half a JSON', 'no object'] as const;

export const versioningRules = rules('versioning', {
  'versioning.create.starts-at-one': {
    level: 'should',
    source: 'core: Versioning 2',
    statement:
      'A created object is at version 1, whatever it contains and however many objects exist: members of every kind, entries of every array, references that a create or a multi-create made.',
    fault: 'the first version is 0',
    needs: ['soft-type', 'array-port'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, profile } = context;
        await makeEdited(context, 3);
        const scalars = Object.fromEntries((profile.primary.scalars ?? []).map((member) => [member, given.unique()]));
        const bodies = [given.body(), given.body(scalars)];
        for (const body of bodies) {
          const created = await service.create(body);
          const thing = await given.found(created, body);
          expect(await readVersion(context, thing), 'version of a created object', created).toEqual(1);
          expect(headerVersion(created.headers) ?? 1, 'version header of a create', created).toEqual(1);
        }
        const owner = await given.objectWithEntries(21);
        expect(await readVersion(context, owner), 'version of a created object with 21 entries').toEqual(1);
        for (const { what, read } of await makeFilled(context))
          expect(versionOf(read), `version of a created object with ${what}`, read).toEqual(1);
      }),
    ),
  },
  'versioning.edit.merge-adds-one': {
    source: 'core: Versioning 2',
    statement:
      'An accepted merge PATCH raises the version by exactly one, however many members it changes, however high it is and whatever made the object.',
    fault: 'the version rises by the number of changed members',
    needs: ['soft-type', 'scalar-members', 'merge'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, profile } = context;
        const [first, second] = profile.scalars;
        let thing = await makeEditable(context);
        for (const body of [{ [first]: given.unique() }, { [first]: given.unique(), [second]: given.unique() }])
          thing = await expectRaisedByOne(context, thing, service.requests.merge(thing, body));
        for (let edit = 0; edit < 8; edit += 1)
          thing = await expectRaisedByOne(context, thing, service.requests.merge(thing, { [first]: given.unique() }));
        // beyond what a byte with a sign holds
        thing = await editedUntil(context, thing, 123);
        for (let edit = 0; edit < 8; edit += 1)
          thing = await expectRaisedByOne(context, thing, service.requests.merge(thing, { [first]: given.unique() }));
        for (const { thing: other } of await createdOtherwise(context))
          await expectRaisedByOne(context, other, service.requests.merge(other, { [first]: given.unique() }));
        if (!(await takesOtherSchema(context))) return;
        const edit = service.requests.merge(byAnotherSchema(thing), { [first]: given.unique() });
        await expectRaisedByOne(context, thing, edit);
      }),
    ),
  },
  'versioning.edit.operations-add-one': {
    source: 'core: Versioning 2',
    statement:
      'An accepted operations PATCH raises the version by exactly one, however many operations it lists and whatever made the object, also where they are about references alone, or lead into an entry inside an entry.',
    fault: 'the version rises by the number of operations',
    needs: ['soft-type', 'text-member', 'array-port', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, profile } = context;
        const owner = await given.objectWithEntries(3, { body: { [profile.textMember]: given.unique() } });
        const edit = () => replace(pointer(profile.textMember), given.unique());
        const append = () => add(pointer(owner.port.member), given.entry(given.unique(), {}, owner.port));
        let thing: Thing = owner;
        for (const operations of [[edit()], [edit(), append()], [append(), edit(), append(), append(), append()]])
          thing = await expectRaisedByOne(context, thing, service.requests.operations(thing, operations));
        for (const { thing: other } of await createdOtherwise(context))
          await expectRaisedByOne(context, other, service.requests.operations(other, [append()]));
        await expectCascadeRaisesByOne(context, owner, thing);
        await expectReferencesCount(context);
        await expectDeepEditsCount(context);
      }),
    ),
  },
  'versioning.edit.put-adds-one': {
    source: 'core: Versioning 2',
    statement: 'An accepted PUT raises the version by exactly one, whatever made the object.',
    fault: 'PUT starts the object again at version 1',
    needs: ['soft-type', 'text-member', 'put-route'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service } = context;
        for (const edits of [0, 2]) {
          const thing = await makeEdited(context, edits);
          await expectRaisedByOne(context, thing, service.requests.put(thing, given.body()));
        }
        for (const { thing } of await createdOtherwise(context))
          await expectRaisedByOne(context, thing, service.requests.put(thing, given.body()));
      }),
    ),
  },
  'versioning.object.own-counter': {
    source: 'core: Versioning 1',
    statement:
      'Each object counts its own version; editing one leaves the versions of others alone, be it that one refers to the other.',
    fault: 'an edit also raises the version of the object that was edited before',
    needs: ['soft-type', 'text-member'],
    test: onEverySpace(
      scenario(async (context) => {
        const { expect } = context;
        const others = [await makeEditable(context), await makeEdited(context, 1)];
        const versions = [];
        for (const other of others) versions.push(await readVersion(context, other));
        await makeEdited(context, 3);
        for (const [index, other] of others.entries())
          expect(await readVersion(context, other), 'version of an object that nobody edited').toEqual(versions[index]);
        await expectTargetLeftAlone(context);
      }),
    ),
  },
  'versioning.read.leaves-version': {
    source: 'core: Versioning 2 (only promote and edit increment)',
    statement:
      'Reads do not change the version: instance GET by both routes, page GET, filtered GET, GET in a batch, the OpenAPI document.',
    fault: 'a filtered GET raises the version',
    needs: ['soft-type', 'array-port'],
    test: property(
      array(constantFrom(...readKinds), {
        minLength: 1,
        maxLength: 6,
      }),
      async (context, reads) => {
        const { given, service, expect } = context;
        const owner = await given.objectWithEntries(11);
        for (const read of reads) await sendRead(context, owner, read);
        expect(await readVersion(context, owner), `version after ${reads.join(', ')}`).toEqual(owner.version);
        expect(await service.edit(owner, anyEdit(context))).toSucceed();
      },
      { always: [[...readKinds]], share: 0.3 },
    ),
  },
  'versioning.refused.changes-nothing': {
    source: 'core: Errors rules 1 and 2; Versioning 2',
    statement:
      'A write refused with 401, 403, 409 or 412, for a body that none can be made of or of another type, for a schema or definition in its path, or for one of several members leaves content and version as they were, and the version still current afterwards is accepted.',
    fault: 'a refused write raises the version',
    needs: ['soft-type', 'text-member', 'array-port'],
    test: property(
      array(constantFrom(...kinds), { minLength: 1, maxLength: 5 }),
      async (context, refusals) => {
        const { given, service, expect, profile } = context;
        const owner = await given.objectWithEntries(11, { body: { [profile.textMember]: given.unique() } });
        const before = await service.snapshot(owner);
        const routes = editRoutes(context);
        for (const [index, kind] of refusals.entries()) {
          // from round to round of all kinds each meets another route
          const place = index + Math.floor(index / kinds.length);
          const route = given.present(routes[place % routes.length], 'a route that edits');
          const changes = refusal(context, kind, owner.version);
          const isUnfit = kind in unfitBodies;
          if (changes === undefined || (isUnfit && route.name === 'promote')) continue;
          const refused = await service.send(route.request(owner), changes);
          if (isUnfit && refused.status < 400) return;
          given.assume(refused.status >= 400, `a ${route.name} to be refused: ${kind}`, refused);
          expect(
            await readVersion(context, owner),
            `version after a ${route.name} was refused: ${kind}`,
            refused,
          ).toEqual(owner.version);
        }
        expect.unchanged(before, await service.snapshot(owner));
        expect(await service.edit(owner, { [profile.textMember]: given.unique() })).toSucceed();
        if (refusals.length <= kinds.length) return;
        await expectSpoiltRefusedWhole(context);
        await expectStrangeWritesCountNothing(context);
      },
      { always: [Array.from({ length: 5 }, () => kinds).flat()], share: 0.2 },
    ),
  },
  'versioning.history.matches-model': {
    source:
      'core: Versioning 1 to 3; Endpoint table; Server side paging; Operations-based PATCH rules; Batch rules; Multi-create rules',
    statement:
      'After any sequence of creates, edits, promotes, batches, multi-creates, deletes and refused writes to objects of several SoftTypes, every way to read them shows what the accepted ones have made of each, and nothing else.',
    fault: 'an edit of an object that was promoted on two levels takes one of the promotes back',
    needs: ['soft-type', 'text-member', 'array-port'],
    after: ['versioning.sequence.matches-model', 'patch.operations.match-model'],
    repeats: [
      'reading',
      'paging',
      'patch',
      'batch',
      'multi-create',
      'maturity',
      'versioning',
      'auth',
      'headers',
      'hypermedia',
    ],
    test: worldCase({
      histories: 8,
      steps: 22,
      always: [
        ['promote', 'promote elsewhere', 'merge', 'put'],
        ['multi-create', 'reference', 'inside entry', 'merge'],
      ],
    }),
  },
  'versioning.sequence.matches-model': {
    source: 'core: Versioning 1 to 3; Errors rules 1 and 2',
    statement:
      'Over any run of creates, reads, edits, promotes and refused writes, status and version follow a counter that only accepted writes raise.',
    fault: 'after a refused write the next accepted one raises the version by two',
    needs: ['soft-type', 'text-member'],
    after: [
      'maturity.demote.version-plus-one',
      'versioning.create.starts-at-one',
      'versioning.edit.merge-adds-one',
      'versioning.mismatch.lower-409',
      'patch.content-type.selects-operations',
      'headers.uoi-version.on-merge',
      'headers.uoi-version.on-operations',
      'headers.uoi-version.on-put',
    ],
    repeats: ['reading', 'paging', 'patch', 'batch', 'maturity', 'versioning'],
    test: historyCase(emphasis, {
      ofOtherType: 1,
      always: [
        {
          starts: [plain],
          commands: [
            ...[0, 1, 2, 3, 4].flatMap((choice) => [
              { ...merge(0, 'current'), choice, at: 1 - (choice % 2) },
              { ...merge(0, 'current'), choice },
            ]),
            { kind: 'batch', parts: [merge(0, 'current')], failing: 2 },
            merge(0, 'current'),
          ],
        },
        {
          starts: [{ ...plain, age: 9 }],
          commands: [
            merge(0, 'cut'),
            merge(0, 'current'),
            { ...merge(0, 'cut'), kind: 'put' },
            { ...merge(0, 'current'), kind: 'put' },
            { ...merge(0, 'cut'), kind: 'replace scalar' },
            { ...merge(0, 'current'), kind: 'replace scalar' },
          ],
        },
        {
          starts: [plain, plain],
          commands: [
            merge(0, 'stale'),
            merge(0, 'current'),
            merge(1, 'absent'),
            merge(1, 'current'),
            { ...merge(0, 'current'), kind: 'replace scalar' },
          ],
        },
        {
          starts: [{ ...plain, entries: 11 }],
          commands: [
            maturity('promote'),
            maturity('demote'),
            maturity('promote'),
            merge(0, 'stale'),
            merge(0, 'current'),
          ],
        },
      ],
      share: 0.85,
    }),
  },
  'versioning.no-op.edits': {
    level: 'observe',
    source: 'core: Versioning 2',
    statement:
      'Whether an accepted write that changes nothing (the same value, an empty merge body, an empty operation list, an identical PUT) raises the version is not said.',
    needs: ['soft-type', 'text-member'],
    test: scenario(async (context) => {
      const { service, notes, profile } = context;
      const member = profile.textMember;
      const thing = await makeEditable(context);
      const value = thing.body[member];
      const edits: Record<string, (version: number) => RequestSpec> = {
        'the same value': (version) => service.requests.merge(thing, { [member]: value }, version),
        'an empty merge body': (version) => service.requests.merge(thing, {}, version),
        ...(profile.offers('operations') && {
          'an empty operation list': (version: number) => service.requests.operations(thing, [], version),
          'a replace by the same value': (version: number) =>
            service.requests.operations(thing, [replace(pointer(member), value)], version),
        }),
        ...(profile.all.routes?.softTypePut !== undefined && {
          'an identical PUT': (version: number) => service.requests.put(thing, thing.body, version),
        }),
      };
      for (const [what, edit] of Object.entries(edits)) {
        const before = await readVersion(context, thing);
        const reply = await service.send(edit(before));
        const after = await readVersion(context, thing);
        notes.observe(`status of ${what}`, reply.status, reply);
        notes.observe(
          `version header of ${what} minus the version before`,
          (headerVersion(reply.headers) ?? Number.NaN) - before,
          reply,
        );
        if (isSuccess(reply.status))
          notes.bound('noOpRaisesVersion', `${what} raises the version`, after > before, reply);
      }
    }),
  },
  'versioning.precedence.with-other-errors': {
    level: 'observe',
    source: 'core: Errors',
    statement:
      'Which status wins when a request has several faults is not described: no version and unknown object, wrong version and malformed body, wrong version and failing operation.',
    needs: ['soft-type', 'text-member'],
    test: scenario(async (context: CaseContext) => {
      const { given, service, notes, profile } = context;
      const thing = await makeEditable(context);
      const unknown = { ...thing, oid: given.unknownOid(thing) };
      const member = profile.textMember;
      const failing = [add(pointer(member), given.unique())];
      const replies = {
        'no version, unknown object': await service.merge(unknown, {}, { version: null }),
        'wrong version, malformed body': await service.merge(thing, '{"', { version: thing.version + 5 }),
        ...(profile.offers('operations') && {
          'wrong version, failing operation': await service.operations(thing, failing, { version: thing.version + 5 }),
        }),
        'no version, malformed body': await service.merge(thing, '{"', { version: null }),
      };
      for (const [what, reply] of Object.entries(replies)) notes.observe(what, reply.status, reply);
    }),
  },
});

/** Two objects of which one refers to the other: an edit of either is none of the other. */
async function expectTargetLeftAlone(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { reference } = profile.primary;
  const { multiCreate, references, softTypes } = profile.all;
  const isKnown = multiCreate !== undefined && references !== undefined && profile.offers('multi-create');
  if (!isKnown || reference === undefined || (reference.target === 'second' && softTypes?.second === undefined)) return;
  const { items } = linkedPair(context);
  const reply = await service.multiCreate(items);
  if (!isSuccess(reply.status)) return;
  const things = (await readCreated(context, reply, items)).map((read, index): Thing => {
    const type = index === 0 && reference.target !== 'primary' ? profile.second : profile.primary;
    const version = Number(versionOf(read));
    return { oid: oidOf(read), location: read.url, type, space: profile.all.space, version, body: {} };
  });
  const [target, referrer] = [given.present(things[0], 'a target'), given.present(things[1], 'a referrer')];
  for (const [edited, other] of [
    [referrer, target],
    [target, referrer],
  ] as const) {
    const before = await readVersion(context, other);
    const [scalar] = edited.type.scalars ?? [];
    if (scalar === undefined) continue;
    const edit = await service.merge(await given.current(edited), { [scalar]: given.unique() });
    given.succeeded(edit, 'an edit of one of two objects', ['patch.merge.status-204']);
    expect(await readVersion(context, other), 'version of an object when one was edited that it is linked to').toEqual(
      before,
    );
  }
}

/** Objects with all that they may hold, as far as the service takes it, and reads of them. */
async function makeFilled(context: CaseContext): Promise<readonly { readonly what: string; readonly read: Reply }[]> {
  const { given, service, notes, profile } = context;
  const { reference } = profile.primary;
  const referrer = profile.offers('multi-create') ? await makeReferrer(context, 2) : undefined;
  // in which form a create takes references is not said; most take what they show
  const shown =
    reference === undefined || referrer === undefined ? [] : referencesIn(dataOf(referrer.read)[reference.port]);
  const contents: Readonly<Record<string, Members>> = {
    ...allThereIs(context),
    ...(shown.length > 0 && { 'references as they are shown': membersWith(reference, shown) }),
  };
  const made = referrer === undefined ? [] : [{ what: 'references of a multi-create', read: referrer.read }];
  const there = await enterSecondSpace(context);
  if (there !== undefined) {
    const { of, as } = there;
    const created = await service.create(given.body({}, of.type), { of, as });
    const { location } = created.headers;
    const read = location === undefined ? undefined : await service.get(location, { base: created, as });
    if (read?.status === 200) made.push({ what: 'a place in the second space', read });
  }
  for (const [what, members] of Object.entries(contents)) {
    const body = given.body(members);
    const created = await service.create(body);
    notes.observe(`a create with ${what}`, created.status, created);
    if (isSuccess(created.status)) made.push({ what, read: await service.readLong(await given.found(created, body)) });
  }
  return made;
}

/** The write succeeds and the version that reads next is one higher. */
async function expectRaisedByOne(
  context: CaseContext,
  thing: Thing,
  request: Parameters<CaseContext['service']['send']>[0],
): Promise<Thing> {
  const reply = await context.service.send(request);
  // a conflict where there is none is the business of this rule, any other refusal that of its route
  if (reply.status === 409) context.expect(reply).toSucceed();
  context.given.succeeded(reply, 'a write with the current version is accepted');
  const version = await readVersion(context, thing);
  context.expect(version, `version after a write at ${thing.version}`, reply).toEqual(thing.version + 1);
  return { ...thing, version };
}

/** A removal that takes the entry with it is one edit as well. */
async function expectCascadeRaisesByOne(context: CaseContext, owner: Owner, thing: Thing): Promise<void> {
  const { mandatory, member } = owner.port;
  const [entry] = entriesOf(await context.service.read(thing), owner.port);
  if (mandatory === undefined || entry === undefined) return;
  await expectRaisedByOne(
    context,
    thing,
    context.service.requests.operations(thing, [remove(pointer(member, entry.entryId, mandatory))]),
  );
}

async function sendRead(context: CaseContext, owner: Owner, read: string): Promise<void> {
  const { service, profile } = context;
  const { secondOutputSchema } = profile.primary;
  if (read === 'long') await service.readLong(owner);
  else if (read === 'another schema' && secondOutputSchema !== undefined)
    await service.readLong(owner, { outputSchemaId: secondOutputSchema.id });
  else if (read === 'nothing') await service.page(owner, 7);
  else if (read === 'filtered page' && profile.all.filters?.fixed !== undefined)
    await service.page(owner, 0, withFilterOnPage(context, owner, 0));
  else if (read === 'page') await service.page(owner, 1);
  else if (read === 'openapi') await service.openApi();
  else if (read === 'batch' && profile.offers('batch'))
    await service.batch([{ method: 'GET', href: service.requests.read(owner).url }]);
  else if (read === 'filtered' && profile.all.filters?.fixed !== undefined)
    await service.read(owner, withFilter(context, owner));
  else
    await service.read(owner, {
      as: read === 'reader' && profile.all.identities.reader !== undefined ? 'reader' : 'editor',
    });
}

function merge(object: number, version: EditCommand['version']): EditCommand {
  return { kind: 'merge', object, at: 0, choice: 0, version };
}

function maturity(kind: 'promote' | 'demote'): EditCommand {
  return { ...merge(0, 'current'), kind };
}

/** What makes a write in order refused, or undefined where the profile lacks the identity. */
/** Where one member of a body is reason to refuse it, which is left to the service, nothing of the others is stored either. */
async function expectSpoiltRefusedWhole(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { merge, put } = service.requests;
  const { scalars: texts = [], numbers: [number] = [], flags: [flag] = [] } = profile.primary;
  const spoils: Readonly<Record<string, Members>> = {
    'an unknown member': { [given.unique('unknown')]: 'x' },
    'a text for the version': { $version: given.unique() },
    ...(number !== undefined && { 'an object for a number': { [number]: {} } }),
    ...(flag !== undefined && { 'a text for a flag': { [flag]: given.unique() } }),
  };
  const thing = await makeEditable(context);
  let before = await service.snapshot(thing);
  for (const [what, spoil] of Object.entries(spoils)) {
    const now = { ...thing, version: before.version };
    const body = () => ({ ...Object.fromEntries(texts.map((text) => [text, given.unique('beside')])), ...spoil });
    const edits = [
      ...(profile.offers('merge') ? [merge(now, body())] : []),
      ...(profile.all.routes?.softTypePut === undefined ? [] : [put(now, given.body(body()))]),
    ];
    const inBatch = profile.offers('batch') ? edits.slice(0, 1) : [];
    let isRefused = true;
    for (const [place, edit] of [...edits, ...inBatch].entries()) {
      if (!isRefused) break;
      const isAlone = place < edits.length;
      const reply = isAlone ? await service.send(edit) : await sendBatch(context, [edit]);
      notes.observe(`status of a write with ${what}`, reply.status, reply);
      // what a server error leaves is not said
      isRefused = reply.status >= 400 && (!isAlone || reply.status < 500);
    }
    const after = await service.snapshot(thing);
    if (isRefused) expect.unchanged(before, after);
    before = after;
    if (profile.all.routes?.instanceListing === undefined) continue;
    const text = given.unique('beside');
    const made = await service.create(given.body({ [profile.textMember]: text, ...spoil }));
    if (made.status >= 400 && made.status < 500)
      expect(await isListed(context, text), `a create that was refused for ${what} is listed`, made).toEqual(false);
  }
}

function refusal({ profile }: CaseContext, kind: (typeof kinds)[number], version: number): Changes | undefined {
  const { noRole, reader } = profile.all.identities;
  const changes: Record<(typeof kinds)[number], Changes | undefined> = {
    'no token': { as: null },
    'no role': noRole && { as: 'noRole' },
    reader: reader && { as: 'reader' },
    stale: { version: version - 1 },
    ahead: { version: version + 1 },
    'no version': { version: null },
    'half a JSON': { body: unfitBodies['half a JSON'] },
    'no object': { body: unfitBodies['no object'] },
  };
  return changes[kind];
}
