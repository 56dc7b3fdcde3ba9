import type { Entry } from '../../../contract/judge-read.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { objectsIn, pointer } from '../../../judge/json.ts';
import { entriesOf } from '../../../judge/service/answers.ts';
import type { CaseContext } from '../../../judge/case.ts';
import type { Owner, Port } from '../../../judge/things.ts';
import { add, entriesNow, remove } from './operation-steps.ts';

/** An entry that an array inside an entry begins with, at first or when it has lost all it had, is there, be it the first entry or the last, where such an array is a target at all. */
export async function expectNestedBegun(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { nested, member, text: textMember } = profile.port;
  if (nested === undefined) return;
  const shownIn = (entries: readonly Entry[] | undefined, like: unknown): readonly unknown[] => {
    // for how long an entry keeps its id is not said
    const entry = entries?.find(({ members }) => members[textMember] === like);
    return objectsIn(entry?.members[nested.member]).map((item) => item[nested.text]);
  };
  // whether a read of the owner shows what is inside of its entries
  const filled = await given.objectWithEntries(1, { nested: () => 1 });
  const { arrays: seen } = await service.snapshot(filled);
  if (shownIn(seen[member], filled.texts[0]).length !== 1) return;
  for (const make of [() => given.objectWithEntries(2), () => makeEmptied(context, nested)]) {
    let isTaken = false;
    for (const [end, place] of [
      [[], 0],
      [['-'], -1],
    ] as const) {
      const owner = await make();
      if (owner === undefined) break;
      const { entryId, members } = given.present(
        entriesOf(await service.read(owner), owner.port).at(place),
        'an entry',
      );
      // one that is shown is there, though it is empty
      const isThere = Array.isArray(members[nested.member]);
      const text = given.unique('begins');
      const path = pointer(member, entryId, nested.member, ...end);
      const reply = await service.operations(owner, [add(path, given.nestedEntry(text, nested))]);
      notes.observe('an append to an array inside an entry that is empty or not there', reply.status, reply);
      if (isTaken && isThere) expect(reply).toSucceed();
      if (!isSuccess(reply.status)) continue;
      isTaken = true;
      const { arrays, reply: read } = await service.snapshot(owner);
      const inside = shownIn(arrays[member], members[textMember]);
      expect(inside, 'texts of an array inside an entry that an append has begun', read).toSatisfy(
        `texts with ${text} among them`,
        () => inside.includes(text),
      );
    }
  }
}

/** Two entries whose arrays inside have lost all they had, where a service takes that. */
async function makeEmptied(context: CaseContext, nested: NonNullable<Port['nested']>): Promise<Owner | undefined> {
  const { given, service, notes, profile } = context;
  const owner = await given.objectWithEntries(2, { nested: () => 1 });
  const removals = (await entriesNow(context, owner)).flatMap(({ entryId, members }) =>
    objectsIn(members[nested.member]).map((item) =>
      remove(pointer(profile.port.member, entryId, nested.member, String(item['$entryId']), '')),
    ),
  );
  const reply = await service.operations(owner, removals);
  notes.observe('arrays inside entries lose all they had', reply.status, reply);
  return isSuccess(reply.status) ? given.current(owner) : undefined;
}
