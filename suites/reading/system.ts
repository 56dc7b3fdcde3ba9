import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { dataOf, versionOf } from '../../judge/answer.ts';
import { pointer } from '../../judge/json-pointer.ts';

export const systemCases = {
  'reading.system.version-matches-top-level': scenario(async ({ given, service, expect, profile }) => {
    const [member] = profile.scalars;
    let thing = await given.object({ [member]: given.unique() });
    const same = async (when: string) => {
      const read = await service.read(thing);
      expect(dataOf(read)['$version'], `$version ${when}`, read).toBeAnInteger();
      given.assume(Number.isInteger(versionOf(read)), 'an integer as version at the top level');
      expect(dataOf(read)['$version'], `$version ${when}`, read).toEqual(versionOf(read));
    };
    await same('when created');
    thing = await given.edited(thing);
    await same('after a merge edit');
    const operations = [{ op: 'replace', path: pointer(member), value: given.unique() }];
    given.succeeded(await service.operations(thing, operations), 'an operations edit is accepted', [
      'patch.content-type.selects-operations',
    ]);
    await same('after an operations edit');
    await service.merge(thing, { [member]: given.unique() }, { version: 0 });
    await same('after a refused edit');
  }),

  'reading.system.oid-matches-route': scenario(async ({ given, service, expect }) => {
    const thing = await given.object();
    const located = await service.get(thing.location);
    const oid = dataOf(located)['$oid'];
    expect(oid, '$oid', located).toBeAString();
    const read = await service.read({ ...thing, oid: String(oid) });
    expect(read).toAnswer(200);
    expect(dataOf(read)['$oid'], '$oid by the short route', read).toEqual(oid);
    const edited = await service.read(await given.edited(thing));
    expect(dataOf(edited)['$oid'], '$oid after an edit', edited).toEqual(oid);
  }),

  'reading.system.soft-type-names-definition': scenario(async ({ given, service, expect, profile }) => {
    const seen = [];
    for (const type of [profile.primary, profile.second]) {
      const read = await service.read(await given.object({}, { type }));
      expect(dataOf(read)['$softType'], '$softType', read).toEqual(type.definitionId);
      seen.push(dataOf(read)['$softType']);
    }
    expect(seen[0], '$softType of two SoftTypes').notToEqual(seen[1]);
  }),
} satisfies SomeCasesOf<'reading'>;
