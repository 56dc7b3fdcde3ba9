import { array, constantFrom, record } from 'fast-check';
import { property, type Case, type CaseContext } from '../engine/case.ts';
import type { Owner } from '../engine/given.ts';
import { entriesOf } from '../instance.ts';
import { pointer } from '../pointer.ts';

type Check = (context: CaseContext, owner: Owner, texts: readonly string[]) => Promise<void>;

type Step = 'append' | 'remove';

const histories = record({
  start: constantFrom<number>(8, 9, 10, 18, 19, 20),
  steps: array(constantFrom<Step>('append', 'remove'), { minLength: 1, maxLength: 5 }),
});


/** Both ways over the boundaries of a page. */
const always: readonly { readonly start: number; readonly steps: Step[] }[] = [
  { start: 9, steps: ['append', 'append', 'remove', 'remove'] },
  { start: 20, steps: ['append', 'remove'] },
];

/** Appends and removes single entries around the page boundaries and checks after each step against the list that a client would hold. */
export function arrayHistory(check: Check): Case {
  return property(histories, async (context, { start, steps }) => {
    let owner = await context.given.objectWithEntries(start);
    let texts = [...owner.texts];
    for (const step of steps) {
      texts = step === 'append' ? await append(context, owner, texts) : await removeFirst(context, owner, texts);
      owner = await context.given.current(owner);
      await check(context, owner, texts);
    }
  }, { always, share: 0.5 });
}

async function append({ given, service }: CaseContext, owner: Owner, texts: readonly string[]): Promise<string[]> {
  const text = given.unique('appended');
  const value = given.entry(text, {}, owner.port);
  const reply = await service.operations(owner, [{ op: 'add', path: pointer(owner.port.member), value }]);
  given.succeeded(reply, 'an entry is appended', ['patch.add.appends-without-marker']);
  return [...texts, text];
}

async function removeFirst({ given, service }: CaseContext, owner: Owner, texts: readonly string[]): Promise<string[]> {
  const [entry] = entriesOf(await service.read(owner), owner.port);
  const first = given.present(entry, 'an entry to remove');
  const reply = await service.operations(owner, [{ op: 'remove', path: `${pointer(owner.port.member, first.entryId)}/` }]);
  given.succeeded(reply, 'an entry is removed', ['patch.remove.entry-with-trailing-slash']);
  return texts.filter((text) => text !== first.members[owner.port.text]);
}
