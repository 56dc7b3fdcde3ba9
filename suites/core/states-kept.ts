import type { CaseContext } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import { promoteOn, stateFields } from '../../judge/maturity.ts';
import type { Thing } from '../../judge/things.ts';

/** A write that names no state leaves each of them where a promote led, whichever level that was on. The object has a text in its first scalar. */
export async function expectStatesKept(
  context: CaseContext,
  way: string,
  write: (thing: Thing) => Promise<Reply>,
): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { levelId, secondLevelId } = profile.all.maturity ?? {};
  for (const level of [levelId, secondLevelId]) {
    if (level === undefined) continue;
    const thing = await given.object({ [profile.textMember]: given.unique() });
    const promoted = await service.send(promoteOn(context, thing, level));
    if (promoted.status >= 300) continue;
    const before = statesIn(await context.service.read(thing));
    const reply = await write(await given.current(thing));
    notes.observe(`${way} after a promote on ${level}`, reply.status, reply);
    // the state may be closed to edits
    if (reply.status >= 300) continue;
    const read = await context.service.read(thing);
    expect(statesIn(read), `current states after a promote on ${level} and ${way}`, read).toEqual(before);
  }
}

/** Every current state of an object, as a text with its name. */
export function statesIn(read: Reply): readonly string[] {
  return [...stateFields(read)].map(([name, { state }]) => `${name} ${String(state)}`).toSorted();
}
