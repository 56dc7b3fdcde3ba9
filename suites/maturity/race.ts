import { race, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/given.ts';
import { overlapped, tooFewAtOnce } from '../../judge/case/overlap.ts';
import { promoted, standing } from './words.ts';

const contests = 6;
const writers = 8;

export const raceCases = {
  'maturity.promote.race-one-winner': race(async (context) => {
    const { state: next } = await standing(context, await promoted(context));
    let overlapping = 0;
    for (let contest = 0; contest < contests; contest += 1) {
      const mixed = contest % 2 === 1;
      const replies = await compete(context, next, (writer) => mixed && writer % 2 === 1);
      if (overlapped(replies)) overlapping += 1;
    }
    context.notes.observe('contests in which the requests overlapped', overlapping);
    if (overlapping < contests / 2) context.given.inconclusive(tooFewAtOnce);
  }),
} satisfies SomeCasesOf<'maturity'>;

/**
 * All writers send the version of one object at once. How an edit is refused that lost to a promote is not judged: a state may be closed to edits.
 * @param next state that one promote leads to
 * @param edits whether a writer edits instead of promoting
 */
async function compete(
  context: CaseContext,
  next: unknown,
  edits: (writer: number) => boolean,
): Promise<readonly Reply[]> {
  const { given, expect, profile } = context;
  const thing = await given.object({ [profile.scalars[0]]: given.unique('before') });
  const before = await standing(context, thing);
  const replies = await Promise.all(
    Array.from({ length: writers }, (_, writer) => write(context, thing, edits(writer))),
  );
  const winners = replies.filter(({ status }) => status >= 200 && status < 300);
  for (const [writer, reply] of replies.entries())
    if (!winners.includes(reply) && !edits(writer)) expect(reply).toAnswer(409);
  expect(winners.length, `writers of ${writers} with one version that succeed`, winners[1]).toEqual(1);
  const { snapshot, state } = await standing(context, thing);
  expect(snapshot.version, 'version after one accepted write', snapshot.reply).toEqual(thing.version + 1);
  const edited = edits(replies.findIndex((reply) => reply === winners[0]));
  expect(state ?? null, `state when ${edited ? 'an edit' : 'a promote'} won`, snapshot.reply).toEqual(
    (edited ? before.state : next) ?? null,
  );
  return replies;
}

function write({ service, given, profile }: CaseContext, thing: Thing, edit: boolean): Promise<Reply> {
  return edit ? service.merge(thing, { [profile.scalars[0]]: given.unique('writer') }) : service.promote(thing);
}
