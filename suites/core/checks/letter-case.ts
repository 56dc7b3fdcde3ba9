import type { CaseContext } from '../../../judge/case.ts';
import { pointer } from '../../../judge/json.ts';
import { dataOf } from '../../../judge/service/answers.ts';
import type { Snapshot } from '../../../judge/service/target.ts';
import { withOtherCase } from '../../../judge/redact/profile-secrets.ts';
import { add, entriesIn, entriesNow, membersOf, remove, replace } from './operation-steps.ts';

/**
 * JSON Pointer compares names letter by letter: one in the other case is not that of the member. Whether the service has some use for it is
 * not said. Source: RFC 6901 section 4
 */
export async function expectNamesByTheLetter(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const [first, second] = profile.scalars;
  const owner = await given.objectWithEntries(2, { body: { [first]: given.unique() } });
  const { member, text } = owner.port;
  const [entry] = await entriesNow(context, owner);
  const { entryId, members } = given.present(entry, 'an entry');
  const known = new Set([...Object.keys(dataOf(await service.readLong(owner))), ...Object.keys(members)]);
  const shown = (snapshot: Snapshot) => ({
    [first]: snapshot.members[first] ?? null,
    [second]: snapshot.members[second] ?? null,
    [member]: membersOf(entriesIn(snapshot, owner.port)),
  });
  let before = await service.snapshot(owner);
  for (const [name, operation] of [
    [first, replace(pointer(withOtherCase(first)), given.unique())],
    [first, remove(pointer(withOtherCase(first)))],
    [second, add(pointer(withOtherCase(second)), given.unique())],
    [member, add(pointer(withOtherCase(member)), given.entry(given.unique(), {}, owner.port))],
    [text, replace(pointer(member, entryId, withOtherCase(text)), given.unique())],
  ] as const) {
    const other = withOtherCase(name);
    // a schema may well have both
    if (other === name || known.has(other)) continue;
    const reply = await service.operations(owner, [operation], { version: before.version });
    notes.observe(`${String(operation['op'])} with a name in other letters`, reply.status, reply);
    const after = await service.snapshot(owner);
    expect(shown(after), `content after a ${String(operation['op'])} at ${other}`, reply).toEqual(shown(before));
    before = after;
  }
}
