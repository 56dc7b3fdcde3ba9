import { race, type CaseContext, type SomeCasesOf } from '../engine/case.ts';
import type { Reply } from '../engine/exchange.ts';
import type { Thing } from '../engine/given.ts';
import { overlapped, tooFewAtOnce } from '../overlap.ts';
import { pointer } from '../pointer.ts';
import { editable } from '../writes.ts';
import { versionNow } from './words.ts';

const rounds = 21;

export const raceCases = {
  'versioning.race.one-writer-wins': race(async (context) => {
    let overlapping = 0;
    for (let round = 0; round < rounds; round += 1) {
      const writers = [2, 5, 20][round % 3] ?? 2;
      if (await oneOf(context, writers)) overlapping += 1;
    }
    context.notes.observe('rounds in which the requests overlapped', overlapping);
    if (overlapping < rounds / 2) context.given.inconclusive(tooFewAtOnce);
  }),

  'versioning.race.different-objects-independent': race(async (context) => {
    const { given, service, expect, profile } = context;
    const [member] = profile.scalars;
    const things = await Promise.all(Array.from({ length: 20 }, () => editable(context)));
    const texts = things.map(() => given.unique('own'));
    const replies = await Promise.all(things.map((thing, index) => service.merge(thing, { [member]: texts[index] })));
    for (const reply of replies) expect(reply).toSucceed();
    for (const [index, thing] of things.entries()) {
      const after = await service.snapshot(thing);
      expect(after.members[member], `${member} after 20 edits of 20 objects`, after.reply).toEqual(texts[index]);
      expect(after.version, 'version after one edit', after.reply).toEqual(thing.version + 1);
    }
  }),

  'versioning.race.retry-loop-loses-nothing': race(async (context) => {
    const { given, service, expect } = context;
    const owner = await given.objectWithEntries(0);
    const texts = Array.from({ length: 10 }, () => [given.unique('a'), given.unique('b'), given.unique('c')]);
    await Promise.all(texts.map((own) => appendAll(context, owner, own)));
    const after = await service.snapshot(owner);
    const stored = (after.arrays[owner.port.member] ?? []).map((entry) => entry.members[owner.port.text]);
    expect([...stored].sort(), 'entries stored by ten writers of three', after.reply).toEqual(texts.flat().sort());
    expect(after.version, 'version after 30 accepted edits', after.reply).toEqual(owner.version + 30);
  }),
} satisfies SomeCasesOf<'versioning'>;

/** One round: all writers send the same current version at once. Tells whether their requests overlapped. */
async function oneOf(context: CaseContext, writers: number): Promise<boolean> {
  const { given, service, expect, profile } = context;
  const [member] = profile.scalars;
  const thing = await editable(context);
  const texts = Array.from({ length: writers }, () => given.unique('writer'));
  const replies = await Promise.all(texts.map((text, index) => write(context, thing, text, index)));
  const winners = replies.filter(({ status }) => status >= 200 && status < 300);
  for (const reply of replies) if (!winners.includes(reply)) expect(reply).toAnswer(409);
  expect(winners.length, `writers of ${writers} with one version that succeed`, winners[1]).toEqual(1);
  const after = await service.snapshot(thing);
  expect(after.version, 'version after one accepted write', after.reply).toEqual(thing.version + 1);
  const winner = replies.findIndex((reply) => reply === winners[0]);
  expect(after.members[member], 'content is that of the winner', after.reply).toEqual(texts[winner]);
  return overlapped(replies);
}

/** Merge, operations and PUT by turns. */
function write({ service, given, profile }: CaseContext, thing: Thing, text: string, index: number): Promise<Reply> {
  const [member] = profile.scalars;
  if (index % 3 === 1) return service.operations(thing, [{ op: 'replace', path: pointer(member), value: text }]);
  if (index % 3 === 2 && profile.all.routes?.softTypePut !== undefined) return service.put(thing, given.body({ [member]: text }));
  return service.merge(thing, { [member]: text });
}

/** Reads, appends with the version read, starts over on 409. */
async function appendAll(context: CaseContext, owner: Thing & { readonly port: { readonly member: string } }, texts: readonly string[]): Promise<void> {
  const { given, service } = context;
  for (const text of texts)
    for (let attempt = 0; ; attempt += 1) {
      given.assume(attempt < 500, 'a writer that starts over succeeds within 500 attempts');
      const version = await versionNow(context, owner);
      const reply = await service.operations(owner, [{ op: 'add', path: pointer(owner.port.member), value: given.entry(text) }], { version });
      if (reply.status === 409) continue;
      given.succeeded(reply, 'an entry is appended', ['patch.add.appends-without-marker']);
      break;
    }
}
