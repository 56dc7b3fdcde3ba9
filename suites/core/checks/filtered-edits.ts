import { entriesOf, textsOf, versionOf } from '../../../judge/service/answers.ts';
import { editRequest, staleEditRequest } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import { pointer } from '../../../judge/json.ts';
import { makeFilterable, withFilter, withFilterOnPage } from '../../../judge/service/queries.ts';
import type { Owner, Thing } from '../../../judge/things.ts';
import { unlessRefused } from '../../../judge/violation.ts';
import { lookAfterEachChange } from './each-change.ts';
import { add, remove, replace } from './operation-steps.ts';
import { readersOf } from './readers.ts';

/** An entry that was edited after a filtered read is admitted by what it holds since then: one comes in and one goes. */
export async function expectAdmittedAnew(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  const { matching: inside = {}, other: outside = {} } = profile.all.filters?.fixed ?? {};
  const names = Object.keys(inside);
  if (!profile.offers('operations') || names.some((name) => !Object.hasOwn(outside, name))) return;
  const { owner, matching } = await makeFilterable(context, { matching: 2, other: 2 });
  const { port, texts } = owner;
  const [goes, comes] = [matching[0], texts.find((text) => !matching.includes(text))];
  const filtered = await service.read(owner, withFilter(context, owner));
  const edits = entriesOf(await service.read(owner), port).flatMap(({ entryId, members }) => {
    const text = members[port.text];
    if (text !== goes && text !== comes) return [];
    const values = text === goes ? outside : inside;
    return names.map((name) => replace(pointer(port.member, entryId, name), values[name]));
  });
  const reply = await service.operations(owner, edits);
  notes.observe('what a filter compares is replaced in an entry', reply.status, reply);
  if (filtered.status !== 200 || !isSuccess(reply.status)) return;
  const read = await service.read(owner, withFilter(context, owner));
  expect(
    [...textsOf(entriesOf(read, port), port)].sort(),
    'entries that the filter admits after two of them were edited',
    read,
  ).toEqual([...matching.filter((text) => text !== goes), comes].sort());
  const plain = await service.read(owner);
  expect(versionOf(read), 'version of a filtered read after an edit', read).toEqual(versionOf(plain));
}

/** A filtered read, and a filtered page, is of the version that the object has, whoever asked before and whoever edited it since. */
export async function expectFilteredCurrent(context: CaseContext): Promise<void> {
  const { service, expect, profile } = context;
  const { owner } = await makeFilterable(context, { matching: 2, other: 2 });
  await lookAfterEachChange(context, owner, async (when) => {
    const plain = await service.read(owner);
    for (const as of readersOf(profile)) {
      const read = await service.read(owner, { ...withFilter(context, owner), as });
      expect(versionOf(read), `version of a filtered read by the ${as} ${when}`, read).toEqual(versionOf(plain));
      const page = await service.page(owner, 0, { ...withFilterOnPage(context, owner, 0), as });
      if (page.status === 200)
        expect(versionOf(page), `version of a filtered page for the ${as} ${when}`, page).toEqual(versionOf(plain));
    }
  });
}

/** Whether a filter admits an entry that lacks what it compares is configured: one that has lost it is as one that never had it. */
export async function expectAlikeWithoutMembers(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { matching: inside = {} } = profile.all.filters?.fixed ?? {};
  if (!profile.offers('operations')) return;
  const make = (): Promise<Owner> => given.objectWithEntries(2, { members: (index) => (index === 0 ? inside : {}) });
  const owner = await unlessRefused(make);
  if (owner === undefined) return notes.observe('an entry without what a filter compares', 'is refused');
  const { port, texts } = owner;
  const read = (): Promise<Reply> => service.read(owner, withFilter(context, owner));
  const admitted = async (): Promise<readonly unknown[]> => textsOf(entriesOf(await read(), port), port);
  const before = await admitted();
  if (!before.includes(texts[0])) return;
  const edits = entriesOf(await service.read(owner), port).flatMap(({ entryId, members }) =>
    members[port.text] === texts[0]
      ? Object.keys(inside).map((name) => remove(pointer(port.member, entryId, name)))
      : [],
  );
  const reply = await service.operations(owner, edits);
  notes.observe('what a filter compares is removed from an entry', reply.status, reply);
  // whoever loses what is mandatory goes with it
  if (!isSuccess(reply.status) || entriesOf(await service.read(owner), port).length < 2) return;
  const after = await admitted();
  const what = 'whether the filter admits an entry that lost what it compares, as one beside it that never had it';
  expect(after.includes(texts[0]), what).toEqual(before.includes(texts[1]));
}

/** Entries that came by a merge or a PUT are filtered as those of a create are: of those that a read shows, the ones that fit. */
export async function expectFilteredHoweverMade(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { matching: inside, other: outside } = profile.all.filters?.fixed ?? {};
  const { port } = profile;
  const [fitting, unfit] = [given.unique('fitting'), given.unique('unfit')];
  const members = { [port.member]: [given.entry(fitting, inside, port), given.entry(unfit, outside, port)] };
  const ways: Readonly<Record<string, (thing: Thing) => Promise<Reply>>> = {
    ...(profile.offers('merge') && { merge: (thing: Thing) => service.merge(thing, members) }),
    ...(profile.all.routes?.softTypePut !== undefined && {
      PUT: (thing: Thing) => service.put(thing, given.body(members)),
    }),
  };
  for (const [name, write] of Object.entries(ways)) {
    const thing = await given.object();
    const reply = await write(thing);
    notes.observe(`entries that a filter admits, by a ${name}`, reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    const shown = textsOf(entriesOf(await service.read(thing), port), port);
    const read = await service.read(thing, withFilter(context, thing));
    expect(textsOf(entriesOf(read, port), port), `entries that the filter admits of those by a ${name}`, read).toEqual(
      shown.filter((text) => text === fitting),
    );
  }
}

/** An entry that a batch added and took back leaves nothing that a filter finds, also where one that it does not admit comes in its place. */
export async function expectNothingOfAborted(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { matching: inside, other: outside } = profile.all.filters?.fixed ?? {};
  if (!profile.offers('operations') || !profile.offers('batch')) return;
  const { owner, matching } = await makeFilterable(context, { matching: 1, other: 1 });
  const { requests } = service;
  const adding = (members: Readonly<Record<string, unknown>> | undefined) =>
    requests.operations(owner, [
      add(pointer(owner.port.member), given.entry(given.unique('tried'), members, owner.port)),
    ]);
  const thing = await given.object();
  const unknown = { ...thing, oid: given.unknownOid(thing) };
  for (const [what, failing] of [
    ['an edit for another version', staleEditRequest(context, thing)],
    ['an edit of no object', editRequest(context, unknown)],
  ] as const) {
    const aborted = await service.batch([adding(inside), failing]);
    notes.observe(`status of a batch whose second operation is ${what}`, aborted.status, aborted);
    if (aborted.status < 400) return;
  }
  const reply = await service.send(adding(outside));
  if (!isSuccess(reply.status)) return;
  const read = await service.read(owner, withFilter(context, owner));
  expect(
    textsOf(entriesOf(read, owner.port), owner.port),
    'entries that the filter admits behind a batch that failed and an entry that it does not admit',
    read,
  ).toEqual(matching);
}
