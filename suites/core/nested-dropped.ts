import { dataOf, entriesOf } from '../../judge/answers.ts';
import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { isObject } from '../../judge/json.ts';

/** Entries that are sent back by their ids without the arrays in them are the same entries without them, or others: either way those are gone. */
export async function expectNestedDropped({ given, service, expect, notes, profile }: CaseContext): Promise<void> {
  const { nested } = profile.port;
  if (nested === undefined) return;
  const owner = await given.objectWithEntries(2, { nested: () => 2 });
  const innerIn = (reply: Reply): readonly unknown[] =>
    entriesOf(reply, owner.port).flatMap(({ members }) => members[nested.member] ?? []);
  const before = await service.read(owner);
  given.assume(innerIn(before).length === 4, 'entries with two nested entries each');
  const raw = dataOf(before)[owner.port.member];
  const entries = (Array.isArray(raw) ? raw : []).map((entry: unknown, index) =>
    given.entry(owner.texts[index] ?? '', isObject(entry) ? { $entryId: entry['$entryId'] } : {}, owner.port),
  );
  const reply = await service.put(owner, given.body({ [owner.port.member]: entries }));
  notes.observe('status of a PUT of entries with their $entryId', reply.status, reply);
  if (reply.status >= 300) return;
  const after = await service.read(owner);
  expect(innerIn(after), 'entries of the arrays inside entries that a PUT leaves out', after).toEqual([]);
}
