import { race, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply, RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/given.ts';
import { overlapped, tooFewAtOnce } from '../../judge/case/overlap.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { Recorder } from '../../judge/register/recorder.ts';
import { dataOf } from '../../judge/answer.ts';
import { editable } from '../../judge/writes.ts';
import { retryLoop } from './retry-loop.ts';

const rounds = 21;

export const raceCases = {
  'versioning.race.one-writer-wins': race(
    async (context) => {
      let overlapping = 0;
      for (let round = 0; round < rounds; round += 1) {
        const writers = [2, 5, 20][round % 3] ?? 2;
        if (await oneOf(context, writers)) overlapping += 1;
      }
      context.notes.observe('rounds in which the requests overlapped', overlapping);
      if (overlapping < rounds / 2) context.given.inconclusive(tooFewAtOnce);
    },
    { rounds: 1 },
  ),

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

  'versioning.race.retry-loop-loses-nothing': race(retryLoop, { rounds: 1 }),
} satisfies SomeCasesOf<'versioning'>;

/** One round: all writers send the same current version at once, while others read. Tells whether their requests overlapped. */
async function oneOf(context: CaseContext, writers: number): Promise<boolean> {
  const { given, service, expect, profile } = context;
  const [member] = profile.scalars;
  const thing = await editable(context);
  const recorder = new Recorder({ version: thing.version, value: String(thing.body[member]) });
  const texts = Array.from({ length: writers }, () => given.unique('writer'));
  const readers = [service.read(thing), service.readLong(thing), service.read(thing)];
  const replies = await Promise.all(texts.map((text, index) => service.send(write(context, thing, text, index))));
  for (const [index, reply] of replies.entries()) recorder.write(index, reply, thing.version, texts[index]);
  for (const [index, reply] of (await Promise.all(readers)).entries())
    recorder.read(writers + index, reply, textIn(reply, member));
  const winners = replies.filter(({ status }) => status >= 200 && status < 300);
  for (const reply of replies) if (!winners.includes(reply)) expect(reply).toAnswer(409);
  expect(winners.length, `writers of ${writers} with one version that succeed`, winners[1]).toEqual(1);
  const after = await service.snapshot(thing);
  expect(after.version, 'version after one accepted write', after.reply).toEqual(thing.version + 1);
  const winner = replies.findIndex((reply) => reply === winners[0]);
  expect(after.members[member], 'content is that of the winner', after.reply).toEqual(texts[winner]);
  recorder.read(0, after.reply, textIn(after.reply, member));
  expect(
    recorder.breaches().map(({ found }) => found),
    'what no single object with versions can have answered',
    after.reply,
  ).toEqual([]);
  return overlapped(replies);
}

/** Merge, operations and PUT by turns, from the connections of one or two users. */
function write({ service, given, profile }: CaseContext, thing: Thing, text: string, index: number): RequestSpec {
  const { requests } = service;
  const [member] = profile.scalars;
  const as = index % 2 === 1 && profile.all.identities.secondEditor !== undefined ? 'secondEditor' : 'editor';
  if (index % 3 === 1)
    return { ...requests.operations(thing, [{ op: 'replace', path: pointer(member), value: text }]), as };
  if (index % 3 === 2 && profile.all.routes?.softTypePut !== undefined)
    return { ...requests.put(thing, given.body({ [member]: text })), as };
  return { ...requests.merge(thing, { [member]: text }), as };
}

/** The text as a read shows it; what that read does not show is not compared. */
function textIn(reply: Reply, member: string): string | undefined {
  const text = reply.status === 200 ? dataOf(reply)[member] : undefined;
  return typeof text === 'string' ? text : undefined;
}
