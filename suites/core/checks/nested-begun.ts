import type { Entry } from '../../../contract/judge-read.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { objectsIn, pointer } from '../../../judge/json.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { add, entriesNow } from './operation-steps.ts';

/** An entry that an array inside an entry begins with is there, be it the first entry or the last, where an array that is not there is a target at all. */
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
  for (const [end, place] of [
    [[], 0],
    [['-'], -1],
  ] as const) {
    const owner = await given.objectWithEntries(2);
    const { entryId, members } = given.present((await entriesNow(context, owner)).at(place), 'an entry');
    const text = given.unique('begins');
    const path = pointer(member, entryId, nested.member, ...end);
    const reply = await service.operations(owner, [add(path, given.nestedEntry(text, nested))]);
    notes.observe('an append to an array inside an entry that is not there', reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    const { arrays, reply: read } = await service.snapshot(owner);
    const inside = shownIn(arrays[member], members[textMember]);
    expect(inside, 'texts of an array inside an entry that an append has begun', read).toSatisfy(
      `texts with ${text} among them`,
      () => inside.includes(text),
    );
  }
}
