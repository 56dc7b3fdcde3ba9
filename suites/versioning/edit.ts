import { array, constantFrom } from 'fast-check';
import { property, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Owner, Thing } from '../../judge/given.ts';
import { withFilter } from '../../judge/filters.ts';
import { entriesOf } from '../../judge/answer.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { anyEdit, editable } from '../../judge/writes.ts';
import { at, headerVersion, versionNow } from './words.ts';

export const editCases = {
  'versioning.create.starts-at-one': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    await at(context, 3);
    const scalars = Object.fromEntries((profile.primary.scalars ?? []).map((member) => [member, given.unique()]));
    const bodies = [given.body(), given.body(scalars)];
    for (const body of bodies) {
      const created = await service.create(body);
      const thing = await given.found(created, body);
      expect(await versionNow(context, thing), 'version of a created object', created).toEqual(1);
      expect(headerVersion(created.headers) ?? 1, 'version header of a create', created).toEqual(1);
    }
    const owner = await given.objectWithEntries(21);
    expect(await versionNow(context, owner), 'version of a created object with 21 entries').toEqual(1);
  }),

  'versioning.edit.merge-adds-one': scenario(async (context) => {
    const { given, service, profile } = context;
    const [first, second] = profile.scalars;
    let thing = await editable(context);
    for (const body of [{ [first]: given.unique() }, { [first]: given.unique(), [second]: given.unique() }])
      thing = await raisesByOne(context, thing, service.requests.merge(thing, body));
    for (let edit = 0; edit < 8; edit += 1)
      thing = await raisesByOne(context, thing, service.requests.merge(thing, { [first]: given.unique() }));
  }),

  'versioning.edit.operations-add-one': scenario(async (context) => {
    const { given, service, profile } = context;
    const owner = await given.objectWithEntries(3, { body: { [profile.scalars[0]]: given.unique() } });
    const replace = () => ({ op: 'replace', path: pointer(profile.scalars[0]), value: given.unique() });
    const append = () => ({
      op: 'add',
      path: pointer(owner.port.member),
      value: given.entry(given.unique(), {}, owner.port),
    });
    let thing: Thing = owner;
    for (const operations of [[replace()], [replace(), append()], [append(), replace(), append(), replace(), append()]])
      thing = await raisesByOne(context, thing, service.requests.operations(thing, operations));
    await cascadeRaisesByOne(context, owner, thing);
  }),

  'versioning.edit.put-adds-one': scenario(async (context) => {
    const { given, service } = context;
    for (const edits of [0, 2]) {
      const thing = await at(context, edits);
      await raisesByOne(context, thing, service.requests.put(thing, given.body()));
    }
  }),

  'versioning.object.own-counter': scenario(async (context) => {
    const { expect } = context;
    const others = [await editable(context), await at(context, 1)];
    const versions = [];
    for (const other of others) versions.push(await versionNow(context, other));
    await at(context, 3);
    for (const [index, other] of others.entries())
      expect(await versionNow(context, other), 'version of an object that nobody edited').toEqual(versions[index]);
  }),

  'versioning.read.leaves-version': property(
    array(constantFrom('short', 'long', 'page', 'filtered', 'openapi', 'batch', 'reader'), {
      minLength: 1,
      maxLength: 6,
    }),
    async (context, reads) => {
      const { given, service, expect } = context;
      const owner = await given.objectWithEntries(11);
      for (const read of reads) await sendRead(context, owner, read);
      expect(await versionNow(context, owner), `version after ${reads.join(', ')}`).toEqual(owner.version);
      expect(await service.merge(owner, anyEdit(context))).toSucceed();
    },
    { always: [['short', 'long', 'page', 'filtered', 'openapi', 'batch', 'reader']], share: 0.5 },
  ),
} satisfies SomeCasesOf<'versioning'>;

/** The write succeeds and the version that reads next is one higher. */
async function raisesByOne(
  context: CaseContext,
  thing: Thing,
  request: Parameters<CaseContext['service']['send']>[0],
): Promise<Thing> {
  const reply = await context.service.send(request);
  context.given.succeeded(reply, 'a write with the current version is accepted');
  const version = await versionNow(context, thing);
  context.expect(version, `version after a write at ${thing.version}`, reply).toEqual(thing.version + 1);
  return { ...thing, version };
}

/** A removal that takes the entry with it is one edit as well. */
async function cascadeRaisesByOne(context: CaseContext, owner: Owner, thing: Thing): Promise<void> {
  const { mandatory, member } = owner.port;
  const [entry] = entriesOf(await context.service.read(thing), owner.port);
  if (mandatory === undefined || entry === undefined) return;
  await raisesByOne(
    context,
    thing,
    context.service.requests.operations(thing, [{ op: 'remove', path: pointer(member, entry.entryId, mandatory) }]),
  );
}

async function sendRead(context: CaseContext, owner: Owner, read: string): Promise<void> {
  const { service, profile } = context;
  if (read === 'long') await service.readLong(owner);
  else if (read === 'page') await service.page(owner, 1);
  else if (read === 'openapi') await service.openApi();
  else if (read === 'batch') await service.batch([{ method: 'GET', href: service.requests.read(owner).url }]);
  else if (read === 'filtered' && profile.all.filters?.fixed !== undefined)
    await service.read(owner, withFilter(context, owner));
  else
    await service.read(owner, {
      as: read === 'reader' && profile.all.identities.reader !== undefined ? 'reader' : 'editor',
    });
}
