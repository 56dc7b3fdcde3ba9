import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import type { Owner } from '../../judge/given.ts';
import type { Snapshot } from '../../judge/target.ts';
import { dataOf } from '../../judge/answer.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { editable } from '../../judge/writes.ts';
import {
  add,
  contentOf,
  entriesIn,
  isAccepted,
  isAcceptedCorrected,
  isRefused,
  membersOf,
  remove,
  replace,
} from './words.ts';

export const pathCases = {
  'patch.path.empty-refused': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const [member] = profile.scalars;
    const thing = await editable(context);
    const whole = given.body({ [member]: given.unique() });
    const operations = [
      add('', whole),
      add('', given.unique()),
      replace('', given.unique()),
      replace('', whole),
      remove(''),
    ];
    await isRefused(context, thing, ...operations.map((operation) => [operation]));
    await isAcceptedCorrected(context, thing, [replace(pointer(member), given.unique())]);
    const slash = await service.operations(await editable(context), [replace('/', given.unique())]);
    notes.observe('the path of one slash', slash.status, slash);
  }),

  'patch.path.member-addressed': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const [first, second] = profile.scalars;
    const owner = await given.objectWithEntries(18, { body: { [first]: given.unique(), [second]: given.unique() } });
    let before = await service.snapshot(owner);
    for (const member of [first, second]) {
      const text = given.unique();
      const after = await isAccepted(context, { ...owner, version: before.version }, [replace(pointer(member), text)]);
      expect(after.members, 'members after the replace of one', after.reply).toEqual({
        ...before.members,
        [member]: text,
      });
      expect(contentsIn(after, owner), 'entries after the replace of a scalar', after.reply).toEqual(
        contentsIn(before, owner),
      );
      before = after;
    }
  }),

  'patch.path.entry-member-addressed': scenario(async (context) => {
    const { given, service, expect } = context;
    const owner = await given.objectWithEntries(12);
    const { member, text } = owner.port;
    let before = await service.snapshot(owner);
    for (const place of [3, 11]) {
      const { entryId } = given.present(entriesIn(before, owner.port)[place], `an entry at place ${place}`);
      const value = given.unique();
      const after = await isAccepted(context, { ...owner, version: before.version }, [
        replace(pointer(member, entryId, text), value),
      ]);
      const expected = contentsIn(before, owner).map((members, index) =>
        index === place ? { ...members, [text]: value } : members,
      );
      expect(contentsIn(after, owner), 'entries after the replace of a member of one', after.reply).toEqual(expected);
      before = after;
    }
  }),

  'patch.path.input-schema-names': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const { input, output } = given.present(profile.primary.renamed, 'renamed in the profile');
    const thing = await given.object({ [input]: given.unique() });
    const text = given.unique();
    await isAccepted(context, thing, [replace(pointer(input), text)]);
    const read = await service.readLong(thing);
    expect(dataOf(read)[output], `${output} after a replace of ${input}`, read).toEqual(text);
    const current = await given.current(thing);
    const refused = await service.operations(current, [replace(pointer(output), given.unique())]);
    expect(refused).toBeRefused();
    const after = await service.readLong(thing);
    expect(dataOf(after)[output], `${output} after a refused replace`, after).toEqual(text);
  }),

  'patch.path.data-prefix-refused': scenario(async (context) => {
    const { given, profile } = context;
    const [member] = profile.scalars;
    const thing = await editable(context);
    await isRefused(context, thing, [replace(pointer('data', member), given.unique())]);
    await isAcceptedCorrected(context, thing, [replace(pointer(member), given.unique())]);
  }),

  'patch.path.pointer-escapes': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const name = given.present(profile.primary.escaped, 'escaped in the profile');
    let thing = await given.object();
    const [added, later] = [given.unique(), given.unique()];
    for (const operation of [add(pointer(name), added), replace(pointer(name), later), remove(pointer(name))]) {
      expect(await service.operations(thing, [operation])).toSucceed();
      const read = await service.readLong(thing);
      const seen = expect(dataOf(read)[name], `${name} after the ${String(operation['op'])}`, read);
      if (operation['op'] === 'remove') seen.notToEqual(later);
      else seen.toEqual(operation['value']);
      thing = await given.current(thing);
    }
  }),

  'patch.path.unusual-pointers': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const [member] = profile.scalars;
    const paths = {
      'no leading slash': member,
      'one slash': '/',
      'an unknown member': pointer(given.unique('unknown')),
      'a system member': '/$version',
      'the object id': '/$oid',
      'percent-encoding': `/%${member.charCodeAt(0).toString(16)}${member.slice(1)}`,
    };
    const thing = await editable(context);
    let before = await service.snapshot(thing);
    for (const [what, path] of Object.entries(paths))
      for (const operation of [replace(path, given.unique()), add(path, given.unique())]) {
        const reply = await service.operations(thing, [operation], { version: before.version });
        const after = await service.snapshot(thing);
        notes.observe(`${String(operation['op'])} with ${what}`, reply.status, reply);
        notes.observe(
          `${String(operation['op'])} with ${what} has effect`,
          JSON.stringify(contentOf(after)) !== JSON.stringify(contentOf(before)),
          reply,
        );
        notes.remarkServerError(reply);
        if (after.oid !== before.oid || dataOf(after.reply)['$softType'] !== dataOf(before.reply)['$softType'])
          notes.remark(`A ${String(operation['op'])} with ${what} changed a system member.`, reply);
        before = after;
      }
  }),
} satisfies SomeCasesOf<'patch'>;

function contentsIn(snapshot: Snapshot, owner: Owner): ReturnType<typeof membersOf> {
  return membersOf(entriesIn(snapshot, owner.port));
}
