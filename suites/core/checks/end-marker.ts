import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess } from '../../../judge/exchange.ts';
import { pointer } from '../../../judge/json.ts';
import { linesOf } from './every-kind.ts';
import { add, applyOperations, entriesIn } from './operation-steps.ts';

export async function expectMarkerOfTheSecond(context: CaseContext): Promise<void> {
  const { given, expect, profile } = context;
  if (profile.primary.secondArrayPort === undefined) return;
  const port = profile.secondPort;
  for (const second of [2, 0]) {
    const owner = await given.objectWithEntries(1, { second });
    const text = given.unique();
    const after = await applyOperations(context, owner, [add(pointer(port.member, '-'), given.entry(text, {}, port))]);
    const texts = entriesIn(after, port).map((entry) => entry.members[port.text]);
    expect(texts.indexOf(text), `place of the new entry of the second array, of ${second}`, after.reply).toEqual(
      second,
    );
  }
}

/** An entry that holds all it may is appended with the end marker as it is without. */
export async function expectWholeWithMarker(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { port } = profile;
  const { object, nested } = port;
  const text = given.unique('whole');
  const inside = {
    ...(object && { [object.member]: given.inner(object) }),
    ...(nested && { [nested.member]: [given.nestedEntry(given.unique('inside'), nested)] }),
  };
  let bare: string | undefined;
  for (const end of [[], ['-']]) {
    const owner = await given.objectWithEntries(2);
    const path = pointer(port.member, ...end);
    const reply = await service.operations(owner, [add(path, given.entry(text, inside, port))]);
    notes.observe('an append of an entry with all it may hold', reply.status, reply);
    if (bare !== undefined) expect(reply).toSucceed();
    if (!isSuccess(reply.status)) return;
    const read = await service.read(owner);
    const line = linesOf(context, read, [port]).find((each) => each.includes(text)) ?? '';
    bare ??= line;
    expect(line, 'an entry that holds all it may, appended with the end marker', read).toEqual(bare);
  }
}
