import { boolean, record } from 'fast-check';
import { property, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Snapshot } from '../../judge/target.ts';
import { dataOf, isObject } from '../../judge/answer.ts';
import { editable } from '../../judge/writes.ts';
import { isWithoutValue } from './words.ts';

export const mergeCases = {
  'patch.merge.status-204': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const thing = await editable(context);
    const text = given.unique();
    expect(await service.merge(thing, { [profile.scalars[0]]: text })).toAnswer(204);
    const after = await service.snapshot(thing);
    expect(after.members[profile.scalars[0]], `${profile.scalars[0]} after the edit`, after.reply).toEqual(text);
  }),

  'patch.merge.edits-named-member': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const [first, second] = profile.scalars;
    const one = { [first]: given.unique(), [second]: given.unique() };
    const edits = [[one], [{ [first]: given.unique() }, { [second]: given.unique() }], [one, one]];
    for (const bodies of edits) {
      let thing = await editable(context);
      for (const body of bodies) {
        given.succeeded(await service.merge(thing, body), 'a merge PATCH is accepted', ['patch.merge.status-204']);
        thing = await given.current(thing);
      }
      const after = await service.snapshot(thing);
      for (const [member, value] of Object.entries(Object.assign({}, ...bodies) as Record<string, string>))
        expect(after.members[member], `${member} after the edit`, after.reply).toEqual(value);
    }
  }),

  'patch.merge.keeps-other-members': property(
    record({ firstFilled: boolean(), secondFilled: boolean(), namesFirst: boolean() }),
    async (context, { firstFilled, secondFilled, namesFirst }) => {
      const { given, service, expect, profile } = context;
      const [first, second] = profile.scalars;
      const body = {
        ...(firstFilled && { [first]: given.unique() }),
        ...(secondFilled && { [second]: given.unique() }),
      };
      const owner = await given.objectWithEntries(18, { body });
      const before = await service.snapshot(owner);
      const named = namesFirst ? first : second;
      given.succeeded(await service.merge(owner, { [named]: given.unique() }), 'a merge PATCH is accepted', [
        'patch.merge.status-204',
      ]);
      const after = await service.snapshot(owner);
      const others = ({ members, arrays }: typeof before) => ({
        members: { ...members, [named]: null },
        arrays: textsOnly(arrays, context),
      });
      expect(others(after), 'members that the edit does not name', after.reply).toEqual(others(before));
    },
    { always: [{ firstFilled: true, secondFilled: true, namesFirst: true }], share: 0.15 },
  ),

  'patch.merge.depth': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const [first] = profile.scalars;
    const object = given.present(profile.primary.object, 'object in the profile');
    const [inner, other] = object.scalars as [string, string];
    const full = { [first]: given.unique(), [object.member]: { [inner]: given.unique(), [other]: given.unique() } };
    const bodies: Record<string, (context: CaseContext) => Record<string, unknown>> = {
      'null as value': () => ({ [first]: null }),
      'a nested object with one of its members': () => ({ [object.member]: { [inner]: given.unique() } }),
      'an array': () => ({ [profile.port.member]: [given.entry(given.unique())] }),
      'an empty body': () => ({}),
      'an unknown member': () => ({ [given.unique('unknown')]: 'x' }),
      'system members': () => ({ $oid: given.unique('own'), $version: 99, $softType: 'Own' }),
    };
    for (const [what, bodyOf] of Object.entries(bodies)) {
      const owner = await given.objectWithEntries(3, { body: full });
      const reply = await service.merge(owner, bodyOf(context));
      const after = await service.snapshot(owner);
      notes.observe(`status of a merge with ${what}`, reply.status, reply);
      notes.observe(`version after a merge with ${what}`, after.version - owner.version, reply);
      notes.remarkServerError(reply);
      if (what === 'null as value')
        notes.bound('mergeNull', what, fateOfNull(reply.status, dataOf(after.reply), first), reply);
      if (what.startsWith('a nested'))
        notes.bound(
          'mergeNested',
          what,
          innerOf(after.members[object.member], other) === undefined ? 'replaced' : 'merged',
          reply,
        );
      if (what === 'an array')
        notes.bound(
          'mergeArray',
          what,
          fateOfArray(reply.status, after.arrays[profile.port.member]?.length ?? 0),
          reply,
        );
      if (what === 'an unknown member') notes.bound('unknownMember', what, reply.status, reply);
      if (what === 'system members')
        notes.bound('systemMembersOnWrite', what, fateOfSystemMembers(reply.status, dataOf(after.reply)), reply);
    }
  }),
} satisfies SomeCasesOf<'patch'>;

/** Entries by their texts: whether ids survive an edit is not said. */
function textsOnly(arrays: Snapshot['arrays'], { profile }: CaseContext) {
  return (arrays[profile.port.member] ?? []).map((entry) => entry.members[profile.port.text]);
}

function fateOfNull(status: number, data: Readonly<Record<string, unknown>>, member: string): string {
  if (status >= 400) return 'refused';
  if (!isWithoutValue(data[member])) return 'kept';
  return member in data ? 'stored' : 'removed';
}

function fateOfSystemMembers(status: number, data: Readonly<Record<string, unknown>>): string {
  if (status >= 400) return 'refused';
  return data['$softType'] === 'Own' ? 'applied' : 'ignored';
}

function fateOfArray(status: number, count: number): string {
  if (status >= 400) return 'refused';
  return (
    new Map([
      [1, 'replaced'],
      [4, 'appended'],
      [3, 'merged'],
    ]).get(count) ?? `${count} entries`
  );
}

function innerOf(value: unknown, member: string): unknown {
  return isObject(value) ? value[member] : undefined;
}
