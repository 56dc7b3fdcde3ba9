import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type RequestSpec } from '../../../judge/exchange.ts';
import { asOperation, makeEditable } from '../../../judge/service/writes.ts';
import type { Thing } from '../../../judge/things.ts';

const contests = 6;

const writers = 4;

/** Of batches, and of batches and edits, that are made for one version of an object and sent at once not two are accepted; whether one of them has to be is judged elsewhere. */
export async function expectNoTwoWinners(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const member = profile.textMember;
  for (let contest = 0; contest < contests; contest += 1) {
    const thing = await makeEditable(context);
    const texts = Array.from({ length: writers }, () => given.unique('contest'));
    const replies = await Promise.all(
      texts.map((text, writer) => service.send(writeOf(context, thing, text, contest, writer))),
    );
    const winners = replies.flatMap(({ status }, writer) => (isSuccess(status) ? [writer] : []));
    const what = `writes of ${writers} with one version that were accepted, batches among them`;
    expect(winners.length, what, replies[winners[1] ?? 0]).toSatisfy('at most one', (count) => count <= 1);
    const [winner] = winners;
    if (winner === undefined) continue;
    const after = await service.snapshot(thing);
    expect(after.version, 'version after one of these was accepted', after.reply).toEqual(thing.version + 1);
    expect(after.members[member], 'content is that of the winner', after.reply).toEqual(texts[winner]);
  }
}

/** Batches alone, batches ahead of edits, and behind them, by turns. */
function writeOf(
  { service, profile }: CaseContext,
  thing: Thing,
  text: string,
  contest: number,
  writer: number,
): RequestSpec {
  const edit = service.requests.edit(thing, { [profile.textMember]: text });
  const isBatch = contest % 3 === 0 || (writer % 2 === 0) === (contest % 3 === 1);
  return isBatch ? service.requests.batch([asOperation(edit)]) : edit;
}
