import { constantFrom } from 'fast-check';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import { dataOf, entriesOf, pageLinksOf } from '../../judge/answer.ts';
import { unescaped } from '../../judge/unescaped.ts';
import { editable } from '../../judge/writes.ts';
import { entriesIn, isWithoutValue } from './words.ts';

export const putCases = {
  'patch.put.stores-given-members': scenario(async (context) => {
    const { given, service, expect, notes, profile } = context;
    const [first, second] = profile.scalars;
    const thing = await editable(context);
    const before = await service.read(thing);
    const content = { [first]: given.unique(), [second]: given.unique() };
    const reply = await service.put(thing, given.body(content));
    expect(reply).toSucceed();
    notes.bound('putSuccess', 'success status of PUT', reply.status, reply);
    const after = await service.read(thing);
    for (const [member, value] of Object.entries(content))
      expect(dataOf(after)[member], `${member} after PUT`, after).toEqual(value);
    for (const member of ['$oid', '$softType'])
      expect(dataOf(after)[member], `${member} after PUT`, after).toEqual(dataOf(before)[member]);
  }),

  'patch.put.drops-absent-members': property(
    constantFrom(['first'], ['second'], ['first', 'second'], []),
    async ({ given, service, expect, profile }, kept) => {
      const [first, second] = profile.scalars;
      const content = { [first]: given.unique(), [second]: given.unique() };
      const members = kept.map((name) => (name === 'first' ? first : second));
      const body = Object.fromEntries(members.map((member) => [member, given.unique()]));
      const [put, merged] = [await given.object(content), await given.object(content)];
      given.succeeded(await service.put(put, given.body(body)), 'a PUT is accepted', [
        'patch.put.stores-given-members',
      ]);
      given.succeeded(await service.merge(merged, body), 'a merge PATCH is accepted', ['patch.merge.status-204']);
      const [afterPut, afterMerge] = [await service.read(put), await service.read(merged)];
      for (const member of profile.scalars) {
        if (members.includes(member)) continue;
        expect(
          isWithoutValue(dataOf(afterPut)[member]),
          `${member}, left out of the PUT, has no value`,
          afterPut,
        ).toEqual(true);
        given.assume(
          dataOf(afterMerge)[member] === content[member],
          `a merge PATCH that leaves out ${member} keeps it`,
        );
      }
      expect(dataOf(afterPut)['$oid'], '$oid after PUT', afterPut).toEqual(put.oid);
    },
    { always: [['first'], []], share: 0.1 },
  ),

  'patch.put.drops-absent-arrays': scenario(async ({ given, service, expect }) => {
    const owner = await given.objectWithEntries(18);
    given.succeeded(await service.put(owner, given.body()), 'a PUT is accepted', ['patch.put.stores-given-members']);
    const read = await service.read(owner);
    expect(entriesOf(read, owner.port), 'array left out of the PUT', read).toEqual([]);
    const links = pageLinksOf(read, owner.port).filter((link) => link['totalNumber'] !== 0);
    expect(links, 'page links that still count entries of the emptied array', read).toEqual([]);
    const page = await service.page(owner, 1);
    const shown = owner.texts.filter((text) => unescaped(page).includes(JSON.stringify(text)));
    expect(shown, 'old entries on page 1', page).toEqual([]);
  }),

  'patch.put.edge-content': scenario(async (context) => {
    const { given, service, notes } = context;
    const owner = await given.objectWithEntries(2);
    const read = await service.snapshot(owner);
    const own = { $oid: given.unique('own'), $version: 99, $softType: 'Own' };
    const entries = entriesIn(read, owner.port).map(({ entryId, members }) => ({ ...members, $entryId: entryId }));
    const replies = {
      'an absent mandatory member': await service.put(await editable(context), {}),
      'system members in the body': await service.put(await editable(context), given.body(own)),
      'entry ids in the body': await service.put(owner, given.body({ [owner.port.member]: entries })),
      'an id that does not exist': await service.put({ ...owner, oid: given.unknownOid(owner) }, given.body()),
    };
    for (const [what, reply] of Object.entries(replies)) {
      notes.observe(`status of a PUT with ${what}`, reply.status, reply);
      notes.remarkServerError(reply);
    }
    const after = await service.snapshot(owner);
    const kept =
      entriesIn(after, owner.port)
        .map(({ entryId }) => entryId)
        .join() === entries.map(({ $entryId }) => $entryId).join();
    notes.observe('entry ids are kept by a PUT that carries them', kept, after.reply);
  }),
} satisfies SomeCasesOf<'patch'>;
