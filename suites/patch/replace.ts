import { scenario, type SomeCasesOf } from '../engine/case.ts';
import { dataOf } from '../instance.ts';
import { pointer } from '../pointer.ts';
import { resolved } from './resolved.ts';
import { add, changed, entriesNow, entryPath, entryWith, isAccepted, isRefused, isWithoutValue, remove, replace } from './words.ts';

export const replaceCases = {
  'patch.replace.missing-member-refused': scenario(async (context) => {
    const { given, profile } = context;
    const [member] = profile.scalars;
    const owner = await given.objectWithEntries(2, { members: (index) => (index === 0 ? { [profile.port.text]: undefined } : {}) });
    const inEntry = async (text?: string) => {
      const entries = await entriesNow(context, owner);
      const entry = text === undefined ? entries.find(({ members }) => isWithoutValue(members[owner.port.text])) : entryWith(entries, owner.port, text);
      return pointer(owner.port.member, given.present(entry, 'the entry without its optional string').entryId, owner.port.text);
    };
    for (const pathOf of [async () => pointer(member), inEntry]) {
      const [current, path, text] = [await given.current(owner), await pathOf(), given.unique()];
      await isRefused(context, current, [replace(path, given.unique())]);
      await isAccepted(context, current, [add(path, text)]);
      await isAccepted(context, await given.current(owner), [replace(await pathOf(text), given.unique())]);
    }
  }),

  'patch.replace.missing-entry-refused': scenario(async (context) => {
    const { given } = context;
    let owner = await given.objectWithEntries(3);
    const [first] = await entriesNow(context, owner);
    const removed = given.present(first, 'an entry').entryId;
    owner = await changed(context, owner, [remove(entryPath(owner.port, removed))]);
    const { text, member } = owner.port;
    for (const entryId of [removed, `${removed}99991`, given.unique('no-entry')]) await isRefused(context, owner, [replace(pointer(member, entryId, text), given.unique())]);
    const [left] = await entriesNow(context, owner);
    await isAccepted(context, owner, [replace(pointer(member, given.present(left, 'an entry').entryId, text), given.unique())]);
  }),

  'patch.replace.object-refused': scenario(async (context) => {
    const { given, profile } = context;
    const object = given.present(profile.primary.object, 'object in the profile');
    const value = () => Object.fromEntries(object.scalars.map((name) => [name, given.unique()]));
    const owner = await given.objectWithEntries(2, { body: { [object.member]: value() } });
    const [entry] = await entriesNow(context, owner);
    const { entryId } = given.present(entry, 'an entry');
    const whole = replace(pointer(owner.port.member, entryId), given.entry(given.unique(), {}, owner.port));
    await isRefused(context, owner, [replace(pointer(object.member), value())], [whole]);
    await isAcceptedCorrected(context, owner, [replace(pointer(object.member, object.scalars[0] ?? ''), given.unique())]);
  }),

  'patch.replace.array-refused': scenario(async (context) => {
    const { given } = context;
    const owner = await given.objectWithEntries(3);
    const [entry] = await entriesNow(context, owner);
    const values = [[given.entry(given.unique(), {}, owner.port)], []];
    await isRefused(context, owner, ...values.map((value) => [replace(pointer(owner.port.member), value)]));
    await isAcceptedCorrected(context, owner, [replace(pointer(owner.port.member, given.present(entry, 'an entry').entryId, owner.port.text), given.unique())]);
  }),

  'patch.replace.dated-effectivity-date': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const dated = given.present(profile.primary.dated, 'dated in the profile');
    const dateMember = given.present(profile.all.informationFilter?.dateMember, 'informationFilter.dateMember in the profile');
    const [plain] = profile.scalars;
    let thing = await given.object({ ...dated.value, [plain]: given.unique() });
    for (const date of ['2019-03-04T00:00:00Z', '2021-11-30T00:00:00Z']) {
      const text = given.unique();
      const value: unknown = JSON.parse(JSON.stringify(dated.replaceWith).replaceAll('{{unique}}', text));
      const filter = { ...profile.all.informationFilter?.default, [dateMember]: date };
      const reply = await service.operations(thing, [replace(dated.path, value), replace(pointer(plain), text)], { filter });
      given.succeeded(reply, 'a dated element is replaced');
      const read = await service.readLong(thing, { filter });
      const seen = resolved(dataOf(read), dated.datePath);
      expect(typeof seen === 'string' ? Date.parse(seen) : seen, 'effectivity date of the replaced element', read).toEqual(Date.parse(date));
      expect(dataOf(read)[plain], 'plain scalar replaced in the same request', read).toEqual(text);
      thing = await given.current(thing);
    }
  }),
} satisfies SomeCasesOf<'patch'>;
